//! A field of the track that is shown, and the colour of the track line.

use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::fields::{FieldCharts, FieldKind, VaryingField};
use super::prepared::rough_speed;
use super::stretch::Stretch;
use crate::track::query::Reader;
use crate::track::{Flag, Track};

/// The attribute that colours the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ColourBy {
    /// Time, old to new.
    #[default]
    Time,
    /// Speed over ground, slow to fast.
    Speed,
    /// QC flag.
    Flag,
}

/// The fraction of the colour scale for the leg to a fix, 0 to 1.
fn share(track: &Track, colour_by: ColourBy, fix: usize) -> f64 {
    // All fixes may have one time, or no speed.
    let share_of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let summary = track.summary();
    let share = match colour_by {
        ColourBy::Time => {
            let first = summary.first.unwrap_or(0.0);
            let last = summary.last.unwrap_or(0.0);
            let time = track.time_stamp(fix).unwrap_or(first);
            share_of(time - first, last - first)
        }
        ColourBy::Speed => share_of(
            rough_speed(track, fix).unwrap_or(0.0),
            summary.max_speed_m_s.unwrap_or(0.0),
        ),
        ColourBy::Flag => f64::from(u8::from(track.flags().get(fix) == Some(&Flag::Suspect))),
    };
    share.clamp(0.0, 1.0)
}

/// The fields of a track, seen from the fixes that are shown.
#[derive(Debug, Clone)]
pub(crate) struct ShownFields {
    pub charts: Arc<FieldCharts>,
    /// The whole track that is shown: it may be newer than the charts.
    pub whole: Arc<Track>,
    /// The index in it of the first fix that is shown.
    pub offset: usize,
}

/// Two are equal if they share charts and track in memory.
impl PartialEq for ShownFields {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.charts, &other.charts)
            && Arc::ptr_eq(&self.whole, &other.whole)
            && self.offset == other.offset
    }
}

impl ShownFields {
    /// The field with this name; `None` if none that varies has it.
    pub(crate) fn named(self, name: &str) -> Option<ShownField> {
        let mut varying = self.charts.varying().iter();
        let field = Arc::clone(varying.find(|field| field.name() == name)?);
        Some(ShownField {
            fields: self,
            field,
        })
    }

    /// The fields that vary and have a single value.
    pub(crate) fn single(self) -> impl Iterator<Item = ShownField> {
        let varying = self.charts.varying().to_vec().into_iter();
        let single = varying.filter(|field| !field.is_profile());
        single.map(move |field| ShownField {
            fields: self.clone(),
            field,
        })
    }

    /// A function with the number that the field with this name has at each fix that is
    /// shown, whether it varies or not.
    pub(crate) fn reader<'a>(&'a self, name: &str) -> Option<Reader<'a>> {
        let column = self.charts.column(name)?;
        Some(Box::new(move |fix| column.number(self.index(fix)?)))
    }

    /// The index in the charts of a fix that is shown; `None` if the charts
    /// are older and have another fix there.
    fn index(&self, fix: usize) -> Option<usize> {
        let index = fix + self.offset;
        let time = self.whole.time_stamp(index)?;
        let known = self.charts.track().time_stamp(index)?;
        (time == known).then_some(index)
    }
}

/// A field that varies.
#[derive(Debug, Clone)]
pub(crate) struct ShownField {
    fields: ShownFields,
    field: Arc<VaryingField>,
}

/// Two are equal if they share charts and track in memory.
impl PartialEq for ShownField {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.field, &other.field) && self.fields == other.fields
    }
}

impl ShownField {
    pub(crate) fn field(&self) -> &VaryingField {
        &self.field
    }

    /// The value at a fix that is shown; `None` without a value, of a profile, and of a fix that
    /// is not included.
    pub(crate) fn value(&self, fix: usize) -> Option<f64> {
        self.reader()(fix)
    }

    /// A function with the value at each fix that is shown, as
    /// [`ShownField::value`].
    pub(crate) fn reader(&self) -> impl Fn(usize) -> Option<f64> + '_ {
        let column = match self.fields.charts.columns(&self.field).as_slice() {
            [column] => Some(*column),
            _ => None,
        };
        move |fix| {
            let index = self.fields.index(fix)?;
            let is_included = self.fields.charts.track().is_included(index);
            column.filter(|_| is_included)?.number(index)
        }
    }

    /// The values of the profile at a fix that is shown, the first number first.
    pub(crate) fn profile(&self, fix: usize) -> Vec<Option<f64>> {
        let index = self.fields.index(fix);
        let columns = self.fields.charts.columns(&self.field).into_iter();
        columns.map(|column| column.number(index?)).collect()
    }

    /// The values of the fixes between two times, the second excluded (UNIX seconds).
    pub(crate) fn between(&self, from: f64, to: f64) -> Stretch {
        let track = self.fields.charts.track();
        let first = track.count_before(from);
        let last = track.count_before(to).max(first);
        match (
            &self.field.kind,
            self.fields.charts.columns(&self.field).as_slice(),
        ) {
            (FieldKind::Number(values), [column]) => {
                values.between(first..last, |fix| column.stretch(track, fix))
            }
            _ => Stretch::default(),
        }
    }

    /// The fraction of the colour scale, 0 to 1, at a fix that is shown; of a
    /// profile that of its mean. `None` without a value.
    pub(crate) fn share(&self, fix: usize) -> Option<f64> {
        let value = match self.field.grid() {
            Some(grid) => {
                let index = self.fields.index(fix)?;
                grid.mean_at(self.fields.charts.track().time_stamp(index)?)
            }
            None => self.value(fix),
        };
        value.map(|value| self.field.line_scale.share(value))
    }
}

/// The attribute or field that colours the line of a track.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LineColour {
    /// An attribute that every track has.
    By(ColourBy),
    Field(ShownField),
}

impl LineColour {
    /// The fraction of the colour scale for the leg to a fix, 0 to 1; `None`
    /// where the field has no value.
    pub(crate) fn share(&self, track: &Track, fix: usize) -> Option<f64> {
        match self {
            Self::By(by) => Some(share(track, *by, fix)),
            Self::Field(field) => field.share(fix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::track::track;
    use crate::track::Platform;

    #[test]
    fn fixes_of_one_time_are_all_of_the_ramps_first_colour() {
        let fixes = (0..6).map(|n| (0.0, 10.0 + 0.1 * f64::from(n), 5.0));
        let track = track(Platform::Tag, 1e9, fixes);
        for colour_by in [ColourBy::Time, ColourBy::Speed] {
            assert!((0..track.len()).all(|fix| share(&track, colour_by, fix) == 0.0));
        }
    }
}
