//! The rules: what of a track raises an alarm, and what clears it.

mod band;
mod motion;
mod still;

use crate::geo::Inside;
use crate::track::{
    DeclaredState, Deployment, FieldLimit, Fix, Flag, Platform, Reason, Side, Track, time,
};

use super::episode::{Episode, counted};
use super::kind::Kind;

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
/// none where it is recovered or lost, and before and after its time window.
pub(crate) fn rules(entry: &Deployment, now: f64) -> Vec<Rule> {
    let is_to_come = entry.window.from.is_some_and(|from| from > now);
    if !entry.state.is_active() || is_to_come || entry.window.has_ended(now) {
        return Vec::new();
    }
    let mut rules = vec![Rule::Overdue(entry.limits.max_age_s)];
    rules.extend(entry.limits.inside.clone().map(Rule::Outside));
    rules.extend(entry.limits.fields.iter().cloned().map(Rule::Field));
    if entry.platform.is_passive() {
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
        (DeclaredState::Active, _) if entry.window.from.is_some_and(|from| from > now) => {
            let from = entry.window.from.unwrap_or_default();
            format!("its time window begins {}", time::rfc3339(from.floor()))
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

/// From when to when alarms of a rule about fixes stood by a whole track, where the rule
/// was set at `since` (UNIX seconds): none that had ended by then. Of the rule that is
/// about the clock there are none.
pub(crate) fn episodes(rule: &Rule, track: &Track, since: f64) -> Vec<Episode> {
    counted(by_fixes(rule, track, &judged_fixes(rule, track)), since)
}

/// The same by some of the fixes, whenever the rule was set.
pub(super) fn by_fixes(rule: &Rule, track: &Track, fixes: &[Fix]) -> Vec<Episode> {
    match rule {
        Rule::Overdue(_) => Vec::new(),
        Rule::Outside(inside) => band::outside(inside, fixes),
        Rule::Field(limit) => band::field(limit, track, fixes),
        Rule::PickedUp => motion::picked_up(fixes),
        Rule::Stationary => motion::stationary(fixes),
    }
}

/// The last value of a field with a limit in a track, after its time (UNIX seconds);
/// `None` where there is none.
pub(super) fn last_value(limit: &FieldLimit, track: &Track) -> Option<(f64, f64)> {
    let fixes = judged_fixes(&Rule::Field(limit.clone()), track);
    let (fix, value) = band::values(limit, track, &fixes).last()?;
    Some((fix.time_stamp, value))
}

/// The fixes that a rule is judged by: the good ones and those under way that are not ahead
/// of the clock. A suspect one does not count, whatever the rule is about: the record that
/// put an instrument where it is not may be another's, or of another time. What suspect
/// fixes alone would raise is said as a limit that cannot be judged. Repeating one position
/// is what the rule that it moves may be about.
pub(super) fn judged_fixes(rule: &Rule, track: &Track) -> Vec<Fix> {
    let is_of_rule = |reason| match reason {
        Reason::UnderWay => true,
        Reason::Stuck => *rule == Rule::Stationary,
        _ => false,
    };
    let included = track.come_fixes();
    let judged = included.filter(|fix| fix.flag != Flag::Suspect || is_of_rule(fix.reason));
    judged.collect()
}
