//! Texts with placeholders: the URL of a track, and the arguments of a program.

use jiff::Timestamp;
use jiff::fmt::strtime;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Mapping;

/// The characters to encode: all but the unreserved characters of RFC 3986, section 2.3.
pub(crate) const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The characters encoded in a path: all but those of a segment of RFC 3986, section 3.3.
/// Some services do not decode a colon.
const IN_PATH: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// RFC 3339 in whole seconds.
const RFC_3339: &str = "%Y-%m-%dT%H:%M:%SZ";

/// The data to request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The id of the deployment at the service.
    pub id: &'a str,
    /// The first and the last time of the fixes, UNIX seconds.
    pub since: f64,
    pub until: f64,
    /// Fields besides those that the mapping names.
    pub fields: &'a [String],
}

/// The use of a text with placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use<'a> {
    /// A URL below this base URL.
    Address(&'a str),
    /// An argument of a program.
    Argument,
}

/// A part of a text with placeholders.
enum Part<'a> {
    Text(&'a str),
    /// The name of a placeholder, and the pattern after its colon.
    Placeholder(&'a str, Option<&'a str>),
}

/// The parts of a text with placeholders; a brace that no name follows is text.
fn parts(text: &str) -> Vec<Part<'_>> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let mut parts = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest.get(from..).and_then(|rest| rest.find('{')) {
        let open = from + open;
        let inside = rest.get(open + 1..).and_then(|after| after.split_once('}'));
        let named = inside.map(|(inside, after)| {
            let (name, pattern) = match inside.split_once(':') {
                Some((name, pattern)) => (name, Some(pattern)),
                None => (inside, None),
            };
            (name, pattern, after)
        });
        match named.filter(|(name, ..)| is_name(name)) {
            Some((name, pattern, after)) => {
                parts.push(Part::Text(rest.get(..open).unwrap_or_default()));
                parts.push(Part::Placeholder(name, pattern));
                (rest, from) = (after, 0);
            }
            None => from = open + 1,
        }
    }
    parts.push(Part::Text(rest));
    parts
}

/// The names of the placeholders of a text.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    parts(text).into_iter().filter_map(|part| match part {
        Part::Placeholder(name, _) => Some(name),
        Part::Text(_) => None,
    })
}

/// `true` if the times of a text with placeholders can be written.
pub(super) fn has_sound_times(text: &str) -> bool {
    parts(text).into_iter().all(|part| match part {
        Part::Placeholder("since" | "until", Some(pattern)) => {
            strtime::format(pattern, Timestamp::default()).is_ok()
        }
        Part::Placeholder(_, pattern) => pattern.is_none(),
        Part::Text(_) => true,
    })
}

impl Mapping {
    /// `true` if its responses begin at the requested time.
    pub(crate) fn asks_since(&self) -> bool {
        let mut texts = self.command.iter().chain([&self.url]);
        texts.any(|text| placeholders(text).any(|name| name == "since"))
    }

    /// Checks that a deployment may have this id at the service.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn check_id(&self, id: &str) -> Result<(), String> {
        let asked = Asked {
            id,
            since: 0.0,
            until: 0.0,
            fields: &[],
        };
        self.fill(&self.url, Use::Address(""), asked).map(|_| ())
    }

    /// A URL or an argument with the values of its placeholders.
    ///
    /// # Errors
    /// Why it cannot have this id.
    pub(crate) fn fill(
        &self,
        text: &str,
        used_as: Use<'_>,
        asked: Asked<'_>,
    ) -> Result<String, String> {
        let mut filled = String::new();
        for part in parts(text) {
            let (name, pattern) = match part {
                Part::Text(text) => {
                    filled.push_str(text);
                    continue;
                }
                Part::Placeholder(name, pattern) => (name, pattern),
            };
            let is_id = name == "id";
            let value = match (name, used_as) {
                ("base_url", Use::Address(base)) => {
                    filled.push_str(base);
                    continue;
                }
                ("base_url", Use::Argument) => String::new(),
                ("id", _) => asked.id.to_owned(),
                ("since", _) => written(asked.since, pattern),
                ("until", _) => written(asked.until, pattern),
                ("fields", _) => {
                    let more = asked.fields.iter();
                    let more = more.filter(|name| !self.fields.contains(name));
                    let mut names = self.fields.iter().chain(more).peekable();
                    if names.peek().is_none() && filled.ends_with(',') {
                        filled.pop();
                    }
                    let encoded = names.map(|name| encoded(name, &filled, used_as));
                    let list = encoded.collect::<Vec<_>>().join(",");
                    filled.push_str(&list);
                    continue;
                }
                (name, _) => self.parameters.get(name).cloned().unwrap_or_default(),
            };
            if let (true, Use::Address(_)) = (is_id, used_as) {
                refuse(&value, &filled)?;
            }
            if is_id && used_as == Use::Argument && filled.is_empty() && value.starts_with('-') {
                let shown = crate::text::excerpt(&value, 60);
                return Err(format!(
                    "the id {shown} begins with a hyphen: the program of the service would take it for an option"
                ));
            }
            let value = encoded(&value, &filled, used_as);
            filled.push_str(&value);
        }
        Ok(filled)
    }
}

/// Refuses an id that would change the query of the service.
fn refuse(id: &str, before: &str) -> Result<(), String> {
    let is_quoted = ["'", "\"", "%27", "%22"]
        .iter()
        .any(|quote| before.ends_with(quote));
    if is_quoted && id.contains(['\'', '"', '\\']) {
        return Err(
            "it may not hold a quote or a backslash: the service's address has it between quotes"
                .to_owned(),
        );
    }
    Ok(())
}

/// A value, encoded for its position behind the text `before` it.
fn encoded(value: &str, before: &str, used_as: Use<'_>) -> String {
    match used_as {
        Use::Argument => value.to_owned(),
        Use::Address(_) if before.contains('?') => utf8_percent_encode(value, RESERVED).to_string(),
        Use::Address(_) => utf8_percent_encode(value, IN_PATH).to_string(),
    }
}

/// A time (UNIX seconds) by a pattern; RFC 3339 in whole seconds without one.
fn written(time: f64, pattern: Option<&str>) -> String {
    // `as` saturates.
    let seconds = time.floor() as i64;
    match pattern {
        Some("unix") => seconds.to_string(),
        Some("unix_ms") => seconds.saturating_mul(1000).to_string(),
        pattern => {
            let moment = Timestamp::from_second(seconds).unwrap_or_default();
            // Invalid patterns were refused with the settings.
            strtime::format(pattern.unwrap_or(RFC_3339), moment).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://a.example/v1";

    fn filled(text: &str, id: &str) -> Result<String, String> {
        let mapping = Mapping {
            fields: vec!["sst".to_owned(), "a b".to_owned()],
            parameters: [("dataset".to_owned(), "GDP x".to_owned())].into(),
            ..Mapping::default()
        };
        let asked = Asked {
            id,
            since: 1_670_718_579.5,
            until: 1_670_804_979.0,
            fields: &["sst", "slp"].map(str::to_owned),
        };
        mapping.fill(text, Use::Address(BASE), asked)
    }

    #[test]
    fn each_placeholder_is_encoded_for_its_place() {
        for (text, url) in [
            ("{base_url}/{id}/x", "/urn:mrn:1'@%2F%3F%23%25%20b/x"),
            (
                "{base_url}?id={id}",
                "?id=urn%3Amrn%3A1%27%40%2F%3F%23%25%20b",
            ),
            ("{base_url}?t={since}", "?t=2022-12-11T00%3A29%3A39Z"),
            (
                "{base_url}/{until:unix}/{since:unix_ms}",
                "/1670804979/1670718579000",
            ),
            ("{base_url}/{since:%Y/%j}", "/2022%2F345"),
            (
                "{base_url}/{dataset}.json?lat,{fields}&x",
                "/GDP%20x.json?lat,sst,a%20b,slp&x",
            ),
            ("{base_url}?q={\"a\":1}{", "?q={\"a\":1}{"),
        ] {
            let expected = format!("{BASE}{url}");
            assert_eq!(filled(text, "urn:mrn:1'@/?#% b"), Ok(expected), "{text}");
        }
        let without = Mapping::default();
        let asked = Asked {
            id: "a",
            since: 0.0,
            until: 0.0,
            fields: &[],
        };
        let url = without.fill("{base_url}?lat,{fields}&x", Use::Address(BASE), asked);
        assert_eq!(url.unwrap(), format!("{BASE}?lat&x"));
        let argument = without.fill(
            "id={id}",
            Use::Argument,
            Asked {
                id: "a b'",
                ..asked
            },
        );
        assert_eq!(argument.unwrap(), "id=a b'");
    }

    #[test]
    fn an_id_between_quotes_is_no_text_of_a_query() {
        for text in ["?q='{id}'", "?q=%22{id}%22", "?q=\"{id}\""] {
            for id in ["x' OR 1=1", "x\"", "x\\"] {
                assert!(filled(text, id).is_err(), "{text} {id}");
            }
            assert!(filled(text, "SPOT-1 a").is_ok());
        }
        assert!(filled("{base_url}/{id}", "x'").is_ok());
    }
}
