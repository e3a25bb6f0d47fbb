//! The settings: those in force to read, and of some the value to choose.

use super::chooser::{step_of_letter, visible};
use super::{Component, Labels, Outcome};
use crate::app::Model;
use crate::app::key::{Key, KeyCode};
use crate::app::state::settings::Setting;
use crate::app::state::table::{Step, TableState};
use crate::text;
use crate::ui::message;
use crate::ui::sheet::{Sheet, cells};
use crate::ui::theme::Theme;

/// Lines of the chosen value below the list, where the list cuts it, and of what it can
/// be.
const WHOLE: u16 = 3;
/// Where a value is from that was chosen since the start, by a key or here.
const SESSION: &str = "this session";

/// The list of them.
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

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        if let Some(step) = step_of_letter(key) {
            self.step(step, model);
            return Outcome::stay();
        }
        let row = self.table.cursor;
        Outcome::Stay(match key.code {
            KeyCode::Enter | KeyCode::Char('q') | KeyCode::F(2) => return Outcome::close(),
            KeyCode::Right | KeyCode::Char('l' | ' ') => model.choose_setting(row, 1),
            KeyCode::Left | KeyCode::Char('h') => model.choose_setting(row, -1),
            KeyCode::Char('w') => model.write_setting(row),
            _ => Vec::new(),
        })
    }

    /// The settings with their values and where each is from; below them the chosen one
    /// whole, with what it can be.
    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        let file = model
            .settings
            .iter()
            .find(|setting| setting.name == "config");
        let file = file.map_or("", |file| file.value.as_str());
        let label = "file ";
        let room = usize::from(sheet.width_after(label));
        let file = match file {
            "" => "none".to_owned(),
            file => text::fit_ends(file, room),
        };
        sheet.line(&[(label, theme.dim()), (&file, theme.text())]);
        let rows: Vec<Row<'_>> = model
            .settings
            .iter()
            .map(|setting| Row::of(setting, model))
            .collect();
        let widest = |part: for<'a> fn(&'a Row<'_>) -> &'a str| {
            let widths = rows.iter().map(|row| cells(part(row)));
            widths.max().unwrap_or(0)
        };
        let names = widest(|row| row.name).min(sheet.width() * 2 / 5);
        // The frame keeps its width whatever is chosen.
        let options = model.settings.iter().flat_map(|setting| &setting.options);
        let options = options.map(|option| cells(option)).max().unwrap_or(0);
        let values = widest(|row| &row.value).max(options);
        let sources = widest(|row| row.source).max(cells(SESSION));
        sheet.want(names + values + sources + 4);
        let left = sheet.width().saturating_sub(names + 4);
        // A source is long where it is a path, which the first line has.
        let sources = sources.min(left.saturating_sub(values).max(left / 2));
        let values = values.min(left - sources);
        for (row, is_chosen) in visible(&rows, self.table, model.dialog_rows()) {
            let name = text::fit(row.name, usize::from(names));
            sheet.line(&[(&name, theme.text())]);
            let value = text::fit_ends(&row.value, usize::from(values));
            let style = if row.can_change {
                theme.accent()
            } else {
                theme.dim()
            };
            sheet.at(names + 2, &value, style);
            let source = text::fit_ends(row.source, usize::from(sources));
            sheet.at(names + values + 4, &source, theme.dim());
            if is_chosen {
                sheet.choose(theme.chosen());
            }
        }
        let height = sheet.height() + WHOLE;
        if let Some(setting) = model.settings.get(self.table.cursor) {
            let row = Row::of(setting, model);
            let whole = format!("{} = {} ({})", row.name, row.value, row.source);
            sheet.paragraph(0, &whole, theme.text());
            // The dialog covers the place of messages.
            match &model.notice {
                Some(notice) => sheet.paragraph(0, &notice.text, message::style(notice, theme)),
                None if row.can_change => {
                    let options = format!("one of {}", setting.options.join(", "));
                    sheet.paragraph(0, &options, theme.dim());
                }
                None => sheet.paragraph(0, "cannot be changed here", theme.dim()),
            }
        }
        // The frame keeps its height from row to row.
        sheet.cut_or_fill(height);
    }

    fn step(&mut self, step: Step, model: &Model) {
        self.table
            .step(step, model.settings.len(), model.dialog_rows());
    }
}

/// A row of the list.
struct Row<'a> {
    name: &'a str,
    value: String,
    source: &'a str,
    can_change: bool,
}

impl<'a> Row<'a> {
    fn of(setting: &'a Setting, model: &Model) -> Self {
        let value = model.present_value(setting);
        Self {
            name: &setting.name,
            source: if value == setting.value {
                &setting.source
            } else {
                SESSION
            },
            value,
            can_change: !setting.options.is_empty(),
        }
    }
}
