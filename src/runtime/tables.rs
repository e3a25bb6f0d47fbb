//! Keys and columns of the settings, as the dashboard uses them.

use crate::app::columns::{self, Columns};
use crate::app::keymap::Keymap;
use crate::app::state::tab::Tab;
use crate::failure::Failure;
use crate::settings::ConfiguredList;

/// Checks keys and columns of the settings as the dashboard does at its start.
///
/// # Errors
/// [`FailureKind::Usage`](crate::failure::FailureKind::Usage) with file, line and
/// reason of the first list that cannot be used.
pub(crate) fn check_tables(
    keys: &[ConfiguredList],
    columns: &[ConfiguredList],
) -> Result<(), Failure> {
    tables(keys, columns).map(|_| ())
}

/// The default keys and the usual columns, with those of the settings.
///
/// # Errors
/// As [`check_tables`].
pub(super) fn tables(
    keys: &[ConfiguredList],
    columns: &[ConfiguredList],
) -> Result<(Keymap, Columns), Failure> {
    let named = keys.iter();
    let named = named.map(|one| (one.name.as_str(), one.entries.as_slice()));
    let keymap = Keymap::with_keys(named);
    let keymap = keymap.map_err(|(index, error)| match keys.get(index) {
        Some(one) => Failure::from(one.error(error.to_string())),
        None => Failure::usage(error.to_string()),
    })?;
    let mut shown = Columns::default();
    for one in columns {
        let tab = match one.name.as_str() {
            "track" => Tab::Track,
            "plants" => Tab::Plants,
            "activity" => Tab::Activity,
            _ => Tab::Deployments,
        };
        let named = columns::named(&one.entries, columns::names(tab));
        *shown.of_mut(tab) = named.map_err(|error| one.error(error.to_string()))?;
    }
    Ok((keymap, shown))
}
