//! The quantity that the timeline draws: the speed over ground, or a field.

use std::sync::Arc;

use crate::dashboard::format;
use crate::dashboard::shared::Shared;
use crate::dashboard::track::label::field_title;
use crate::dashboard::widgets::text::Text;
use crate::geo::units::Units;
use crate::map::{PreparedTrack, ShownField, Stretch, leg_speed};

/// The narrowest timeline whose title has the quantity in full.
pub(super) const IN_FULL: u16 = 100;

/// A quantity over the time of a track.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Curve {
    /// The speed over ground of a track, in the unit of the settings.
    Speed {
        track: Arc<PreparedTrack>,
        /// The whole track: the leg to the first fix of a time range begins before it.
        whole: Arc<PreparedTrack>,
        units: Units,
    },
    /// A field, not a profile.
    Field(ShownField),
}

impl Curve {
    /// The title: the quantity with its unit.
    pub(super) fn title(field: Option<&ShownField>, shared: &Shared, width: u16) -> String {
        let Some(shown) = field else {
            let unit = shared.settings.units.speed_unit().symbol();
            let quantity = match width {
                IN_FULL.. => "Speed over ground",
                _ => "SOG",
            };
            return format!("{quantity} {unit}");
        };
        field_title(shown)
    }

    /// A function with the value at each fix that is shown.
    pub(super) fn reader(&self) -> Box<dyn Fn(usize) -> Option<f64> + '_> {
        match self {
            Self::Speed { track, units, .. } => {
                let unit = units.speed_unit();
                Box::new(move |fix| leg_speed(track, fix).map(|speed| unit.convert(speed)))
            }
            Self::Field(shown) => Box::new(shown.reader()),
        }
    }

    /// The value at a fix: of a speed the one that the table has, which is more precise.
    pub(super) fn value(&self, fix: usize) -> Option<f64> {
        match self {
            Self::Speed {
                track,
                whole,
                units,
            } => {
                let before = || whole.leg(fix + whole.count_before(track.time_stamp(0)?));
                let speed = track.leg(fix).or_else(before)?.speed_m_s?;
                Some(units.speed_unit().convert(speed))
            }
            Self::Field(shown) => shown.value(fix),
        }
    }

    /// The values between two times, the second excluded (UNIX seconds).
    pub(super) fn between(&self, (from, to): (f64, f64)) -> Stretch {
        match self {
            Self::Speed { track, units, .. } => {
                let fixes = track.count_before(from)..track.count_before(to);
                let unit = units.speed_unit();
                let speeds = track.block(fixes.start, fixes.end.max(fixes.start)).speeds;
                speeds.scaled(unit.convert(1.0))
            }
            Self::Field(shown) => shown.between(from, to),
        }
    }

    /// The value at the end that nothing is beyond: a speed is never negative.
    pub(super) fn least(&self) -> Option<f64> {
        matches!(self, Self::Speed { .. }).then_some(0.0)
    }

    /// The numbers of the title: lowest, highest and mean.
    pub(super) fn range(&self, values: Stretch) -> Option<Text> {
        let ((low, low_fix), (high, high_fix)) = values.ends?;
        // The blocks have speeds on the sphere.
        let exact = |rough: f64, fix: usize| match self {
            Self::Speed { .. } => self.value(fix).unwrap_or(rough),
            Self::Field(_) => rough,
        };
        let [low, high] = [exact(low, low_fix), exact(high, high_fix)];
        let number = |value: f64| self.number(value, high);
        let mean = values.mean().map(|mean| mean.clamp(low.min(high), high));
        let ends = format!("{} to {}", number(low), number(high));
        // The mean of whole numbers is seldom a whole number.
        let mean = mean.map(|mean| match self {
            Self::Field(shown) if shown.field().decimals == 0 => format::number(mean, 1),
            _ => number(mean),
        });
        let with_mean = mean.map(|mean| format!("{ends}, mean {mean}"));
        Some(Text::from(with_mean.unwrap_or_else(|| ends.clone())).or(ends))
    }

    /// A value as it is written next to the highest one.
    pub(super) fn number(&self, value: f64, highest: f64) -> String {
        let decimals = match self {
            Self::Speed { .. } => match highest {
                ..10.0 => 2,
                10.0..100.0 => 1,
                _ => 0,
            },
            Self::Field(shown) => shown.field().decimals,
        };
        format::number(value, decimals)
    }
}
