//! The rules: the conditions of a track that raise an alarm, and those that clear it.

mod band;
mod motion;
mod still;

use crate::geo::Inside;
use crate::track::{DeclaredState, FieldLimit, Fix, Flag, Platform, Reason, Side, Track, time};
use crate::watch::Deployment;

use super::life::{Alarm, Episode, Kind, counted};

/// A rule of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    /// No fix for this long, seconds; `None`: for 3 T.
    Overdue(Option<f64>),
    /// It has to stay within this circle or area.
    Outside(Inside),
    /// It may not move straight and fast.
    PickedUp,
    /// It has to move.
    Stationary,
    /// A field has to stay on one side of its limit.
    Field(FieldLimit),
}

/// The rules for a deployment on the watch list at `now` (UNIX seconds). There are none if it is
/// recovered or lost, and before and after its time window; of a file none for its silence.
pub(crate) fn rules(entry: &Deployment, now: f64) -> Vec<Rule> {
    let is_early = entry.window.from.is_some_and(|from| from > now);
    let mut rules = match entry.state {
        DeclaredState::Active => vec![Rule::Overdue(entry.limits.max_age_s)],
        DeclaredState::Read => Vec::new(),
        DeclaredState::Recovered | DeclaredState::Lost => return Vec::new(),
    };
    if is_early || entry.window.has_ended(now) {
        return Vec::new();
    }
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

/// Why a deployment has no rule for alarms of a kind at `now` (UNIX seconds) any more, in
/// words: "its time window ended 2026-11-20T00:00:00Z".
pub(crate) fn why_no_rule(entry: &Deployment, kind: Kind, now: f64) -> String {
    match (entry.state, entry.window.until) {
        (DeclaredState::Recovered, _) => "it was declared recovered".to_owned(),
        (DeclaredState::Lost, _) => "it was declared lost".to_owned(),
        (DeclaredState::Active, Some(until)) if until < now => {
            format!("its time window ended {}", time::rfc3339(until.floor()))
        }
        (_, _) if entry.window.from.is_some_and(|from| from > now) => {
            let from = entry.window.from.unwrap_or_default();
            format!("its time window begins {}", time::rfc3339(from.floor()))
        }
        (DeclaredState::Active | DeclaredState::Read, _) => match kind {
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

    /// The field that it is about; empty if it is about none.
    pub(crate) fn field(&self) -> &str {
        match self {
            Self::Field(limit) => &limit.field,
            _ => "",
        }
    }

    /// The rule as text; different rules have different texts.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Overdue(None) => "3 T".to_owned(),
            Self::Overdue(Some(age)) => age.to_string(),
            Self::Outside(Inside::Circle(circle)) => circle.to_string(),
            // The text of an area may be long.
            Self::Outside(Inside::Area(area)) => format!("area {:016x}", area.hash()),
            Self::Field(limit) => limit.with_unit(limit.value),
            Self::PickedUp | Self::Stationary => String::new(),
        }
    }
}

/// The episodes in which a whole track raises the alarm of a rule that was set at `since`
/// (UNIX seconds), without those that had ended by then. The rule about the clock has
/// none.
pub(crate) fn episodes(rule: &Rule, track: &Track, since: f64) -> Vec<Episode> {
    let mut fixes = judged_fixes(rule, track);
    // A circle that is set about an instrument begins again with the fix that is in it.
    let before = fixes.partition_point(|fix| fix.time_stamp <= since);
    if let (Rule::Outside(inside), Some(last)) = (rule, before.checked_sub(1))
        && fixes
            .get(last)
            .is_some_and(|fix| inside.over_m(fix.position) <= 0.0)
    {
        fixes.drain(..last);
    }
    let mut found = by_fixes(rule, track, &fixes);
    name_suspects(rule, &fixes, &mut found);
    counted(found, since)
}

/// The same for some of the fixes, whenever the rule was set.
pub(super) fn by_fixes(rule: &Rule, track: &Track, fixes: &[Fix]) -> Vec<Episode> {
    match rule {
        Rule::Overdue(_) => Vec::new(),
        Rule::Outside(inside) => band::outside(inside, fixes),
        Rule::Field(limit) => band::field(limit, track, fixes),
        Rule::PickedUp => motion::picked_up(fixes),
        Rule::Stationary => motion::stationary(fixes),
    }
}

/// The fixes by which a rule is judged, none of them ahead of the clock. A flag is about the
/// position: the limit of a field is judged by all included fixes. The other rules are judged by
/// [good](is_good) ones, and by suspect ones where no good one came among them, and those that
/// failed before them, for [so long](doubted_after_s): what makes every fix suspect or fail must
/// not hide where it is.
pub(super) fn judged_fixes(rule: &Rule, track: &Track) -> Vec<Fix> {
    let included = as_sent_now(track);
    if matches!(rule, Rule::Field(_)) {
        return included;
    }
    let doubted_after_s = doubted_after_s(track);
    let runs = included.chunk_by(|a, b| is_good(rule, a) == is_good(rule, b));
    // The first record after the last good fix.
    let mut doubted = None;
    let judged = runs.filter(|run| {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return false;
        };
        if is_good(rule, first) {
            doubted = track.time_stamp(last.index + 1);
            return true;
        }
        last.time_stamp - doubted.unwrap_or(first.time_stamp) >= doubted_after_s
    });
    let says_if_stuck = says_if_stuck(rule, track);
    let says = |fix: &&Fix| fix.reason != Reason::Stuck || says_if_stuck(fix);
    judged.flatten().filter(says).copied().collect()
}

/// The included fixes that are not ahead of the clock, without those that the service sends no
/// longer if it sends another of the same time.
fn as_sent_now(track: &Track) -> Vec<Fix> {
    let past: Vec<Fix> = track.past_fixes().collect();
    let is_sent = |fix: &Fix| !track.is_absent_from_latest(fix.index);
    let of_one_time = past.chunk_by(|a, b| a.time_stamp == b.time_stamp);
    let sent_now = of_one_time.flat_map(|same| {
        let is_any = same.len() > 1 && same.iter().any(is_sent);
        same.iter().filter(move |fix| !is_any || is_sent(fix))
    });
    sent_now.copied().collect()
}

/// Where coordinates come in steps of a kilometre and more, what drifts slowly repeats one
/// position, metres.
const COARSE_M: f64 = 1000.0;

/// Whether a fix that repeats one position says something for a rule: not that no ship carries
/// the instrument; and that it is within its circle only where the coordinates are so coarse that
/// it may drift and repeat them.
pub(super) fn says_if_stuck(rule: &Rule, track: &Track) -> impl Fn(&Fix) -> bool {
    let step_m = match rule {
        Rule::Outside(_) => track.step_m(),
        _ => 0.0,
    };
    move |fix| match rule {
        Rule::Outside(inside) => {
            let over_m = inside.over_m(fix.position);
            over_m > 0.0 || step_m >= COARSE_M && over_m + step_m <= 0.0
        }
        Rule::PickedUp => false,
        _ => true,
    }
}

/// `true` for a fix that is not suspect, or under way. The rule `Stationary` takes those that
/// repeat one position, too.
pub(super) fn is_good(rule: &Rule, fix: &Fix) -> bool {
    match fix.reason {
        _ if fix.flag != Flag::Suspect => true,
        Reason::UnderWay => true,
        Reason::Stuck => *rule == Rule::Stationary,
        _ => false,
    }
}

/// The time after which suspect fixes without a good one among them are judged, seconds:
/// max(3 T, 1 h), or a day without T. Doubt itself does not make T longer: an alarm by
/// suspect fixes would end because fewer and fewer fixes pass.
fn doubted_after_s(track: &Track) -> f64 {
    let of_records = track.record_interval_s().unwrap_or(f64::INFINITY);
    track
        .interval_s()
        .map_or(86_400.0, |t| (3.0 * t.min(of_records)).max(3600.0))
}

/// Says in the texts of alarms which of them suspect fixes have raised.
fn name_suspects(rule: &Rule, fixes: &[Fix], episodes: &mut [Episode]) {
    if matches!(rule, Rule::Field(_)) {
        return;
    }
    for episode in episodes {
        let from = fixes.partition_point(|fix| fix.time_stamp < episode.fix_time);
        let mut same = fixes
            .iter()
            .skip(from)
            .take_while(|fix| fix.time_stamp <= episode.fix_time);
        if let Some(fix) = same.find(|fix| !is_good(rule, fix)) {
            let why = fix.reason.text();
            episode
                .text
                .push_str(&format!("; by suspect fixes ({why})"));
        }
    }
}

/// The last value of a field with a limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldNow {
    limit: FieldLimit,
    /// The value, in the unit of the limit.
    value: f64,
    /// The time of its fix, UNIX seconds.
    at: f64,
}

impl FieldNow {
    /// The last values in a track of the fields with these limits, if an included fix has
    /// one.
    pub(crate) fn of_track(limits: &[FieldLimit], track: &Track) -> Vec<Self> {
        let all = limits.iter().filter_map(|limit| {
            let fixes = judged_fixes(&Rule::Field(limit.clone()), track);
            let (fix, value) = band::values(limit, track, &fixes).last()?;
            Some(Self {
                limit: limit.clone(),
                value,
                at: fix.time_stamp,
            })
        });
        all.collect()
    }

    /// The value in a sentence on an alarm: "now 11.4 V at 2026-11-22T10:00:00Z". `None`
    /// if the alarm is about another field or side, and if there is no value after that
    /// which raised it.
    pub(crate) fn text(&self, alarm: &Alarm) -> Option<String> {
        let is_of_alarm =
            alarm.field == self.limit.field && alarm.kind == Rule::Field(self.limit.clone()).kind();
        let is_later = alarm.fix_time.is_none_or(|fix| fix < self.at);
        (is_of_alarm && is_later).then(|| {
            format!(
                "now {} at {}",
                self.limit.measured(self.value),
                time::rfc3339(self.at.floor())
            )
        })
    }
}
