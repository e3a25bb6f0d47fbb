//! The global attributes of a NetCDF file by the Attribute Convention for Data
//! Discovery 1.3 (ACDD). What the service does not send is "unknown".

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::{Span, SpanRound, Unit};
use netcdf3::{DataSet, InvalidDataSet};
use strum::VariantArray;

use crate::formats::subject::{Subject, first_unusable, tests};
use crate::geo::BoundingBox;
use crate::text;
use crate::track::quality::method;
use crate::track::{Platform, Track, time};

/// The attributes that `assets/netcdf.toml` has, with their texts, by what they describe.
type Attributes = HashMap<&'static str, Vec<(&'static str, &'static str)>>;

static ATTRIBUTES: LazyLock<Attributes> = LazyLock::new(|| {
    // A test reads it.
    toml::from_str(include_str!("../../../assets/netcdf.toml")).unwrap_or_default()
});

/// The attributes of a part of the file, their words in braces filled in.
fn filled(
    part: &str,
    value: impl Fn(&str) -> String,
) -> impl Iterator<Item = (&'static str, String)> {
    let attributes = ATTRIBUTES.get(part).into_iter().flatten();
    attributes.map(move |(name, text)| {
        let parts = text
            .split(['{', '}'])
            .enumerate()
            .map(|(index, part)| match index % 2 {
                0 => part.to_owned(),
                _ => value(part),
            });
        (*name, parts.collect())
    })
}

/// Adds the attributes of a variable.
pub(super) fn add_to(
    set: &mut DataSet,
    variable: &str,
    subject: &Subject<'_>,
) -> Result<(), InvalidDataSet> {
    for (name, value) in filled(variable, |_| subject.deployment.to_owned()) {
        set.add_var_attr_string(variable, name, value)?;
    }
    Ok(())
}

/// Adds the attributes that describe the content of the file.
pub(super) fn add(
    set: &mut DataSet,
    subject: &Subject<'_>,
    track: &Track,
) -> Result<(), InvalidDataSet> {
    let platform = track.platform();
    let summary = track.summary();
    let value = |word: &str| match word {
        "name" => text::clean(subject.name()).to_string(),
        "deployment" => subject.deployment.to_owned(),
        "platform" => platform.name().to_owned(),
        "platforms" => {
            let all = Platform::VARIANTS.iter().map(|platform| platform.name());
            all.collect::<Vec<_>>().join(", ")
        }
        "fixes" => summary.fixes.to_string(),
        "suspect" => summary.suspect.to_string(),
        "fail" => summary.fail.to_string(),
        "unusable" => summary.unusable.to_string(),
        "made" => time::rfc3339(subject.now),
        "fetched" => time::rfc3339(subject.fetched_at),
        "tests" => tests(track),
        "limit_source" => method::limit_source(platform, track.speed_limit_m_s()).to_owned(),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    };
    let first = first_unusable(track).map(|first| ("first_unusable_record", first));
    let all = filled("file", value)
        .chain(time_coverage(track))
        .chain(first)
        .chain(filled("unknown", str::to_owned));
    for (name, value) in all {
        set.add_global_attr_string(name, value)?;
    }
    set.add_global_attr_f64("qc_speed_limit_m_s", vec![track.speed_limit_m_s()])?;
    let unusable = i32::try_from(track.unusable_count()).unwrap_or(i32::MAX);
    set.add_global_attr_i32("unusable_records", vec![unusable])?;
    extent(set, track)
}

/// The times of all fixes in the file, failed ones included.
fn time_coverage(track: &Track) -> Vec<(&'static str, String)> {
    let Some((first, last)) = track.ends() else {
        return Vec::new();
    };
    let mut coverage = vec![
        ("time_coverage_start", time::rfc3339(first)),
        ("time_coverage_end", time::rfc3339(last)),
        ("time_coverage_duration", duration(last - first)),
    ];
    if let Some(interval) = track.summary().median_interval_s {
        coverage.push(("time_coverage_resolution", duration(interval)));
    }
    coverage
}

/// A duration by ISO 8601, to the millisecond: "P12DT3H20M0.5S".
fn duration(seconds: f64) -> String {
    // `as` saturates.
    let milliseconds = (seconds.max(0.0) * 1000.0).round() as i64;
    let to_days = SpanRound::new().largest(Unit::Day).days_are_24_hours();
    Span::new()
        .try_milliseconds(milliseconds)
        .and_then(|span| span.round(to_days))
        .map_or_else(|_| String::new(), |span| span.to_string())
}

/// The box around all fixes in the file, failed ones included.
fn extent(set: &mut DataSet, track: &Track) -> Result<(), InvalidDataSet> {
    let Some(bbox) = BoundingBox::around(track.fixes().map(|fix| fix.position)) else {
        return Ok(());
    };
    for (name, value) in [
        ("geospatial_lat_min", bbox.south),
        ("geospatial_lat_max", bbox.north),
        // West of the eastern limit unless the box crosses the antimeridian.
        ("geospatial_lon_min", bbox.west),
        ("geospatial_lon_max", bbox.east),
        ("geospatial_vertical_min", 0.0),
        ("geospatial_vertical_max", 0.0),
    ] {
        set.add_global_attr_f64(name, vec![value])?;
    }
    for (name, value) in filled("extent", |_| bounds(&bbox)) {
        set.add_global_attr_string(name, value)?;
    }
    Ok(())
}

/// The box as well-known text, latitude first, as EPSG:4326 has it; in two
/// parts if it crosses the antimeridian.
fn bounds(bbox: &BoundingBox) -> String {
    let [west, south, east, north] = bbox.corners();
    let part = |west: f64, east: f64| {
        format!(
            "(({south} {west}, {south} {east}, {north} {east}, {north} {west}, {south} {west}))"
        )
    };
    if (south, west) == (north, east) {
        format!("POINT ({south} {west})")
    } else if bbox.crosses_antimeridian() {
        let parts = [part(west, 180.0), part(-180.0, east)];
        format!("MULTIPOLYGON ({})", parts.join(", "))
    } else if south == north || west == east {
        format!("LINESTRING ({south} {west}, {north} {east})")
    } else {
        format!("POLYGON {}", part(west, east))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_that_of_iso_8601() {
        for (seconds, text) in [
            (0.0, "PT0S"),
            (600.0, "PT10M"),
            (86_400.0, "P1D"),
            (90_061.5, "P1DT1H1M1.5S"),
            (26_436_000.0, "P305DT23H20M"),
            (-5.0, "PT0S"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn bounds_are_a_point_a_line_a_box_or_two() {
        let of = |west, south, east, north| {
            bounds(&BoundingBox {
                west,
                south,
                east,
                north,
            })
        };
        assert_eq!(of(2.0, 1.0, 2.0, 1.0), "POINT (1 2)");
        assert_eq!(of(2.0, 1.0, 3.0, 1.0), "LINESTRING (1 2, 1 3)");
        assert_eq!(
            of(2.0, 1.0, 3.5, 4.0),
            "POLYGON ((1 2, 1 3.5, 4 3.5, 4 2, 1 2))"
        );
        assert_eq!(
            of(179.0, 1.0, -179.0, 2.0),
            "MULTIPOLYGON (((1 179, 1 180, 2 180, 2 179, 1 179)), ((1 -180, 1 -179, 2 -179, 2 -180, 1 -180)))"
        );
    }
}
