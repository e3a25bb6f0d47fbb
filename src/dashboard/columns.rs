//! The columns of the tables and their order: from the settings, and for the session
//! from a dialog. Latitude and longitude are one choice, and so are speed and
//! course.

use super::tab::TabId;

/// The columns of the table of every tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(Vec<TableColumns>);

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TableColumns {
    /// The names of all, in their usual order.
    names: Vec<&'static str>,
    /// The names of the columns that are shown, in the order in which they are shown.
    shown: Vec<&'static str>,
}

impl Columns {
    /// All columns of these names, each table's in the order of the tabs.
    pub(crate) fn new(tables: Vec<Vec<&'static str>>) -> Self {
        let table = |names: Vec<&'static str>| TableColumns {
            shown: names.clone(),
            names,
        };
        Self(tables.into_iter().map(table).collect())
    }

    /// The names of all columns of a tab's table, in their usual order.
    pub(crate) fn names(&self, tab: TabId) -> &[&'static str] {
        &self.0[tab as usize].names
    }

    /// The columns that a tab's table shows.
    pub(crate) fn shown(&self, tab: TabId) -> &[&'static str] {
        &self.0[tab as usize].shown
    }

    /// If a tab's table shows a column.
    pub(crate) fn has(&self, tab: TabId, name: &str) -> bool {
        self.shown(tab).contains(&name)
    }

    /// If a tab's table shows all columns in their usual order.
    pub(crate) fn are_usual(&self, tab: TabId) -> bool {
        self.shown(tab) == self.names(tab)
    }

    /// Shows these columns in a tab's table.
    pub(crate) fn show(&mut self, tab: TabId, columns: Vec<&'static str>) {
        self.0[tab as usize].shown = columns;
    }

    /// The columns of a tab's table of these names, whatever their case.
    ///
    /// # Errors
    /// The first name that cannot be used, and why.
    pub(crate) fn named(&self, tab: TabId, names: &[String]) -> Result<Vec<&'static str>, String> {
        let mut columns: Vec<&'static str> = Vec::new();
        for text in names.iter().map(|text| text.trim()) {
            let known = self.names(tab);
            let mut all = known.iter().copied();
            let Some(name) = all.find(|known| known.eq_ignore_ascii_case(text)) else {
                return Err(not_known(text, known));
            };
            if columns.contains(&name) {
                return Err(format!("the column '{name}' is named twice"));
            }
            columns.push(name);
        }
        if columns.is_empty() {
            return Err("at least one column is needed".to_owned());
        }
        Ok(columns)
    }
}

/// The name and the value, in TOML, of the line of the settings, in the table
/// `[columns]`, that has these columns.
pub(crate) fn entry(tab: TabId, shown: &[&'static str]) -> (String, String) {
    let named = shown.iter().map(|name| format!("\"{name}\""));
    let columns = format!("[{}]", named.collect::<Vec<_>>().join(", "));
    (tab.title().to_lowercase(), columns)
}

fn not_known(name: &str, known: &[&'static str]) -> String {
    let excerpt = crate::text::excerpt(name, 30);
    match crate::text::nearest(name, known.iter().copied()) {
        Some(near) => format!("no column is named '{excerpt}': did you mean '{near}'?"),
        None => {
            let all = known.join(", ");
            format!("no column is named '{excerpt}'; the columns are {all}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::components::usual_columns;

    fn read(names: &[&str]) -> Result<Vec<&'static str>, String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        usual_columns().named(TabId::Deployments, &names)
    }

    #[test]
    fn columns_are_chosen_and_ordered_by_name() {
        assert_eq!(
            read(&["deployment ", "Status", "sog cog"]).unwrap(),
            ["deployment", "status", "SOG COG"]
        );
        let columns = usual_columns();
        let all = columns.names(TabId::Deployments);
        assert_eq!(read(all).unwrap(), columns.shown(TabId::Deployments));
        assert!(columns.are_usual(TabId::Deployments));
    }

    #[test]
    fn the_manual_lists_the_columns_of_every_table() {
        let columns = usual_columns();
        let lines = TabId::ALL.iter().map(|tab| {
            let (table, columns) = entry(*tab, columns.shown(*tab));
            format!("{table} = {columns}")
        });
        let lines: Vec<String> = lines.collect();
        let made = format!("```toml\n[columns]\n{}\n```", lines.join("\n"));
        crate::testing::manual::part_is("settings.md", "columns", &made);
    }

    #[test]
    fn a_wrong_name_is_told_with_the_nearest_one() {
        assert_eq!(
            read(&["postion"]).unwrap_err(),
            "no column is named 'postion': did you mean 'position'?"
        );
        let unknown = read(&["temperature"]).unwrap_err();
        assert!(unknown.contains("status, deployment, group, last fix"));
        let twice = read(&["status", "Status"]).unwrap_err();
        assert_eq!(twice, "the column 'status' is named twice");
        assert_eq!(read(&[]).unwrap_err(), "at least one column is needed");
    }
}
