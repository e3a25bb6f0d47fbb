//! The contrast of text, states and tracks on the palettes in common use (WCAG
//! 2.1, relative luminance), as far as the program knows the colours.

use strum::VariantArray;

use crate::dashboard::theme::*;
use crate::palette::{READABLE, Rgb, ThemeName};

/// A terminal's palette: its background, its foreground and its 16 colours.
struct Palette {
    name: &'static str,
    background: u32,
    text: u32,
    colours: [u32; 16],
}

const SOLARIZED: [u32; 16] = [
    0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36,
    0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
];

const PALETTES: [Palette; 8] = [
    // XTerm-col.ad of xterm; its default is black on white.
    Palette {
        name: "xterm",
        background: 0xffffff,
        text: 0x000000,
        colours: [
            0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
            0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
        ],
    },
    // default_red, default_grn and default_blu in drivers/tty/vt/vt.c of Linux.
    Palette {
        name: "Linux console, VGA",
        background: 0x000000,
        text: 0xaaaaaa,
        colours: [
            0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
            0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
        ],
    },
    // The table of values in the README of Solarized.
    Palette {
        name: "Solarized dark",
        background: 0x002b36,
        text: 0x839496,
        colours: SOLARIZED,
    },
    Palette {
        name: "Solarized light",
        background: 0xfdf6e3,
        text: 0x657b83,
        colours: SOLARIZED,
    },
    // The palette "Tango" of GNOME Terminal (terminal-profile-editor).
    Palette {
        name: "GNOME, Tango dark",
        background: 0x2e3436,
        text: 0xd3d7cf,
        colours: [
            0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf,
            0x555753, 0xef2929, 0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
        ],
    },
    // The default profile of iTerm2 on macOS.
    Palette {
        name: "iTerm2, macOS",
        background: 0x000000,
        text: 0xc7c7c7,
        colours: [
            0x000000, 0xc91b00, 0x00c200, 0xc7c400, 0x0225c7, 0xc930c7, 0x00c5c7, 0xc7c7c7,
            0x676767, 0xff6d67, 0x5ff967, 0xfefb67, 0x6871ff, 0xff76ff, 0x5ffdff, 0xfffefe,
        ],
    },
    // The table of colours in the wiki of Gruvbox.
    Palette {
        name: "Gruvbox dark",
        background: 0x282828,
        text: 0xebdbb2,
        colours: [
            0x282828, 0xcc241d, 0x98971a, 0xd79921, 0x458588, 0xb16286, 0x689d6a, 0xa89984,
            0x928374, 0xfb4934, 0xb8bb26, 0xfabd2f, 0x83a598, 0xd3869b, 0x8ec07c, 0xebdbb2,
        ],
    },
    // The scheme "Campbell" in the defaults of Windows Terminal.
    Palette {
        name: "Campbell",
        background: 0x0c0c0c,
        text: 0xcccccc,
        colours: [
            0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
            0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
        ],
    },
];

fn rgb(number: u32) -> Rgb {
    let [_, red, green, blue] = number.to_be_bytes();
    Rgb(red, green, blue)
}

impl Palette {
    fn background(&self) -> Rgb {
        rgb(self.background)
    }

    /// The background as `COLORFGBG` tells it.
    fn guess(&self) -> Background {
        if self.background().is_light() {
            Background::Light
        } else {
            Background::Dark
        }
    }

    fn colour(&self, colour: Color) -> Rgb {
        const ORDER: [Color; 16] = [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ];
        match colour {
            Color::Rgb(red, green, blue) => Rgb(red, green, blue),
            Color::Indexed(index) => crate::palette::of_index(index).unwrap(),
            Color::Reset => rgb(self.text),
            named => {
                let place = ORDER.iter().position(|one| *one == named).unwrap();
                rgb(self.colours[place])
            }
        }
    }
}

fn can(true_colour: bool, indexed: bool) -> Capabilities {
    Capabilities {
        true_colour,
        indexed,
        ..Capabilities::default()
    }
}

/// The tones that are read: all but those of the ground of the map.
fn read_tones() -> impl Iterator<Item = Tone> {
    let others = [Tone::Coast, Tone::Land];
    let tones = Tone::VARIANTS.iter().copied();
    tones.filter(move |tone| !others.contains(tone))
}

/// The lines over a track.
const OVERLAYS: [Tone; 4] = [Tone::WatchCircle, Tone::Ring, Tone::Measure, Tone::Cursor];

/// Every theme that suits the palette's background.
fn themes(palette: &Palette) -> [ThemeName; 2] {
    let fixed = if palette.background().is_light() {
        ThemeName::Light
    } else {
        ThemeName::Dark
    };
    [ThemeName::Auto, fixed]
}

#[test]
fn text_and_states_can_be_read_on_every_palette_in_256_and_24_bit_colours() {
    for palette in &PALETTES {
        for name in themes(palette) {
            for (background, tier) in [
                (Background::Known(palette.background()), can(true, true)),
                (Background::Known(palette.background()), can(false, true)),
                (palette.guess(), can(true, true)),
                (palette.guess(), can(false, true)),
            ] {
                let theme = Theme::named(tier, name, background);
                for tone in read_tones() {
                    let colour = theme.tone(tone).fg.unwrap();
                    let contrast = palette.colour(colour).contrast(palette.background());
                    assert!(
                        contrast >= READABLE,
                        "{} {name:?} {background:?} {tier:?}: {tone:?} has {contrast:.2}",
                        palette.name
                    );
                }
                assert_ne!(theme.dim().fg, Some(Color::DarkGray));
            }
        }
    }
}

#[test]
fn the_states_can_be_read_in_the_row_under_the_cursor_which_differs_from_the_others() {
    const STATES: [Tone; 4] = [Tone::Good, Tone::Late, Tone::Overdue, Tone::Lost];
    for palette in &PALETTES {
        for name in themes(palette) {
            let background = Background::Known(palette.background());
            for tier in [can(true, true), can(false, true)] {
                let theme = Theme::named(tier, name, background);
                let row = palette.colour(theme.row_background().unwrap());
                assert_ne!(row, palette.background(), "{} {tier:?}", palette.name);
                for tone in STATES {
                    let colour = palette.colour(theme.tone(tone).fg.unwrap());
                    let contrast = colour.contrast(row);
                    assert!(
                        contrast >= 3.0,
                        "{} {name:?} {tier:?}: {tone:?} has {contrast:.2}",
                        palette.name
                    );
                }
            }
        }
    }
    // On a background that is guessed, reverse video can be read.
    for background in [Background::Dark, Background::Light] {
        let guessed = Theme::named(can(true, true), ThemeName::Auto, background);
        assert_eq!(guessed.row_background(), None);
    }
    let black = Background::Known(Rgb::BLACK);
    let sixteen = Theme::named(can(false, false), ThemeName::Auto, black);
    assert_eq!(sixteen.row_background(), None);
}

#[test]
fn a_track_can_be_seen_on_every_palette_and_its_newest_leg_best() {
    for palette in &PALETTES {
        for name in themes(palette) {
            for (tier, background) in [
                (can(true, true), Background::Known(palette.background())),
                (can(false, true), Background::Known(palette.background())),
                (can(true, true), palette.guess()),
                (can(false, true), palette.guess()),
            ] {
                let theme = Theme::named(tier, name, background);
                let contrast = |share: f64| {
                    let colour = theme.line(share).fg.unwrap();
                    palette.colour(colour).contrast(palette.background())
                };
                let case = format!("{} {name:?} {tier:?} {background:?}", palette.name);
                assert!(contrast(0.0) >= 2.0, "{case}: old {}", contrast(0.0));
                assert!(contrast(0.5) >= 2.5, "{case}: middle {}", contrast(0.5));
                assert!(contrast(1.0) >= 3.0, "{case}: new {}", contrast(1.0));
                assert!(contrast(1.0) > contrast(0.5), "{case}");
            }
        }
    }
}

#[test]
fn with_256_colours_a_track_has_at_least_16_of_them() {
    for background in [Rgb(0x10, 0x14, 0x1c), Rgb::WHITE] {
        let background = Background::Known(background);
        let theme = Theme::named(can(false, true), ThemeName::Auto, background);
        let colours: std::collections::HashSet<_> = (0..64u8)
            .filter_map(|step| theme.line(f64::from(step) / 63.0).fg)
            .collect();
        assert!(colours.len() >= 16, "{background:?}: {}", colours.len());
    }
}

#[test]
fn of_16_colours_only_those_are_used_that_can_be_read_on_every_palette() {
    for palette in &PALETTES {
        let theme = Theme::named(can(false, false), ThemeName::Auto, palette.guess());
        let styles = read_tones()
            .map(|tone| (format!("{tone:?}"), theme.tone(tone)))
            .chain([0.0, 0.5, 1.0].map(|share| (format!("line {share}"), theme.line(share))));
        for (what, style) in styles {
            let colour = style.fg.unwrap();
            let contrast = palette.colour(colour).contrast(palette.background());
            assert!(
                contrast >= 3.0,
                "{}: {what} has {contrast:.2}",
                palette.name
            );
        }
    }
}

#[test]
fn of_16_colours_dim_text_is_the_terminals_own_and_never_colour_8() {
    for background in [Background::Dark, Background::Light] {
        let theme = Theme::named(can(false, false), ThemeName::Auto, background);
        assert_eq!(theme.dim(), Style::new().add_modifier(Modifier::DIM));
        assert_eq!(theme.coast(), Style::new().add_modifier(Modifier::DIM));
        for tone in read_tones() {
            assert_ne!(theme.tone(tone).fg, Some(Color::DarkGray), "{tone:?}");
        }
    }
}

#[test]
fn circle_rings_measurement_and_cursor_differ_from_each_other_and_from_the_newest_leg() {
    for background in [Background::Dark, Background::Light] {
        for tier in [can(true, true), can(false, true)] {
            let theme = Theme::named(tier, ThemeName::Auto, background);
            let mut colours: Vec<_> = OVERLAYS.iter().map(|tone| theme.tone(*tone).fg).collect();
            colours.push(theme.line(1.0).fg);
            let different: std::collections::HashSet<_> = colours.iter().collect();
            assert_eq!(
                different.len(),
                colours.len(),
                "{background:?} {tier:?}: {colours:?}"
            );
        }
        let theme = Theme::named(can(false, false), ThemeName::Auto, background);
        let circle = theme.watch_circle();
        let others = [
            theme.line(1.0),
            theme.cursor(),
            theme.ring(),
            theme.measure(),
        ];
        assert!(
            others.iter().all(|other| other.fg != circle.fg),
            "{background:?}"
        );
        assert_ne!(theme.ring(), theme.measure());
        assert_ne!(theme.cursor().fg, theme.measure().fg);
    }
}

#[test]
fn without_colour_no_style_has_one() {
    let can = Capabilities {
        colour: false,
        ..Capabilities::default()
    };
    let theme = Theme::named(can, ThemeName::Auto, Background::Known(Rgb::WHITE));
    let styles = [
        theme.dim(),
        theme.coast(),
        theme.bad(),
        theme.line(0.5),
        theme.cursor(),
        theme.ring(),
    ];
    assert!(styles.iter().all(|style| style.fg.is_none()));
}
