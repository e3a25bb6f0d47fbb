//! The smallest box around positions, right across the antimeridian.

/// A bounding box in degrees. `west > east` means that it crosses the
/// antimeridian (RFC 7946, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    /// Western edge, degrees.
    pub west: f64,
    /// Southern edge, degrees.
    pub south: f64,
    /// Eastern edge, degrees.
    pub east: f64,
    /// Northern edge, degrees.
    pub north: f64,
}
