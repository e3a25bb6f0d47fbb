//! The rules: what of a track raises an alarm, and what clears it.

mod motion;

use crate::geo::circle::WatchCircle;
use crate::track::{Deployment, Fix, Flag, Platform, Reason, Track, time};

use super::found::{Found, Progress, Seen, metres};
use super::kind::Kind;

/// So many seconds before the first fix that is new, earlier ones are looked at:
/// more than any rule looks back on.
const LOOK_BACK_S: f64 = 4.0 * 86_400.0;

/// A rule of a deployment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// No fix for this long, seconds; `None`: for 3 T.
    Overdue(Option<f64>),
    /// It stays within this circle.
    Outside(WatchCircle),
    /// It does not move straight and fast.
    PickedUp,
    /// It moves.
    Stationary,
}

/// The rules that a deployment on the watch list is held to; none where it is
/// recovered or lost.
pub(crate) fn rules(entry: &Deployment) -> Vec<Rule> {
    if !entry.state.is_active() {
        return Vec::new();
    }
    let mut rules = vec![Rule::Overdue(entry.limits.max_age_s)];
    rules.extend(entry.limits.circle.map(Rule::Outside));
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

impl Rule {
    /// The kind of its alarms.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Overdue(_) => Kind::Overdue,
            Self::Outside(_) => Kind::Outside,
            Self::PickedUp => Kind::PickedUp,
            Self::Stationary => Kind::Stationary,
        }
    }

    /// The rule as text, which differs between rules that differ.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Overdue(None) => "3 T".to_owned(),
            Self::Overdue(Some(age)) => age.to_string(),
            Self::Outside(circle) => circle.to_string(),
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
        Some(known) if !changed => known.until,
        _ => f64::NEG_INFINITY,
    };
    let fixes = good_fixes(track, until - LOOK_BACK_S);
    let new = fixes.partition_point(|fix| fix.time_stamp <= until);
    let last = fixes.last().map_or(until, |fix| fix.time_stamp.max(until));
    let progress = Progress {
        rule: rule.text(),
        until: last,
    };
    let before = if changed { None } else { seen.open };
    let found = match rule {
        Rule::Overdue(limit) => overdue(*limit, seen, changed, track, now),
        Rule::Outside(circle) => outside(circle, &fixes, new, before.is_some()),
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
        // It stands by both rules: it is the same alarm.
        (Some(_), Some(_)) | (None, None) => Vec::new(),
        (Some(_), None) => vec![Found::Cleared { at: now }],
        (None, Some(raised)) => vec![raised],
    };
    (found, progress)
}

/// The fixes from `from` (UNIX seconds) on that alarms are judged by: included,
/// and not suspect but for being fast, which is what a rule may be about.
fn good_fixes(track: &Track, from: f64) -> Vec<Fix> {
    track
        .included_fixes()
        .rev()
        .take_while(|fix| fix.time_stamp >= from)
        .filter(|fix| {
            fix.flag != Flag::Suspect || matches!(fix.reason, Reason::Jump | Reason::UnderWay)
        })
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect()
}

/// No fix for `limit` seconds, else for 3 T. A new fix clears it; so does another
/// limit.
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
            if age > limit || !(is_new || changed) {
                return Vec::new();
            }
            let at = match last.time_stamp > raised_at {
                true => last.time_stamp,
                false => now,
            };
            vec![Found::Cleared { at }]
        }
        None if age > limit => vec![Found::Raised {
            at: last.time_stamp + limit,
            fix_time: last.time_stamp,
            value: age,
            limit,
            text: format!(
                "no fix for {}, limit {}",
                time::duration(age),
                time::duration(limit)
            ),
        }],
        None => Vec::new(),
    }
}

/// A limit of a series of values, with a band that keeps an alarm from being
/// raised and cleared at every other value.
struct Band {
    /// Two values in a row over this raise the alarm.
    over: f64,
    /// One value over this raises it.
    far_over: f64,
    /// Two values in a row up to this clear it.
    under: f64,
}

impl Band {
    /// The places in a series at which the alarm is raised or cleared, from the
    /// value at `new` on.
    fn changes(&self, values: &[f64], new: usize, open: bool) -> Vec<usize> {
        let mut is_open = open;
        let mut changes = Vec::new();
        for (place, value) in values.iter().enumerate().skip(new) {
            let before = place.checked_sub(1).and_then(|before| values.get(before));
            let twice = |holds: &dyn Fn(f64) -> bool| {
                holds(*value) && before.is_some_and(|one| holds(*one))
            };
            let change = match is_open {
                false => *value > self.far_over || twice(&|one| one > self.over),
                true => twice(&|one| one <= self.under),
            };
            if change {
                is_open = !is_open;
                changes.push(place);
            }
        }
        changes
    }
}

fn outside(circle: &WatchCircle, fixes: &[Fix], new: usize, open: bool) -> Vec<Found> {
    let radius = circle.radius_m;
    let band = Band {
        over: radius,
        far_over: (3.0 * radius).max(300.0),
        under: radius - (radius / 10.0).max(20.0).min(radius / 2.0),
    };
    let distances: Vec<f64> = fixes
        .iter()
        .map(|fix| circle.distance_m(fix.position))
        .collect();
    let changes = band.changes(&distances, new, open);
    let mut is_open = open;
    let found = changes.into_iter().filter_map(|place| {
        let (fix, away) = (fixes.get(place)?, *distances.get(place)?);
        is_open = !is_open;
        Some(match is_open {
            true => Found::Raised {
                at: fix.time_stamp,
                fix_time: fix.time_stamp,
                value: away,
                limit: radius,
                text: format!(
                    "outside its watch circle: {} from the centre, limit {}",
                    metres(away),
                    metres(radius)
                ),
            },
            false => Found::Cleared { at: fix.time_stamp },
        })
    });
    found.collect()
}
