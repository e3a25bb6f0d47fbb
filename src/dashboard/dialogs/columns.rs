//! Columns of a table to choose and to order.

use ratatui::layout::Position;

use super::chooser::{letter_step, position, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::columns::{Columns, entry};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::message;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table_state::{Step, TableState};

/// The dialog. Every change shows at once in the table below it.
#[derive(Debug, Clone)]
pub(crate) struct ColumnsForm {
    /// The tab of the table.
    pub tab: TabId,
    /// All columns: the shown ones in their order, then the hidden ones.
    pub rows: Vec<ColumnRow>,
    /// The names of all, in their usual order.
    names: Vec<&'static str>,
    /// The chosen row and the visible ones.
    pub table: TableState,
    /// Why the last key changed nothing; empty if it did.
    pub error: &'static str,
    /// The columns at the opening, which Esc restores.
    before: Vec<&'static str>,
    /// The columns that have room in the frame that is drawn; empty if that is not known.
    has_room: Vec<&'static str>,
}

/// A column of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnRow {
    pub name: &'static str,
    /// `true` if it is shown.
    pub is_shown: bool,
}

impl ColumnsForm {
    pub(in crate::dashboard) fn new(tab: TabId, columns: &Columns) -> Self {
        let shown = columns.shown(tab);
        let mut form = Self {
            tab,
            rows: Vec::new(),
            names: columns.names(tab).to_vec(),
            table: TableState::default(),
            error: "",
            before: shown.to_vec(),
            has_room: Vec::new(),
        };
        form.set(shown);
        form
    }

    /// Shows these columns and hides all others.
    fn set(&mut self, shown: &[&'static str]) {
        let row = |name, is_shown| ColumnRow { name, is_shown };
        let hidden = (self.names.iter())
            .filter(|name| !shown.contains(name))
            .map(|name| row(*name, false));
        let shown = shown.iter().map(|name| row(*name, true));
        self.rows = shown.chain(hidden).collect();
    }

    /// The columns that are shown, in their order.
    fn shown_columns(&self) -> Vec<&'static str> {
        let shown = self.rows.iter().filter(|row| row.is_shown);
        shown.map(|row| row.name).collect()
    }

    /// Shows the chosen column, or hides it. The last one stays.
    fn toggle(&mut self) {
        let shown = self.rows.iter().filter(|row| row.is_shown).count();
        let Some(row) = self.rows.get_mut(self.table.cursor) else {
            return;
        };
        if row.is_shown && shown == 1 {
            self.error = "at least one column is needed";
            return;
        }
        row.is_shown = !row.is_shown;
    }

    /// Moves the chosen column one row, down positive; the cursor goes with it.
    fn shift(&mut self, by: isize, height: usize) {
        let from = self.table.cursor;
        let to = from.saturating_add_signed(by);
        if to < self.rows.len() && from < self.rows.len() {
            self.rows.swap(from, to);
            self.table.go(to, self.rows.len(), height);
        }
    }
}

impl Component for ColumnsForm {
    fn labels(&self) -> Labels {
        Labels::new(
            "Columns",
            &[
                ("Space", "show or hide"),
                ("J K", "move"),
                ("w", "write"),
                ("Enter", "set"),
                ("0", "usual"),
                ("Esc", "cancel"),
            ],
        )
    }

    fn about(&self) -> &str {
        self.tab.title()
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        self.error = "";
        if let Some(step) = letter_step(key) {
            self.step(step, shell);
            return Outcome::Stay;
        }
        match key.code {
            KeyCode::Enter => {
                let table = self.tab.title();
                if self.shown_columns() != self.before {
                    shell
                        .shared
                        .notify(format!("columns of {table} set for this session"));
                }
                return Outcome::Close;
            }
            KeyCode::Char('w') => {
                let (name, columns) = entry(self.tab, &self.shown_columns());
                // The columns in the file also stay on the screen.
                self.before = self.shown_columns();
                shell
                    .shared
                    .write_into_settings(Some("columns"), name, columns);
            }
            KeyCode::Char(' ') => self.toggle(),
            KeyCode::Char('J') => self.shift(1, shell.shared.dialog_rows()),
            KeyCode::Char('K') => self.shift(-1, shell.shared.dialog_rows()),
            KeyCode::Char('0') => self.set(&self.names.clone()),
            _ => {}
        }
        let columns = &mut shell.shared.screen.columns;
        columns.show(self.tab, self.shown_columns());
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        for (row, is_chosen) in visible(&self.rows, self.table, shell.shared.dialog_rows()) {
            let has_room = self.has_room.is_empty() || self.has_room.contains(&row.name);
            let (mark, style, note) = match (row.is_shown, has_room) {
                (true, true) => ("[x] ", theme.text(), ""),
                (true, false) => ("[~] ", theme.text(), "  not on the screen"),
                (false, _) => ("[ ] ", theme.dim(), ""),
            };
            sheet.line(&[(mark, style), (row.name, style), (note, theme.dim())]);
            if is_chosen {
                sheet.choose();
            }
        }
        if !self.error.is_empty() {
            sheet.paragraph(0, self.error, theme.bad());
            return;
        }
        // The dialog may cover messages.
        if let Some(notice) = shell.shared.message_of_action() {
            sheet.paragraph(0, &notice.text, message::style(notice, theme));
            return;
        }
        let kept = "For this session; w writes them into the settings file.";
        sheet.paragraph(0, kept, theme.dim());
    }

    /// Which columns have room is known after the table is drawn.
    fn draw(&self, canvas: &mut Canvas<'_>, shell: &Shell) -> Option<Position> {
        let known = Self {
            has_room: canvas.memory.targets.columns.clone(),
            ..self.clone()
        };
        known.draw_framed(canvas, shell)
    }

    fn position(&self, shell: &Shell) -> String {
        position(self.table, self.rows.len(), shell.shared.dialog_rows())
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        self.table
            .step(step, self.rows.len(), shell.shared.dialog_rows());
    }

    /// The columns at the opening come back.
    fn dismissed(&mut self, shell: &mut Shell) {
        let columns = &mut shell.shared.screen.columns;
        columns.show(self.tab, std::mem::take(&mut self.before));
    }
}
