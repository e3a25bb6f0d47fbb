//! The keys of the footer for the focused pane, the most important first, help and quit
//! at the end: a narrow screen shows the first ones.

use super::components::Components;
use super::key::{Key, KeyCode};
use super::keymap::{Action, Keymap};
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::tabs::Tab;
use super::targets::FooterTarget;
use crate::track::Flag;

/// An action with its word in the footer.
type Entry = (Action, &'static str);

/// The word for the override of a fix that counts, and of one that failed.
const EXCLUDE: &str = "exclude";
const INCLUDE: &str = "include";

/// The last of every pane.
const LAST: &[Entry] = &[(Action::Help, "help"), (Action::Quit, "quit")];
const DEPLOYMENTS: &[Entry] = &[
    (Action::Open, "open"),
    (Action::Find, "find"),
    (Action::Where, "where"),
    (Action::Alarms, "alarms"),
    (Action::Edit, "edit limits"),
    (Action::Mark, "mark"),
    (Action::Palette, "commands"),
    (Action::Copy, "copy"),
    (Action::AddDeployment, "add"),
    (Action::Filter, "filter"),
    (Action::Refresh, "refresh"),
    (Action::Details, "details"),
    (Action::SortColumn, "sort"),
    (Action::Export, "export"),
    (Action::Undo, "undo"),
];
/// First while the list shows a moment of the past.
const PAST: &[Entry] = &[
    (Action::Dismiss, "now"),
    (Action::EarlierMoment, "earlier"),
    (Action::LaterMoment, "later"),
    (Action::Play, "play"),
];
/// Of a list without a deployment, and of a track of none.
const EMPTY: &[Entry] = &[
    (Action::AddDeployment, "add"),
    (Action::Palette, "commands"),
    (Action::Settings, "settings"),
];
const FIXES: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::ShowDeployments, "list"),
    (Action::NextFlagged, "bad fix"),
    (Action::OverrideFlag, EXCLUDE),
    (Action::Find, "find"),
    (Action::Details, "fix"),
    (Action::Export, "export"),
    (Action::Measure, "measure"),
    (Action::Follow, "follow"),
    (Action::Palette, "commands"),
    (Action::NextField, "field"),
    (Action::ColourBy, "colour"),
    (Action::NextDeployment, "next deployment"),
    (Action::FullPane, "full size"),
    (Action::Undo, "undo"),
];
const MAP: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::ShowDeployments, "list"),
    (Action::NextFlagged, "bad fix"),
    (Action::OverrideFlag, EXCLUDE),
    (Action::Find, "find"),
    (Action::NextField, "field"),
    (Action::Range, "days"),
    (Action::Export, "export"),
    (Action::ZoomIn, "zoom in"),
    (Action::ZoomOut, "out"),
    (Action::Fit, "fit"),
    (Action::FixDots, "fixes"),
    (Action::FullPane, "full size"),
    (Action::Projection, "projection"),
    (Action::Rings, "rings"),
];
const WORLD: &[Entry] = &[
    (Action::ZoomIn, "zoom in"),
    (Action::ZoomOut, "out"),
    (Action::Fit, "fit"),
    (Action::Projection, "projection"),
    (Action::FullPane, "all panes"),
];
const TIMELINE: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::ShowDeployments, "list"),
    (Action::NextField, "field"),
    (Action::Find, "find"),
    (Action::NextFlagged, "bad fix"),
    (Action::Range, "1, 7, 30 days"),
    (Action::Export, "export"),
    (Action::ChooseField, "list"),
    (Action::RangeFrom, "from here"),
    (Action::RangeTo, "to here"),
    (Action::Dismiss, "whole track"),
    (Action::FullPane, "full size"),
];
const SUMMARY: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::ShowDeployments, "list"),
    (Action::NextFlagged, "bad fix"),
    (Action::Find, "find"),
    (Action::Export, "export"),
    (Action::Units, "units"),
    (Action::Coordinates, "coordinates"),
    (Action::Clock, "time zone"),
    (Action::Copy, "copy"),
    (Action::FullPane, "full size"),
];
/// Of any tab that is a component, after its own actions.
const ROWS: &[Entry] = &[
    (Action::Find, "find"),
    (Action::Filter, "filter"),
    (Action::Copy, "copy"),
    (Action::Refresh, "refresh"),
    (Action::Pause, "pause"),
    (Action::Palette, "commands"),
];

/// A key of the footer with its action and word.
pub(crate) type FooterEntry = (Key, Action, &'static str);

/// The entries of a pane.
fn entries(tab: TabId, pane: Pane) -> Vec<Entry> {
    let own = Components::default();
    if let Some(tab) = own.get(tab) {
        let own = tab.actions().iter().filter(|own| !own.word.is_empty());
        let own = own.map(|own| (own.action, own.word));
        return own.chain(ROWS.iter().copied()).collect();
    }
    let entries = match (tab, pane) {
        (TabId::Track, Pane::Table) => FIXES,
        (TabId::Track, Pane::Map) => MAP,
        (TabId::Track, Pane::Timeline) => TIMELINE,
        (TabId::Track, Pane::Summary) => SUMMARY,
        (_, Pane::Map) => WORLD,
        _ => DEPLOYMENTS,
    };
    entries.to_vec()
}

/// `true` if a tab has the row that an action is about, or it is about none.
fn has_row(tab: &dyn Tab, action: Action) -> bool {
    let mut own = tab.actions().iter();
    let needs_row = match own.find(|own| own.action == action) {
        Some(own) => own.needs_row,
        // It may bring rows back that it has hidden.
        None if action == Action::Filter => return tab.len() > 0,
        None => matches!(action, Action::Find | Action::Copy),
    };
    !needs_row || tab.rows().selected().is_some()
}

/// Entries and the last ones with their keys on a tab. During a search, its keys go from match to match,
/// whatever they usually do on the tab.
fn with_keys(
    entries: Vec<Entry>,
    keymap: &Keymap,
    tab: TabId,
    searches: bool,
) -> impl Iterator<Item = FooterEntry> {
    let all = entries.into_iter().chain(LAST.iter().copied());
    all.filter_map(move |(action, word)| {
        let mut all = keymap.holding(tab);
        let binding = all.find(|binding| binding.action == action)?;
        let of_search = |key: &Key| keymap.search_action(*key).filter(|_| searches);
        let free = binding.keys.iter().find(|key| of_search(key).is_none());
        match (free, binding.keys.first()) {
            (Some(key), _) => Some((*key, action, word)),
            (None, Some(key)) => match of_search(key)? {
                Action::FindPrevious => Some((*key, Action::FindPrevious, "previous match")),
                _ => Some((*key, Action::FindNext, "next match")),
            },
            (None, None) => None,
        }
    })
}

/// An entry of the footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FooterKey {
    /// The name of the key.
    pub name: String,
    /// The word for its action.
    pub word: &'static str,
    /// The effect of a click on it; `None` for several keys in one entry.
    pub target: Option<FooterTarget>,
}

/// The keys of the pane with the focus, of which the last two are the way out.
pub(crate) fn pane_keys(shell: &Shell) -> Vec<FooterKey> {
    let past = shell.shared.past_moment().map_or(&[][..], |_| PAST);
    let mut all = past.to_vec();
    let has_nothing = shell.shared.deployments.list.is_empty() && shell.component().is_none();
    all.extend(match has_nothing {
        true => EMPTY.to_vec(),
        false => entries(shell.shared.tab, shell.shared.focused()),
    });
    if let Some(tab) = shell.component() {
        all.retain(|(action, _)| tab.offers(*action) && has_row(tab, *action));
        if shell.shared.tab == TabId::Plants && shell.tabs.plants.can_stop_import() {
            all.insert(0, (Action::Dismiss, "stop import"));
        }
    }
    let keys = with_keys(
        all,
        &shell.shared.keymap,
        shell.shared.tab,
        shell.shared.search.is_some(),
    );
    let fix = shell.tabs.track.cursor_fix(&shell.shared);
    let is_failed = fix.is_some_and(|fix| fix.flag == Flag::Fail);
    let last = shell
        .tabs
        .track
        .shown_track(&shell.shared)
        .and_then(|track| track.len().checked_sub(1));
    let is_last = fix.is_some_and(|fix| Some(fix.index) == last);
    let keys = keys.map(|(key, action, word)| match action {
        // All bad fixes are before the last fix: the key for the next one would go around the
        // end of the track.
        Action::NextFlagged if is_last => FooterKey {
            name: shell.shared.key_of(Action::PreviousFlagged),
            word,
            target: Some(FooterTarget::Act(Action::PreviousFlagged)),
        },
        _ => FooterKey {
            name: key.name(),
            word: match action {
                Action::OverrideFlag if is_failed => INCLUDE,
                _ => word,
            },
            target: Some(FooterTarget::Act(action)),
        },
    });
    keys.collect()
}

/// The keys of a dialog, each with its word.
pub(crate) fn dialog_keys(keys: &[(&str, &'static str)]) -> Vec<FooterKey> {
    let keys = keys.iter().map(|(name, word)| FooterKey {
        name: (*name).to_owned(),
        word,
        target: Key::parse(name).map(FooterTarget::Press),
    });
    keys.collect()
}

/// The keys of the list of alarms.
pub(crate) fn alarm_keys(keymap: &Keymap) -> Vec<FooterKey> {
    let of_key = |key: Key, word| FooterKey {
        name: key.name(),
        word,
        target: Some(FooterTarget::Press(key)),
    };
    let keys = keymap.of_alarms().filter_map(|binding| {
        let word = match binding.action {
            Action::OpenAlarm => "track",
            Action::Acknowledge => "acknowledge",
            Action::Snooze => "snooze",
            Action::Undo => "undo",
            _ => return None,
        };
        Some(of_key(*binding.keys.first()?, word))
    });
    let close = of_key(Key::plain(KeyCode::Esc), "close");
    keys.chain([close]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_footer_has_at_least_five_keys_of_its_tab_and_ends_with_the_way_out() {
        for tab in TabId::ALL {
            for pane in [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary] {
                let keymap = Keymap::default();
                let keys = with_keys(entries(tab, pane), &keymap, tab, false);
                let words: Vec<_> = keys.map(|(_, _, word)| word).collect();
                assert!(words.len() >= 5, "{tab:?} {pane:?}: {words:?}");
                assert!(words.ends_with(&["help", "quit"]), "{tab:?} {pane:?}");
            }
        }
    }

    #[test]
    fn each_pane_of_a_track_names_other_keys() {
        let keymap = Keymap::default();
        let keys = |pane| -> Vec<_> {
            let keys = with_keys(entries(TabId::Track, pane), &keymap, TabId::Track, false);
            keys.map(|(_, _, word)| word).collect()
        };
        assert!(keys(Pane::Map).contains(&"projection"));
        assert!(keys(Pane::Timeline).contains(&"from here"));
        assert!(!keys(Pane::Table).contains(&"projection"));
    }

    #[test]
    fn every_pane_of_a_track_leads_to_bad_fixes_to_find_and_to_export() {
        let keymap = Keymap::default();
        for pane in [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary] {
            let keys = with_keys(entries(TabId::Track, pane), &keymap, TabId::Track, false);
            let keys: Vec<_> = keys.map(|(key, ..)| key.name()).collect();
            // What is shown on 100 columns, at least.
            for key in ["b", "/", "E"] {
                let place = keys.iter().position(|name| name == key);
                assert!(place.is_some_and(|place| place < 8), "{pane:?}: {key}");
            }
        }
    }

    #[test]
    fn while_a_search_stands_its_keys_are_promised_for_nothing_else() {
        let keymap = Keymap::default();
        for tab in TabId::ALL {
            for pane in [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary] {
                for (key, action, word) in with_keys(entries(tab, pane), &keymap, tab, true) {
                    let found = keymap.search_action(key);
                    let found = found.or(keymap.action(key, tab));
                    assert_eq!(found, Some(action), "{tab:?}: {} {word}", key.name());
                }
            }
        }
        let words = |searches| -> Vec<_> {
            let keys = with_keys(
                entries(TabId::Plants, Pane::Table),
                &keymap,
                TabId::Plants,
                searches,
            );
            keys.map(|(key, _, word)| (key.name(), word)).collect()
        };
        assert_eq!(words(false)[0], ("n".to_owned(), "new"));
        // Its other key is free.
        assert_eq!(words(true)[0], ("a".to_owned(), "new"));
    }
}
