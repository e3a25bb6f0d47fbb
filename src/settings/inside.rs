//! The limit that an instrument should stay within, as it is typed: a watch circle, or the file
//! of an area.

use std::path::{Path, PathBuf};

use crate::geo::circle::{NoCircle, WatchCircle};
use crate::geo::{Area, Inside};
use crate::os::files::read_regular;
use crate::text;

/// A larger radius is not taken, metres.
const LARGEST_RADIUS_M: f64 = 20e6;
/// A larger file is not read, bytes.
const LARGEST: u64 = 8 << 20;

/// Parses `LAT,LON,RADIUS` or GeoJSON, or reads `FILE.geojson` or `FILE.geojson#NAME`,
/// with a path relative to `folder`.
///
/// # Errors
/// A description of the fault in the text or the file, without the text: it may be anything,
/// also a secret.
pub(crate) fn parse(typed: &str, folder: &Path) -> Result<Inside, String> {
    let typed = typed.trim();
    let error = match typed.parse::<WatchCircle>() {
        // Half the circumference of the Earth: nothing is ever outside.
        Ok(circle) if circle.radius_m > LARGEST_RADIUS_M => {
            return Err("a radius is at most 20 000 km".to_owned());
        }
        Ok(circle) => return Ok(Inside::Circle(circle)),
        Err(error @ NoCircle::Beyond(_)) => return Err(error.to_string()),
        Err(error @ NoCircle::Form) => error,
    };
    if typed.starts_with('{') {
        return Area::from_geojson(typed.as_bytes(), None, None)
            .map(Inside::Area)
            .map_err(|fault| fault.to_string());
    }
    let (path, feature) = file_of(typed, folder);
    let is_named = |ending: &str| {
        path.extension()
            .is_some_and(|own| own.eq_ignore_ascii_case(ending))
    };
    if !(is_named("geojson") || is_named("json") || path.exists()) {
        return Err(format!(
            "{error}, or a GeoJSON file FILE.geojson or FILE.geojson#NAME"
        ));
    }
    let named = path.file_stem().map(|stem| stem.to_string_lossy());
    read_regular(&path, LARGEST)
        .map_err(|error| format!("cannot be read: {error}"))
        .and_then(|bytes| {
            Area::from_geojson(&bytes, feature, named.as_deref()).map_err(|fault| fault.to_string())
        })
        .map(Inside::Area)
        .map_err(|reason| {
            let file = text::excerpt(&path.display().to_string(), 200);
            format!("the area file {file} {reason}")
        })
}

/// The path of a file, and the name of a feature after a `#`. Both may have a `#` in them: the
/// longest path that exists is meant.
fn file_of<'a>(typed: &'a str, folder: &Path) -> (PathBuf, Option<&'a str>) {
    let whole = folder.join(typed);
    let parts = typed
        .rmatch_indices('#')
        .map(|(at, _)| (folder.join(&typed[..at]), Some(&typed[at + 1..])));
    let all: Vec<_> = std::iter::once((whole, None)).chain(parts).collect();
    // Of a file that is missing the last part is the name.
    let meant = all.iter().position(|(path, _)| path.exists());
    let index = meant.unwrap_or(usize::from(all.len() > 1));
    all.into_iter().nth(index).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str =
        r#"{"type":"Polygon","coordinates":[[[5,60],[6,60],[6,61],[5,61],[5,60]]]}"#;

    #[test]
    fn a_circle_or_a_file_is_read_and_what_is_neither_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        write("bay.geojson", SQUARE);
        write("a#b.geojson", SQUARE);
        write(
            "two.json",
            &format!(
                r#"{{"type":"FeatureCollection","features":[
                {{"type":"Feature","properties":{{"name":"north"}},"geometry":{SQUARE}}},
                {{"type":"Feature","properties":{{"name":"Box #1"}},"geometry":{SQUARE}}},
                {{"type":"Feature","properties":{{"name":"south"}},"geometry":{SQUARE}}}]}}"#
            ),
        );
        write("broken.geojson", "{\"type\":");
        let parse = |typed: &str| parse(typed, folder.path());
        let name = |typed: &str| parse(typed).unwrap().name();
        assert_eq!(name("57.9,2.1,2km"), "watch circle");
        assert_eq!(name("bay.geojson"), "area bay");
        assert_eq!(name("a#b.geojson"), "area a#b");
        assert_eq!(name("two.json"), "area two");
        assert_eq!(name("two.json#south"), "area south");
        assert_eq!(name("two.json#Box #1"), "area Box #1");
        for (typed, said) in [
            ("57.9,2.1", "LAT,LON,RADIUS"),
            ("91,0,5km", "the latitude 91 is beyond 90 degrees"),
            ("0,-181,5km", "the longitude -181 is not from -180"),
            ("50,-9.98,1e9km", "at most 20 000 km"),
            ("bay", "GeoJSON file"),
            ("none.geojson", "cannot be read"),
            (
                "two.json#east",
                "no polygon with the name 'east'; it has 'north', 'Box #1', 'south'",
            ),
            ("broken.geojson", "broken.geojson is not JSON (line 1)"),
            (".", "is not a regular file"),
        ] {
            let error = parse(typed).unwrap_err();
            assert!(error.contains(said), "{typed}: {error}");
        }
    }
}
