//! The 256 colours that most terminals have: a cube of 6 steps a side from 16
//! on, and 24 greys from 232 on (xterm's control sequences, "ISO-8613-6
//! colours"). The first 16 belong to the terminal's palette.

use std::sync::LazyLock;

use super::rgb::{Rgb, contrast_ratio};

/// The steps of the cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The colour of a number from 16 to 255; `None` for the palette's own.
pub(crate) fn of_index(index: u8) -> Option<Rgb> {
    match index {
        0..=15 => None,
        16..=231 => {
            let place = usize::from(index - 16);
            let step = |by: usize| STEPS.get(place / by % 6).copied().unwrap_or(0);
            Some(Rgb(step(36), step(6), step(1)))
        }
        232..=255 => {
            let grey = 8 + (index - 232) * 10;
            Some(Rgb(grey, grey, grey))
        }
    }
}

/// The colours from 16 on, each with its number and its luminance.
static COLOURS: LazyLock<Vec<(u8, Rgb, f64)>> = LazyLock::new(|| {
    let known = (16..=255).filter_map(|index| Some((index, of_index(index)?)));
    known
        .map(|(index, colour)| (index, colour, colour.luminance()))
        .collect()
});

/// The number of the most similar colour that has this contrast on a ground; of
/// the most similar one if none has.
pub(crate) fn nearest_indexed(colour: Rgb, ground: Rgb, contrast: f64) -> u8 {
    nearest(colour, ground, |_, has| has >= contrast)
        .or_else(|| nearest(colour, ground, |_, _| true))
        .map_or(255, |(index, _)| index)
}

/// The most similar colour among those that `suits` takes by number and contrast
/// with the ground, with that contrast.
fn nearest(colour: Rgb, ground: Rgb, suits: impl Fn(u8, f64) -> bool) -> Option<(u8, f64)> {
    let ground = ground.luminance();
    COLOURS
        .iter()
        .map(|(index, one, luminance)| (*index, *one, contrast_ratio(*luminance, ground)))
        .filter(|(index, _, contrast)| suits(*index, *contrast))
        .min_by_key(|(_, one, _)| difference(*one, colour))
        .map(|(index, _, contrast)| (index, contrast))
}

/// The numbers of colours like these, from the least contrast with the ground to
/// the greatest, all different, each with at least its contrast.
pub(crate) fn distinct_indexed(colours: &[(Rgb, f64)], ground: Rgb) -> Vec<u8> {
    let mut numbers: Vec<u8> = Vec::new();
    let mut last = 0.0;
    for (colour, least) in colours {
        let suits = |index: u8, contrast: f64| {
            contrast >= *least && contrast > last && !numbers.contains(&index)
        };
        match nearest(*colour, ground, suits) {
            Some((number, contrast)) => {
                numbers.push(number);
                last = contrast;
            }
            None => numbers.push(nearest_indexed(*colour, ground, *least)),
        }
    }
    numbers
}

/// How different two colours look, on a scale of its own: the weighted distance
/// "redmean" (Riemersma, "Colour metric").
fn difference(a: Rgb, b: Rgb) -> i32 {
    let by = |x: u8, y: u8| i32::from(x) - i32::from(y);
    let red_mean = (i32::from(a.0) + i32::from(b.0)) / 2;
    let red = by(a.0, b.0);
    let green = by(a.1, b.1);
    let blue = by(a.2, b.2);
    (((512 + red_mean) * red * red) >> 8)
        + 4 * green * green
        + (((767 - red_mean) * blue * blue) >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_of_the_256_is_nearest_to_itself() {
        for index in 16..=255 {
            let colour = of_index(index).unwrap();
            let found = nearest_indexed(colour, Rgb::BLACK, 0.0);
            // Some greys are in the cube too.
            assert_eq!(of_index(found), Some(colour), "{index}");
        }
        assert_eq!(of_index(196), Some(Rgb(255, 0, 0)));
        assert_eq!(of_index(255), Some(Rgb(238, 238, 238)));
    }

    #[test]
    fn what_is_chosen_can_be_read() {
        let dim = nearest_indexed(Rgb(40, 40, 40), Rgb::BLACK, 4.5);
        assert!(of_index(dim).unwrap().contrast(Rgb::BLACK) >= 4.5);
    }
}
