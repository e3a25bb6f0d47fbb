//! What the terminal can show, according to the environment.

use crate::chart::GlyphSet;
use crate::failure::{Failure, FailureKind};
use crate::ui::Capabilities;

/// What the terminal can show, according to the environment: a query to the
/// terminal would delay the first frame.
pub(super) fn from_environment() -> Capabilities {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let true_colour = matches!(variable("COLORTERM").as_str(), "truecolor" | "24bit");
    Capabilities {
        colour: !no_colour,
        true_colour,
        unicode: shows_utf8() && variable("TERM") != "linux",
    }
}

/// What keeps copied text (OSC 52) from the clipboard, and what to set: a
/// program around this one that by default does not pass it on to the terminal.
pub(super) fn copy_obstacle() -> Option<Failure> {
    let (words, hint) = if !variable("TMUX").is_empty() {
        (
            "copied inside tmux",
            "tmux passes it on to the terminal only with `set -g set-clipboard on` in ~/.tmux.conf.",
        )
    } else if !variable("STY").is_empty() {
        (
            "copied inside screen",
            "GNU screen does not pass it on to the terminal: start driftline outside of it to copy.",
        )
    } else {
        return None;
    };
    Some(Failure::new(FailureKind::Other, words, hint))
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn shows_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .map(variable)
        .find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// The finest glyphs that the terminal is likely to show. Octants are new in
/// Unicode: they are used only in terminals known to draw them without a font.
/// The Linux console has no braille, but has half blocks.
pub(super) fn best_glyphs() -> GlyphSet {
    let term = variable("TERM");
    let draws_octants = ["xterm-kitty", "xterm-ghostty"].contains(&term.as_str())
        || variable("TERM_PROGRAM") == "ghostty";
    if !shows_utf8() {
        GlyphSet::Ascii
    } else if term == "linux" {
        GlyphSet::HalfBlock
    } else if draws_octants {
        GlyphSet::Octant
    } else {
        GlyphSet::Braille
    }
}
