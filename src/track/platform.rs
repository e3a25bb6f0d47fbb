//! What kind of instrument it is, and how fast such a one can be.

use std::{fmt, str::FromStr};

/// The kind of platform that carries the instrument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Platform {
    /// Nothing known.
    #[default]
    Generic,
    /// Surface drifter.
    Drifter,
    /// Profiling float.
    Float,
    /// Underwater glider.
    Glider,
    /// Moored instrument.
    Mooring,
    /// Animal-borne tag.
    Tag,
    /// Ship or boat.
    Vessel,
}

impl Platform {
    /// All platforms, in the order of the contract.
    pub const ALL: [Self; 7] = [
        Self::Generic,
        Self::Drifter,
        Self::Float,
        Self::Glider,
        Self::Mooring,
        Self::Tag,
        Self::Vessel,
    ];

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Drifter => "drifter",
            Self::Float => "float",
            Self::Glider => "glider",
            Self::Mooring => "mooring",
            Self::Tag => "tag",
            Self::Vessel => "vessel",
        }
    }

    /// The greatest speed such a platform can have, m/s; what the speed test
    /// and the jump test hold it to unless another limit is set.
    pub fn max_speed_m_s(self) -> f64 {
        match self {
            Self::Generic | Self::Vessel => 60.0 / 3.6,
            Self::Drifter => 15.0 / 3.6,
            Self::Float | Self::Glider | Self::Mooring => 3.0,
            Self::Tag => 30.0,
        }
    }

    /// A fix must lie so far off the track to be a spike, metres, however quiet
    /// the track is.
    pub fn spike_floor_m(self) -> f64 {
        match self {
            Self::Drifter | Self::Mooring | Self::Glider | Self::Float => 200.0,
            Self::Vessel | Self::Generic => 1000.0,
            Self::Tag => 3000.0,
        }
    }

    /// Whether such a platform always moves, so that one repeated position
    /// means a receiver that is stuck.
    pub fn is_always_moving(self) -> bool {
        matches!(self, Self::Drifter | Self::Float | Self::Glider | Self::Tag)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such platform; known are generic, drifter, float, glider, mooring, tag, vessel")]
pub struct UnknownPlatform;

impl FromStr for Platform {
    type Err = UnknownPlatform;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|platform| platform.name() == text)
            .ok_or(UnknownPlatform)
    }
}
