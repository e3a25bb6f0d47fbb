//! Warnings of messages that the program of `on_alarm` did not get, one warning for each
//! reason.

use std::collections::HashMap;

use crate::failure::Failure;
use crate::track::time;

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

/// When a failed notification is sent again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Again {
    /// After this many seconds.
    In(f64),
    /// Never.
    GivenUp,
    /// Unknown, because the archive cannot be written.
    Unknown,
}

/// Messages that could not be delivered for the same reason.
#[derive(Debug)]
struct OfReason {
    why: String,
    again: Again,
    subjects: Vec<String>,
}

/// The messages of a round that could not be delivered.
#[derive(Debug, Default)]
pub(super) struct Undelivered(Vec<OfReason>);

impl Undelivered {
    /// Adds a message about `subject`.
    pub(super) fn add(&mut self, why: &str, subject: String, again: Again) {
        let is_given_up = |again| again == Again::GivenUp;
        let is_same = |known: &&mut OfReason| {
            known.why == why && is_given_up(known.again) == is_given_up(again)
        };
        match self.0.iter_mut().find(is_same) {
            Some(known) => {
                if let (Again::In(soonest), Again::In(wait)) = (known.again, again) {
                    known.again = Again::In(soonest.min(wait));
                }
                known.subjects.push(subject);
            }
            None => self.0.push(OfReason {
                why: why.to_owned(),
                again,
                subjects: vec![subject],
            }),
        }
    }

    /// A warning for each reason, with the number of messages and their subjects.
    /// `is_once`: this program ends with this round.
    pub(super) fn failures(self, is_once: bool) -> impl Iterator<Item = Failure> {
        let reasons = self.0.into_iter();
        reasons.map(move |reason| reason.failure(is_once))
    }
}

impl OfReason {
    fn failure(self, is_once: bool) -> Failure {
        let hint = match (self.again, is_once) {
            (Again::GivenUp, _) => {
                "It has failed for a day, and the alarm has ended: it is not sent any more. Check the setting on_alarm."
                    .to_owned()
            }
            (_, true) => {
                "The next run sends it again. Check the setting on_alarm.".to_owned()
            }
            (Again::In(wait), false) => format!(
                "It is sent again after {}, then at longer intervals, at most hourly. Check the setting on_alarm.",
                time::duration(wait)
            ),
            (Again::Unknown, false) => "Check the setting on_alarm.".to_owned(),
        };
        let count = self.subjects.len();
        let mut named: Vec<String> = self.subjects.into_iter().take(NAMED).collect();
        if count > named.len() {
            named.push(format!("and {} more", count - named.len()));
        }
        let not_told = match count {
            1 => "not sent".to_owned(),
            _ => format!("{count} messages not sent"),
        };
        let reason = format!(
            "the program of on_alarm {}; {not_told}: {}",
            self.why,
            named.join("; ")
        );
        Failure::other(reason).with_hint(hint)
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
            let wait = if number == 3 { 60.0 } else { 120.0 };
            undelivered.add("(x) failed", subject, Again::In(wait));
        }
        let old = "raised: buoy, overdue".to_owned();
        undelivered.add("(x) failed", old, Again::GivenUp);
        let failures: Vec<Failure> = undelivered.failures(false).collect();
        assert_eq!(failures.len(), 2);
        let first = failures[0].to_string();
        for words in [
            "12 messages not sent: raised: mooring 0, outside; raised: mooring 1, outside;",
            "raised: mooring 9, outside; and 2 more",
            "sent again after 1 min",
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
