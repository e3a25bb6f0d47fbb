//! The keys of a track.

use crate::dashboard::keymap::Action;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::{Entry, actions};

actions! {
    Details, "enter i", "All about the fix at the cursor";
    Edit, "e", "Edit label, watch circle, limits, notes";
    Undo, "U", "Undo the last local change";
    Follow, "f", "Follow the latest fix";
    Earlier, "[ left", "Earlier fix";
    Later, "] right", "Later fix";
    NextFlagged, "b", "Next flagged fix or data gap";
    PreviousFlagged, "B", "Previous flagged fix or data gap";
    Measure, "space", "Measure from this fix; again: to this fix";
    OverrideFlag, "x", "Exclude or include the fix";
    FailedFixes, "X", "Failed fixes: left out, drawn, hidden";
    Export, "E", "Export the track to a file";
    PreviousDeployment, "<", "Previous deployment of the list";
    NextDeployment, ">", "Next deployment of the list";
    GoToTime, "@", "Go to a time (/@time) or a fix (/#number)";
    NextPane, "w", "Next pane";
    ColourBy, "C", "Colour by time, speed, flag or the field";
    NextField, "v", "Timeline: next field";
    PreviousField, "V", "Timeline: previous field";
    ChooseField, "l", "Timeline: choose the field from a list";
    Rings, "R", "Range rings around the cursor";
    Range, "T", "Time range: 1, 7, 30 days, all";
    RangeFrom, "{", "Start the time range at this fix";
    RangeTo, "}", "End the time range at this fix";
}

/// The words for the override of a fix that counts, and of one that failed.
pub(super) const EXCLUDE: &str = "exclude";
pub(super) const INCLUDE: &str = "include";

/// In the footer of the table.
pub(super) const FIXES: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::Show(TabId::Deployments), "list"),
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

/// In the footer of the table while the filter leaves no row.
pub(super) const NO_FIX: &[Entry] = &[
    (Action::Dismiss, "back"),
    (Action::Filter, "filter"),
    (Action::NextPane, "pane"),
    (Action::Show(TabId::Deployments), "list"),
    (Action::Palette, "commands"),
    (Action::NextDeployment, "next deployment"),
    (Action::FullPane, "full size"),
];

/// In the footer if nothing is watched.
pub(super) const NOTHING: &[Entry] = &[
    (Action::Show(TabId::Deployments), "list"),
    (Action::AddDeployment, "add"),
    (Action::Palette, "commands"),
    (Action::Settings, "settings"),
];

/// In the footer of a deployment without fixes.
pub(super) const NO_TRACK: &[Entry] = &[
    (Action::Show(TabId::Deployments), "list"),
    (Action::Refresh, "refresh"),
    (Action::NextDeployment, "next deployment"),
    (Action::Palette, "commands"),
];

/// In the footer of the map.
pub(super) const MAP: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::Show(TabId::Deployments), "list"),
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

/// In the footer of the timeline.
pub(super) const TIMELINE: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::Show(TabId::Deployments), "list"),
    (Action::NextField, "field"),
    (Action::Find, "find"),
    (Action::NextFlagged, "bad fix"),
    (Action::Range, "1, 7, 30 days"),
    (Action::Export, "export"),
    (Action::ChooseField, "list"),
    (Action::RangeFrom, "from here"),
    (Action::RangeTo, "to here"),
    (Action::Dismiss, "back"),
    (Action::FullPane, "full size"),
];

/// In the footer of the summary.
pub(super) const SUMMARY: &[Entry] = &[
    (Action::NextPane, "pane"),
    (Action::Show(TabId::Deployments), "list"),
    (Action::NextFlagged, "bad fix"),
    (Action::Find, "find"),
    (Action::Export, "export"),
    (Action::Units, "units"),
    (Action::Coordinates, "coordinates"),
    (Action::Clock, "time zone"),
    (Action::Copy, "copy"),
    (Action::FullPane, "full size"),
];
