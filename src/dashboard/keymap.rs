//! Key bindings as data: actions, where each is active, and its keys.

mod custom;
mod table;

pub(crate) use table::NEEDED;

use crate::dashboard::widgets::text::Text;
use std::collections::HashSet;

use strum::IntoStaticStr;
use table::defaults;

use super::key::Key;
use super::tab::TabId;
use super::widgets::table_state::Step;

/// The bindings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    /// The default bindings, after those that tabs have of their own: a tab may give a key
    /// another meaning.
    pub(crate) fn new(own: Vec<Binding>) -> Self {
        let bindings = own.into_iter().chain(defaults());
        Self {
            bindings: bindings.collect(),
        }
    }

    /// Every binding.
    pub(crate) fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The action of a key on a tab.
    pub(crate) fn action(&self, key: Key, tab: TabId) -> Option<Action> {
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

    /// The action of a key during a search, whatever it does otherwise.
    pub(crate) fn search_action(&self, key: Key) -> Option<Action> {
        self.bindings
            .iter()
            .filter(|binding| matches!(binding.action, Action::FindNext | Action::FindPrevious))
            .find(|binding| binding.keys.contains(&key))
            .map(|binding| binding.action)
    }

    /// The message for a key without an action on a tab.
    pub(crate) fn no_action(&self, key: Key, tab: TabId) -> Text {
        let name = key.name();
        // The other case of the letter may be meant.
        let other = key.other_case();
        let holder = self.holding(tab).find(|held| held.keys.contains(&other));
        let near = holder.map(|binding| format!("; {}: {}", other.name(), binding.label));
        let near = near.unwrap_or_default();
        let mut all = self.bindings.iter();
        match all.find(|binding| binding.keys.contains(&key)) {
            Some(binding) => {
                let label = binding.label;
                let place = match binding.scope {
                    Scope::Maps => "a tab with a map",
                    other => other.heading(),
                };
                let short = format!("{name} does nothing on {}", tab.title());
                Text::from(format!("{short}{near}; on {place}: {label}")).or(short)
            }
            None => {
                let help = self.key_of(Action::Help, tab);
                let palette = self.key_of(Action::Palette, tab);
                let why = format!("{name}: no action");
                let words =
                    format!("{why}{near}; {help} lists the keys, {palette} finds by a word");
                Text::from(words).or(format!("{why}; {help} lists the keys"))
            }
        }
    }

    /// The name of an action's first key on a tab; without a key, its command in the
    /// palette: `the command "LABEL"`.
    pub(crate) fn key_of(&self, action: Action, tab: TabId) -> String {
        let of_action = || {
            self.bindings
                .iter()
                .filter(|binding| binding.action == action)
        };
        let mut here = of_action().filter(|binding| binding.scope.is_active_on(tab));
        if let Some(key) = here.clone().find_map(|binding| binding.keys.first()) {
            return key.name();
        }
        let known = here.next().or_else(|| of_action().next());
        known.map_or_else(String::new, |binding| {
            format!("the command \"{}\"", binding.label)
        })
    }

    /// The bindings that are active on a tab, each action once.
    pub(crate) fn holding(&self, tab: TabId) -> impl Iterator<Item = &Binding> {
        let mut seen = HashSet::new();
        (self.bindings.iter())
            .filter(move |binding| binding.scope.is_active_on(tab) && seen.insert(binding.action))
    }
}

/// Declares the actions, each with other words by which palette and help find it.
macro_rules! actions {
    ($($name:ident $(: $words:literal)?,)*) => {
        /// Every action that the user can start by a key or from the palette.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
        #[strum(serialize_all = "kebab-case")]
        #[allow(missing_docs)] // its bindings describe each
        pub(crate) enum Action {
            $($name,)*
            /// Shows a tab.
            Show(TabId),
        }

        /// Other words for an action, by which palette and help find it.
        pub(crate) fn other_words(action: Action) -> &'static str {
            match action {
                $(Action::$name => concat!($($words)?),)*
                Action::Show(TabId::Activity) => "requests log network",
                Action::Show(_) => "",
            }
        }
    };
}

actions! {
    Quit: "exit leave",
    Help,
    Palette,
    Settings: "options preferences config dark light",
    Message,
    Find: "search goto value battery voltage when below above",
    FindNext,
    GoToTime: "date day",
    FindPrevious,
    Filter: "only hide show search lost overdue",
    Refresh: "update reload fetch",
    Pause: "stop",
    Dismiss,
    Redraw,
    Suspend,
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
    Open: "track view",
    Details: "info everything last fix status uuid",
    Where: "now drift predict position heading ship helicopter recover retrieve rescue \
        lost missing search",
    SortColumn: "order",
    SortDirection: "order",
    Columns: "hide show",
    NextPane,
    NextDeployment,
    PreviousDeployment,
    FullPane: "large maximise",
    ZoomIn: "closer magnify larger",
    ZoomOut: "farther smaller",
    Fit: "zoom reset all centre",
    PanLeft,
    PanDown,
    PanUp,
    PanRight,
    Follow: "newest last live",
    Earlier,
    Later,
    EarlierMoment: "history past yesterday animate time date",
    LaterMoment: "history past yesterday animate time date",
    Play: "history past yesterday animate time date",
    NextFlagged: "bad wrong fail failed suspect error outlier jump spike problem qc quality",
    PreviousFlagged: "bad wrong fail failed suspect error outlier jump spike problem qc quality",
    Measure: "distance ruler",
    Mark: "compare several together both select distance",
    OverrideFlag: "bad wrong good fail failed mark accept reject exclude",
    FailedFixes: "bad wrong exclude include",
    Projection: "polar",
    ColourBy: "color",
    NextField: "battery temperature sensor parameter chart graph plot",
    PreviousField,
    ChooseField: "battery temperature sensor parameter chart graph plot",
    FitWorld: "earth world zoom",
    Rings: "radius circle",
    FixDots: "scatter points positions recorded",
    Markers,
    Range: "day week month period last zoom",
    RangeFrom,
    RangeTo,
    Units: "metres kilometres nautical miles speed distance",
    Coordinates: "position latitude longitude degrees minutes",
    Clock: "timezone zone",
    Copy: "yank clipboard position",
    Export: "save write download file csv picture image png svg",
    AddDeployment: "new create watch uuid",
    ListOfService: "catalogue available browse",
    Edit: "rename label change set geofence radius threshold voltage limit alarm battery \
        age group platform recovered",
    RemoveDeployment: "delete remove erase drop",
    NewPlant: "new add",
    DeletePlant: "delete remove erase drop",
    ResolvePlant: "exists absent unknown outcome",
    ImportPlants: "file csv many bulk load",
    MarkAll: "select every",
    Undo: "revert back",
    Login: "password log in",
    Alarms: "alert warning ack silence mute quiet overdue lost outside late",
    OpenAlarm,
    Acknowledge,
    Snooze: "later mute silence quiet",
}

impl Action {
    /// The move of a cursor in rows that it is, if any.
    pub(crate) fn step(self) -> Option<Step> {
        Some(match self {
            Self::Down => Step::Rows(1),
            Self::Up => Step::Rows(-1),
            Self::First => Step::First,
            Self::Last => Step::Last,
            Self::HalfDown => Step::Half(1),
            Self::HalfUp => Step::Half(-1),
            Self::PageDown => Step::Page(1),
            Self::PageUp => Step::Page(-1),
            _ => return None,
        })
    }
}

/// The tabs on which a binding is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// On every tab.
    Everywhere,
    /// On every tab with rows.
    Rows,
    /// On one tab.
    On(TabId),
    /// On the tabs with a map.
    Maps,
    /// In the list of alarms.
    Alarms,
}

impl Scope {
    /// `true` if a binding of this scope is active on `tab`.
    pub(crate) fn is_active_on(self, tab: TabId) -> bool {
        match self {
            Self::Everywhere | Self::Rows => true,
            Self::On(named) => named == tab,
            Self::Maps => matches!(tab, TabId::Deployments | TabId::Track),
            Self::Alarms => false,
        }
    }

    /// The first part of an action's name in the settings.
    pub(super) fn name(self) -> String {
        match self {
            Self::Everywhere => "all".to_owned(),
            Self::Rows => "table".to_owned(),
            Self::Maps => "map".to_owned(),
            Self::Alarms => "alarms".to_owned(),
            Self::On(tab) => tab.title().to_lowercase(),
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

/// An action with its keys and labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The bound action.
    pub action: Action,
    /// The tabs on which it is active.
    pub scope: Scope,
    /// The keys; the footer shows the first.
    pub keys: Vec<Key>,
    /// The description in help and palette.
    pub label: &'static str,
}

impl Binding {
    /// The name in the settings, such as `track.measure`.
    pub(crate) fn name(&self) -> String {
        let action: &str = self.action.into();
        let of = match self.action {
            Action::Show(tab) => format!("-{}", tab.title().to_lowercase()),
            _ => String::new(),
        };
        format!("{}.{action}{of}", self.scope.name())
    }
}

#[cfg(test)]
mod tests;
