//! Colours and symbols. The colours follow the settings, the terminal's background and
//! its number of colours. A symbol or a word always says the same as the colour.

mod colours;

#[cfg(test)]
mod tests;

use ratatui::style::{Color, Modifier, Style};

pub(crate) use colours::Background;

use crate::palette::{Rgb, ThemeName, Tone};
use crate::plant::log::Outcome;
use crate::track::{Flag, State};
use colours::{STEPS, Shades};

/// The capabilities of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// `true` if colour may be used at all (`NO_COLOR`).
    pub colour: bool,
    /// `true` if 24-bit colour is shown.
    pub true_colour: bool,
    /// `true` if 256 colours are shown.
    pub indexed: bool,
    /// `true` if more than ASCII is shown.
    pub unicode: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            colour: true,
            true_colour: true,
            indexed: true,
            unicode: true,
        }
    }
}

/// The styles of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    /// The capabilities of the terminal.
    pub can: Capabilities,
    shades: Shades,
}

impl Default for Theme {
    fn default() -> Self {
        Self::new(Capabilities::default())
    }
}

/// The step of a colour scale at a fraction of it, 0 to 1.
fn step(share: f64) -> usize {
    let index = (share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round();
    index as usize
}

impl Theme {
    /// The usual theme for a terminal.
    pub(crate) fn new(can: Capabilities) -> Self {
        Self::named(can, ThemeName::default(), Background::default())
    }

    /// The theme of the settings for a terminal and its background.
    pub(crate) fn named(can: Capabilities, theme: ThemeName, background: Background) -> Self {
        Self {
            can,
            shades: Shades::new(can, theme, background),
        }
    }

    /// Style in the colour of a tone.
    pub(crate) fn tone(self, tone: Tone) -> Style {
        self.coloured(self.shades.tone(tone))
    }

    /// Style in a colour, where the terminal may have any.
    fn coloured(self, colour: Color) -> Style {
        if self.can.colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    /// Style of plain text.
    pub(crate) fn text(self) -> Style {
        Style::new()
    }

    /// Style of secondary text.
    pub(crate) fn dim(self) -> Style {
        if self.can.colour && self.shades.tone(Tone::Dim) != Color::Reset {
            self.tone(Tone::Dim)
        } else {
            // Never colour 8 of 16: in some palettes it is the background.
            Style::new().add_modifier(Modifier::DIM)
        }
    }

    /// Style of the coast, fainter than everything else.
    pub(crate) fn coast(self) -> Style {
        self.coloured_or_dim(self.shades.tone(Tone::Coast))
    }

    /// Style in a colour, or of secondary text if that is the terminal's own.
    fn coloured_or_dim(self, colour: Color) -> Style {
        match colour {
            Color::Reset => self.dim(),
            colour => self.coloured(colour),
        }
    }

    /// Style of the graticule and of the lines of a chart, fainter than the coast.
    pub(crate) fn graticule(self) -> Style {
        self.coloured_or_dim(self.shades.graticule)
    }

    /// Background of land on a map, a shade of the background; `None` on a terminal with
    /// too few colours.
    pub(crate) fn land(self) -> Option<Color> {
        let land = self.shades.tone(Tone::Land);
        (self.can.colour && land != Color::Reset).then_some(land)
    }

    /// The colour of a style in figures; that of plain text is black or white.
    pub(crate) fn rgb(self, style: Style) -> Rgb {
        self.shades.rgb(style.fg.unwrap_or(Color::Reset))
    }

    /// Style of the watch circle, unlike that of the newest leg of a track.
    pub(crate) fn watch_circle(self) -> Style {
        self.tone(Tone::WatchCircle)
    }

    /// Style of range rings.
    pub(crate) fn ring(self) -> Style {
        self.coloured_or_dim(self.shades.tone(Tone::Ring))
    }

    /// Style of the line of a measurement.
    pub(crate) fn measure(self) -> Style {
        self.tone(Tone::Measure)
    }

    /// Style of the cursor's symbol on the map.
    pub(crate) fn cursor(self) -> Style {
        self.tone(Tone::Cursor).add_modifier(Modifier::BOLD)
    }

    /// Style at a fraction of a track's colour scale, 0 (old) to 1 (new).
    pub(crate) fn line(self, share: f64) -> Style {
        self.coloured(self.shades.line(step(share)))
    }

    /// Style of a track by its index among several on one map.
    pub(crate) fn track(self, mark: usize) -> Style {
        self.coloured(self.shades.track(mark))
    }

    /// Style at a fraction of the colour scale of a profile, 0 (low) to 1 (high): low is
    /// dark on any background, unlike a line, which must be visible on it.
    pub(crate) fn fill(self, share: f64) -> Style {
        self.coloured(self.shades.fill(step(share)))
    }

    /// Style of what has the focus, or is chosen. Nothing else has its colour.
    pub(crate) fn accent(self) -> Style {
        self.tone(Tone::Accent)
    }

    /// Style of a heading, a name or a key.
    pub(crate) fn heading(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Style of what a search has found.
    pub(crate) fn found(self) -> Style {
        self.heading().add_modifier(Modifier::UNDERLINED)
    }

    /// Background of the selected row, whose colours stay; `None` if it is in reverse
    /// video instead.
    pub(crate) fn row_background(self) -> Option<Color> {
        let background = self.shades.row;
        (self.can.colour && background != Color::Reset).then_some(background)
    }

    /// Style of the selected row or tab.
    pub(crate) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Style of a good state.
    pub(crate) fn good(self) -> Style {
        self.tone(Tone::Good)
    }

    /// Style of a warning.
    pub(crate) fn warning(self) -> Style {
        self.tone(Tone::Late)
    }

    /// Style of a bad state.
    pub(crate) fn bad(self) -> Style {
        self.tone(Tone::Lost).add_modifier(Modifier::BOLD)
    }

    /// Symbol and style of a reporting status.
    pub(crate) fn state(self, state: State) -> (&'static str, Style) {
        let (mark, ascii, style) = match state {
            State::OnTime => ("●", "+", self.good()),
            State::Late => ("◐", "~", self.warning()),
            State::Overdue => (
                "▲",
                "!",
                self.tone(Tone::Overdue).add_modifier(Modifier::BOLD),
            ),
            State::Lost => ("✖", "X", self.bad()),
            State::Unknown => ("○", "u", self.dim()),
            State::Recovered => ("■", "r", self.dim()),
            State::DeclaredLost => ("□", "-", self.dim()),
            State::Ended => ("▣", "e", self.dim()),
            State::Read => ("▤", "f", self.text()),
        };
        (if self.can.unicode { mark } else { ascii }, style)
    }

    /// Symbol and style of a flag.
    pub(crate) fn flag(self, flag: Flag) -> (&'static str, Style) {
        let (mark, ascii, style) = match flag {
            Flag::Pass => (" ", " ", self.text()),
            Flag::NotEvaluated => ("·", ".", self.dim()),
            Flag::Suspect => ("?", "?", self.tone(Tone::Suspect)),
            Flag::Fail => (
                "✗",
                "x",
                self.tone(Tone::Failed).add_modifier(Modifier::BOLD),
            ),
            Flag::Missing => ("–", "-", self.dim()),
        };
        (if self.can.unicode { mark } else { ascii }, style)
    }

    /// Symbol and style of a deployment whose last refresh failed.
    pub(crate) fn refresh_failed(self) -> (&'static str, Style) {
        (self.glyph("✗", "x"), self.bad())
    }

    /// Symbol and style of the outcome of a create or delete.
    pub(crate) fn outcome(self, outcome: Outcome) -> (&'static str, Style) {
        let (mark, ascii, style) = match outcome {
            Outcome::Done => ("✓", "+", self.good()),
            Outcome::Sending => ("…", "~", self.warning()),
            Outcome::Unknown => ("?", "?", self.warning()),
            Outcome::Refused => ("✗", "x", self.bad()),
        };
        (if self.can.unicode { mark } else { ascii }, style)
    }

    /// The mark of the column that a table is sorted by: down where the greatest
    /// value comes first.
    pub(crate) fn sort_arrow(self, descending: bool) -> &'static str {
        if descending {
            self.glyph("▾", "v")
        } else {
            self.glyph("▴", "^")
        }
    }

    /// `fancy` where the terminal shows more than ASCII, else `plain`.
    pub(crate) fn glyph(self, fancy: &'static str, plain: &'static str) -> &'static str {
        if self.can.unicode { fancy } else { plain }
    }
}
