//! Writes a value into the text of a configuration file.

use toml::Value;

/// The text of a configuration file with the base URL of the profile `default`
/// before everything else. A key of the top level must be above the first
/// table, and the file may have one.
pub(crate) fn with_base_url(text: &str, url: &str) -> String {
    let line = format!("base_url = {}\n", Value::String(url.to_owned()));
    match text.strip_prefix('\u{feff}').unwrap_or(text) {
        "" => line,
        text => format!("{line}{text}"),
    }
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
                table.get("base_url").and_then(Value::as_str),
                Some(url),
                "{text}"
            );
            let before: toml::Table = text.trim_start_matches('\u{feff}').parse().unwrap();
            assert_eq!(table.len(), before.len() + 1);
        }
    }
}
