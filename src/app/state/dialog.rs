//! A stack of dialogs: the one on top gets the keys, Esc closes it.

pub(crate) mod alarms;
pub(crate) mod columns;
pub(crate) mod details;
pub(crate) mod export;
pub(crate) mod field;
pub(crate) mod fields;
pub(crate) mod menu;
pub(crate) mod palette;
pub(crate) mod plant;
pub(crate) mod platform;
pub(crate) mod prompt;
pub(crate) mod removal;
pub(crate) mod settings;
pub(crate) mod token;

use alarms::AlarmList;
use columns::ColumnsForm;
use details::{Details, Subject};
use export::ExportForm;
use fields::FieldList;
use menu::Help;
use palette::Palette;
use plant::{DeletePlant, PlantForm, QuitDialog};
use platform::PlatformList;
use prompt::{Prompt, Purpose};
use removal::RemoveDeployment;
use settings::SettingsList;
use token::TokenForm;

/// A dialog.
#[derive(Debug, Clone)]
pub(crate) enum Dialog {
    /// All keys, searchable.
    Help(Help),
    /// Every action, by fuzzy search.
    Palette(Palette),
    /// The alarms that stand, and those that have ended lately.
    Alarms(AlarmList),
    /// Everything that is known of a deployment or a fix.
    Details(Details),
    /// The last message in full.
    Message(String),
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
    /// What the timeline can show.
    Fields(FieldList),
    /// A track to write to a file.
    Export(ExportForm),
    /// A platform to choose for a deployment.
    Platform(PlatformList),
    /// Columns of a table to choose and to order.
    Columns(ColumnsForm),
    /// The settings in force.
    Settings(SettingsList),
    /// Confirmation before quitting while a create or delete is in progress.
    Quit(QuitDialog),
}

impl Dialog {
    /// The title on its frame, with the deployment that it is about.
    pub(crate) fn title(&self) -> String {
        let (title, about) = match self {
            Self::Help(_) => ("Keys", ""),
            Self::Palette(_) => ("Commands", ""),
            Self::Alarms(_) => ("Alarms", ""),
            Self::Details(details) => match details.subject {
                Subject::Deployment(_) => ("Deployment", ""),
                Subject::Fix => ("Fix", ""),
            },
            Self::Message(_) => ("Message", ""),
            Self::PlantForm(_) => ("New plant", ""),
            Self::DeletePlant(_) => ("Delete plant", ""),
            Self::RemoveDeployment(_) => ("Remove deployment", ""),
            Self::Token(_) => ("Token", ""),
            Self::Prompt(prompt) => (prompt.purpose.title(), ""),
            Self::Export(form) => ("Export track", form.name.as_str()),
            Self::Fields(_) => ("Timeline", ""),
            Self::Platform(_) => ("Platform", ""),
            Self::Columns(form) => ("Columns", form.tab.title()),
            Self::Settings(_) => ("Settings", ""),
            Self::Quit(_) => ("Quit?", ""),
        };
        if about.is_empty() {
            return title.to_owned();
        }
        format!("{title}: {}", crate::text::fit(about, 40))
    }

    /// Whether it asks before something that cannot be taken back at once.
    pub(in crate::app) fn is_question(&self) -> bool {
        match self {
            Self::DeletePlant(_) | Self::RemoveDeployment(_) | Self::Quit(_) => true,
            Self::Export(form) => form.confirm_replace,
            Self::Help(_)
            | Self::Palette(_)
            | Self::Alarms(_)
            | Self::Fields(_)
            | Self::Details(_)
            | Self::Message(_)
            | Self::PlantForm(_)
            | Self::Token(_)
            | Self::Columns(_)
            | Self::Settings(_)
            | Self::Platform(_)
            | Self::Prompt(_) => false,
        }
    }

    /// The keys of the dialog, with a word for what each does.
    pub(crate) fn keys(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Help(_) => &[("Up Down", "scroll"), ("Enter", "close"), ("Esc", "close")],
            Self::Palette(_) => &[("Up Down", "choose"), ("Enter", "run"), ("Esc", "close")],
            // Its other keys are those of the keymap.
            Self::Alarms(_) => &[("Esc", "close")],
            Self::Fields(_) => &[("Up Down", "choose"), ("Enter", "show"), ("Esc", "close")],
            Self::Platform(_) => &[("Up Down", "choose"), ("Enter", "set"), ("Esc", "cancel")],
            Self::Details(_) => &[("Down", "next page"), ("Enter", "close"), ("Esc", "close")],
            Self::Message(_) => &[("Enter", "close"), ("Esc", "close")],
            Self::PlantForm(form) if form.sending.is_some() => &[("Esc", "close")],
            Self::PlantForm(_) => &[
                ("Tab", "next field"),
                ("Enter", "create in the last field"),
                ("Esc", "cancel"),
            ],
            Self::DeletePlant(_) => &[("Enter", "cancel"), ("y", "delete"), ("Esc", "cancel")],
            Self::Token(form) if form.trying.is_some() => &[("Esc", "cancel")],
            Self::Token(_) => &[("Enter", "test"), ("Ctrl-U", "empty"), ("Esc", "cancel")],
            Self::RemoveDeployment(_) => &[("Enter", "cancel"), ("y", "remove"), ("Esc", "cancel")],
            Self::Prompt(prompt) if prompt.purpose == Purpose::Find => {
                &[("Enter", "go"), ("Esc", "back")]
            }
            Self::Prompt(prompt) if prompt.purpose == Purpose::Filter => {
                &[("Enter", "keep"), ("Esc", "clear")]
            }
            Self::Prompt(prompt) => match prompt.purpose {
                // Its question comes next.
                Purpose::PlantToDelete => &[("Enter", "go on"), ("Esc", "cancel")],
                Purpose::Deployment => &[("Enter", "add"), ("Ctrl-U", "empty"), ("Esc", "cancel")],
                Purpose::Snooze => &[("Enter", "snooze"), ("Ctrl-U", "empty"), ("Esc", "cancel")],
                _ => &[("Enter", "set"), ("Ctrl-U", "empty"), ("Esc", "cancel")],
            },
            Self::Export(form) if form.writing.is_some() => &[("Esc", "close")],
            Self::Export(form) if form.confirm_replace => {
                &[("Enter", "replace the file"), ("Esc", "cancel")]
            }
            Self::Export(form) if form.scopes.len() > 1 => &[
                ("Tab", "next format"),
                ("Down", "which fixes"),
                ("Enter", "write"),
                ("Esc", "cancel"),
            ],
            Self::Export(_) => &[
                ("Tab", "next format"),
                ("Enter", "write"),
                ("Esc", "cancel"),
            ],
            Self::Columns(_) => &[
                ("Space", "show or hide"),
                ("J K", "move"),
                ("w", "write"),
                ("Enter", "set"),
                ("0", "usual"),
                ("y", "copy"),
                ("Esc", "cancel"),
            ],
            Self::Settings(_) => &[
                ("Left Right", "change"),
                ("w", "write"),
                ("Up Down", "choose"),
                ("Esc", "close"),
            ],
            Self::Quit(quit) if quit.waiting => &[("l", "quit now"), ("Esc", "stay")],
            Self::Quit(_) => &[("w", "wait, then quit"), ("l", "quit now"), ("Esc", "stay")],
        }
    }
}
