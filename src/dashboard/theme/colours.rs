//! The colours of a theme in 16, 256 and 24-bit colours. On a known background each is
//! mixed until it can be read.

use ratatui::style::Color;
use strum::VariantArray;

use super::Capabilities;
use crate::palette::{
    READABLE, Rgb, ThemeName, Tone, distinct_indexed, least_contrast, nearest_indexed, thermal,
    track_colours, viridis_on,
};

/// Steps of a track's colour scale.
pub(super) const STEPS: usize = 32;
/// Its steps in 256 colours, each of a different colour.
const INDEXED_STEPS: usize = 16;
/// The number of colours of several tracks.
const TRACKS: usize = 6;
const TONES: usize = Tone::VARIANTS.len();

/// The background of the terminal, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Background {
    /// It is dark, or not known.
    #[default]
    Dark,
    /// It is light.
    Light,
    /// This colour.
    Known(Rgb),
}

/// The lightest background of the common dark palettes (Tango): a colour that can be
/// read on it can be read on darker ones.
const DARK: Rgb = Rgb(0x2e, 0x34, 0x36);
/// The darkest background of the common light palettes (Tango).
const LIGHT: Rgb = Rgb(0xee, 0xee, 0xec);

/// The colours of a theme. `Color::Reset` is the terminal's own foreground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shades {
    tones: [Color; TONES],
    line: [Color; STEPS],
    /// The background of the selected row.
    pub row: Color,
    /// The lines of degrees.
    pub graticule: Color,
    /// The colours of a profile: low is dark and high is light on any background.
    fill: [Color; STEPS],
    /// The colours of several tracks on one map.
    tracks: [Color; TRACKS],
    /// The background, as far as it is known.
    background: Rgb,
}

/// How many colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Sixteen,
    Indexed,
    True,
}

impl Shades {
    pub(super) fn new(can: Capabilities, theme: ThemeName, background: Background) -> Self {
        let depth = match can {
            Capabilities {
                true_colour: true, ..
            } => Depth::True,
            Capabilities { indexed: true, .. } => Depth::Indexed,
            _ => Depth::Sixteen,
        };
        let known = background;
        let background = assumed(theme, background);
        let is_light = background.is_light();
        let mut shades = Self {
            tones: [Color::Reset; TONES],
            // On a guessed background the terminal's own text could not be read.
            row: if known == Background::Known(background) {
                row(background, depth)
            } else {
                Color::Reset
            },
            graticule: graticule(background, depth),
            line: line(background, depth),
            fill: fill(depth),
            tracks: tracks(background, depth),
            background,
        };
        for tone in Tone::VARIANTS {
            shades.tones[*tone as usize % TONES] = match depth {
                Depth::Sixteen => of_sixteen(*tone, is_light),
                _ => {
                    let least = least(*tone);
                    let colour = hue(*tone, background).readable_on(background, least);
                    shown(colour, background, least, depth)
                }
            };
        }
        shades
    }

    pub(super) fn tone(&self, tone: Tone) -> Color {
        self.tones[tone as usize % TONES]
    }

    /// A 24-bit colour in figures; the terminal's own foreground is black or white.
    pub(super) fn rgb(&self, colour: Color) -> Rgb {
        match colour {
            Color::Rgb(red, green, blue) => Rgb(red, green, blue),
            _ if self.background.is_light() => Rgb::BLACK,
            _ => Rgb::WHITE,
        }
    }

    pub(super) fn line(&self, step: usize) -> Color {
        self.line[step.min(STEPS - 1)]
    }

    pub(super) fn track(&self, mark: usize) -> Color {
        self.tracks[mark % TRACKS]
    }

    pub(super) fn fill(&self, step: usize) -> Color {
        self.fill[step.min(STEPS - 1)]
    }
}

/// The background of the selected row, on which the colours of its states can still be
/// read; none of 16.
fn row(background: Rgb, depth: Depth) -> Color {
    let text = if background.is_light() {
        Rgb::BLACK
    } else {
        Rgb::WHITE
    };
    shown(background.mixed(text, 0.12), background, 1.0, depth)
}

/// The colour of the lines of degrees, between the background and the coast; none of 16.
fn graticule(background: Rgb, depth: Depth) -> Color {
    let coast = hue(Tone::Coast, background).readable_on(background, least(Tone::Coast));
    shown(background.mixed(coast, 0.6), background, 1.0, depth)
}

/// The colours of a track from old to new.
fn line(background: Rgb, depth: Depth) -> [Color; STEPS] {
    let colour = |share| (viridis_on(background, share), least_contrast(share));
    steps(colour, background, depth)
}

/// The colours of a profile from low to high, which need no contrast with the background.
fn fill(depth: Depth) -> [Color; STEPS] {
    steps(|share| (thermal(share), 1.0), Rgb::BLACK, depth)
}

/// The colours of a scale; `colour` is that at a fraction of it, with its least contrast.
fn steps(colour: impl Fn(f64) -> (Rgb, f64), background: Rgb, depth: Depth) -> [Color; STEPS] {
    let share = |step: usize, steps: usize| step as f64 / (steps - 1) as f64;
    match depth {
        Depth::Sixteen => {
            std::array::from_fn(|step| line_of_sixteen(share(step, STEPS), background.is_light()))
        }
        Depth::Indexed => {
            let shares = (0..INDEXED_STEPS).map(|step| share(step, INDEXED_STEPS));
            let wanted: Vec<(Rgb, f64)> = shares.map(colour).collect();
            let numbers = distinct_indexed(&wanted, background);
            std::array::from_fn(|step| {
                let number = numbers.get(step * INDEXED_STEPS / STEPS);
                number.map_or(Color::Reset, |number| Color::Indexed(*number))
            })
        }
        Depth::True => std::array::from_fn(|step| {
            let (Rgb(red, green, blue), _) = colour(share(step, STEPS));
            Color::Rgb(red, green, blue)
        }),
    }
}

/// The colours of several tracks on one map, each unlike the others.
fn tracks(background: Rgb, depth: Depth) -> [Color; TRACKS] {
    let is_light = background.is_light();
    let colours = track_colours(is_light).map(|colour| colour.readable_on(background, READABLE));
    match depth {
        Depth::Sixteen => tracks_of_sixteen(is_light),
        Depth::Indexed => {
            let numbers = distinct_indexed(&colours.map(|colour| (colour, READABLE)), background);
            std::array::from_fn(|place| {
                let number = numbers.get(place);
                number.map_or(Color::Reset, |number| Color::Indexed(*number))
            })
        }
        Depth::True => colours.map(|colour| Color::Rgb(colour.0, colour.1, colour.2)),
    }
}

/// The colours of several tracks in the 16 colours of the palette. Few can be read on a
/// light background.
fn tracks_of_sixteen(is_light: bool) -> [Color; TRACKS] {
    use Color::{Blue, Cyan, Green, LightMagenta, LightRed, Magenta, Red, Reset, Yellow};
    if is_light {
        [Blue, Red, Magenta, Reset, Blue, Red]
    } else {
        [LightRed, Cyan, LightMagenta, Yellow, Green, Reset]
    }
}

/// The background of a theme.
fn assumed(theme: ThemeName, background: Background) -> Rgb {
    let is_light = match (theme, background) {
        (ThemeName::Dark, _) => false,
        (ThemeName::Light, _) => true,
        (_, Background::Known(background)) => background.is_light(),
        (_, Background::Light) => true,
        (_, Background::Dark) => false,
    };
    match background {
        Background::Known(background) if background.is_light() == is_light => background,
        _ if is_light => LIGHT,
        _ => DARK,
    }
}

/// The least contrast of a tone with the background.
fn least(tone: Tone) -> f64 {
    match tone {
        Tone::Land => 1.0,
        Tone::Coast => 2.5,
        _ => READABLE,
    }
}

/// The hue of a tone, before it is made readable.
fn hue(tone: Tone, background: Rgb) -> Rgb {
    let is_light = background.is_light();
    let text = if is_light { Rgb::BLACK } else { Rgb::WHITE };
    let (dark, light) = match tone {
        Tone::Dim => return background.mixed(text, 0.5),
        Tone::Land => return background.mixed(text, 0.1),
        Tone::Accent => (0x5fd7ff, 0x005faf),
        Tone::Good => (0x5fd787, 0x1a7f37),
        Tone::Late => (0xffd75f, 0x8a5c00),
        Tone::Overdue => (0xff9f5f, 0xbc4c00),
        Tone::Lost => (0xff6b6b, 0xcf222e),
        Tone::Failed => (0xff6b87, 0xa40e26),
        Tone::Suspect => (0xffb86b, 0x953800),
        Tone::Coast => (0x607084, 0x8c959f),
        Tone::WatchCircle => (0xff5fd7, 0xd01080),
        Tone::Ring => (0xaf87ff, 0x8250df),
        Tone::Cursor => (0x00d7ff, 0x0550ff),
        // On a light background the newest leg is nearly black.
        Tone::Measure if is_light => (0xffffff, 0xa84300),
        Tone::Measure => return text,
    };
    let [_, red, green, blue] = u32::to_be_bytes(if is_light { light } else { dark });
    Rgb(red, green, blue)
}

/// A colour in the colours that the terminal shows; of 16 its own foreground.
fn shown(colour: Rgb, background: Rgb, least: f64, depth: Depth) -> Color {
    match depth {
        Depth::True => Color::Rgb(colour.0, colour.1, colour.2),
        Depth::Indexed => Color::Indexed(nearest_indexed(colour, background, least)),
        Depth::Sixteen => Color::Reset,
    }
}

/// A tone in the 16 colours of the terminal's palette. Which of them can be read on a
/// background is the same in all common palettes; the tests compute it.
fn of_sixteen(tone: Tone, is_light: bool) -> Color {
    let (dark, light) = match tone {
        Tone::Accent | Tone::Cursor => (Color::Cyan, Color::Blue),
        Tone::Good => (Color::Green, Color::Reset),
        Tone::Late | Tone::Suspect => (Color::Yellow, Color::Magenta),
        Tone::WatchCircle => (Color::Yellow, Color::Red),
        Tone::Overdue | Tone::Lost | Tone::Failed => (Color::LightRed, Color::Red),
        Tone::Dim | Tone::Coast | Tone::Land | Tone::Ring | Tone::Measure => {
            (Color::Reset, Color::Reset)
        }
    };
    if is_light { light } else { dark }
}

/// A fraction of the track's colour scale in the 16 colours of the palette.
fn line_of_sixteen(share: f64, is_light: bool) -> Color {
    match (share, is_light) {
        (share, false) if share < 0.34 => Color::LightMagenta,
        (share, true) if share < 0.34 => Color::Magenta,
        (share, false) if share < 0.67 => Color::Cyan,
        (share, true) if share < 0.67 => Color::Blue,
        _ => Color::Reset,
    }
}
