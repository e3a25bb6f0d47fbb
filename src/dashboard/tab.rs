//! The tabs and their panes.

use super::layout::SIDE_BY_SIDE;
use super::widgets::table_state::cyclic;

/// The tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) enum Tab {
    /// The watch list.
    #[default]
    Deployments,
    /// The track of a single deployment.
    Track,
    /// Plants.
    Plants,
    /// Requests.
    Activity,
}

impl Tab {
    /// In the order of their numbers.
    pub(crate) const ALL: [Self; 4] =
        [Self::Deployments, Self::Track, Self::Plants, Self::Activity];

    /// The name on the tab.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Deployments => "Deployments",
            Self::Track => "Track",
            Self::Plants => "Plants",
            Self::Activity => "Activity",
        }
    }

    /// The tab `by` positions to the right; after the last comes the first.
    #[must_use]
    pub(crate) fn step(self, by: isize) -> Self {
        let index = cyclic(self as usize, by, Self::ALL.len());
        Self::ALL.get(index).copied().unwrap_or_default()
    }
}

/// The panes of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) enum Pane {
    /// The table.
    #[default]
    Table,
    /// The map.
    Map,
    /// The timeline.
    Timeline,
    /// The summary.
    Summary,
}

impl Pane {
    /// The first pane of a track on a screen of this many columns: the map, or the table
    /// if only one pane is shown.
    pub(in crate::dashboard) fn first_of_track(width: u16) -> Self {
        if width < SIDE_BY_SIDE {
            Self::Table
        } else {
            Self::Map
        }
    }

    /// The next pane; after the last comes the first.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Table => Self::Map,
            Self::Map => Self::Timeline,
            Self::Timeline => Self::Summary,
            Self::Summary => Self::Table,
        }
    }
}
