//! The columns that tables are sorted by.

use strum::VariantArray;

/// The column that a table of fixes is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, VariantArray)]
#[allow(missing_docs)] // each variant is the column it names
pub(crate) enum TrackSort {
    #[default]
    Time,
    Latitude,
    Longitude,
    Distance,
    Speed,
    Course,
    Gap,
    Flag,
    /// By the values of a field, which is a column only while it is chosen.
    Field,
}

/// The sort orders of the list of deployments, in the order of the key that changes
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, VariantArray)]
pub(crate) enum DeploymentSort {
    /// Worst status first.
    #[default]
    State,
    /// By group, in each the worst status first.
    Group,
    Name,
    /// By age of the last fix.
    Age,
    /// By speed of the last leg.
    Speed,
    /// By number of fixes.
    Fixes,
}

/// A column that rows are sorted by, and whether its usual order is reversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SortedBy<T> {
    pub column: T,
    /// `true` if the rows are in the opposite of its usual order.
    pub is_reversed: bool,
}
