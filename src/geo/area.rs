//! An area of polygons, which an instrument should not leave. An edge is a
//! straight line in degrees of longitude and latitude, as RFC 7946 has it;
//! distances to it are geodesics.

mod edge;
mod geojson;
mod ring;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::Position;
use edge::Edges;
use ring::{Polygon, Ring, contains};

use crate::text::hash::hash64;

pub(crate) use geojson::{AreaFault, other_system};

/// An area of polygons with holes. Clones share it.
#[derive(Clone)]
pub(crate) struct Area {
    inner: Arc<Inner>,
}

struct Inner {
    name: Option<String>,
    polygons: Vec<Polygon>,
    /// The area as GeoJSON, with the same digits whenever it is read again.
    text: String,
    edges: OnceLock<Edges>,
}

impl Area {
    /// The area of a GeoJSON text: of all its polygons, or of those of the
    /// features with this name. `named` is its name if the features have none.
    ///
    /// # Errors
    /// A description of the fault in the text.
    pub(crate) fn from_geojson(
        text: &[u8],
        feature: Option<&str>,
        named: Option<&str>,
    ) -> Result<Self, AreaFault> {
        let read = geojson::read(text, feature)?;
        let name = feature
            .map(str::to_owned)
            .or(read.name)
            .or_else(|| named.map(str::to_owned));
        let polygons = read
            .polygons
            .iter()
            .map(|rings| {
                let mut rings = rings.iter().map(|ring| Ring::new(ring));
                let outer = rings.next().unwrap_or(Err(AreaFault::no_polygon()))?;
                let holes = rings.collect::<Result<_, _>>()?;
                Ok(Polygon { outer, holes })
            })
            .collect::<Result<Vec<_>, AreaFault>>()?;
        Ok(Self {
            inner: Arc::new(Inner {
                text: geojson::written(name.as_deref(), &read.polygons),
                name,
                polygons,
                edges: OnceLock::new(),
            }),
        })
    }

    /// The area of a text that [`Area::text`] returned.
    pub(crate) fn from_stored(text: &str) -> Option<Self> {
        Self::from_geojson(text.as_bytes(), None, None).ok()
    }

    /// The user's name for the area, or "area" without one.
    pub(crate) fn name(&self) -> &str {
        self.inner.name.as_deref().unwrap_or("area")
    }

    /// It as GeoJSON: a feature with a multipolygon.
    pub(crate) fn text(&self) -> &str {
        &self.inner.text
    }

    /// A hash of what it is.
    pub(crate) fn hash(&self) -> u64 {
        hash64(self.inner.text.bytes())
    }

    fn edges(&self) -> &Edges {
        let polygons = &self.inner.polygons;
        self.inner.edges.get_or_init(|| Edges::new(polygons))
    }

    /// `true` if a position is in it.
    pub(crate) fn contains(&self, position: Position) -> bool {
        contains(&self.inner.polygons, position)
    }

    /// How far a position is beyond its edge, metres: negative within it.
    pub(crate) fn over_m(&self, position: Position) -> f64 {
        let away = self.edges().distance_m(position);
        if self.contains(position) { -away } else { away }
    }

    /// The radius of a circle with the same ratio of area to circumference,
    /// metres: what the bands of a watch circle are taken from.
    pub(crate) fn radius_m(&self) -> f64 {
        let area_m2: f64 = (self.inner.polygons.iter())
            .map(|polygon| {
                let holes: f64 = polygon.holes.iter().map(Ring::area_m2).sum();
                (polygon.outer.area_m2() - holes).max(0.0)
            })
            .sum();
        match self.edges().length_m() {
            length_m if length_m > 0.0 => 2.0 * area_m2 / length_m,
            _ => f64::MAX,
        }
    }

    /// Its edges as lines of positions at most a tenth of a degree apart.
    pub(crate) fn outline(&self) -> impl Iterator<Item = &[Position]> {
        self.edges().lines()
    }
}

impl PartialEq for Area {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.inner.text == other.inner.text
    }
}

impl fmt::Debug for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Area({})", self.inner.text)
    }
}
