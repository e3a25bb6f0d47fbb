//! A comparison as a person types it: `battery<12`, `sog>2kn`, `gap>6h`, `age>1d`.

use super::Side;

/// A name, on which side of a value it is to be, and the value as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comparison<'a> {
    /// The name of a field or of a column.
    pub name: &'a str,
    /// The side of the value.
    pub side: Side,
    /// The value, with or without a unit.
    pub value: &'a str,
}

impl<'a> Comparison<'a> {
    /// Reads a comparison; `None` of a text without `<` or `>` between two others.
    pub(crate) fn parse(typed: &'a str) -> Option<Self> {
        let at = typed.find(['<', '>'])?;
        let (name, rest) = typed.split_at_checked(at)?;
        let side = match rest.starts_with('<') {
            true => Side::Below,
            false => Side::Above,
        };
        let value = rest.trim_start_matches(['<', '>', '=']).trim();
        let name = name.trim();
        (!name.is_empty() && !value.is_empty()).then_some(Self { name, side, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_has_a_name_a_side_and_a_value() {
        let of = |typed| Comparison::parse(typed).map(|one| (one.name, one.side, one.value));
        assert_eq!(of("battery<12"), Some(("battery", Side::Below, "12")));
        assert_eq!(of(" sog > 2 kn"), Some(("sog", Side::Above, "2 kn")));
        assert_eq!(of("gap>=6h"), Some(("gap", Side::Above, "6h")));
        for none in ["", "battery", "<12", "battery<", "battery=12"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
