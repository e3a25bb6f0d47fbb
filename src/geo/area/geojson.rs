//! GeoJSON (RFC 7946) to rings of vertices, and back.

use serde_json::{Value, json};

/// The most vertices of an area.
const MOST: usize = 5_000;
/// At most this many names are listed.
const MOST_NAMES: usize = 8;

/// Why a text is not an area, as the rest of a sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct AreaFault(String);

impl AreaFault {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    fn not_geojson(why: &str) -> Self {
        Self(format!("is not GeoJSON: {why}"))
    }

    pub(super) fn no_polygon() -> Self {
        Self::new("has no polygon")
    }

    /// A ring encloses nothing.
    pub(super) fn nothing() -> Self {
        let why =
            "has a polygon with a ring that encloses nothing: a ring has three corners and more";
        Self::new(why)
    }
}

/// The vertices of the rings of a polygon: (longitude, latitude).
type Rings = Vec<Vec<(f64, f64)>>;

/// The polygons of a GeoJSON text, and the name of its feature.
pub(super) struct Read {
    /// The rings of each polygon.
    pub(super) polygons: Vec<Rings>,
    /// The name of its only feature.
    pub(super) name: Option<String>,
}

/// The polygons of a GeoJSON text, or of its features with a name.
pub(super) fn read(text: &[u8], feature: Option<&str>) -> Result<Read, AreaFault> {
    let text = crate::text::without_byte_order_mark(text);
    let value: Value = serde_json::from_slice(text)
        .map_err(|error| AreaFault::new(format!("is not JSON (line {})", error.line())))?;
    if let Some(system) = value.get("crs").and_then(other_system) {
        return Err(AreaFault::new(format!(
            "is in the system {system}: longitude and latitude (EPSG:4326) are expected"
        )));
    }
    let mut found = Vec::new();
    collect(&value, None, &mut found)?;
    if found.is_empty() {
        return Err(AreaFault::no_polygon());
    }
    let count: usize = (found.iter())
        .flat_map(|(_, rings)| rings.iter().map(Vec::len))
        .sum();
    if count > MOST {
        let why = format!("has more than {MOST} corners: simplify it");
        return Err(AreaFault::new(why));
    }
    let mut names: Vec<String> = found.iter().filter_map(|(name, _)| name.clone()).collect();
    names.dedup();
    if let Some(wanted) = feature {
        found.retain(|(name, _)| name.as_deref() == Some(wanted));
        if found.is_empty() {
            let quoted = |name: &String| format!("'{}'", crate::text::excerpt(name, 40));
            let mut shown = crate::text::first_of(names.iter().map(quoted), MOST_NAMES);
            if names.is_empty() {
                shown.push_str("no names");
            }
            return Err(AreaFault::new(format!(
                "has no polygon with the name '{}'; it has {shown}",
                crate::text::excerpt(wanted, 40)
            )));
        }
    }
    let name = match names.as_slice() {
        [only] if found.iter().all(|(name, _)| name.as_ref() == Some(only)) => Some(only.clone()),
        _ => None,
    };
    Ok(Read {
        polygons: found.into_iter().map(|(_, rings)| rings).collect(),
        name,
    })
}

/// The system of the coordinates of GeoJSON, if its member `crs` names another than longitude
/// and latitude. RFC 7946 has no others; the draft of 2008 had.
pub(crate) fn other_system(crs: &Value) -> Option<String> {
    let name = crs.pointer("/properties/name")?.as_str()?;
    let is_known = ["CRS84", "4326"].iter().any(|known| name.ends_with(known));
    (!is_known).then(|| crate::text::excerpt(name, 60))
}

/// Adds the polygons of an object of GeoJSON, each with the name of its feature.
fn collect(
    value: &Value,
    name: Option<&str>,
    found: &mut Vec<(Option<String>, Rings)>,
) -> Result<(), AreaFault> {
    let kind = value
        .get("type")
        .and_then(Value::as_str)
        .ok_or(AreaFault::not_geojson("an object has no type"))?;
    let list = |member: &'static str| {
        let list = value.get(member).and_then(Value::as_array);
        list.ok_or(AreaFault::not_geojson(
            "a member that should be a list is not one",
        ))
    };
    match kind {
        "FeatureCollection" => {
            for feature in list("features")? {
                collect(feature, None, found)?;
            }
        }
        "Feature" => {
            let properties = value.get("properties").and_then(Value::as_object);
            let mut members = properties.into_iter().flatten();
            let named = members
                .find(|(member, _)| member.eq_ignore_ascii_case("name"))
                .and_then(|(_, name)| name.as_str());
            let id = value.get("id").and_then(Value::as_str);
            match value.get("geometry") {
                Some(Value::Null) => {}
                Some(geometry) => collect(geometry, named.or(id), found)?,
                None => return Err(AreaFault::not_geojson("a feature has no geometry")),
            }
        }
        "GeometryCollection" => {
            for geometry in list("geometries")? {
                collect(geometry, name, found)?;
            }
        }
        "Polygon" => found.push((name.map(str::to_owned), rings(list("coordinates")?)?)),
        "MultiPolygon" => {
            for polygon in list("coordinates")? {
                let polygon = polygon
                    .as_array()
                    .ok_or(AreaFault::not_geojson("a polygon is not a list"))?;
                found.push((name.map(str::to_owned), rings(polygon)?));
            }
        }
        "Point" | "MultiPoint" | "LineString" | "MultiLineString" => {}
        _ => return Err(AreaFault::not_geojson("an object has an unknown type")),
    }
    Ok(())
}

fn rings(polygon: &[Value]) -> Result<Rings, AreaFault> {
    if polygon.is_empty() {
        return Err(AreaFault::nothing());
    }
    let ring = |ring: &Value| {
        let ring = ring
            .as_array()
            .ok_or(AreaFault::not_geojson("a ring is not a list"))?;
        ring.iter().map(vertex).collect::<Result<Vec<_>, _>>()
    };
    polygon.iter().map(ring).collect()
}

fn vertex(value: &Value) -> Result<(f64, f64), AreaFault> {
    let number = |index: usize| value.get(index).and_then(Value::as_f64);
    let (Some(longitude), Some(latitude)) = (number(0), number(1)) else {
        return Err(AreaFault::not_geojson("a position is not two numbers"));
    };
    if !(-360.0..=360.0).contains(&longitude) || !(-90.0..=90.0).contains(&latitude) {
        return Err(AreaFault::new(format!(
            "has a corner that is not a position: longitude {longitude}, latitude {latitude} (longitude comes first)"
        )));
    }
    // To 0.1 mm: as many digits are read back as they were written.
    let rounded = |degrees: f64| (degrees * 1e9).round() / 1e9;
    Ok((rounded(longitude), rounded(latitude)))
}

/// Polygons as a feature of GeoJSON.
pub(super) fn written(name: Option<&str>, polygons: &[Rings]) -> String {
    let feature = json!({
        "type": "Feature",
        "properties": { "name": name },
        "geometry": { "type": "MultiPolygon", "coordinates": polygons },
    });
    feature.to_string()
}
