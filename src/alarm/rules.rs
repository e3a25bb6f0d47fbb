//! The rules: what of a track raises an alarm, and what clears it.

mod band;
mod motion;
mod still;

use crate::geo::{Inside, Units};
use crate::track::{
    DeclaredState, Deployment, FieldLimit, Fix, Flag, Platform, Reason, Side, Track, time,
};

use super::apart::spans;
use super::found::{Found, Progress, Seen};
use super::kind::Kind;

/// This many seconds before the first fix that is new, earlier ones are looked at:
/// more than any rule about positions looks back on.
const LOOK_BACK_S: f64 = 4.0 * 86_400.0;

/// How far a rule looks back from the first fix that is new, seconds. A field may be sent
/// once a week or less often: the value before may be anywhere in the track.
fn look_back_s(rule: &Rule) -> f64 {
    match rule {
        Rule::Field(_) => f64::INFINITY,
        _ => LOOK_BACK_S,
    }
}

/// A rule of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    /// No fix for this long, seconds; `None`: for 3 T.
    Overdue(Option<f64>),
    /// It stays within this circle or area.
    Outside(Inside),
    /// It does not move straight and fast.
    PickedUp,
    /// It moves.
    Stationary,
    /// A field stays on one side of its limit.
    Field(FieldLimit),
}

/// The rules that a deployment on the watch list is held to at `now` (UNIX seconds);
/// none where it is recovered or lost, and after the end of its time window.
pub(crate) fn rules(entry: &Deployment, now: f64) -> Vec<Rule> {
    if !entry.state.is_active() || entry.window.has_ended(now) {
        return Vec::new();
    }
    let mut rules = vec![Rule::Overdue(entry.limits.max_age_s)];
    rules.extend(entry.limits.inside.clone().map(Rule::Outside));
    rules.extend(entry.limits.fields.iter().cloned().map(Rule::Field));
    if matches!(
        entry.platform,
        Platform::Drifter | Platform::Float | Platform::Mooring
    ) {
        rules.push(Rule::PickedUp);
    }
    if entry.platform == Platform::Drifter {
        rules.push(Rule::Stationary);
    }
    rules
}

/// Why a deployment is not held to a rule for alarms of a kind any more at `now` (UNIX
/// seconds), in words: "its time window ended 2026-11-20T00:00:00Z".
pub(crate) fn why_no_rule(entry: &Deployment, kind: Kind, now: f64) -> String {
    match (entry.state, entry.window.until) {
        (DeclaredState::Recovered, _) => "it was declared recovered".to_owned(),
        (DeclaredState::Lost, _) => "it was declared lost".to_owned(),
        (DeclaredState::Active, Some(until)) if until < now => {
            format!("its time window ended {}", time::rfc3339(until.floor()))
        }
        (DeclaredState::Active, _) => match kind {
            Kind::PickedUp | Kind::Stationary => {
                format!("it is not judged for the platform {}", entry.platform)
            }
            _ => "its limit was taken away".to_owned(),
        },
    }
}

impl Rule {
    /// The kind of its alarms.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Overdue(_) => Kind::Overdue,
            Self::Outside(_) => Kind::Outside,
            Self::PickedUp => Kind::PickedUp,
            Self::Stationary => Kind::Stationary,
            Self::Field(limit) => match limit.side {
                Side::Below => Kind::Below,
                Side::Above => Kind::Above,
            },
        }
    }

    /// The field that it is about; empty where it is about none.
    pub(crate) fn field(&self) -> &str {
        match self {
            Self::Field(limit) => &limit.field,
            _ => "",
        }
    }

    /// The rule as text, which differs between rules that differ.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Overdue(None) => "3 T".to_owned(),
            Self::Overdue(Some(age)) => age.to_string(),
            Self::Outside(Inside::Circle(circle)) => circle.to_string(),
            // The whole of it may be long.
            Self::Outside(Inside::Area(area)) => format!("area {:016x}", area.hash()),
            Self::Field(limit) => limit.with_unit(limit.value),
            Self::PickedUp | Self::Stationary => String::new(),
        }
    }
}

/// Holds a track to a rule at `now` (UNIX seconds), from where it was judged
/// last. Returns what happened since in the order of time, and how far it is
/// judged now. Where the rule has changed, the whole track is held to it, and only
/// what still stands counts.
pub(crate) fn judge(rule: &Rule, seen: &Seen, track: &Track, now: f64) -> (Vec<Found>, Progress) {
    let changed = (seen.progress.as_ref()).is_some_and(|known| known.rule != rule.text());
    let until = match &seen.progress {
        // One of an earlier version may be ahead of the clock.
        Some(known) if !changed => known.until.min(now),
        _ => f64::NEG_INFINITY,
    };
    let fixes = good_fixes(rule, track, until - look_back_s(rule));
    let new = fixes.partition_point(|fix| fix.time_stamp <= until);
    let last = fixes.last().map_or(until, |fix| fix.time_stamp.max(until));
    let progress = Progress {
        rule: rule.text(),
        // A good fix may be ahead of the clock: those that arrive before that time are new.
        until: last.min(now),
    };
    let before = if changed { None } else { seen.open };
    let found = match rule {
        Rule::Overdue(limit) => overdue(*limit, seen, changed, track, now),
        Rule::Outside(inside) => band::outside(inside, &fixes, new, before.is_some()),
        Rule::Field(limit) => band::field(limit, track, &fixes, until, before.is_some()),
        Rule::PickedUp => motion::picked_up(&fixes, new, before.is_some()),
        Rule::Stationary => motion::stationary(&fixes, new, before.is_some()),
    };
    if !changed || matches!(rule, Rule::Overdue(_)) {
        return (found, progress);
    }
    let standing = match found.last() {
        Some(raised @ Found::Raised { .. }) => Some(raised.clone()),
        _ => None,
    };
    let found = match (seen.open, standing) {
        // It stands by both rules: it is the same alarm, with the present values.
        (
            Some(_),
            Some(Found::Raised {
                value, limit, text, ..
            }),
        ) => {
            vec![Found::Still { value, limit, text }]
        }
        (Some(_), Some(_)) | (None, None) => Vec::new(),
        (Some(_), None) => vec![Found::Cleared { at: now }],
        (None, Some(raised)) => vec![raised],
    };
    (found, progress)
}

/// The last good value of a field with a limit in a track, after its time (UNIX seconds);
/// `None` where there is none.
pub(super) fn last_value(limit: &FieldLimit, track: &Track) -> Option<(f64, f64)> {
    let fixes = good_fixes(&Rule::Field(limit.clone()), track, f64::NEG_INFINITY);
    let (fix, value) = band::values(limit, track, &fixes).last()?;
    Some((fix.time_stamp, value))
}

/// Whether a rule about a field cannot be judged by this part of a track: there are new
/// values, and the value before them is earlier than the part.
pub(crate) fn needs_earlier(rule: &Rule, seen: &Seen, track: &Track) -> bool {
    let (Rule::Field(limit), Some(known)) = (rule, &seen.progress) else {
        return false;
    };
    let fixes = good_fixes(rule, track, f64::NEG_INFINITY);
    let first = band::values(limit, track, &fixes).next();
    let is_new = first.is_some_and(|(fix, _)| fix.time_stamp > known.until);
    known.rule == rule.text() && is_new
}

/// The fixes from `from` (UNIX seconds) on that a rule is judged by: included, and
/// not suspect but for what the rule may be about: being fast, and where the rule is
/// that it moves, repeating one position.
fn good_fixes(rule: &Rule, track: &Track, from: f64) -> Vec<Fix> {
    let is_of_rule = |reason| match reason {
        Reason::Jump | Reason::UnderWay => true,
        Reason::Stuck => matches!(rule, Rule::Stationary),
        _ => false,
    };
    track
        .included_fixes()
        .rev()
        .take_while(|fix| fix.time_stamp >= from)
        .filter(|fix| fix.flag != Flag::Suspect || is_of_rule(fix.reason))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect()
}

/// No fix for `limit` seconds, else for 3 T. A new fix clears it; so does another
/// limit, and a clock by which it is still to come.
fn overdue(limit: Option<f64>, seen: &Seen, changed: bool, track: &Track, now: f64) -> Vec<Found> {
    let Some(last) = track.latest() else {
        return Vec::new();
    };
    let interval = track.health(now).interval_s;
    let Some(limit) = limit.or_else(|| interval.map(|t| 3.0 * t)) else {
        return Vec::new();
    };
    let age = now - last.time_stamp;
    match seen.open {
        Some(raised_at) => {
            let is_new = seen.open_fix.is_none_or(|fix| last.time_stamp > fix);
            // Raised while the clock was ahead. One behind the last fix tells nothing.
            let is_to_come = now < raised_at && last.time_stamp <= now;
            if age > limit || !(is_new || changed || is_to_come) {
                return Vec::new();
            }
            let at = match last.time_stamp > raised_at {
                true => last.time_stamp,
                false => now,
            };
            vec![Found::Cleared { at }]
        }
        None if age > limit => {
            let (span, longest) = spans(age, limit);
            let newer = track.newer_failed();
            let newer = newer.map_or_else(String::new, |newer| {
                format!("; {}", newer.text(Units::Metric))
            });
            vec![Found::Raised {
                at: last.time_stamp + limit,
                fix_time: last.time_stamp,
                value: age,
                limit,
                text: format!("no fix for {span}, limit {longest}{newer}"),
            }]
        }
        None => Vec::new(),
    }
}
