//! Limits that cannot be judged by the newest fixes: older fixes inside a limit do not
//! show that the instrument is inside it now. A response without a usable record shows neither
//! that it reports nor that it is silent. What is not judged for long is an alarm.

use super::life::{Alarm, Change, Episode, Kind, is_open};
use super::rules::{Rule, by_fixes, is_good, judged_fixes, says_if_stuck};
use crate::geo::Inside;
use crate::text::{excerpt, first_of};
use crate::track::field::FieldValue;
use crate::track::interval::median;
use crate::track::{FieldLimit, Fix, Reason, Track, time};

/// A limit can be judged if a number is among this many last values of its field, if at most
/// this many times the usual number of fixes lack the field, and if fewer newer records are
/// lost.
const LAST: usize = 3;
/// The usual number of fixes between two values of a field is that of this many last values.
/// Of this many last fixes, those are counted that the service no longer sends.
const LOOKED_AT: usize = 20;
/// Most names of other fields in the message that a field is missing.
const NAMED: usize = 6;

/// It is an alarm after this long at least, seconds.
const LEAST_S: f64 = 3600.0;
/// The interval of a field that only one record had is not known: it may be as rare as this,
/// seconds.
const RARE_S: f64 = 14.0 * 86_400.0;
/// And after this many times T, and of a limit of a field as many of its intervals.
const INTERVALS: f64 = 3.0;

/// A limit that cannot be judged by the newest fixes of a track.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unjudged {
    /// Which limit and why, in a sentence.
    pub why: String,
    /// Since when, UNIX seconds.
    pub since: f64,
    /// After this long it is an alarm, seconds.
    pub after_s: f64,
}

/// The reason that a limit cannot be judged.
struct Doubt {
    why: String,
    /// Since when, UNIX seconds.
    since: f64,
}

/// A rule with a limit if it cannot be judged by the newest fixes of a track; `None` if it can,
/// and for a track without an included fix.
pub(crate) fn unjudged(rule: &Rule, track: &Track) -> Option<Unjudged> {
    let latest = track.latest()?;
    let fixes = judged_fixes(rule, track);
    let mut interval_s = track.interval_s();
    let (name, doubt) = match rule {
        Rule::Outside(inside) => {
            let name = format!("the {} cannot be judged: ", inside.name());
            (name, by_suspects(rule, inside, track, &fixes))
        }
        Rule::Field(limit) => {
            let of = |fixes: &[Fix]| by_values(limit, track, fixes);
            let intervals = [interval_s, of_field(limit, track, &fixes)];
            interval_s = intervals.into_iter().flatten().reduce(f64::max);
            let doubt = of(&fixes)
                .or_else(|| of(&sent(track, &fixes)?))
                .or_else(|| by_single(limit, track, &fixes));
            (
                format!("the limit {} cannot be judged: ", limit.text()),
                doubt,
            )
        }
        Rule::Overdue(_) => {
            let since = latest.time_stamp;
            let doubt = track.none_usable().map(|why| Doubt { why, since });
            (String::new(), doubt)
        }
        // These have no limit of the user.
        Rule::PickedUp | Rule::Stationary => return None,
    };
    let doubt = match rule {
        Rule::Overdue(_) => doubt,
        // One or two are mostly spikes; the status names them.
        _ => doubt
            .or_else(|| by_withdrawn(rule, track, &fixes))
            .or_else(|| {
                let (why, since) = track.newer_lost(LAST)?;
                Some(Doubt { why, since })
            })
            .or_else(|| {
                // The values of fields come with the fixes that pass among them.
                let is_outside = rule.kind() == Kind::Outside;
                let often = track.often_lost().or_else(|| track.torn());
                let (why, since) = often.filter(|_| is_outside)?;
                Some(Doubt { why, since })
            }),
    }?;
    Some(Unjudged::new(name + &doubt.why, doubt.since, interval_s))
}

impl Unjudged {
    /// A limit that is not judged for a reason since a time (UNIX seconds): an alarm after
    /// max(3 T, 1 h), or as many of the longer intervals of its field.
    pub(super) fn new(why: String, since: f64, interval_s: Option<f64>) -> Self {
        Self {
            why,
            since,
            after_s: interval_s.map_or(LEAST_S, |t| (INTERVALS * t).max(LEAST_S)),
        }
    }
}

/// The changes at `now` (UNIX seconds) of the alarm `unjudged` of a limit that was set at
/// `since` (UNIX seconds): it is active while the limit has not been judged for long, and nothing
/// that is active says more (`hidden`: what does). `is_news`: what cannot be judged has changed.
pub(crate) fn unjudged_changes(
    unjudged: Option<&Unjudged>,
    known: &[Alarm],
    is_news: bool,
    hidden: Option<&str>,
    since: f64,
    now: f64,
) -> Vec<Change> {
    if known.iter().any(|alarm| alarm.is_ahead(now)) {
        return Vec::new();
    }
    let open = known.iter().find(|alarm| alarm.cleared_at.is_none());
    let to_episode = |unjudged: &Unjudged| Episode {
        at: unjudged.since.max(since) + unjudged.after_s,
        fix_time: unjudged.since,
        value: now - unjudged.since,
        limit: unjudged.after_s,
        text: unjudged.why.clone(),
        cause: None,
        until: None,
    };
    // Also an active one is asked whether it has been so for long: by a part of the track
    // that came first the interval may have been another.
    let episode = unjudged
        .filter(|_| hidden.is_none())
        .map(to_episode)
        .filter(|episode| now > episode.at);
    let change = match (open, episode) {
        (None, Some(episode)) => Some(Change::Raised(episode)),
        (Some(open), Some(episode)) => is_news.then(|| Change::Still {
            id: open.id.clone(),
            episode,
        }),
        (Some(open), None) => Some(Change::Ended {
            id: open.id.clone(),
            at: now,
            why: hidden.map(str::to_owned),
        }),
        (None, None) => None,
    };
    change.into_iter().collect()
}

pub(crate) fn last_judged(rule: &Rule, track: &Track) -> Option<Fix> {
    judged_fixes(rule, track).last().copied()
}

/// The doubt of a circle or an area by suspect fixes after the last good one: by those beyond it
/// until they count, and by a receiver that repeats one position, which says nothing of where
/// the instrument is. Those that the user flagged are no doubt until they count.
fn by_suspects(rule: &Rule, inside: &Inside, track: &Track, fixes: &[Fix]) -> Option<Doubt> {
    let newest = track.past_fixes().rev();
    let mut newer: Vec<Fix> = newest.take_while(|fix| !is_good(rule, fix)).collect();
    newer.reverse();
    let do_count = newer.last() == fixes.last();
    newer.retain(|fix| fix.reason != Reason::Overridden);
    let says_if_stuck = says_if_stuck(rule, track);
    let is_doubt = |fix: &&Fix| {
        inside.over_m(fix.position) > 0.0 || fix.reason == Reason::Stuck && !says_if_stuck(fix)
    };
    let first = newer.iter().find(is_doubt).filter(|_| !do_count)?;
    let count = match newer.len() {
        1 => "1 newer fix is".to_owned(),
        count => format!("{count} newer fixes are"),
    };
    let since = time::rfc3339(first.time_stamp.floor());
    Some(Doubt {
        why: format!("{count} suspect ({}) since {since}", first.reason.text()),
        since: first.time_stamp,
    })
}

/// The value of the field of a limit in a fix, if its record has the member.
fn value_of<'t>(limit: &FieldLimit, track: &'t Track, fix: &Fix) -> Option<FieldValue<'t>> {
    let fields = track.fields();
    let column = fields
        .columns()
        .find(|column| column.name() == limit.field)?;
    fields.value(column, fix.index)
}

/// `true` for an empty value, by which a record of several sensors says that it has none of one.
fn is_empty(value: FieldValue<'_>) -> bool {
    matches!(value, FieldValue::Null | FieldValue::Text(""))
}

/// The usual interval between the records that have the field of a limit, seconds.
fn of_field(limit: &FieldLimit, track: &Track, fixes: &[Fix]) -> Option<f64> {
    let backwards = fixes.iter().rev();
    let mut times: Vec<f64> = backwards
        .filter(|fix| value_of(limit, track, fix).is_some())
        .map(|fix| fix.time_stamp)
        .take(LOOKED_AT + 1)
        .collect();
    times.dedup();
    if times.len() == 1 {
        return Some(RARE_S);
    }
    median(
        times
            .windows(2)
            .filter_map(|pair| match pair {
                [later, earlier] => Some(later - earlier),
                _ => None,
            })
            .collect(),
    )
}

/// The doubt of a limit of a field because the newest records lack the field, or because its
/// last values are no numbers. Empty values alone are none where the others come as usual.
fn by_values(limit: &FieldLimit, track: &Track, fixes: &[Fix]) -> Option<Doubt> {
    let by_others = doubt_about(limit, track, fixes, |value| !is_empty(value));
    let by_all = doubt_about(limit, track, fixes, |_| true);
    let values = fixes
        .iter()
        .rev()
        .filter_map(|fix| value_of(limit, track, fix));
    let are_empty = || values.take(LAST).all(is_empty);
    match by_others {
        None if are_empty() => None,
        by_others => by_all.or(by_others),
    }
}

/// The same by the values that count.
fn doubt_about(
    limit: &FieldLimit,
    track: &Track,
    fixes: &[Fix],
    counts: impl Fn(FieldValue<'_>) -> bool,
) -> Option<Doubt> {
    let first = fixes.first()?;
    let since_first = |why: String| {
        Some(Doubt {
            why,
            since: first.time_stamp,
        })
    };
    let fields = track.fields();
    if !fields.columns().any(|column| column.name() == limit.field) {
        let names = first_of(fields.columns().map(|column| column.name()), NAMED);
        return since_first(match names.as_str() {
            "" => "no record has this field".to_owned(),
            names => format!("no record has this field; there are {names}"),
        });
    }
    let having = fixes.iter().enumerate().rev().filter_map(|(index, fix)| {
        let value = value_of(limit, track, fix).filter(|value| counts(*value))?;
        Some((index, fix, value))
    });
    let recent: Vec<_> = having.clone().take(LOOKED_AT + 1).collect();
    let Some((last, latest, newest)) = recent.first() else {
        return since_first("no good fix has this field".to_owned());
    };
    let apart: Vec<f64> = (recent.windows(2))
        .filter_map(|pair| match pair {
            [(later, ..), (earlier, ..)] => Some((later - earlier) as f64),
            _ => None,
        })
        .collect();
    let usual = median(apart).unwrap_or(1.0);
    // A place in a list.
    let most = (3.0 * usual).ceil() as usize;
    if let Some(fix) = fixes.get(last + most) {
        let missing = fixes.len() - 1 - last;
        let of = time::rfc3339(latest.time_stamp.floor());
        return Some(Doubt {
            why: format!("the newest {missing} fixes lack it, the last value is of {of}"),
            since: fix.time_stamp,
        });
    }
    let mut has_number = false;
    let others = having.take_while(|(.., value)| {
        has_number = FieldLimit::number(*value).is_some();
        !has_number
    });
    let mut others: Vec<f64> = others.map(|(_, fix, _)| fix.time_stamp).collect();
    others.reverse();
    // After a number, three that are none.
    let since = *others.get(if has_number { LAST - 1 } else { 0 })?;
    let found = match newest {
        FieldValue::Text(text) => format!("the text {text:?}"),
        FieldValue::Truth(truth) => truth.to_string(),
        FieldValue::Null => "null".to_owned(),
        _ => "no number".to_owned(),
    };
    Some(Doubt {
        why: format!("it holds {}", excerpt(&found, 60)),
        since,
    })
}

/// The doubt of a limit that the newest value is beyond, but not the one before it, and so are
/// those of failed fixes between them: two values in a row raise the alarm, and these may be such.
fn by_single(limit: &FieldLimit, track: &Track, fixes: &[Fix]) -> Option<Doubt> {
    let number = |fix: &Fix| FieldLimit::number(value_of(limit, track, fix)?);
    let mut newest = fixes.iter().rev().filter(|fix| number(fix).is_some());
    let (last, before) = (newest.next()?, newest.next()?);
    let is_beyond = |fix: &Fix| number(fix).is_some_and(|value| limit.is_beyond(value));
    if is_beyond(before) || !is_beyond(last) {
        return None;
    }
    let between = (before.index + 1..last.index).filter(|index| track.is_failed(*index));
    let failed = between
        .filter_map(|index| track.fix(index))
        .filter(is_beyond);
    let since = failed.clone().next()?.time_stamp;
    let count = crate::text::counted(failed.count(), "failed fix", "failed fixes");
    let of = time::rfc3339(last.time_stamp.floor());
    Some(Doubt {
        why: format!("the value of {of} is beyond it, and so are those of {count} before"),
        since,
    })
}

/// The note on values that are no numbers among the last ones, by which a limit is not judged.
pub(crate) fn not_numbers(limit: &FieldLimit, track: &Track) -> Option<String> {
    let fixes = judged_fixes(&Rule::Field(limit.clone()), track);
    let backwards = fixes.iter().rev();
    let values = backwards
        .filter_map(|fix| value_of(limit, track, fix))
        .filter(|value| *value != FieldValue::Null)
        .take(LOOKED_AT);
    let (numbers, others): (Vec<_>, Vec<_>) =
        values.partition(|value| FieldLimit::number(*value).is_some());
    let count = others.len();
    let all = numbers.len() + others.len();
    (count > 0 && count < all).then(|| {
        let field = excerpt(&limit.field, 60);
        let are = if count == 1 {
            "is no number"
        } else {
            "are no numbers"
        };
        format!("{count} of the last {all} values of {field} {are}")
    })
}

/// The fixes that the service still sends; `None` without any.
fn sent(track: &Track, fixes: &[Fix]) -> Option<Vec<Fix>> {
    let sent: Vec<Fix> = fixes
        .iter()
        .filter(|fix| !track.is_absent_from_latest(fix.index))
        .copied()
        .collect();
    (!sent.is_empty()).then_some(sent)
}

/// The doubt of a limit that the fixes which the service still sends exceed, but not together
/// with those that it no longer sends.
fn by_withdrawn(rule: &Rule, track: &Track, fixes: &[Fix]) -> Option<Doubt> {
    let is_absent = |fix: &&Fix| track.is_absent_from_latest(fix.index);
    let absent = fixes.iter().rev().take(LOOKED_AT).filter(is_absent).count();
    if absent == 0 || is_open(&by_fixes(rule, track, fixes)) {
        return None;
    }
    let over = by_fixes(rule, track, &sent(track, fixes)?).pop()?;
    over.until.is_none().then(|| Doubt {
        why: format!(
            "it is exceeded by the fixes that the service still sends, and not with those \
             that it does not: {absent} of the last {}",
            fixes.len().min(LOOKED_AT)
        ),
        since: over.fix_time,
    })
}

#[cfg(test)]
mod tests;
