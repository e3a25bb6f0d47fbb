//! Actions, where each is active, and the form of a binding.

use std::borrow::Cow;

use strum::IntoStaticStr;

use crate::dashboard::key::Key;
use crate::dashboard::tab::Tab;

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
    #[strum(serialize = "measure")]
    Mark,
    #[strum(serialize = "mark")]
    MarkDeployment,
    #[strum(serialize = "override-flag")]
    Overrule,
    #[strum(serialize = "failed-fixes")]
    ToggleFailed,
    Projection,
    ColourBy,
    NextField,
    PreviousField,
    ChooseField,
    FitWorld,
    Rings,
    Markers,
    #[strum(serialize = "range")]
    TimePreset,
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
    ListOfService,
    Edit,
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
            Self::On(one) => one == tab,
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
