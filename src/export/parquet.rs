//! GeoParquet 1.1: the columns of the CSV, and a WKB point for each fix.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use serde_json::json;

use super::error::ExportError;
use super::fields;
use super::format::Format;
use super::method::{first_unusable, tests};
use super::row::{ABSENT, Row, has_absent};
use super::subject::Subject;
use crate::geo::BoundingBox;
use crate::track::field::FieldColumn;
use crate::track::{Track, time};

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

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    write_file(subject, track, out).map_err(|error| match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(error) => ExportError::Io(*error),
            Err(cause) => unfit(cause.to_string()),
        },
        other => unfit(other.to_string()),
    })
}

fn unfit(reason: String) -> ExportError {
    ExportError::Unfit {
        format: Format::Parquet,
        reason,
    }
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
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("driftline ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    // The writer requires an output that is `Send`, which `out` need not be: each
    // group is built in memory and passed on.
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut from = 0;
    while from < track.len() {
        let to = (from + GROUP).min(track.len());
        let rows: Vec<Row<'_>> = (from..to)
            .filter_map(|index| track.fix(index))
            .map(|fix| Row::new(track, &fix, has_absent))
            .collect();
        let mut group = file.next_row_group()?;
        write_group(&mut group, track, &rows)?;
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

fn write_group(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    track: &Track,
    rows: &[Row<'_>],
) -> Result<(), ParquetError> {
    #[allow(clippy::cast_possible_truncation)] // within the calendar
    let micros = |row: &Row<'_>| (row.time_stamp * 1e6).round() as i64;
    column::<Int64Type>(group, rows, |row| Some(micros(row)))?;
    column::<DoubleType>(group, rows, |row| Some(row.time_stamp))?;
    column::<DoubleType>(group, rows, |row| Some(row.latitude))?;
    column::<DoubleType>(group, rows, |row| Some(row.longitude))?;
    column::<DoubleType>(group, rows, |row| row.distance_m)?;
    column::<DoubleType>(group, rows, |row| row.speed_m_s)?;
    column::<DoubleType>(group, rows, |row| row.course_deg)?;
    column::<DoubleType>(group, rows, |row| row.gap_s)?;
    column::<Int32Type>(group, rows, |row| Some(i32::from(row.flag.code())))?;
    column::<ByteArrayType>(group, rows, |row| {
        Some(ByteArray::from(row.reason.as_bytes().to_vec()))
    })?;
    // All rows of a file have it, or none.
    if rows.first().is_some_and(|row| row.absent.is_some()) {
        column::<BoolType>(group, rows, |row| row.absent)?;
    }
    for field in track.fields().columns() {
        field_column(group, rows, field)?;
    }
    column::<ByteArrayType>(group, rows, |row| Some(ByteArray::from(point(row))))
}

/// Writes the column of a field: doubles where all values are numbers, else text.
fn field_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[Row<'_>],
    field: &FieldColumn,
) -> Result<(), ParquetError> {
    let value = |row: &Row<'_>| row.fields.value(field);
    if field.is_numeric() {
        return column::<DoubleType>(group, rows, |row| value(row)?.number());
    }
    column::<ByteArrayType>(group, rows, |row| {
        let text = fields::as_text(value(row)?)?;
        Some(ByteArray::from(text.as_bytes().to_vec()))
    })
}

/// Writes the next column. Definition levels mark missing values; a required
/// column has none.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[Row<'_>],
    value: impl Fn(&Row<'_>) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General("a column is missing".to_owned()));
    };
    let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
    writer
        .typed::<T>()
        .write_batch(&present, Some(&levels), None)?;
    writer.close()
}

/// A point in well-known binary (OGC 06-103r4, section 8), little-endian.
fn point(row: &Row<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(21);
    bytes.push(1);
    bytes.extend_from_slice(&1u32.to_le_bytes());
    bytes.extend_from_slice(&row.longitude.to_le_bytes());
    bytes.extend_from_slice(&row.latitude.to_le_bytes());
    bytes
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
