//! A change of a watch list entry, as the user types it: by flags, or by the
//! cells of a table.

use std::path::Path;

use strum::{Display, EnumString, VariantArray};

use crate::geo::{Inside, speed};
use crate::settings::inside;
use crate::text;
use crate::track::{DeclaredState, Deployment, FieldLimitChange, Platform, Side, time};

/// A member of an entry that the user can set, with its name in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Member {
    /// The name.
    Label,
    /// The group.
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
    /// Notes.
    Notes,
}

impl Member {
    /// The value of an entry as text that [`EntryChange::take`] reads back; empty where
    /// nothing is set.
    pub(crate) fn of(self, entry: &Deployment) -> String {
        let (limits, window) = (&entry.limits, entry.window);
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
            Self::Inside => limits.inside.as_ref().map(|inside| match inside {
                Inside::Circle(circle) => circle.to_string(),
                Inside::Area(area) => area.text().to_owned(),
            }),
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

    /// `true` for a text of a person or a service, which a spreadsheet must not run.
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
}

/// A change of a watch list entry: of each member the new value, or `None` where
/// it stays as it is. An inner `None` clears it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct EntryChange {
    label: Option<Option<String>>,
    group: Option<Option<String>>,
    platform: Option<Platform>,
    max_age_s: Option<Option<f64>>,
    inside: Option<Option<Inside>>,
    fields: Vec<FieldLimitChange>,
    max_speed_m_s: Option<Option<f64>>,
    from: Option<Option<f64>>,
    until: Option<Option<f64>>,
    state: Option<DeclaredState>,
    notes: Option<Option<String>>,
}

impl EntryChange {
    /// Adds the change of a member, as typed at the time `now` (UNIX seconds).
    /// `none` clears a limit or an end of the window; an empty text clears label
    /// and notes. A file is relative to `folder`. Limits of fields have semicolons
    /// between them.
    ///
    /// # Errors
    /// A description of the fault in the text, or in the file that it names.
    pub(crate) fn take(
        &mut self,
        member: Member,
        typed: &str,
        now: f64,
        folder: &Path,
    ) -> Result<(), String> {
        let plain = typed.trim();
        let shown = || text::excerpt(plain, 60);
        let moment = || time::parse(plain, now.floor()).map_err(|error| error.to_string());
        match member {
            Member::Label => self.label = Some(filled(typed)),
            Member::Notes => self.notes = Some(filled(typed)),
            Member::Group => {
                let group = unless_none(plain, || Ok::<_, String>(filled(plain)))?;
                self.group = Some(group.flatten());
            }
            Member::Platform => {
                let names: Vec<&str> = crate::choice::names::<Platform>().collect();
                let platform = plain.parse();
                self.platform =
                    Some(platform.map_err(|_| {
                        format!("'{}' is not one of {}", shown(), names.join(", "))
                    })?);
            }
            Member::State => {
                let names: Vec<&str> = crate::choice::names::<DeclaredState>().collect();
                let state = plain.parse();
                self.state =
                    Some(state.map_err(|_| {
                        format!("'{}' is not one of {}", shown(), names.join(", "))
                    })?);
            }
            Member::MaxAge => {
                let age = || time::parse_duration(plain).map_err(|error| error.to_string());
                self.max_age_s = Some(unless_none(plain, age)?);
            }
            Member::Inside => {
                let inside = || inside::parse(plain, folder).map_err(|fault| fault.to_string());
                self.inside = Some(unless_none(plain, inside)?);
            }
            Member::Below => self.take_fields(Side::Below, plain)?,
            Member::Above => self.take_fields(Side::Above, plain)?,
            Member::MaxSpeed => {
                let speed =
                    || speed::parse(plain).map_err(|error| format!("'{}': {error}", shown()));
                self.max_speed_m_s = Some(unless_none(plain, speed)?);
            }
            Member::From => self.from = Some(unless_none(plain, moment)?),
            Member::Until => self.until = Some(unless_none(plain, moment)?),
        }
        Ok(())
    }

    fn take_fields(&mut self, side: Side, typed: &str) -> Result<(), String> {
        for one in typed.split(';').filter(|one| !one.trim().is_empty()) {
            self.fields.push(FieldLimitChange::parse(side, one)?);
        }
        Ok(())
    }

    /// `true` if it changes by what alarms are judged, and not only names and notes.
    pub(crate) fn is_judged(&self) -> bool {
        let judged = Self {
            label: None,
            group: None,
            notes: None,
            ..self.clone()
        };
        judged != Self::default()
    }

    /// The label that the change sets.
    pub(crate) fn label(&self) -> Option<&str> {
        self.label.as_ref()?.as_deref()
    }

    /// The watch circle or area that the change sets.
    pub(crate) fn inside(&self) -> Option<&Inside> {
        self.inside.as_ref()?.as_ref()
    }

    /// The fields that it sets a limit for.
    pub(crate) fn limited_fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter_map(|change| match change {
            FieldLimitChange::Set(limit) => Some(limit.field.as_str()),
            FieldLimitChange::Clear(..) | FieldLimitChange::ClearAll(_) => None,
        })
    }

    /// Makes the change; members without one stay as they are.
    pub(crate) fn apply(&self, entry: &mut Deployment) {
        fn set<T: Clone>(member: &mut T, new: &Option<T>) {
            if let Some(new) = new {
                member.clone_from(new);
            }
        }
        set(&mut entry.label, &self.label);
        set(&mut entry.group, &self.group);
        set(&mut entry.platform, &self.platform);
        set(&mut entry.limits.max_age_s, &self.max_age_s);
        set(&mut entry.limits.inside, &self.inside);
        for change in &self.fields {
            change.apply(&mut entry.limits.fields);
        }
        set(&mut entry.limits.max_speed_m_s, &self.max_speed_m_s);
        set(&mut entry.window.from, &self.from);
        set(&mut entry.window.until, &self.until);
        set(&mut entry.state, &self.state);
        set(&mut entry.notes, &self.notes);
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

/// The members that differ between two entries of a deployment, each with its
/// value in `after`: "max_age 6 h", "label none".
pub(crate) fn differences(before: &Deployment, after: &Deployment) -> Vec<String> {
    let words = |member: &Member| {
        let value = match (member, &after.limits.inside) {
            // Without the corners of an area.
            (Member::Inside, Some(inside)) => inside.to_string(),
            _ => member.of(after),
        };
        let value = if value.is_empty() { "none" } else { &value };
        format!("{member} {}", text::excerpt(value, 60))
    };
    Member::VARIANTS
        .iter()
        .filter(|member| member.of(before) != member.of(after))
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
    use crate::track::{Limits, Window};

    fn change(members: &[(Member, &str)]) -> EntryChange {
        let mut change = EntryChange::default();
        for (member, typed) in members {
            change.take(*member, typed, 1000.0, Path::new("")).unwrap();
        }
        change
    }

    #[test]
    fn each_member_is_changed_alone_and_none_clears_it() {
        let full = Deployment {
            label: Some("buoy 7".to_owned()),
            group: Some("Fram Strait".to_owned()),
            platform: Platform::Tag,
            limits: Limits {
                max_age_s: Some(60.0),
                inside: Inside::from_stored("1,2,3"),
                max_speed_m_s: Some(5.0),
                fields: crate::track::field_limit::read("9:below a=19:above b=2").unwrap(),
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
            (Member::Label, "buoy 7"),
            (Member::Group, " Fram Strait "),
            (Member::Platform, "tag"),
            (Member::MaxAge, "1m"),
            (Member::Inside, "1,2,3"),
            (Member::Below, "a=1"),
            (Member::Above, "b=2"),
            (Member::MaxSpeed, "18km/h"),
            (Member::From, "10.0"),
            (Member::Until, "1970-01-01T00:00:20Z"),
            (Member::State, "recovered"),
            (Member::Notes, "n"),
        ];
        assert_eq!(all.map(|(member, _)| member), Member::VARIANTS);
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
        for (member, typed) in [
            (Member::Label, " "),
            (Member::Group, "none"),
            (Member::MaxAge, "none"),
            (Member::Inside, "none"),
            (Member::Below, "a=none"),
            (Member::Above, "none"),
            (Member::MaxSpeed, "none"),
            (Member::From, "none"),
            (Member::Until, "none"),
            (Member::Notes, ""),
        ] {
            change(&[(member, typed)]).apply(&mut entry);
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
        for (member, typed) in [
            (Member::Platform, "boat"),
            (Member::Platform, "none"),
            (Member::State, "gone"),
            (Member::MaxAge, "soon"),
            (Member::Inside, "1,2"),
            (Member::Below, "a"),
            (Member::Above, "a=high"),
            (Member::MaxSpeed, "10"),
            (Member::From, "tomorrow"),
        ] {
            let error = EntryChange::default()
                .take(member, typed, 0.0, Path::new(""))
                .unwrap_err();
            assert!(error.contains(typed), "{error}");
        }
    }

    #[test]
    fn a_window_does_not_end_before_it_starts() {
        let mut entry = Deployment::new(Uuid::nil());
        entry.window.until = Some(5.0);
        assert!(change(&[(Member::From, "5.0")]).check(&entry).is_ok());
        let error = change(&[(Member::From, "6.0")]).check(&entry).unwrap_err();
        assert!(error.contains("1970-01-01T00:00:06Z"), "{error}");
        let both = change(&[(Member::From, "6.0"), (Member::Until, "none")]);
        assert!(both.check(&entry).is_ok());
    }
}
