//! Colour scales of a track, old to new or slow to fast.

use super::rgb::Rgb;

/// Violet, teal, yellow (van der Walt and Smith, 2015).
const VIRIDIS: [Rgb; 9] = [
    Rgb(68, 1, 84),
    Rgb(71, 45, 123),
    Rgb(59, 82, 139),
    Rgb(44, 114, 142),
    Rgb(33, 145, 140),
    Rgb(40, 174, 128),
    Rgb(94, 201, 98),
    Rgb(173, 220, 48),
    Rgb(253, 231, 37),
];
/// `thermal` of cmocean, from cold to warm (Thyng and others, 2016; MIT licence).
const THERMAL: [Rgb; 12] = [
    Rgb(4, 35, 51),
    Rgb(11, 52, 92),
    Rgb(36, 56, 145),
    Rgb(72, 60, 156),
    Rgb(100, 71, 148),
    Rgb(129, 83, 143),
    Rgb(163, 95, 135),
    Rgb(197, 105, 120),
    Rgb(229, 121, 95),
    Rgb(248, 149, 65),
    Rgb(250, 190, 63),
    Rgb(232, 250, 91),
];

/// The colour of a value of a profile at a fraction of its scale, 0 to 1, dark to light.
pub(crate) fn thermal(share: f64) -> Rgb {
    between(&THERMAL, share)
}

/// The colour of a line on white at a fraction of its scale, 0 to 1, dark to light.
pub(crate) fn line_colour(share: f64) -> Rgb {
    between(&VIRIDIS, 0.17 + 0.83 * share.clamp(0.0, 1.0))
}

/// The colour at a fraction of the way through these.
fn between(stops: &[Rgb], share: f64) -> Rgb {
    let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let stop = (place.floor() as usize).min(stops.len() - 2);
    match (stops.get(stop), stops.get(stop + 1)) {
        (Some(from), Some(to)) => from.mixed(*to, place - stop as f64),
        _ => Rgb::WHITE,
    }
}

/// The colour at a fraction of a track, 0 (old) to 1 (new), on a ground. The
/// newest has the greatest contrast: light on a dark ground, dark on a light
/// one.
pub(crate) fn viridis_on(ground: Rgb, share: f64) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    let place = if ground.is_light() {
        0.72 * (1.0 - share)
    } else {
        0.25 + 0.75 * share
    };
    between(&VIRIDIS, place).readable_on(ground, least_contrast(share))
}

/// The least contrast of a fraction of a track with the ground.
pub(crate) fn least_contrast(share: f64) -> f64 {
    2.0 + share.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_gets_lighter_from_low_to_high() {
        let steps: Vec<f64> = (0..=32)
            .map(|step| thermal(f64::from(step) / 32.0).contrast(Rgb::BLACK))
            .collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
    }

    #[test]
    fn the_contrast_with_the_ground_rises_from_old_to_new() {
        for ground in [
            Rgb(0x10, 0x14, 0x1c),
            Rgb::BLACK,
            Rgb::WHITE,
            Rgb(0xfd, 0xf6, 0xe3),
        ] {
            let steps: Vec<f64> = (0..=16)
                .map(|step| viridis_on(ground, f64::from(step) / 16.0).contrast(ground))
                .collect();
            assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
            assert!(steps[0] >= 2.0 && steps[16] >= 7.0, "{ground:?}: {steps:?}");
        }
    }
}
