//! Units shown to the user: speed, distance, course.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::text::choice;

/// Metres in an international nautical mile (exact, BIPM SI brochure, table 8).
pub(crate) const NAUTICAL_MILE_M: f64 = 1852.0;

/// The unit in which speeds are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum SpeedUnit {
    /// Knots: nautical miles an hour.
    #[default]
    Knots,
    /// Kilometres an hour.
    KilometresPerHour,
    /// Metres a second.
    MetresPerSecond,
}

impl SpeedUnit {
    /// The symbol after the number.
    pub fn symbol(self) -> &'static str {
        self.parts().0
    }

    /// A speed in m/s in this unit.
    pub fn convert(self, metres_a_second: f64) -> f64 {
        let (_, seconds, metres) = self.parts();
        metres_a_second * seconds / metres
    }

    /// Its symbol, and the seconds and metres that it is a quotient of.
    fn parts(self) -> (&'static str, f64, f64) {
        match self {
            Self::Knots => ("kn", 3600.0, NAUTICAL_MILE_M),
            Self::KilometresPerHour => ("km/h", 3.6, 1.0),
            Self::MetresPerSecond => ("m/s", 1.0, 1.0),
        }
    }
}

/// The unit in which distances are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum DistanceUnit {
    /// International nautical miles of 1852 m.
    #[default]
    NauticalMiles,
    /// Kilometres.
    Kilometres,
    /// Metres.
    Metres,
}

impl DistanceUnit {
    /// The symbol after the number.
    pub fn symbol(self) -> &'static str {
        self.parts().0
    }

    /// A distance in metres in this unit.
    pub fn convert(self, metres: f64) -> f64 {
        metres / self.parts().1
    }

    /// Its symbol, and its metres.
    fn parts(self) -> (&'static str, f64) {
        match self {
            Self::NauticalMiles => ("nm", NAUTICAL_MILE_M),
            Self::Kilometres => ("km", 1000.0),
            Self::Metres => ("m", 1.0),
        }
    }
}

/// A set of matching units; the `u` key cycles through them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Units {
    /// Knots and nautical miles.
    #[default]
    Nautical,
    /// Kilometres an hour and kilometres.
    Metric,
    /// Metres a second and metres.
    Si,
}

impl Units {
    /// The next set, cyclic.
    pub fn next(self) -> Self {
        choice::next(self)
    }

    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its unit of speed.
    pub fn speed_unit(self) -> SpeedUnit {
        match self {
            Self::Nautical => SpeedUnit::Knots,
            Self::Metric => SpeedUnit::KilometresPerHour,
            Self::Si => SpeedUnit::MetresPerSecond,
        }
    }

    /// Its unit of distance.
    pub fn distance_unit(self) -> DistanceUnit {
        match self {
            Self::Nautical => DistanceUnit::NauticalMiles,
            Self::Metric => DistanceUnit::Kilometres,
            Self::Si => DistanceUnit::Metres,
        }
    }

    /// The unit of long distances: its metres and its symbol.
    pub fn long_distances(self) -> (f64, &'static str) {
        match self {
            Self::Nautical => (NAUTICAL_MILE_M, "nm"),
            Self::Metric | Self::Si => (1000.0, "km"),
        }
    }

    /// A speed in m/s with two decimals and its unit.
    pub fn speed(self, metres_a_second: f64) -> String {
        let unit = self.speed_unit();
        format!("{:.2} {}", unit.convert(metres_a_second), unit.symbol())
    }

    /// Its unit for a distance in metres: below 0.2 nm or 1 km that is the metre.
    pub(crate) fn unit_for(self, metres: f64) -> DistanceUnit {
        match self.distance_unit() {
            DistanceUnit::NauticalMiles if metres.abs() < 0.2 * NAUTICAL_MILE_M => {
                DistanceUnit::Metres
            }
            DistanceUnit::Kilometres if metres.abs() < 1000.0 => DistanceUnit::Metres,
            unit => unit,
        }
    }

    /// A distance in metres with its unit, with fixed decimals, so that the
    /// numbers of a column align: about as exact as a receiver.
    pub fn distance(self, metres: f64) -> String {
        self.distance_to(metres, 0)
    }

    /// As [`Self::distance`], with more decimals.
    pub(crate) fn distance_to(self, metres: f64, more: usize) -> String {
        let unit = self.unit_for(metres);
        let decimals = match unit {
            DistanceUnit::NauticalMiles | DistanceUnit::Kilometres => 2 + more,
            DistanceUnit::Metres => more,
        };
        format!("{:.decimals$} {}", unit.convert(metres), unit.symbol())
    }

    /// An estimated distance in metres, to three digits.
    pub(crate) fn estimate(self, metres: f64) -> String {
        let unit = self.unit_for(metres);
        let decimals = match (unit, unit.convert(metres)) {
            (DistanceUnit::Metres, _) | (_, 99.95..) => 0,
            (_, 9.995..) => 1,
            _ => 2,
        };
        format!("{:.decimals$} {}", unit.convert(metres), unit.symbol())
    }

    /// A radius in metres as it was probably typed: in the shown unit, else in that of
    /// another set, if that needs at most two decimals. [`radius`](super::circle::radius)
    /// reads it.
    pub(crate) fn typed_radius(self, metres: f64) -> String {
        let own = self.unit_for(metres);
        let metric = match metres {
            ..1000.0 => DistanceUnit::Metres,
            _ => DistanceUnit::Kilometres,
        };
        let round = |unit: &DistanceUnit| {
            let hundredths = unit.convert(metres) * 100.0;
            // To a millimetre, as a radius is stored.
            let apart_m = (hundredths - hundredths.round()).abs() * metres / hundredths;
            (apart_m < 0.001).then(|| short(metres, *unit, 2))
        };
        let units = [own, metric, DistanceUnit::NauticalMiles];
        let typed = units.iter().find_map(round);
        typed.unwrap_or_else(|| self.own_radius(metres))
    }

    /// A radius in metres in the shown unit, whatever was typed.
    pub(crate) fn own_radius(self, metres: f64) -> String {
        short(metres, self.unit_for(metres), 3)
    }

    /// The same for a sentence, with the shown unit in brackets if it is in another one:
    /// `2 km (1.08 nm)`.
    pub(crate) fn radius(self, metres: f64) -> String {
        let typed = self.typed_radius(metres);
        let own = self.unit_for(metres);
        match typed.rsplit_once(' ') {
            Some((_, unit)) if unit != own.symbol() => {
                format!("{typed} ({})", short(metres, own, 2))
            }
            _ => typed,
        }
    }
}

/// A length in a unit with at most so many decimals and no 0 at its end.
fn short(metres: f64, unit: DistanceUnit, decimals: usize) -> String {
    let fixed = format!("{:.decimals$}", unit.convert(metres));
    let number = fixed.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {}", unit.symbol())
}

/// A course in degrees true as three digits and a T: `007°T`; 359.7 is `000°T`.
pub(crate) fn course(degrees: f64) -> String {
    let whole = degrees.round().rem_euclid(360.0);
    format!("{whole:03.0}°T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_has_three_digits_and_never_says_360() {
        assert_eq!(course(7.2), "007°T");
        assert_eq!(course(359.7), "000°T");
        assert_eq!(course(180.0), "180°T");
    }

    #[test]
    fn a_speed_reads_the_same_in_every_unit() {
        assert_eq!(Units::Nautical.speed(1852.0 / 3600.0), "1.00 kn");
        assert_eq!(Units::Metric.speed(10.0), "36.00 km/h");
        assert_eq!(Units::Si.speed(0.25), "0.25 m/s");
    }

    #[test]
    fn distances_keep_their_decimals() {
        assert_eq!(Units::Nautical.distance(926.0), "0.50 nm");
        assert_eq!(Units::Metric.distance(1234.5), "1.23 km");
        assert_eq!(Units::Si.distance(1234.4), "1234 m");
    }

    #[test]
    fn a_radius_is_in_the_unit_it_was_typed_in() {
        let nautical = Units::Nautical;
        for (metres, shown) in [
            (2000.0, "2 km (1.08 nm)"),
            (500.0, "500 m (0.27 nm)"),
            (300.0, "300 m"),
            (60.0, "60 m"),
            (1852.0, "1 nm"),
            (926.0, "0.5 nm"),
            (92.6, "92.6 m"),
            (18_520.0, "10 nm"),
            (1_234.567, "0.667 nm"),
        ] {
            assert_eq!(nautical.radius(metres), shown, "{metres}");
            let typed = super::super::circle::radius(&nautical.typed_radius(metres)).unwrap();
            assert!((typed - metres).abs() < 1.0, "{metres}: {typed}");
        }
        assert_eq!(Units::Metric.radius(2000.0), "2 km");
        assert_eq!(Units::Metric.radius(1852.0), "1 nm (1.85 km)");
        assert_eq!(Units::Si.radius(2000.0), "2000 m");
    }

    #[test]
    fn an_estimate_has_three_digits_and_a_short_one_is_in_metres() {
        assert_eq!(Units::Nautical.estimate(18_520.0), "10.0 nm");
        assert_eq!(Units::Nautical.estimate(151.0), "151 m");
        let length = |km: f64| Units::Metric.estimate(1000.0 * km);
        let lengths = [9.99, 9.996, 99.9, 99.96, 545.1].map(length);
        assert_eq!(lengths.join(" "), "9.99 km 10.0 km 99.9 km 100 km 545 km");
    }

    #[test]
    fn a_short_distance_is_in_metres_or_has_more_decimals() {
        assert_eq!(Units::Nautical.distance(18.0), "18 m");
        assert_eq!(Units::Nautical.distance(-300.0), "-300 m");
        assert_eq!(Units::Nautical.distance(371.0), "0.20 nm");
        assert_eq!(Units::Nautical.distance(18_520.0), "10.00 nm");
        assert_eq!(Units::Nautical.distance(0.0), "0 m");
        assert_eq!(Units::Metric.distance(999.4), "999 m");
        assert_eq!(Units::Metric.distance(1000.0), "1.00 km");
    }
}
