//! The columns of a Parquet file, written one after another into a row group.

use std::io::{self, Write};

use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

use super::error::ExportError;
use super::format::Format;

/// Microseconds of a time in UNIX seconds.
pub(super) fn micros(time: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation)] // within the calendar
    let micros = (time * 1e6).round() as i64;
    micros
}

/// Writes the next column, in which every row has a value.
pub(super) fn required<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    column::<T, W>(group, values, None)
}

/// Writes the next column with missing values, which definition levels mark.
pub(super) fn optional<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    column::<T, W>(group, &present, Some(&levels))
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General("a column is missing".to_owned()));
    };
    writer.typed::<T>().write_batch(values, levels, None)?;
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
