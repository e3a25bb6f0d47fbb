//! The global attributes of a NetCDF file by the Attribute Convention for Data
//! Discovery 1.3 (ACDD). What the service does not send is "unknown".

use netcdf3::{DataSet, InvalidDataSet};

use crate::formats::subject::{Subject, first_unusable, tests};
use crate::geo::{BoundingBox, Position};
use crate::text;
use crate::track::quality::method;
use crate::track::{Track, time};

/// The vocabulary of the standard names. All of them are in older versions too.
const STANDARD_NAMES: &str = "CF Standard Name Table v93";

/// Attributes that ACDD recommends and the service does not send.
const UNKNOWN: [&str; 7] = [
    "naming_authority",
    "institution",
    "project",
    "creator_name",
    "creator_url",
    "publisher_name",
    "publisher_url",
];

/// Adds the attributes that describe the content of the file.
pub(super) fn add(
    set: &mut DataSet,
    subject: &Subject<'_>,
    track: &Track,
) -> Result<(), InvalidDataSet> {
    // The file keeps to both versions. GDAL takes the first as a number, and of
    // a file from 1.8 on it reads simple geometries alone, no trajectory.
    let mut all = vec![
        ("Conventions", "CF-1.11, CF-1.8, ACDD-1.3".to_owned()),
        ("featureType", "trajectory".to_owned()),
        ("cdm_data_type", "Trajectory".to_owned()),
        ("title", format!("Track of {}", text::clean(subject.name()))),
        ("summary", summary(track)),
        (
            "keywords",
            "time, latitude, longitude, platform_speed_wrt_ground, platform_course, aggregate_quality_flag".to_owned(),
        ),
        ("keywords_vocabulary", STANDARD_NAMES.to_owned()),
        ("standard_name_vocabulary", STANDARD_NAMES.to_owned()),
        ("id", subject.deployment.to_owned()),
        ("platform", track.platform().name().to_owned()),
        (
            "platform_vocabulary",
            "driftline: generic, drifter, float, glider, mooring, tag, vessel".to_owned(),
        ),
        (
            "source",
            "positions transmitted by the instrument".to_owned(),
        ),
        (
            "processing_level",
            "positions as transmitted, exact duplicates merged, flags and legs added".to_owned(),
        ),
        (
            "comment",
            "Legs are WGS84 geodesics from the previous fix that did not fail; failed fixes have none. qc_method names the quality tests.".to_owned(),
        ),
        (
            "references",
            "Xu and Ignatov (2013), In situ SST Quality Monitor (iQuam); Karney (2013), Algorithms for geodesics; U.S. IOOS, Manual for Real-Time Oceanographic Data Quality Control Flags".to_owned(),
        ),
        (
            "history",
            format!(
                "{} fetched; {} quality control and this file by driftline {}",
                time::rfc3339(subject.fetched_at),
                time::rfc3339(subject.now),
                env!("CARGO_PKG_VERSION")
            ),
        ),
        (
            "acknowledgement",
            "positions from the service that the instrument reports to".to_owned(),
        ),
        ("license", "not stated by the service".to_owned()),
        ("date_created", time::rfc3339(subject.now)),
        ("date_modified", time::rfc3339(subject.fetched_at)),
        ("date_metadata_modified", time::rfc3339(subject.now)),
        ("qc_method", tests(track)),
        (
            "qc_speed_limit_source",
            method::limit_source(track.platform(), track.speed_limit_m_s()).to_owned(),
        ),
    ];
    all.extend(time_coverage(track));
    if let Some(first) = first_unusable(track) {
        all.push(("first_unusable_record", first));
    }
    all.extend(UNKNOWN.map(|name| (name, "unknown".to_owned())));
    for (name, value) in all {
        set.add_global_attr_string(name, value)?;
    }
    set.add_global_attr_f64("qc_speed_limit_m_s", vec![track.speed_limit_m_s()])?;
    let unusable = i32::try_from(track.unusable_count()).unwrap_or(i32::MAX);
    set.add_global_attr_i32("unusable_records", vec![unusable])?;
    extent(set, track)
}

fn summary(track: &Track) -> String {
    let summary = track.summary();
    format!(
        "Positions of one instrument at sea ({}): {} fixes with legs and QARTOD flags, {} suspect and {} failed; {} records could not be used and are not in this file.",
        track.platform().name(),
        summary.fixes,
        summary.suspect,
        summary.fail,
        summary.unusable,
    )
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

/// A duration by ISO 8601: "P12DT3H20M0.5S".
fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).floor();
    let part = |unit: f64, of: f64| (whole / unit).floor() % of;
    let rest = seconds.max(0.0) - whole;
    // Milliseconds say enough of a duration.
    let rest = (rest * 1000.0).round() / 1000.0;
    let days = (whole / 86_400.0).floor();
    let mut text = "P".to_owned();
    if days > 0.0 {
        text += &format!("{days}D");
    }
    let (hours, minutes) = (part(3600.0, 24.0), part(60.0, 60.0));
    let last = part(1.0, 60.0) + rest;
    if hours + minutes + last > 0.0 || days == 0.0 {
        text.push('T');
    }
    if hours > 0.0 {
        text += &format!("{hours}H");
    }
    if minutes > 0.0 {
        text += &format!("{minutes}M");
    }
    if last > 0.0 || text.ends_with('T') {
        text += &format!("{last}S");
    }
    text
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
    for (name, value) in [
        ("geospatial_lat_units", "degrees_north".to_owned()),
        ("geospatial_lon_units", "degrees_east".to_owned()),
        ("geospatial_vertical_units", "m".to_owned()),
        ("geospatial_vertical_positive", "up".to_owned()),
        ("geospatial_bounds", bounds(&bbox)),
        ("geospatial_bounds_crs", "EPSG:4326".to_owned()),
        ("geospatial_bounds_vertical_crs", "EPSG:5829".to_owned()),
    ] {
        set.add_global_attr_string(name, value)?;
    }
    Ok(())
}

/// The box as well-known text, latitude first, as EPSG:4326 has it; in two
/// parts if it crosses the antimeridian.
fn bounds(bbox: &BoundingBox) -> String {
    let corner = |latitude: f64, longitude: f64| format!("{latitude} {longitude}");
    let BoundingBox {
        west,
        south,
        east,
        north,
    } = *bbox;
    let part = |west: f64, east: f64| {
        let corners = [
            corner(south, west),
            corner(south, east),
            corner(north, east),
            corner(north, west),
            corner(south, west),
        ];
        format!("(({}))", corners.join(", "))
    };
    let (first, last) = (
        Position {
            latitude: south,
            longitude: west,
        },
        Position {
            latitude: north,
            longitude: east,
        },
    );
    if first == last {
        format!("POINT ({})", corner(south, west))
    } else if bbox.crosses_antimeridian() {
        format!(
            "MULTIPOLYGON ({}, {})",
            part(west, 180.0),
            part(-180.0, east)
        )
    } else if south == north || west == east {
        format!(
            "LINESTRING ({}, {})",
            corner(south, west),
            corner(north, east)
        )
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
