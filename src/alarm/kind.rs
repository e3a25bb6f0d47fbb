//! The kinds of alarms.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The kind of an alarm: the condition that raises it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Kind {
    /// No fix came for longer than 3 T or the maximum age.
    Overdue,
    /// It left its watch circle.
    Outside,
    /// It moves straight and fast, as aboard a ship.
    PickedUp,
    /// A drifter no longer drifts.
    Stationary,
    /// A field is under its limit.
    Below,
    /// A field is over its limit.
    Above,
    /// The service cannot be reached.
    Unreachable,
}

impl Kind {
    /// The name used in files and on the command line.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// The name in a sentence: `picked up`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::PickedUp => "picked up",
            _ => self.name(),
        }
    }
}
