//! Rule: a module re-exports only what its own files define.

use super::reader::Role;
use super::sources::Sources;

/// Every `pub use` of shipped code, of whatever reach, that names an item of
/// another module of the top level.
pub(super) fn findings(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for file in &sources.files {
        for path in &file.paths {
            if path.role != Role::Reexport || sources.is_test(file, path) {
                continue;
            }
            let whole = sources.written_out(&path.module, &path.segments);
            if whole[0] == "crate" && whole.get(1) != file.place.first() {
                found.push(format!(
                    "{}:{}: re-exports {}",
                    file.name,
                    path.line,
                    whole.join("::")
                ));
            }
        }
    }
    found
}

fn found(name: &str, text: &str) -> Vec<String> {
    findings(&Sources::read(&[(name.to_owned(), text.to_owned())]))
}

#[test]
fn an_item_of_another_module_is_not_re_exported() {
    for text in [
        "pub use crate::geo::Position;",
        "pub(crate) use crate::geo::Position as P;",
        "pub use crate::{geo::*, ops::Own};",
        "pub use super::geo;",
        "use crate::geo; pub use geo::Position;",
        "mod inner { pub(super) use crate::geo::Position; }",
        "mod inner { pub use super::super::geo::Position; }",
    ] {
        assert_eq!(found("src/ops.rs", text).len(), 1, "{text}");
    }
    assert_eq!(
        found("src/ops/store.rs", "pub use crate::api::Client;").len(),
        1
    );
    assert_eq!(
        found("src/lib.rs", "mod geo; pub use geo::Position;").len(),
        1
    );
}

#[test]
fn a_module_may_re_export_what_its_own_files_define() {
    for text in [
        "mod fetch; pub use fetch::fetch;",
        "mod fetch; pub use self::fetch::*;",
        "pub use crate::ops::fetch::Fetch;",
        "use crate::geo::Position;",
        "pub(self) use crate::geo::Position;",
        "pub use tokio::sync::mpsc;",
        "#[cfg(test)] pub use crate::geo::Position;",
    ] {
        assert_eq!(found("src/ops.rs", text), [""; 0], "{text}");
    }
    let above = "pub(super) use super::super::ops::Fetch; pub use super::Store;";
    assert_eq!(found("src/ops/fetch/body.rs", above), [""; 0]);
}
