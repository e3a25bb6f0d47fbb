//! The records of the archive as one table, in a folder and in a bucket: whole or as
//! it was, each record once, whatever goes wrong.

#[cfg(not(feature = "object-store"))]
use crate::driver::{home::Home, run::Run};

#[cfg(feature = "object-store")]
mod faults;
#[cfg(feature = "object-store")]
mod read_back;

#[test]
#[cfg(not(feature = "object-store"))]
fn a_build_without_object_stores_says_which_feature_is_missing() {
    let home = Home::new();
    for place in ["s3://bucket/prefix", "gs://bucket", "file:///tmp/table"] {
        let answer = Run::driftline(&home, ["archive", "export", place])
            .go()
            .ends_with(2);
        assert!(
            answer.stderr.contains("--features object-store"),
            "{answer:?}"
        );
    }
}
