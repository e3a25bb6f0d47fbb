//! Keys and pasted text in dialogs: the one on top gets them, Esc closes it.

mod columns;
mod menu;
mod plant;
mod platform;
mod prompt;
mod removal;

use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::details::Details;
use crate::app::state::dialog::prompt::Purpose;
use crate::app::state::dialog::token::TokenForm;

/// What a key meant to the dialog on top.
pub(super) enum KeyResult {
    /// The dialog stays, with these effects.
    Stay(Vec<Effect>),
    /// The dialog closes, with these effects.
    Close(Vec<Effect>),
}

/// A confirmation counts only this long after its question came onto the
/// screen, seconds: keys typed ahead of it, and those of a hand that has not
/// read it, decide nothing.
const SETTLE_S: f64 = 0.3;

/// Whether a question that is on the screen since `shown_at` (UNIX seconds) can
/// be confirmed at `now`.
fn is_settled(shown_at: Option<f64>, now: f64) -> bool {
    // Either way: a clock that was set back must not hold it up for hours.
    shown_at.is_some_and(|since| (now - since).abs() >= SETTLE_S)
}

/// Turns the pages of what is known of a deployment.
fn key_to_details(details: &mut Details, key: Key) -> KeyResult {
    match key.code {
        KeyCode::Down | KeyCode::PageDown | KeyCode::Char(' ' | 'j') => details.page += 1,
        KeyCode::Up | KeyCode::PageUp | KeyCode::Char('k') => details.page -= 1,
        KeyCode::Enter | KeyCode::Char('q' | 'i') => return KeyResult::Close(Vec::new()),
        _ => {}
    }
    KeyResult::Stay(Vec::new())
}

impl Model {
    /// Gives a key to the dialog on top.
    pub(super) fn key_to_dialog(&mut self, key: Key) -> Vec<Effect> {
        let Some(mut dialog) = self.dialogs.pop() else {
            return Vec::new();
        };
        if key.code == KeyCode::Esc {
            return self.dismiss(dialog);
        }
        // On a screen too small for it nobody sees what a key would confirm.
        if self.width > 0 && self.layout().too_small {
            self.dialogs.push(dialog);
            return Vec::new();
        }
        let level = self.dialogs.len();
        let answer = match &mut dialog {
            Dialog::Help(help) => self.key_to_help(help, key),
            Dialog::Palette(palette) => self.key_to_palette(palette, key),
            Dialog::Alarms(list) => self.key_to_alarms(list, key),
            Dialog::Fields(list) => self.key_to_fields(list, key),
            Dialog::Details(details) => key_to_details(details, key),
            Dialog::Message(_) => match key.code {
                KeyCode::Enter | KeyCode::Char('q' | '!') => KeyResult::Close(Vec::new()),
                _ => KeyResult::Stay(Vec::new()),
            },
            Dialog::PlantForm(form) => self.key_to_plant_form(form, key),
            Dialog::DeletePlant(question) => self.key_to_delete_plant(question, key),
            Dialog::RemoveDeployment(question) => self.key_to_removal(question, key),
            Dialog::Token(form) => self.key_to_token(form, key),
            Dialog::Prompt(prompt) => self.key_to_prompt(prompt, key),
            Dialog::Export(form) => self.key_to_export(form, key),
            Dialog::Platform(list) => self.key_to_platforms(list, key),
            Dialog::Columns(form) => self.key_to_columns(form, key),
            Dialog::Settings(list) => self.key_to_settings(list, key),
            Dialog::Quit(quit) => self.key_to_quit(quit, key),
        };
        match answer {
            KeyResult::Stay(effects) => {
                let level = level.min(self.dialogs.len());
                self.dialogs.insert(level, dialog);
                effects
            }
            KeyResult::Close(effects) => effects,
        }
    }

    /// Esc closes the dialog; what it had begun and can be given up, is.
    fn dismiss(&mut self, dialog: Dialog) -> Vec<Effect> {
        match dialog {
            Dialog::Prompt(prompt) if prompt.purpose == Purpose::Filter => self.set_filter(""),
            Dialog::Prompt(prompt) if prompt.purpose == Purpose::Find => {
                self.end_search(true);
                Vec::new()
            }
            Dialog::Token(TokenForm {
                trying: Some(request),
                ..
            }) => vec![Effect::Cancel(request)],
            Dialog::Columns(form) => {
                *self.columns.of_mut(form.tab) = form.before;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Gives pasted text to the dialog on top. It is text and nothing else: it
    /// never submits and never acts as a key. Without a field it is ignored.
    pub(super) fn paste(&mut self, text: &str) -> Vec<Effect> {
        let height = self.dialog_rows();
        match self.dialogs.last_mut() {
            Some(Dialog::Help(help)) => help.search.paste(text),
            Some(Dialog::Palette(palette)) => {
                palette.search.paste(text);
                palette.search_changed();
            }
            Some(Dialog::Fields(list)) => {
                list.search.paste(text);
                list.search_changed(height);
            }
            Some(Dialog::PlantForm(form)) => form.paste(text),
            Some(Dialog::Token(form)) => form.paste(text),
            Some(Dialog::Prompt(prompt)) => {
                prompt.field.paste(text);
                let text = prompt.field.text().to_owned();
                match prompt.purpose {
                    Purpose::Filter => return self.set_filter(&text),
                    Purpose::Find => return self.find(&text),
                    _ => {}
                }
            }
            Some(Dialog::Export(form)) => form.path.paste(text),
            Some(
                Dialog::Alarms(_)
                | Dialog::Details(_)
                | Dialog::Message(_)
                | Dialog::DeletePlant(_)
                | Dialog::RemoveDeployment(_)
                | Dialog::Columns(_)
                | Dialog::Settings(_)
                | Dialog::Platform(_)
                | Dialog::Quit(_),
            )
            | None => {}
        }
        Vec::new()
    }
}
