//! Which columns the tables show, in which order and how wide: chosen in the
//! settings, and for the session in a dialog. Latitude and longitude are one column, and so are speed and course:
//! a pair is never split.

use super::state::tab::Tab;

/// The columns of the list of deployments, in their usual order.
pub(crate) const DEPLOYMENTS: [&str; 14] = [
    "status",
    "deployment",
    "group",
    "last fix",
    "position",
    "SOG COG",
    "interval",
    "reports",
    "SOG 7 days",
    "limits",
    "data return",
    "fixes",
    "platform",
    "update",
];

/// The columns of the table of fixes, in their usual order.
pub(crate) const TRACK: [&str; 7] = [
    "flag", "time", "position", "leg", "SOG COG", "interval", "reason",
];

/// The columns of the ledger of plants, in their usual order.
pub(crate) const PLANTS: [&str; 8] = [
    "state", "id", "name", "tag", "time", "request", "service", "message",
];

/// The columns of the requests, in their usual order.
pub(crate) const ACTIVITY: [&str; 8] = [
    "time", "subject", "method", "status", "took", "size", "outcome", "address",
];

/// The widest column, cells.
const WIDEST: u16 = 80;

/// A column that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownColumn {
    /// Its place in the usual order.
    pub place: usize,
    /// Its width in cells, where it is not the usual one.
    pub width: Option<u16>,
}

/// The names of the columns of a tab's table, in their usual order.
pub(crate) const fn names(tab: Tab) -> &'static [&'static str] {
    match tab {
        Tab::Deployments => &DEPLOYMENTS,
        Tab::Track => &TRACK,
        Tab::Plants => &PLANTS,
        Tab::Activity => &ACTIVITY,
    }
}

/// The columns of every table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Those of the list of deployments.
    pub deployments: Vec<ShownColumn>,
    /// Those of the table of fixes.
    pub track: Vec<ShownColumn>,
    /// Those of the ledger of plants.
    pub plants: Vec<ShownColumn>,
    /// Those of the requests.
    pub activity: Vec<ShownColumn>,
}

impl Columns {
    /// Those of a tab's table.
    pub(crate) fn of(&self, tab: Tab) -> &[ShownColumn] {
        match tab {
            Tab::Deployments => &self.deployments,
            Tab::Track => &self.track,
            Tab::Plants => &self.plants,
            Tab::Activity => &self.activity,
        }
    }

    /// Those of a tab's table, to change.
    pub(crate) fn of_mut(&mut self, tab: Tab) -> &mut Vec<ShownColumn> {
        match tab {
            Tab::Deployments => &mut self.deployments,
            Tab::Track => &mut self.track,
            Tab::Plants => &mut self.plants,
            Tab::Activity => &mut self.activity,
        }
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            deployments: usual(DEPLOYMENTS.len()),
            track: usual(TRACK.len()),
            plants: usual(PLANTS.len()),
            activity: usual(ACTIVITY.len()),
        }
    }
}

/// All columns of a table of this many, in their usual order and width.
pub(crate) fn usual(count: usize) -> Vec<ShownColumn> {
    let shown = |place| ShownColumn { place, width: None };
    (0..count).map(shown).collect()
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
    /// What follows the colon is no width.
    #[error("the width of '{0}' must be a number of cells from 1 to {WIDEST}")]
    NoWidth(&'static str),
    /// No column is left.
    #[error("at least one column is needed")]
    None,
}

/// The columns of these names, of which each may be followed by a colon and a
/// width in cells: `deployment:30`.
///
/// # Errors
/// The first name that cannot be used, and why.
pub(crate) fn named(
    names: &[String],
    known: &[&'static str],
) -> Result<Vec<ShownColumn>, ColumnsError> {
    let mut columns: Vec<ShownColumn> = Vec::new();
    for text in names {
        let (name, width) = match text.split_once(':') {
            Some((name, width)) => (name.trim(), Some(width.trim())),
            None => (text.trim(), None),
        };
        let mut all = known.iter().enumerate();
        let found = all.find(|(_, known)| known.eq_ignore_ascii_case(name));
        let Some((place, known)) = found else {
            return Err(not_known(name, known));
        };
        if columns.iter().any(|column| column.place == place) {
            return Err(ColumnsError::Twice(known));
        }
        let width = match width.map(str::parse) {
            None => None,
            Some(Ok(width)) if (1..=WIDEST).contains(&width) => Some(width),
            Some(_) => return Err(ColumnsError::NoWidth(known)),
        };
        columns.push(ShownColumn { place, width });
    }
    if columns.is_empty() {
        return Err(ColumnsError::None);
    }
    Ok(columns)
}

/// The line of the settings, in the table `[columns]`, that has these columns.
pub(crate) fn setting(tab: Tab, shown: &[ShownColumn]) -> String {
    let (table, columns) = entry(tab, shown);
    format!("{table} = {columns}")
}

/// The name and the value, in TOML, of that line.
pub(crate) fn entry(tab: Tab, shown: &[ShownColumn]) -> (&'static str, String) {
    let table = match tab {
        Tab::Deployments => "deployments",
        Tab::Track => "track",
        Tab::Plants => "plants",
        Tab::Activity => "activity",
    };
    let named = shown.iter().filter_map(|column| {
        let name = names(tab).get(column.place)?;
        Some(match column.width {
            Some(width) => format!("\"{name}:{width}\""),
            None => format!("\"{name}\""),
        })
    });
    (table, format!("[{}]", named.collect::<Vec<_>>().join(", ")))
}

fn not_known(name: &str, known: &[&'static str]) -> ColumnsError {
    let lower = name.to_lowercase();
    let away = |known: &&'static str| strsim::levenshtein(&lower, &known.to_lowercase());
    let excerpt = crate::text::excerpt(name, 30);
    match known.iter().min_by_key(|known| away(known)) {
        Some(near) if away(near) <= 3 => ColumnsError::Misspelt(excerpt, near),
        _ => ColumnsError::Unknown(excerpt, known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &[&str]) -> Result<Vec<ShownColumn>, ColumnsError> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        named(&names, &DEPLOYMENTS)
    }

    #[test]
    fn columns_are_chosen_ordered_and_sized_by_name() {
        let column = |place, width| ShownColumn { place, width };
        assert_eq!(
            read(&["deployment: 30", "Status", "sog cog"]).unwrap(),
            [column(1, Some(30)), column(0, None), column(5, None)]
        );
        let all: Vec<_> = DEPLOYMENTS.to_vec();
        assert_eq!(read(&all).unwrap(), Columns::default().deployments);
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
