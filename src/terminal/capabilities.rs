//! The capabilities of the terminal, according to the environment.

use crate::dashboard::theme::{Background, Capabilities};
use crate::failure::Failure;
use crate::map::GlyphSet;

/// Terminals that show 24-bit colour, by the beginning of their `TERM`: ssh
/// passes that on, and `COLORTERM` not.
const TRUE_COLOUR: [&str; 6] = [
    "xterm-kitty",
    "xterm-ghostty",
    "alacritty",
    "foot",
    "wezterm",
    "contour",
];

/// The capabilities of the terminal, according to the environment: a reply of
/// the terminal would delay the first frame.
pub(super) fn capabilities(variable: &dyn Fn(&str) -> String) -> Capabilities {
    let term = variable("TERM");
    let true_colour = matches!(variable("COLORTERM").as_str(), "truecolor" | "24bit")
        || term.ends_with("-direct")
        || TRUE_COLOUR.iter().any(|name| term.starts_with(name));
    Capabilities {
        colour: variable("NO_COLOR").is_empty(),
        true_colour,
        indexed: true_colour || term.contains("256color") || cfg!(windows),
        unicode: shows_utf8(variable) && term != "linux",
    }
}

/// The reason that keeps copied text (OSC 52) from the clipboard, and the remedy: a multiplexer
/// that by default does not pass it on to the terminal.
pub(super) fn copy_obstacle() -> Option<Failure> {
    if !variable("TMUX").is_empty() {
        let hint = "tmux passes it on to the terminal only with `set -g set-clipboard on` in ~/.tmux.conf.";
        Some(Failure::other("copied inside tmux").with_hint(hint))
    } else if !variable("STY").is_empty() {
        let hint = "GNU screen does not pass it on to the terminal: start driftline outside of it to copy.";
        Some(Failure::other("copied inside screen").with_hint(hint))
    } else {
        None
    }
}

/// `true` if the terminal may be asked whether it draws pictures: a multiplexer passes none on,
/// and their colours are figures.
pub(super) fn may_draw_pictures(can: Capabilities, variable: &dyn Fn(&str) -> String) -> bool {
    let names = ["TMUX", "STY", "ZELLIJ"];
    let term = variable("TERM");
    let is_multiplexed = names.iter().any(|name| !variable(name).is_empty())
        || ["tmux", "screen"].iter().any(|name| term.starts_with(name));
    can.colour && can.true_colour && can.unicode && !is_multiplexed
}

/// `true` if the terminal is on this computer: on a slow link a picture is late.
pub(super) fn is_near(variable: &dyn Fn(&str) -> String) -> bool {
    let names = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"];
    names.iter().all(|name| variable(name).is_empty())
}

/// The value of a variable; a value that is not text counts as set.
pub(super) fn variable(name: &str) -> String {
    let value = std::env::var_os(name).unwrap_or_default();
    value.to_string_lossy().into_owned()
}

fn shows_utf8(variable: &dyn Fn(&str) -> String) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .map(variable)
        .find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// The background of the terminal by `COLORFGBG`, which some terminals set to the
/// numbers of their colours: `15;0`, `0;default;15`.
pub(super) fn background() -> Background {
    background_in(&variable("COLORFGBG"))
}

fn background_in(colours: &str) -> Background {
    let last = colours.rsplit(';').next().unwrap_or_default();
    match last.parse::<u8>() {
        Ok(7 | 9..=15) => Background::Light,
        _ => Background::Dark,
    }
}

/// `true` if the terminal understands control sequences beyond those of a VT220:
/// a query of its colours, frames that are shown at once.
pub(super) fn takes_more_sequences() -> bool {
    !matches!(variable("TERM").as_str(), "linux" | "dumb" | "")
}

/// The finest glyphs that the terminal is likely to show. Octants are new in
/// Unicode: they are used only in terminals known to draw them without a font.
/// The fonts of the Linux console have no braille, and not all have half blocks.
pub(super) fn glyphs(variable: &dyn Fn(&str) -> String) -> GlyphSet {
    let term = variable("TERM");
    let draws_octants = ["xterm-kitty", "xterm-ghostty"].contains(&term.as_str())
        || variable("TERM_PROGRAM") == "ghostty";
    if !shows_utf8(variable) || term == "linux" {
        GlyphSet::Ascii
    } else if draws_octants {
        GlyphSet::Octant
    } else {
        GlyphSet::Braille
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &'static [(&str, &str)]) -> impl Fn(&str) -> String {
        |name| {
            let mut all = variables.iter();
            let found = all.find(|(variable, _)| *variable == name);
            found.map_or_else(String::new, |(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn the_number_of_colours_follows_term_where_ssh_drops_colorterm() {
        let tiers = |variables| {
            let can = capabilities(&with(variables));
            (can.true_colour, can.indexed)
        };
        assert_eq!(tiers(&[("TERM", "xterm-256color")]), (false, true));
        assert_eq!(tiers(&[("TERM", "tmux-256color")]), (false, true));
        assert_eq!(tiers(&[("TERM", "xterm")]), (false, cfg!(windows)));
        assert_eq!(tiers(&[("TERM", "xterm-direct")]), (true, true));
        assert_eq!(tiers(&[("TERM", "xterm-kitty")]), (true, true));
        assert_eq!(
            tiers(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]),
            (true, true)
        );
    }

    #[test]
    fn the_linux_console_gets_glyphs_that_its_font_has() {
        let linux = with(&[("TERM", "linux"), ("LANG", "C.UTF-8")]);
        assert_eq!(glyphs(&linux), GlyphSet::Ascii);
        assert!(!capabilities(&linux).unicode);
        let xterm = with(&[("TERM", "xterm"), ("LANG", "C.UTF-8")]);
        assert_eq!(glyphs(&xterm), GlyphSet::Braille);
    }

    #[test]
    fn pictures_are_not_asked_for_in_a_multiplexer_nor_taken_over_ssh_by_themselves() {
        let may_be_asked = |variable: &dyn Fn(&str) -> String| {
            may_draw_pictures(Capabilities::default(), variable)
        };
        assert!(may_be_asked(&with(&[("TERM", "xterm-kitty")])));
        for inside in [
            with(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux-0/default,1,0")]),
            with(&[("TERM", "xterm-kitty"), ("STY", "1.pts-0")]),
            // tmux on the computer from which ssh was begun.
            with(&[("TERM", "tmux-256color")]),
            with(&[("TERM", "screen.xterm-256color")]),
        ] {
            assert!(!may_be_asked(&inside));
        }
        assert!(is_near(&with(&[("TERM", "xterm-kitty")])));
        assert!(!is_near(&with(&[(
            "SSH_CONNECTION",
            "10.0.0.1 1 10.0.0.2 22"
        )])));
        assert!(!is_near(&with(&[("SSH_TTY", "/dev/pts/0")])));
    }

    #[test]
    fn the_ground_follows_the_last_number_of_colorfgbg() {
        assert_eq!(background_in("15;0"), Background::Dark);
        assert_eq!(background_in("0;15"), Background::Light);
        assert_eq!(background_in("0;default;15"), Background::Light);
        for unknown in ["", "default", "15;default", "15;-1"] {
            assert_eq!(background_in(unknown), Background::Dark, "{unknown}");
        }
    }
}
