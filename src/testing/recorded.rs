//! Compressed third-party data in `tests/data`: recorded tracks and published
//! geodesics. `tests/data/README.md` lists the sources.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The unpacked bytes of `tests/data/NAME.gz`.
pub(crate) fn unpacked(name: &str) -> Vec<u8> {
    let path = folder().join(format!("{name}.gz"));
    let packed = fs::File::open(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// The recorded track `name`, as a response body.
pub(crate) fn track(name: &str) -> Vec<u8> {
    unpacked(&format!("tracks/{name}.json"))
}

/// The names of all recorded tracks.
pub(crate) fn names() -> Vec<String> {
    let files = fs::read_dir(folder().join("tracks")).unwrap();
    let names = files.map(|entry| {
        let file = entry.unwrap().file_name().into_string().unwrap();
        file.strip_suffix(".json.gz").unwrap().to_owned()
    });
    names.collect()
}
