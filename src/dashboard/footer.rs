//! The keys of the footer for the focused pane, the most important first, help and quit
//! at the end: a narrow screen shows the first ones.

use ratatui::buffer::Buffer;

use super::key::{Key, KeyCode};
use super::keymap::{Action, Keymap};
use super::layout::{Area, Parts};
use super::shell::Shell;
use super::tab::TabId;
use super::tabs::Entry;
use super::targets::FooterTarget;
use super::theme::Theme;
use super::widgets::paint::put;
use crate::text;

/// The last of every pane.
const LAST: &[Entry] = &[(Action::Help, "help"), (Action::Quit, "quit")];

/// A key of the footer with its action and word.
pub(crate) type FooterEntry = (Key, Action, &'static str);

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
    let shared = &shell.shared;
    let entries = shell.tab().footer(shared);
    let keys = with_keys(
        entries,
        &shared.screen.keymap,
        shared.screen.tab,
        shared.screen.search.is_some(),
    )
    .map(|(key, action, word)| FooterKey {
        name: key.name(),
        word,
        target: Some(FooterTarget::Act(action)),
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

/// The cells of keys with their words, with the blanks behind each.
fn footer_cells(keys: &[FooterKey]) -> usize {
    keys.iter()
        .map(|key| text::width(&key.name) + text::width(key.word) + 3)
        .sum()
}

/// Draws the keys of the footer; returns their click areas.
pub(crate) fn draw(
    buffer: &mut Buffer,
    area: Area,
    mut keys: Vec<FooterKey>,
    theme: Theme,
) -> Vec<(Area, FooterTarget)> {
    // The last two always stay; the keys before them are dropped if there is no room.
    while footer_cells(&keys) > usize::from(area.width) + 2 && keys.len() > 2 {
        keys.remove(keys.len() - 3);
    }
    let mut targets = Vec::with_capacity(keys.len());
    let mut x = 0;
    for key in keys {
        let start = x;
        x += put(buffer, area.at(x, 0), &key.name, theme.heading());
        x += 1 + put(buffer, area.at(x + 1, 0), key.word, theme.dim());
        if let Some(target) = key.target {
            let entry = Area::new(area.x + start, area.y, x - start, 1);
            targets.push((entry, target));
        }
        x += 2;
    }
    targets
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;
    use crate::dashboard::Dashboard;
    use crate::dashboard::tab::Pane;
    use crate::testing::dashboard::opened;
    use crate::watch::Deployment;

    /// The entries of a pane of a dashboard with a deployment.
    fn entries(tab: TabId, pane: Pane) -> Vec<Entry> {
        let list = vec![Deployment::new(uuid::Uuid::nil())];
        let Dashboard { mut shell, .. } = opened(list, 1.8e9);
        (shell.shared.screen.tab, shell.shared.screen.pane) = (tab, pane);
        shell.tab().footer(&shell.shared)
    }

    #[test]
    fn every_footer_has_at_least_five_keys_of_its_tab_and_ends_with_the_way_out() {
        for tab in TabId::ALL.iter().copied() {
            for &pane in Pane::VARIANTS {
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
    fn the_footer_of_the_timeline_says_what_esc_takes_back() {
        let list = vec![Deployment::new(uuid::Uuid::nil())];
        let Dashboard { mut shell, .. } = opened(list, 1.8e9);
        (shell.shared.screen.tab, shell.shared.screen.pane) = (TabId::Track, Pane::Timeline);
        let esc = |shell: &Shell| {
            let mut entries = shell.tab().footer(&shell.shared).into_iter();
            entries.find(|(action, _)| *action == Action::Dismiss)
        };
        assert_eq!(esc(&shell), None);
        shell.tabs.track.time_range = Some(Default::default());
        assert_eq!(esc(&shell), Some((Action::Dismiss, "whole track")));
        shell.set_filter("zzz");
        assert_eq!(esc(&shell), Some((Action::Dismiss, "all fixes")));
    }

    #[test]
    fn while_a_filter_leaves_no_row_the_footer_has_esc_and_no_key_of_a_row() {
        let list = vec![Deployment::new(uuid::Uuid::nil())];
        let Dashboard { mut shell, .. } = opened(list, 1.8e9);
        for tab in [TabId::Deployments, TabId::Track] {
            (shell.shared.screen.tab, shell.shared.screen.pane) = (tab, Pane::Table);
            shell.set_filter("zzz");
            let entries = shell.tab().footer(&shell.shared);
            assert_eq!(entries[0].0, Action::Dismiss, "{tab:?}");
            let of_row = [Action::Open, Action::Where, Action::Edit, Action::Details];
            let on_row = |(action, _): &Entry| of_row.contains(action);
            assert!(!entries.iter().any(on_row), "{tab:?}: {entries:?}");
        }
    }

    #[test]
    fn every_pane_of_a_track_leads_to_bad_fixes_to_find_and_to_export() {
        let keymap = Keymap::default();
        for &pane in Pane::VARIANTS {
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
        for tab in TabId::ALL.iter().copied() {
            for &pane in Pane::VARIANTS {
                for (key, action, word) in with_keys(entries(tab, pane), &keymap, tab, true) {
                    let found = keymap.search_action(key).or(keymap.action(key, tab));
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
