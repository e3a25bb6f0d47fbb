//! Dialogs, a stack of them: the one on top takes the keys, Esc closes it.

pub mod field;
pub mod menu;
pub mod plant;
pub mod prompt;

pub use field::{Field, SecretField};
pub use menu::{Help, Palette};
pub use plant::{DeletePlant, PlantForm};
pub use prompt::{ExportForm, Prompt, Purpose, QuitDialog, TokenForm};

use super::deployments::Deployment;
use super::effect::Effect;
use super::key::{Key, KeyCode};
use super::model::Model;

/// A dialog.
#[derive(Debug, Clone)]
pub enum Dialog {
    /// All keys, searchable.
    Help(Help),
    /// Every action, by fuzzy search.
    Palette(Palette),
    /// A plant to create.
    PlantForm(PlantForm),
    /// Asks before a delete.
    DeletePlant(DeletePlant),
    /// Takes a token.
    Token(TokenForm),
    /// One line of text for some purpose.
    Prompt(Prompt),
    /// A track to a file.
    Export(ExportForm),
    /// Asks before leaving while a create or delete is under way.
    Quit(QuitDialog),
}

impl Dialog {
    /// The dialog that asks before a delete.
    pub(super) fn delete_plant(id: &str, name: Option<String>, now: f64) -> Self {
        Self::DeletePlant(DeletePlant::new(id, name, now))
    }

    /// Asks for the identifier of a plant to delete.
    pub(super) fn ask_plant_id() -> Self {
        Self::Prompt(Prompt::new(Purpose::PlantToDelete, ""))
    }

    /// Asks where a track is to be written.
    pub(super) fn export(deployment: &Deployment) -> Self {
        Self::Export(ExportForm::new(deployment))
    }

    /// The title on its frame.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Help(_) => "Keys",
            Self::Palette(_) => "Commands",
            Self::PlantForm(_) => "New plant",
            Self::DeletePlant(_) => "Delete plant",
            Self::Token(_) => "Token",
            Self::Prompt(prompt) => prompt.purpose.title(),
            Self::Export(_) => "Export track",
            Self::Quit(_) => "Leave?",
        }
    }
}

/// What a key meant to the dialog on top.
pub(super) enum KeyResult {
    /// The dialog stays, with these effects.
    Stay(Vec<Effect>),
    /// The dialog closes, with these effects.
    Close(Vec<Effect>),
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
        let place = self.dialogs.len();
        let answer = match &mut dialog {
            Dialog::Help(help) => self.key_to_help(help, key),
            Dialog::Palette(palette) => self.key_to_palette(palette, key),
            Dialog::PlantForm(form) => self.key_to_plant_form(form, key),
            Dialog::DeletePlant(question) => self.key_to_delete_plant(question, key),
            Dialog::Token(form) => self.key_to_token(form, key),
            Dialog::Prompt(prompt) => self.key_to_prompt(prompt, key),
            Dialog::Export(form) => self.key_to_export(form, key),
            Dialog::Quit(leave) => self.key_to_leave(leave, key),
        };
        match answer {
            KeyResult::Stay(effects) => {
                let place = place.min(self.dialogs.len());
                self.dialogs.insert(place, dialog);
                effects
            }
            KeyResult::Close(effects) => effects,
        }
    }

    /// Esc closes the dialog; what it had begun and can be given up, is.
    fn dismiss(&mut self, dialog: Dialog) -> Vec<Effect> {
        match dialog {
            Dialog::Prompt(prompt) if prompt.purpose == Purpose::Filter => {
                self.set_filter("");
                Vec::new()
            }
            Dialog::Token(TokenForm {
                trying: Some(request),
                ..
            }) => vec![Effect::Cancel(request)],
            _ => Vec::new(),
        }
    }

    /// Gives pasted text to the dialog on top. It is text and nothing else: it
    /// never submits and never acts as a key. Without a field it is ignored.
    pub(super) fn paste_to_dialog(&mut self, text: &str) {
        match self.dialogs.last_mut() {
            Some(Dialog::Help(help)) => help.search.paste(text),
            Some(Dialog::Palette(palette)) => {
                palette.search.paste(text);
                palette.search_changed();
            }
            Some(Dialog::PlantForm(form)) => form.paste(text),
            Some(Dialog::Token(form)) => form.secret.paste(text),
            Some(Dialog::Prompt(prompt)) => {
                prompt.field.paste(text);
                if prompt.purpose == Purpose::Filter {
                    let text = prompt.field.text().to_owned();
                    self.set_filter(&text);
                }
            }
            Some(Dialog::Export(form)) => form.path.paste(text),
            Some(Dialog::DeletePlant(_) | Dialog::Quit(_)) | None => {}
        }
    }
}
