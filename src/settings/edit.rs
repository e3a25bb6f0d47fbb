//! Writes a value into the text of a configuration file; the rest of the text stays
//! as it is, comments too.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::DEFAULT;
use super::file::{ConfigFile, Text};
use super::paths::Places;
use crate::failure::Failure;

/// The character that some editors put before the first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A value to write into the settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewSetting {
    /// The table of the top level that it belongs to; `None` for the profile in force.
    pub table: Option<&'static str>,
    pub name: String,
    /// Its value, in TOML.
    pub value: String,
}

/// The text of a configuration file with the base URL of the profile `default`
/// before everything else. A key of the top level must be above the first
/// table, and the file may have one.
pub(crate) fn with_base_url(text: &str, url: &str) -> String {
    let line = format!("base_url = {}\n", toml::Value::String(url.to_owned()));
    match text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text) {
        "" => line,
        text => format!("{line}{text}"),
    }
}

/// The text of the configuration file at `path` with a setting in it: instead of
/// its present value, whose comment stays, else as a new line.
///
/// # Errors
/// The fault for which a start would refuse the text, or the text as it would be.
pub(crate) fn with_setting(
    path: &Path,
    text: &str,
    profile: &str,
    new: &NewSetting,
) -> Result<String, Failure> {
    let whole = text;
    let name = new.name.as_str();
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    // The message of this one has file, line and key.
    ConfigFile::parse(Text { path, text }, &Places::default())?;
    let failed = |reason: &str| {
        let file = path.display();
        Failure::usage(format!("{name} cannot be written into {file}: {reason}"))
    };
    let mut document: DocumentMut = text.parse().map_err(|_| failed("the file is not TOML"))?;
    let mut value: Value = (new.value.parse()).map_err(|_| failed("the value is not TOML"))?;
    let folders: &[&str] = match (new.table, profile) {
        (Some(table), _) => &[table],
        (None, DEFAULT) if !has_own_default(&document, name) => &[],
        (None, profile) => &["profile", profile],
    };
    let not_a_table = || failed("the file has a value of another type there");
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for folder in folders {
        let item = table.entry(folder).or_insert_with(new_table);
        table = item.as_table_like_mut().ok_or_else(not_a_table)?;
    }
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(present) => {
            value.decor_mut().clone_from(present.decor());
            *present = value;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
    let mut after = document.to_string();
    ConfigFile::parse(Text { path, text: &after }, &Places::default())?;
    // The library writes every line end as a line feed alone, and no byte order mark.
    if whole.contains("\r\n") {
        after = after.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if text.len() < whole.len() {
        after.insert(0, BYTE_ORDER_MARK);
    }
    Ok(after)
}

/// `true` if the file has a table `[profile.default]` with this setting, which then
/// counts more than that of the top level.
fn has_own_default(document: &DocumentMut, name: &str) -> bool {
    let profile = document.get("profile").and_then(|all| all.get(DEFAULT));
    profile.is_some_and(|profile| profile.get(name).is_some())
}

/// A table that has no line of its own while it has only tables.
fn new_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_line_belongs_to_the_top_level_whatever_the_file_has() {
        let url = "https://service.example/api";
        for text in [
            "",
            "units = \"si\"\n",
            "\u{feff}[profile.ship]\nunits = \"si\"",
            "# buoys\n[[deployment]]\nuuid = \"5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa\"\n",
        ] {
            let table: toml::Table = with_base_url(text, url).parse().unwrap();
            assert_eq!(
                table.get("base_url").and_then(toml::Value::as_str),
                Some(url),
                "{text}"
            );
            let before: toml::Table = text.trim_start_matches('\u{feff}').parse().unwrap();
            assert_eq!(table.len(), before.len() + 1);
        }
    }

    fn set(text: &str, profile: &str, name: &str, value: &str) -> Result<String, Failure> {
        let new = NewSetting {
            table: None,
            name: name.to_owned(),
            value: value.to_owned(),
        };
        with_setting(Path::new("config.toml"), text, profile, &new)
    }

    #[test]
    fn a_setting_takes_the_place_of_its_value_and_all_else_stays() {
        let text = "# the ship\nunits  =  'si' # for Ann\n\n[columns]\ntrack = [\"time\"]\n\n[profile.ship]\n# slow\ntimeout = \"2m\"\n";
        let changed = set(text, "default", "units", "\"metric\"").unwrap();
        assert_eq!(changed, text.replace("'si'", "\"metric\""));
        // A new one of the top level is above the first table.
        let changed = set(text, "default", "mouse", "false").unwrap();
        assert_eq!(
            changed,
            text.replace("Ann\n", "Ann\nmouse = false\n"),
            "{changed}"
        );
        let changed = set(text, "ship", "units", "\"nautical\"").unwrap();
        assert_eq!(changed, format!("{text}units = \"nautical\"\n"));
    }

    #[test]
    fn the_byte_order_mark_and_the_line_ends_stay() {
        for (text, changed) in [
            (
                "# a\r\nunits = 'si' # b\r\n\r\n[keys]\r\n",
                "# a\r\nunits = \"metric\" # b\r\n\r\n[keys]\r\n",
            ),
            (
                "\u{feff}mouse = true\r\nrefresh = '60s'",
                "\u{feff}mouse = true\r\nrefresh = '60s'\r\nunits = \"metric\"\r\n",
            ),
            ("\u{feff}units = 'si'", "\u{feff}units = \"metric\"\n"),
            (
                "mouse = true\nrefresh = '60s'\r\n",
                "mouse = true\r\nrefresh = '60s'\r\nunits = \"metric\"\r\n",
            ),
            ("\u{feff}", "\u{feff}units = \"metric\"\n"),
            ("\n\n", "units = \"metric\"\n\n\n"),
        ] {
            let written = set(text, "default", "units", "\"metric\"").unwrap();
            assert_eq!(written, changed, "{text:?}");
        }
    }

    #[test]
    fn a_setting_is_written_where_it_is_in_force() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        for (text, profile, place) in [
            ("", "default", "units"),
            ("\u{feff}refresh = \"60s\"", "default", "units"),
            ("", "ship", "profile.ship.units"),
            ("profile.ship.mouse = true\n", "ship", "profile.ship.units"),
            (
                "[profile.default]\nunits = \"nautical\"\n",
                "default",
                "profile.default.units",
            ),
            ("[profile.default]\nmouse = true\n", "default", "units"),
            (
                "[[deployment]]\nuuid = \"5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa\"\n",
                "a b",
                "profile.a b.units",
            ),
        ] {
            let changed = set(text, profile, "units", "\"si\"").unwrap();
            let mut found = toml::Value::Table(read(&changed));
            for part in place.split('.') {
                found = found
                    .get(part)
                    .unwrap_or_else(|| panic!("{changed}"))
                    .clone();
            }
            assert_eq!(found.as_str(), Some("si"), "{changed}");
        }
        let new = NewSetting {
            table: Some("columns"),
            name: "track".to_owned(),
            value: "[\"time\", \"position\"]".to_owned(),
        };
        let columns = with_setting(
            Path::new("c"),
            "mouse = true
",
            "default",
            &new,
        );
        assert_eq!(
            columns.unwrap(),
            "mouse = true\n\n[columns]\ntrack = [\"time\", \"position\"]\n"
        );
    }

    #[test]
    fn what_a_start_would_refuse_is_never_written() {
        let said = |text, name, value| set(text, "default", name, value).unwrap_err().to_string();
        assert!(said("units = ", "units", "\"si\"").starts_with("config.toml:1:"));
        assert!(said("unit = 1", "units", "\"si\"").contains("did you mean 'units'"));
        assert!(said("", "units", "\"knots\"").contains("units must be one of"));
        assert!(said("", "units", "si").contains("the value is not TOML"));
        assert!(said("", "token", "\"x\"").contains("a token is not read from this file"));
    }
}
