//! Reads a mapping from a TOML table.

use std::time::Duration;

use strum::VariantNames;
use toml::{Table, Value};

use super::template::{has_sound_times, placeholders};
use super::{AnswerFormat, AnswerShape, Auth, List, Mapping, TimeFormat};
use crate::track::time::{parse, parse_duration};

/// The kinds of services.
const KINDS: &str = include_str!("../../assets/services.toml");
/// The member that names the kind.
const KIND: &str = "kind";
/// Placeholders that every URL and argument may have.
const PLACEHOLDERS: [&str; 5] = ["base_url", "id", "since", "until", "fields"];

/// The members of a table that are not read yet, and the names of all that were asked for.
struct Members {
    table: Table,
    known: Vec<&'static str>,
}

/// The fault of a member, without its value: that may be a secret.
type Fault = String;

impl Members {
    fn take<T>(
        &mut self,
        name: &'static str,
        needed: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        self.known.push(name);
        let Some(value) = self.table.remove(name) else {
            return Ok(None);
        };
        let read = read(value).map(Some);
        read.ok_or_else(|| format!("{name} of service must be {needed}"))
    }

    fn text(&mut self, name: &'static str) -> Result<Option<String>, Fault> {
        self.take(name, "text in quotes", text)
    }

    fn pointer(&mut self, name: &'static str) -> Result<Option<String>, Fault> {
        let is_pointer = |text: &String| text.starts_with('/') || text.is_empty();
        self.take(name, "a JSON pointer such as /data/track", |value| {
            text(value).filter(is_pointer)
        })
    }

    fn texts(&mut self, name: &'static str) -> Result<Option<Vec<String>>, Fault> {
        self.take(name, "a list of texts", list)
    }

    fn duration(&mut self, name: &'static str) -> Result<Option<f64>, Fault> {
        self.take(name, "a duration such as 150s or 30d", |value| {
            let written = text(value)?;
            match written.as_str() {
                "0s" => Some(0.0),
                written => parse_duration(written).ok(),
            }
        })
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn list(value: Value) -> Option<Vec<String>> {
    match value {
        Value::Array(list) => list.into_iter().map(text).collect(),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

impl Mapping {
    /// The mapping of the table of a profile, over that of its kind.
    ///
    /// # Errors
    /// The name of the wrong member, without its value.
    pub(crate) fn read(own: &Table) -> Result<Self, Fault> {
        let mut table = match own.get(KIND) {
            Some(kind) => of_kind(kind)?,
            None => Table::new(),
        };
        table.extend(own.clone());
        let written = toml::to_string(&table).unwrap_or_default();
        let known = Vec::new();
        let mut members = Members { table, known };
        let needed = "a program and its arguments, a list of texts";
        let command = members
            .take("command", needed, |value| {
                list(value).filter(|words| words.first().is_some_and(|word| !word.is_empty()))
            })?
            .unwrap_or_default();
        let url = members.text("url")?;
        if !command.is_empty() && url.is_some() {
            return Err("service has both url and command".to_owned());
        }
        let answer = shape(&mut members)?;
        let of_fix = answer
            .time
            .iter()
            .chain([&answer.latitude, &answer.longitude]);
        if of_fix.into_iter().any(String::is_empty) {
            let why = "time, latitude and longitude of service must be names";
            return Err(why.to_owned());
        }
        let mut mapping = Self {
            list: list_of_deployments(&mut members, &answer)?,
            kind: members.text(KIND)?,
            base_url: members.text("base_url")?,
            url: if command.is_empty() {
                url.unwrap_or_else(|| "{base_url}/public/deployment/data/{id}".to_owned())
            } else {
                String::new()
            },
            command,
            auth: auth(&mut members)?,
            answer,
            window_s: members.duration("window")?,
            min_interval: members
                .duration("min_interval")?
                .map(Duration::from_secs_f64),
            start: members
                .take("start", "a time such as 2020-01-01", |value| {
                    parse(&text(value)?, 0.0).ok()
                })?
                .unwrap_or(0.0),
            fields: members.texts("fields")?.unwrap_or_default(),
            written,
            ..Self::default()
        };
        mapping.take_parameters(members)?;
        Ok(mapping)
    }

    /// Reads the remaining members: values of its own placeholders.
    fn take_parameters(&mut self, left: Members) -> Result<(), Fault> {
        let list = self.list.iter().map(|list| &list.url);
        let texts = self.command.iter().chain([&self.url]);
        let has_id = texts
            .clone()
            .any(|text| placeholders(text).any(|name| name == "id"));
        let texts: Vec<&String> = texts.chain(list).collect();
        let used = |name: &str| {
            texts
                .iter()
                .any(|text| placeholders(text).any(|placeholder| placeholder == name))
        };
        let mut parameters = std::collections::BTreeMap::new();
        for (name, value) in left.table {
            // The id itself comes from the watch list: here it names a column.
            let name = if name == "id" {
                "column".to_owned()
            } else {
                name
            };
            if !used(&name) {
                let shown = crate::text::excerpt(&name, 40);
                let near = crate::text::nearest(&name, left.known.iter().copied())
                    .map_or_else(String::new, |near| format!(": did you mean {near}?"));
                return Err(format!("service has no member {shown}{near}"));
            }
            let value = match value {
                Value::String(text) => text,
                Value::Integer(number) => number.to_string(),
                _ => return Err(format!("{name} of service must be text in quotes")),
            };
            parameters.insert(name, value);
        }
        for name in texts.iter().flat_map(|text| placeholders(text)) {
            if !PLACEHOLDERS.contains(&name) && !parameters.contains_key(name) {
                let name = if name == "column" { "id" } else { name };
                return Err(format!("service needs {name}"));
            }
        }
        if !texts.iter().all(|text| has_sound_times(text)) {
            return Err("service has a placeholder with a pattern that no time has".to_owned());
        }
        if self.command.is_empty() && !has_id {
            return Err("url of service has no {id}".to_owned());
        }
        if let Some(list) = &mut self.list
            && let Some(column) = parameters.get("column")
            && list.id == "{column}"
        {
            list.id.clone_from(column);
        }
        self.parameters = parameters;
        Ok(())
    }
}

fn of_kind(kind: &Value) -> Result<Table, Fault> {
    // A test reads it.
    let mut kinds: Table = KINDS.parse().unwrap_or_default();
    let name = kind.as_str().unwrap_or_default();
    match kinds.remove(name) {
        Some(Value::Table(table)) => Ok(table),
        _ => {
            let known = kinds.keys().cloned().collect::<Vec<_>>().join(", ");
            Err(format!("kind of service must be one of {known}"))
        }
    }
}

/// The list of deployments: in the format of tracks, except for what the mapping says.
fn list_of_deployments(members: &mut Members, answer: &AnswerShape) -> Result<Option<List>, Fault> {
    let url = members.text("list")?;
    let items = members.pointer("list_items")?;
    let id = members.text("list_id")?;
    let label = members.text("list_label")?;
    let time = members.text("list_time")?;
    let latitude = members.text("list_latitude")?;
    let longitude = members.text("list_longitude")?;
    let Some(url) = url else {
        return Ok(None);
    };
    if placeholders(&url).any(|name| name == "id") {
        return Err("list of service has {id}".to_owned());
    }
    Ok(Some(List {
        url,
        answer: AnswerShape {
            items,
            time: time.map_or_else(|| answer.time.clone(), |time| vec![time]),
            latitude: latitude.unwrap_or_else(|| answer.latitude.clone()),
            longitude: longitude.unwrap_or_else(|| answer.longitude.clone()),
            same: None,
            only: Vec::new(),
            ..answer.clone()
        },
        id: id.unwrap_or_else(|| "id".to_owned()),
        label,
    }))
}

fn auth(members: &mut Members) -> Result<Auth, Fault> {
    let needed = "bearer, none, basic, header:NAME or query:NAME";
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let auth = members.take("auth", needed, |value| match text(value)?.as_str() {
        "bearer" => Some(Auth::Bearer),
        "none" => Some(Auth::None),
        "basic" => Some(Auth::Basic),
        other => match other.split_once(':')? {
            ("header", name) if is_name(name) => Some(Auth::Header(name.to_owned())),
            ("query", name) if is_name(name) => Some(Auth::Query(name.to_owned())),
            _ => None,
        },
    })?;
    Ok(auth.unwrap_or_default())
}

fn shape(members: &mut Members) -> Result<AnswerShape, Fault> {
    let formats = AnswerFormat::VARIANTS.join(", ");
    let format = members.take("format", &formats, |value| text(value)?.parse().ok())?;
    let time = members.take(
        "time",
        "the name of a member, or a list of names",
        |value| match value {
            Value::String(name) => Some(vec![name]),
            value => list(value).filter(|names| !names.is_empty()),
        },
    )?;
    let time_format = members.take("time_format", TimeFormat::FORMS, |value| {
        TimeFormat::read(&text(value)?)
    })?;
    let missing = members.take("missing", "a list of numbers", |value| {
        value.as_array()?.iter().map(number).collect()
    })?;
    let only = members.take("where", "a table of members and values", |value| {
        let members = value.as_table()?.iter();
        let read = |(name, value): (&String, &Value)| {
            Some((name.clone(), serde_json::to_value(value).ok()?))
        };
        members.map(read).collect::<Option<Vec<_>>>()
    })?;
    let may_lack_items = members.take("items_missing", "\"empty\"", |value| {
        (text(value)? == "empty").then_some(())
    })?;
    let usual = AnswerShape::default();
    Ok(AnswerShape {
        format: format.unwrap_or_default(),
        items: members.pointer("items")?,
        may_lack_items: may_lack_items.is_some(),
        columns: members.pointer("columns")?,
        error: members.pointer("error")?,
        next: members.pointer("next")?,
        time: time.unwrap_or(usual.time),
        time_format: time_format.unwrap_or_default(),
        latitude: members.text("latitude")?.unwrap_or(usual.latitude),
        longitude: members.text("longitude")?.unwrap_or(usual.longitude),
        missing: missing.unwrap_or_default(),
        same: members.text("same")?,
        valid: members.text("valid")?,
        ignored: members.texts("ignore")?.unwrap_or_default(),
        only: only.unwrap_or_default(),
        is_strict: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Mapping, Fault> {
        Mapping::read(&text.parse().unwrap())
    }

    #[test]
    fn members_that_are_left_out_are_those_of_the_interface() {
        let mapping = read("").unwrap();
        assert_eq!(mapping.url, "{base_url}/public/deployment/data/{id}");
        assert_eq!(
            (mapping.auth, mapping.answer.format),
            (Auth::Bearer, AnswerFormat::Json)
        );
        assert_eq!(mapping.answer.time, ["time_stamp"]);
        assert_eq!(mapping.answer.time_format, TimeFormat::Unix);
    }

    #[test]
    fn a_kind_is_a_table_of_which_a_profile_replaces_members() {
        let kinds: Table = KINDS.parse().unwrap();
        assert!(!kinds.is_empty());
        for (kind, table) in kinds {
            let url = table["url"].as_str().unwrap();
            assert!(url.starts_with("{base_url}"), "{kind}");
            let mut own = Table::from_iter([("kind".to_owned(), kind.clone().into())]);
            for name in placeholders(url).filter(|name| !PLACEHOLDERS.contains(name)) {
                assert!(
                    read(&own.to_string()).unwrap_err().contains("needs"),
                    "{kind}"
                );
                let name = if name == "column" { "id" } else { name };
                own.insert(name.to_owned(), "x".into());
            }
            read(&own.to_string()).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        }
        let own = "kind = 'erddap'\ndataset = 'GDP'\nid = 'ID'\nformat = 'csv'";
        let mapping = read(own).unwrap();
        assert_eq!(mapping.answer.format, AnswerFormat::Csv);
        assert_eq!(mapping.parameters["column"], "ID");
        assert!(mapping.asks_since());
    }

    #[test]
    fn a_wrong_member_is_named_and_its_value_is_not() {
        for (table, said) in [
            ("kind = 's3cret'", "kind of service"),
            ("auth = 's3cret'", "auth of service"),
            ("format = 's3cret'", "format of service"),
            ("items = 's3cret'", "items of service"),
            ("time_format = 's3cret'", "time_format of service"),
            ("time_format = '%Y-%m-%d %I:%M'", "time_format of service"),
            ("window = 's3cret'", "window of service"),
            ("latitude = 7", "latitude of service"),
            ("s3cret = 'x'", "has no member"),
            ("tiem = 's3cret'", "has no member tiem: did you mean time?"),
            ("url = '{base_url}/{id}/{dataset}'", "needs dataset"),
            ("url = '{base_url}/{id}?t={since:%J}'", "pattern"),
            ("url = '{base_url}/x'", "no {id}"),
            ("url = '{base_url}/{id}'\ncommand = ['a']", "both"),
            ("missing = ['a']", "missing of service"),
            ("items_missing = 'full'", "items_missing of service"),
        ] {
            let fault = read(table).unwrap_err();
            assert!(fault.contains(said), "{table}: {fault}");
            assert!(!fault.contains("= 's3cret'"), "{table}: {fault}");
        }
    }
}
