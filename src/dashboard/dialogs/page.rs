//! A page: rows that are read, page by page where they do not fit.

use ratatui::style::Style;

use super::Outcome;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};

/// The page that is shown. After the last one comes the first: how many there are
/// depends on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Page {
    /// Pages turned on.
    pub turned: isize,
}

/// A row: a label, words behind it, and their style.
pub(super) struct PageRow {
    pub label: String,
    pub words: String,
    pub style: Style,
}

/// The rows of all pages.
pub(super) struct PageRows {
    pub rows: Vec<PageRow>,
    /// Cells of the labels.
    pub labels: u16,
    /// Rows of a page.
    pub height: usize,
}

impl Page {
    /// Turns the page.
    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        match key.code {
            KeyCode::Down | KeyCode::PageDown | KeyCode::Char(' ' | 'j') => self.turned += 1,
            KeyCode::Up | KeyCode::PageUp | KeyCode::Char('k') => self.turned -= 1,
            KeyCode::Enter | KeyCode::Char('q' | 'i') => return Outcome::close(),
            _ => {}
        }
        Outcome::stay()
    }

    /// Adds the rows of the page.
    pub(super) fn lines(self, sheet: &mut Sheet, all: &PageRows, theme: Theme) {
        let pages = all.rows.len().div_ceil(all.height).max(1);
        let count = isize::try_from(pages).unwrap_or(1);
        let page = usize::try_from(self.turned.rem_euclid(count)).unwrap_or(0);
        let widest = all.rows.iter().map(|row| cells(&row.words)).max();
        sheet.want(all.labels + widest.unwrap_or(0));
        let above = sheet.height();
        for row in all.rows.iter().skip(page * all.height).take(all.height) {
            sheet.line(&[(&row.label, theme.dim())]);
            sheet.at(all.labels, &row.words, row.style);
        }
        if pages > 1 {
            // The frame keeps its height from page to page.
            sheet.cut_or_fill(above + u16::try_from(all.height).unwrap_or(u16::MAX));
            let words = format!("page {} of {pages}", page + 1);
            sheet.line(&[(&words, theme.dim())]);
        }
    }
}
