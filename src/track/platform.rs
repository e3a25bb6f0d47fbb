//! What kind of instrument it is, and how fast such a one can be.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The kind of platform that carries the instrument.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Hash,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "lowercase")]
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
    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
