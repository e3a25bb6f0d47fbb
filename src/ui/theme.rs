//! Colours and symbols. Meaning uses only the sixteen terminal colours, so that
//! a light background and the user's own palette stay readable. A symbol or a
//! word always says the same as the colour.

use ratatui::style::{Color, Modifier, Style};

use crate::chart::scale_colour;
use crate::plant::ledger::Outcome;
use crate::track::{Flag, State};

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Whether colour may be used at all (`NO_COLOR`).
    pub colour: bool,
    /// Whether 24-bit colour is shown.
    pub true_colour: bool,
    /// Whether more than ASCII is shown.
    pub unicode: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            colour: true,
            true_colour: true,
            unicode: true,
        }
    }
}

/// The styles of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Theme {
    /// What the terminal can show.
    pub can: Capabilities,
}

impl Theme {
    /// A theme for what the terminal can show.
    pub(crate) fn new(can: Capabilities) -> Self {
        Self { can }
    }

    fn paint(self, colour: Color) -> Style {
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
        if self.can.colour {
            self.paint(Color::DarkGray)
        } else {
            Style::new().add_modifier(Modifier::DIM)
        }
    }

    /// Style of the coast, fainter than everything else.
    pub(crate) fn coast(self) -> Style {
        if self.can.true_colour {
            self.paint(Color::Rgb(96, 112, 132))
        } else {
            self.dim()
        }
    }

    /// Background of land on a map, a shade of a dark ground; `None` where the
    /// terminal has too few colours for a shade.
    pub(crate) fn land(self) -> Option<Color> {
        (self.can.colour && self.can.true_colour).then_some(Color::Rgb(34, 41, 50))
    }

    /// Style of the watch circle, unlike that of the newest leg of a track.
    pub(crate) fn watch_circle(self) -> Style {
        self.paint(Color::Magenta)
    }

    /// Style of a range ring.
    pub(crate) fn ring(self) -> Style {
        self.dim()
    }

    /// Style of a measurement on a map.
    pub(crate) fn measure(self) -> Style {
        self.text().add_modifier(Modifier::BOLD)
    }

    /// Style of the cursor on a map.
    pub(crate) fn cursor(self) -> Style {
        self.accent().add_modifier(Modifier::BOLD)
    }

    /// Style of a track's line at a fraction of the colour scale, 0 to 1; no
    /// colour where the terminal has none.
    pub(crate) fn line(self, share: f64) -> Style {
        if !self.can.true_colour {
            return self.paint(match share {
                s if s < 0.34 => Color::Blue,
                s if s < 0.67 => Color::Cyan,
                _ => Color::Green,
            });
        }
        let (red, green, blue) = scale_colour(share);
        self.paint(Color::Rgb(red, green, blue))
    }

    /// Style of highlighted text.
    pub(crate) fn accent(self) -> Style {
        self.paint(Color::Cyan)
    }

    /// Style of a heading.
    pub(crate) fn heading(self) -> Style {
        self.accent().add_modifier(Modifier::BOLD)
    }

    /// Style of the selected row or tab.
    pub(crate) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Style of a good state.
    pub(crate) fn good(self) -> Style {
        self.paint(Color::Green)
    }

    /// Style of a warning.
    pub(crate) fn warning(self) -> Style {
        self.paint(Color::Yellow)
    }

    /// Style of a bad state.
    pub(crate) fn bad(self) -> Style {
        self.paint(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Symbol and style of a reporting status.
    pub(crate) fn state(self, state: State) -> (&'static str, Style) {
        let (mark, ascii, style) = match state {
            State::OnTime => ("●", "+", self.good()),
            State::Late => ("◐", "~", self.warning()),
            State::Overdue => ("▲", "!", self.bad()),
            State::Lost => ("✖", "x", self.bad()),
            State::Unknown => ("○", "?", self.dim()),
            State::Recovered => ("■", "#", self.dim()),
            State::DeclaredLost => ("□", "-", self.dim()),
        };
        (if self.can.unicode { mark } else { ascii }, style)
    }

    /// Symbol and style of a flag.
    pub(crate) fn flag(self, flag: Flag) -> (&'static str, Style) {
        let (mark, ascii, style) = match flag {
            Flag::Pass => (" ", " ", self.text()),
            Flag::NotEvaluated => ("·", ".", self.dim()),
            Flag::Suspect => ("?", "?", self.warning()),
            Flag::Fail => ("✗", "x", self.bad()),
            Flag::Missing => ("–", "-", self.dim()),
        };
        (if self.can.unicode { mark } else { ascii }, style)
    }

    /// Symbol and style of the outcome of a create or delete.
    pub(crate) fn outcome(self, outcome: Outcome) -> (&'static str, Style) {
        let (mark, ascii, style) = match outcome {
            Outcome::Done => ("✓", "+", self.good()),
            Outcome::Pending => ("…", "~", self.warning()),
            Outcome::Unknown => ("?", "?", self.warning()),
            Outcome::Refused | Outcome::NotSent => ("✗", "x", self.bad()),
            Outcome::Gone => ("○", "o", self.dim()),
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
