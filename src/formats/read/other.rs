//! Files of kinds that are known and not read, each with the way on.

use super::fault::ReadError;

/// The first bytes of files, the kind, and what to do.
const BEGINNINGS: [(&[u8], &str, &str); 18] = [
    (
        b"\x89HDF",
        "a file in HDF5 (NetCDF 4)",
        "`nccopy -k classic IN.nc OUT.nc` makes NetCDF classic of it; where that refuses its texts, \
         in Python: xarray.open_dataset('IN.nc').to_netcdf('OUT.nc', format='NETCDF3_CLASSIC')",
    ),
    (b"$GP", NMEA, FROM_NMEA),
    (b"$GN", NMEA, FROM_NMEA),
    (b"$GL", NMEA, FROM_NMEA),
    (b"!AIVDM", NMEA, FROM_NMEA),
    (b"$PGRM", NMEA, FROM_NMEA),
    (
        b"PAR1",
        "a Parquet file",
        "`duckdb -c \"COPY (FROM 'IN.parquet') TO 'OUT.csv'\"` makes a CSV file of it",
    ),
    // RFC 8142.
    (
        b"\x1e",
        "a GeoJSON text sequence",
        "`tr -d '\\036' <IN >OUT` makes one object a line of it",
    ),
    (
        b"\xfd7zXZ\0",
        "a file packed by xz",
        "`xz -dk IN.xz` unpacks it",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "a file packed by zstd",
        "`zstd -dk IN.zst` unpacks it",
    ),
    (
        b"BZh",
        "a file packed by bzip2",
        "`bzip2 -dk IN.bz2` unpacks it",
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        "a 7z archive",
        "`7z x IN.7z` unpacks it",
    ),
    (b"Rar!", "a RAR archive", "`unrar x IN.rar` unpacks it"),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "export its table as CSV",
    ),
    (
        b"\xd0\xcf\x11\xe0",
        "a document of Office (XLS)",
        "save its table as CSV",
    ),
    (
        b"\x1f\x8b",
        "a packed file within a packed file",
        "unpack it first",
    ),
    (
        b"PK\x03\x04",
        "a packed file within a packed file",
        "unpack it first",
    ),
    (b"PK\x05\x06", "a zip file without a file", "pack it again"),
];
const NMEA: &str = "a file of NMEA sentences";
const FROM_NMEA: &str = "`gpsbabel -i nmea -f IN.nmea -o gpx -F OUT.gpx` makes a GPX file of it";

/// `true` for the first bytes of such a file.
type IsKind = fn(&[u8]) -> bool;

/// The same of files whose first bytes are of any kind.
const CONTENTS: [(IsKind, &str, &str); 6] = [
    (
        |head| head.starts_with(b"SQLite format 3\0") && head.get(68..72) == Some(b"GPKG"),
        "a GeoPackage",
        "`ogr2ogr -f CSV OUT.csv IN.gpkg -lco GEOMETRY=AS_XY` makes a CSV file of it",
    ),
    (
        |head| head.get(8..12) == Some(b".FIT"),
        "a FIT file",
        "`gpsbabel -i garmin_fit -f IN.fit -o gpx -F OUT.gpx` makes a GPX file of it",
    ),
    (
        |head| head.starts_with(b"A") && contains(head, b"HFDTE"),
        "an IGC file",
        "`gpsbabel -i igc -f IN.igc -o gpx -F OUT.gpx` makes a GPX file of it",
    ),
    (
        |head| head.get(257..262) == Some(b"ustar"),
        "a tar archive",
        "`tar xf IN.tar` unpacks it",
    ),
    (
        |head| matches!(head, [0, 1..=0x7f, ..] | [1..=0x7f, 0, ..]),
        "a text in UTF-16 without a mark",
        "save it as UTF-8",
    ),
    (
        |head| head.starts_with(b"{") && contains(head, b"\"timelineObjects\""),
        "a timeline of Google",
        "`gpsbabel -i googletakeout -f IN.json -o gpx -F OUT.gpx` (1.9 and later) makes a GPX file of it",
    ),
];

pub(super) fn contains(head: &[u8], part: &[u8]) -> bool {
    head.windows(part.len()).any(|bytes| bytes == part)
}

/// The fault of a file of such a kind, by its first bytes.
pub(super) fn kind(head: &[u8]) -> Option<ReadError> {
    let contents = CONTENTS.iter().filter(|(is_it, ..)| is_it(head));
    let beginnings = BEGINNINGS
        .iter()
        .filter(|(start, ..)| head.starts_with(start));
    let mut known = contents
        .map(|(_, kind, remedy)| (*kind, *remedy))
        .chain(beginnings.map(|(_, kind, remedy)| (*kind, *remedy)));
    let (kind, remedy) = known.next()?;
    Some(ReadError::of_kind(kind, remedy))
}
