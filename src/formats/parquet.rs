//! GeoParquet 1.1: the columns of the CSV, and a WKB point for each fix.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

use super::columns::{Column, Kind, Row, Value, columns, names, rows};
use super::fields;
use super::format::ExportError;
use super::parquet_column;
use super::parquet_column::{GEOMETRY, geo_metadata, micros, optional, points, required};
use super::subject::{Subject, first_unusable, tests};
use crate::geo::{BoundingBox, Position};
use crate::track::field::FieldColumn;
use crate::track::{Track, time};

/// Rows of a row group: enough to compress well, few enough for memory.
const GROUP: usize = 100_000;

fn leaf(
    name: &str,
    physical: PhysicalType,
    logical: Option<LogicalType>,
    repetition: Repetition,
) -> Result<Arc<Type>, ParquetError> {
    let leaf = Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(leaf))
}

impl Column {
    /// Its type. Times are microseconds of UTC; numbers that a fix may lack are
    /// optional, as the fields are.
    fn leaf(&self) -> Result<Arc<Type>, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::Time => {
                let time = LogicalType::timestamp(true, TimeUnit::MICROS);
                (PhysicalType::INT64, Some(time))
            }
            Kind::Number | Kind::Measured | Kind::Duration => (PhysicalType::DOUBLE, None),
            Kind::Flag => (PhysicalType::INT32, None),
            Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Truth => (PhysicalType::BOOLEAN, None),
        };
        let repetition = match self.kind {
            Kind::Measured | Kind::Duration => Repetition::OPTIONAL,
            _ => Repetition::REQUIRED,
        };
        leaf(self.name, physical, logical, repetition)
    }

    /// `true` if its values are seldom the same: a dictionary would take time and room.
    fn is_unlike(&self) -> bool {
        matches!(self.kind, Kind::Time | Kind::Number | Kind::Measured)
    }
}

/// The columns, those of the fields, and last the points.
fn schema(track: &Track, columns: &[&Column]) -> Result<Type, ParquetError> {
    let mut leaves = Vec::new();
    for column in columns {
        leaves.push(column.leaf()?);
    }
    let field_columns = track.fields().columns();
    let names = fields::distinct(
        field_columns.map(FieldColumn::name),
        names().chain([GEOMETRY]),
    );
    for (name, column) in names.iter().zip(track.fields().columns()) {
        let (physical, logical) = if column.is_numeric() {
            (PhysicalType::DOUBLE, None)
        } else {
            (PhysicalType::BYTE_ARRAY, Some(LogicalType::String))
        };
        leaves.push(leaf(name, physical, logical, Repetition::OPTIONAL)?);
    }
    let points = leaf(
        GEOMETRY,
        PhysicalType::BYTE_ARRAY,
        None,
        Repetition::REQUIRED,
    )?;
    leaves.push(points);
    Type::group_type_builder("track")
        .with_fields(leaves)
        .build()
}

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
    let columns = columns(rows(track));
    let schema = Arc::new(schema(track, &columns)?);
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
    let unlike = columns.iter().filter(|column| column.is_unlike());
    for name in unlike.map(|column| column.name).chain([GEOMETRY]) {
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
        write_group(&mut group, track, from..to, &columns)?;
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
    columns: &[&Column],
) -> Result<(), ParquetError> {
    // A leg is a geodesic: each is computed once.
    let rows = fixes.clone().filter_map(|fix| track.fix(fix));
    let rows: Vec<Row<'_>> = rows.map(|fix| Row::new(track, fix)).collect();
    for column in columns {
        let values = rows.iter().map(|row| (column.value)(row));
        let numbers = || values.clone().filter_map(|value| value.number());
        match column.kind {
            Kind::Time => {
                required::<Int64Type, _>(group, &numbers().map(micros).collect::<Vec<_>>())?
            }
            Kind::Number => required::<DoubleType, _>(group, &numbers().collect::<Vec<_>>())?,
            Kind::Measured | Kind::Duration => {
                optional::<DoubleType, _>(group, values.map(|value| value.number()))?;
            }
            Kind::Flag => {
                let flag = |value| match value {
                    Value::Flag(flag) => Some(i32::from(flag.code())),
                    _ => None,
                };
                required::<Int32Type, _>(group, &values.filter_map(flag).collect::<Vec<_>>())?;
            }
            Kind::Text => {
                let text = |value| match value {
                    Value::Text(text) => Some(ByteArray::from(text.as_bytes().to_vec())),
                    _ => None,
                };
                required::<ByteArrayType, _>(group, &values.filter_map(text).collect::<Vec<_>>())?;
            }
            Kind::Truth => {
                let truth = values.map(|value| value == Value::Truth(true));
                required::<BoolType, _>(group, &truth.collect::<Vec<_>>())?;
            }
        }
    }
    for field in track.fields().columns() {
        field_column(group, track, fixes.clone(), field)?;
    }
    let positions: Vec<Position> = rows.iter().map(|row| row.fix.position).collect();
    required::<ByteArrayType, _>(group, &points(&positions))
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

/// The metadata of GeoParquet: the box around all points in the file, failed fixes
/// included.
fn geo(track: &Track) -> String {
    let bbox = BoundingBox::around(track.fixes().map(|fix| fix.position));
    geo_metadata(bbox.map(|bbox| bbox.corners()), None)
}
