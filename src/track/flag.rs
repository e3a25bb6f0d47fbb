//! The QARTOD flags.

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
    /// A value is null or missing.
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
