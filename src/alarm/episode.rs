//! Episodes: the times in which a whole track raises an alarm, and the changes to the
//! known alarms that follow from them.

use super::silence::Cause;
use super::words::Measured;

/// Why an alarm ends which the fixes do not raise any more.
const WHY: &str = "the fixes as they are now do not raise it";

/// A time in which the fixes of a whole track, or the clock, raise an alarm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Episode {
    /// When it began, UNIX seconds.
    pub at: f64,
    /// The fix that raised it, UNIX seconds.
    pub fix_time: f64,
    /// The measured value.
    pub value: f64,
    /// Its limit, in the unit of the value.
    pub limit: f64,
    /// The event in words; empty for a silence, because its age goes on.
    pub text: String,
    /// Why no fix came, of a silence.
    pub cause: Option<Cause>,
    /// Its end, UNIX seconds; `None` before.
    pub until: Option<f64>,
}

impl Episode {
    /// An episode that begins with a fix at a time (UNIX seconds), by what was measured.
    /// `more` is added to the text; it may be empty.
    pub(super) fn by_fix(at: f64, measured: &Measured, more: &str) -> Self {
        let (value, limit) = measured.numbers();
        let mut text = measured.text();
        if !more.is_empty() {
            text.push_str("; ");
            text.push_str(more);
        }
        Self {
            at,
            fix_time: at,
            value,
            limit,
            text,
            cause: None,
            until: None,
        }
    }
}

/// A known alarm of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    /// Its id.
    pub id: String,
    /// When it was raised, UNIX seconds.
    pub raised_at: f64,
    /// The fix that raised it, UNIX seconds.
    pub fix_time: Option<f64>,
    /// Its end, UNIX seconds; `None` before.
    pub cleared_at: Option<f64>,
    /// Why no fix came, of a silence.
    pub cause: Option<Cause>,
}

/// A change to the alarms of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A new alarm, which may have ended already.
    Raised(Episode),
    /// An alarm goes on, with the numbers of the present fixes.
    Still {
        /// Its id.
        id: String,
        /// The episode of the alarm as it is now.
        episode: Episode,
    },
    /// The end of an alarm.
    Ended {
        /// Its id.
        id: String,
        /// When, UNIX seconds.
        at: f64,
        /// Why, if no fix ended it: "its limit was taken away".
        why: Option<String>,
    },
}

/// Ends the open episode at a time, UNIX seconds.
pub(super) fn end(episodes: &mut [Episode], at: f64) {
    if let Some(episode) = episodes.last_mut() {
        episode.until = Some(at);
    }
}

/// `true` if an episode has not ended.
pub(super) fn is_open(episodes: &[Episode]) -> bool {
    episodes
        .last()
        .is_some_and(|episode| episode.until.is_none())
}

impl Known {
    /// `true` if it was open at a time of an episode.
    fn meets(&self, episode: &Episode) -> bool {
        let end = |until: Option<f64>| until.unwrap_or(f64::INFINITY);
        let from = self.fix_time.unwrap_or(self.raised_at);
        from <= end(episode.until) && episode.fix_time <= end(self.cleared_at)
    }
}

/// The episodes of a rule that was set at `since` (UNIX seconds): without those that had
/// ended by then, and beginning then at the earliest.
pub(super) fn counted(mut episodes: Vec<Episode>, since: f64) -> Vec<Episode> {
    episodes.retain(|episode| episode.until.is_none_or(|until| until > since));
    for episode in &mut episodes {
        episode.at = episode.at.max(since);
    }
    episodes
}

/// The changes at `now` (UNIX seconds) to the `known` alarms of a rule after which each
/// episode of the whole track has an alarm, and the open episode has the open alarm. The
/// episodes are in the order of time.
pub(crate) fn changes(episodes: Vec<Episode>, known: &[Known], now: f64) -> Vec<Change> {
    let mut open = known.iter().find(|alarm| alarm.cleared_at.is_none());
    // The open alarm belongs to the first episode in which or after which it was raised: a
    // later episode is another alarm, even if nobody judged the track in between.
    let own = open.and_then(|open| episodes.iter().position(|episode| open.meets(episode)));
    let mut changes = Vec::new();
    let mut ended = Vec::new();
    if let Some(alarm) = open.take_if(|_| own.is_none()) {
        ended.push(Change::Ended {
            id: alarm.id.clone(),
            at: now,
            why: Some(WHY.to_owned()),
        });
    }
    for (index, episode) in episodes.into_iter().enumerate() {
        if let Some(alarm) = open.take_if(|_| own == Some(index)) {
            let id = alarm.id.clone();
            match episode.until {
                None => changes.push(Change::Still { id, episode }),
                Some(at) => ended.push(Change::Ended { id, at, why: None }),
            }
            continue;
        }
        let ends = known.iter().filter(|alarm| alarm.meets(&episode));
        let mut ends = ends.filter_map(|alarm| alarm.cleared_at).peekable();
        match episode.until {
            // A new alarm does not begin before the end of an earlier one of this episode.
            None => {
                let at = ends.fold(episode.at, f64::max);
                changes.push(Change::Raised(Episode { at, ..episode }));
            }
            // Only one alarm is open at a time: an earlier episode is not notified then.
            Some(_) if ends.peek().is_none() && open.is_none() => {
                changes.push(Change::Raised(episode));
            }
            Some(_) => {}
        }
    }
    // The open alarm ends before another is raised.
    ended.extend(changes);
    ended
}
