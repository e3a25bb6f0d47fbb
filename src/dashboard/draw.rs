//! A frame: the panes, and the dialog on top over them.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::Dashboard;
use super::dialogs::Dialog;
use crate::app::footer::{Footer, FooterOwner, pane_keys};
use crate::ui::{self, Memory, Theme, ascii};

/// Draws the whole screen on a blank buffer; returns where the cursor is, `None` where
/// it is hidden.
pub(crate) fn draw(
    buffer: &mut Buffer,
    dashboard: &Dashboard,
    theme: Theme,
    memory: &mut Memory,
) -> Option<Position> {
    let model = &dashboard.model;
    let dialog = dashboard.dialogs.last();
    let footer = match dialog {
        None => Footer {
            keys: pane_keys(model),
            owner: FooterOwner::Pane,
        },
        Some(dialog) => Footer {
            keys: dialog.footer(model),
            owner: match dialog {
                Dialog::Message(_) => FooterOwner::Message,
                _ => FooterOwner::Dialog,
            },
        },
    };
    let has_room = ui::draw(buffer, model, footer, theme, memory);
    let dialog = dialog.filter(|_| has_room);
    let cursor = dialog.and_then(|top| top.draw(buffer, model, theme, &mut memory.targets));
    if !theme.can.unicode {
        ascii::only_ascii(buffer);
    }
    cursor
}
