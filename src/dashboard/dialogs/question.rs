//! A question before an action that is not undone at once: Cancel, or the action. Cancel
//! has the focus.

use std::borrow::Cow;

use uuid::Uuid;

use super::prompt::{Prompt, Purpose};
use super::{Component, Labels, Outcome};
use crate::dashboard::footer::{FooterKey, dialog_keys};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::plants::send;
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::plant::log::Operation;
use crate::plant::{Draft, label};
use crate::text;

/// A confirmation counts only this long after the question appeared on the screen,
/// seconds: keys typed before that decide nothing.
const SETTLE_S: f64 = 0.3;

/// The words for a confirmation that came before that.
const TYPED_AHEAD: &str = "That key came too soon: press it again.";

/// The longest name in a question, characters: its keys stay on the screen.
const LONGEST_NAME: usize = 80;

/// A question with two answers.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The action to confirm.
    pub deed: Deed,
    /// The reason why it cannot be done; empty for none.
    pub error: String,
    focus: Answer,
    settled: Settled,
}

/// Whether a question has been on the screen for long enough to be read.
#[derive(Debug, Clone, Default)]
pub(super) struct Settled {
    /// When it was first drawn, UNIX seconds; `None` before that.
    shown_at: Option<f64>,
}

impl Settled {
    /// A frame with it is on the screen since this time, UNIX seconds.
    pub(super) fn shown(&mut self, at: f64) {
        self.shown_at.get_or_insert(at);
    }

    /// Takes an answer at `now` (UNIX seconds).
    ///
    /// # Errors
    /// The words for an answer that came too early.
    pub(super) fn answered(&self, now: f64) -> Result<(), String> {
        // The absolute value: a clock that was set back must not delay it for hours.
        let shown_at = self.shown_at;
        let is_settled = shown_at.is_some_and(|since| (now - since).abs() >= SETTLE_S);
        is_settled
            .then_some(())
            .ok_or_else(|| TYPED_AHEAD.to_owned())
    }
}

/// Something that is done once it is confirmed.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    /// Delete plants.
    DeletePlants {
        /// Their identifiers, as they will be sent.
        ids: Vec<String>,
    },
    /// Create plants that were deleted, or that may exist.
    CreatePlants {
        /// The plants.
        drafts: Vec<Draft>,
        /// The others of the same deed, which cannot be created again; empty for none.
        left_out: String,
    },
    /// Remove a deployment from the watch list.
    RemoveDeployment {
        /// The deployment.
        deployment: Uuid,
        /// Its name.
        name: String,
    },
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Cancel,
    Confirm,
}

impl Question {
    /// A question that is not on the screen yet.
    pub(in crate::dashboard) fn new(deed: Deed) -> Self {
        Self {
            deed,
            error: String::new(),
            focus: Answer::Cancel,
            settled: Settled::default(),
        }
    }

    /// The answer that a key gives at `now` (UNIX seconds), if it gives one.
    fn answer(&mut self, key: Key, now: f64) -> Option<Answer> {
        match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                self.focus = match self.focus {
                    Answer::Cancel => Answer::Confirm,
                    Answer::Confirm => Answer::Cancel,
                };
                None
            }
            KeyCode::Enter if self.focus == Answer::Cancel => Some(Answer::Cancel),
            KeyCode::Char('n' | 'N' | 'q') => Some(Answer::Cancel),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') => {
                if let Err(early) = self.settled.answered(now) {
                    self.error = early;
                    return None;
                }
                (!key.ctrl && !key.alt).then_some(Answer::Confirm)
            }
            _ => None,
        }
    }
}

impl Deed {
    /// Does it, or returns why it cannot be done.
    fn done(&self, shell: &mut Shell) -> Result<(), String> {
        match self {
            Self::DeletePlants { ids } => send::delete(shell, ids)?,
            Self::CreatePlants { drafts, .. } => send::create_again(shell, drafts)?,
            Self::RemoveDeployment { deployment, .. } => shell.remove_deployment(*deployment),
        }
        Ok(())
    }

    /// `true` if it is about a single plant, and may be about another.
    fn takes_another_id(&self) -> bool {
        matches!(self, Self::DeletePlants { ids } if ids.len() == 1)
    }

    /// The title of its question.
    fn title(&self) -> Cow<'static, str> {
        match self {
            Self::DeletePlants { ids } if ids.len() > 1 => {
                format!("Delete {} plants", text::count(ids.len())).into()
            }
            Self::DeletePlants { .. } => "Delete plant".into(),
            Self::CreatePlants { drafts, .. } if drafts.len() > 1 => {
                format!("Create {} plants again", text::count(drafts.len())).into()
            }
            Self::CreatePlants { .. } => "Create plant again".into(),
            Self::RemoveDeployment { .. } => "Remove deployment".into(),
        }
    }

    /// The verb on the button and for the key.
    fn words(&self) -> [&'static str; 2] {
        match self {
            Self::DeletePlants { .. } => ["Delete", "delete"],
            Self::CreatePlants { .. } => ["Create", "create"],
            Self::RemoveDeployment { .. } => ["Remove", "remove"],
        }
    }
}

/// Adds what is deleted.
fn plants_to_delete(sheet: &mut Sheet, ids: &[String], shell: &Shell, theme: Theme) {
    let tab = &shell.tabs.plants;
    let base = send::base(shell);
    let names = ids
        .iter()
        .map(|id| tab.name_at(id, base).unwrap_or_default());
    plants(sheet, "Delete", ids, names, (shell, theme));
    if tab.were_created_last(ids) {
        sheet.paragraph(0, "This takes your last create back.", theme.text());
    }
    let (marked, hidden) = tab.marked_of(ids);
    if marked > 0 && !shell.shared.screen.full {
        let hidden = match hidden {
            0 => String::new(),
            hidden => format!("; {hidden} not shown by the filter"),
        };
        let esc = "marked, whatever row is chosen; Esc on the tab takes the marks off";
        sheet.paragraph(0, &format!("{marked} {esc}{hidden}."), theme.warning());
    }
    sheet.paragraph(0, &send::goes_to(Operation::Delete, shell), theme.dim());
}

/// Adds what is created again.
fn plants_to_create(sheet: &mut Sheet, drafts: &[Draft], shell: &Shell, theme: Theme) {
    let ids: Vec<String> = drafts.iter().map(|draft| draft.id.to_string()).collect();
    let names = drafts.iter().map(|draft| match drafts.len() {
        1 => label(&draft.name, &draft.tag),
        _ => draft.name.clone(),
    });
    plants(sheet, "Create", &ids, names, (shell, theme));
    let which = if drafts.len() == 1 { "The" } else { "An" };
    let other = format!("{which} id may be of another plant by now.");
    sheet.paragraph(0, &other, theme.text());
    sheet.paragraph(0, &send::goes_to(Operation::Create, shell), theme.dim());
}

/// Adds a plant with its name and state, or the first of several, as many as have room beside
/// all else; of these the title says how many they are.
fn plants(
    sheet: &mut Sheet,
    verb: &str,
    ids: &[String],
    mut names: impl Iterator<Item = String>,
    (shell, theme): (&Shell, Theme),
) {
    let tab = &shell.tabs.plants;
    if let [id] = ids {
        let name = names.next().unwrap_or_default();
        let words = format!("{verb} plant ");
        sheet.line(&[(&words, theme.text()), (id, theme.heading())]);
        if !name.is_empty() {
            let named = format!("named {}", text::excerpt(&name, LONGEST_NAME));
            sheet.paragraph(0, &named, theme.text());
        }
        return sheet.paragraph(0, tab.state_in_words(id), theme.warning());
    }
    let most = usize::from(shell.shared.screen.height / 3).max(5);
    let named = ids.iter().zip(names).map(|(id, name)| {
        let words = format!("{} {}", text::excerpt(id, 20), text::excerpt(&name, 24));
        words.trim_end().to_owned()
    });
    sheet.paragraph(0, &text::first_of(named, most), theme.heading());
    sheet.paragraph(0, &tab.states_in_words(ids), theme.warning());
    let order = "One after the other, until the outcome of one is unknown.";
    sheet.paragraph(0, order, theme.text());
}

impl Component for Question {
    fn labels(&self) -> Labels {
        Labels {
            title: self.deed.title(),
            keys: &[],
        }
    }

    fn footer(&self, _shell: &Shell) -> Vec<FooterKey> {
        let [_, verb] = self.deed.words();
        let mut keys = vec![("Enter", "cancel"), ("y", verb)];
        if self.deed.takes_another_id() {
            keys.push(("i", "another id"));
        }
        keys.push(("Esc", "cancel"));
        dialog_keys(&keys)
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        if let (KeyCode::Char('i'), Deed::DeletePlants { ids, .. }) = (key.code, &self.deed)
            && self.deed.takes_another_id()
        {
            let mut prompt = Prompt::new(Purpose::PlantToDelete, &ids.concat());
            prompt.field.select(true);
            return Outcome::Replace(Box::new(prompt.into()));
        }
        match self.answer(key, shell.shared.now) {
            None => Outcome::Stay,
            Some(Answer::Cancel) => Outcome::Close,
            Some(Answer::Confirm) => match self.deed.done(shell) {
                Ok(()) => Outcome::Close,
                Err(reason) => {
                    self.error = reason;
                    Outcome::Stay
                }
            },
        }
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        match &self.deed {
            Deed::DeletePlants { ids, .. } => plants_to_delete(sheet, ids, shell, theme),
            Deed::CreatePlants { drafts, left_out } => {
                plants_to_create(sheet, drafts, shell, theme);
                if !left_out.is_empty() {
                    sheet.paragraph(0, &format!("Not again: {left_out}."), theme.warning());
                }
            }
            Deed::RemoveDeployment { name, .. } => {
                sheet.line(&[("Remove ", theme.text()), (name, theme.heading())]);
                let undo = shell.shared.key_of(Action::Undo);
                let kept = format!("from the list. Its stored fixes stay; {undo} restores it.");
                sheet.paragraph(0, &kept, theme.text());
            }
        }
        sheet.paragraph(0, &self.error, theme.bad());
        sheet.blank();
        let (cancel, confirm) = match self.focus {
            Answer::Confirm => (theme.text(), theme.bad().patch(theme.chosen())),
            Answer::Cancel => (theme.chosen(), theme.bad()),
        };
        let [button, verb] = self.deed.words();
        sheet.line(&[
            (" Cancel ", cancel),
            ("  ", theme.text()),
            (&format!(" y  {button} "), confirm),
        ]);
        let other = if self.deed.takes_another_id() {
            "; i: another id"
        } else {
            ""
        };
        let keys = format!("Enter: cancel; y: {verb}{other}");
        sheet.line(&[(&keys, theme.dim())]);
    }

    fn is_question(&self) -> bool {
        true
    }

    fn shown(&mut self, at: f64) {
        self.settled.shown(at);
    }
}
