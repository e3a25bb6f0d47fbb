//! A change of a watch list entry, as the user types it: by flags, or by the
//! cells of a table.

use strum::{Display, EnumString, VariantArray};

use crate::geo::circle::WatchCircle;
use crate::geo::speed;
use crate::text;
use crate::track::{DeclaredState, Deployment, Platform, time};

/// A member of an entry that the user can set, with its name in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Member {
    /// The name.
    Label,
    /// The kind of platform.
    Platform,
    /// The maximum age of the last fix.
    MaxAge,
    /// The watch circle.
    Inside,
    /// The speed limit of the quality tests.
    MaxSpeed,
    /// The time from which on fixes count.
    From,
    /// The time up to which fixes count.
    Until,
    /// What it is declared to be.
    State,
    /// Notes.
    Notes,
}

impl Member {
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
    platform: Option<Platform>,
    max_age_s: Option<Option<f64>>,
    circle: Option<Option<WatchCircle>>,
    max_speed_m_s: Option<Option<f64>>,
    from: Option<Option<f64>>,
    until: Option<Option<f64>>,
    state: Option<DeclaredState>,
    notes: Option<Option<String>>,
}

impl EntryChange {
    /// Adds the change of one member, as typed at the time `now` (UNIX seconds).
    /// `none` clears a limit or an end of the window; an empty text clears label
    /// and notes.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub(crate) fn take(&mut self, member: Member, typed: &str, now: f64) -> Result<(), String> {
        let plain = typed.trim();
        let shown = || text::excerpt(plain, 60);
        let moment = || time::parse(plain, now.floor()).map_err(|error| error.to_string());
        match member {
            Member::Label => self.label = Some(filled(typed)),
            Member::Notes => self.notes = Some(filled(typed)),
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
                let circle = || {
                    plain
                        .parse()
                        .map_err(|error| format!("'{}': {error}", shown()))
                };
                self.circle = Some(unless_none(plain, circle)?);
            }
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

    /// Makes the change; members without one stay as they are.
    pub(crate) fn apply(&self, entry: &mut Deployment) {
        fn set<T: Clone>(member: &mut T, new: &Option<T>) {
            if let Some(new) = new {
                member.clone_from(new);
            }
        }
        set(&mut entry.label, &self.label);
        set(&mut entry.platform, &self.platform);
        set(&mut entry.limits.max_age_s, &self.max_age_s);
        set(&mut entry.limits.circle, &self.circle);
        set(&mut entry.limits.max_speed_m_s, &self.max_speed_m_s);
        set(&mut entry.window.from, &self.from);
        set(&mut entry.window.until, &self.until);
        set(&mut entry.state, &self.state);
        set(&mut entry.notes, &self.notes);
    }

    /// What is wrong with the entry that the change makes of `entry`.
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
            change.take(*member, typed, 1000.0).unwrap();
        }
        change
    }

    #[test]
    fn each_member_is_changed_alone_and_none_clears_it() {
        let full = Deployment {
            label: Some("buoy 7".to_owned()),
            platform: Platform::Tag,
            limits: Limits {
                max_age_s: Some(60.0),
                circle: "1,2,3".parse().ok(),
                max_speed_m_s: Some(5.0),
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
            (Member::Platform, "tag"),
            (Member::MaxAge, "1m"),
            (Member::Inside, "1,2,3"),
            (Member::MaxSpeed, "18km/h"),
            (Member::From, "10"),
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
            (Member::MaxAge, "none"),
            (Member::Inside, "none"),
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
            (Member::MaxSpeed, "10"),
            (Member::From, "tomorrow"),
        ] {
            let error = EntryChange::default().take(member, typed, 0.0).unwrap_err();
            assert!(error.contains(typed), "{error}");
        }
    }

    #[test]
    fn a_window_does_not_end_before_it_starts() {
        let mut entry = Deployment::new(Uuid::nil());
        entry.window.until = Some(5.0);
        assert!(change(&[(Member::From, "5")]).check(&entry).is_ok());
        let error = change(&[(Member::From, "6")]).check(&entry).unwrap_err();
        assert!(error.contains("1970-01-01T00:00:06Z"), "{error}");
        let both = change(&[(Member::From, "6"), (Member::Until, "none")]);
        assert!(both.check(&entry).is_ok());
    }
}
