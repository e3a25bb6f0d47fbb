//! Which positions to believe.

use std::collections::HashMap;

/// The QARTOD flag of a fix (U.S. IOOS, Manual for Real-Time Oceanographic
/// Data Quality Control Flags, 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Flag {
    /// Passed every test.
    #[default]
    Pass = 1,
    /// Not evaluated.
    NotEvaluated = 2,
    /// Suspect: of high interest.
    Suspect = 3,
    /// Failed.
    Fail = 4,
    /// Missing data.
    Missing = 9,
}

impl Flag {
    /// The number that stands in files.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Why a fix carries its flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reason {
    /// Nothing to say: it passed.
    #[default]
    None,
    /// Its time is more than a day ahead of the present.
    Future,
    /// Exactly (0, 0): a receiver without a position.
    NullIsland,
    /// Another position claims the same time.
    TimeConflict,
    /// Too far from its neighbours for the time between.
    Speed,
    /// Faster than usual for the platform (drifter: over 4 knots).
    Fast,
    /// A person overruled the flag.
    Overruled,
}

impl Reason {
    /// A clause that explains the flag; empty for [`Reason::None`].
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Future => "time more than a day ahead",
            Self::NullIsland => "position is exactly 0, 0",
            Self::TimeConflict => "two positions at one time",
            Self::Speed => "speed over the limit",
            Self::Fast => "leg over 4 kn",
            Self::Overruled => "overruled by hand",
        }
    }
}

/// Flags set by a person, by the fix they are for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrules {
    flags: HashMap<(u64, u64, u64), Flag>,
}
