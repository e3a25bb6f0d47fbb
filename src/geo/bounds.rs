//! The smallest box around positions, correct across the antimeridian.

use super::Position;

/// A bounding box in degrees. `west > east` means that it crosses the
/// antimeridian (RFC 7946, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoundingBox {
    /// Western edge, degrees.
    pub west: f64,
    /// Southern edge, degrees.
    pub south: f64,
    /// Eastern edge, degrees.
    pub east: f64,
    /// Northern edge, degrees.
    pub north: f64,
}

impl BoundingBox {
    /// The smallest box around positions; `None` without any. In longitude it
    /// is the complement of the widest empty arc.
    pub(crate) fn around(positions: impl Iterator<Item = Position>) -> Option<Self> {
        let mut south = f64::INFINITY;
        let mut north = f64::NEG_INFINITY;
        let mut first = f64::INFINITY;
        let mut last = f64::NEG_INFINITY;
        let mut longitudes: Vec<f64> = Vec::new();
        for position in positions {
            south = south.min(position.latitude);
            north = north.max(position.latitude);
            first = first.min(position.longitude);
            last = last.max(position.longitude);
            longitudes.push(position.longitude);
        }
        if longitudes.is_empty() {
            return None;
        }
        let mut west = first;
        let mut east = last;
        // If all are within half of the Earth, the empty arc beyond is the
        // widest.
        if last - first >= 180.0 {
            longitudes.sort_unstable_by(f64::total_cmp);
            longitudes.dedup();
            // The arc from the easternmost position eastwards across the
            // antimeridian.
            let mut widest = first + 360.0 - last;
            for (left, right) in longitudes.iter().zip(longitudes.iter().skip(1)) {
                if right - left > widest {
                    (east, west, widest) = (*left, *right, right - left);
                }
            }
        }
        Some(Self {
            west,
            south,
            east,
            north,
        })
    }

    /// `true` if it crosses the antimeridian.
    pub(crate) fn crosses_antimeridian(&self) -> bool {
        self.west > self.east
    }

    /// Its extent in longitude, degrees in [0, 360].
    pub(crate) fn width_deg(&self) -> f64 {
        if self.crosses_antimeridian() {
            self.east + 360.0 - self.west
        } else {
            self.east - self.west
        }
    }

    /// Its centre in latitude and longitude.
    pub(crate) fn centre(&self) -> Position {
        let longitude = self.west + self.width_deg() / 2.0;
        Position {
            latitude: f64::midpoint(self.south, self.north),
            longitude: if longitude > 180.0 {
                longitude - 360.0
            } else {
                longitude
            },
        }
    }

    /// As an array: west, south, east, north (RFC 7946, section 5).
    pub(crate) fn corners(&self) -> [f64; 4] {
        [self.west, self.south, self.east, self.north]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    impl BoundingBox {
        /// `true` if a position is in it; edges are included.
        pub(crate) fn contains(&self, position: Position) -> bool {
            let east_of_west = (position.longitude - self.west).rem_euclid(360.0);
            (self.south..=self.north).contains(&position.latitude)
                && east_of_west <= self.width_deg()
        }
    }

    fn around(points: &[(f64, f64)]) -> BoundingBox {
        BoundingBox::around(
            points
                .iter()
                .map(|&(latitude, longitude)| at(latitude, longitude)),
        )
        .unwrap()
    }

    #[test]
    fn a_track_across_the_antimeridian_has_its_west_east_of_its_east() {
        let bounds = around(&[(10.0, 178.0), (11.0, -179.0), (12.0, 179.5)]);
        assert_eq!(bounds.corners(), [178.0, 10.0, -179.0, 12.0]);
        assert_eq!(bounds.width_deg(), 3.0);
        assert_eq!(bounds.centre().longitude, 179.5);
    }

    #[test]
    fn one_point_is_a_box_of_no_extent() {
        let bounds = around(&[(5.0, 7.0)]);
        assert_eq!(bounds.corners(), [7.0, 5.0, 7.0, 5.0]);
        assert_eq!(bounds.width_deg(), 0.0);
    }

    proptest::proptest! {
        #[test]
        fn it_holds_every_point_and_is_never_wider_than_the_plain_span(points in proptest::collection::vec((-90.0f64..=90.0, -180.0f64..=180.0), 1..40)) {
            let bounds = around(&points);
            let (least, most) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.1), b.max(p.1)));
            assert!(bounds.width_deg() <= most - least + 1e-9);
            for &(latitude, longitude) in &points {
                let west_of_east = (bounds.east - longitude).rem_euclid(360.0);
                assert!(bounds.contains(Position { latitude, longitude }) || west_of_east < 1e-9);
            }
        }
    }
}
