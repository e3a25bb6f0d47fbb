//! The settings of a deployment as texts: as a user types them in flags, in the cells of
//! a table and in a form, and as a table has them.

use jiff::tz::TimeZone;
use strum::{Display, EnumString, VariantArray};

use crate::geo::{Inside, speed};
use crate::text;
use crate::text::choice;
use crate::track::{DeclaredState, FieldLimitChange, Platform, Side, time};
use crate::watch::Deployment;

/// A setting of a deployment, with its name in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Setting {
    /// The name.
    Label,
    Group,
    /// The kind of platform.
    Platform,
    /// The maximum age of the last fix.
    MaxAge,
    /// The watch circle or area.
    Inside,
    /// Fields with the limits below which an alarm is raised.
    Below,
    /// Fields with the limits above which an alarm is raised.
    Above,
    /// The speed limit of the quality tests.
    MaxSpeed,
    /// The time from which on fixes count.
    From,
    /// The time up to which fixes count.
    Until,
    /// The declared state of the deployment.
    State,
    Notes,
}

/// The surroundings in which a typed text is read.
pub(crate) struct Reading<'a> {
    /// The time, UNIX seconds.
    pub now: f64,
    /// The zone of a time without one; `None` for UTC.
    pub zone: Option<&'a TimeZone>,
    /// Reads a watch circle or an area.
    pub inside: &'a dyn Fn(&str) -> Result<Inside, String>,
}

impl Setting {
    /// Its value as text that [`EntryChange::read`] reads back; empty if nothing is set.
    pub(crate) fn value(self, entry: &Deployment) -> String {
        let limits = &entry.limits;
        let window = entry.window;
        let fields = |side| {
            let of_side = limits.fields.iter().filter(|limit| limit.side == side);
            let each =
                of_side.map(|limit| format!("{}={}", limit.field, limit.with_unit(limit.value)));
            Some(each.collect::<Vec<_>>().join(";"))
        };
        let value = match self {
            Self::Label => entry.label.clone(),
            Self::Group => entry.group.clone(),
            Self::Platform => Some(entry.platform.name().to_owned()),
            Self::MaxAge => limits.max_age_s.map(time::exact_duration),
            Self::Inside => limits.inside.as_ref().map(Inside::stored_text),
            Self::Below => fields(Side::Below),
            Self::Above => fields(Side::Above),
            Self::MaxSpeed => limits.max_speed_m_s.map(speed::text),
            Self::From => window.from.map(time::rfc3339),
            Self::Until => window.until.map(time::rfc3339),
            Self::State => Some(entry.state.name().to_owned()),
            Self::Notes => entry.notes.clone(),
        };
        value.unwrap_or_default()
    }

    /// `true` for a text of a user or a service, which a spreadsheet must not run.
    pub(crate) fn is_free_text(self) -> bool {
        matches!(
            self,
            Self::Label | Self::Group | Self::Below | Self::Above | Self::Notes
        )
    }

    /// The flag that sets it, such as `--max-age`.
    pub(crate) fn flag(self) -> String {
        format!("--{}", self.to_string().replace('_', "-"))
    }

    /// The names to choose from; empty for a setting of any text.
    pub(crate) fn choices(self) -> Vec<&'static str> {
        match self {
            Self::Platform => choice::names::<Platform>().collect(),
            Self::State => choice::names::<DeclaredState>().collect(),
            _ => Vec::new(),
        }
    }
}

/// A change of the settings of a deployment. Settings without a new value stay as they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct EntryChange {
    /// The settings that it sets or clears, but for the limits of fields.
    set: Vec<Setting>,
    /// Their new values.
    new: Deployment,
    fields: Vec<FieldLimitChange>,
}

impl EntryChange {
    /// Adds the change of a setting, as it was typed. `none` clears a limit or an end of the
    /// window; an empty text clears label and notes. Limits of fields have semicolons
    /// between them.
    ///
    /// # Errors
    /// A description of the fault in the text, or in the file that it names.
    pub(crate) fn read(
        &mut self,
        setting: Setting,
        typed: &str,
        reading: &Reading<'_>,
    ) -> Result<(), String> {
        let plain = typed.trim();
        let moment = || {
            let time = time::parse_in(plain, reading.now.floor(), reading.zone);
            time.map_err(|error| error.to_string())
        };
        let unknown = || {
            let choices = setting.choices().join(", ");
            format!("'{}' is not one of {choices}", text::excerpt(plain, 60))
        };
        let new = &mut self.new;
        match setting {
            Setting::Label => new.label = filled(typed),
            Setting::Notes => new.notes = filled(typed),
            Setting::Group => new.group = unless_none(plain, || Ok(filled(plain)))?.flatten(),
            Setting::Platform => new.platform = plain.parse().map_err(|_| unknown())?,
            Setting::State => new.state = plain.parse().map_err(|_| unknown())?,
            Setting::MaxAge => {
                let age = || time::parse_duration(plain).map_err(|error| error.to_string());
                new.limits.max_age_s = unless_none(plain, age)?;
            }
            Setting::Inside => {
                new.limits.inside = unless_none(plain, || (reading.inside)(plain))?;
            }
            Setting::Below => return self.read_fields(Side::Below, typed),
            Setting::Above => return self.read_fields(Side::Above, typed),
            Setting::MaxSpeed => {
                let speed = || speed::parse(plain).map_err(|error| error.to_string());
                new.limits.max_speed_m_s = unless_none(plain, speed)?;
            }
            Setting::From => new.window.from = unless_none(plain, moment)?,
            Setting::Until => new.window.until = unless_none(plain, moment)?,
        }
        self.set.push(setting);
        Ok(())
    }

    fn read_fields(&mut self, side: Side, typed: &str) -> Result<(), String> {
        let limits = typed.split(';').map(str::trim);
        for limit in limits.filter(|limit| !limit.is_empty()) {
            self.fields.push(FieldLimitChange::parse(side, limit)?);
        }
        Ok(())
    }

    /// `true` if nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.fields.is_empty()
    }

    /// `true` if it changes what alarms depend on, and not only names and notes.
    pub(crate) fn is_judged(&self) -> bool {
        let names = [Setting::Label, Setting::Group, Setting::Notes];
        !self.fields.is_empty() || !self.set.iter().all(|setting| names.contains(setting))
    }

    /// The label that the change sets.
    pub(crate) fn label(&self) -> Option<&str> {
        self.new.label.as_deref()
    }

    /// The watch circle or area that the change sets.
    pub(crate) fn inside(&self) -> Option<&Inside> {
        self.new.limits.inside.as_ref()
    }

    /// The fields that it sets a limit for.
    pub(crate) fn limited_fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter_map(|change| match change {
            FieldLimitChange::Set(limit) => Some(limit.field.as_str()),
            _ => None,
        })
    }

    /// Makes the change.
    pub(crate) fn apply(&self, entry: &mut Deployment) {
        let new = &self.new;
        for setting in &self.set {
            match setting {
                Setting::Label => entry.label.clone_from(&new.label),
                Setting::Group => entry.group.clone_from(&new.group),
                Setting::Platform => entry.platform = new.platform,
                Setting::MaxAge => entry.limits.max_age_s = new.limits.max_age_s,
                Setting::Inside => entry.limits.inside.clone_from(&new.limits.inside),
                Setting::Below | Setting::Above => {}
                Setting::MaxSpeed => entry.limits.max_speed_m_s = new.limits.max_speed_m_s,
                Setting::From => entry.window.from = new.window.from,
                Setting::Until => entry.window.until = new.window.until,
                Setting::State => entry.state = new.state,
                Setting::Notes => entry.notes.clone_from(&new.notes),
            }
        }
        for change in &self.fields {
            change.apply(&mut entry.limits.fields);
        }
    }

    /// Checks the entry that the change makes of `entry`.
    ///
    /// # Errors
    /// When its window would end before it starts.
    pub(crate) fn check(&self, entry: &Deployment) -> Result<(), String> {
        let mut changed = entry.clone();
        self.apply(&mut changed);
        match (changed.window.from, changed.window.until) {
            (Some(from), Some(until)) if changed.window.is_empty() => Err(format!(
                "the window would end ({}) before it starts ({})",
                time::rfc3339(until),
                time::rfc3339(from)
            )),
            _ => Ok(()),
        }
    }
}

/// The settings that differ between two entries of a deployment, each with its
/// value in `after`: "max_age 6 h", "label none".
pub(crate) fn differences(before: &Deployment, after: &Deployment) -> Vec<String> {
    let words = |setting: &Setting| {
        let value = match (setting, &after.limits.inside) {
            // Without the corners of an area.
            (Setting::Inside, Some(inside)) => inside.to_string(),
            _ => setting.value(after),
        };
        let shown = if value.is_empty() { "none" } else { &value };
        format!("{setting} {}", text::excerpt(shown, 60))
    };
    Setting::VARIANTS
        .iter()
        .filter(|setting| setting.value(before) != setting.value(after))
        .map(words)
        .collect()
}

/// A text that is not empty.
fn filled(typed: &str) -> Option<String> {
    (!typed.trim().is_empty()).then(|| typed.to_owned())
}

/// The value that a text is parsed to; `None` for `none`.
fn unless_none<T>(
    typed: &str,
    parse: impl FnOnce() -> Result<T, String>,
) -> Result<Option<T>, String> {
    match typed {
        "none" => Ok(None),
        _ => parse().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::geo::circle::{NoCircle, WatchCircle};
    use crate::track::Window;
    use crate::watch::Limits;

    const READING: Reading<'static> = Reading {
        now: 1000.0,
        zone: None,
        inside: &|typed| {
            let circle = typed.parse::<WatchCircle>();
            let fault = |fault: NoCircle| format!("'{typed}': {fault}");
            circle.map(Inside::Circle).map_err(fault)
        },
    };

    fn change(settings: &[(Setting, &str)]) -> EntryChange {
        let mut change = EntryChange::default();
        for (setting, typed) in settings {
            change.read(*setting, typed, &READING).unwrap();
        }
        change
    }

    #[test]
    fn each_setting_is_changed_alone_and_none_clears_it() {
        let full = Deployment {
            label: Some("buoy 7".to_owned()),
            group: Some("Fram Strait".to_owned()),
            platform: Platform::Tag,
            limits: Limits {
                max_age_s: Some(60.0),
                inside: Inside::from_stored("1,2,3"),
                max_speed_m_s: Some(5.0),
                fields: crate::track::field_limit::read(
                    r#"[{"field":"a","side":"below","value":1,"unit":""},
                        {"field":"b","side":"above","value":2,"unit":""}]"#,
                )
                .unwrap(),
            },
            window: Window {
                from: Some(10.0),
                until: Some(20.0),
            },
            state: DeclaredState::Recovered,
            notes: Some("n".to_owned()),
            ..Deployment::new(Uuid::nil())
        };
        let all = [
            (Setting::Label, "buoy 7"),
            (Setting::Group, " Fram Strait "),
            (Setting::Platform, "tag"),
            (Setting::MaxAge, "1m"),
            (Setting::Inside, "1,2,3"),
            (Setting::Below, "a=1"),
            (Setting::Above, "b=2"),
            (Setting::MaxSpeed, "18km/h"),
            (Setting::From, "10.0"),
            (Setting::Until, "1970-01-01T00:00:20Z"),
            (Setting::State, "recovered"),
            (Setting::Notes, "n"),
        ];
        assert_eq!(all.map(|(setting, _)| setting), Setting::VARIANTS);
        let mut entry = Deployment::new(Uuid::nil());
        let mut before = entry.clone();
        for one in all {
            change(&[one]).apply(&mut entry);
            assert_ne!(entry, before, "{one:?}");
            before = entry.clone();
        }
        assert_eq!(entry, full);
        EntryChange::default().apply(&mut entry);
        assert_eq!(entry, full);
        for (setting, typed) in [
            (Setting::Label, " "),
            (Setting::Group, "none"),
            (Setting::MaxAge, "none"),
            (Setting::Inside, "none"),
            (Setting::Below, "a=none"),
            (Setting::Above, "none"),
            (Setting::MaxSpeed, "none"),
            (Setting::From, "none"),
            (Setting::Until, "none"),
            (Setting::Notes, ""),
        ] {
            change(&[(setting, typed)]).apply(&mut entry);
        }
        assert_eq!(
            entry,
            Deployment {
                platform: Platform::Tag,
                state: DeclaredState::Recovered,
                ..Deployment::new(Uuid::nil())
            }
        );
    }

    #[test]
    fn what_cannot_be_a_value_is_refused_with_it() {
        for (setting, typed) in [
            (Setting::Platform, "boat"),
            (Setting::Platform, "none"),
            (Setting::State, "gone"),
            (Setting::MaxAge, "soon"),
            (Setting::Inside, "1,2"),
            (Setting::Below, "a"),
            (Setting::Above, "a=high"),
            (Setting::MaxSpeed, "10"),
            (Setting::From, "tomorrow"),
        ] {
            let error = EntryChange::default()
                .read(setting, typed, &READING)
                .unwrap_err();
            assert!(error.contains(typed), "{error}");
        }
    }

    #[test]
    fn a_window_does_not_end_before_it_starts() {
        let mut entry = Deployment::new(Uuid::nil());
        entry.window.until = Some(5.0);
        assert!(change(&[(Setting::From, "5.0")]).check(&entry).is_ok());
        let error = change(&[(Setting::From, "6.0")]).check(&entry).unwrap_err();
        assert!(error.contains("1970-01-01T00:00:06Z"), "{error}");
        let both = change(&[(Setting::From, "6.0"), (Setting::Until, "none")]);
        assert!(both.check(&entry).is_ok());
    }
}
