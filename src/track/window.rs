//! Facts on an instrument that a person declares and the fixes do not show: the time in which they
//! count, and its state.

use std::ops::Range;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The time in which the fixes of a deployment count, both ends included:
/// before it the instrument was not in the water yet, after it no more.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Window {
    /// The start, UNIX seconds; `None`: from the first fix on.
    pub from: Option<f64>,
    /// The end, UNIX seconds; `None`: up to the last fix.
    pub until: Option<f64>,
}

impl Window {
    /// `true` if its end is before its start.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until < from)
    }

    /// `true` if its end is before `now` (UNIX seconds), so that no report is expected.
    pub(crate) fn has_ended(&self, now: f64) -> bool {
        self.until.is_some_and(|until| until < now)
    }

    /// The indices of the elements in it, of a column in the order of time.
    pub(crate) fn indices<T>(&self, column: &[T], time: impl Fn(&T) -> f64) -> Range<usize> {
        let from = self.from.map_or(0, |from| {
            column.partition_point(|element| time(element) < from)
        });
        let until = self.until.map_or(column.len(), |until| {
            column.partition_point(|element| time(element) <= until)
        });
        from..until.max(from)
    }
}

/// The state that the user declares for a deployment, whatever its last fix
/// says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DeclaredState {
    /// It should report.
    #[default]
    Active,
    /// It was recovered: it is never late.
    Recovered,
    /// It is lost: it is never late.
    Lost,
    /// It is a file, which does not report: it is never late, and no person declares it.
    Read,
}

impl VariantArray for DeclaredState {
    /// The states that a person may choose.
    const VARIANTS: &'static [Self] = &[Self::Active, Self::Recovered, Self::Lost];
}

impl DeclaredState {
    /// The name used on the command line and in files.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// `true` if it should report, so that it can be late and raise an alarm.
    pub(crate) fn is_active(self) -> bool {
        self == Self::Active
    }
}
