//! Tracks of files: tables of text, JSON, GeoJSON, GPX, KML and NetCDF classic. The kind
//! follows from the content, and every kind becomes rows of cells, which `tracks` gathers.

mod beside;
mod cell;
mod dates;
pub(crate) mod delimited;
mod deployments;
mod doubts;
mod encodings;
mod fault;
pub(crate) mod gathered;
pub(crate) mod ids;
pub(crate) mod json;
pub(crate) mod marks;
pub(crate) mod names;
mod netcdf;
mod other;
mod overlay;
mod packed;
mod parts;
pub(crate) mod position;
mod readings;
mod since;
mod spelling;
pub(crate) mod times;
mod tracks;
pub(crate) mod units;
pub(crate) mod usual;
mod xml;

pub(crate) use delimited::delimiter;
pub(crate) use fault::ReadError;
pub(crate) use names::{ChosenColumns, IdChoice, UnendedRow};
pub(crate) use overlay::overlay;
pub(crate) use tracks::{FileTrack, FileTracks};

use std::io::{BufRead, BufReader, Read};

use packed::Packing;

use crate::text;

/// The extensions of files that are read.
pub(crate) const EXTENSIONS: [&str; 14] = [
    "csv", "tsv", "txt", "json", "ndjson", "jsonl", "geojson", "geojsonl", "gpx", "kml", "kmz",
    "nc", "gz", "zip",
];
/// The extensions of files that are packed around another.
pub(crate) const PACKED: [&str; 2] = ["gz", "zip"];

/// Reads the tracks of a file, which may be packed.
///
/// # Errors
/// [`ReadError`] says why it cannot be read.
pub(crate) fn read(
    mut from: impl BufRead,
    chosen: &ChosenColumns,
) -> Result<FileTracks, ReadError> {
    match Packing::find(from.fill_buf()?) {
        None => content(from, chosen),
        Some(Packing::Gzip) => {
            let mut unpacked = BufReader::new(packed::gunzip(from));
            let unpacked: &mut dyn BufRead = &mut unpacked;
            content(unpacked, chosen).map_err(packed::gzip_fault)
        }
        Some(Packing::Zip) => {
            let unpacked = packed::unzip(&bytes(from)?)?;
            let unpacked: &mut dyn BufRead = &mut unpacked.as_slice();
            content(unpacked, chosen)
        }
    }
}

/// Reads the tracks of a file that is not packed.
fn content(mut from: impl BufRead, chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let head = from.fill_buf()?;
    if encodings::is_utf_16(head) {
        let text = encodings::utf_16(&bytes(from)?)?;
        let text: &mut dyn BufRead = &mut text.as_bytes();
        return content(text, chosen);
    }
    let marked = head.len() - text::without_byte_order_mark(head).len();
    let kind = kind(head)?;
    from.consume(marked);
    match kind {
        Kind::NetCdf => netcdf::read(&bytes(from)?, chosen),
        Kind::Json => json::read(from, chosen),
        Kind::Recording => {
            let bytes = bytes(from)?;
            let lines = bytes.split(|byte| *byte == b'\n');
            let records = lines.map(|line| line.splitn(3, |byte| *byte == b'\t').nth(2));
            let records: Vec<&[u8]> = records.map(Option::unwrap_or_default).collect();
            let records: &mut dyn BufRead = &mut &*records.join(&b'\n');
            json::read(records, chosen)
        }
        Kind::Xml => xml::read(&encodings::xml(bytes(from)?)?, chosen),
        Kind::Table => delimited::read(from, chosen),
    }
}

/// All bytes.
fn bytes(mut from: impl Read) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The kinds of files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    NetCdf,
    Json,
    /// Of OwnTracks: lines of a time, a topic and a record of JSON, which tabs part.
    Recording,
    Xml,
    Table,
}

/// The kind of a file, by its first bytes.
///
/// # Errors
/// [`ReadError`] says why it cannot be read.
pub(crate) fn kind(head: &[u8]) -> Result<Kind, ReadError> {
    let text = text::without_byte_order_mark(head);
    if let Some(other) = other::kind(text) {
        return Err(other);
    }
    if text.starts_with(b"CDF") {
        return Ok(Kind::NetCdf);
    }
    if text.contains(&0) && !delimited::is_padded(text) {
        return Err(ReadError::Nothing("it is no text".to_owned()));
    }
    match text.trim_ascii_start().first() {
        None => Err(ReadError::Nothing("it is empty".to_owned())),
        Some(b'{' | b'[') => Ok(Kind::Json),
        Some(b'<') => Ok(Kind::Xml),
        Some(b'0'..=b'9') if other::contains(text, b"\t{\"tst\":") => Ok(Kind::Recording),
        Some(_) => Ok(Kind::Table),
    }
}

#[cfg(test)]
mod tests;
