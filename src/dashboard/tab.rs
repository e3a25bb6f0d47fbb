//! The tabs and their panes.

/// The tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) enum Tab {
    /// The watch list.
    #[default]
    Deployments,
    /// The track of one deployment.
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
    pub(crate) fn beside(self, by: isize) -> Self {
        let count = Self::ALL.len().cast_signed();
        let index = (self as isize + by).rem_euclid(count).cast_unsigned();
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
