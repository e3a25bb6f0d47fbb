//! A list of plants as comma-separated values: a header that names id, name and
//! tag in any order, and a line for each plant.

use std::io::Read;

use super::Draft;
use crate::text;

/// The largest list, bytes: a file without an end must not fill the memory.
const LARGEST: u64 = 64 << 20;

/// The longest line, bytes: a file without line ends is no list.
const LONGEST_LINE: usize = 64 << 10;

/// Why a list of plants is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    /// A column is missing.
    #[error("there is no column '{0}'; id, name and tag are needed")]
    NoColumn(&'static str),
    /// A column is present more than once.
    #[error("the heading has the column '{0}' twice")]
    ColumnTwice(&'static str),
    /// A line is invalid.
    #[error("line {line}: {reason}")]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// Why it is invalid.
        reason: String,
    },
    /// The list has too many bytes.
    #[error("it is larger than {}", text::bytes(LARGEST))]
    TooLarge,
    /// The file cannot be read, or is not such a list.
    #[error("{0}")]
    Unreadable(String),
}

impl TableError {
    /// `true` if reading failed, not validation.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}

/// Parses a list of plants, in its order.
///
/// # Errors
/// The first error; a list with any error is rejected as a whole.
pub(crate) fn drafts(table: impl Read) -> Result<Vec<Draft>, TableError> {
    let mut list = Vec::new();
    let read = table.take(LARGEST + 1).read_to_end(&mut list);
    read.map_err(|error| TableError::Unreadable(error.to_string()))?;
    let mut lines = list.split(|&byte| byte == b'\n');
    if let Some(before) = lines.position(|line| line.len() > LONGEST_LINE) {
        return Err(TableError::Line {
            line: before as u64 + 1,
            reason: format!("it is longer than {}", text::bytes(LONGEST_LINE as u64)),
        });
    }
    if list.len() as u64 > LARGEST {
        return Err(TableError::TooLarge);
    }
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::Headers)
        .from_reader(list.as_slice());
    let headers = reader.headers().map_err(wrong)?.clone();
    let index_of = |name: &'static str| {
        let mut indices = headers
            .iter()
            .enumerate()
            .filter(|(_, header)| header.trim().eq_ignore_ascii_case(name))
            .map(|(index, _)| index);
        match (indices.next(), indices.next()) {
            (Some(index), None) => Ok(index),
            (Some(_), Some(_)) => Err(TableError::ColumnTwice(name)),
            (None, _) => Err(TableError::NoColumn(name)),
        }
    };
    let indices = [index_of("id")?, index_of("name")?, index_of("tag")?];
    let mut drafts = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let [id, name, tag] = indices.map(|index| record.get(index).unwrap_or_default());
        let draft = Draft::parse(id, name, tag).map_err(|errors| TableError::Line {
            line,
            reason: errors
                .first()
                .map_or_else(String::new, |(field, error)| format!("{field}: {error}")),
        })?;
        drafts.push(draft);
    }
    Ok(drafts)
}

fn wrong(error: csv::Error) -> TableError {
    let line = error.position().map(csv::Position::line);
    match (error.kind(), line) {
        (
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            },
            Some(line),
        ) => TableError::Line {
            line,
            reason: format!("{len} fields where the heading has {expected_len}"),
        },
        (csv::ErrorKind::Utf8 { .. }, Some(line)) => TableError::Line {
            line,
            reason: "it is not UTF-8 text".to_owned(),
        },
        (_, line) => TableError::Line {
            line: line.unwrap_or(1),
            reason: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> Result<Vec<String>, String> {
        drafts(table.as_bytes())
            .map(|all| {
                all.iter()
                    .map(|draft| format!("{}/{}/{}", draft.id, draft.name, draft.tag))
                    .collect()
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn columns_stand_in_any_order_and_blank_lines_are_none() {
        assert_eq!(
            read("\u{feff}Tag, ID ,name\r\nred,7,\"a, b\"\r\n\r\n,8,c\r\n"),
            Ok(vec!["7/a, b/red".to_owned(), "8/c/".to_owned()])
        );
        assert_eq!(read("id,name,tag\n"), Ok(Vec::new()));
    }

    #[test]
    fn a_list_without_an_end_is_rejected() {
        let error = drafts(std::io::repeat(b'a')).unwrap_err();
        assert!(!error.is_unreadable());
        assert_eq!(error.to_string(), "line 1: it is longer than 65.5 kB");
        let error = drafts(std::io::repeat(b'\n')).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 67.1 MB");
        let long = format!("id,name,tag\n1,a,b\n2,{},b\n", "a".repeat(70_000));
        assert_eq!(
            read(&long).unwrap_err(),
            "line 3: it is longer than 65.5 kB"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (table, part) in [
            ("", "no column 'id'"),
            ("id,name\n1,a\n", "no column 'tag'"),
            ("id,name,tag\n1,a,b\nx,a,b\n", "line 3: id"),
            ("id,name,tag\n1,\"two\nlines\",b\n", "line 2: name"),
            (
                "id,name,tag\n1,a\n",
                "line 2: 2 fields where the heading has 3",
            ),
            ("id,name,tag\n99999999999999999999,a,b\n", "line 2: id"),
            ("id,name,tag\n1,a\u{7},b\n", "line 2: name"),
            ("id,name,ID ,tag\n1,a,2,b\n", "the column 'id' twice"),
        ] {
            let error = read(table).unwrap_err();
            assert!(error.contains(part), "{table:?}: {error}");
        }
        let error = drafts(&b"id,name,tag\n1,\xff,b\n"[..]).unwrap_err();
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}
