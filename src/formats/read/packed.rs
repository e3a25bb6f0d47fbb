//! Files that are packed: gzip, and zip with a single file or with KML (KMZ).

use std::io::Read;

use flate2::bufread::DeflateDecoder;
use flate2::{Crc, bufread::MultiGzDecoder};

use super::fault::ReadError;
use crate::text;

/// The most bytes that a file is unpacked to, as of a response of a service.
const MOST_BYTES: u64 = 1 << 30;
/// The end of a zip file, with its comment.
const MOST_END: usize = 22 + 65_535;

/// The ways to pack a file that are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zip,
}

impl Packing {
    /// The packing of a file, by its first bytes.
    pub(super) fn find(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'P', b'K', 3, 4, ..] => Some(Self::Zip),
            _ => None,
        }
    }
}

/// The content of a gzip file.
///
/// # Errors
/// If it is damaged, or unpacks to far more than a table does.
pub(super) fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    // No table of fixes is a hundredth of its size when it is packed; a trap is a thousandth.
    let most = (100 * bytes.len() as u64).clamp(64 << 20, MOST_BYTES);
    let mut content = Vec::new();
    let why = match MultiGzDecoder::new(bytes)
        .take(most + 1)
        .read_to_end(&mut content)
    {
        Err(error) => format!("it is no whole gzip file: {error}"),
        Ok(_) if content.len() as u64 > most => too_large(most),
        Ok(_) => return Ok(content),
    };
    Err(ReadError::Nothing(why))
}

fn too_large(most: u64) -> String {
    format!("it unpacks to more than {}", text::bytes(most))
}

/// A file in a zip file.
struct Member<'a> {
    name: String,
    is_encrypted: bool,
    method: u32,
    crc: u32,
    packed: &'a [u8],
    size: u64,
}

/// The content of the file in a zip file that has the tracks: its KML, or its only file.
///
/// # Errors
/// If it is a document of another program, has several files, or is damaged.
pub(super) fn unzip(bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    let damaged = || ReadError::Nothing("it is no whole zip file".to_owned());
    let members = members(bytes).ok_or_else(damaged)?;
    let member = chosen(&members)?;
    if member.size > MOST_BYTES {
        return Err(ReadError::Nothing(too_large(MOST_BYTES)));
    }
    let mut content = Vec::new();
    let read = match (member.is_encrypted, member.method) {
        (false, 0) => member.packed.take(member.size).read_to_end(&mut content),
        (false, 8) => DeflateDecoder::new(member.packed)
            .take(member.size)
            .read_to_end(&mut content),
        _ => {
            let why = "it is a zip file with a password or of a rare method: unpack it first";
            return Err(ReadError::Nothing(why.to_owned()));
        }
    };
    let mut crc = Crc::new();
    crc.update(&content);
    if read.is_err() || crc.sum() != member.crc || content.len() as u64 != member.size {
        return Err(damaged());
    }
    Ok(content)
}

/// The file among those of a zip file that has the tracks.
fn chosen<'m, 'a>(members: &'m [Member<'a>]) -> Result<&'m Member<'a>, ReadError> {
    let has = |start: &str| members.iter().any(|member| member.name.starts_with(start));
    let kinds = [
        (has("xl/"), "a spreadsheet (XLSX)"),
        (
            has("content.xml") && has("mimetype"),
            "an OpenDocument file (ODS)",
        ),
        (has("[Content_Types].xml"), "an Office document"),
    ];
    if let Some((_, kind)) = kinds.into_iter().find(|(is_it, _)| *is_it) {
        return Err(ReadError::of_kind(kind, "save its table as CSV"));
    }
    let is_kml = |member: &&Member<'_>| member.name.to_lowercase().ends_with(".kml");
    let mut kml = members.iter().filter(is_kml);
    let only = |all: &mut dyn Iterator<Item = &'m Member<'a>>| {
        let first = all.next();
        first.filter(|_| all.next().is_none())
    };
    let main = members.iter().find(|member| member.name == "doc.kml");
    let found = main.or_else(|| only(&mut kml));
    found.or_else(|| only(&mut members.iter())).ok_or_else(|| {
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        ReadError::Nothing(format!(
            "it is a zip file of {} files ({}): unpack it, and name one or more of them",
            names.len(),
            text::excerpt(&names.join(", "), 200)
        ))
    })
}

/// The files in a zip file; `None` if it is damaged, or larger than 4 GiB.
fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    let tail = bytes.len().saturating_sub(MOST_END);
    let end = bytes
        .get(tail..)?
        .windows(4)
        .rposition(|part| part == b"PK\x05\x06")?
        + tail;
    let count = short(bytes, end + 10)?;
    let mut at = long(bytes, end + 16)? as usize;
    let mut members = Vec::new();
    for _ in 0..count {
        if bytes.get(at..at + 4)? != b"PK\x01\x02" {
            return None;
        }
        let [name, extra, comment] = [28, 30, 32].map(|part| short(bytes, at + part));
        let (name, extra, comment) = (name? as usize, extra? as usize, comment? as usize);
        let local = long(bytes, at + 42)? as usize;
        let begin =
            local + 30 + short(bytes, local + 26)? as usize + short(bytes, local + 28)? as usize;
        let packed = long(bytes, at + 20)? as usize;
        let member = Member {
            name: String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned(),
            is_encrypted: short(bytes, at + 8)? & 1 == 1,
            method: short(bytes, at + 10)?,
            crc: long(bytes, at + 16)?,
            packed: bytes.get(begin..begin.checked_add(packed)?)?,
            size: long(bytes, at + 24)?.into(),
        };
        // A folder, and what macOS adds.
        if !member.name.ends_with('/') && !member.name.starts_with("__MACOSX/") {
            members.push(member);
        }
        at += 46 + name + extra + comment;
    }
    Some(members)
}

fn short(bytes: &[u8], at: usize) -> Option<u32> {
    let (bytes, _) = bytes.get(at..at.checked_add(2)?)?.as_chunks::<2>();
    bytes.first().map(|bytes| u16::from_le_bytes(*bytes).into())
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let (bytes, _) = bytes.get(at..at.checked_add(4)?)?.as_chunks::<4>();
    bytes.first().map(|bytes| u32::from_le_bytes(*bytes))
}
