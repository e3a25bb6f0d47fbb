//! Warnings of messages that the program of `on_alarm` did not get, one for each
//! reason.

use std::collections::HashSet;

use crate::failure::{Failure, FailureKind};
use crate::track::time;

/// So many messages are named in a warning.
const NAMED: usize = 10;

/// The transitions of which was said that the program could not be told, and why.
#[derive(Debug, Default)]
pub(super) struct Said {
    why: String,
    numbers: HashSet<i64>,
}

impl Said {
    /// Remembers that these transitions could not be told; returns whether that was not
    /// said yet of one of them, for this reason.
    pub(super) fn failed(&mut self, why: &str, numbers: &[i64]) -> bool {
        if self.why != why {
            why.clone_into(&mut self.why);
            self.numbers.clear();
        }
        let before = self.numbers.len();
        self.numbers.extend(numbers);
        self.numbers.len() > before
    }

    /// Forgets transitions that were told, or are given up.
    pub(super) fn is_over(&mut self, numbers: &[i64]) {
        for number in numbers {
            self.numbers.remove(number);
        }
    }
}

/// When what could not be told is told again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Again {
    /// After so many seconds.
    In(f64),
    /// Not any more.
    GivenUp,
    /// The archive cannot be written: that is not known.
    Unknown,
}

/// Messages that could not be told for one reason.
#[derive(Debug)]
struct Untold {
    why: String,
    again: Again,
    subjects: Vec<String>,
}

/// The messages that could not be delivered in one go.
#[derive(Debug, Default)]
pub(super) struct AllUntold(Vec<Untold>);

impl AllUntold {
    /// Adds a message that is about `subject`.
    pub(super) fn add(&mut self, why: &str, subject: String, again: Again) {
        let is_given_up = |again| again == Again::GivenUp;
        let known = (self.0.iter_mut())
            .find(|one| one.why == why && is_given_up(one.again) == is_given_up(again));
        match known {
            Some(known) => {
                if let (Again::In(soonest), Again::In(wait)) = (known.again, again) {
                    known.again = Again::In(soonest.min(wait));
                }
                known.subjects.push(subject);
            }
            None => self.0.push(Untold {
                why: why.to_owned(),
                again,
                subjects: vec![subject],
            }),
        }
    }

    /// A warning for each reason, with the number of messages and what they are about.
    /// `is_once`: the program that tells ends with this round.
    pub(super) fn failures(self, is_once: bool) -> impl Iterator<Item = Failure> {
        self.0.into_iter().map(move |one| one.failure(is_once))
    }
}

impl Untold {
    fn failure(self, is_once: bool) -> Failure {
        let hint = match (self.again, is_once) {
            (Again::GivenUp, _) => {
                "It has failed for a day, and the alarm has ended: this is not told any more. Check the setting on_alarm."
                    .to_owned()
            }
            (_, true) => {
                "The next run tells it again. Check the setting on_alarm.".to_owned()
            }
            (Again::In(wait), false) => format!(
                "It is told again after {}, then at longer intervals, at most hourly. Check the setting on_alarm.",
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
            1 => "not told".to_owned(),
            _ => format!("{count} messages not told"),
        };
        let reason = format!(
            "the program of on_alarm {}; {not_told}: {}",
            self.why,
            named.join("; ")
        );
        Failure::new(FailureKind::Other, reason, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warning_says_how_many_messages_were_not_told_and_of_what() {
        let mut untold = AllUntold::default();
        for number in 0..12 {
            let subject = format!("raised: mooring {number}, outside");
            let wait = if number == 3 { 60.0 } else { 120.0 };
            untold.add("(x) failed", subject, Again::In(wait));
        }
        let old = "raised: buoy, overdue".to_owned();
        untold.add("(x) failed", old, Again::GivenUp);
        let failures: Vec<Failure> = untold.failures(false).collect();
        assert_eq!(failures.len(), 2);
        let first = failures[0].to_string();
        for words in [
            "12 messages not told: raised: mooring 0, outside; raised: mooring 1, outside;",
            "raised: mooring 9, outside; and 2 more",
            "told again after 1 min",
        ] {
            assert!(first.contains(words), "{first}");
        }
        let second = failures[1].to_string();
        assert!(
            second.contains("; not told: raised: buoy, overdue"),
            "{second}"
        );
        assert!(second.contains("not told any more"), "{second}");
    }

    #[test]
    fn what_fails_again_is_said_once_for_each_transition_and_reason() {
        let mut said = Said::default();
        assert!(said.failed("a", &[1]));
        assert!(!said.failed("a", &[1]));
        // Another alarm fails for the same reason later.
        assert!(said.failed("a", &[1, 2]));
        assert!(said.failed("b", &[1]) && !said.failed("b", &[1]));
        said.is_over(&[1]);
        assert!(said.failed("b", &[1]));
    }
}
