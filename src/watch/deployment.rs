//! A deployment on the watch list, with what the user set for it.

pub(crate) mod change;

use uuid::Uuid;

use super::id::DeploymentId;
use crate::geo::Inside;
use crate::track::{DeclaredState, FieldLimit, Platform, TrackOptions, Window, time};

/// A deployment on the watch list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Deployment {
    /// Its service and its id there.
    pub id: DeploymentId,
    /// The user's name for it.
    pub label: Option<String>,
    /// The kind of platform: it sets the speed limit of quality control.
    pub platform: Platform,
    /// The limits of alarms and of the quality tests.
    pub limits: Limits,
    /// The time in which its fixes count.
    pub window: Window,
    /// The state that the user declares for it.
    pub state: DeclaredState,
    /// The user's notes.
    pub notes: Option<String>,
    /// The group that the user put it in.
    pub group: Option<String>,
}

/// Limits of a deployment, set by hand.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Limits {
    /// The maximum age of the last fix, seconds.
    pub max_age_s: Option<f64>,
    /// The limit that the instrument should stay within.
    pub inside: Option<Inside>,
    /// The speed limit of the quality tests instead of the platform's, m/s.
    pub max_speed_m_s: Option<f64>,
    /// Limits of fields, in the order of their names.
    pub fields: Vec<FieldLimit>,
}

/// A hint for a text that names no deployment: what it may be, and what names a
/// deployment.
pub(crate) fn not_a_uuid(typed: &str) -> &'static str {
    let typed = typed.trim();
    if typed.len() == 15 && typed.bytes().all(|byte| byte.is_ascii_digit()) {
        "15 digits may be the IMEI of the instrument's modem; the service names a deployment by a UUID, 8-4-4-4-12 hexadecimal digits."
    } else {
        "A deployment is named by 8-4-4-4-12 hexadecimal digits."
    }
}

/// The fewest characters of an id that name a deployment.
const PREFIX: usize = 4;

/// The deployments of a watch list that a word names: the deployment with this id, else
/// those with this label, whatever its case, else those whose id begins with it (four characters and more).
pub(crate) fn named<'a>(list: &'a [Deployment], word: &str) -> Vec<&'a Deployment> {
    let is_called = |entry: &&Deployment| entry.id.to_string() == word.trim();
    let called: Vec<&Deployment> = list.iter().filter(is_called).collect();
    if !called.is_empty() {
        return called;
    }
    let word = word.trim().to_lowercase();
    let labelled: Vec<&Deployment> = list.iter().filter(|entry| entry.has_label(&word)).collect();
    if !labelled.is_empty() || word.len() < PREFIX {
        return labelled;
    }
    let begins = |entry: &&Deployment| {
        let id = entry.id.to_string();
        let simple = Uuid::parse_str(&id).map(|uuid| uuid.simple().to_string());
        id.to_lowercase().starts_with(&word) || simple.is_ok_and(|id| id.starts_with(&word))
    };
    list.iter().filter(begins).collect()
}

impl Deployment {
    /// A deployment with nothing set.
    pub(crate) fn new(id: impl Into<DeploymentId>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// `true` if its label is this word, whatever its case.
    pub(crate) fn has_label(&self, word: &str) -> bool {
        let label = self.label.as_deref().unwrap_or_default();
        let word = word.trim();
        !word.is_empty() && label.trim().to_lowercase() == word.to_lowercase()
    }

    /// How its track is assembled at `now` (UNIX seconds).
    pub(crate) fn options(&self, now: f64) -> TrackOptions {
        TrackOptions {
            max_speed_m_s: self.limits.max_speed_m_s,
            window: self.window,
            declared: self.state,
            max_age_s: self.limits.max_age_s,
            ..TrackOptions::new(self.platform, now)
        }
    }

    /// Why no report is expected at `now` (UNIX seconds), by the declared state or the end of
    /// the time window; `None` if it should report.
    pub(crate) fn settled(&self, now: f64) -> Option<String> {
        match (self.state, self.window.until) {
            (DeclaredState::Recovered, _) => Some("recovered".to_owned()),
            (DeclaredState::Lost, _) => Some("declared lost".to_owned()),
            (DeclaredState::Active, Some(until)) if until < now => Some(format!(
                "its time window ended {}",
                time::rfc3339(until.floor())
            )),
            (DeclaredState::Active | DeclaredState::Read, _) => None,
        }
    }

    /// The label, or else its id at the service.
    pub(crate) fn name(&self) -> String {
        let label = self.label.clone();
        label.unwrap_or_else(|| self.id.to_string())
    }

    /// This deployment with every member of `after` that differs from
    /// `before`: an edit of a member does not undo the changes of another process to other
    /// members.
    #[must_use]
    pub(crate) fn with_changes(self, before: &Self, after: &Self) -> Self {
        fn merged<T: PartialEq + Clone>(own: T, before: &T, after: &T) -> T {
            if after == before { own } else { after.clone() }
        }
        let (own, old, new) = (self.limits, &before.limits, &after.limits);
        // Every member by its name: a new one that is left out does not compile.
        Self {
            id: self.id,
            label: merged(self.label, &before.label, &after.label),
            group: merged(self.group, &before.group, &after.group),
            platform: merged(self.platform, &before.platform, &after.platform),
            limits: Limits {
                max_age_s: merged(own.max_age_s, &old.max_age_s, &new.max_age_s),
                inside: merged(own.inside, &old.inside, &new.inside),
                fields: merged(own.fields, &old.fields, &new.fields),
                max_speed_m_s: merged(own.max_speed_m_s, &old.max_speed_m_s, &new.max_speed_m_s),
            },
            window: Window {
                from: merged(self.window.from, &before.window.from, &after.window.from),
                until: merged(self.window.until, &before.window.until, &after.window.until),
            },
            state: merged(self.state, &before.state, &after.state),
            notes: merged(self.notes, &before.notes, &after.notes),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn fifteen_digits_instead_of_a_uuid_may_be_an_imei() {
        assert!(not_a_uuid(" 300234065123450 ").contains("IMEI"));
        for typed in ["", "30023406512345", "3002340651234500", "30023406512345a"] {
            assert!(!not_a_uuid(typed).contains("IMEI"), "{typed}");
        }
    }

    #[test]
    fn a_deployment_is_named_by_its_label_or_the_first_characters_of_its_id() {
        let of = |uuid: &str, label: Option<&str>| Deployment {
            label: label.map(str::to_owned),
            ..Deployment::new(Uuid::parse_str(uuid).unwrap())
        };
        let list = [
            of("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa", Some("Buoy 7")),
            of("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1ab", Some("buoy 8")),
            of("beef0000-43c5-4d30-9f1b-3c06a7f0e1ac", Some("5b6a")),
            of("dead0000-43c5-4d30-9f1b-3c06a7f0e1ad", Some("buoy 8")),
            of("face0000-43c5-4d30-9f1b-3c06a7f0e1ae", None),
        ];
        let found = |word: &str| -> Vec<usize> {
            let all = named(&list, word).into_iter();
            all.map(|entry| list.iter().position(|other| other == entry).unwrap())
                .collect()
        };
        assert_eq!(found(" bUOY 7 "), [0]);
        assert_eq!(found("buoy 8"), [1, 3]);
        // A label comes before the beginning of an id.
        assert_eq!(found("5b6a"), [2]);
        assert_eq!(found("5B6AC2A0-43"), [0, 1]);
        assert_eq!(found("5b6ac2a043c54d309f1b3c06a7f0e1ab"), [1]);
        assert_eq!(found("face"), [4]);
        for none in ["", "fac", "buoy", "43c5"] {
            assert!(found(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn both_ends_are_in_a_window() {
        let times = [1.0, 2.0, 2.0, 3.0, 4.0];
        let indices = |from, until| Window { from, until }.indices(&times, |time| *time);
        assert_eq!(indices(None, None), 0..5);
        assert_eq!(indices(Some(2.0), None), 1..5);
        assert_eq!(indices(None, Some(2.0)), 0..3);
        assert_eq!(indices(Some(2.5), Some(2.6)), 3..3);
        assert_eq!(indices(Some(9.0), Some(0.0)), 5..5);
    }
}
