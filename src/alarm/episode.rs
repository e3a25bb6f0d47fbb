//! From when to when an alarm stands by a whole track, and what that changes of the
//! alarms that are known.

use super::words::Measured;

/// Why an alarm ends that the fixes do not raise any more.
const WHY: &str = "the fixes as they are now do not raise it";

/// From when to when an alarm stands by the fixes of a whole track, or by the clock.
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
    /// The event in words; of a silence its cause alone, as its numbers go on.
    pub text: String,
    /// Its end, UNIX seconds; `None` while it stands.
    pub until: Option<f64>,
}

impl Episode {
    /// An episode that begins with a fix at a time (UNIX seconds), by what was measured.
    /// `more` is what that does not say; it may be empty.
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
            until: None,
        }
    }
}

/// The known state of an alarm of one rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    /// Its id.
    pub id: String,
    /// When it was raised, UNIX seconds.
    pub raised_at: f64,
    /// The fix that raised it, UNIX seconds.
    pub fix_time: Option<f64>,
    /// Its end, UNIX seconds; `None` while it stands.
    pub cleared_at: Option<f64>,
    /// Its text.
    pub text: String,
}

/// A change to the alarms of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A new alarm, which may have ended by now.
    Raised(Episode),
    /// An alarm that stands, as the fixes that there are now have it.
    Still {
        /// Its id.
        id: String,
        /// The episode of the alarm as it is now.
        episode: Episode,
    },
    /// The end of an alarm that stands.
    Ended {
        /// Its id.
        id: String,
        /// When, UNIX seconds.
        at: f64,
        /// Why, where it is not for a fix: "its limit was taken away".
        why: Option<String>,
    },
}

/// Ends the episode that stands at a time, UNIX seconds.
pub(super) fn end(episodes: &mut [Episode], at: f64) {
    if let Some(one) = episodes.last_mut() {
        one.until = Some(at);
    }
}

/// `true` if an episode stands.
pub(super) fn stands(episodes: &[Episode]) -> bool {
    episodes.last().is_some_and(|one| one.until.is_none())
}

impl Known {
    /// `true` if it stood at a time at which an episode does.
    fn meets(&self, episode: &Episode) -> bool {
        let end = |until: Option<f64>| until.unwrap_or(f64::INFINITY);
        let from = self.fix_time.unwrap_or(self.raised_at);
        from <= end(episode.until) && episode.fix_time <= end(self.cleared_at)
    }
}

/// The episodes that a rule counts which was set at `since` (UNIX seconds): none
/// that had ended by then, and none from before.
pub(super) fn counted(mut episodes: Vec<Episode>, since: f64) -> Vec<Episode> {
    episodes.retain(|one| one.until.is_none_or(|until| until > since));
    for one in &mut episodes {
        one.at = one.at.max(since);
    }
    episodes
}

/// The changes to the `known` alarms of a rule that make them those of the episodes of
/// the whole track, which are in the order of time, at `now` (UNIX seconds): one alarm
/// for each episode, and the one that stands is that of the episode without an end.
pub(crate) fn changes(episodes: Vec<Episode>, known: &[Known], now: f64) -> Vec<Change> {
    let mut open = known.iter().find(|alarm| alarm.cleared_at.is_none());
    // The alarm that stands is that of the first episode in which or after which it was
    // raised: a later one is another alarm, even if nobody looked in between.
    let own = open.and_then(|open| episodes.iter().position(|episode| open.meets(episode)));
    let (mut changes, mut ended) = (Vec::new(), Vec::new());
    if let Some(alarm) = open.take_if(|_| own.is_none()) {
        ended.push(Change::Ended {
            id: alarm.id.clone(),
            at: now,
            why: Some(WHY.to_owned()),
        });
    }
    for (place, episode) in episodes.into_iter().enumerate() {
        if let Some(alarm) = open.take_if(|_| own == Some(place)) {
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
            // One that has ended for it is not raised before that end.
            None => {
                let at = ends.fold(episode.at, f64::max);
                changes.push(Change::Raised(Episode { at, ..episode }));
            }
            // One alarm stands at a time: what was before it is not told beside it.
            Some(_) if ends.peek().is_none() && open.is_none() => {
                changes.push(Change::Raised(episode));
            }
            Some(_) => {}
        }
    }
    // The one that stands ends before another is raised.
    ended.extend(changes);
    ended
}
