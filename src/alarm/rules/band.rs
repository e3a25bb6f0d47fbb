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
    /// The episodes of a series of times (UNIX seconds) and values; `measured` describes the
    /// value that raises an alarm. Of several values at one time, whose order means nothing, the
    /// greatest counts.
    fn episodes(&self, series: &[(f64, f64)], measured: impl Fn(f64) -> Measured) -> Vec<Episode> {
        let mut episodes = Vec::new();
        let mut before: Option<f64> = None;
        for same in series.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((time, _)) = same.first() else {
                continue;
            };
            let values = same.iter().map(|(_, value)| *value);
            let value = values.fold(f64::NEG_INFINITY, f64::max);
            let twice = |holds: &dyn Fn(f64) -> bool| holds(value) && before.is_some_and(holds);
            if is_open(&episodes) {
                if twice(&|value| value <= self.under) {
                    end(&mut episodes, *time);
                }
            } else if value > self.far_over || twice(&|value| value > self.over) {
                episodes.push(Episode::by_fix(*time, &measured(value), ""));
            }
            before = Some(value);
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
    let over = |fix: &Fix| (fix.time_stamp, inside.over_m(fix.position));
    let over: Vec<(f64, f64)> = fixes.iter().map(over).collect();
    band.episodes(&over, |over| Measured::new(inside, over))
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
    let signed: Vec<(f64, f64)> = values(limit, track, fixes)
        .map(|(fix, value)| (fix.time_stamp, sign * value))
        .collect();
    band.episodes(&signed, |signed| Measured::OfField {
        value: sign * signed,
        limit: limit.clone(),
    })
}
