//! A file of the table on an object store: GeoParquet 1.1 of many deployments, with
//! a bounding box for each point, written a row group at a time.

use std::io::Write;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{FooterTail, KeyValue, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use serde::ser::{SerializeMap, Serializer};
use serde_json::json;

use super::fields::Json;
use super::format::ExportError;
use super::parquet_column;
use super::parquet_column::{geo_metadata, micros, optional, points, required};
use crate::geo::Position;
use crate::text::json::JsonWriter;
use crate::track::Flag;
use crate::track::field::FieldValue;

/// Rows of a row group. A reader of a deployment reads one or two groups: a smaller group costs
/// less to read and makes the directory of the file larger.
const GROUP: usize = 32_768;
/// A row group ends earlier where the fields of its rows have more bytes.
const MOST_FIELD_BYTES: usize = 32 << 20;
/// Deployments of a row group, at most, for which the filter is sized.
const DEPLOYMENTS: u64 = 4096;

/// The columns, in order. Times are microseconds of UTC.
const SCHEMA: &str = "message records {
    required byte_array deployment (STRING);
    optional byte_array label (STRING);
    required int64 time (TIMESTAMP(MICROS, true));
    required double time_stamp;
    required double latitude;
    required double longitude;
    optional int64 received_by (TIMESTAMP(MICROS, true));
    optional int32 qc_override;
    optional byte_array fields (STRING);
    required group bbox {
        required float xmin;
        required float ymin;
        required float xmax;
        required float ymax;
    }
    required byte_array geometry;
}";

/// A record of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableRow {
    /// Time, UNIX seconds.
    pub(crate) time_stamp: f64,
    /// Position.
    pub(crate) position: Position,
    /// A time at which the archive had it, UNIX seconds.
    pub(crate) received_by: Option<f64>,
    /// The flag that the user set.
    pub(crate) flag: Option<Flag>,
    /// Its fields as a JSON object.
    pub(crate) fields: Option<String>,
}

/// The fields of a record as a JSON object; `None` for none.
pub(crate) fn fields_object<'a>(
    fields: impl Iterator<Item = (&'a str, FieldValue<'a>)>,
) -> Option<String> {
    let mut fields = fields.peekable();
    fields.peek()?;
    let mut text = Vec::new();
    let mut out = serde_json::Serializer::new(JsonWriter::new(&mut text));
    let mut map = (&mut out).serialize_map(None).ok()?;
    for (name, value) in fields {
        map.serialize_entry(name, &Json(value)).ok()?;
    }
    map.end().ok()?;
    String::from_utf8(text).ok()
}

/// The state of a file of the table, as its metadata gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableFileState {
    pub(crate) rows: u64,
    /// The number of buckets of its month.
    pub(crate) buckets: u16,
    /// A hash of what it was made from.
    pub(crate) basis: u64,
}

/// The names of what a file says of itself.
const BUCKETS: &str = "driftline.buckets";
const BASIS: &str = "driftline.basis";

impl TableFileState {
    /// How many of the last bytes of a file it takes to read it, seen in the last ones;
    /// `None` if it is no Parquet file.
    pub(crate) fn bytes(end: &[u8]) -> Option<u64> {
        let tail = FooterTail::try_new(end.last_chunk()?).ok()?;
        u64::try_from(tail.metadata_length() + FOOTER_SIZE).ok()
    }

    /// Reads it from the last bytes of a file; `None` if driftline did not write it.
    pub(crate) fn read(end: &[u8]) -> Option<Self> {
        let from = end.len().checked_sub(Self::bytes(end)?.try_into().ok()?)?;
        let footer = end.get(from..end.len() - FOOTER_SIZE)?;
        let metadata = ParquetMetaDataReader::decode_metadata(footer).ok()?;
        let metadata = metadata.file_metadata();
        let pairs = metadata.key_value_metadata()?;
        let value = |name: &str| pairs.iter().find(|pair| pair.key == name)?.value.as_ref();
        Some(Self {
            rows: metadata.num_rows().try_into().ok()?,
            buckets: value(BUCKETS)?
                .parse()
                .ok()
                .filter(|buckets| *buckets > 0)?,
            basis: u64::from_str_radix(value(BASIS)?, 16).ok()?,
        })
    }
}

/// Rows that are not written yet, as columns.
#[derive(Default)]
struct Group {
    deployments: Vec<ByteArray>,
    labels: Vec<Option<ByteArray>>,
    rows: Vec<TableRow>,
    field_bytes: usize,
}

/// A file that is being written. The rows of a deployment come one after another.
pub(crate) struct TableFile<W: Write + Send> {
    file: SerializedFileWriter<W>,
    /// The deployment whose rows come, and its label.
    current: (ByteArray, Option<ByteArray>),
    group: Group,
    /// The west, south, east and north of all points. Across the antimeridian it is the whole
    /// width.
    extent: Option<[f64; 4]>,
    rows: u64,
}

impl<W: Write + Send> TableFile<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub(crate) fn new(out: W) -> Result<Self, ExportError> {
        Self::begin(out).map_err(parquet_column::error)
    }

    fn begin(out: W) -> Result<Self, ParquetError> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("driftline ", env!("CARGO_PKG_VERSION")).to_owned())
            // Readers skip by row group; statistics of pages would make the
            // directory of a large file several times as large.
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_dictionary_enabled(false)
            .set_column_encoding(ColumnPath::from("time"), Encoding::DELTA_BINARY_PACKED)
            .set_column_bloom_filter_enabled(ColumnPath::from("deployment"), true)
            .set_column_bloom_filter_fpp(ColumnPath::from("deployment"), 0.01)
            .set_column_bloom_filter_max_ndv(ColumnPath::from("deployment"), DEPLOYMENTS)
            .set_column_statistics_enabled(ColumnPath::from("geometry"), EnabledStatistics::None)
            .set_column_statistics_enabled(ColumnPath::from("fields"), EnabledStatistics::None);
        for name in ["deployment", "label", "received_by", "qc_override"] {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), true);
        }
        let schema = parse_message_type(SCHEMA)?;
        Ok(Self {
            file: SerializedFileWriter::new(out, schema.into(), properties.build().into())?,
            current: (ByteArray::new(), None),
            group: Group::default(),
            extent: None,
            rows: 0,
        })
    }

    /// Says whose rows come from here on.
    pub(crate) fn deployment(&mut self, uuid: &str, label: Option<&str>) {
        self.current = (ByteArray::from(uuid), label.map(ByteArray::from));
    }

    /// Adds a row of the deployment.
    ///
    /// # Errors
    /// When writing to the output fails.
    pub(crate) fn push(&mut self, row: TableRow) -> Result<(), ExportError> {
        let Position {
            longitude: x,
            latitude: y,
        } = row.position;
        let [west, south, east, north] = self.extent.unwrap_or([x, y, x, y]);
        self.extent = Some([west.min(x), south.min(y), east.max(x), north.max(y)]);
        self.rows += 1;
        let group = &mut self.group;
        group.field_bytes += row.fields.as_ref().map_or(0, String::len);
        group.deployments.push(self.current.0.clone());
        group.labels.push(self.current.1.clone());
        group.rows.push(row);
        if group.rows.len() >= GROUP || group.field_bytes >= MOST_FIELD_BYTES {
            self.end_group().map_err(parquet_column::error)?;
        }
        Ok(())
    }

    /// Number of rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes the rest, and what the file says of itself but its number of rows, which it
    /// has; returns the output.
    ///
    /// # Errors
    /// When writing to the output fails.
    pub(crate) fn finish(mut self, state: &TableFileState) -> Result<W, ExportError> {
        let finished = || -> Result<W, ParquetError> {
            self.end_group()?;
            for (name, value) in [
                ("geo", geo(self.extent)),
                (BUCKETS, state.buckets.to_string()),
                (BASIS, format!("{:x}", state.basis)),
            ] {
                let pair = KeyValue::new(name.to_owned(), value);
                self.file.append_key_value_metadata(pair);
            }
            self.file.into_inner()
        };
        finished().map_err(parquet_column::error)
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        let group = std::mem::take(&mut self.group);
        if group.rows.is_empty() {
            return Ok(());
        }
        let mut out = self.file.next_row_group()?;
        write_group(&mut out, group)?;
        out.close()?;
        Ok(())
    }
}

fn write_group<W: Write + Send>(
    out: &mut SerializedRowGroupWriter<'_, W>,
    group: Group,
) -> Result<(), ParquetError> {
    let Group {
        deployments,
        labels,
        mut rows,
        ..
    } = group;
    required::<ByteArrayType, _>(out, &deployments)?;
    optional::<ByteArrayType, _>(out, labels.into_iter())?;
    let of = |rows: &[TableRow], value: fn(&TableRow) -> f64| -> Vec<f64> {
        rows.iter().map(value).collect()
    };
    let times: Vec<i64> = rows.iter().map(|row| micros(row.time_stamp)).collect();
    required::<Int64Type, _>(out, &times)?;
    required::<DoubleType, _>(out, &of(&rows, |row| row.time_stamp))?;
    required::<DoubleType, _>(out, &of(&rows, |row| row.position.latitude))?;
    required::<DoubleType, _>(out, &of(&rows, |row| row.position.longitude))?;
    optional::<Int64Type, _>(out, rows.iter().map(|row| row.received_by.map(micros)))?;
    let flags = rows.iter().map(|row| row.flag.map(|flag| flag.code()));
    optional::<Int32Type, _>(out, flags.map(|flag| flag.map(i32::from)))?;
    let fields = rows.iter_mut().map(|row| row.fields.take());
    optional::<ByteArrayType, _>(
        out,
        fields.map(|text| text.map(|text| text.into_bytes().into())),
    )?;
    let edges: [fn(&TableRow) -> f32; 4] = [
        |row| below(row.position.longitude),
        |row| below(row.position.latitude),
        |row| -below(-row.position.longitude),
        |row| -below(-row.position.latitude),
    ];
    for edge in edges {
        required::<FloatType, _>(out, &rows.iter().map(edge).collect::<Vec<_>>())?;
    }
    let positions: Vec<Position> = rows.iter().map(|row| row.position).collect();
    required::<ByteArrayType, _>(out, &points(&positions))
}

/// The largest single-precision number that is not above a coordinate: a box has
/// to contain its point.
fn below(coordinate: f64) -> f32 {
    #[allow(clippy::cast_possible_truncation)] // rounded, and then mended
    let near = coordinate as f32;
    if f64::from(near) > coordinate {
        near.next_down()
    } else {
        near
    }
}

/// The metadata of GeoParquet, which names the box of each row, too.
fn geo(extent: Option<[f64; 4]>) -> String {
    let edge = |name: &str| json!(["bbox", name]);
    let covering = json!({ "bbox": {
        "xmin": edge("xmin"), "ymin": edge("ymin"),
        "xmax": edge("xmax"), "ymax": edge("ymax"),
    } });
    geo_metadata(extent, Some(covering))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_contains_its_point() {
        for coordinate in [0.0, 0.1, -0.1, 77.123_456_789, -179.999_999_9, 180.0, 90.0] {
            let (low, high) = (below(coordinate), -below(-coordinate));
            assert!(f64::from(low) <= coordinate && coordinate <= f64::from(high));
            assert!(high - low <= 3e-5, "{low} {high}");
        }
        assert_eq!((below(0.5), -below(-0.5)), (0.5, 0.5));
    }

    #[test]
    fn fields_are_a_json_object_or_none() {
        assert_eq!(fields_object(std::iter::empty()), None);
        let fields = [
            ("battery", FieldValue::Number(12.5)),
            ("state", FieldValue::Text("a \"b\"\u{9b}")),
            ("off", FieldValue::Truth(false)),
            ("nothing", FieldValue::Null),
            ("serial", FieldValue::Digits("12345678901234567890")),
        ];
        let text = fields_object(fields.into_iter()).unwrap();
        assert_eq!(
            text,
            "{\"battery\":12.5,\"state\":\"a \\\"b\\\"\\u009b\",\"off\":false,\"nothing\":null,\"serial\":12345678901234567890}"
        );
    }

    #[test]
    fn the_metadata_names_the_box_of_all_points_and_the_columns_of_each() {
        let mut file = TableFile::new(Vec::new()).unwrap();
        file.deployment("00000000-0000-0000-0000-000000000007", Some("buoy"));
        for (latitude, longitude) in [(80.0, -179.5), (-10.0, 179.5)] {
            file.push(TableRow {
                time_stamp: 1e9,
                position: Position {
                    latitude,
                    longitude,
                },
                received_by: None,
                flag: Some(Flag::Fail),
                fields: None,
            })
            .unwrap();
        }
        assert_eq!(file.rows(), 2);
        let state = TableFileState {
            rows: 2,
            buckets: 4,
            basis: u64::MAX,
        };
        let bytes = file.finish(&state).unwrap();
        let needed = TableFileState::bytes(&bytes).unwrap();
        let end = &bytes[bytes.len() - usize::try_from(needed).unwrap()..];
        assert_eq!(TableFileState::read(end), Some(state));
        assert_eq!(TableFileState::read(&bytes), Some(state));
        for other in [&bytes[..bytes.len() - 1], &end[1..], b"mine", b"PAR1", b""] {
            assert_eq!(TableFileState::read(other), None);
        }
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("\"bbox\":[-179.5,-10.0,179.5,80.0]"));
        assert!(text.contains("\"covering\":{\"bbox\":{\"xmax\":[\"bbox\",\"xmax\"]"));
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    }
}
