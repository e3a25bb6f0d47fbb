//! Colours of the screen by name, and how well one can be read on another. The
//! settings name them; the screen paints with them.

mod indexed;
mod rgb;
mod scale;
mod tracks;

use strum::{EnumString, IntoStaticStr, VariantArray};

#[cfg(test)]
pub(crate) use indexed::of_index;
pub(crate) use indexed::{difference, distinct_indexed, nearest_indexed};
pub(crate) use rgb::{READABLE, Rgb};
pub(crate) use scale::{ColourScale, thermal};
pub(crate) use tracks::{track_colours, track_letters};

/// The purpose of a colour. The names are those of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Tone {
    /// Titles, keys, the pane with the focus.
    Accent,
    /// Secondary text, the graticule.
    Dim,
    /// A good state.
    Good,
    /// A deployment that is late, and warnings.
    Late,
    /// A deployment that is overdue.
    Overdue,
    /// A deployment that is lost, and failures.
    Lost,
    /// A fix that failed.
    Failed,
    /// A suspect fix.
    Suspect,
    Coast,
    /// The ground of land.
    Land,
    WatchCircle,
    /// Range rings.
    Ring,
    /// The line of a measurement.
    Measure,
    /// The fix under the cursor on the map.
    Cursor,
    /// The oldest leg of a track.
    LineOld,
    /// The newest leg of a track.
    LineNew,
}

/// A colour that the settings give to a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Paint {
    /// A colour of the terminal's own palette, 0 to 15.
    Terminal(u8),
    /// A colour.
    Rgb(Rgb),
}

/// The names of the terminal's own colours, in their order.
const TERMINAL: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

impl Paint {
    /// Parses `#rrggbb` or the name of a terminal colour, such as `bright-red`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let terminal = (0u8..).zip(TERMINAL).find(|(_, name)| *name == text);
        match terminal {
            Some((number, _)) => Some(Self::Terminal(number)),
            None => Rgb::parse(text).map(Self::Rgb),
        }
    }
}

/// The themes by name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum ThemeName {
    /// Dark or light, by the terminal's ground.
    #[default]
    Auto,
    /// For a dark ground.
    Dark,
    /// For a light ground.
    Light,
    /// As `auto`, each colour with a contrast of at least 7.
    HighContrast,
    /// The accents of Solarized, for its dark or light ground.
    Solarized,
}

/// How the screen is to look, according to the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Look {
    pub theme: ThemeName,
    /// The colours that replace those of the theme.
    pub paints: Vec<(Tone, Paint)>,
    /// The colour scale of a track.
    pub scale: ColourScale,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paint_is_six_digits_or_the_name_of_a_terminal_colour() {
        assert_eq!(Paint::parse("#ff8000"), Some(Paint::Rgb(Rgb(255, 128, 0))));
        assert_eq!(Paint::parse("bright-red"), Some(Paint::Terminal(9)));
        for wrong in [
            "", "#fff", "#ff80zz", "#+f8000", "ff8000", "Red", "#ff80001",
        ] {
            assert_eq!(Paint::parse(wrong), None, "{wrong}");
        }
    }
}
