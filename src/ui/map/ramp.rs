//! The colour scale of a track in the colours that the terminal shows.

use ratatui::style::{Color, Style};

use crate::chart::scale_colour;
use crate::ui::theme::Theme;

/// The colour at a fraction of the colour scale, 0 to 1; no colour where the
/// terminal has none.
pub(in crate::ui) fn ramp(share: f64, theme: Theme) -> Style {
    if !theme.can.colour {
        return Style::new();
    }
    if !theme.can.true_colour {
        let colour = match share {
            s if s < 0.34 => Color::Blue,
            s if s < 0.67 => Color::Cyan,
            _ => Color::Green,
        };
        return Style::new().fg(colour);
    }
    let (red, green, blue) = scale_colour(share);
    Style::new().fg(Color::Rgb(red, green, blue))
}
