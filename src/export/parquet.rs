//! GeoParquet 1.1: the columns of the CSV, and a WKB point for each fix.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type};
use serde_json::json;

use super::error::ExportError;
use super::fields;
use super::method::{first_unusable, tests};
use super::parquet_column::{self, micros, optional, required};
use super::row::{ABSENT, has_absent};
use super::subject::Subject;
use crate::geo::BoundingBox;
use crate::track::field::FieldColumn;
use crate::track::{Leg, Track, time};

/// Rows of a row group: enough to compress well, few enough for memory.
const GROUP: usize = 100_000;

/// The columns. Times are microseconds of UTC; columns that a fix may lack are
/// optional, as those of the fields are.
fn schema(track: &Track, has_absent: bool) -> Result<Type, ParquetError> {
    let absent = match has_absent {
        true => format!("required boolean {ABSENT};"),
        false => String::new(),
    };
    let message = format!("message track {{ {COLUMNS} {absent} required byte_array geometry; }}");
    let ours = parse_message_type(&message)?;
    if track.fields().is_empty() {
        return Ok(ours);
    }
    let mut columns = ours.get_fields().to_vec();
    let geometry = columns.pop();
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    let names: Vec<&str> = names.into_iter().chain(["geometry", ABSENT]).collect();
    let names = fields::names(track, &names);
    for (name, column) in names.iter().zip(track.fields().columns()) {
        let (physical, logical) = match column.is_numeric() {
            true => (PhysicalType::DOUBLE, None),
            false => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let column = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        columns.push(Arc::new(column));
    }
    columns.extend(geometry);
    Type::group_type_builder("track")
        .with_fields(columns)
        .build()
}

const COLUMNS: &str = "
        required int64 time (TIMESTAMP(MICROS, true));
        required double time_stamp;
        required double latitude;
        required double longitude;
        optional double distance_m;
        optional double speed_m_s;
        optional double course_deg;
        optional double gap_s;
        required int32 qc_flag;
        required byte_array qc_reason (STRING);";

/// Columns whose values are seldom the same: a dictionary would take time and room.
const UNLIKE: [&str; 8] = [
    "time",
    "time_stamp",
    "latitude",
    "longitude",
    "distance_m",
    "speed_m_s",
    "course_deg",
    "geometry",
];

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    write_file(subject, track, out).map_err(parquet_column::error)
}

fn write_file(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ParquetError> {
    let has_absent = has_absent(track);
    let schema = Arc::new(schema(track, has_absent)?);
    let metadata = vec![
        KeyValue::new("geo".to_owned(), geo(track)),
        KeyValue::new("deployment".to_owned(), subject.deployment.to_owned()),
        KeyValue::new("label".to_owned(), subject.label.map(str::to_owned)),
        KeyValue::new("platform".to_owned(), track.platform().name().to_owned()),
        KeyValue::new("fetched_at".to_owned(), time::rfc3339(subject.fetched_at)),
        KeyValue::new("qc_method".to_owned(), tests(track)),
        KeyValue::new(
            "unusable_records".to_owned(),
            track.unusable_count().to_string(),
        ),
        KeyValue::new("first_unusable_record".to_owned(), first_unusable(track)),
    ];
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("driftline ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata));
    for name in UNLIKE {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    // The writer requires an output that is `Send`, which `out` need not be: each
    // group is built in memory and passed on.
    let properties = Arc::new(properties.build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let mut from = 0;
    while from < track.len() {
        let to = (from + GROUP).min(track.len());
        let mut group = file.next_row_group()?;
        write_group(&mut group, track, from..to, has_absent)?;
        group.close()?;
        let group = file.inner_mut();
        out.write_all(group)?;
        group.clear();
        from = to;
    }
    let bytes = file.into_inner()?;
    out.write_all(&bytes)?;
    Ok(())
}

/// Writes the fixes of a group, column by column.
fn write_group(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    track: &Track,
    fixes: Range<usize>,
    has_absent: bool,
) -> Result<(), ParquetError> {
    let of = |values: &[f64]| values.get(fixes.clone()).unwrap_or_default().to_vec();
    let (times, latitudes, longitudes) = (
        of(track.time_stamps()),
        of(track.latitudes()),
        of(track.longitudes()),
    );
    // A leg is a geodesic: each is computed once.
    let legs: Vec<Option<Leg>> = fixes.clone().map(|fix| track.leg(fix)).collect();
    let of_legs = |value: fn(&Leg) -> Option<f64>| legs.iter().map(move |leg| value(leg.as_ref()?));
    let micros: Vec<i64> = times.iter().copied().map(micros).collect();
    required::<Int64Type, _>(group, &micros)?;
    required::<DoubleType, _>(group, &times)?;
    required::<DoubleType, _>(group, &latitudes)?;
    required::<DoubleType, _>(group, &longitudes)?;
    optional::<DoubleType, _>(group, of_legs(|leg| Some(leg.distance_m)))?;
    optional::<DoubleType, _>(group, of_legs(|leg| leg.speed_m_s))?;
    optional::<DoubleType, _>(group, of_legs(|leg| leg.course_deg))?;
    optional::<DoubleType, _>(group, of_legs(|leg| Some(leg.duration_s)))?;
    let flags = track.flags().get(fixes.clone()).unwrap_or_default();
    let flags: Vec<i32> = flags.iter().map(|flag| i32::from(flag.code())).collect();
    required::<Int32Type, _>(group, &flags)?;
    let reason = |fix| ByteArray::from(track.reason_text(fix).as_bytes().to_vec());
    let reasons: Vec<ByteArray> = fixes.clone().map(reason).collect();
    required::<ByteArrayType, _>(group, &reasons)?;
    if has_absent {
        let absent = fixes.clone().map(|fix| track.is_absent_from_latest(fix));
        required::<BoolType, _>(group, &absent.collect::<Vec<bool>>())?;
    }
    for field in track.fields().columns() {
        field_column(group, track, fixes.clone(), field)?;
    }
    required::<ByteArrayType, _>(group, &points(&longitudes, &latitudes))
}

/// Writes the column of a field: doubles where all values are numbers, else text.
fn field_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    track: &Track,
    fixes: Range<usize>,
    field: &FieldColumn,
) -> Result<(), ParquetError> {
    let values = fixes.map(|fix| track.fields().value(field, fix));
    if field.is_numeric() {
        return optional::<DoubleType, _>(group, values.map(|value| value?.number()));
    }
    let text = |value| fields::as_text(value).map(|text| text.as_bytes().to_vec().into());
    optional::<ByteArrayType, _>(group, values.map(|value| text(value?)))
}

/// Points in well-known binary (OGC 06-103r4, section 8), little-endian.
fn points(longitudes: &[f64], latitudes: &[f64]) -> Vec<ByteArray> {
    const LENGTH: usize = 21;
    let mut bytes = Vec::with_capacity(LENGTH * longitudes.len());
    for (longitude, latitude) in longitudes.iter().zip(latitudes) {
        bytes.push(1);
        bytes.extend_from_slice(&1u32.to_le_bytes());
        bytes.extend_from_slice(&longitude.to_le_bytes());
        bytes.extend_from_slice(&latitude.to_le_bytes());
    }
    let starts = (0..bytes.len()).step_by(LENGTH);
    let all = ByteArray::from(bytes);
    starts.map(|start| all.slice(start, LENGTH)).collect()
}

/// The metadata of GeoParquet 1.1. Without a `crs` coordinates are longitude
/// and latitude (OGC:CRS84).
fn geo(track: &Track) -> String {
    let mut column = json!({ "encoding": "WKB", "geometry_types": ["Point"] });
    // Around all points in the file, failed fixes included.
    let bbox = BoundingBox::around(track.fixes().map(|fix| fix.position));
    if let (Some(bbox), Some(members)) = (bbox, column.as_object_mut()) {
        members.insert("bbox".to_owned(), json!(bbox.corners()));
    }
    json!({
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": { "geometry": column },
    })
    .to_string()
}
