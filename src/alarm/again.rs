//! A track that is held to a rule once more, after the service has corrected fixes that
//! were judged already.

use super::found::{Found, Progress, Seen};
use super::rules::{Rule, judge};
use crate::track::Track;

/// Why an alarm ends that the corrected fixes do not raise any more.
const WHY: &str = "the service corrected its fixes";

/// From when to when an alarm stood, UNIX seconds: the fix that raised it, and its end;
/// `None` while it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Episode {
    /// The time of the fix that raised it.
    pub from: f64,
    /// Its end.
    pub until: Option<f64>,
}

impl Episode {
    fn meets(self, other: Self) -> bool {
        let end = |one: Self| one.until.unwrap_or(f64::INFINITY);
        self.from <= end(other) && other.from <= end(self)
    }
}

/// Holds a whole track to a rule at `now` (UNIX seconds), of which what is from `since`
/// on was corrected, with the alarms that it raised before. Returns what is new by it, in
/// the order of time, and how far it is judged now: one alarm that stands still does so,
/// one that the fixes do not raise any more ends, and of the past, where none stands, only what no
/// known alarm tells already.
pub(crate) fn judge_again(
    rule: &Rule,
    seen: &Seen,
    (track, since): (&Track, f64),
    known: &[Episode],
    now: f64,
) -> (Vec<Found>, Progress) {
    let (whole, progress) = judge(rule, &Seen::default(), track, now);
    let judged_before = seen.progress.as_ref().map_or(now, |before| before.until);
    let mut again = Vec::new();
    let mut last_end = None;
    let mut whole = whole.into_iter().peekable();
    while let Some(one) = whole.next() {
        let Found::Raised {
            at,
            fix_time,
            value,
            limit,
            text,
        } = one
        else {
            continue;
        };
        let until = match whole.peek() {
            Some(Found::Cleared { at }) => Some(*at),
            _ => None,
        };
        let episode = Episode {
            from: fix_time,
            until,
        };
        let of_known = known.iter().filter(|before| before.meets(episode));
        let ends = of_known.map(|before| before.until.unwrap_or(f64::INFINITY));
        let told_until = ends.fold(f64::NEG_INFINITY, f64::max);
        last_end = until;
        match until {
            None if seen.open.is_some() => again.push(Found::Still { value, limit, text }),
            // An alarm that has ended for it is not raised before that end.
            None => again.push(Found::Raised {
                at: at.max(told_until),
                fix_time,
                value,
                limit,
                text,
            }),
            Some(end) if fix_time >= since && told_until == f64::NEG_INFINITY => {
                again.push(Found::Raised {
                    at,
                    fix_time,
                    value,
                    limit,
                    text,
                });
                again.push(Found::Cleared { at: end });
            }
            Some(_) => {}
        }
    }
    let stands = matches!(
        again.last(),
        Some(Found::Still { .. } | Found::Raised { .. })
    );
    if seen.open.is_some() {
        match again.pop_if(|_| stands) {
            // One alarm of a kind stands at a time: those of the past are not told beside it.
            Some(still) => again = vec![still],
            None => again.insert(
                0,
                match last_end {
                    // By fixes that came with the correction.
                    Some(at) if at > judged_before => Found::Cleared { at },
                    _ => Found::Ended { at: now, why: WHY },
                },
            ),
        }
    }
    (again, progress)
}
