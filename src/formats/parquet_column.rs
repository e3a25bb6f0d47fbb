//! The columns of a Parquet file, written one after another into a row group.

use std::io::{self, Write};

use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

use serde_json::json;

use super::format::{ExportError, Format};
use crate::geo::Position;

/// Microseconds of a time in UNIX seconds.
pub(super) fn micros(time: f64) -> i64 {
    // Within the calendar.
    (time * 1e6).round() as i64
}

/// The column of the points.
pub(super) const GEOMETRY: &str = "geometry";

/// Points in well-known binary (OGC 06-103r4, section 8), little-endian.
pub(super) fn points(positions: &[Position]) -> impl Iterator<Item = ByteArray> {
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

/// The metadata of GeoParquet 1.1, with the box around all points. Without a `crs`
/// coordinates are longitude and latitude (OGC:CRS84).
pub(super) fn geo_metadata(bbox: Option<[f64; 4]>) -> String {
    let mut column = json!({ "encoding": "WKB", "geometry_types": ["Point"] });
    if let Some(members) = column.as_object_mut() {
        members.extend(bbox.map(|bbox| ("bbox".to_owned(), json!(bbox))));
    }
    json!({
        "version": "1.1.0",
        "primary_column": GEOMETRY,
        "columns": { GEOMETRY: column },
    })
    .to_string()
}

/// Writes the next column; definition levels mark the missing values.
pub(super) fn write_column<T: DataType, W: Write + Send>(
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
pub(super) fn error(error: ParquetError) -> ExportError {
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
