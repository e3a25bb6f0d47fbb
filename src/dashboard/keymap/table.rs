//! The default bindings: the action of each key, its scope, and its label in help and
//! palette.

use std::borrow::Cow;

use super::{Action, Binding, Scope};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::tab::Tab;

const fn bind(action: Action, scope: Scope, keys: &'static [Key], label: &'static str) -> Binding {
    Binding {
        action,
        scope,
        keys: Cow::Borrowed(keys),
        label,
    }
}

const fn c(character: char) -> Key {
    Key::char(character)
}

const fn k(code: KeyCode) -> Key {
    Key::plain(code)
}

use Action as A;
use KeyCode as K;
use Scope::{Everywhere, Maps, On, Rows};
use Tab::{Activity, Deployments, Plants, Track};

/// The most needed actions, the most useful first: help begins with the first ten of
/// them on its tab, the palette with all.
pub(crate) const NEEDED: [Action; 18] = [
    A::Open,
    A::NewPlant,
    A::Find,
    A::Mark,
    A::NextField,
    A::Range,
    A::NextFlagged,
    A::Alarms,
    A::Palette,
    A::Down,
    A::NextTab,
    A::Dismiss,
    A::Quit,
    A::Where,
    A::Filter,
    A::Refresh,
    A::Export,
    A::Help,
];

/// Other words for an action, by which palette and help find it.
pub(crate) fn other_words(action: Action) -> &'static str {
    match action {
        A::Open => "track view",
        A::Details => "info everything last fix status uuid",
        A::AddDeployment => "new create watch uuid",
        A::ListOfService => "catalogue available browse",
        A::Edit => {
            "rename label change set geofence radius threshold voltage limit alarm battery age group platform recovered"
        }
        A::RemoveDeployment | A::DeletePlant => "delete remove erase drop",
        A::Undo => "revert back",
        A::NewPlant => "new add",
        A::Follow => "newest last live",
        A::EarlierMoment | A::LaterMoment | A::Play => "history past yesterday animate",
        A::NextFlagged | A::PreviousFlagged => {
            "bad wrong fail failed suspect error outlier jump spike problem qc quality"
        }
        A::OverrideFlag => "bad wrong good fail failed mark accept reject exclude",
        A::FailedFixes => "bad wrong exclude include",
        A::Measure => "distance ruler",
        A::Mark => "compare several together both select distance",
        A::Export => "save write download file csv",
        A::GoToTime => "date day",
        A::Where => {
            "now drift predict position heading ship helicopter recover retrieve rescue lost missing search"
        }
        A::Projection => "polar",
        A::ColourBy => "color",
        A::NextField | A::ChooseField => "battery temperature sensor parameter chart graph plot",
        A::Rings => "radius circle",
        A::Range => "day week month period last zoom",
        A::Alarms => "alert warning ack silence mute quiet overdue lost outside late",
        A::Snooze => "later mute silence quiet",
        A::ZoomIn => "closer magnify larger",
        A::ZoomOut => "farther smaller",
        A::Fit => "zoom reset all centre",
        A::FitWorld => "earth world zoom",
        A::SortColumn | A::SortDirection => "order",
        A::Find => "search goto value battery voltage when below above",
        A::Filter => "only hide show search lost overdue",
        A::FullPane => "large maximise",
        A::Columns => "hide show",
        A::Refresh => "update reload fetch",
        A::Pause => "stop",
        A::Units => "metres kilometres nautical miles speed distance",
        A::Coordinates => "position latitude longitude degrees minutes",
        A::Clock => "timezone zone",
        A::Copy => "yank clipboard position",
        A::Login => "password log in",
        A::ShowActivity => "requests log network",
        A::Settings => "options preferences config dark light",
        A::Quit => "exit leave",
        _ => "",
    }
}

/// All bindings. A binding of a single tab precedes a general binding with the same key. No
/// destructive action is on a Ctrl key.
pub(super) const BINDINGS: &[Binding] = &[
    bind(A::Open, On(Deployments), &[k(K::Enter)], "Open the track"),
    bind(
        A::Details,
        On(Deployments),
        &[c('i')],
        "All about the deployment",
    ),
    bind(
        A::Details,
        On(Track),
        &[k(K::Enter), c('i')],
        "All about the fix at the cursor",
    ),
    bind(
        A::AddDeployment,
        On(Deployments),
        &[c('a')],
        "Add a deployment",
    ),
    bind(
        A::ListOfService,
        On(Deployments),
        &[k(K::F(4))],
        "What the service lists",
    ),
    bind(
        A::Edit,
        On(Deployments),
        &[c('e')],
        "Edit label, watch circle, limits, notes",
    ),
    bind(
        A::Edit,
        On(Track),
        &[c('e')],
        "Edit label, watch circle, limits, notes",
    ),
    bind(
        A::RemoveDeployment,
        On(Deployments),
        &[c('D'), k(K::Delete)],
        "Remove the deployment from the list",
    ),
    bind(
        A::Undo,
        On(Deployments),
        &[c('U')],
        "Undo the last local change",
    ),
    bind(A::Undo, On(Track), &[c('U')], "Undo the last local change"),
    bind(A::NewPlant, On(Plants), &[c('n'), c('a')], "Create a plant"),
    bind(
        A::DeletePlant,
        On(Plants),
        &[c('D'), k(K::Delete)],
        "Delete a plant",
    ),
    bind(
        A::Undo,
        On(Plants),
        &[c('U')],
        "Create the last deleted plant again",
    ),
    bind(A::Follow, On(Track), &[c('f')], "Follow the latest fix"),
    bind(
        A::EarlierMoment,
        On(Deployments),
        &[c('[')],
        "Show list and map at an earlier moment",
    ),
    bind(
        A::LaterMoment,
        On(Deployments),
        &[c(']')],
        "Show them at a later moment",
    ),
    bind(A::Play, On(Deployments), &[c('.')], "Play the moments"),
    bind(A::Earlier, On(Track), &[c('['), k(K::Left)], "Earlier fix"),
    bind(A::Later, On(Track), &[c(']'), k(K::Right)], "Later fix"),
    bind(
        A::NextFlagged,
        On(Track),
        &[c('b')],
        "Next flagged fix or data gap",
    ),
    bind(
        A::PreviousFlagged,
        On(Track),
        &[c('B')],
        "Previous flagged fix or data gap",
    ),
    bind(
        A::Measure,
        On(Track),
        &[c(' ')],
        "Measure from this fix; again: to this fix",
    ),
    bind(
        A::Mark,
        On(Deployments),
        &[c(' ')],
        "Mark for one map; again: unmark",
    ),
    bind(
        A::OverrideFlag,
        On(Track),
        &[c('x')],
        "Override the fix's flag",
    ),
    bind(
        A::FailedFixes,
        On(Track),
        &[c('X')],
        "Failed fixes: left out, drawn, hidden",
    ),
    bind(
        A::Export,
        On(Track),
        &[c('E')],
        "Export the track to a file",
    ),
    bind(
        A::Export,
        On(Deployments),
        &[c('E')],
        "Export its track to a file",
    ),
    bind(
        A::Open,
        On(Activity),
        &[k(K::Enter)],
        "Open the deployment of the request",
    ),
    bind(
        A::PreviousDeployment,
        On(Track),
        &[c('<')],
        "Previous deployment of the list",
    ),
    bind(
        A::NextDeployment,
        On(Track),
        &[c('>')],
        "Next deployment of the list",
    ),
    bind(
        A::GoToTime,
        On(Track),
        &[],
        "Go to a time (/ and @), or fix (/ and #)",
    ),
    bind(A::NextPane, On(Track), &[c('w')], "Next pane"),
    bind(
        A::Where,
        Maps,
        &[c('W')],
        "Where to look for it: forecast, distance",
    ),
    bind(A::Projection, Maps, &[c('m')], "Next projection"),
    bind(
        A::ColourBy,
        On(Track),
        &[c('C')],
        "Colour by time, speed, flag or the field",
    ),
    bind(A::NextField, On(Track), &[c('v')], "Timeline: next field"),
    bind(
        A::PreviousField,
        On(Track),
        &[c('V')],
        "Timeline: previous field",
    ),
    bind(
        A::ChooseField,
        On(Track),
        &[c('l')],
        "Timeline: choose the field from a list",
    ),
    bind(
        A::Rings,
        On(Track),
        &[c('R')],
        "Range rings around the cursor",
    ),
    bind(
        A::Range,
        On(Track),
        &[c('T')],
        "Time range: 1, 7, 30 days, all",
    ),
    bind(
        A::RangeFrom,
        On(Track),
        &[c('{')],
        "Start the time range at this fix",
    ),
    bind(
        A::RangeTo,
        On(Track),
        &[c('}')],
        "End the time range at this fix",
    ),
    bind(
        A::Alarms,
        Everywhere,
        &[c('A')],
        "Alarms: acknowledge, snooze",
    ),
    bind(
        A::OpenAlarm,
        Scope::Alarms,
        &[k(K::Enter)],
        "Open the track of the alarm",
    ),
    bind(
        A::Acknowledge,
        Scope::Alarms,
        &[c('a'), c(' ')],
        "Acknowledge the alarm",
    ),
    bind(A::Snooze, Scope::Alarms, &[c('s')], "Snooze the alarm"),
    bind(
        A::Undo,
        Scope::Alarms,
        &[c('U')],
        "Undo the last local change",
    ),
    bind(A::AddDeployment, Everywhere, &[c('a')], "Add a deployment"),
    bind(A::ZoomIn, Maps, &[c('+'), c('=')], "Zoom in"),
    bind(A::ZoomOut, Maps, &[c('-')], "Zoom out"),
    bind(
        A::Fit,
        Maps,
        &[c('0')],
        "Fit the track, or deployments, then world",
    ),
    bind(A::FitWorld, Maps, &[c('9')], "Show the whole globe"),
    bind(A::Markers, Maps, &[c('M')], "Change map glyphs"),
    bind(A::PanLeft, Maps, &[c('H')], "Pan left"),
    bind(A::PanDown, Maps, &[c('J')], "Pan down"),
    bind(A::PanUp, Maps, &[c('K')], "Pan up"),
    bind(A::PanRight, Maps, &[c('L')], "Pan right"),
    bind(A::FullPane, Maps, &[c('z')], "Show one pane at full size"),
    bind(A::Down, Rows, &[c('j'), k(K::Down)], "Down"),
    bind(A::Up, Rows, &[c('k'), k(K::Up)], "Up"),
    bind(A::First, Rows, &[c('g'), k(K::Home)], "First row"),
    bind(A::Last, Rows, &[c('G'), k(K::End)], "Last row"),
    bind(A::HalfDown, Rows, &[Key::ctrl('d')], "Half a page down"),
    bind(A::HalfUp, Rows, &[Key::ctrl('u')], "Half a page up"),
    bind(
        A::PageDown,
        Rows,
        &[k(K::PageDown), Key::ctrl('f')],
        "A page down",
    ),
    bind(
        A::PageUp,
        Rows,
        &[k(K::PageUp), Key::ctrl('b')],
        "A page up",
    ),
    bind(A::SortColumn, Rows, &[c('s')], "Sort by the next column"),
    bind(A::SortDirection, Rows, &[c('S')], "Reverse sort order"),
    bind(A::Columns, Rows, &[c(',')], "Choose and order the columns"),
    bind(A::Find, Rows, &[c('/')], "Find in the rows"),
    bind(A::FindNext, Rows, &[c('n')], "Next match"),
    bind(A::FindPrevious, Rows, &[c('N')], "Previous match"),
    bind(A::Filter, Rows, &[c('&')], "Filter the rows"),
    bind(A::Refresh, Everywhere, &[c('r'), k(K::F(5))], "Refresh now"),
    bind(
        A::Pause,
        Everywhere,
        &[c('p')],
        "Pause or resume refreshing",
    ),
    bind(A::Units, Everywhere, &[c('u')], "Units: knots, km/h or m/s"),
    bind(
        A::Coordinates,
        Everywhere,
        &[c('c')],
        "Coordinates as DD, DDM or DMS",
    ),
    bind(A::Clock, Everywhere, &[c('t')], "UTC or local time"),
    bind(
        A::Copy,
        Everywhere,
        &[c('y')],
        "Copy; again: in another form",
    ),
    bind(A::Login, Everywhere, &[k(K::F(3))], "Enter a token"),
    bind(
        A::Redraw,
        Everywhere,
        &[Key::ctrl('l')],
        "Redraw the screen",
    ),
    bind(A::ShowDeployments, Everywhere, &[c('1')], "Deployments"),
    bind(A::ShowTrack, Everywhere, &[c('2')], "Track"),
    bind(A::ShowPlants, Everywhere, &[c('3')], "Plants"),
    bind(A::ShowActivity, Everywhere, &[c('4')], "Activity"),
    bind(A::NextTab, Everywhere, &[k(K::Tab)], "Next tab"),
    bind(A::PreviousTab, Everywhere, &[k(K::BackTab)], "Previous tab"),
    bind(
        A::Palette,
        Everywhere,
        &[c(':'), Key::ctrl('p')],
        "Command palette",
    ),
    bind(
        A::Settings,
        Everywhere,
        &[k(K::F(2))],
        "Settings: units, zone, theme, maps",
    ),
    bind(
        A::Message,
        Everywhere,
        &[c('!')],
        "The last message in full",
    ),
    bind(A::Help, Everywhere, &[c('?'), k(K::F(1))], "Help"),
    bind(
        A::Dismiss,
        Everywhere,
        &[k(K::Esc)],
        "Back: search, filter, load; never quits",
    ),
    bind(A::Suspend, Everywhere, &[Key::ctrl('z')], "Suspend"),
    bind(A::Quit, Everywhere, &[c('q'), Key::ctrl('c')], "Quit"),
];
