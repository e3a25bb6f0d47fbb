//! Units a person reads: speed and distance.

/// The unit in which speeds are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum SpeedUnit {
    /// Knots: nautical miles (1852 m) an hour.
    #[default]
    Knots,
    /// Kilometres an hour.
    KilometresPerHour,
    /// Metres a second.
    MetresPerSecond,
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

/// A set of units that go together; the `u` key cycles through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Units {
    /// Knots and nautical miles.
    #[default]
    Nautical,
    /// Kilometres an hour and kilometres.
    Metric,
    /// Metres a second and metres.
    Si,
}
