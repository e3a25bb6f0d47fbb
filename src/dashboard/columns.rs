//! The columns of the tables, their order and width: from the settings, and for the
//! session from a dialog. Latitude and longitude are one choice, and so are speed and
//! course.

use super::tab::TabId;

/// The widest column, cells.
const WIDEST: u16 = 80;

/// A column that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownColumn {
    pub name: &'static str,
    /// Its width in cells; `None` for the usual one.
    pub width: Option<u16>,
}

/// The columns of the table of every tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(Vec<TableColumns>);

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TableColumns {
    /// The names of all, in their usual order.
    names: Vec<&'static str>,
    shown: Vec<ShownColumn>,
}

impl Columns {
    /// All columns of these names, each table's in the order of the tabs.
    pub(crate) fn new(tables: Vec<Vec<&'static str>>) -> Self {
        let table = |names: Vec<&'static str>| TableColumns {
            shown: usual(&names),
            names,
        };
        Self(tables.into_iter().map(table).collect())
    }

    /// The names of all columns of a tab's table, in their usual order.
    pub(crate) fn names(&self, tab: TabId) -> &[&'static str] {
        &self.0[tab as usize].names
    }

    /// The columns that a tab's table shows.
    pub(crate) fn shown(&self, tab: TabId) -> &[ShownColumn] {
        &self.0[tab as usize].shown
    }

    /// If a tab's table shows a column.
    pub(crate) fn has(&self, tab: TabId, name: &str) -> bool {
        self.shown(tab).iter().any(|column| column.name == name)
    }

    /// If a tab's table shows all columns in their usual order and width.
    pub(crate) fn are_usual(&self, tab: TabId) -> bool {
        self.shown(tab) == usual(self.names(tab))
    }

    /// Shows these columns in a tab's table.
    pub(crate) fn show(&mut self, tab: TabId, columns: Vec<ShownColumn>) {
        self.0[tab as usize].shown = columns;
    }

    /// The columns of a tab's table of these names, of which each may be followed by a
    /// colon and a width in cells: `deployment:30`.
    ///
    /// # Errors
    /// The first name that cannot be used, and why.
    pub(crate) fn named(
        &self,
        tab: TabId,
        names: &[String],
    ) -> Result<Vec<ShownColumn>, ColumnsError> {
        let mut columns: Vec<ShownColumn> = Vec::new();
        for text in names {
            let (name, width) = match text.split_once(':') {
                Some((name, width)) => (name.trim(), Some(width.trim())),
                None => (text.trim(), None),
            };
            let known = self.names(tab);
            let mut all = known.iter().copied();
            let Some(name) = all.find(|known| known.eq_ignore_ascii_case(name)) else {
                return Err(not_known(name, known));
            };
            if columns.iter().any(|column| column.name == name) {
                return Err(ColumnsError::Twice(name));
            }
            let width = match width.map(str::parse) {
                None => None,
                Some(Ok(width)) if (1..=WIDEST).contains(&width) => Some(width),
                Some(_) => return Err(ColumnsError::NoWidth(name)),
            };
            columns.push(ShownColumn { name, width });
        }
        if columns.is_empty() {
            return Err(ColumnsError::None);
        }
        Ok(columns)
    }
}

/// All columns of these names, in their usual order and width.
pub(crate) fn usual(names: &[&'static str]) -> Vec<ShownColumn> {
    let shown = |name: &&'static str| ShownColumn { name, width: None };
    names.iter().map(shown).collect()
}

/// Why columns of the settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ColumnsError {
    /// No column has this name.
    #[error("no column is named '{0}': did you mean '{1}'?")]
    Misspelt(String, &'static str),
    /// No column has a name like this.
    #[error("no column is named '{0}'; the columns are {1}")]
    Unknown(String, String),
    /// A column is named again.
    #[error("the column '{0}' is named twice")]
    Twice(&'static str),
    /// The text behind the colon is no width.
    #[error("the width of '{0}' must be a number of cells from 1 to {WIDEST}")]
    NoWidth(&'static str),
    /// No column is left.
    #[error("at least one column is needed")]
    None,
}

/// The name and the value, in TOML, of the line of the settings, in the table
/// `[columns]`, that has these columns.
pub(crate) fn entry(tab: TabId, shown: &[ShownColumn]) -> (String, String) {
    let named = shown.iter().map(|column| match column.width {
        Some(width) => format!("\"{}:{width}\"", column.name),
        None => format!("\"{}\"", column.name),
    });
    let columns = format!("[{}]", named.collect::<Vec<_>>().join(", "));
    (tab.title().to_lowercase(), columns)
}

/// The line of the settings file with the columns of a table.
pub(crate) fn setting(tab: TabId, shown: &[ShownColumn]) -> String {
    let (table, columns) = entry(tab, shown);
    format!("{table} = {columns}")
}

fn not_known(name: &str, known: &[&'static str]) -> ColumnsError {
    let excerpt = crate::text::excerpt(name, 30);
    match crate::text::nearest(name, known.iter().copied()) {
        Some(near) => ColumnsError::Misspelt(excerpt, near),
        None => ColumnsError::Unknown(excerpt, known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::components::usual_columns;

    fn read(names: &[&str]) -> Result<Vec<ShownColumn>, ColumnsError> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        usual_columns().named(TabId::Deployments, &names)
    }

    #[test]
    fn columns_are_chosen_ordered_and_sized_by_name() {
        let column = |name, width| ShownColumn { name, width };
        assert_eq!(
            read(&["deployment: 30", "Status", "sog cog"]).unwrap(),
            [
                column("deployment", Some(30)),
                column("status", None),
                column("SOG COG", None)
            ]
        );
        let columns = usual_columns();
        let all = columns.names(TabId::Deployments);
        assert_eq!(read(all).unwrap(), columns.shown(TabId::Deployments));
        assert!(columns.are_usual(TabId::Deployments));
    }

    #[test]
    fn the_manual_lists_the_columns_of_every_table() {
        let columns = usual_columns();
        let lines = TabId::ALL
            .iter()
            .map(|tab| setting(*tab, columns.shown(*tab)));
        let lines: Vec<String> = lines.collect();
        let made = format!("```toml\n[columns]\n{}\n```", lines.join("\n"));
        crate::testing::manual::part_is("settings.md", "columns", &made);
    }

    #[test]
    fn a_wrong_name_is_told_with_the_nearest_one() {
        assert_eq!(
            read(&["postion"]).unwrap_err().to_string(),
            "no column is named 'postion': did you mean 'position'?"
        );
        let unknown = read(&["temperature"]).unwrap_err().to_string();
        assert!(unknown.contains("status, deployment, group, last fix"));
        let twice = read(&["status", "status:3"]).unwrap_err();
        assert_eq!(twice, ColumnsError::Twice("status"));
        for wrong in ["status:", "status:wide", "status:0", "status:81"] {
            let error = read(&[wrong]).unwrap_err();
            assert_eq!(error, ColumnsError::NoWidth("status"), "{wrong}");
        }
        assert_eq!(read(&[]).unwrap_err(), ColumnsError::None);
    }
}
