//! How the dashboard tells its terminal of an alarm.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The setting `notify`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Notify {
    /// By what the terminal is.
    #[default]
    Auto,
    /// By OSC 777, with a title.
    Osc777,
    /// By OSC 9, one text.
    Osc9,
    /// By OSC 99, with a title.
    Osc99,
    /// By the bell.
    Bell,
    /// Not at all.
    Off,
}
