//! Coordinates as text.

/// How coordinates are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum CoordinateFormat {
    /// Decimal degrees: 82.12315°N.
    #[default]
    Dd,
    /// Degrees and decimal minutes: 82°07.389′N.
    Ddm,
    /// Degrees, minutes and seconds: 82°07′23.3″N.
    Dms,
}
