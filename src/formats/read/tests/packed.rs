//! Files that are packed, and texts that are no UTF-8.

use std::io::Write as _;

use super::*;

const GPX: &str = "<gpx><trk><trkseg><trkpt lat=\"60\" lon=\"5\">\
    <time>2026-11-23T00:00:00Z</time><cmt>W\u{e4}rme \u{20ac}</cmt></trkpt></trkseg></trk></gpx>";
const KML: &str = "<kml><Placemark><gx:Track><when>2026-11-23T00:00:00Z</when>\
    <gx:coord>5 60 0</gx:coord></gx:Track></Placemark></kml>";
const TABLE: &str = "time,lat,lon,note\n2026-11-23T00:00:00Z,60,5,W\u{e4}rme \u{20ac}\n";

/// The fixes of a file, and the text of the last field.
fn read_bytes(bytes: &[u8]) -> Result<(usize, String), String> {
    let found = read(bytes, &ChosenColumns::default()).map_err(|error| error.to_string())?;
    let records = &found.tracks[0].records;
    let last = records.fields.of_fix(0).last();
    let text = last.map_or(String::new(), |(_, value)| match value {
        FieldValue::Text(text) => text.to_owned(),
        value => format!("{value:?}"),
    });
    Ok((records.transmissions.len(), text))
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

/// A zip file of these files, as PKWARE's APPNOTE says; packed or stored in turn.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (at, (name, content)) in files.iter().enumerate() {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut packed = content.to_vec();
        if at % 2 == 0 {
            let mut deflate =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            deflate.write_all(content).unwrap();
            packed = deflate.finish().unwrap();
        }
        let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        let long = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let mut head = Vec::new();
        head.extend(short(20));
        head.extend(short(0));
        head.extend(short(if at % 2 == 0 { 8 } else { 0 }));
        head.extend([0; 4]);
        head.extend(crc.sum().to_le_bytes());
        head.extend(long(packed.len()));
        head.extend(long(content.len()));
        head.extend(short(name.len()));
        let begin = bytes.len();
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&head);
        bytes.extend(short(0));
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
        directory.extend(b"PK\x01\x02");
        directory.extend(short(20));
        directory.extend(&head);
        directory.extend([0; 12]);
        directory.extend(long(begin));
        directory.extend(name.as_bytes());
    }
    let begin = bytes.len();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    bytes.extend([count, count].concat());
    bytes.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    bytes.extend(u32::try_from(begin).unwrap().to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn gzip_kmz_and_a_zip_of_one_file_are_opened() {
    let text = "W\u{e4}rme \u{20ac}".to_owned();
    for content in [GPX, TABLE] {
        assert_eq!(read_bytes(&gzip(content.as_bytes())), Ok((1, text.clone())));
        let one = zip(&[("a/b.csv", content.as_bytes())]);
        assert_eq!(read_bytes(&one), Ok((1, text.clone())));
    }
    let track = KML.as_bytes();
    for files in [
        &[("doc.kml", track)][..],
        &[("doc.kml", track), ("images/arrow.png", b"png")],
        &[("images/arrow.png", b"png"), ("Track.KML", track)],
        &[("other.kml", b"<kml/>"), ("doc.kml", track)],
        &[
            ("__MACOSX/doc.kml", b"x"),
            ("folder/", b""),
            ("doc.kml", track),
        ],
    ] {
        assert_eq!(read_bytes(&zip(files)), Ok((1, String::new())), "{files:?}");
    }
    // Members of gzip follow one another.
    let rows = [TABLE, "2026-11-23T01:00:00Z,60,5,x\n"].map(|part| gzip(part.as_bytes()));
    assert_eq!(read_bytes(&rows.concat()), Ok((2, text)));
}

#[test]
fn what_is_packed_otherwise_is_named_with_the_way_on() {
    let table = TABLE.as_bytes();
    let ustar = [&[b'a'; 257][..], b"ustar\0"].concat();
    let package = [&b"SQLite format 3\0"[..], &[0; 52], b"GPKG"].concat();
    for (bytes, words) in [
        (
            zip(&[("a.csv", table), ("b.csv", table)]),
            "a zip file of 2 files (a.csv, b.csv): unpack it",
        ),
        (
            zip(&[("a.kml", b"x"), ("b.kml", b"y")]),
            "a zip file of 2 files (a.kml, b.kml)",
        ),
        (zip(&[]), "a zip file without a file"),
        (
            zip(&[("[Content_Types].xml", b""), ("xl/workbook.xml", b"")]),
            "a spreadsheet (XLSX), which driftline does not read; save its table as CSV",
        ),
        (
            zip(&[("mimetype", b""), ("content.xml", b"")]),
            "an OpenDocument file (ODS), which driftline does not read; save its table as CSV",
        ),
        (
            b"\xfd7zXZ\0\0".to_vec(),
            "packed by xz, which driftline does not read; `xz -dk IN.xz`",
        ),
        (
            b"\x28\xb5\x2f\xfd\0".to_vec(),
            "packed by zstd, which driftline does not read; `zstd -dk",
        ),
        (b"BZh91AY".to_vec(), "packed by bzip2"),
        (
            package,
            "a GeoPackage, which driftline does not read; `ogr2ogr -f CSV",
        ),
        (b"SQLite format 3\0\0".to_vec(), "an SQLite database"),
        (gzip(&ustar), "a tar archive"),
        (gzip(&gzip(table)), "a packed file within a packed file"),
        (zip(&[("a.csv", table)])[..60].to_vec(), "no whole zip file"),
        (gzip(table)[..40].to_vec(), "no whole gzip file"),
        (b"\x1f\x8b\x08 and more".to_vec(), "no whole gzip file"),
    ] {
        let why = read_bytes(&bytes).unwrap_err();
        assert!(why.contains(words), "{why}");
    }
    // A bit that is wrong.
    let mut damaged = zip(&[("b.png", b"x"), ("doc.kml", KML.as_bytes())]);
    let at = damaged.windows(2).position(|part| part == b"60").unwrap();
    damaged[at] = b'7';
    assert_eq!(
        read_bytes(&damaged),
        Err("it is no whole zip file".to_owned())
    );
}

#[test]
fn whatever_is_wrong_in_a_packed_file_is_refused() {
    for whole in [zip(&[("doc.kml", KML.as_bytes())]), gzip(KML.as_bytes())] {
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = read_bytes(&bytes);
            let _ = read_bytes(&whole[..at]);
        }
    }
}

#[test]
fn texts_in_utf_16_and_in_the_encoding_that_xml_declares_are_read() {
    let text = "W\u{e4}rme \u{20ac}".to_owned();
    let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
    let declared = |name: &str| {
        GPX.replace(
            "<gpx>",
            &format!("<?xml version='1.0' encoding='{name}'?>\n<gpx>"),
        )
    };
    for content in [TABLE.to_owned(), GPX.to_owned(), declared("UTF-16")] {
        let little = units(&content).into_iter().flat_map(u16::to_le_bytes);
        let big = units(&content).into_iter().flat_map(u16::to_be_bytes);
        let little: Vec<u8> = [0xff, 0xfe].into_iter().chain(little).collect();
        let big: Vec<u8> = [0xfe, 0xff].into_iter().chain(big).collect();
        for bytes in [&little, &big, &gzip(&little)] {
            assert_eq!(read_bytes(bytes), Ok((1, text.clone())));
        }
        let half = read_bytes(&little[..little.len() - 1]);
        assert_eq!(half, Err("it is no whole text in UTF-16".to_owned()));
    }
    // By Python's codecs.
    for (name, written, read) in [
        ("windows-1252", &b"W\xe4rme \x80"[..], "W\u{e4}rme \u{20ac}"),
        ("ISO-8859-1", b"W\xe4rme \xdf", "W\u{e4}rme \u{df}"),
        ("iso-8859-15", b"W\xe4rme \xa4", "W\u{e4}rme \u{20ac}"),
        (
            "windows-1251",
            b"\xd2\xe5\xef\xeb\xee",
            "\u{422}\u{435}\u{43f}\u{43b}\u{43e}",
        ),
        (
            "KOI8-R",
            b"\xf4\xc5\xd0\xcc\xcf",
            "\u{422}\u{435}\u{43f}\u{43b}\u{43e}",
        ),
        ("windows-1250", b"\x8aum", "\u{160}um"),
        ("ISO-8859-2", b"\xa9um", "\u{160}um"),
        ("UTF-8", "W\u{e4}rme".as_bytes(), "W\u{e4}rme"),
        // Declared wrongly, as some programs do.
        ("ISO-8859-1", "W\u{e4}rme".as_bytes(), "W\u{e4}rme"),
    ] {
        let all = declared(name);
        let (before, after) = all.split_once("W\u{e4}rme \u{20ac}").unwrap();
        let bytes = [before.as_bytes(), written, after.as_bytes()].concat();
        assert_eq!(read_bytes(&bytes), Ok((1, read.to_owned())), "{name}");
    }
    let unknown = declared("Shift_JIS").replace("W\u{e4}rme \u{20ac}", "@");
    let bytes: Vec<u8> = unknown
        .bytes()
        .map(|byte| if byte == b'@' { 0x95 } else { byte })
        .collect();
    let why = read_bytes(&bytes).unwrap_err();
    assert!(
        why.contains("line 2: its encoding shift_jis is not known: `iconv -f shift_jis -t UTF-8`"),
        "{why}"
    );
    let bytes = [TABLE.as_bytes(), b"2026-11-23T01:00:00Z,60,5,\xe4\n"].concat();
    let why = read_bytes(&bytes).unwrap_err();
    assert_eq!(why, "line 3: it is not UTF-8: save the file as UTF-8");
}
