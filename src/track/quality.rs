//! Which positions to believe: QARTOD flags, their reasons, and the three
//! tests that set them, in their order.

pub(crate) mod overrides;
pub(crate) mod speed;

pub(crate) use overrides::FlagOverrides;

use super::Platform;
use crate::geo::Position;

/// The QARTOD flag of a fix (U.S. IOOS, Manual for Real-Time Oceanographic
/// Data Quality Control Flags, 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub(crate) enum Flag {
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
    /// All flags, by their numbers.
    pub(crate) const ALL: [Self; 5] = [
        Self::Pass,
        Self::NotEvaluated,
        Self::Suspect,
        Self::Fail,
        Self::Missing,
    ];

    /// The number that stands in files.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// The flag with this number.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.code() == code)
    }

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NotEvaluated => "not evaluated",
            Self::Suspect => "suspect",
            Self::Fail => "fail",
            Self::Missing => "missing",
        }
    }
}

/// Why a fix carries its flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Reason {
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
    /// Faster than is usual for the platform (a drifter: over 4 knots).
    Fast,
    /// A person overruled the flag.
    Overruled,
}

impl Reason {
    /// A clause that explains the flag; empty for [`Reason::None`].
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Future => "time more than a day ahead",
            Self::NullIsland => "position is exactly 0, 0",
            Self::TimeConflict => "two positions at one time",
            Self::Speed => "implied speed too high",
            Self::Fast => "leg over 4 kn",
            Self::Overruled => "overruled by hand",
        }
    }
}

/// A time may be ahead of the present by so much, in seconds: a day.
const AHEAD_S: f64 = 86_400.0;
/// A drifter's leg over 4 knots is suspect, in m/s.
const FAST_DRIFTER_M_S: f64 = 4.0 * crate::geo::units::NAUTICAL_MILE_M / 3600.0;

/// The verdict of the tests that look at a fix and its equals in time: (a)
/// structure, (b) two positions at one time.
pub(super) fn check_time_and_location(
    time_stamps: &[f64],
    position: impl Fn(usize) -> Position,
    now: f64,
) -> Vec<(Flag, Reason)> {
    let mut verdicts = vec![(Flag::Pass, Reason::None); time_stamps.len()];
    let mut from = 0;
    for run in time_stamps.chunk_by(|a, b| a == b) {
        for (index, verdict) in verdicts.iter_mut().enumerate().skip(from).take(run.len()) {
            let here = position(index);
            *verdict = match run.first() {
                Some(&time) if time > now + AHEAD_S => (Flag::Fail, Reason::Future),
                _ if here.latitude == 0.0 && here.longitude == 0.0 => {
                    (Flag::Fail, Reason::NullIsland)
                }
                _ if run.len() > 1 => (Flag::Suspect, Reason::TimeConflict),
                _ => (Flag::Pass, Reason::None),
            };
        }
        from += run.len();
    }
    verdicts
}

/// The speed in m/s over which a leg makes the fix it leads to suspect; none
/// for a platform without such a rule.
pub(super) fn fast_limit(platform: Platform) -> Option<f64> {
    (platform == Platform::Drifter).then_some(FAST_DRIFTER_M_S)
}
