//! Tracks of files: tables of text, JSON, GeoJSON, GPX, KML and NetCDF classic. The kind
//! follows from the content, and every kind becomes rows of cells, which `tracks` gathers.

mod answer;
mod dates;
mod delimited;
mod fault;
mod gathered;
mod ids;
mod json;
mod marks;
mod names;
mod netcdf;
mod overlay;
mod position;
mod readings;
mod times;
mod tracks;
mod units;
mod xml;

pub(crate) use answer::{AnswerFault, MappedAnswer, TrackReader, listed};
pub(crate) use delimited::delimiter;
pub(crate) use fault::ReadError;
pub(crate) use names::{ChosenColumns, IdChoice, UnendedRow};
pub(crate) use overlay::overlay;
pub(crate) use tracks::{FileTrack, FileTracks};

use std::io::{BufRead, Read};

use crate::text;

/// The extensions of files that are read.
pub(crate) const EXTENSIONS: [&str; 11] = [
    "csv", "tsv", "txt", "json", "ndjson", "jsonl", "geojson", "geojsonl", "gpx", "kml", "nc",
];

/// Reads the tracks of a file.
///
/// # Errors
/// [`ReadError`] says why it cannot be read.
pub(crate) fn read(
    mut from: impl BufRead,
    chosen: &ChosenColumns,
) -> Result<FileTracks, ReadError> {
    let head = from.fill_buf()?;
    let marked = head.len() - text::without_byte_order_mark(head).len();
    let kind = kind(head)?;
    from.consume(marked);
    match kind {
        Kind::NetCdf => {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes)?;
            netcdf::read(&bytes, chosen)
        }
        Kind::Json => json::read(from, chosen),
        Kind::Xml => xml::read(&whole(from)?, chosen),
        Kind::Table => delimited::read(from, chosen),
    }
}

/// The kinds of files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    NetCdf,
    Json,
    Xml,
    Table,
}

/// The kind of a file, by its first bytes.
///
/// # Errors
/// [`ReadError`] says why it cannot be read.
pub(crate) fn kind(head: &[u8]) -> Result<Kind, ReadError> {
    let text = text::without_byte_order_mark(head);
    if let Some(other) = other_kind(text) {
        return Err(other);
    }
    if text.starts_with(b"CDF") {
        return Ok(Kind::NetCdf);
    }
    if text.contains(&0) {
        return Err(ReadError::Nothing("it is no text".to_owned()));
    }
    match text.trim_ascii_start().first() {
        None => Err(ReadError::Nothing("it is empty".to_owned())),
        Some(b'{' | b'[') => Ok(Kind::Json),
        Some(b'<') => Ok(Kind::Xml),
        Some(_) => Ok(Kind::Table),
    }
}

/// The whole text.
fn whole(mut from: impl Read) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        ReadError::Line {
            line: before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1,
            why: fault::NO_UTF8.to_owned(),
        }
    })
}

/// A file of a kind that is known and not read, by its first bytes.
fn other_kind(head: &[u8]) -> Option<ReadError> {
    let begins = |beginnings: &[&[u8]]| beginnings.iter().any(|start| head.starts_with(start));
    let (kind, remedy) = if begins(&[b"\x89HDF"]) {
        (
            "a file in HDF5 (NetCDF 4)",
            "`nccopy -k classic IN.nc OUT.nc` makes NetCDF classic of it",
        )
    } else if head.get(8..12) == Some(b".FIT") {
        (
            "a FIT file",
            "`gpsbabel -i garmin_fit -f IN.fit -o gpx -F OUT.gpx` makes a GPX file of it",
        )
    } else if begins(&[b"$GP", b"$GN", b"$GL", b"!AIVDM", b"$PGRM"]) {
        (
            "a file of NMEA sentences",
            "`gpsbabel -i nmea -f IN.nmea -o gpx -F OUT.gpx` makes a GPX file of it",
        )
    } else if head.first() == Some(&b'A') && head.windows(5).any(|part| part == b"HFDTE") {
        (
            "an IGC file",
            "`gpsbabel -i igc -f IN.igc -o gpx -F OUT.gpx` makes a GPX file of it",
        )
    } else if begins(&[b"\xff\xfe", b"\xfe\xff"])
        || matches!(head, [0, 1..=0x7f, ..] | [1..=0x7f, 0, ..])
    {
        ("a text in UTF-16", "save it as UTF-8")
    } else if begins(&[b"PAR1"]) {
        (
            "a Parquet file",
            "`duckdb -c \"COPY (FROM 'IN.parquet') TO 'OUT.csv'\"` makes a CSV file of it",
        )
    } else if begins(&[b"\x1e"]) {
        // RFC 8142.
        (
            "a GeoJSON text sequence",
            "`tr -d '\\036' <IN >OUT` makes one object a line of it",
        )
    } else if begins(&[b"\x1f\x8b", b"PK\x03\x04"]) {
        ("a packed file", "unpack it first")
    } else {
        return None;
    };
    Some(ReadError::Kind { kind, remedy })
}

#[cfg(test)]
mod tests;
