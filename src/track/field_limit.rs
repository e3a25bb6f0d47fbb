//! A limit of a field that every record may carry.

use serde::{Deserialize, Serialize};
use strum::Display;

use super::field::FieldValue;

/// On which side of a limit an alarm is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    /// Under it.
    Below,
    /// Over it.
    Above,
}

/// The longest unit, characters.
const LONGEST_UNIT: usize = 12;

/// A limit; the archive has it as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FieldLimit {
    /// The field's name, as the service has it.
    pub field: String,
    /// On which side of the limit an alarm is raised.
    pub side: Side,
    pub value: f64,
    /// The unit of the field, as the user typed it; may be empty.
    pub unit: String,
}

/// A change of the limits of fields on one side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldLimitChange {
    /// There is this one.
    Set(FieldLimit),
    /// The field has none on this side.
    Clear(Side, String),
    /// No field has one on this side.
    ClearAll(Side),
}

impl FieldLimitChange {
    /// Parses `FIELD=X`, X a number with or without a unit such as `11.5` or
    /// `11.5 V`, `FIELD=none` or `none`.
    ///
    /// # Errors
    /// A description of the fault in the text.
    pub(crate) fn parse(side: Side, typed: &str) -> Result<Self, String> {
        let typed = typed.trim();
        if typed == "none" {
            return Ok(Self::ClearAll(side));
        }
        let shown = || crate::text::excerpt(typed, 60);
        let (field, limit) = typed
            .rsplit_once('=')
            .map(|(field, limit)| (field.trim(), limit.trim()))
            .filter(|(field, _)| !field.is_empty())
            .ok_or_else(|| format!("'{}': give FIELD=X, such as battery=11.5", shown()))?;
        // "batt=11,temp=3" is two limits and no field named "batt=11,temp".
        let is_list = field.split_once('=').is_some_and(|(_, rest)| {
            rest.contains([',', ' ']) && rest.starts_with(|letter: char| letter.is_ascii_digit())
        });
        if is_list {
            return Err(format!(
                "'{}': give one limit at a time, in a table separated by semicolons",
                shown()
            ));
        }
        if matches!(field, "time_stamp" | "latitude" | "longitude") {
            return Err(format!("'{}': {field} is not a field", shown()));
        }
        if limit == "none" {
            return Ok(Self::Clear(side, field.to_owned()));
        }
        let (value, unit) = number_with_unit(limit).ok_or_else(|| {
            format!(
                "'{}': give a number, with or without a unit of at most {LONGEST_UNIT} characters",
                shown()
            )
        })?;
        Ok(Self::Set(FieldLimit {
            field: field.to_owned(),
            side,
            value,
            unit: unit.to_owned(),
        }))
    }

    /// Makes the change; the limits stay in the order of fields and sides.
    pub(crate) fn apply(&self, limits: &mut Vec<FieldLimit>) {
        match self {
            Self::ClearAll(side) => limits.retain(|own| own.side != *side),
            Self::Clear(side, field) => {
                limits.retain(|own| (own.side, &own.field) != (*side, field));
            }
            Self::Set(limit) => {
                limits.retain(|own| (own.side, &own.field) != (limit.side, &limit.field));
                limits.push(limit.clone());
                limits.sort_by(|a, b| (&a.field, a.side).cmp(&(&b.field, b.side)));
            }
        }
    }
}

/// A number and the unit after it, which may be empty.
fn number_with_unit(text: &str) -> Option<(f64, &str)> {
    let is_of_number = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    let longest = text
        .find(|letter| !is_of_number(letter))
        .unwrap_or(text.len());
    (1..=longest).rev().find_map(|end| {
        let (digits, unit) = text.split_at_checked(end)?;
        let value: f64 = digits
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())?;
        // "1e999" and "0x10" are no numbers with a unit.
        let joined = |start: char| {
            unit.strip_prefix(start).is_some_and(|rest| {
                rest.starts_with(|letter: char| letter.is_ascii_digit() || "+-".contains(letter))
            })
        };
        if "eExXbBoO".chars().any(joined) {
            return None;
        }
        // Nor are "1_000", "1'000" and "11:30", in which no blank separates number and unit.
        let begins = |letter: char| letter.is_alphabetic() || " %‰°".contains(letter);
        if !unit.is_empty() && !unit.starts_with(begins) {
            return None;
        }
        let unit = unit.trim_start();
        let is_unit = !unit
            .starts_with(|letter: char| letter.is_ascii_digit() || "+-.,".contains(letter))
            && unit.chars().count() <= LONGEST_UNIT
            && !unit.chars().any(char::is_control);
        is_unit.then_some((value, unit))
    })
}

impl FieldLimit {
    /// A value with the unit: "11.2 V".
    pub(crate) fn with_unit(&self, value: f64) -> String {
        match self.unit.as_str() {
            "" => value.to_string(),
            unit => format!("{value} {unit}"),
        }
    }

    /// A measured value with the unit, to twelve digits: a service that calculates sends
    /// 9.620000000000001.
    pub(crate) fn measured(&self, value: f64) -> String {
        self.with_unit(format!("{value:.11e}").parse().unwrap_or(value))
    }

    /// `true` for a value, in the unit of the limit, that it forbids.
    pub(crate) fn is_beyond(&self, value: f64) -> bool {
        match self.side {
            Side::Below => value < self.value,
            Side::Above => value > self.value,
        }
    }

    /// The limit as text: "battery below 11.5 V".
    pub(crate) fn text(&self) -> String {
        format!(
            "{} {} {}",
            crate::text::excerpt(&self.field, 60),
            self.side,
            self.with_unit(self.value)
        )
    }

    pub(crate) fn number(value: FieldValue<'_>) -> Option<f64> {
        let number = match value {
            // Some services send every number as a text.
            FieldValue::Text(text) => text.trim().parse().ok(),
            value => value.number(),
        };
        number.filter(|number: &f64| number.is_finite())
    }
}

/// Limits as text that [`read`] reads; none of no limit.
pub(crate) fn written(limits: &[FieldLimit]) -> Option<String> {
    let text = (!limits.is_empty()).then(|| serde_json::to_string(limits));
    text?.ok()
}

/// Reads the limits of a text from [`written`]; `None` for any other text.
pub(crate) fn read(text: &str) -> Option<Vec<FieldLimit>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_with_or_without_a_unit() {
        for (typed, field, value, unit) in [
            ("battery=11.5", "battery", 11.5, ""),
            ("battery = 11.5V ", "battery", 11.5, "V"),
            ("sst=-1.8 °C", "sst", -1.8, "°C"),
            ("p=1e3 hPa", "p", 1000.0, "hPa"),
            ("p=5e", "p", 5.0, "e"),
            ("a=b=2", "a=b", 2.0, ""),
            ("dtc_values_0=-.5", "dtc_values_0", -0.5, ""),
        ] {
            let read = FieldLimitChange::parse(Side::Below, typed).unwrap();
            let FieldLimitChange::Set(limit) = read else {
                panic!("{typed}")
            };
            let measured = [limit.measured(9.620000000000001), limit.measured(value)];
            assert_eq!(measured, [limit.with_unit(9.62), limit.with_unit(value)]);
            assert_eq!(
                (limit.field.as_str(), limit.value, limit.unit.as_str()),
                (field, value, unit)
            );
            let limits = vec![limit];
            assert_eq!(read_back(&limits), limits);
        }
        for wrong in [
            "",
            "battery",
            "=5",
            "battery=",
            "battery=low",
            "battery=nan",
            "battery=inf",
            "battery=1,5",
            "battery=1.2.3",
            "latitude=5",
            "battery=5 a very long unit",
            "battery=1e999",
            "battery=0x10",
            "battery=0b1",
            "battery=1_000",
            "battery=1'000",
            "battery=11:30",
            "batt=11,temp=3",
            "batt=11 temp=3",
        ] {
            assert!(
                FieldLimitChange::parse(Side::Above, wrong).is_err(),
                "{wrong}"
            );
        }
    }

    fn read_back(limits: &[FieldLimit]) -> Vec<FieldLimit> {
        read(&written(limits).unwrap()).unwrap()
    }

    #[test]
    fn each_field_has_one_limit_on_each_side() {
        let mut limits = Vec::new();
        for (side, typed) in [
            (Side::Above, "t=5"),
            (Side::Below, "t=1"),
            (Side::Below, "b=2 V"),
            (Side::Below, "t=0"),
        ] {
            FieldLimitChange::parse(side, typed)
                .unwrap()
                .apply(&mut limits);
        }
        let texts: Vec<String> = limits.iter().map(FieldLimit::text).collect();
        assert_eq!(texts, ["b below 2 V", "t below 0", "t above 5"]);
        assert_eq!(read_back(&limits), limits);
        for (side, typed, left) in [(Side::Below, "t=none", 2), (Side::Below, "none", 1)] {
            FieldLimitChange::parse(side, typed)
                .unwrap()
                .apply(&mut limits);
            assert_eq!(limits.len(), left);
        }
        assert_eq!(written(&[]), None);
        assert_eq!(read("x"), None);
    }
}
