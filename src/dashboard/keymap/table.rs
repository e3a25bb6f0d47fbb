//! The default bindings: the action of each key, its scope, and its label in help and
//! palette.

use super::Scope::{self, Everywhere, Maps, Rows};
use super::{Action, Binding};
use crate::dashboard::key::Key;
use crate::dashboard::tab::TabId;

/// The most needed actions, the most useful first: help begins with the first ten of
/// them on its tab.
pub(crate) const NEEDED: [Action; 20] = [
    Action::Open,
    Action::NewPlant,
    Action::DeletePlant,
    Action::ResolvePlant,
    Action::Find,
    Action::Mark,
    Action::NextField,
    Action::Range,
    Action::NextFlagged,
    Action::Alarms,
    Action::Where,
    Action::Palette,
    Action::Down,
    Action::NextTab,
    Action::Dismiss,
    Action::Quit,
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
    let show = TabId::ALL.iter().zip('1'..).map(|(tab, number)| Binding {
        action: Action::Show(*tab),
        scope: Everywhere,
        keys: vec![Key::char(number)],
        label: tab.title(),
    });
    // Before the keys that go from tab to tab.
    let is_next = |binding: &Binding| binding.action == Action::NextTab;
    let mut all: Vec<Binding> = BINDINGS.iter().map(binding).collect();
    let next = all.iter().position(is_next).unwrap_or(all.len());
    all.splice(next..next, show);
    all
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
    Maps, Where, "W", "Where to look for it: forecast, distance";
    Maps, Projection, "m", "Next projection";
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
    Everywhere, NextTab, "tab", "Next tab";
    Everywhere, PreviousTab, "shift-tab", "Previous tab";
    Everywhere, Palette, ": ctrl-p", "Command palette";
    Everywhere, Settings, "f2", "Settings: units, zone, theme, maps";
    Everywhere, Message, "!", "The last message in full";
    Everywhere, Help, "? f1", "Help";
    Everywhere, Dismiss, "esc", "Back: message, search, filter; never quits";
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
