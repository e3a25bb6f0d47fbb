//! The sort orders of the watch list.

/// The sort orders of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DeploymentSort {
    /// Worst status first.
    #[default]
    State,
    /// By group, in each the worst status first.
    Group,
    /// By name.
    Name,
    /// By age of the last fix.
    Age,
    /// By speed of the last leg.
    Speed,
    /// By number of fixes.
    Fixes,
}

impl DeploymentSort {
    /// In the order of the `s` key.
    pub(crate) const ALL: [Self; 6] = [
        Self::State,
        Self::Group,
        Self::Name,
        Self::Age,
        Self::Speed,
        Self::Fixes,
    ];
}
