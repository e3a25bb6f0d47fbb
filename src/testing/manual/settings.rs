//! The settings and environment variables as the manual lists them.

use std::collections::BTreeSet;

use super::{code_blocks, part_is, table};
use crate::settings::{Flags, SETTINGS, Settings};

/// Loads a configuration.
fn load(config: &str) -> Result<Settings, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, config).unwrap();
    let settings = Settings::load(&Flags::default(), &|name| match name {
        "DRIFTLINE_CONFIG" => Some(path.clone().into_os_string()),
        "HOME" => Some("/home/USER".into()),
        _ => None,
    });
    settings.map_err(|error| error.to_string())
}

#[test]
fn the_manual_lists_every_setting_with_what_it_takes_and_its_default() {
    let listed = load("").unwrap().rows();
    let code = |text: &str| format!("`{text}`");
    let rows = SETTINGS.iter().map(|setting| {
        let default = listed.iter().find(|row| row.name == setting.name);
        let default = default.unwrap_or_else(|| panic!("`config show` has no {}", setting.name));
        vec![
            code(setting.name),
            setting.takes(),
            match default.value.as_str() {
                "" => String::new(),
                text if text.starts_with('(') => text.trim_matches(['(', ')']).to_owned(),
                text => code(text),
            },
            setting.variable.map(code).unwrap_or_default(),
            setting.help.to_owned(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
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
                let settings = load(&block.text);
                assert!(settings.is_ok(), "{}: {settings:?}", block.place);
                count += 1;
            }
        }
    }
    assert!(count >= 3, "{count} settings files");
}
