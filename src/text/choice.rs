//! A choice of options, each with one name in settings, flags and files: an
//! enum that derives the names from its variants (`strum`).

use strum::VariantArray;

/// An enum of options in order, each with its name.
pub(crate) trait Choice: VariantArray + Copy + PartialEq + Into<&'static str> {}

impl<T: VariantArray + Copy + PartialEq + Into<&'static str>> Choice for T {}

/// The names of all options, in their order.
pub(crate) fn names<T: Choice>() -> impl Iterator<Item = &'static str> {
    T::VARIANTS.iter().map(|variant| (*variant).into())
}

/// The option after this one, cyclic.
pub(crate) fn next<T: Choice>(one: T) -> T {
    step(one, 1)
}

/// The option `by` positions after this one, cyclic in both directions.
pub(crate) fn step<T: Choice>(one: T, by: isize) -> T {
    let all = T::VARIANTS;
    let place = all.iter().position(|other| *other == one).unwrap_or(0);
    let wanted = (place.cast_signed() + by).rem_euclid(all.len().cast_signed());
    all.get(wanted.cast_unsigned()).copied().unwrap_or(one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::geo::{CoordinateFormat, Units};
    use crate::map::{ColourBy, GlyphSet};
    use crate::track::Platform;
    use std::str::FromStr;

    /// The names, after checking that each parses to its own option.
    fn checked<T: Choice + FromStr + std::fmt::Debug>() -> Vec<&'static str> {
        for one in T::VARIANTS {
            let name: &'static str = (*one).into();
            assert!(T::from_str(name).ok() == Some(*one), "{one:?}");
            assert!(T::from_str(&format!("{name} ")).is_err());
            assert!(step(next(*one), -1) == *one);
        }
        assert!(T::from_str("").is_err());
        names::<T>().collect()
    }

    #[test]
    fn the_names_are_those_of_the_contract() {
        let platforms = "generic drifter float glider mooring tag vessel";
        let formats = "table csv json ndjson geojson gpx kml netcdf parquet";
        let glyphs = "pixels octant sextant braille half-block ascii";
        assert_eq!(checked::<Platform>().join(" "), platforms);
        assert_eq!(checked::<Format>().join(" "), formats);
        assert_eq!(checked::<GlyphSet>().join(" "), glyphs);
        assert_eq!(checked::<Units>().join(" "), "nautical metric si");
        assert_eq!(checked::<CoordinateFormat>().join(" "), "dd ddm dms");
        assert_eq!(checked::<ColourBy>().join(" "), "time speed flag");
        // Names are case-sensitive.
        assert!("Drifter".parse::<Platform>().is_err());
    }

    #[test]
    fn a_step_goes_round_either_end() {
        assert_eq!(next(Units::Si), Units::Nautical);
        assert_eq!(step(Units::Nautical, -1), Units::Si);
        assert_eq!(step(Units::Nautical, 7), Units::Metric);
    }
}
