//! Why a limit cannot be judged by the newest fixes: older fixes inside the limit do not
//! show that the instrument is inside it now. A response without a usable record shows neither
//! that it reports nor that it is silent.

use super::life::is_open;
use super::rules::{Rule, by_fixes, judged_fixes};
use crate::text::excerpt;
use crate::track::field::FieldValue;
use crate::track::interval::median;
use crate::track::{FieldLimit, Fix, Flag, Reason, Track, time};

/// A limit can be judged if a number is among this many last values of its field, if at most
/// this many times the usual number of fixes lack the field, and if fewer newer records are
/// lost.
const LAST: usize = 3;
/// The usual number of fixes between two values of a field is that of this many last values.
/// Of this many last fixes, those are counted that the service no longer sends.
const LOOKED_AT: usize = 20;
/// Most names of other fields in the message that a field is missing.
const NAMED: usize = 6;

/// Why a rule with a limit cannot be judged by the newest fixes of a track, in a sentence;
/// `None` if it can, and for a track without an included fix.
pub(crate) fn why_unjudged(rule: &Rule, track: &Track) -> Option<String> {
    track.latest()?;
    let fixes = judged_fixes(rule, track);
    let newer = newer_suspects(track, fixes.last());
    let (name, why) = match rule {
        Rule::Outside(inside) => {
            // A suspect fix inside is no doubt, unless the receiver repeats one position.
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
        Rule::Overdue(_) => return track.none_usable(),
        // These have no limit of the user.
        Rule::PickedUp | Rule::Stationary => return None,
    };
    let why = why.or_else(|| by_withdrawn(rule, track, &fixes));
    // One or two are mostly spikes; the status names them.
    let why = why.or_else(|| track.newer_lost(LAST))?;
    Some(format!("{name} cannot be judged: {why}"))
}

/// The last fix that a rule is judged by.
pub(crate) fn last_judged(rule: &Rule, track: &Track) -> Option<Fix> {
    judged_fixes(rule, track).last().copied()
}

/// The suspect fixes after the last judged fix, without those that the user flagged.
fn newer_suspects(track: &Track, last: Option<&Fix>) -> Vec<Fix> {
    let from = last.map_or(f64::NEG_INFINITY, |fix| fix.time_stamp);
    let newer = track.past_fixes().filter(|fix| {
        let is_suspect = fix.flag == Flag::Suspect && fix.reason != Reason::Overridden;
        fix.time_stamp > from && is_suspect
    });
    newer.collect()
}

/// The reason that the newest fixes are suspect, from the `first` doubtful fix on.
fn by_suspect(newer: &[Fix], first: &Fix) -> String {
    let count = match newer.len() {
        1 => "1 newer fix is".to_owned(),
        count => format!("{count} newer fixes are"),
    };
    let since = time::rfc3339(first.time_stamp.floor());
    format!("{count} suspect ({}) since {since}", first.reason.text())
}

/// The reason that the values of the newest, suspect fixes exceed a limit, and those of the
/// others do not: a repeated position does not make a battery full.
fn by_suspect_values(rule: &Rule, track: &Track, fixes: &[Fix], newer: &[Fix]) -> Option<String> {
    let first = newer.first()?;
    if is_open(&by_fixes(rule, track, fixes)) {
        return None;
    }
    let included: Vec<Fix> = track.past_fixes().collect();
    let exceeds = is_open(&by_fixes(rule, track, &included));
    exceeds.then(|| format!("{}, and exceed it", by_suspect(newer, first)))
}

/// The reason that the newest records lack the field, or that its last values are no
/// numbers.
fn by_values(limit: &FieldLimit, track: &Track, fixes: &[Fix]) -> Option<String> {
    let fields = track.fields();
    let column = fields.columns().find(|column| column.name() == limit.field);
    let Some(column) = column else {
        let mut names: Vec<&str> = fields
            .columns()
            .map(|column| column.name())
            .take(NAMED)
            .collect();
        if fields.columns().count() > NAMED {
            names.push("…");
        }
        return Some(if names.is_empty() {
            "no record has this field".to_owned()
        } else {
            format!("no record has this field; there are {}", names.join(", "))
        });
    };
    let value = |fix: &Fix| fields.value(column, fix.index);
    let backwards = fixes.iter().enumerate().rev();
    let having = backwards.filter(|(_, fix)| value(fix).is_some());
    let having: Vec<(usize, &Fix)> = having.take(LOOKED_AT + 1).collect();
    let Some((last, latest)) = having.first() else {
        return Some("no good fix has this field".to_owned());
    };
    #[allow(clippy::cast_precision_loss)] // numbers of fixes
    let apart: Vec<f64> = (having.windows(2))
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
    let mut values = having.iter().take(LAST).filter_map(|(_, fix)| value(fix));
    let newest = values.next()?;
    let is_number = |value: FieldValue<'_>| FieldLimit::number(value).is_some();
    let found = match newest {
        _ if is_number(newest) || values.any(is_number) => return None,
        FieldValue::Text(text) => format!("the text {text:?}"),
        FieldValue::Truth(truth) => truth.to_string(),
        FieldValue::Null => "null".to_owned(),
        _ => "no number".to_owned(),
    };
    Some(format!("it holds {}", excerpt(&found, 60)))
}

/// The note on values that are no numbers among the last ones, by which a limit is not judged.
pub(crate) fn not_numbers(limit: &FieldLimit, track: &Track) -> Option<String> {
    let fixes = judged_fixes(&Rule::Field(limit.clone()), track);
    let fields = track.fields();
    let column = fields
        .columns()
        .find(|column| column.name() == limit.field)?;
    let values = fixes
        .iter()
        .rev()
        .filter_map(|fix| fields.value(column, fix.index));
    let values = values
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
    let sent = fixes
        .iter()
        .filter(|fix| !track.is_absent_from_latest(fix.index));
    let sent: Vec<Fix> = sent.copied().collect();
    (!sent.is_empty()).then_some(sent)
}

/// The reason that the fixes which the service still sends exceed the limit, but not
/// together with those that it no longer sends.
fn by_withdrawn(rule: &Rule, track: &Track, fixes: &[Fix]) -> Option<String> {
    let is_absent = |fix: &&Fix| track.is_absent_from_latest(fix.index);
    let absent = fixes.iter().rev().take(LOOKED_AT).filter(is_absent).count();
    if absent == 0 || is_open(&by_fixes(rule, track, fixes)) {
        return None;
    }
    let is_over = is_open(&by_fixes(rule, track, &sent(track, fixes)?));
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
