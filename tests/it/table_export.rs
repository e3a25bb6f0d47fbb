//! The records of the archive as one table, in a folder and in a bucket: whole or as
//! it was, each record once, whatever goes wrong.

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

#[test]
#[cfg(feature = "parquet")]
fn an_export_says_what_it_wrote_where() {
    let home = Home::new();
    let table = "time,lat,lon\n1700000000,85,10\n1700003600,85.1,10\n";
    home.write("a.csv", table);
    let uuid = crate::exit_status::UUID;
    let import = ["archive", "import", "a.csv", "--deployment", uuid];
    Run::driftline(&home, import).go().ends_with(0);
    let export = |place: &str| {
        let answer = Run::driftline(&home, ["archive", "export", place]).go();
        answer.ends_with(0).stderr
    };
    let folder = "2 fixes of 1 deployment in out, a file for each\n";
    assert_eq!(export("out"), folder);
    if cfg!(feature = "object-store") {
        let address = format!("file://{}", home.file("table").display());
        let said = export(&address);
        assert!(said.contains("2 records in 1 file; "), "{said}");
    }
}
