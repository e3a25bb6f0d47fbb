//! The values that a setting accepts, and how a given value is checked and stored.

use std::time::Duration;

use super::given::{Given, Source};
use super::table::{Changes, Kind, SETTINGS, Setting, Values};
use crate::archive::location::ArchiveLocation;
use crate::mapping::Mapping;
use crate::track::time;

impl Setting {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// The name of this setting in the dialog of the dashboard.
    pub(crate) fn label_by_name(name: &str) -> String {
        let label = Self::named(name).map_or("", |setting| setting.label);
        match label {
            "" => name.replace('_', " "),
            label => label.to_owned(),
        }
    }

    /// The words of a value of this setting in the dialog.
    pub(crate) fn words_by_name<'a>(name: &str, value: &'a str) -> &'a str {
        let words = Self::named(name).map_or(&[][..], |setting| setting.words);
        let of_value = words.iter().find(|(known, _)| *known == value);
        match (of_value, value) {
            (Some((_, words)), _) => words,
            (None, "auto") => "automatic",
            (None, other) => other,
        }
    }

    /// The values that it takes, as the manual and a refusal say.
    pub(crate) fn takes(&self) -> String {
        match self.kind {
            Kind::Text(_) | Kind::Archive(_) => "text in quotes".to_owned(),
            Kind::Switch(_) => "true or false".to_owned(),
            Kind::Duration(shortest, ..) => {
                let least = match shortest.as_secs() {
                    0 => "over 0".to_owned(),
                    least => format!("at least {least}s"),
                };
                format!("a duration such as 90s, 15min or 1d12h, {least} and at most 10 years")
            }
            Kind::Requests(_) => "a whole number from 1 to 64".to_owned(),
            Kind::Bytes(_) => "a number of bytes over 0".to_owned(),
            Kind::Address(_) => "a host and a port, such as \"localhost:2947\"".to_owned(),
            Kind::Fields(_) => r#"a list of names, such as ["a", "b"]"#.to_owned(),
            Kind::Files(_) => r#"a list of files, such as ["ice.geojson"]"#.to_owned(),
            Kind::Service(_) => r#"a table, such as { kind = "erddap" }"#.to_owned(),
            Kind::Program(_) => r#"a list of texts, such as ["program", "argument"]"#.to_owned(),
            Kind::OneOf(options, _) => format!("one of {}", options().join(", ")),
        }
    }

    /// The values that the dashboard can give it while it runs; else none.
    pub(super) fn options(&self) -> Vec<String> {
        match self.kind {
            _ if self.changes == Changes::AtNextStart => Vec::new(),
            Kind::OneOf(options, _) => options(),
            Kind::Switch(_) => [true, false].map(|switch| switch.to_string()).to_vec(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn toml(&self, option: &str) -> String {
        match self.kind {
            Kind::Switch(_) => option.to_owned(),
            _ => toml::Value::from(option).to_string(),
        }
    }

    /// Puts a value that was given among the `values`; returns it as it is shown.
    ///
    /// # Errors
    /// The reason. It does not contain a value of the settings file, which might be a
    /// secret.
    pub(super) fn take(&self, values: &mut Values, given: &Given<'_>) -> Result<String, String> {
        let name = given.name(self.name);
        let wrong = || format!("{name} must be {}", self.takes());
        match self.kind {
            Kind::Text(put) | Kind::Address(put) => {
                let text = given.text().ok_or_else(wrong)?;
                if matches!(self.kind, Kind::Address(_)) && !is_address(text) {
                    return Err(wrong());
                }
                put(values, text.to_owned());
                Ok(text.to_owned())
            }
            // A file in the current folder must not replace it.
            Kind::Archive(_) if given.is_homeless() => Ok(String::new()),
            Kind::Archive(put) => {
                let archive = match (given.archive().ok_or_else(wrong)?, &given.source) {
                    // A flag, a variable or another profile may replace it.
                    (Err(why), Source::File { .. }) => ArchiveLocation::Unusable(why),
                    (archive, _) => archive.map_err(|error| format!("{name}: {error}"))?,
                };
                let shown = archive.to_string();
                put(values, archive);
                Ok(shown)
            }
            Kind::Switch(put) => {
                let switch = given.switch().ok_or_else(wrong)?;
                put(values, switch);
                Ok(switch.to_string())
            }
            Kind::Duration(shortest, longest, put) => {
                let text = given.text().ok_or_else(wrong)?;
                let seconds = time::parse_duration(text).map_err(|_| wrong())?;
                let duration = Duration::from_secs_f64(seconds);
                if duration < shortest {
                    return Err(wrong());
                }
                put(values, duration.min(longest));
                Ok(text.to_owned())
            }
            Kind::Requests(put) => {
                let count = given
                    .number()
                    .filter(|count| (1..=64).contains(count))
                    .ok_or_else(wrong)?;
                put(values, count);
                Ok(count.to_string())
            }
            Kind::Bytes(put) => {
                let bytes = given
                    .number()
                    .filter(|bytes| *bytes > 0)
                    .ok_or_else(wrong)?;
                put(values, bytes);
                Ok(bytes.to_string())
            }
            Kind::Fields(put) => {
                let names = given.names().ok_or_else(wrong)?;
                let shown = or_none(names.join(","));
                put(values, names);
                Ok(shown)
            }
            Kind::Files(put) => {
                let files = given.files().ok_or_else(wrong)?;
                let paths: Vec<String> = files
                    .iter()
                    .map(|file| file.display().to_string())
                    .collect();
                let shown = or_none(paths.join(", "));
                put(values, files);
                Ok(shown)
            }
            Kind::Service(put) => {
                let mut mapping = Mapping::read(&given.table().ok_or_else(wrong)?)?;
                if let Some(program) = mapping.command.first_mut() {
                    given.put_in_home(program);
                }
                let shown = mapping.summary();
                put(values, mapping);
                Ok(shown)
            }
            Kind::Program(put) => {
                let words = given.program().ok_or_else(wrong)?;
                let shown = words.join(" ");
                put(values, words);
                Ok(shown)
            }
            Kind::OneOf(options, put) => {
                let text = given.text().ok_or_else(wrong)?;
                if !options().iter().any(|option| option == text) {
                    return Err(wrong());
                }
                put(values, text);
                Ok(text.to_owned())
            }
        }
    }
}

/// `true` if a text is a host with a port: `localhost:2947`.
fn is_address(text: &str) -> bool {
    text.rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

/// A list as it is shown.
fn or_none(list: String) -> String {
    match list.as_str() {
        "" => "none".to_owned(),
        _ => list,
    }
}
