//! GeoParquet 1.1: the columns of the CSV, and a WKB point for each fix. A file holds a
//! whole track, or the part of a table that has many.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{FooterTail, KeyValue, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use serde_json::json;

use super::columns::{Column, Kind, Row, Value, columns, names};
use super::fields;
use super::format::{ExportError, Format};
use super::subject::{Subject, first_unusable, tests};
use crate::geo::{BoundingBox, Position};
use crate::track::field::{FieldColumn, FieldValue};
use crate::track::{Track, time};

/// Rows of a row group: enough to compress well, few enough for memory.
const GROUP: usize = 100_000;

fn leaf(
    name: &str,
    physical: PhysicalType,
    logical: Option<LogicalType>,
) -> Result<Arc<Type>, ParquetError> {
    let leaf = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(leaf))
}

impl Column {
    /// Its type. Times are microseconds of UTC.
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
        leaf(self.name, physical, logical)
    }

    /// `true` if its values are seldom the same: a dictionary would take time and room.
    fn is_unlike(&self) -> bool {
        matches!(self.kind, Kind::Time | Kind::Number | Kind::Measured)
    }
}

/// The columns of a part of a table that say whose fixes they are.
const OWNER: [&str; 2] = ["deployment", "label"];

/// The column of a field in a file.
struct FieldLeaf<'a> {
    name: String,
    column: &'a FieldColumn,
    /// `true` if all values in the file are numbers, or null.
    is_numeric: bool,
}

/// The file of some fixes of a track.
struct TrackFile<'a> {
    subject: &'a Subject<'a>,
    track: &'a Track,
    /// The fixes, by their index.
    fixes: Range<usize>,
    columns: Vec<&'static Column>,
    fields: Vec<FieldLeaf<'a>>,
    /// The values of [`OWNER`]; `None` for a file of a whole track.
    owner: Option<[Option<ByteArray>; 2]>,
}

/// Writes a whole track.
pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let file = TrackFile::new(subject, track, 0..track.len(), None);
    let invalid = track.unusable_count().to_string();
    let besides = [
        ("fetched_at", Some(time::rfc3339(subject.fetched_at))),
        ("unusable_records", Some(invalid)),
        ("first_unusable_record", first_unusable(track)),
    ];
    file.write(&besides, out).map_err(error)
}

/// Writes some fixes of a track as a part of a table, in which columns say whose they are.
/// Its bytes follow from these fixes, their flags and legs alone.
///
/// # Errors
/// When writing to `out` fails.
pub(crate) fn write_part(
    subject: &Subject<'_>,
    track: &Track,
    fixes: Range<usize>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let owner = [Some(subject.deployment), subject.label].map(|text| text.map(ByteArray::from));
    let file = TrackFile::new(subject, track, fixes, Some(owner));
    file.write(&[], out).map_err(error)
}

/// The deployment that a file of driftline says it is of; `None` for another file.
pub(crate) fn deployment(file: &[u8]) -> Option<String> {
    let tail = FooterTail::try_new(file.last_chunk()?).ok()?;
    let end = file.len().checked_sub(FOOTER_SIZE)?;
    let footer = file.get(end.checked_sub(tail.metadata_length())?..end)?;
    let metadata = ParquetMetaDataReader::decode_metadata(footer).ok()?;
    let pairs = metadata.file_metadata().key_value_metadata()?;
    let owner = pairs.iter().find(|pair| pair.key == OWNER[0])?;
    owner.value.clone()
}

impl<'a> TrackFile<'a> {
    fn new(
        subject: &'a Subject<'a>,
        track: &'a Track,
        fixes: Range<usize>,
        owner: Option<[Option<ByteArray>; 2]>,
    ) -> Self {
        let rows = fixes.clone().filter_map(|fix| track.fix(fix));
        let columns = columns(rows.map(|fix| Row::new(track, fix)));
        // Fields of other months are none of this file's: it would change with them.
        let values = |column: &'a FieldColumn| {
            let fixes = fixes.clone();
            fixes.filter_map(move |fix| track.fields().value(column, fix))
        };
        let present: Vec<&FieldColumn> = (track.fields().columns())
            .filter(|column| values(column).next().is_some())
            .collect();
        let taken = names()
            .chain([GEOMETRY])
            .chain(owner.iter().flat_map(|_| OWNER));
        let names = fields::distinct(present.iter().map(|column| column.name()), taken);
        let leaf = |(name, column): (String, &'a FieldColumn)| FieldLeaf {
            name,
            column,
            is_numeric: !values(column)
                .any(|value| matches!(value, FieldValue::Truth(_) | FieldValue::Text(_))),
        };
        Self {
            subject,
            track,
            columns,
            fields: names.into_iter().zip(present).map(leaf).collect(),
            owner,
            fixes,
        }
    }

    /// The columns, those of the fields, and last the points.
    fn schema(&self) -> Result<Type, ParquetError> {
        let text = || (PhysicalType::BYTE_ARRAY, Some(LogicalType::String));
        let mut leaves = Vec::new();
        for name in self.owner.iter().flat_map(|_| OWNER) {
            let (physical, logical) = text();
            leaves.push(leaf(name, physical, logical)?);
        }
        for column in &self.columns {
            leaves.push(column.leaf()?);
        }
        for field in &self.fields {
            let (physical, logical) = if field.is_numeric {
                (PhysicalType::DOUBLE, None)
            } else {
                text()
            };
            leaves.push(leaf(&field.name, physical, logical)?);
        }
        leaves.push(leaf(GEOMETRY, PhysicalType::BYTE_ARRAY, None)?);
        Type::group_type_builder("track")
            .with_fields(leaves)
            .build()
    }

    /// Writes the file, with what it says of itself besides what each says.
    fn write(
        &self,
        besides: &[(&str, Option<String>)],
        out: &mut dyn Write,
    ) -> Result<(), ParquetError> {
        let track = self.track;
        let pair = |name: &str, value: Option<String>| KeyValue::new(name.to_owned(), value);
        let deployment = self.subject.deployment.to_owned();
        let mut metadata = vec![
            pair("geo", Some(self.geo())),
            pair(OWNER[0], Some(deployment)),
            pair(OWNER[1], self.subject.label.map(str::to_owned)),
            pair("platform", Some(track.platform().name().to_owned())),
            pair("qc_method", Some(tests(track))),
        ];
        metadata.extend(
            besides
                .iter()
                .map(|(name, value)| pair(name, value.clone())),
        );
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("driftline ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata));
        let unlike = self.columns.iter().filter(|column| column.is_unlike());
        for name in unlike.map(|column| column.name).chain([GEOMETRY]) {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), false);
        }
        // The writer requires an output that is `Send`, which `out` need not be: each
        // group is built in memory and passed on.
        let properties = Arc::new(properties.build());
        let schema = Arc::new(self.schema()?);
        let mut file = SerializedFileWriter::new(Vec::new(), schema, properties)?;
        let mut from = self.fixes.start;
        while from < self.fixes.end {
            let to = (from + GROUP).min(self.fixes.end);
            let mut group = file.next_row_group()?;
            self.write_group(&mut group, from..to)?;
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
        &self,
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
        fixes: Range<usize>,
    ) -> Result<(), ParquetError> {
        let track = self.track;
        for text in self.owner.iter().flatten() {
            write_column::<ByteArrayType, _>(group, fixes.clone().map(|_| text.clone()))?;
        }
        // A leg is a geodesic: each is computed once.
        let rows = fixes.clone().filter_map(|fix| track.fix(fix));
        let rows: Vec<Row<'_>> = rows.map(|fix| Row::new(track, fix)).collect();
        for column in &self.columns {
            let values = rows.iter().map(|row| (column.value)(row));
            match column.kind {
                Kind::Time => {
                    let times = values.map(|value| value.number().map(micros));
                    write_column::<Int64Type, _>(group, times)?;
                }
                Kind::Number | Kind::Measured | Kind::Duration => {
                    write_column::<DoubleType, _>(group, values.map(|value| value.number()))?;
                }
                Kind::Flag => {
                    let code = |value| match value {
                        Value::Flag(flag) => Some(i32::from(flag.code())),
                        _ => None,
                    };
                    write_column::<Int32Type, _>(group, values.map(code))?;
                }
                Kind::Text => {
                    let text = |value| match value {
                        Value::Text(text) => Some(text.as_bytes().to_vec().into()),
                        _ => None,
                    };
                    write_column::<ByteArrayType, _>(group, values.map(text))?;
                }
                Kind::Truth => {
                    let truths = values.map(|value| Some(value == Value::Truth(true)));
                    write_column::<BoolType, _>(group, truths)?;
                }
            }
        }
        for field in &self.fields {
            field_column(group, track, fixes.clone(), field)?;
        }
        let positions: Vec<Position> = rows.iter().map(|row| row.fix.position).collect();
        write_column::<ByteArrayType, _>(group, points(&positions).map(Some))
    }

    /// The metadata of GeoParquet 1.1, with the box around all points in the file, failed fixes
    /// included. Without a `crs` coordinates are longitude and latitude (OGC:CRS84).
    fn geo(&self) -> String {
        let fixes = self.fixes.clone().filter_map(|fix| self.track.fix(fix));
        let bbox = BoundingBox::around(fixes.map(|fix| fix.position));
        let mut column = json!({ "encoding": "WKB", "geometry_types": ["Point"] });
        if let Some(bbox) = bbox {
            column["bbox"] = json!(bbox.corners());
        }
        json!({
            "version": "1.1.0",
            "primary_column": GEOMETRY,
            "columns": { GEOMETRY: column },
        })
        .to_string()
    }
}

/// Writes the column of a field: doubles where all values are numbers, else text.
fn field_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    track: &Track,
    fixes: Range<usize>,
    field: &FieldLeaf<'_>,
) -> Result<(), ParquetError> {
    let values = fixes.map(|fix| track.fields().value(field.column, fix));
    if field.is_numeric {
        return write_column::<DoubleType, _>(group, values.map(|value| value?.number()));
    }
    let text = |value| fields::as_text(value).map(|text| text.as_bytes().to_vec().into());
    write_column::<ByteArrayType, _>(group, values.map(|value| text(value?)))
}

/// Microseconds of a time in UNIX seconds.
fn micros(time: f64) -> i64 {
    // Within the calendar.
    (time * 1e6).round() as i64
}

/// The column of the points.
const GEOMETRY: &str = "geometry";

/// Points in well-known binary (OGC 06-103r4, section 8), little-endian.
fn points(positions: &[Position]) -> impl Iterator<Item = ByteArray> {
    const LENGTH: usize = 21;
    let mut bytes = Vec::with_capacity(LENGTH * positions.len());
    for position in positions {
        bytes.push(1);
        bytes.extend_from_slice(&1u32.to_le_bytes());
        bytes.extend_from_slice(&position.longitude.to_le_bytes());
        bytes.extend_from_slice(&position.latitude.to_le_bytes());
    }
    let starts = (0..bytes.len()).step_by(LENGTH);
    let all = ByteArray::from(bytes);
    starts.map(move |start| all.slice(start, LENGTH))
}

/// Writes the next column; definition levels mark the missing values.
fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let mut levels = Vec::new();
    let mut present = Vec::new();
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General("a column is missing".to_owned()));
    };
    let column = writer.typed::<T>();
    column.write_batch(&present, Some(&levels), None)?;
    writer.close()
}

/// The error of an export that a Parquet writer ends with: that of the output, or what
/// the format cannot hold.
fn error(error: ParquetError) -> ExportError {
    let unfit = |reason: String| ExportError::Unfit {
        format: Format::Parquet,
        reason,
    };
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => ExportError::Io(*error),
            Err(cause) => unfit(cause.to_string()),
        },
        other => unfit(other.to_string()),
    }
}
