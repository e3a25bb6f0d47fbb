//! The columns that tables are sorted by, with their names in the settings.

use std::fmt;
use std::str::FromStr;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::text::choice::Choice;

/// The column that a table of fixes is sorted by.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[allow(missing_docs)] // each variant is the column it names
pub(crate) enum TrackSort {
    #[default]
    Time,
    Latitude,
    Longitude,
    #[strum(serialize = "leg")]
    Distance,
    Speed,
    Course,
    #[strum(serialize = "interval")]
    Gap,
    Flag,
    /// By the values of a field, which is a column only while it is chosen.
    Field,
}

/// The sort orders of the list of deployments, in the order of the key that changes
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DeploymentSort {
    /// Worst status first.
    #[default]
    #[strum(serialize = "status")]
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

/// A column that rows are sorted by, and whether its usual order is reversed. Its text
/// is `age`, or `age reversed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SortedBy<T> {
    pub column: T,
    /// `true` if the rows are in the opposite of its usual order.
    pub is_reversed: bool,
}

/// The word behind the column in the text of a reversed order.
const REVERSED: &str = "reversed";

impl<T: Choice> fmt::Display for SortedBy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column: &str = self.column.into();
        if self.is_reversed {
            write!(f, "{column} {REVERSED}")
        } else {
            f.write_str(column)
        }
    }
}

impl<T: FromStr> FromStr for SortedBy<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_whitespace();
        let column = words.next().unwrap_or_default();
        let order = words.next();
        let is_whole = words.next().is_none() && order.is_none_or(|order| order == REVERSED);
        // What is no column is no order either, for the same reason.
        Ok(Self {
            column: T::from_str(if is_whole { column } else { text })?,
            is_reversed: order.is_some(),
        })
    }
}

/// Every order of the rows of the list of deployments, as the settings name them.
pub(crate) fn deployment_orders() -> impl Iterator<Item = String> {
    orders(DeploymentSort::VARIANTS.iter().copied())
}

/// Every order of the rows of a track, as the settings name them. A field is not among
/// them: another track may not have it.
pub(crate) fn track_orders() -> impl Iterator<Item = String> {
    let columns = TrackSort::VARIANTS.iter().copied();
    orders(columns.filter(|column| *column != TrackSort::Field))
}

fn orders<T: Choice>(columns: impl Iterator<Item = T>) -> impl Iterator<Item = String> {
    columns.flat_map(|column| {
        [false, true].map(|is_reversed| {
            let order = SortedBy {
                column,
                is_reversed,
            };
            order.to_string()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_read_back_from_its_name() {
        for name in deployment_orders() {
            let order: SortedBy<DeploymentSort> = name.parse().unwrap();
            assert_eq!(order.to_string(), name);
        }
        for name in track_orders() {
            let order: SortedBy<TrackSort> = name.parse().unwrap();
            assert_eq!(order.to_string(), name);
        }
        let names: Vec<String> = track_orders().collect();
        assert_eq!(names[..2], ["time", "time reversed"]);
        assert!(!names.iter().any(|name| name.contains("field")));
        let parse = |text: &str| text.parse::<SortedBy<DeploymentSort>>();
        assert_eq!(parse(" name   reversed "), parse("name reversed"));
        for wrong in ["", "reversed", "age down", "age reversed reversed", "State"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
