//! A neighbour that has reported since: what it did, carried to the silent instrument.

use std::ops::Range;

use super::circle::{Circle, Ratios, WINDOW_S};
use super::motion::{Candidate, Displacement, Drift};
use super::path::Path;
use super::record::{Outcome, Record, Start, is_pack_ice, scale_m};
use super::{Moment, SHORTEST_LEG_S};
use crate::geo::{Position, geodesic};
use crate::track::quality::{Reason, UNDER_WAY_M_S};
use crate::track::{Platform, Track};

/// Without a record of its own a neighbour's circle is this part of the fallback's, for the
/// time in which the neighbour is known.
const UNPROVEN: f64 = 0.5;

/// A neighbour that has not moved for this long, seconds, while the own instrument had moved, is aground,
/// moored or stuck: half a tide.
const AT_REST_S: f64 = 6.0 * 3600.0;
/// Two forecasts that differ by more than this many times their common circle are of two motions.
const PARTED: f64 = 2.0;

/// How far away a neighbour may be, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reach {
    /// Within this distance its record competes.
    competes_m: f64,
    /// Within this distance it is followed without a record.
    unproven_m: f64,
}

impl Reach {
    fn new(platform: Platform, position: Position) -> Self {
        let (competes_m, unproven_m) = if is_pack_ice(platform, position) {
            (200e3, 50e3)
        } else {
            (100e3, 20e3)
        };
        Self {
            competes_m,
            unproven_m,
        }
    }
}

/// An instrument that moves as its neighbour did, and as the neighbour is forecast to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Followed {
    /// The instrument's last fix.
    start: Position,
    /// The neighbour's position at that time.
    origin: Position,
    /// The neighbour from its last fix on.
    drift: Drift,
}

impl Followed {
    pub(super) fn position_at(&self, time_s: f64) -> Position {
        let moved = Displacement::between(self.origin, self.drift.position_at(time_s));
        carried(moved, self.origin, self.start).from(self.start)
    }
}

/// A displacement about `from` in the plane about `to`, by parallel transport along the
/// geodesic between them: the angle to it stays.
fn carried(displacement: Displacement, from: Position, to: Position) -> Displacement {
    let line = geodesic::inverse(from, to);
    displacement.turned(line.final_course_deg - line.initial_course_deg)
}

/// A neighbour that may be followed, with its record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub followed: Followed,
    /// From the instrument at the instrument's last fix.
    pub distance_m: f64,
    /// The distance within which it is followed without a record.
    reach_m: f64,
    /// The neighbour's last fix, UNIX seconds.
    pub fix_time: f64,
    /// The radii in metres.
    pub radii: Ratios,
    /// The number of common outcomes.
    pub samples: usize,
    /// Mean error over the common outcomes; `None` of too few.
    pub mean_error_m: Option<f64>,
}

impl Judged {
    /// Neighbours with a record come first, the nearest to the truth before others; then
    /// those with the smallest circle, which counts double at the greatest distance.
    pub(super) fn rank(&self) -> (bool, f64) {
        let away = 1.0 + self.distance_m / self.reach_m;
        match self.mean_error_m {
            Some(error_m) => (false, error_m),
            None => (true, self.radii.ninety * away),
        }
    }
}

/// `true` for a track of what may drift, and no ship has carried and no receiver repeated, from
/// its last fix at or before `since_s` (UNIX seconds) on. What jumped since has no path from there.
pub(super) fn is_drifting(track: &Track, since_s: f64, moment: Moment) -> bool {
    let first = track.latest_at(since_s).map_or(0, |fix| fix.index);
    let mut since = track
        .fixes_up_to(moment.known_until)
        .filter(|fix| fix.index >= first);
    track.platform().may_drift()
        && since.all(|fix| !matches!(fix.reason, Reason::UnderWay | Reason::Stuck))
}

/// `true` if both of the last two legs before a time (UNIX seconds), an hour each at least, are
/// as fast as a ship and turn by less than 60°. The quality tests say so of drifters, floats and
/// moorings alone.
fn is_under_way(path: &Path, time_s: f64) -> Option<bool> {
    let state = path.state(path.last_until(time_s)?)?;
    let before = path.state(path.last_until(state.time_s - SHORTEST_LEG_S)?)?;
    let [one, other] = [before.last, state.last];
    let slower_m_s = one.length_m().min(other.length_m());
    let cosine = one.dot(other) / (one.length_m() * other.length_m());
    Some(slower_m_s > UNDER_WAY_M_S && cosine > 0.5)
}

/// Judges a neighbour: by how well the instrument moved as it did over the same lead.
/// `None` if it has not reported since, is too far away, is as fast as a ship, has parted from
/// the own motion (of which `forecast` is the forecast), or was farther from the truth than that.
pub(super) fn judge(own: &Record<'_>, forecast: &Start, other: &Path) -> Option<Judged> {
    let last = own.path.get(own.path.len().checked_sub(1)?)?;
    let state = own.path.state(own.path.len() - 1)?;
    let reach = Reach::new(own.path.platform, last.position);
    let newest = other.len().checked_sub(1)?;
    let newest_s = other.get(newest)?.time_s;
    // For how long the neighbour is known after the last fix.
    let known_s = newest_s - last.time_s;
    if known_s <= 0.0 {
        return None;
    }
    let near = other.position_at(last.time_s, other.longest_gap_s(newest))?;
    let distance_m = geodesic::length_m(last.position, near);
    let is_at_rest = other.at_rest_s() >= AT_REST_S && own.path.at_rest_s() < AT_REST_S;
    if distance_m > reach.competes_m || is_at_rest {
        return None;
    }
    // By the half hour: of reports every second each would have an hour of legs.
    let earlier = |time_s: &f64| Some(time_s - SHORTEST_LEG_S / 2.0);
    let times = std::iter::successors(Some(newest_s), earlier);
    let mut since = times.take_while(|time_s| *time_s > last.time_s);
    if since.any(|time_s| is_under_way(other, time_s) == Some(true)) {
        return None;
    }
    // From its last fix on, the neighbour's own forecast goes on.
    let rest_s = (own.lead_s - known_s).max(1.0);
    let rest = Record::new(other, rest_s).run()?;
    let drift = rest.drift;
    let scale_m = scale_m(&state, own.lead_s);
    let unproven = unproven(scale_m, known_s / own.lead_s, rest.radii(), other.error_m);
    let follow = Follow {
        other,
        known_s,
        lead_s: own.lead_s,
        candidate: drift.candidate,
        unproven,
    };
    let mut proof = Proof::new(own, &follow, last.time_s);
    let common = proof.circle.advance(last.time_s);
    let samples = common.len();
    let given = proof.circle.ratios(scale_m);
    let mean_error_m = match given {
        Some(_) => Some(proof.mean_error_m(common)?),
        None if distance_m > reach.unproven_m => return None,
        // It says less than the own motion.
        None if unproven.ninety > Ratios::FALLBACK.ninety => return None,
        None => None,
    };
    let radii = given.unwrap_or(unproven).scaled(scale_m);
    let followed = Followed {
        start: last.position,
        origin: near,
        drift,
    };
    let at = last.time_s + own.lead_s;
    let apart_m = geodesic::length_m(followed.position_at(at), forecast.drift.position_at(at));
    let common_m = forecast.radii().with(radii).about(own.path.error_m).ninety;
    if apart_m > PARTED * common_m || proof.is_parted() {
        return None;
    }
    Some(Judged {
        followed,
        distance_m,
        reach_m: reach.unproven_m,
        fix_time: newest_s,
        radii,
        samples,
        mean_error_m,
    })
}

/// The radii without a record, in parts of the scale: a part of the fallback's, and no less
/// than that of the share of the lead in which the neighbour is known, with its own circle from
/// its last fix on (`rest`, metres); with the error of the neighbour's position, metres. All
/// these errors are independent.
fn unproven(scale_m: f64, known: f64, rest: Ratios, error_m: f64) -> Ratios {
    let least = Ratios::FALLBACK.scaled(UNPROVEN * scale_m);
    let radii = if known >= 1.0 {
        least
    } else {
        least.max(least.scaled(known).with(rest))
    };
    radii.about(error_m).scaled(1.0 / scale_m)
}

/// The outcomes of following a neighbour from the starts of the own record.
struct Proof {
    circle: Circle,
    /// A count for each outcome of the circle.
    errors: Vec<Errors>,
}

/// The errors of one start.
struct Errors {
    followed_m: f64,
    own_m: f64,
    /// The radius of the circle that was given.
    given_m: f64,
}

impl Proof {
    /// The starts whose outcome is known at `until`, UNIX seconds, as far back as
    /// the circle's level is still moved by them.
    fn new(own: &Record<'_>, follow: &Follow<'_>, until: f64) -> Self {
        let mut proof = Self {
            circle: Circle::new(own.lead_s),
            errors: Vec::new(),
        };
        let newest_s = until - own.lead_s;
        let counts = newest_s - 2.0 * WINDOW_S..=newest_s;
        for outcome in own.outcomes() {
            let start_s = outcome.state.time_s;
            if counts.contains(&start_s)
                && let Some(moved) = follow.displacement(outcome)
            {
                let error_m = moved.minus(outcome.truth).length_m();
                proof.circle.advance(start_s);
                let ratios = proof
                    .circle
                    .ratios(outcome.scale_m)
                    .unwrap_or(follow.unproven);
                (proof.circle).add(start_s, outcome.scale_m, error_m, ratios);
                let given = ratios.scaled(outcome.scale_m).about(own.path.error_m);
                proof.errors.push(Errors {
                    followed_m: error_m,
                    own_m: outcome.error_m,
                    given_m: given.ninety,
                });
            }
        }
        proof
    }

    /// `true` if the newest outcome was far outside its circle: the two have parted.
    fn is_parted(&self) -> bool {
        self.errors
            .last()
            .is_some_and(|last| last.followed_m > PARTED * last.given_m)
    }

    /// The mean error over the outcomes that count; `None` if the own forecast was nearer.
    fn mean_error_m(&self, common: Range<usize>) -> Option<f64> {
        let common = self.errors.get(common)?;
        let mean_m =
            |error: fn(&Errors) -> f64| common.iter().map(error).sum::<f64>() / common.len() as f64;
        let followed_m = mean_m(|errors| errors.followed_m);
        (followed_m < mean_m(|errors| errors.own_m)).then_some(followed_m)
    }
}

/// How a neighbour is followed from any start: known for some time, then forecast.
struct Follow<'a> {
    other: &'a Path,
    known_s: f64,
    lead_s: f64,
    candidate: Candidate,
    /// The radii before its record gives any, in parts of the scale.
    unproven: Ratios,
}

impl Follow<'_> {
    /// The displacement from a start of the own record, if the neighbour had been followed;
    /// `None` if the neighbour did not report then.
    fn displacement(&self, start: &Outcome) -> Option<Displacement> {
        let start_s = start.state.time_s;
        let newest = self
            .other
            .last_until(start_s + self.known_s.min(self.lead_s))?;
        let longest_gap_s = self.other.longest_gap_s(newest);
        let state = self.other.state(newest)?;
        let is_stale = start_s + self.known_s - state.time_s > longest_gap_s;
        if state.time_s <= start_s || is_stale {
            return None;
        }
        let origin = self.other.position_at(start_s, longest_gap_s)?;
        let drift = Drift {
            state,
            candidate: self.candidate,
        };
        let end = drift.position_at(start_s + self.lead_s);
        let moved = Displacement::between(origin, end);
        Some(carried(moved, origin, start.state.position))
    }
}
