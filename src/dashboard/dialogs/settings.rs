//! The settings: all to read, and some to choose.

use super::chooser::{letter_step, position, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::message;
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::{Step, TableState, cyclic};
use crate::settings::{Setting, SettingRow, Source};
use crate::text;

/// Lines for the full value below the list, and for its options.
const WHOLE: u16 = 3;

/// The list of the settings.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SettingsList {
    /// The chosen row and the visible ones.
    pub table: TableState,
}

impl Component for SettingsList {
    fn labels(&self) -> Labels {
        Labels::new(
            "Settings",
            &[
                ("Left Right", "change"),
                ("w", "write"),
                ("Up Down", "choose"),
                ("Esc", "close"),
            ],
        )
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        if let Some(step) = letter_step(key) {
            self.step(step, shell);
            return Outcome::Stay;
        }
        let by = match key.code {
            KeyCode::Enter | KeyCode::Char('q') | KeyCode::F(2) => return Outcome::Close,
            KeyCode::Right | KeyCode::Char('l' | ' ') => Some(1),
            KeyCode::Left | KeyCode::Char('h') => Some(-1),
            KeyCode::Char('w') => None,
            _ => return Outcome::Stay,
        };
        let Some(row) = shell.setting_rows().into_iter().nth(self.table.cursor) else {
            return Outcome::Stay;
        };
        let now = row.options.iter().position(|option| *option == row.value);
        match (by, Setting::named(&row.name)) {
            _ if row.options.is_empty() => {
                let words = format!("{} cannot be changed here", row.name);
                shell.shared.notify(words);
            }
            // It applies at once, for this session.
            (Some(by), _) => {
                let next = now.map_or(0, |now| cyclic(now, by, row.options.len()));
                if let Some(value) = row.options.get(next) {
                    shell.set(&row.name, value);
                }
            }
            (None, Some(setting)) => {
                let value = setting.toml(&row.value);
                shell.shared.write_into_settings(None, row.name, value);
            }
            (None, None) => {}
        }
        Outcome::Stay
    }

    /// The settings with their values and sources; below them the selected one in full,
    /// with its options.
    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let path = shell.shared.settings.config.as_ref();
        let name = path.map(|file| text::clean(&file.display().to_string()).into_owned());
        let label = "file ";
        let room = usize::from(sheet.width_after(label));
        let file = name.map_or_else(|| "none".to_owned(), |file| text::fit_ends(&file, room));
        sheet.line(&[(label, theme.dim()), (&file, theme.text())]);
        let rows = shell.setting_rows();
        let widest = |part: fn(&SettingRow) -> &str| {
            let widths = rows.iter().map(|row| cells(part(row)));
            widths.max().unwrap_or(0)
        };
        let label = |row: &SettingRow| cells(&Setting::label_by_name(&row.name));
        let longest = rows.iter().map(label).max().unwrap_or(0);
        let labels = longest.min(sheet.width() * 2 / 5);
        // The frame keeps its width whatever is chosen.
        let value_widths = rows.iter().flat_map(|row| {
            let all = row.options.iter().chain([&row.value]);
            all.map(|value| cells(Setting::words_by_name(&row.name, value)))
        });
        let values = value_widths.max().unwrap_or(0);
        let sources = widest(|row| &row.source).max(cells(&Source::Session.to_string()));
        let names = widest(|row| &row.name);
        sheet.want(labels + values + sources + names + 6);
        let left = sheet.width().saturating_sub(labels + 4);
        // A source that is a path is long: the first line shows it.
        let sources = sources.min(left.saturating_sub(values).max(left / 2));
        let values = values.min(left - sources);
        for (row, is_chosen) in visible(&rows, self.table, shell.shared.dialog_rows()) {
            let label = text::fit(&Setting::label_by_name(&row.name), usize::from(labels));
            sheet.line(&[(&label, theme.text())]);
            let value = text::fit_ends(
                Setting::words_by_name(&row.name, &row.value),
                usize::from(values),
            );
            let style = if row.options.is_empty() {
                theme.dim()
            } else {
                theme.text()
            };
            sheet.at(labels + 2, &value, style);
            let source = text::fit_ends(&row.source, usize::from(sources));
            sheet.at(labels + values + 4, &source, theme.dim());
            let name_at = labels + values + sources + 6;
            // The last line has it if there is no room for all.
            if name_at + names <= sheet.width() {
                sheet.at(name_at, &row.name, theme.dim());
            }
            if is_chosen {
                sheet.choose();
            }
        }
        let height = sheet.height() + WHOLE;
        if let Some(row) = rows.get(self.table.cursor) {
            let whole = format!("{} = {} ({})", row.name, row.value, row.source);
            sheet.paragraph(0, &whole, theme.text());
            // The dialog covers messages.
            match (shell.shared.message_of_action(), row.options.as_slice()) {
                (Some(notice), _) => {
                    sheet.paragraph(0, &notice.text, message::style(notice, theme))
                }
                (None, []) => sheet.paragraph(0, "cannot be changed here", theme.dim()),
                (None, options) => {
                    let options = format!("one of {}", options.join(", "));
                    sheet.paragraph(0, &options, theme.dim());
                }
            }
        }
        // The frame keeps its height from row to row.
        sheet.cut_or_fill(height);
    }

    fn position(&self, shell: &Shell) -> String {
        position(
            self.table,
            shell.setting_rows().len(),
            shell.shared.dialog_rows(),
        )
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        self.table
            .step(step, shell.setting_rows().len(), shell.shared.dialog_rows());
    }
}
