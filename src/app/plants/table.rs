//! A list of plants as a table: a header that names id, name and tag in any order, and a line
//! for each plant, in cells that commas, semicolons or tabs separate.

use std::io::Read;

use csv::StringRecord;

use crate::app::rows::sheet;
use crate::failure::Failure;
use crate::formats::csv::without_apostrophe;
use crate::plant::Draft;

/// So many invalid lines are named.
const NAMED: usize = 5;

/// A plant of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportRow {
    /// Its line, counted from 1.
    pub line: u64,
    /// The plant.
    pub draft: Draft,
}

/// Parses a list of plants, in its order.
///
/// # Errors
/// [`FailureKind::Usage`] with the faults of the list, which is rejected as a whole, or if it is too
/// large; [`FailureKind::Other`] if it cannot be read.
///
/// [`FailureKind::Usage`]: crate::failure::FailureKind::Usage
/// [`FailureKind::Other`]: crate::failure::FailureKind::Other
pub(crate) fn drafts(table: impl Read) -> Result<Vec<ImportRow>, Failure> {
    let list = sheet(table)?;
    let column = |name: &str| {
        let mut columns = (0..)
            .zip(&list.heading)
            .filter(|(_, cell)| cell.trim().eq_ignore_ascii_case(name));
        match (columns.next(), columns.next()) {
            (Some((column, _)), None) => Ok(column),
            (Some(_), Some(_)) => Err(format!("the heading has the column '{name}' twice")),
            (None, _) => Err(format!(
                "there is no column '{name}'; id, name and tag are needed"
            )),
        }
        .map_err(Failure::usage)
    };
    let columns = [column("id")?, column("name")?, column("tag")?];
    let mut drafts = Vec::new();
    let mut faults = Vec::new();
    for (number, row) in list.rows {
        match row.and_then(|row| draft(&row, columns)) {
            Ok(draft) => drafts.push(ImportRow {
                line: number as u64,
                draft,
            }),
            Err(fault) => faults.push(format!("line {number}: {fault}")),
        }
    }
    if faults.is_empty() {
        return Ok(drafts);
    }
    let mut words = faults.get(..NAMED).unwrap_or(&faults).join("; ");
    if let more @ 1.. = faults.len().saturating_sub(NAMED) {
        words.push_str(&format!("; and {more} more"));
    }
    Err(Failure::usage(words))
}

/// The plant of a row; its fault if it is none.
fn draft(row: &StringRecord, columns: [usize; 3]) -> Result<Draft, String> {
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
                    .map(|ImportRow { draft, .. }| {
                        format!("{}/{}/{}", draft.id, draft.name, draft.tag)
                    })
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
                "line 3: it has 2 cells, the header 3",
            ),
            (
                "id,name,tag\n1,\"two\nlines\",b\n",
                "line 2: a quote is not closed",
            ),
            ("id,name,tag\n1,a\n", "line 2: it has 2 cells, the header 3"),
            ("id,name,tag\n99999999999999999999,a,b\n", "line 2: id"),
            ("id,name,tag\n1,a\u{7},b\n", "line 2: name"),
            // A file that is cut.
            (
                "id,name,tag\n1,a,b\n2,c",
                "line 3: it has 2 cells, the header 3",
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
