//! NetCDF classic by the CF conventions 1.8: a single trajectory with QARTOD
//! flags, as GDAL and QGIS open it.

mod attributes;
mod cf_names;
mod conventions;
mod fields;
mod file;

use std::io::Write;

use conventions::{COORDINATES, FILL};
use fields::FieldVariable;
use file::NetcdfFile;
use netcdf3::{DataSet, InvalidDataSet, Version};

use super::error::ExportError;
use super::format::Format;
use super::row::{ABSENT, has_absent};
use super::subject::Subject;
use crate::track::{Reason, Track};

/// The doubles, the flag and whether the fix is absent.
const BYTES_OF_A_FIX: usize = 8 * DOUBLES.len() + 2;

/// The bytes of all variables but the last up to which the classic format serves: in
/// it no variable may begin beyond 2 GiB, and the attributes need some room.
const MOST_CLASSIC: usize = 2_000_000_000;

/// The unit of a field whose name tells it plainly, as UDUNITS writes it.
pub(super) fn unit_of(field: &str) -> Option<&'static str> {
    cf_names::meaning(field).map(|(_, unit)| unit)
}

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let unfit = |reason: String| ExportError::Unfit {
        format: Format::Netcdf,
        reason,
    };
    let reason_length = reason_length(track);
    let variables = fields::variables(track);
    if let Some(reason) = fields::too_long(&variables, track.len()) {
        return Err(unfit(reason));
    }
    let data_set = define(subject, track, reason_length, &variables)
        .map_err(|error| unfit(format!("{error:?}")))?;
    fill(&data_set, track, reason_length, &variables, out)
}

/// The bytes of the longest reason, at least 1: a dimension must not be empty.
fn reason_length(track: &Track) -> usize {
    let flagged = track.fixes().filter(|fix| fix.reason != Reason::None);
    flagged
        .map(|fix| track.reason_text(fix.index).len())
        .max()
        .unwrap_or_default()
        .max(1)
}

fn define(
    subject: &Subject<'_>,
    track: &Track,
    reason_length: usize,
    variables: &[FieldVariable<'_>],
) -> Result<DataSet, InvalidDataSet> {
    let mut set = DataSet::new();
    // A fixed dimension must not be empty: without fixes the dimension is
    // unlimited, with no records.
    if track.is_empty() {
        set.set_unlimited_dim("obs", 0)?;
    } else {
        set.add_fixed_dim("obs", track.len())?;
    }
    set.add_fixed_dim("reason_length", reason_length)?;
    attributes::add(&mut set, subject, track)?;
    // GDAL reads no point of a file with text in a dimension of its own: the id
    // is a number.
    set.add_var_i32::<&str>("trajectory", &[])?;
    set.add_var_attr_string("trajectory", "cf_role", "trajectory_id")?;
    set.add_var_attr_string("trajectory", "long_name", "the only trajectory of the file")?;
    set.add_var_attr_string("trajectory", "deployment", subject.deployment)?;
    set.add_var_i32::<&str>("crs", &[])?;
    for (attribute, value) in CRS {
        set.add_var_attr_string("crs", attribute, value)?;
    }
    set.add_var_attr_f64("crs", "longitude_of_prime_meridian", vec![0.0])?;
    set.add_var_attr_f64("crs", "semi_major_axis", vec![6_378_137.0])?;
    set.add_var_attr_f64("crs", "inverse_flattening", vec![298.257_223_563])?;
    for (name, attributes) in DOUBLES {
        set.add_var_f64(name, &["obs"])?;
        for (attribute, value) in *attributes {
            set.add_var_attr_string(name, attribute, value)?;
        }
        if !matches!(*name, "time" | "lat" | "lon" | "time_stamp") {
            set.add_var_attr_f64(name, "_FillValue", vec![FILL])?;
        }
        if !matches!(*name, "time" | "lat" | "lon") {
            set.add_var_attr_string(name, "coordinates", COORDINATES)?;
        }
        if *name != "time" {
            set.add_var_attr_string(name, "grid_mapping", "crs")?;
        }
    }
    set.add_var_f64::<&str>("height", &[])?;
    for (attribute, value) in HEIGHT {
        set.add_var_attr_string("height", attribute, value)?;
    }
    set.add_var_i8("qc_flag", &["obs"])?;
    set.add_var_attr_i8("qc_flag", "flag_values", vec![1, 2, 3, 4, 9])?;
    if has_absent(track) {
        set.add_var_i8(ABSENT, &["obs"])?;
        set.add_var_attr_i8(ABSENT, "flag_values", vec![0, 1])?;
        quality_attributes(&mut set, &ABSENT_VARIABLE)?;
    }
    fields::define(&mut set, track, variables)?;
    // Text last: in the classic format only the last variable may be large.
    set.add_var_u8("qc_reason", &["obs", "reason_length"])?;
    for variable in QUALITY {
        quality_attributes(&mut set, variable)?;
    }
    Ok(set)
}

fn quality_attributes(set: &mut DataSet, variable: &Variable) -> Result<(), InvalidDataSet> {
    let (name, attributes) = variable;
    for (attribute, value) in *attributes {
        set.add_var_attr_string(name, attribute, value)?;
    }
    set.add_var_attr_string(name, "coordinates", COORDINATES)?;
    set.add_var_attr_string(name, "grid_mapping", "crs")
}

/// The height that all positions have.
const HEIGHT: [(&str, &str); 6] = [
    ("standard_name", "height"),
    ("long_name", "positions are taken to be at the surface"),
    ("units", "m"),
    ("positive", "up"),
    ("axis", "Z"),
    ("coverage_content_type", "coordinate"),
];

/// A variable with its attributes.
type Variable = (&'static str, &'static [(&'static str, &'static str)]);

/// The coordinate reference system, in words of CF and in those of GDAL.
const CRS: [(&str, &str); 4] = [
    ("grid_mapping_name", "latitude_longitude"),
    ("long_name", "WGS 84"),
    ("epsg_code", "EPSG:4326"),
    (
        "spatial_ref",
        r#"GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]"#,
    ),
];

const DOUBLES: &[Variable] = &[
    (
        "time",
        &[
            ("standard_name", "time"),
            ("long_name", "time of the transmission"),
            ("units", "seconds since 1970-01-01T00:00:00Z"),
            ("calendar", "standard"),
            ("axis", "T"),
            ("coverage_content_type", "coordinate"),
        ],
    ),
    (
        "lat",
        &[
            ("standard_name", "latitude"),
            ("long_name", "latitude"),
            ("units", "degrees_north"),
            ("axis", "Y"),
            ("ancillary_variables", "qc_flag qc_reason"),
            ("coverage_content_type", "coordinate"),
        ],
    ),
    (
        "lon",
        &[
            ("standard_name", "longitude"),
            ("long_name", "longitude"),
            ("units", "degrees_east"),
            ("axis", "X"),
            ("ancillary_variables", "qc_flag qc_reason"),
            ("coverage_content_type", "coordinate"),
        ],
    ),
    (
        // GDAL makes no field of a coordinate, and a field with these units is
        // a date.
        "time_stamp",
        &[
            ("standard_name", "time"),
            ("long_name", "time of the transmission, as a field"),
            ("units", "seconds since 1970-1-1 0:0:0"),
            ("calendar", "standard"),
            ("coverage_content_type", "auxiliaryInformation"),
        ],
    ),
    (
        "distance",
        &[
            ("long_name", "geodesic from the previous fix, WGS84"),
            // GDAL takes a variable in "m" for a height.
            ("units", "metre"),
            ("coverage_content_type", "physicalMeasurement"),
        ],
    ),
    (
        "speed",
        &[
            ("standard_name", "platform_speed_wrt_ground"),
            ("long_name", "speed over ground"),
            ("units", "m s-1"),
            ("coverage_content_type", "physicalMeasurement"),
        ],
    ),
    (
        "course",
        &[
            ("standard_name", "platform_course"),
            ("long_name", "course over ground, true"),
            ("units", "degree"),
            ("coverage_content_type", "physicalMeasurement"),
        ],
    ),
    (
        "gap",
        &[
            ("long_name", "time since the previous fix"),
            ("units", "s"),
            ("coverage_content_type", "physicalMeasurement"),
        ],
    ),
];

const QUALITY: &[Variable] = &[
    (
        "qc_flag",
        &[
            ("long_name", "QARTOD flag of the position"),
            ("standard_name", "aggregate_quality_flag"),
            ("flag_meanings", "pass not_evaluated suspect fail missing"),
            (
                "comment",
                "the tests and limits are in the attribute qc_method of the file",
            ),
            ("coverage_content_type", "qualityInformation"),
        ],
    ),
    (
        "qc_reason",
        &[
            (
                "long_name",
                "why the flag is set, with the number and its limit",
            ),
            ("coverage_content_type", "qualityInformation"),
        ],
    ),
];

const ABSENT_VARIABLE: Variable = (
    ABSENT,
    &[
        (
            "long_name",
            "whether the latest response of the service lacks the fix",
        ),
        ("flag_meanings", "present absent"),
        ("coverage_content_type", "auxiliaryInformation"),
    ],
);

/// Writes the variables in the order of their definition.
fn fill(
    data_set: &DataSet,
    track: &Track,
    reason_length: usize,
    variables: &[FieldVariable<'_>],
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let of_a_fix = BYTES_OF_A_FIX + fields::bytes_of_a_fix(variables);
    let version = if track.len() * of_a_fix < MOST_CLASSIC {
        Version::Classic
    } else {
        Version::Offset64Bit
    };
    let mut file = NetcdfFile::new(data_set, version, out)?;
    file.numbers("trajectory", &[1])?;
    file.numbers("crs", &[0])?;
    if track.is_empty() {
        file.doubles("height", &[0.0])?;
        return file.close();
    }
    file.doubles("time", track.time_stamps())?;
    file.doubles("lat", track.latitudes())?;
    file.doubles("lon", track.longitudes())?;
    file.doubles("time_stamp", track.time_stamps())?;
    // A leg is a geodesic: each is computed once.
    let mut legs: [Vec<f64>; 3] = [const { Vec::new() }; 3];
    for leg in (0..track.len()).map(|index| track.leg(index)) {
        let values = [
            leg.as_ref().map(|leg| leg.distance_m),
            leg.as_ref().and_then(|leg| leg.speed_m_s),
            leg.as_ref().and_then(|leg| leg.course_deg),
        ];
        for (column, value) in legs.iter_mut().zip(values) {
            column.push(value.unwrap_or(FILL));
        }
    }
    for (name, column) in ["distance", "speed", "course"].into_iter().zip(legs) {
        file.doubles(name, &column)?;
    }
    let gap = |index| {
        let (from, times) = (track.leg_start(index)?, track.time_stamps());
        Some(times.get(index)? - times.get(from)?)
    };
    let gaps: Vec<f64> = (0..track.len())
        .map(|index| gap(index).unwrap_or(FILL))
        .collect();
    file.doubles("gap", &gaps)?;
    drop(gaps);
    file.doubles("height", &[0.0])?;
    let flags: Vec<i8> = track
        .flags()
        .iter()
        .map(|flag| i8::try_from(flag.code()).unwrap_or(9))
        .collect();
    file.flags("qc_flag", &flags)?;
    if has_absent(track) {
        let absent: Vec<i8> = (0..track.len())
            .map(|index| i8::from(track.is_absent_from_latest(index)))
            .collect();
        file.flags(ABSENT, &absent)?;
    }
    fields::fill(&mut file, track, variables)?;
    file.bytes("qc_reason", &reasons(track, reason_length))?;
    file.close()
}

/// The reasons, each filled up with zero bytes to the same length.
fn reasons(track: &Track, length: usize) -> Vec<u8> {
    let mut text = vec![0; track.len() * length];
    for (fix, cell) in track.fixes().zip(text.chunks_exact_mut(length)) {
        if fix.reason != Reason::None {
            let reason = track.reason_text(fix.index);
            for (to, from) in cell.iter_mut().zip(reason.bytes()) {
                *to = from;
            }
        }
    }
    text
}
