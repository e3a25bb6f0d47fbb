//! The default bindings: the action of each key, its scope, and its label in help and
//! palette.

use super::Scope::{self, Everywhere, Maps, On, Rows};
use super::{Action, Binding};
use crate::dashboard::key::Key;
use crate::dashboard::tab::TabId::{Deployments, Track};

/// The most needed actions, the most useful first: help begins with the first ten of
/// them on its tab, the palette with all.
pub(crate) const NEEDED: [Action; 18] = [
    Action::Open,
    Action::NewPlant,
    Action::Find,
    Action::Mark,
    Action::NextField,
    Action::Range,
    Action::NextFlagged,
    Action::Alarms,
    Action::Palette,
    Action::Down,
    Action::NextTab,
    Action::Dismiss,
    Action::Quit,
    Action::Where,
    Action::Filter,
    Action::Refresh,
    Action::Export,
    Action::Help,
];

/// The default bindings.
pub(super) fn defaults() -> Vec<Binding> {
    let binding = |(scope, action, keys, label): &(Scope, Action, &str, &'static str)| Binding {
        action: *action,
        scope: *scope,
        keys: keys.split(' ').filter_map(Key::parse).collect(),
        label,
    };
    BINDINGS.iter().map(binding).collect()
}

/// Declares the default bindings: scope, action, keys as the settings name them, and label.
macro_rules! bindings {
    ($($scope:expr, $action:ident, $keys:literal, $label:literal;)*) => {
        /// All bindings. A binding of a single tab precedes a general binding with the same
        /// key. No destructive action is on a Ctrl key.
        const BINDINGS: &[(Scope, Action, &str, &str)] =
            &[$(($scope, Action::$action, $keys, $label),)*];
    };
}

bindings! {
    On(Deployments), Open, "enter", "Open the track";
    On(Deployments), Details, "i", "All about the deployment";
    On(Track), Details, "enter i", "All about the fix at the cursor";
    On(Deployments), AddDeployment, "a", "Add a deployment";
    On(Deployments), ListOfService, "f4", "What the service lists";
    On(Deployments), Edit, "e", "Edit label, watch circle, limits, notes";
    On(Track), Edit, "e", "Edit label, watch circle, limits, notes";
    On(Deployments), RemoveDeployment, "D delete", "Remove the deployment from the list";
    On(Deployments), Undo, "U", "Undo the last local change";
    On(Track), Undo, "U", "Undo the last local change";
    On(Track), Follow, "f", "Follow the latest fix";
    On(Deployments), EarlierMoment, "[", "Show list and map at an earlier moment";
    On(Deployments), LaterMoment, "]", "Show them at a later moment";
    On(Deployments), Play, ".", "Play the moments";
    On(Track), Earlier, "[ left", "Earlier fix";
    On(Track), Later, "] right", "Later fix";
    On(Track), NextFlagged, "b", "Next flagged fix or data gap";
    On(Track), PreviousFlagged, "B", "Previous flagged fix or data gap";
    On(Track), Measure, "space", "Measure from this fix; again: to this fix";
    On(Deployments), Mark, "space", "Mark for one map; again: unmark";
    On(Track), OverrideFlag, "x", "Override the fix's flag";
    On(Track), FailedFixes, "X", "Failed fixes: left out, drawn, hidden";
    On(Track), Export, "E", "Export the track to a file";
    On(Deployments), Export, "E", "Export its track to a file";
    On(Track), PreviousDeployment, "<", "Previous deployment of the list";
    On(Track), NextDeployment, ">", "Next deployment of the list";
    On(Track), GoToTime, "", "Go to a time (/ and @), or fix (/ and #)";
    On(Track), NextPane, "w", "Next pane";
    Maps, Where, "W", "Where to look for it: forecast, distance";
    Maps, Projection, "m", "Next projection";
    On(Track), ColourBy, "C", "Colour by time, speed, flag or the field";
    On(Track), NextField, "v", "Timeline: next field";
    On(Track), PreviousField, "V", "Timeline: previous field";
    On(Track), ChooseField, "l", "Timeline: choose the field from a list";
    On(Track), Rings, "R", "Range rings around the cursor";
    On(Track), Range, "T", "Time range: 1, 7, 30 days, all";
    On(Track), RangeFrom, "{", "Start the time range at this fix";
    On(Track), RangeTo, "}", "End the time range at this fix";
    Everywhere, Alarms, "A", "Alarms: acknowledge, snooze";
    Scope::Alarms, OpenAlarm, "enter", "Open the track of the alarm";
    Scope::Alarms, Acknowledge, "a space", "Acknowledge the alarm";
    Scope::Alarms, Snooze, "s", "Snooze the alarm";
    Scope::Alarms, Undo, "U", "Undo the last local change";
    Everywhere, AddDeployment, "a", "Add a deployment";
    Maps, ZoomIn, "+ =", "Zoom in";
    Maps, ZoomOut, "-", "Zoom out";
    Maps, Fit, "0", "Fit the track, or deployments, then world";
    Maps, FitWorld, "9", "Show the whole globe";
    Maps, Markers, "M", "Change map glyphs";
    Maps, FixDots, "o", "Fixes on the map: with line, line, dots";
    Maps, PanLeft, "H", "Pan left";
    Maps, PanDown, "J", "Pan down";
    Maps, PanUp, "K", "Pan up";
    Maps, PanRight, "L", "Pan right";
    Maps, FullPane, "z", "Show one pane at full size";
    Rows, Down, "j down", "Down";
    Rows, Up, "k up", "Up";
    Rows, First, "g home", "First row";
    Rows, Last, "G end", "Last row";
    Rows, HalfDown, "ctrl-d", "Half a page down";
    Rows, HalfUp, "ctrl-u", "Half a page up";
    Rows, PageDown, "pgdn ctrl-f", "A page down";
    Rows, PageUp, "pgup ctrl-b", "A page up";
    Rows, SortColumn, "s", "Sort by the next column";
    Rows, SortDirection, "S", "Reverse sort order";
    Rows, Columns, ",", "Choose and order the columns";
    Rows, Find, "/", "Find in the rows";
    Rows, FindNext, "n", "Next match";
    Rows, FindPrevious, "N", "Previous match";
    Rows, Filter, "&", "Filter the rows";
    Everywhere, Refresh, "r f5", "Refresh now";
    Everywhere, Pause, "p", "Pause or resume refreshing";
    Everywhere, Units, "u", "Units: knots, km/h or m/s";
    Everywhere, Coordinates, "c", "Coordinates as DD, DDM or DMS";
    Everywhere, Clock, "t", "UTC or local time";
    Everywhere, Copy, "y", "Copy; again: in another form";
    Everywhere, Login, "f3", "Enter a token";
    Everywhere, Redraw, "ctrl-l", "Redraw the screen";
    Everywhere, ShowDeployments, "1", "Deployments";
    Everywhere, ShowTrack, "2", "Track";
    Everywhere, ShowPlants, "3", "Plants";
    Everywhere, ShowActivity, "4", "Activity";
    Everywhere, NextTab, "tab", "Next tab";
    Everywhere, PreviousTab, "shift-tab", "Previous tab";
    Everywhere, Palette, ": ctrl-p", "Command palette";
    Everywhere, Settings, "f2", "Settings: units, zone, theme, maps";
    Everywhere, Message, "!", "The last message in full";
    Everywhere, Help, "? f1", "Help";
    Everywhere, Dismiss, "esc", "Back: search, filter, load; never quits";
    Everywhere, Suspend, "ctrl-z", "Suspend";
    Everywhere, Quit, "q ctrl-c", "Quit";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_of_the_table_is_one() {
        for (_, _, keys, label) in BINDINGS {
            let named = keys.split_whitespace();
            assert!(
                named.clone().all(|key| Key::parse(key).is_some()),
                "{label}"
            );
        }
    }
}
