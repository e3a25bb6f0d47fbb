//! The colours of several tracks on one map.

use super::rgb::Rgb;

/// Colours of tracks on a dark and on a light background. A colour-blind person cannot
/// distinguish more of them, so the seventh track has the first colour again, with another
/// letter and name.
const ON_DARK: [Rgb; 6] = [
    Rgb(0xff, 0x8c, 0x5a),
    Rgb(0x00, 0xe0, 0xd0),
    Rgb(0xd9, 0x8c, 0xff),
    Rgb(0xf0, 0xe4, 0x42),
    Rgb(0x00, 0xc8, 0x96),
    Rgb(0xff, 0xff, 0xff),
];
const ON_LIGHT: [Rgb; 6] = [
    Rgb(0x3c, 0x46, 0xff),
    Rgb(0xc2, 0x18, 0x5b),
    Rgb(0x00, 0x6b, 0x4f),
    Rgb(0x7a, 0x6a, 0x00),
    Rgb(0x00, 0x00, 0x00),
    Rgb(0x5a, 0x3a, 0x1a),
];

/// The colours of tracks on a background, in the order of their letters.
pub(crate) fn track_colours(is_light: bool) -> [Rgb; 6] {
    if is_light { ON_LIGHT } else { ON_DARK }
}

/// The letters of the track with this index: A to Z, then AA, AB and so on.
pub(crate) fn track_letters(index: usize) -> String {
    let last = char::from(b'A' + u8::try_from(index % 26).unwrap_or(0));
    match index / 26 {
        0 => last.to_string(),
        before => format!("{}{last}", track_letters(before - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrices of Machado, Oliveira and Fernandes (2009) for linear red, green and
    /// blue, at full severity: usual sight, protanopia, deuteranopia, tritanopia.
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    fn product(rows: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// A colour as it is seen, in Oklab (Ottosson, 2020).
    fn seen(Rgb(red, green, blue): Rgb, sight: [[f64; 3]; 3]) -> [f64; 3] {
        let linear = |byte: u8| match f64::from(byte) / 255.0 {
            share if share <= 0.040_45 => share / 12.92,
            share => ((share + 0.055) / 1.055).powf(2.4),
        };
        let light = product(sight, [red, green, blue].map(linear)).map(|one| one.clamp(0.0, 1.0));
        let cones = product(
            [
                [0.412_221_47, 0.536_332_54, 0.051_445_99],
                [0.211_903_5, 0.680_699_55, 0.107_396_96],
                [0.088_302_46, 0.281_718_84, 0.629_978_7],
            ],
            light,
        );
        product(
            [
                [0.210_454_26, 0.793_617_79, -0.004_072_05],
                [1.977_998_5, -2.428_592_2, 0.450_593_71],
                [0.025_904_04, 0.782_771_77, -0.808_675_77],
            ],
            cones.map(f64::cbrt),
        )
    }

    #[test]
    fn colours_of_tracks_differ_for_everybody() {
        for colours in [ON_DARK, ON_LIGHT] {
            for (place, one) in colours.iter().enumerate() {
                for other in &colours[..place] {
                    for sight in SIGHTS {
                        let (a, b) = (seen(*one, sight), seen(*other, sight));
                        let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
                        let apart = apart.sum::<f64>().sqrt();
                        // A difference that is just seen is about 0.02.
                        assert!(apart > 0.06, "{one:?} {other:?}: {apart}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_track_has_letters_of_its_own() {
        let all: Vec<String> = [0, 25, 26, 51, 52, 701, 702].map(track_letters).into();
        assert_eq!(all, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
