//! The lowest and the highest value of fixes, and the ends of a scale for them.

/// Part of the values that may be beyond either end of a scale.
const BEYOND: f64 = 0.025;
/// This many of a few values may be wrong, up to a sixteenth of all.
const BEYOND_OF_FEW: usize = 2;
/// An end that is farther out by at most this part of the scale is on it too.
const NEARLY: f64 = 0.25;
/// The same for an axis, whose end has an arrow to each value beyond it.
pub(crate) const AXIS_NEARLY: f64 = 1.0;
/// Values of a field in a sample.
const SAMPLE: usize = 4096;

/// The lowest and the highest value of some fixes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// The lowest value; infinite without a value.
    pub low: f64,
    /// The highest value; minus infinity without a value.
    pub high: f64,
}

impl Extent {
    /// Of no value.
    pub(crate) const NONE: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    /// `true` if there is no value.
    pub(crate) fn is_none(self) -> bool {
        self.low > self.high
    }

    /// Of these values.
    pub(crate) fn of_values(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Self::NONE, |all, value| Self {
            low: all.low.min(value),
            high: all.high.max(value),
        })
    }
}

/// A colour scale for values: 95 % of them are between its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// The lowest and the highest value.
    pub extent: Extent,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Scale {
    /// The scale of a sample of values with this extent; `None` without a value.
    pub(super) fn new(values: Vec<f64>, extent: Extent) -> Option<Self> {
        let (low, high) = usual_ends(values.clone(), values, extent, NEARLY)?;
        Some(Self { extent, low, high })
    }

    /// The fraction of the scale, 0 to 1, of a value.
    pub(in crate::map) fn share(self, value: f64) -> f64 {
        fraction(self.low, value, self.high)
    }
}

/// How far a value is from the low to the high one, 0 to 1; 0 where they are the same, as the means
/// of a profile may be.
fn fraction(low: f64, value: f64, high: f64) -> f64 {
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
    if high > low { share } else { 0.0 }
}

/// The least width of [`Dense`], as a part of the scale.
const NARROWEST: f64 = 1.0 / 64.0;

/// The range in which a quarter of the values lie most densely: on a scale that is spread there,
/// they take many colours, and far away from there a colour is many values.
///
/// Of a thermistor string that reaches the sea most values are about the freezing point, and the
/// ice above them differs from it by a degree or two on a scale of thirty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dense {
    middle: f64,
    /// The distance from the middle within which the scale is about linear.
    width: f64,
}

impl Dense {
    /// Of a sample of values; `None` if they lie no more densely anywhere, where the scale is
    /// linear.
    pub(super) fn new(mut values: Vec<f64>, scale: Scale) -> Option<Self> {
        values.retain(|value| (scale.low..=scale.high).contains(value));
        values.sort_unstable_by(f64::total_cmp);
        let quarter = values.len() / 4;
        let quarters = values.iter().zip(values.iter().skip(quarter));
        let (low, high) = quarters
            .map(|(low, high)| (*low, *high))
            .min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)))?;
        let range = scale.high - scale.low;
        // Of values that are evenly spread a quarter takes a quarter of the range.
        let spread = 4.0 * (high - low) / range;
        (spread < 1.0).then(|| Self {
            middle: f64::midpoint(low, high),
            width: (high - low).max(range * NARROWEST) / (1.0 - spread),
        })
    }

    fn place(self, value: f64) -> f64 {
        ((value - self.middle) / self.width).asinh()
    }

    /// The fraction of the spread scale, 0 to 1, of a value.
    pub(in crate::map) fn share(self, scale: Scale, value: f64) -> f64 {
        let [low, at, high] = [scale.low, value, scale.high].map(|value| self.place(value));
        fraction(low, at, high)
    }

    /// The value in the middle of the spread scale.
    pub(crate) fn halfway(self, scale: Scale) -> f64 {
        let halfway = f64::midpoint(self.place(scale.low), self.place(scale.high));
        self.middle + self.width * halfway.sinh()
    }
}

/// At most 8191 of the values of this many fixes, evenly spread.
pub(super) fn sampled(fixes: usize, value: impl Fn(usize) -> Option<f64>) -> Vec<f64> {
    let stride = (fixes / SAMPLE).max(1);
    (0..fixes).step_by(stride).filter_map(value).collect()
}

/// The ends of a scale for values of which each is from one of the `lows` to one
/// of the `highs`: 95 % of them, or all but a few, are within. An end of
/// `whole`, the extent of all values, that is farther out by at most the part `nearly` of the
/// scale is the end of it. `None` without a value.
pub(crate) fn usual_ends(
    mut lows: Vec<f64>,
    mut highs: Vec<f64>,
    whole: Extent,
    nearly: f64,
) -> Option<(f64, f64)> {
    let beyond = |count: usize| {
        // At most a few thousand.
        let share = (count as f64 * BEYOND) as usize;
        share.max(BEYOND_OF_FEW.min(count / 16))
    };
    lows.sort_unstable_by(f64::total_cmp);
    highs.sort_unstable_by(f64::total_cmp);
    let low = *lows.get(beyond(lows.len()))?;
    let high = *highs.iter().rev().nth(beyond(highs.len()))?;
    if low >= high {
        return (!whole.is_none()).then_some((whole.low, whole.high));
    }
    let near = (high - low) * nearly;
    Some((
        if whole.low >= low - near {
            whole.low
        } else {
            low
        },
        if whole.high <= high + near {
            whole.high
        } else {
            high
        },
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scale(low: f64, high: f64) -> Scale {
        Scale {
            extent: Extent { low, high },
            low,
            high,
        }
    }

    #[test]
    fn the_freezing_sea_and_the_ice_above_it_take_most_colours() {
        // Air, the gradient in the ice, and half the sensors in the water.
        let air = (0..30).map(|number| -32.0 + f64::from(number % 10));
        let ice = (0..30).map(|number| -22.0 + 20.0 * f64::from(number) / 30.0);
        let sea = (0..60).map(|number| -1.75 + 0.06 * f64::from(number % 3 - 1));
        let scale = scale(-32.0, -1.6);
        let dense = Dense::new(air.chain(ice).chain(sea).collect(), scale).unwrap();
        let share = |value| dense.share(scale, value);
        assert!(share(-1.75) - share(-3.0) > 0.25, "{dense:?}");
        assert!(share(-1.69) - share(-1.81) < 0.1, "{dense:?}");
        assert!((share(dense.halfway(scale)) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn values_that_are_evenly_spread_have_a_linear_scale() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        let dense = Dense::new(values, scale(0.0, 100.0));
        let bend = dense.map_or(0.0, |dense| {
            (dense.share(scale(0.0, 100.0), 50.0) - 0.5).abs()
        });
        assert!(bend < 0.02, "{dense:?}");
        assert_eq!(Dense::new(Vec::new(), scale(0.0, 1.0)), None);
    }

    proptest! {
        #[test]
        fn a_spread_scale_rises_from_one_end_to_the_other(
            values in proptest::collection::vec(-100.0f64..100.0, 1..60),
        ) {
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| {
                (low.min(*value), high.max(*value))
            });
            let scale = scale(low, high);
            let Some(dense) = Dense::new(values.clone(), scale) else {
                return Ok(());
            };
            let steps = (0..=50).map(|step| low + (high - low) * f64::from(step) / 50.0);
            let shares: Vec<f64> = steps.map(|value| dense.share(scale, value)).collect();
            prop_assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        }
    }
}
