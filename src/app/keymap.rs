//! Key bindings as data: the action of each key, where it is active, and its
//! label in help, footer and palette.

mod custom;

use std::borrow::Cow;

use strum::IntoStaticStr;

use super::key::{Key, KeyCode};
use super::state::tab::Tab;

/// Every action that the user can start by a key or from the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // BINDINGS describes each
pub(crate) enum Action {
    Quit,
    Help,
    Palette,
    Find,
    FindNext,
    GoToTime,
    FindPrevious,
    Filter,
    Refresh,
    Pause,
    Dismiss,
    Suspend,
    ShowDeployments,
    ShowTrack,
    ShowPlants,
    ShowActivity,
    NextTab,
    PreviousTab,
    Down,
    Up,
    First,
    Last,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Open,
    SortColumn,
    SortDirection,
    Columns,
    NextPane,
    NextDeployment,
    PreviousDeployment,
    FullPane,
    ZoomIn,
    ZoomOut,
    Fit,
    PanLeft,
    PanDown,
    PanUp,
    PanRight,
    Follow,
    Earlier,
    Later,
    #[strum(serialize = "measure")]
    Mark,
    #[strum(serialize = "override-flag")]
    Overrule,
    #[strum(serialize = "failed-fixes")]
    ToggleFailed,
    Projection,
    ColourBy,
    NextField,
    ChooseField,
    FitWorld,
    Rings,
    FlagSymbols,
    Markers,
    #[strum(serialize = "range-from")]
    WindowFrom,
    #[strum(serialize = "range-to")]
    WindowTo,
    Units,
    Coordinates,
    Clock,
    Copy,
    Export,
    AddDeployment,
    Rename,
    SetPlatform,
    SetCircle,
    SetMaxAge,
    SetMaxSpeed,
    SetNotes,
    RemoveDeployment,
    NewPlant,
    DeletePlant,
    Undo,
    Login,
    Alarms,
    OpenAlarm,
    #[strum(serialize = "acknowledge")]
    AcknowledgeAlarm,
    #[strum(serialize = "snooze")]
    SnoozeAlarm,
}

/// Where a binding is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// On every tab.
    Everywhere,
    /// On every tab with rows.
    Rows,
    /// On one tab.
    On(Tab),
    /// On the tabs with a map.
    Maps,
    /// In the list of alarms.
    Alarms,
}

impl Scope {
    /// Whether a binding of this scope is active on `tab`.
    pub(crate) fn is_active_on(self, tab: Tab) -> bool {
        match self {
            Self::Everywhere | Self::Rows => true,
            Self::On(one) => one == tab,
            Self::Maps => matches!(tab, Tab::Deployments | Tab::Track),
            Self::Alarms => false,
        }
    }

    /// The first part of an action's name in the settings.
    fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "all",
            Self::Rows => "table",
            Self::Maps => "map",
            Self::Alarms => "alarms",
            Self::On(Tab::Deployments) => "deployments",
            Self::On(Tab::Track) => "track",
            Self::On(Tab::Plants) => "plants",
            Self::On(Tab::Activity) => "activity",
        }
    }

    /// The heading in help.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Everywhere => "Everywhere",
            Self::Rows => "Tables",
            Self::Maps => "Map",
            Self::Alarms => "Alarm list",
            Self::On(tab) => tab.title(),
        }
    }
}

/// One action with its keys and labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The bound action.
    pub action: Action,
    /// Where it is active.
    pub scope: Scope,
    /// The keys; the footer shows the first.
    pub keys: Cow<'static, [Key]>,
    /// The description in help and palette.
    pub label: &'static str,
}

impl Binding {
    /// The name in the settings, such as `track.measure`.
    pub(crate) fn name(&self) -> String {
        let action: &str = self.action.into();
        format!("{}.{action}", self.scope.name())
    }
}

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

/// Every binding. A binding of one tab has precedence over a general one with
/// the same key. No destructive action is on a Ctrl key.
const BINDINGS: &[Binding] = &[
    bind(A::Open, On(Deployments), &[k(K::Enter)], "Open the track"),
    bind(
        A::AddDeployment,
        On(Deployments),
        &[c('a')],
        "Add a deployment",
    ),
    bind(
        A::Rename,
        On(Deployments),
        &[c('e')],
        "Rename the deployment",
    ),
    bind(
        A::SetPlatform,
        On(Deployments),
        &[c('P')],
        "Set the platform",
    ),
    bind(
        A::SetCircle,
        On(Deployments),
        &[c('o')],
        "Set the watch circle",
    ),
    bind(
        A::SetMaxAge,
        On(Deployments),
        &[c('O')],
        "Set maximum age of last fix",
    ),
    bind(
        A::SetMaxSpeed,
        On(Deployments),
        &[c('l')],
        "Set speed limit of the quality tests",
    ),
    bind(A::SetNotes, On(Deployments), &[c('N')], "Write notes"),
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
    bind(A::NewPlant, On(Plants), &[c('n')], "Create a plant"),
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
    bind(A::Earlier, On(Track), &[c('['), k(K::Left)], "Earlier fix"),
    bind(A::Later, On(Track), &[c(']'), k(K::Right)], "Later fix"),
    bind(
        A::Mark,
        On(Track),
        &[c(' ')],
        "Measure from this fix; again: to this fix",
    ),
    bind(A::Overrule, On(Track), &[c('x')], "Override the fix's flag"),
    bind(
        A::ToggleFailed,
        On(Track),
        &[c('X')],
        "Include or exclude failed fixes",
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
    bind(A::GoToTime, On(Track), &[], "Go to a time (/ and @)"),
    bind(A::NextPane, On(Track), &[c('w')], "Next pane"),
    bind(A::Projection, Maps, &[c('m')], "Next projection"),
    bind(
        A::ColourBy,
        On(Track),
        &[c('C')],
        "Colour by time, speed, flag or the field",
    ),
    bind(A::NextField, On(Track), &[c('v')], "Timeline: next field"),
    bind(A::ChooseField, On(Track), &[c('V')], "Timeline: all fields"),
    bind(
        A::Rings,
        On(Track),
        &[c('R')],
        "Range rings around the cursor",
    ),
    bind(
        A::FlagSymbols,
        On(Track),
        &[c('F')],
        "Map symbols: × fail ? suspect » jump",
    ),
    bind(
        A::WindowFrom,
        On(Track),
        &[c('{')],
        "Start the time range at this fix",
    ),
    bind(
        A::WindowTo,
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
        A::AcknowledgeAlarm,
        Scope::Alarms,
        &[c('a'), c(' ')],
        "Acknowledge the alarm",
    ),
    bind(A::SnoozeAlarm, Scope::Alarms, &[c('s')], "Snooze the alarm"),
    bind(
        A::Undo,
        Scope::Alarms,
        &[c('U')],
        "Undo the last local change",
    ),
    bind(A::AddDeployment, Everywhere, &[c('a')], "Add a deployment"),
    bind(A::ZoomIn, Maps, &[c('+'), c('=')], "Zoom in"),
    bind(A::ZoomOut, Maps, &[c('-')], "Zoom out"),
    bind(A::Fit, Maps, &[c('0')], "Fit the track, or the world"),
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
    bind(A::Login, Everywhere, &[Key::ctrl('l')], "Enter a token"),
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

/// The bindings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keymap {
    bindings: Vec<Binding>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self {
            bindings: BINDINGS.to_vec(),
        }
    }
}

impl Keymap {
    /// Every binding.
    pub(crate) fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The action of a key on a tab.
    pub(crate) fn action(&self, key: Key, tab: Tab) -> Option<Action> {
        self.bindings
            .iter()
            .find(|binding| binding.scope.is_active_on(tab) && binding.keys.contains(&key))
            .map(|binding| binding.action)
    }

    /// The action of a key in the list of alarms: its own ones, and the moves of
    /// tables.
    pub(crate) fn alarm_action(&self, key: Key) -> Option<Action> {
        let of = |scope: Scope| {
            let mut own = self.bindings.iter();
            own.find(|binding| binding.scope == scope && binding.keys.contains(&key))
        };
        let found = of(Scope::Alarms).or_else(|| of(Scope::Rows));
        found
            .or_else(|| of(Scope::Everywhere))
            .map(|binding| binding.action)
    }

    /// The bindings of the list of alarms.
    pub(crate) fn of_alarms(&self) -> impl Iterator<Item = &Binding> {
        let all = self.bindings.iter();
        all.filter(|binding| binding.scope == Scope::Alarms)
    }

    /// What a key means while a search stands, whatever the tab means by it.
    pub(crate) fn search_action(&self, key: Key) -> Option<Action> {
        self.bindings
            .iter()
            .filter(|binding| matches!(binding.action, A::FindNext | A::FindPrevious))
            .find(|binding| binding.keys.contains(&key))
            .map(|binding| binding.action)
    }

    /// What is said of a key without an action on a tab.
    pub(crate) fn no_action(&self, key: Key, tab: Tab) -> String {
        let name = key.name();
        let mut all = self.bindings.iter();
        match all.find(|binding| binding.keys.contains(&key)) {
            Some(binding) => {
                let label = binding.label;
                let place = match binding.scope {
                    Scope::Maps => "a tab with a map",
                    other => other.heading(),
                };
                format!("{name}: not on {}; on {place}: {label}", tab.title())
            }
            None => {
                let help = self.key_of(Action::Help, tab);
                format!("{name}: no action; {help} lists the keys")
            }
        }
    }

    /// The name of an action's first key on a tab; empty where it has none.
    pub(crate) fn key_of(&self, action: Action, tab: Tab) -> String {
        self.holding(tab)
            .find(|binding| binding.action == action)
            .and_then(|binding| binding.keys.first())
            .map_or_else(String::new, |key| key.name())
    }

    /// The bindings that are active on a tab, each action once.
    pub(crate) fn holding(&self, tab: Tab) -> impl Iterator<Item = &Binding> {
        self.bindings
            .iter()
            .enumerate()
            .filter_map(move |(place, binding)| {
                let first = self.bindings.iter().take(place).all(|earlier| {
                    earlier.action != binding.action || !earlier.scope.is_active_on(tab)
                });
                (binding.scope.is_active_on(tab) && first).then_some(binding)
            })
    }
}

#[cfg(test)]
mod tests;
