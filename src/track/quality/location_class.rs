//! The classes of Argos locations: how far off a position by Doppler shift may be. The errors
//! of G, 3, 2 and 1 are those of the Argos User's Manual (CLS), which has none for 0, A and B:
//! Costa et al. (2010), PLoS ONE 5, e8677, measured up to 10 km.

use strum::{EnumString, IntoStaticStr};

use super::judgement::Judgement;
use super::reason::Reason;
use crate::track::Track;
use crate::track::field::{FieldColumn, FieldRows, FieldValue};
use crate::track::quality::Flag;

/// The fields that have the class.
const FIELDS: [&str; 3] = ["lc", "argos_lc", "location_class"];

/// The field that is `true` where the source of a record marks its position as invalid. A reader
/// adds it to the fields of the record: sources have names of their own for it.
pub(crate) const MARKED_INVALID: &str = "marked_invalid_by_source";

/// The class of an Argos location, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(ascii_case_insensitive)]
pub(crate) enum LocationClass {
    /// By GPS.
    G,
    #[strum(serialize = "3")]
    Three,
    #[strum(serialize = "2")]
    Two,
    #[strum(serialize = "1")]
    One,
    #[strum(serialize = "0")]
    Zero,
    A,
    B,
    /// No position was found that passes the tests of Argos.
    Z,
    /// Of no class, and no position: its source, which need not be Argos, marks it as invalid.
    #[strum(disabled)]
    Marked,
}

impl LocationClass {
    pub(crate) fn read(value: FieldValue<'_>) -> Option<Self> {
        let number = |number: f64| number.to_string();
        let name = match value {
            FieldValue::Text(text) => text.trim().parse().map_or(text.trim().to_owned(), number),
            value => number(value.number()?),
        };
        name.parse().ok()
    }

    /// Its name at Argos.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// How far off such a position may be, metres.
    pub(crate) fn error_m(self) -> f64 {
        match self {
            Self::G => 100.0,
            Self::Three => 250.0,
            Self::Two => 500.0,
            Self::One => 1500.0,
            Self::Zero | Self::A | Self::B | Self::Z | Self::Marked => 10_000.0,
        }
    }
}

/// `true` for the name of a field that may have the class. Movebank writes `argos:lc`.
pub(crate) fn is_location_class(name: &str) -> bool {
    let name = name.replace([':', '.', '-', ' '], "_");
    FIELDS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// `true` for the name of a field by which fixes are flagged.
pub(crate) fn is_of_quality(name: &str) -> bool {
    name == MARKED_INVALID || is_location_class(name)
}

/// The classes of fixes by their fields, and which are marked as invalid; empty unless most values
/// of a field are classes, or a fix is marked.
pub(in crate::track) fn classes(fields: &FieldRows, fixes: usize) -> Vec<Option<LocationClass>> {
    let mut classes = argos_classes(fields, fixes);
    if let Some(marked) = fields
        .columns()
        .find(|column| column.name() == MARKED_INVALID)
    {
        classes.resize(fixes, None);
        for (fix, class) in classes.iter_mut().enumerate() {
            if fields.value(marked, fix) == Some(FieldValue::Truth(true)) {
                *class = Some(LocationClass::Marked);
            }
        }
    }
    classes
}

fn argos_classes(fields: &FieldRows, fixes: usize) -> Vec<Option<LocationClass>> {
    let named = |column: &&_| is_location_class(FieldColumn::name(column));
    for column in fields.columns().filter(named) {
        let value = |fix| fields.value(column, fix);
        let is_none =
            |value: FieldValue<'_>| matches!(value, FieldValue::Null | FieldValue::Text(""));
        let class = |fix| LocationClass::read(value(fix)?);
        let given = (0..fixes)
            .filter_map(value)
            .filter(|value| !is_none(*value));
        // One word of another kind is of no class; a field of such words is no field of classes.
        let classes: Vec<_> = (0..fixes).map(class).collect();
        let known = classes.iter().flatten().count();
        if known > 0 && 2 * known > given.count() {
            return classes;
        }
    }
    Vec::new()
}

impl Track {
    /// The class of the Argos location of a fix, if its record has one. That of class Z, and one
    /// that is marked as invalid, is no position.
    pub(crate) fn location_class(&self, index: usize) -> Option<LocationClass> {
        let class = self.classes.get(index).copied().flatten();
        class.filter(|class| !matches!(class, LocationClass::Z | LocationClass::Marked))
    }
}

impl Judgement<'_> {
    /// `true` if its source marks a fix as invalid.
    pub(super) fn is_marked(&self, index: usize) -> bool {
        self.classes.get(index) == Some(&Some(LocationClass::Marked))
    }

    /// Fails the fixes of class Z.
    pub(super) fn test_location_class(&mut self) {
        for (index, class) in self.classes.iter().enumerate() {
            if *class == Some(LocationClass::Z) && self.is_sound(index) {
                self.mark(index, Flag::Fail, Reason::LocationClass);
            }
        }
    }

    /// The error of the position of a fix, metres, if its class has one.
    pub(super) fn error_m(&self, index: usize) -> Option<f64> {
        let class = self.classes.get(index).copied().flatten()?;
        Some(class.error_m())
    }

    /// The fix whose class is better than that of every other of some.
    pub(super) fn of_best_class(&self, group: &[usize]) -> Option<usize> {
        let class = |index: &usize| self.classes.get(*index).copied().flatten();
        let best = group.iter().filter_map(class).min()?;
        let mut of_best = group.iter().filter(|index| class(index) == Some(best));
        of_best.next().copied().filter(|_| of_best.next().is_none())
    }

    /// The slack of the speed test between two fixes, metres: the errors of their classes, or
    /// `slack_m` without a class.
    pub(super) fn slack_between(&self, a: usize, b: usize, slack_m: f64) -> f64 {
        match (self.error_m(a), self.error_m(b)) {
            (None, None) => slack_m,
            (Some(a), Some(b)) => a + b,
            (Some(error_m), None) | (None, Some(error_m)) => error_m + slack_m,
        }
    }

    /// The smallest distance off the track of a spike at a fix, metres.
    pub(super) fn spike_floor_m(&self, index: usize) -> f64 {
        let error_m = self.error_m(index);
        error_m.unwrap_or_else(|| self.platform.spike_floor_m())
    }

    /// The least slack between any two fixes, metres.
    pub(super) fn least_slack(&self, slack_m: f64) -> f64 {
        let errors = (0..self.classes.len()).filter_map(|index| self.error_m(index));
        errors.fold(slack_m, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::field::FieldTable;
    use crate::track::{Records, Track, TrackOptions, Transmission};

    /// An hourly track to the north with a class at each fix.
    fn track(name: &str, values: &[FieldValue<'_>]) -> Track {
        let mut table = FieldTable::default();
        let mut transmissions = Vec::new();
        for (row, value) in (0..).zip(values) {
            let hour = f64::from(row);
            let fix = Transmission::new(1.7e9 + 3600.0 * hour, 60.0 + 0.01 * hour, 5.0);
            transmissions.push(fix.unwrap());
            table.begin();
            table.add(row, name, *value, |_| true).unwrap();
        }
        let records = Records {
            transmissions: transmissions.into(),
            fields: FieldRows::new(table),
            ..Records::default()
        };
        Track::new(&records, &TrackOptions::new(Default::default(), 1.8e9))
    }

    #[test]
    fn every_fix_of_class_z_fails_and_another_field_says_nothing() {
        let text = FieldValue::Text;
        let sent = ["3", "2", "Z", "B", "", "A", "1", "z"].map(text);
        for name in ["lc", "argos_lc", "location_class", "LC", "argos:lc"] {
            let track = track(name, &sent);
            let failed: Vec<usize> = (0..track.len())
                .filter(|index| track.flags()[*index] == Flag::Fail)
                .collect();
            assert_eq!(failed, [2, 7], "{name}");
            assert_eq!(track.fix(2).unwrap().reason, Reason::LocationClass);
        }
        for (name, values) in [
            ("class", &sent[..]),
            ("lc", &[text("Z"), text("land"), text("water")]),
            ("lc", &[FieldValue::Number(0.5), FieldValue::Number(3.0)]),
        ] {
            let all = classes(&track(name, values).fields().clone(), values.len());
            assert!(all.is_empty(), "{name}");
        }
        let some = classes(
            &track("lc", &[text("Z"), text("--"), text("2")])
                .fields()
                .clone(),
            3,
        );
        assert_eq!(
            some,
            [Some(LocationClass::Z), None, Some(LocationClass::Two)]
        );
        let numbers = [3.0, 0.0].map(FieldValue::Number);
        let known = classes(&track("lc", &numbers).fields().clone(), 2);
        assert_eq!(
            known,
            [Some(LocationClass::Three), Some(LocationClass::Zero)]
        );
    }

    #[test]
    fn the_better_of_two_classes_at_one_time_passes() {
        let mut table = FieldTable::default();
        let mut transmissions = Vec::new();
        for (row, (hour, latitude, class)) in (0_u32..).zip([
            (0, 60.0, "1"),
            (1, 60.1, "B"),
            (1, 60.3, "2"),
            (2, 60.6, "1"),
            (2, 60.63, "1"),
            (3, 60.9, "1"),
        ]) {
            let time = 1.7e9 + 3600.0 * f64::from(hour);
            transmissions.push(Transmission::new(time, latitude, 5.0).unwrap());
            table.begin();
            table
                .add(row, "lc", FieldValue::Text(class), |_| true)
                .unwrap();
        }
        let records = Records {
            transmissions: transmissions.into(),
            fields: FieldRows::new(table),
            ..Records::default()
        };
        let track = Track::new(&records, &TrackOptions::new(Default::default(), 1.8e9));
        let suspect = [false, true, false, true, true, false];
        let flags = track.flags().iter().map(|flag| *flag == Flag::Suspect);
        assert_eq!(flags.collect::<Vec<_>>(), suspect);
    }
}
