//! Positions as unit vectors, which drawing uses because neither the poles nor
//! the antimeridian are special cases. The ellipsoid is approximated by a
//! sphere, as on all maps here.

use super::Position;

/// A point on the unit sphere: x towards 0° N 0° E, y towards 0° N 90° E, z
/// towards the North Pole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vector {
    /// Towards 0° N 0° E.
    pub x: f64,
    /// Towards 0° N 90° E.
    pub y: f64,
    /// Towards the North Pole.
    pub z: f64,
}

impl Vector {
    /// The unit vector of a position.
    pub(crate) fn new(position: Position) -> Self {
        let (sin_lat, cos_lat) = position.latitude.to_radians().sin_cos();
        let (sin_lon, cos_lon) = position.longitude.to_radians().sin_cos();
        Self {
            x: cos_lat * cos_lon,
            y: cos_lat * sin_lon,
            z: sin_lat,
        }
    }

    /// The position of a vector, whatever its length.
    pub(crate) fn position(self) -> Position {
        Position {
            latitude: self.z.atan2(self.x.hypot(self.y)).to_degrees(),
            longitude: self.y.atan2(self.x).to_degrees(),
        }
    }

    /// This vector scaled to length one; unchanged if its length is zero.
    pub(crate) fn unit(self) -> Self {
        let length = self.dot(self).sqrt();
        if length > 0.0 {
            self.scaled(1.0 / length)
        } else {
            self
        }
    }

    pub(crate) fn scaled(self, by: f64) -> Self {
        Self {
            x: self.x * by,
            y: self.y * by,
            z: self.z * by,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }

    /// The scalar product.
    pub(crate) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The point on the great circle to `other`, by scaling the point at a
    /// fraction, 0 to 1, of the chord to length one.
    pub(crate) fn towards(self, other: Self, share: f64) -> Self {
        self.plus(other.minus(self).scaled(share)).unit()
    }

    /// The length of the chord to `other`: approximately the angle in radians
    /// if that is small, and increasing with the angle everywhere.
    pub(crate) fn chord(self, other: Self) -> f64 {
        let apart = self.minus(other);
        apart.dot(apart).sqrt()
    }

    /// The angle to `other` in radians.
    pub(crate) fn angle(self, other: Self) -> f64 {
        2.0 * (self.chord(other) / 2.0).min(1.0).asin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::sphere;

    proptest::proptest! {
        #[test]
        fn a_vector_leads_back_to_its_position(latitude in -89.9f64..89.9, longitude in -180.0f64..180.0) {
            let back = Vector::new(Position { latitude, longitude }).position();
            proptest::prop_assert!((back.latitude - latitude).abs() < 1e-12);
            proptest::prop_assert!((back.longitude - longitude).abs() < 1e-11);
        }

        #[test]
        fn angles_are_great_circles(lat1 in -90.0f64..90.0, lon1 in -180.0f64..180.0, lat2 in -90.0f64..90.0, lon2 in -180.0f64..180.0) {
            let (from, to) = (Position { latitude: lat1, longitude: lon1 }, Position { latitude: lat2, longitude: lon2 });
            let angle = Vector::new(from).angle(Vector::new(to));
            let expected = sphere::distance_m(from, to) / sphere::MEAN_RADIUS_M;
            proptest::prop_assert!((angle - expected).abs() < 1e-7, "{angle} {expected}");
            let part = Vector::new(from).towards(Vector::new(to), 0.5);
            proptest::prop_assert!(angle > 3.0 || (part.angle(Vector::new(from)) * 2.0 - angle).abs() < 1e-7);
        }
    }
}
