//! Writes the watch list as the table that `import` reads.

use strum::VariantArray;

use super::cell::written;
use super::change::Member;
use crate::formats::csv::{push_quoted, push_text};
use crate::track::Deployment;
use crate::track::remote::Remote;

/// The table of a watch list: a header, then a line for each deployment.
pub(crate) fn table(list: &[Deployment]) -> Vec<u8> {
    let mut table = b"uuid".to_vec();
    for member in Member::VARIANTS {
        table.push(b',');
        table.extend_from_slice(member.to_string().as_bytes());
    }
    table.push(b'\n');
    for entry in list {
        table.extend_from_slice(Remote::shown(entry.uuid).as_bytes());
        for member in Member::VARIANTS {
            table.push(b',');
            match member.of(entry) {
                value if value.is_empty() => {}
                value if member.is_free_text() => push_text(&mut table, &written(&value)),
                value => push_quoted(&mut table, &value),
            }
        }
        table.push(b'\n');
    }
    table
}
