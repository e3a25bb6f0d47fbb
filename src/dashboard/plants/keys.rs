//! The keys of the plants.

use crate::dashboard::keymap::Action;
use crate::dashboard::tabs::TabAction;

/// Its own actions, the most useful first.
pub(super) const ACTIONS: &[TabAction] = &[
    TabAction {
        action: Action::NewPlant,
        keys: "n a",
        label: "Create a plant",
        word: "new",
        needs_row: false,
    },
    TabAction {
        action: Action::DeletePlant,
        keys: "D delete",
        label: "Delete a plant, or those that are marked",
        word: "delete",
        needs_row: false,
    },
    TabAction {
        action: Action::ResolvePlant,
        keys: "o",
        label: "Say, or correct, whether a plant exists",
        word: "exists?",
        needs_row: true,
    },
    TabAction {
        action: Action::Mark,
        keys: "space",
        label: "Mark a plant; again: unmark",
        word: "mark",
        needs_row: true,
    },
    TabAction {
        action: Action::Details,
        keys: "enter i",
        label: "All requests of the plant; again: the list",
        word: "requests",
        needs_row: true,
    },
    TabAction {
        action: Action::Undo,
        keys: "U",
        label: "Take back the last create, delete, answer",
        word: "undo",
        needs_row: false,
    },
    TabAction {
        action: Action::ImportPlants,
        keys: "I",
        label: "Import plants: create those of a file",
        word: "import",
        needs_row: false,
    },
    TabAction {
        action: Action::Export,
        keys: "E",
        label: "Export the plants to a file",
        word: "export",
        needs_row: false,
    },
    TabAction {
        action: Action::MarkAll,
        keys: "*",
        label: "Mark all shown that exist; again: none",
        word: "mark all",
        needs_row: true,
    },
];
