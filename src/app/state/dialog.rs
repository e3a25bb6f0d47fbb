//! A stack of dialogs: the one on top gets the keys, Esc closes it.

pub(crate) mod export;
pub(crate) mod field;
pub(crate) mod menu;
pub(crate) mod plant;
pub(crate) mod prompt;
pub(crate) mod removal;
pub(crate) mod token;

use export::ExportForm;
use menu::{Help, Palette};
use plant::{DeletePlant, PlantForm, QuitDialog};
use prompt::Prompt;
use removal::RemoveDeployment;
use token::TokenForm;

/// A dialog.
#[derive(Debug, Clone)]
pub(crate) enum Dialog {
    /// All keys, searchable.
    Help(Help),
    /// Every action, by fuzzy search.
    Palette(Palette),
    /// A plant to create.
    PlantForm(Box<PlantForm>),
    /// Confirmation before a delete.
    DeletePlant(DeletePlant),
    /// Confirmation before a deployment is removed from the list.
    RemoveDeployment(RemoveDeployment),
    /// Input of a token.
    Token(TokenForm),
    /// A prompt for one line of text.
    Prompt(Prompt),
    /// A track to write to a file.
    Export(ExportForm),
    /// Confirmation before quitting while a create or delete is in progress.
    Quit(QuitDialog),
}

impl Dialog {
    /// The title on its frame, with the deployment that it is about.
    pub(crate) fn title(&self) -> String {
        let (title, about) = match self {
            Self::Help(_) => ("Keys", ""),
            Self::Palette(_) => ("Commands", ""),
            Self::PlantForm(_) => ("New plant", ""),
            Self::DeletePlant(_) => ("Delete plant", ""),
            Self::RemoveDeployment(_) => ("Remove deployment", ""),
            Self::Token(_) => ("Token", ""),
            Self::Prompt(prompt) => (prompt.purpose.title(), prompt.about.as_str()),
            Self::Export(form) => ("Export track", form.name.as_str()),
            Self::Quit(_) => ("Quit?", ""),
        };
        if about.is_empty() {
            return title.to_owned();
        }
        format!("{title}: {}", crate::text::fit(about, 40))
    }
}
