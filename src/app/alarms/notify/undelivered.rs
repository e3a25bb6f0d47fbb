//! Warnings of messages that the program of `on_alarm` did not get, one warning for each
//! reason.

use std::collections::{BTreeMap, HashMap};

use crate::failure::Failure;

/// Most messages that a warning names.
const NAMED: usize = 10;

/// The transitions whose failed notification was reported to the user, each with why it
/// failed.
#[derive(Debug, Default)]
pub(super) struct ReportedFailures(HashMap<i64, String>);

impl ReportedFailures {
    /// Adds transitions; returns whether the failure of any of them was not reported yet
    /// for this reason.
    pub(super) fn add(&mut self, why: &str, numbers: &[i64]) -> bool {
        let mut is_new = false;
        for number in numbers {
            let known = self.0.insert(*number, why.to_owned());
            is_new |= known.as_deref() != Some(why);
        }
        is_new
    }

    /// Forgets transitions that were notified, or are given up.
    pub(super) fn forget(&mut self, numbers: &[i64]) {
        for number in numbers {
            self.0.remove(number);
        }
    }
}

/// The fate of a notification that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Again {
    /// It is sent again.
    Later,
    /// It is given up.
    Never,
}

/// The subjects of the messages of a round that could not be delivered, by the reason.
#[derive(Debug, Default)]
pub(super) struct Undelivered(BTreeMap<(String, Again), Vec<String>>);

impl Undelivered {
    /// Adds a message about `subject`.
    pub(super) fn add(&mut self, why: &str, subject: String, again: Again) {
        let of_reason = self.0.entry((why.to_owned(), again));
        of_reason.or_default().push(subject);
    }

    /// A warning for each reason, with the number of messages and their subjects.
    /// `is_once`: this program ends with this round.
    pub(super) fn failures(self, is_once: bool) -> impl Iterator<Item = Failure> {
        self.0.into_iter().map(move |((why, again), subjects)| {
            let hint = match (again, is_once) {
                (Again::Never, _) => {
                    "It has failed for a day, and the alarm has ended: it is not sent any more. Check the setting on_alarm."
                }
                (Again::Later, true) => "The next run sends it again. Check the setting on_alarm.",
                (Again::Later, false) => {
                    "It is sent again, at longer and longer intervals, at most hourly. Check the setting on_alarm."
                }
            };
            let not_told = match subjects.len() {
                1 => "not sent".to_owned(),
                count => format!("{count} messages not sent"),
            };
            let named = subjects.get(..NAMED).unwrap_or(&subjects).join("; ");
            let more = match subjects.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            let reason = format!("the program of on_alarm {why}; {not_told}: {named}{more}");
            Failure::other(reason).with_hint(hint)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warning_says_how_many_messages_were_not_told_and_of_what() {
        let mut undelivered = Undelivered::default();
        for number in 0..12 {
            let subject = format!("raised: mooring {number}, outside");
            undelivered.add("(x) failed", subject, Again::Later);
        }
        let old = "raised: buoy, overdue".to_owned();
        undelivered.add("(x) failed", old, Again::Never);
        let failures: Vec<Failure> = undelivered.failures(false).collect();
        assert_eq!(failures.len(), 2);
        let first = failures[0].to_string();
        for words in [
            "12 messages not sent: raised: mooring 0, outside; raised: mooring 1, outside;",
            "raised: mooring 9, outside; and 2 more",
            "sent again, at longer and longer intervals",
        ] {
            assert!(first.contains(words), "{first}");
        }
        let second = failures[1].to_string();
        assert!(
            second.contains("; not sent: raised: buoy, overdue"),
            "{second}"
        );
        assert!(second.contains("not sent any more"), "{second}");
    }

    #[test]
    fn what_fails_again_is_said_once_for_each_transition_and_reason() {
        let mut reported = ReportedFailures::default();
        assert!(reported.add("a", &[1]));
        assert!(!reported.add("a", &[1]));
        // Another alarm fails for the same reason later.
        assert!(reported.add("a", &[1, 2]));
        assert!(reported.add("b", &[1]) && !reported.add("b", &[1]));
        // Each alarm by itself, as the reason may name it.
        assert!(!reported.add("a", &[2]));
        reported.forget(&[1]);
        assert!(reported.add("b", &[1]));
    }
}
