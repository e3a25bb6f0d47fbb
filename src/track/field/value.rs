//! The value of a field.

/// The value of a field in one record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FieldValue<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Truth(bool),
    /// A finite number.
    Number(f64),
    /// A whole number that no `f64` holds exactly, as its digits.
    Digits(&'a str),
    /// A text; an object, an array, or a number that is too large for an `f64`,
    /// as its JSON text.
    Text(&'a str),
}

impl<'a> FieldValue<'a> {
    /// The value of a JSON number.
    pub(crate) fn from_number(json: &'a str) -> Self {
        let Some(number) = json.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return Self::Text(json);
        };
        // Up to so many digits every whole number is exact.
        const EXACT: usize = 15;
        let digits = json.strip_prefix('-').unwrap_or(json);
        let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole || digits.len() <= EXACT {
            return Self::Number(number);
        }
        #[allow(clippy::cast_possible_truncation)] // `as` saturates
        let is_exact = |whole: i128| number.abs() < 1e38 && number as i128 == whole;
        match json.parse::<i128>() {
            Ok(whole) if is_exact(whole) => Self::Number(number),
            _ => Self::Digits(json),
        }
    }

    /// The number that it is, to the precision of an `f64`.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Digits(digits) => digits.parse().ok(),
            Self::Null | Self::Truth(_) | Self::Text(_) => None,
        }
    }
}
