//! The settings and environment variables as the manual lists them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;

use super::{code_blocks, documented, part_is, table};
use crate::settings::{Flags, Settings};

/// Loads a configuration, and returns it with the variables that were read.
fn load(config: &str) -> (Result<Settings, String>, BTreeSet<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, config).unwrap();
    let asked = RefCell::new(BTreeSet::new());
    let settings = Settings::load(&Flags::default(), &|name| {
        asked.borrow_mut().insert(name.to_owned());
        match name {
            "DRIFTLINE_CONFIG" => Some(path.clone().into_os_string()),
            "HOME" => Some(OsString::from("/home/USER")),
            _ => None,
        }
    });
    (
        settings.map_err(|error| error.to_string()),
        asked.into_inner(),
    )
}

/// What is said of a value that the setting does not take.
fn refusal(name: &str) -> String {
    for value in ["\"?\"", "true"] {
        let Err(message) = load(&format!("{name} = {value}\n")).0 else {
            continue;
        };
        // "…/config.toml:1:1: units must be one of nautical, metric, si"
        let Some((_, reason)) = message.split_once(":1:1: ") else {
            continue;
        };
        let said = reason.strip_prefix(name).unwrap_or_default().trim_start();
        let said = said
            .strip_prefix("must be ")
            .or_else(|| said.strip_prefix("is "));
        return said
            .unwrap_or_else(|| panic!("{name}: {message}"))
            .to_owned();
    }
    panic!("{name} takes anything")
}

#[test]
fn the_manual_lists_every_setting_with_what_it_takes_and_its_default() {
    let (settings, variables) = load("");
    let comments = documented("src/settings.rs", "Settings");
    let comment = |name: &str| {
        let found = comments.iter().find(|(field, _)| field == name);
        found
            .unwrap_or_else(|| panic!("no comment on {name}"))
            .1
            .clone()
    };
    // The refusal of a key that is not there lists those that are.
    let known = load("no_such_setting_at_all = 1\n").0.unwrap_err();
    let known = known.split_once("known settings: ").unwrap().1;
    let listed = settings.unwrap().rows();
    let mut rows = Vec::new();
    for name in known.split(", ") {
        let default = listed.iter().find(|row| row.name == name);
        let default = default.unwrap_or_else(|| panic!("`config show` has no {name}"));
        let variable = format!("DRIFTLINE_{}", name.to_uppercase());
        rows.push(vec![
            format!("`{name}`"),
            refusal(name),
            match default.value.as_str() {
                "" => String::new(),
                text if text.starts_with('(') => text.trim_matches(['(', ')']).to_owned(),
                text => format!("`{text}`"),
            },
            match variables.contains(&variable) {
                true => format!("`{variable}`"),
                false => String::new(),
            },
            comment(name).replace("`None`", "unset"),
        ]);
    }
    let heading = ["setting", "takes", "default", "variable", "is"];
    part_is("settings.md", "settings", &table(&heading, &rows));
}

#[test]
fn the_manual_names_every_variable_that_the_program_reads() {
    let page = std::fs::read_to_string(code_blocks::folder().join("settings.md")).unwrap();
    let mut missing = BTreeSet::new();
    for (file, source) in sources() {
        let shipped = source.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, _) in shipped.match_indices("\"DRIFTLINE_") {
            let name: String = shipped[at + 1..]
                .chars()
                .take_while(|one| one.is_ascii_uppercase() || *one == '_')
                .collect();
            // Only a debug build reads this one.
            if name != "DRIFTLINE_TEST_PANIC" && !page.contains(&format!("`{name}`")) {
                missing.insert(format!("{file}: {name}"));
            }
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

/// The sources without tests.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.display().to_string();
            if name.ends_with("tests") || name.ends_with("testing") {
                continue;
            }
            if path.is_dir() {
                collect(&path, found);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    collect(&root.join("src"), &mut found);
    assert!(found.len() > 100);
    found
}

#[test]
fn every_settings_file_in_the_manual_is_taken() {
    let mut count = 0;
    for (name, page) in code_blocks::pages() {
        for block in code_blocks::blocks(&name, &page) {
            if block.language == "toml" {
                // Another build refuses this one, as it should.
                if !cfg!(feature = "postgres") && block.text.contains("archive = \"postgres:") {
                    continue;
                }
                let settings = load(&block.text).0;
                assert!(settings.is_ok(), "{}: {settings:?}", block.place);
                count += 1;
            }
        }
    }
    assert!(count >= 3, "{count} settings files");
}
