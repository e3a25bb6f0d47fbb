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
mod given;
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
mod xml;

pub(crate) use delimited::delimiter;
pub(crate) use fault::ReadError;
pub(crate) use names::{ChosenColumns, IdChoice, UnendedRow};
pub(crate) use overlay::overlay;
pub(crate) use tracks::{FileTrack, FileTracks};

use std::io::Read;

use packed::Packing;

use crate::text;

/// The extensions of files that are read.
pub(crate) const EXTENSIONS: [&str; 14] = [
    "csv", "tsv", "txt", "json", "ndjson", "jsonl", "geojson", "geojsonl", "gpx", "kml", "kmz",
    "nc", "gz", "zip",
];
/// The extensions of files that are packed around another.
pub(crate) const PACKED: [&str; 2] = ["gz", "zip"];
/// The bytes of a file that show its kind.
const HEAD: usize = 1 << 18;

/// Reads the tracks of a file, which may be packed.
///
/// # Errors
/// [`ReadError`] says why it cannot be read.
pub(crate) fn read(mut from: impl Read, chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    match Packing::find(&bytes) {
        None => content(&bytes, chosen),
        Some(Packing::Gzip) => content(&packed::gunzip(&bytes)?, chosen),
        Some(Packing::Zip) => content(&packed::unzip(&bytes)?, chosen),
    }
}

/// Reads the tracks of a file that is not packed, and again where whole columns have shown that
/// their cells are to be read otherwise.
fn content(bytes: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let found = once(bytes, chosen)?;
    let Some(settled) = found.again else {
        return Ok(found);
    };
    once(
        bytes,
        &ChosenColumns {
            settled,
            ..chosen.clone()
        },
    )
}

fn once(bytes: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    if encodings::is_utf_16(bytes) {
        return once(encodings::utf_16(bytes)?.as_bytes(), chosen);
    }
    let kind = kind(bytes.get(..HEAD).unwrap_or(bytes))?;
    let text = text::without_byte_order_mark(bytes);
    match kind {
        Kind::NetCdf => netcdf::read(text, chosen),
        Kind::Json => json::read(text, chosen),
        Kind::Recording => {
            let lines = text.split(|byte| *byte == b'\n');
            let records = lines.map(|line| line.splitn(3, |byte| *byte == b'\t').nth(2));
            let records: Vec<&[u8]> = records.map(Option::unwrap_or_default).collect();
            json::read(&records.join(&b'\n'), chosen)
        }
        Kind::Xml => xml::read(&encodings::xml(text)?, chosen),
        Kind::Table => delimited::read(text, chosen),
    }
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
