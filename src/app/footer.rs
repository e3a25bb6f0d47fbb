//! The keys of the footer: those that matter in the pane with the focus, ending
//! with help and quit. The more a key matters, the further ahead it is: a narrow
//! screen has the first ones.

use super::keymap::{Action, Binding, Keymap};
use super::state::tab::{Pane, Tab};

/// An action with its word in the footer.
type Entry = (Action, &'static str);

const DEPLOYMENTS: &[Entry] = &[
    (Action::Open, "open"),
    (Action::AddDeployment, "add"),
    (Action::Find, "find"),
    (Action::SetMaxAge, "limit"),
    (Action::Alarms, "alarms"),
    (Action::Refresh, "refresh"),
    (Action::Palette, "commands"),
    (Action::Filter, "filter"),
    (Action::Details, "details"),
    (Action::SortColumn, "sort"),
    (Action::SetCircle, "circle"),
    (Action::Export, "export"),
    (Action::SetPlatform, "platform"),
    (Action::Undo, "undo"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const FIXES: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::Details, "fix"),
    (Action::Follow, "follow"),
    (Action::Mark, "measure"),
    (Action::Find, "find"),
    (Action::Export, "export"),
    (Action::Overrule, "flag"),
    (Action::Palette, "commands"),
    (Action::NextField, "field"),
    (Action::ColourBy, "colour"),
    (Action::NextDeployment, "next deployment"),
    (Action::FullPane, "full size"),
    (Action::Undo, "undo"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const MAP: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::ZoomIn, "zoom in"),
    (Action::ZoomOut, "out"),
    (Action::Fit, "fit"),
    (Action::Projection, "projection"),
    (Action::Rings, "rings"),
    (Action::FullPane, "full size"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const WORLD: &[Entry] = &[
    (Action::ZoomIn, "zoom in"),
    (Action::ZoomOut, "out"),
    (Action::Fit, "fit"),
    (Action::Projection, "projection"),
    (Action::FullPane, "all panes"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const TIMELINE: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::NextField, "field"),
    (Action::ChooseField, "list"),
    (Action::WindowFrom, "from here"),
    (Action::WindowTo, "to here"),
    (Action::Dismiss, "whole track"),
    (Action::FullPane, "full size"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const SUMMARY: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::Units, "units"),
    (Action::Coordinates, "coordinates"),
    (Action::Clock, "time zone"),
    (Action::Copy, "copy"),
    (Action::FullPane, "full size"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const PLANTS: &[Entry] = &[
    (Action::NewPlant, "new"),
    (Action::DeletePlant, "delete"),
    (Action::Undo, "undo"),
    (Action::Find, "find"),
    (Action::Copy, "copy"),
    (Action::Palette, "commands"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];
const REQUESTS: &[Entry] = &[
    (Action::Open, "open"),
    (Action::Find, "find"),
    (Action::Filter, "filter"),
    (Action::Copy, "copy"),
    (Action::Refresh, "refresh"),
    (Action::Pause, "pause"),
    (Action::Palette, "commands"),
    (Action::Help, "help"),
    (Action::Quit, "quit"),
];

/// The bindings of the footer for the pane with the focus, each with its word.
pub(crate) fn footer(
    keymap: &Keymap,
    tab: Tab,
    pane: Pane,
) -> impl Iterator<Item = (&Binding, &'static str)> {
    let entries = match (tab, pane) {
        (Tab::Deployments, Pane::Map) => WORLD,
        (Tab::Deployments, _) => DEPLOYMENTS,
        (Tab::Track, Pane::Table) => FIXES,
        (Tab::Track, Pane::Map) => MAP,
        (Tab::Track, Pane::Timeline) => TIMELINE,
        (Tab::Track, Pane::Summary) => SUMMARY,
        (Tab::Plants, _) => PLANTS,
        (Tab::Activity, _) => REQUESTS,
    };
    entries.iter().filter_map(move |(action, word)| {
        let binding = keymap
            .holding(tab)
            .find(|binding| binding.action == *action)?;
        Some((binding, *word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_footer_has_at_least_five_keys_of_its_tab_and_ends_with_the_way_out() {
        for tab in Tab::ALL {
            for pane in [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary] {
                let keymap = Keymap::default();
                let words: Vec<_> = footer(&keymap, tab, pane).map(|(_, word)| word).collect();
                assert!(words.len() >= 5, "{tab:?} {pane:?}: {words:?}");
                assert!(words.ends_with(&["help", "quit"]), "{tab:?} {pane:?}");
                let keys = footer(&keymap, tab, pane);
                assert!(
                    keys.into_iter()
                        .all(|(binding, _)| !binding.keys.is_empty())
                );
            }
        }
    }

    #[test]
    fn each_pane_of_a_track_names_other_keys() {
        let keymap = Keymap::default();
        let keys = |pane| -> Vec<_> {
            footer(&keymap, Tab::Track, pane)
                .map(|(_, word)| word)
                .collect()
        };
        assert!(keys(Pane::Map).contains(&"projection"));
        assert!(keys(Pane::Timeline).contains(&"from here"));
        assert!(!keys(Pane::Table).contains(&"projection"));
    }
}
