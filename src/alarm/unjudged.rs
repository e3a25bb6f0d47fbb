//! Why a limit cannot be judged by the newest fixes: that it was kept by older ones is no
//! sign that it is kept now.

use super::episode::stands;
use super::rules::{Rule, by_fixes, judged_fixes};
use crate::text::excerpt;
use crate::track::field::FieldValue;
use crate::track::interval::median;
use crate::track::{FieldLimit, Fix, Flag, Reason, Track, time};

/// At least one of so many last values of a field is a number where its limit can be judged, no
/// more fixes lack it than so many times the usual, and fewer newer records are lost.
const LAST: usize = 3;
/// The usual number of fixes from one value of a field to the next is that of so many last
/// values; among so many last fixes, those count that the service sends no longer.
const LOOKED_AT: usize = 20;
/// So many fields are named where a record has them and not the one with the limit.
const NAMED: usize = 6;

/// Why a rule with a limit cannot be judged by the newest fixes of a track, in a sentence;
/// `None` where it can, and of a track without an included fix, which says it all.
pub(crate) fn why_unjudged(rule: &Rule, track: &Track) -> Option<String> {
    track.latest()?;
    let fixes = judged_fixes(rule, track);
    let newer = newer_suspects(track, fixes.last());
    let (name, why) = match rule {
        Rule::Outside(inside) => {
            // Those inside are as good as any, unless the receiver repeats one position.
            let is_doubt =
                |fix: &&Fix| fix.reason == Reason::Stuck || inside.over_m(fix.position) > 0.0;
            let first = newer.iter().find(is_doubt);
            (
                format!("the {}", inside.name()),
                first.map(|first| by_suspect(&newer, first)),
            )
        }
        Rule::Field(limit) => (
            format!("the limit {}", limit.text()),
            by_suspect_values(rule, track, &fixes, &newer)
                .or_else(|| by_values(limit, track, &fixes))
                .or_else(|| by_values(limit, track, &sent(track, &fixes)?)),
        ),
        // They have no limit that a user set, and the clock judges all.
        Rule::Overdue(_) | Rule::PickedUp | Rule::Stationary => return None,
    };
    let why = why.or_else(|| by_withdrawn(rule, track, &fixes));
    // One or two are spikes more often than not, and are named where the status is.
    let why = why.or_else(|| track.newer_lost(LAST))?;
    Some(format!("{name} cannot be judged: {why}"))
}

/// The last fix that a rule is judged by.
pub(crate) fn last_judged(rule: &Rule, track: &Track) -> Option<Fix> {
    judged_fixes(rule, track).last().copied()
}

/// The fixes after the last one that counts, which all are suspect. The user knows of what
/// the user doubts.
fn newer_suspects(track: &Track, last: Option<&Fix>) -> Vec<Fix> {
    let from = last.map_or(f64::NEG_INFINITY, |fix| fix.time_stamp);
    let newer = track.come_fixes().filter(|fix| {
        let is_suspect = fix.flag == Flag::Suspect && fix.reason != Reason::Overruled;
        fix.time_stamp > from && is_suspect
    });
    newer.collect()
}

/// That the newest fixes are suspect, from the `first` on that raises a doubt.
fn by_suspect(newer: &[Fix], first: &Fix) -> String {
    let count = match newer.len() {
        1 => "1 newer fix is".to_owned(),
        count => format!("{count} newer fixes are"),
    };
    let since = time::rfc3339(first.time_stamp.floor());
    format!("{count} suspect ({}) since {since}", first.reason.text())
}

/// That the values of the newest fixes, which are suspect, exceed a limit that the others
/// keep: a position that repeats does not make a battery full.
fn by_suspect_values(rule: &Rule, track: &Track, fixes: &[Fix], newer: &[Fix]) -> Option<String> {
    let first = newer.first()?;
    if stands(&by_fixes(rule, track, fixes)) {
        return None;
    }
    let included: Vec<Fix> = track.come_fixes().collect();
    let exceeds = stands(&by_fixes(rule, track, &included));
    exceeds.then(|| format!("{}, and exceed it", by_suspect(newer, first)))
}

/// That the newest records lack the field, or that none of its last values is a number.
fn by_values(limit: &FieldLimit, track: &Track, fixes: &[Fix]) -> Option<String> {
    let fields = track.fields();
    let column = fields.columns().find(|one| one.name() == limit.field);
    let Some(column) = column else {
        let mut names: Vec<&str> = fields.columns().map(|one| one.name()).take(NAMED).collect();
        if fields.columns().count() > NAMED {
            names.push("…");
        }
        return Some(match names.is_empty() {
            true => "no record has this field".to_owned(),
            false => format!("no record has this field; there are {}", names.join(", ")),
        });
    };
    let value = |fix: &Fix| fields.value(column, fix.index);
    let backwards = fixes.iter().enumerate().rev();
    let places = backwards.filter(|(_, fix)| value(fix).is_some());
    let places: Vec<(usize, &Fix)> = places.take(LOOKED_AT + 1).collect();
    let Some((last, latest)) = places.first() else {
        return Some("no good fix has this field".to_owned());
    };
    #[allow(clippy::cast_precision_loss)] // numbers of fixes
    let apart: Vec<f64> = (places.windows(2))
        .filter_map(|pair| match pair {
            [(later, _), (earlier, _)] => Some((later - earlier) as f64),
            _ => None,
        })
        .collect();
    let usual = median(apart).unwrap_or(1.0);
    let missing = fixes.len() - 1 - last;
    #[allow(clippy::cast_precision_loss)] // as above
    if missing as f64 >= LAST as f64 * usual {
        return Some(format!(
            "the newest {missing} fixes lack it, the last value is of {}",
            time::rfc3339(latest.time_stamp.floor())
        ));
    }
    let mut values = places.iter().take(LAST).filter_map(|(_, fix)| value(fix));
    let newest = values.next()?;
    let is_number = |value: FieldValue<'_>| FieldLimit::number(value).is_some();
    let held = match newest {
        _ if is_number(newest) || values.any(is_number) => return None,
        FieldValue::Text(text) => format!("the text {text:?}"),
        FieldValue::Truth(truth) => truth.to_string(),
        FieldValue::Null => "null".to_owned(),
        _ => "no number".to_owned(),
    };
    Some(format!("it holds {}", excerpt(&held, 60)))
}

/// The fixes that the service still sends; `None` where it sends none of them any more.
fn sent(track: &Track, fixes: &[Fix]) -> Option<Vec<Fix>> {
    let sent = fixes
        .iter()
        .filter(|fix| !track.is_absent_from_latest(fix.index));
    let sent: Vec<Fix> = sent.copied().collect();
    (!sent.is_empty()).then_some(sent)
}

/// That fixes which the service sends no longer hide what those that it sends would raise.
fn by_withdrawn(rule: &Rule, track: &Track, fixes: &[Fix]) -> Option<String> {
    let is_absent = |fix: &&Fix| track.is_absent_from_latest(fix.index);
    let absent = fixes.iter().rev().take(LOOKED_AT).filter(is_absent).count();
    if absent == 0 || stands(&by_fixes(rule, track, fixes)) {
        return None;
    }
    let is_over = stands(&by_fixes(rule, track, &sent(track, fixes)?));
    is_over.then(|| {
        format!(
            "it is exceeded by the fixes that the service still sends, and not with those \
             that it does not: {absent} of the last {}",
            fixes.len().min(LOOKED_AT)
        )
    })
}

#[cfg(test)]
mod tests;
