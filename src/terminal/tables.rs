//! Keys and columns of the settings, as the dashboard uses them.

use crate::dashboard::columns::Columns;
use crate::dashboard::draw::usual_columns;
use crate::dashboard::keymap::Keymap;
use crate::dashboard::tab::Tab;
use crate::failure::Failure;
use crate::settings::Settings;

/// Checks keys and columns of the settings as the dashboard does at its start.
///
/// # Errors
/// [`FailureKind::Usage`](crate::failure::FailureKind::Usage) with file, line and
/// reason of the first list that cannot be used.
pub(crate) fn check_tables(settings: &Settings) -> Result<(), Failure> {
    tables(settings).map(|_| ())
}

/// The default keys and the usual columns, with those of the settings.
///
/// # Errors
/// As [`check_tables`].
pub(super) fn tables(settings: &Settings) -> Result<(Keymap, Columns), Failure> {
    let keys = &settings.keys;
    let named = keys.iter();
    let named = named.map(|one| (one.name.as_str(), one.entries.as_slice()));
    let keymap = Keymap::with_keys(named);
    let keymap = keymap.map_err(|(index, error)| match keys.get(index) {
        Some(one) => Failure::from(one.error(error.to_string())),
        None => Failure::usage(error.to_string()),
    })?;
    let mut shown = usual_columns();
    for one in &settings.columns {
        let is_of = |tab: &Tab| tab.title().eq_ignore_ascii_case(&one.name);
        let Some(tab) = Tab::ALL.into_iter().find(is_of) else {
            continue;
        };
        let named = shown.named(tab, &one.entries);
        shown.show(tab, named.map_err(|error| one.error(error.to_string()))?);
    }
    Ok((keymap, shown))
}
