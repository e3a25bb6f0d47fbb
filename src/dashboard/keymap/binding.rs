//! Actions, where each is active, and the form of a binding.

use std::borrow::Cow;

use strum::IntoStaticStr;

use crate::dashboard::key::Key;
use crate::dashboard::tab::Tab;
use crate::dashboard::widgets::table_state::Step;

/// Every action that the user can start by a key or from the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // BINDINGS describes each
pub(crate) enum Action {
    Quit,
    Help,
    Palette,
    Settings,
    Message,
    Find,
    FindNext,
    GoToTime,
    FindPrevious,
    Filter,
    Refresh,
    Pause,
    Dismiss,
    Redraw,
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
    Details,
    Where,
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
    EarlierMoment,
    LaterMoment,
    Play,
    NextFlagged,
    PreviousFlagged,
    Measure,
    Mark,
    OverrideFlag,
    FailedFixes,
    Projection,
    ColourBy,
    NextField,
    PreviousField,
    ChooseField,
    FitWorld,
    Rings,
    Markers,
    Range,
    RangeFrom,
    RangeTo,
    Units,
    Coordinates,
    Clock,
    Copy,
    Export,
    AddDeployment,
    ListOfService,
    Edit,
    RemoveDeployment,
    NewPlant,
    DeletePlant,
    Undo,
    Login,
    Alarms,
    OpenAlarm,
    Acknowledge,
    Snooze,
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
    On(Tab),
    /// On the tabs with a map.
    Maps,
    /// In the list of alarms.
    Alarms,
}

impl Scope {
    /// `true` if a binding of this scope is active on `tab`.
    pub(crate) fn is_active_on(self, tab: Tab) -> bool {
        match self {
            Self::Everywhere | Self::Rows => true,
            Self::On(named) => named == tab,
            Self::Maps => matches!(tab, Tab::Deployments | Tab::Track),
            Self::Alarms => false,
        }
    }

    /// The first part of an action's name in the settings.
    pub(super) fn name(self) -> &'static str {
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

/// An action with its keys and labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The bound action.
    pub action: Action,
    /// The tabs on which it is active.
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
