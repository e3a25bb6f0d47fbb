//! A list of plants as a table: a header that names id, name and tag in any order, and a line
//! for each plant, in cells that commas, semicolons or tabs separate.

use std::io::Read;

use csv::StringRecord;

use crate::app::rows::rows;
use crate::formats::csv::without_apostrophe;
use crate::plant::Draft;
use crate::text;

/// The largest list, bytes: a file without an end must not fill the memory.
const LARGEST: u64 = 64 << 20;
/// So many invalid lines are named.
const NAMED: usize = 5;

/// Why a list of plants is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    /// A column is missing.
    #[error("there is no column '{0}'; id, name and tag are needed")]
    NoColumn(&'static str),
    /// A column is present more than once.
    #[error("the heading has the column '{0}' twice")]
    ColumnTwice(&'static str),
    /// Lines are invalid.
    #[error("{}", first_lines(.0))]
    Lines(Vec<String>),
    /// The list has too many bytes.
    #[error("it is larger than {}", text::bytes(LARGEST))]
    TooLarge,
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// The first of some faults; the others are counted.
fn first_lines(faults: &[String]) -> String {
    let first = faults.get(..NAMED).unwrap_or(faults).join("; ");
    match faults.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}

impl TableError {
    /// `true` if reading failed, not validation.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}

/// Parses a list of plants, in its order; each with its line, counted from 1.
///
/// # Errors
/// The faults of the list; a list with any is rejected as a whole.
pub(crate) fn drafts(table: impl Read) -> Result<Vec<(u64, Draft)>, TableError> {
    let mut list = Vec::new();
    let read = table.take(LARGEST + 1).read_to_end(&mut list);
    read.map_err(|error| TableError::Unreadable(error.to_string()))?;
    if list.len() as u64 > LARGEST {
        return Err(TableError::TooLarge);
    }
    let at = |number: usize, fault: String| format!("line {number}: {fault}");
    let mut rows = rows(&list);
    let (number, heading) = rows.next().unwrap_or((1, Ok(StringRecord::new())));
    let heading = heading.map_err(|fault| TableError::Lines(vec![at(number, fault)]))?;
    let column = |name: &'static str| {
        let mut columns = (0..)
            .zip(&heading)
            .filter(|(_, cell)| cell.trim().eq_ignore_ascii_case(name));
        match (columns.next(), columns.next()) {
            (Some((column, _)), None) => Ok(column),
            (Some(_), Some(_)) => Err(TableError::ColumnTwice(name)),
            (None, _) => Err(TableError::NoColumn(name)),
        }
    };
    let columns = [column("id")?, column("name")?, column("tag")?];
    let mut drafts = Vec::new();
    let mut faults = Vec::new();
    for (number, row) in rows {
        match row.and_then(|row| draft(&row, heading.len(), columns)) {
            Ok(draft) => drafts.push((number as u64, draft)),
            Err(fault) => faults.push(at(number, fault)),
        }
    }
    if faults.is_empty() {
        Ok(drafts)
    } else {
        Err(TableError::Lines(faults))
    }
}

/// The plant of a row; its fault if it is none.
fn draft(row: &StringRecord, width: usize, columns: [usize; 3]) -> Result<Draft, String> {
    if row.len() != width {
        return Err(format!(
            "{} fields where the heading has {width}",
            row.len()
        ));
    }
    let cell = |column| without_apostrophe(row.get(column).unwrap_or_default());
    let [id, name, tag] = columns.map(cell);
    Draft::parse(id, name, tag).map_err(|errors| {
        let first = errors.first();
        let reason = first.map(|(field, error)| format!("{field}: {error}"));
        reason.unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> Result<Vec<String>, String> {
        drafts(table.as_bytes())
            .map(|all| {
                all.iter()
                    .map(|(_, draft)| format!("{}/{}/{}", draft.id, draft.name, draft.tag))
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
        // The last line may have no end.
        assert_eq!(read("id,name,tag\n7,a,\"b\""), Ok(vec!["7/a/b".to_owned()]));
    }

    #[test]
    fn cells_are_separated_as_the_heading_is_and_the_mark_before_a_formula_goes() {
        for table in [
            "name;id;tag\n'=rose;7;a,b\n",
            "tag\tname\tid\n\"a,b\"\t'=rose\t7\n",
            "id,name,tag\n7,'=rose,\"a,b\"\n",
        ] {
            assert_eq!(read(table), Ok(vec!["7/=rose/a,b".to_owned()]), "{table}");
        }
    }

    #[test]
    fn every_invalid_line_is_counted_and_the_first_are_named() {
        let error = read("id,name,tag\nx,a,b\n1,a,b\n2,,b\n").unwrap_err();
        assert!(
            error.contains("line 2: id") && error.contains("line 4: name"),
            "{error}"
        );
        let many = format!("id,name,tag\n{}", "x,a,b\n".repeat(40));
        let error = read(&many).unwrap_err();
        assert!(
            error.contains("line 6") && error.contains("35 more"),
            "{error}"
        );
    }

    #[test]
    fn a_list_without_an_end_is_rejected() {
        let error = drafts(std::io::repeat(b'a')).unwrap_err();
        assert!(!error.is_unreadable());
        assert_eq!(error.to_string(), "it is larger than 67.1 MB");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (table, part) in [
            ("", "no column 'id'"),
            ("id,name\n1,a\n", "no column 'tag'"),
            ("id,name,tag\n1,a,b\nx,a,b\n", "line 3: id"),
            ("id,name,tag\r\n1,a,b\r\nx,a,b\r\n", "line 3: id"),
            ("id,name,tag\r1,a,b\rx,a,b", "line 3: id"),
            (
                "id,name,tag\r\n\r\n1,a,b\r\n\r\n\r\nx,a,b\r\n",
                "line 6: id",
            ),
            (
                "id,name,tag\n\n1,a\n",
                "line 3: 2 fields where the heading has 3",
            ),
            (
                "id,name,tag\n1,\"two\nlines\",b\n",
                "line 2: a quote is not closed",
            ),
            (
                "id,name,tag\n1,a\n",
                "line 2: 2 fields where the heading has 3",
            ),
            ("id,name,tag\n99999999999999999999,a,b\n", "line 2: id"),
            ("id,name,tag\n1,a\u{7},b\n", "line 2: name"),
            // A file that is cut.
            (
                "id,name,tag\n1,a,b\n2,c",
                "line 3: 2 fields where the heading has 3",
            ),
            (
                "id,name,tag\n1,a,b\n2,c,\"d",
                "line 3: a quote is not closed",
            ),
            ("id,name,ID ,tag\n1,a,2,b\n", "the column 'id' twice"),
        ] {
            let error = read(table).unwrap_err();
            assert!(error.contains(part), "{table:?}: {error}");
        }
        let error = drafts(&b"id,name,tag\n1,\xff,b\n"[..]).unwrap_err();
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}
