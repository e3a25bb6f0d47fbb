//! Rules about a series of values: the distance from a centre or an edge, and
//! fields.

use crate::alarm::episode::{Episode, end, stands};
use crate::alarm::words::Measured;
use crate::geo::Inside;
use crate::track::{FieldLimit, Fix, Side, Track};

/// The part of a limit of a field that the values go back beyond it to clear its
/// alarm.
const FIELD_BAND: f64 = 0.02;

/// A limit of a series of values, with a band that keeps an alarm from being
/// raised and cleared at every other value.
struct Band {
    /// Two values in a row over this raise the alarm.
    over: f64,
    /// A single value over this raises the alarm.
    far_over: f64,
    /// Two values in a row up to this clear it.
    under: f64,
}

impl Band {
    /// The places in a series at which the alarm is raised and cleared, in turn.
    fn changes(&self, values: &[f64]) -> Vec<usize> {
        let mut is_open = false;
        let mut changes = Vec::new();
        for (place, value) in values.iter().enumerate() {
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

/// The instrument left its watch circle or its area. The bands of an area are
/// those of the circle with the same ratio of area to circumference.
pub(super) fn outside(inside: &Inside, fixes: &[Fix]) -> Vec<Episode> {
    let radius = inside.radius_m();
    // An area is narrower than that circle where it is long: half as deep.
    let deepest = match inside {
        Inside::Circle(_) => radius / 2.0,
        Inside::Area(_) => radius / 4.0,
    };
    let band = Band {
        over: 0.0,
        far_over: (3.0 * radius).max(300.0) - radius,
        under: -(radius / 10.0).max(20.0).min(deepest),
    };
    let over: Vec<f64> = fixes
        .iter()
        .map(|fix| inside.over_m(fix.position))
        .collect();
    let mut episodes = Vec::new();
    for place in band.changes(&over) {
        let (Some(fix), Some(&over)) = (fixes.get(place), over.get(place)) else {
            continue;
        };
        if stands(&episodes) {
            end(&mut episodes, fix.time_stamp);
            continue;
        }
        let measured = Measured::of(inside, over);
        episodes.push(Episode::by_fix(fix.time_stamp, &measured, ""));
    }
    episodes
}

/// The fixes with a number in the field of a limit, each with it.
pub(super) fn values<'a>(
    limit: &FieldLimit,
    track: &'a Track,
    fixes: &'a [Fix],
) -> impl Iterator<Item = (&'a Fix, f64)> {
    let fields = track.fields();
    let column = fields.columns().find(|one| one.name() == limit.field);
    column.into_iter().flat_map(move |column| {
        fixes.iter().filter_map(move |fix| {
            let value = fields.value(column, fix.index)?;
            Some((fix, FieldLimit::number(value)?))
        })
    })
}

/// Two values in a row of a field are beyond its limit; two on the other side of
/// the limit by 2 % of it clear the alarm. A fix without a number has no value.
pub(super) fn field(limit: &FieldLimit, track: &Track, fixes: &[Fix]) -> Vec<Episode> {
    let (fixes, values): (Vec<&Fix>, Vec<f64>) = values(limit, track, fixes).unzip();
    // As values that are too large on either side.
    let sign = match limit.side {
        Side::Below => -1.0,
        Side::Above => 1.0,
    };
    let band = Band {
        over: sign * limit.value,
        far_over: f64::INFINITY,
        under: sign * limit.value - FIELD_BAND * limit.value.abs(),
    };
    let signed: Vec<f64> = values.iter().map(|value| sign * value).collect();
    let mut episodes = Vec::new();
    for place in band.changes(&signed) {
        let (Some(fix), Some(&value)) = (fixes.get(place), values.get(place)) else {
            continue;
        };
        if stands(&episodes) {
            end(&mut episodes, fix.time_stamp);
            continue;
        }
        let limit = limit.clone();
        let measured = Measured::OfField { value, limit };
        episodes.push(Episode::by_fix(fix.time_stamp, &measured, ""));
    }
    episodes
}
