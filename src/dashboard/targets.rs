//! The click targets of the last frame, recorded while it is drawn.

use super::key::Key;
use super::keymap::Action;
use super::layout::Area;
use crate::track::{DeploymentSort, Flag, State, TrackSort};

/// The effect of a click on an entry of the footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FooterTarget {
    /// An action of the pane with the focus.
    Act(Action),
    /// The same as this key in the dialog on top.
    Press(Key),
}

/// The order that a click on the heading of a column sorts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heading {
    /// The list of deployments.
    Deployments(DeploymentSort),
    Fixes(TrackSort),
    /// The rows of a tab, by the column of this name.
    Column(&'static str),
    /// Nothing: the rows have no such order.
    Unsorted,
}

/// A count of the header or of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sum {
    /// The deployments of a status.
    Status(State),
    Alarms,
    /// The plants of which nobody knows whether they exist.
    Plants,
    /// The deployments with a limit that cannot be judged.
    Unjudged,
    /// The fixes with a flag, of the open track.
    Fixes(Flag),
}

/// The click targets of the last frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Targets {
    /// The top dialog with its frame; `None` without a dialog, or for a dialog on the
    /// footer line.
    pub dialog: Option<Area>,
    /// The line of the screen with the chosen row of the dialog on top.
    pub chosen: Option<u16>,
    /// The entries of the footer.
    pub footer: Vec<(Area, FooterTarget)>,
    /// The names of the columns of the table that have room.
    pub columns: Vec<&'static str>,
    /// The headings of the table.
    pub headings: Vec<(Area, Heading)>,
    /// The counts.
    pub sums: Vec<(Area, Sum)>,
}

/// A press of the mouse button on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drag {
    /// The cell of the screen that the mouse was on last.
    pub(crate) at: (u16, u16),
    /// `true` if the mouse has left the cell of the press: then it moves the map
    /// and is no click.
    pub(crate) has_moved: bool,
}

/// The click target at a cell.
pub(crate) fn at<T: Copy>(targets: &[(Area, T)], cell: (u16, u16)) -> Option<T> {
    let mut hit = targets.iter();
    hit.find(|(area, _)| area.contains(cell.into()))
        .map(|(_, target)| *target)
}
