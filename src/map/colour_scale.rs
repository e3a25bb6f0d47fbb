//! Colour scale of a track, old to new or slow to fast.

/// The colour at a fraction of the scale, 0 to 1, as red, green and blue. Its
/// lightness increases monotonically, so that it is legible without hues. The
/// stops follow the viridis map (van der Walt and Smith, 2015).
pub(crate) fn scale_colour(share: f64) -> (u8, u8, u8) {
    const STOPS: [(u8, u8, u8); 5] = [
        (72, 60, 140),
        (50, 100, 150),
        (33, 145, 140),
        (94, 201, 98),
        (253, 231, 37),
    ];
    let place = share.clamp(0.0, 1.0) * 4.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 3
    let stop = (place.floor() as usize).min(3);
    let (Some(from), Some(to)) = (STOPS.get(stop), STOPS.get(stop + 1)) else {
        return (0, 0, 0);
    };
    #[allow(clippy::cast_precision_loss)] // 0 to 3
    let part = place - stop as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two bytes
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lightness_rises_all_the_way() {
        // Luma of ITU-R BT.709.
        let lightness = |share: f64| {
            let (r, g, b) = scale_colour(share);
            0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)
        };
        let steps: Vec<f64> = (0..=32).map(|n| lightness(f64::from(n) / 32.0)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
    }
}
