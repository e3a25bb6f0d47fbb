//! The settings in force, to read.

use crate::app::state::table::TableState;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its name in the settings file.
    pub name: String,
    /// Its value at the start.
    pub value: String,
    /// Where the value is from: the default, the file, the environment, an option.
    pub source: String,
}

/// The list of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SettingsList {
    /// The chosen row and the visible ones.
    pub table: TableState,
}
