//! The kinds of platform, and how fast each can be.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The kind of platform that carries the instrument.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Platform {
    /// No kind is known.
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
    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The greatest speed of such a platform, m/s: the limit of the speed test and the jump
    /// test unless another limit is set.
    pub(crate) fn max_speed_m_s(self) -> f64 {
        match self {
            Self::Generic | Self::Vessel => 60.0 / 3.6,
            Self::Drifter => 15.0 / 3.6,
            Self::Float | Self::Glider | Self::Mooring => 3.0,
            Self::Tag => 30.0,
        }
    }

    /// The smallest distance from the track of a spike, metres, however quiet
    /// the track is.
    pub(crate) fn spike_floor_m(self) -> f64 {
        match self {
            Self::Drifter | Self::Mooring | Self::Glider | Self::Float => 200.0,
            Self::Vessel | Self::Generic => 1000.0,
            Self::Tag => 3000.0,
        }
    }

    /// `true` if such a platform has no drive: if it moves straight and fast, a ship or an
    /// aircraft carries it.
    pub(crate) fn is_passive(self) -> bool {
        matches!(self, Self::Drifter | Self::Float | Self::Mooring)
    }

    /// `true` if such a platform may go where the water or the ice around it goes.
    pub(crate) fn may_drift(self) -> bool {
        matches!(self, Self::Generic | Self::Drifter | Self::Float)
    }

    /// `true` if such a platform always moves, so that one repeated position
    /// means a receiver that is stuck.
    pub(crate) fn is_always_moving(self) -> bool {
        matches!(self, Self::Drifter | Self::Float | Self::Glider | Self::Tag)
    }
}
