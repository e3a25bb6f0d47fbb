//! The fields of a track prepared for the screen: those whose values vary, each
//! with what its chart needs. Made once, off the thread that draws.

pub(super) mod extent;
mod profile;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::distances::{DistanceTo, distances};
use super::stretch::{Levels, Stretch};
use crate::track::Track;
use crate::track::field::{FieldColumn, FieldRows, FieldValue, profiles};

use extent::sampled;
pub(crate) use extent::{AXIS_NEARLY, Dense, Extent, Scale, usual_ends};
pub(crate) use profile::{ProfileGrid, ProfileScale, row_numbers};

/// The most decimals that a value is shown with.
const MOST_DECIMALS: usize = 3;

/// The fields of a track, and the charts of those that vary.
#[derive(Debug)]
pub(crate) struct FieldCharts {
    track: Arc<Track>,
    /// The fields of the records, and the distances to other instruments.
    rows: [FieldRows; 2],
    varying: Vec<Arc<VaryingField>>,
}

/// A field of numbers, or a profile, that has at least two different values.
#[derive(Debug)]
pub(crate) struct VaryingField {
    name: String,
    /// The indices of its columns among those of the track: one, or all of a profile.
    indices: Vec<usize>,
    pub(in crate::map) kind: FieldKind,
    /// The scale of its values.
    pub(crate) scale: Scale,
    /// The scale of the line of a track: of a profile, that of its mean.
    pub(crate) line_scale: Scale,
    /// The decimals that its values have, at most three.
    pub(crate) decimals: usize,
    /// The latest value; `None` of a profile.
    pub(crate) last: Option<f64>,
}

/// The data of a field's chart.
#[derive(Debug)]
pub(in crate::map) enum FieldKind {
    Number(Levels<Stretch>),
    Profile(ProfileGrid),
}

impl FieldCharts {
    /// Prepares the fields of the fixes of a track.
    pub(crate) fn new(track: Arc<Track>, rows: FieldRows) -> Self {
        Self::with_distances(track, rows, &[])
    }

    /// The same with the distances to other instruments, a column each.
    pub(crate) fn with_distances(
        track: Arc<Track>,
        rows: FieldRows,
        others: &[DistanceTo],
    ) -> Self {
        let rows = [rows, distances(&track, others)];
        let columns: Vec<Column<'_>> = columns(&rows).collect();
        let own = rows[0].columns().count();
        let index = |name: String| columns.iter().position(|column| column.name() == name);
        let profile = |(prefix, count): (&str, usize)| {
            let indices = (0..count).filter_map(|number| index(format!("{prefix}_{number}")));
            (prefix.to_owned(), indices.collect())
        };
        let profiles = profiles(columns.iter().map(|column| column.name()));
        let mut found: Vec<(String, Vec<usize>)> = profiles.into_iter().map(profile).collect();
        let parts: BTreeSet<usize> = found
            .iter()
            .flat_map(|(_, indices)| indices.clone())
            .collect();
        let numbered = columns.iter().enumerate();
        let single = numbered.filter(|(index, _)| !parts.contains(index));
        found.extend(single.map(|(index, column)| (column.name().to_owned(), vec![index])));
        found.sort_by_key(|(_, indices)| indices.iter().min().copied());
        let made = found.into_iter().filter_map(|(name, indices)| {
            let of = indices
                .iter()
                .filter_map(|index| columns.get(*index).copied());
            let of: Vec<Column<'_>> = of.collect();
            // Two instruments at a constant distance are shown, too.
            let is_distance = indices.iter().any(|index| *index >= own);
            let field = VaryingField::new(&track, name, indices, &of)?;
            (is_distance || field.scale.extent.low < field.scale.extent.high).then_some(field)
        });
        let varying = made.map(Arc::new).collect();
        Self {
            track,
            rows,
            varying,
        }
    }

    /// The track whose fields they are.
    pub(crate) fn track(&self) -> &Arc<Track> {
        &self.track
    }

    /// The fields that vary, in the order of first appearance; a profile is one.
    pub(crate) fn varying(&self) -> &[Arc<VaryingField>] {
        &self.varying
    }

    /// The names of all fields, those of a profile with their numbers.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        columns(&self.rows).map(|column| column.name())
    }

    /// The fields of a fix that belong to no profile that varies, with their
    /// names, in the order of first appearance.
    pub(crate) fn single_values(&self, fix: usize) -> impl Iterator<Item = (&str, FieldValue<'_>)> {
        let profiles = self.varying.iter().filter(|field| field.is_profile());
        let parts: BTreeSet<usize> = profiles.flat_map(|field| field.indices.clone()).collect();
        let columns = columns(&self.rows).enumerate();
        columns
            .filter(move |(index, _)| !parts.contains(index))
            .filter_map(move |(_, column)| Some((column.name(), column.value(fix)?)))
    }

    /// The columns of a field, in the order of its numbers.
    pub(in crate::map) fn columns(&self, field: &VaryingField) -> Vec<Column<'_>> {
        if let [index] = field.indices.as_slice() {
            return columns(&self.rows).nth(*index).into_iter().collect();
        }
        let columns: Vec<Column<'_>> = columns(&self.rows).collect();
        let indices = field.indices.iter();
        indices
            .filter_map(|index| columns.get(*index).copied())
            .collect()
    }

    /// The column with this name.
    pub(in crate::map) fn column(&self, name: &str) -> Option<Column<'_>> {
        columns(&self.rows).find(|column| column.name() == name)
    }
}

/// A column with the rows of the fixes in it.
#[derive(Debug, Clone, Copy)]
pub(in crate::map) struct Column<'a> {
    rows: &'a FieldRows,
    column: &'a FieldColumn,
}

impl<'a> Column<'a> {
    fn name(self) -> &'a str {
        self.column.name()
    }

    fn value(self, fix: usize) -> Option<FieldValue<'a>> {
        self.rows.value(self.column, fix)
    }

    /// The number that it has at a fix.
    pub(in crate::map) fn number(self, fix: usize) -> Option<f64> {
        self.value(fix).and_then(number)
    }

    /// The same of a fix that takes part in line and statistics.
    fn included(self, track: &Track, fix: usize) -> Option<f64> {
        self.number(fix).filter(|_| track.is_included(fix))
    }

    pub(in crate::map) fn stretch(self, track: &Track, fix: usize) -> Stretch {
        Stretch::new(fix, self.included(track, fix))
    }
}

fn columns(rows: &[FieldRows; 2]) -> impl Iterator<Item = Column<'_>> {
    rows.iter()
        .flat_map(|rows| rows.columns().map(move |column| Column { rows, column }))
}

impl VaryingField {
    /// The chart of a field; `None` if it has no number.
    fn new(
        track: &Track,
        name: String,
        indices: Vec<usize>,
        columns: &[Column<'_>],
    ) -> Option<Self> {
        let (kind, scale, line_scale) = match columns {
            [column] => {
                let value = |fix| column.stretch(track, fix);
                let values = Levels::new(track.len(), value);
                let whole = values.between(0..track.len(), value).extent();
                let number = |fix| column.included(track, fix);
                let scale = Scale::new(sampled(track.len(), number), whole)?;
                (FieldKind::Number(values), scale, scale)
            }
            _ => {
                let value = |index: usize, fix| columns.get(index)?.included(track, fix);
                let grid = ProfileGrid::new(track, columns.len(), value);
                let scale = grid.scale()?;
                let line_scale = grid.mean_scale()?;
                (FieldKind::Profile(grid), scale, line_scale)
            }
        };
        let shown = columns.iter().take(MOST_DECIMALS * 2);
        let decimals =
            shown.flat_map(|column| sampled(track.len().min(512), |fix| column.number(fix)));
        let last = match columns {
            [column] => (0..track.len())
                .rev()
                .find_map(|fix| column.included(track, fix)),
            _ => None,
        };
        Some(Self {
            name,
            indices,
            kind,
            scale,
            line_scale,
            decimals: decimals.map(decimal_places).max().unwrap_or(0),
            last,
        })
    }

    /// The name, as the service has it; of a profile, without the number.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// `true` if it is a profile.
    pub(crate) fn is_profile(&self) -> bool {
        matches!(self.kind, FieldKind::Profile(_))
    }

    /// The picture of a profile; `None` of any other field.
    pub(crate) fn grid(&self) -> Option<&ProfileGrid> {
        match &self.kind {
            FieldKind::Number(_) => None,
            FieldKind::Profile(grid) => Some(grid),
        }
    }

    /// The number of values of a profile; 1 of any other field.
    pub(crate) fn count(&self) -> usize {
        self.indices.len()
    }

    /// The lowest and the highest value.
    pub(crate) fn ends(&self) -> Extent {
        self.scale.extent
    }

    /// The fraction of its colour scale, 0 to 1, of a value; the scale of a profile may be
    /// spread where its values are `dense`.
    pub(crate) fn share(&self, value: f64, dense: Option<Dense>) -> f64 {
        match dense {
            Some(dense) => dense.share(self.scale, value),
            None => self.scale.share(value),
        }
    }
}

/// A chart ignores larger numbers: the difference of two would be infinite. Only values that
/// mean "missing" are so large.
const LARGEST: f64 = 1e300;

/// The number of a value on a chart: 1 for true, 0 for false. `None` if it is not a number,
/// or beyond [`LARGEST`].
fn number(value: FieldValue<'_>) -> Option<f64> {
    match value {
        FieldValue::Truth(is) => Some(f64::from(u8::from(is))),
        other => other.number().filter(|number| number.abs() <= LARGEST),
    }
}

/// The decimals that a number is written with, at most [`MOST_DECIMALS`].
fn decimal_places(number: f64) -> usize {
    let written = format!("{number:.MOST_DECIMALS$}");
    let decimals = written.split_once('.').map_or("", |(_, decimals)| decimals);
    decimals.trim_end_matches('0').len()
}

#[cfg(test)]
mod tests;
