//! The keys of the list.

use crate::dashboard::keymap::Action;
use crate::dashboard::tabs::{Entry, actions};

actions! {
    Open, "enter", "Open the track";
    Details, "i", "All about the deployment";
    AddDeployment, "a", "Add a deployment";
    ListOfService, "f4", "What the service lists";
    Edit, "e", "Edit label, watch circle, limits, notes";
    RemoveDeployment, "D delete", "Remove the deployment from the list";
    Undo, "U", "Undo the last local change";
    EarlierMoment, "[", "Show list and map at an earlier moment";
    LaterMoment, "]", "Show them at a later moment";
    Play, ".", "Play the moments";
    Mark, "space", "Mark for one map; again: unmark";
    Export, "E", "Export its track to a file";
}

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

/// While the filter leaves no row.
pub(super) const NO_MATCH: &[Entry] = &[
    (Action::Dismiss, "all rows"),
    (Action::Filter, "filter"),
    (Action::Alarms, "alarms"),
    (Action::AddDeployment, "add"),
    (Action::Refresh, "refresh"),
    (Action::Palette, "commands"),
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
