//! The keys as the manual lists them.

use super::{part_is, table};
use crate::dashboard::keymap::Keymap;

#[test]
fn the_manual_lists_every_key_with_the_name_of_its_action() {
    let keymap = Keymap::default();
    let mut headings: Vec<&str> = Vec::new();
    for binding in keymap.bindings() {
        let heading = binding.scope.heading();
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut made = String::new();
    for heading in headings {
        let rows: Vec<Vec<String>> = keymap
            .bindings()
            .iter()
            .filter(|binding| binding.scope.heading() == heading)
            .map(|binding| {
                let keys: Vec<String> = binding
                    .keys
                    .iter()
                    .map(|key| format!("`{}`", key.name()))
                    .collect();
                vec![
                    keys.join(" "),
                    binding.label.to_owned(),
                    format!("`{}`", binding.name()),
                ]
            })
            .collect();
        let table = table(&["key", "does", "name in `[keys]`"], &rows);
        made.push_str(&format!("### {heading}\n\n{table}\n"));
    }
    part_is("keys.md", "keys", &made);
}
