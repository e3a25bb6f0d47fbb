//! The settings: those in force to read, and of some the value to choose.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::app::state::table::TableState;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its name in the settings file.
    pub name: String,
    /// Its value at the start, or as it was last written into the file.
    pub value: String,
    /// Where that value is from: the default, the file, the environment, an option.
    pub source: String,
    /// The values to choose from; empty where it can be set in the file alone.
    pub options: Vec<String>,
    /// The value that was chosen in this session, where the model does not know it.
    pub(in crate::app) chosen: Option<String>,
}

impl Setting {
    /// A setting in force.
    pub(crate) fn new(name: String, value: String, source: String, options: Vec<String>) -> Self {
        Self {
            name,
            value,
            source,
            options,
            chosen: None,
        }
    }
}

/// A setting whose value is part of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)] // each variant is the setting it names
pub(in crate::app) enum ModelSetting {
    Units,
    Coordinates,
    TimeZone,
    DeploymentsSort,
    TrackSort,
    TrackProjection,
    WorldProjection,
    Markers,
}

/// The list of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SettingsList {
    /// The chosen row and the visible ones.
    pub table: TableState,
}
