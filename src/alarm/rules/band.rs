//! Rules about a series of values: the distance from a centre or an edge, and
//! fields.

use crate::alarm::life::{Episode, end, is_open};
use crate::alarm::words::Measured;
use crate::geo::Inside;
use crate::track::{FieldLimit, Fix, Side, Track};

/// The alarm of a field is cleared by values that are inside its limit by this part of
/// it.
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
    /// The indices in a series at which the alarm is raised and cleared, in turn.
    fn changes(&self, values: &[f64]) -> Vec<usize> {
        let mut is_open = false;
        let mut changes = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| values.get(before));
            let twice = |holds: &dyn Fn(f64) -> bool| {
                holds(*value) && before.is_some_and(|value| holds(*value))
            };
            let change = if !is_open {
                *value > self.far_over || twice(&|value| value > self.over)
            } else {
                twice(&|value| value <= self.under)
            };
            if change {
                is_open = !is_open;
                changes.push(index);
            }
        }
        changes
    }

    /// The episodes of values at these times (UNIX seconds); `measured` describes the value
    /// that raises an alarm.
    fn episodes(
        &self,
        times: &[f64],
        values: &[f64],
        measured: impl Fn(f64) -> Measured,
    ) -> Vec<Episode> {
        let mut episodes = Vec::new();
        for index in self.changes(values) {
            let (Some(time), Some(value)) = (times.get(index), values.get(index)) else {
                continue;
            };
            if is_open(&episodes) {
                end(&mut episodes, *time);
            } else {
                episodes.push(Episode::by_fix(*time, &measured(*value), ""));
            }
        }
        episodes
    }
}

/// The instrument left its watch circle or its area. The bands of an area are
/// those of the circle with the same ratio of area to circumference.
pub(super) fn outside(inside: &Inside, fixes: &[Fix]) -> Vec<Episode> {
    let radius = inside.radius_m();
    // A long area is narrower than that circle: half as deep.
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
    let times: Vec<f64> = fixes.iter().map(|fix| fix.time_stamp).collect();
    band.episodes(&times, &over, |over| Measured::of(inside, over))
}

/// The fixes that have a number in the field of a limit, with that number.
pub(super) fn values<'a>(
    limit: &FieldLimit,
    track: &'a Track,
    fixes: &'a [Fix],
) -> impl Iterator<Item = (&'a Fix, f64)> {
    let fields = track.fields();
    let column = fields.columns().find(|column| column.name() == limit.field);
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
    let values = values(limit, track, fixes);
    let (times, values): (Vec<f64>, Vec<f64>) =
        values.map(|(fix, value)| (fix.time_stamp, value)).unzip();
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
    let signed: Vec<f64> = values.into_iter().map(|value| sign * value).collect();
    band.episodes(&times, &signed, |signed| Measured::OfField {
        value: sign * signed,
        limit: limit.clone(),
    })
}
