//! The keys of the list.

use crate::dashboard::keymap::Action;
use crate::dashboard::tabs::{Entry, TabAction};

/// Its own actions.
pub(super) const ACTIONS: &[TabAction] = &[
    TabAction::new(Action::Open, "enter", "Open the track"),
    TabAction::new(Action::Details, "i", "All about the deployment"),
    TabAction::new(Action::AddDeployment, "a", "Add a deployment"),
    TabAction::new(Action::ListOfService, "f4", "What the service lists"),
    TabAction::new(Action::Edit, "e", "Edit label, watch circle, limits, notes"),
    TabAction::new(
        Action::RemoveDeployment,
        "D delete",
        "Remove the deployment from the list",
    ),
    TabAction::new(Action::Undo, "U", "Undo the last local change"),
    TabAction::new(
        Action::EarlierMoment,
        "[",
        "Show list and map at an earlier moment",
    ),
    TabAction::new(Action::LaterMoment, "]", "Show them at a later moment"),
    TabAction::new(Action::Play, ".", "Play the moments"),
    TabAction::new(Action::Mark, "space", "Mark for one map; again: unmark"),
    TabAction::new(Action::Export, "E", "Export its track to a file"),
];

/// In the footer.
pub(super) const LIST: &[Entry] = &[
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
pub(super) const PAST: &[Entry] = &[
    (Action::Dismiss, "now"),
    (Action::EarlierMoment, "earlier"),
    (Action::LaterMoment, "later"),
    (Action::Play, "play"),
];

/// While the map has the whole screen.
pub(super) const WORLD: &[Entry] = &[
    (Action::ZoomIn, "zoom in"),
    (Action::ZoomOut, "out"),
    (Action::Fit, "fit"),
    (Action::Projection, "projection"),
    (Action::FullPane, "all panes"),
];
