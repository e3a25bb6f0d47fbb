//! A question before an action that is not undone at once: to leave it, or the action. To leave
//! it has the focus.

use std::borrow::Cow;

use ratatui::style::Style;
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
use crate::track::time;

/// The words for a confirmation typed before the question was on the screen: it decides nothing.
const TYPED_AHEAD: &str = "That key came too soon: press it again.";

/// The longest name in a question, characters: its keys stay on the screen.
const LONGEST_NAME: usize = 80;

/// A question, and what its answers do.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The action to confirm.
    pub deed: Deed,
    /// The reason why it cannot be done; empty for none.
    pub error: String,
    /// The index of the answer with the focus; `None` for that which does nothing.
    focus: Option<usize>,
    /// `true` once a frame with it was on the screen.
    is_shown: bool,
}

/// Something that is done once it is confirmed.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
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
    RemoveDeployment { deployment: Uuid, name: String },
    /// Record whether a plant exists.
    ResolvePlant {
        /// Its identifier.
        id: String,
    },
}

/// An answer that does something: its keys, and the verb on its button and for its first key.
struct Answer {
    keys: [char; 2],
    button: &'static str,
    verb: &'static str,
}

impl Answer {
    const fn new(keys: [char; 2], button: &'static str, verb: &'static str) -> Self {
        Self { keys, button, verb }
    }
}

impl Question {
    /// A question that is not on the screen yet.
    pub(in crate::dashboard) fn new(deed: Deed) -> Self {
        Self {
            deed,
            error: String::new(),
            focus: None,
            is_shown: false,
        }
    }

    /// Gives an answer, or returns why it is not taken.
    fn answer(&self, answer: usize, shell: &mut Shell) -> Result<(), String> {
        if self.is_shown {
            self.deed.done(answer, shell)
        } else {
            Err(TYPED_AHEAD.to_owned())
        }
    }
}

impl Deed {
    /// Does what an answer says, or returns why it cannot be done.
    fn done(&self, answer: usize, shell: &mut Shell) -> Result<(), String> {
        match self {
            Self::DeletePlants { ids } => send::delete(shell, ids)?,
            Self::CreatePlants { drafts, .. } => send::create_again(shell, drafts)?,
            Self::RemoveDeployment { deployment, .. } => shell.remove_deployment(*deployment),
            Self::ResolvePlant { id } => {
                let found = match answer {
                    0 => Operation::FoundExisting,
                    _ => Operation::FoundAbsent,
                };
                send::resolve(shell, id, found)?;
            }
        }
        Ok(())
    }

    /// The plant that it is about, if that is a single one and may be another.
    fn other_id(&self) -> Option<&str> {
        match self {
            Self::DeletePlants { ids } if ids.len() == 1 => ids.first().map(String::as_str),
            _ => None,
        }
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
            Self::ResolvePlant { .. } => "Does it exist?".into(),
        }
    }

    /// The answers that do something.
    fn answers(&self) -> &'static [Answer] {
        match self {
            Self::DeletePlants { .. } => const { &[Answer::new(['y'; 2], "Delete", "delete")] },
            Self::CreatePlants { .. } => const { &[Answer::new(['y'; 2], "Create", "create")] },
            Self::RemoveDeployment { .. } => const { &[Answer::new(['y'; 2], "Remove", "remove")] },
            // The title asks: yes, or no. The letters of the answers do the same.
            Self::ResolvePlant { .. } => {
                const {
                    &[
                        Answer::new(['y', 'e'], "Exists", "exists"),
                        // Not `n`, which creates it again where this question is asked.
                        Answer::new(['a'; 2], "Absent", "absent"),
                    ]
                }
            }
        }
    }

    /// The button and the verb of the answer that does nothing.
    fn refusal(&self) -> [&'static str; 2] {
        match self {
            Self::ResolvePlant { .. } => ["Leave it", "leave it"],
            _ => ["Cancel", "cancel"],
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
    plants(sheet, "Delete", ids, names, shell, theme);
    let is_gone = |id: &String| tab.plant(id).is_some_and(|plant| plant.state.is_free());
    if ids.iter().all(is_gone) {
        let again = "A delete is of use only if the service has it all the same.";
        sheet.paragraph(0, again, theme.text());
    }
    if tab.were_created_last(ids) {
        sheet.paragraph(0, "This takes your last create back.", theme.text());
    }
    let (marked, hidden) = tab.marked_of(ids);
    if marked > 0 && !shell.shared.screen.full {
        let hidden = match hidden {
            0 => String::new(),
            hidden => format!("; {hidden} not shown by the filter"),
        };
        let esc = "marked, whatever row is chosen; Esc on the tab ends a search, a filter, then the marks";
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
    plants(sheet, "Create", &ids, names, shell, theme);
    let which = if drafts.len() == 1 { "The" } else { "An" };
    let other = format!("{which} id may be of another plant by now.");
    sheet.paragraph(0, &other, theme.text());
    sheet.paragraph(0, &send::goes_to(Operation::Create, shell), theme.dim());
}

/// Adds a plant with its name and state, or the first of several, as many as have room next to
/// all else; of these the title says how many they are.
fn plants(
    sheet: &mut Sheet,
    verb: &str,
    ids: &[String],
    mut names: impl Iterator<Item = String>,
    shell: &Shell,
    theme: Theme,
) {
    let tab = &shell.tabs.plants;
    if let [id] = ids {
        let name = names.next().unwrap_or_default();
        let words = format!("{verb} plant ");
        sheet.line(&[(&words, theme.text()), (id, theme.heading())]);
        if !name.is_empty() {
            let named = format!("named {}", text::excerpt(&name, LONGEST_NAME));
            sheet.paragraph(0, &named, theme.text());
        } else if let Some(plant) = tab.plant(id)
            && let Some(named) = plant.name_at(&plant.address)
        {
            // Of another address than that of this request, which may have another plant.
            let name = text::excerpt(&named.label(), LONGEST_NAME);
            sheet.paragraph(
                0,
                &format!("at {} it is {name}", plant.address),
                theme.text(),
            );
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

/// Adds what is known of a plant that may exist.
fn plant_to_resolve(sheet: &mut Sheet, id: &str, shell: &Shell, theme: Theme) {
    let plants = &shell.tabs.plants;
    sheet.line(&[("Plant ", theme.text()), (id, theme.heading())]);
    let name = plants.name_of(id);
    if !name.is_empty() {
        sheet.paragraph(0, &name, theme.text());
    }
    if let Some(plant) = plants.plant(id) {
        let address = &plant.address;
        let known = if plant.is_said {
            let state = plant.state;
            let age = time::age(plant.since, shell.shared.now);
            format!("A person said \"{state}\" {age}; {address} has not confirmed it.")
        } else {
            format!("It is not known whether a request to {address} was done.")
        };
        sheet.paragraph(0, &known, theme.text());
    }
    let asks = "The service's operator knows; a create with this id may be refused if it exists. The answer is a line of the plant log; nothing is sent.";
    sheet.paragraph(0, asks, theme.dim());
}

impl Component for Question {
    fn labels(&self) -> Labels {
        Labels {
            title: self.deed.title(),
            keys: &[],
        }
    }

    fn footer(&self, _shell: &Shell) -> Vec<FooterKey> {
        let [_, leave] = self.deed.refusal();
        let answers = self.deed.answers().iter();
        let answers: Vec<(String, &str)> = answers
            .map(|answer| (answer.keys[0].to_string(), answer.verb))
            .collect();
        let mut keys = vec![("Enter", leave)];
        keys.extend(answers.iter().map(|(key, verb)| (key.as_str(), *verb)));
        keys.extend(self.deed.other_id().map(|_| ("i", "another id")));
        keys.push(("Esc", leave));
        dialog_keys(&keys)
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        if key.ctrl || key.alt {
            return Outcome::Stay;
        }
        let mut answers = self.deed.answers().iter();
        let answer = match (key.code, self.deed.other_id()) {
            (KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right, _) => {
                // Of two answers that differ none is given by a key pressed out of habit.
                self.focus = self.focus.xor(Some(0)).filter(|_| answers.len() == 1);
                None
            }
            (KeyCode::Enter, _) if self.focus.is_none() => {
                self.dismissed(shell);
                return Outcome::Close;
            }
            (KeyCode::Enter, _) => self.focus,
            (KeyCode::Char('i'), Some(id)) => {
                let mut prompt = Prompt::new(Purpose::PlantToDelete, id);
                prompt.field.select(true);
                return Outcome::Replace(Box::new(prompt.into()));
            }
            (KeyCode::Char(letter), _) => {
                let letter = letter.to_ascii_lowercase();
                let answer = answers.position(|answer| answer.keys.contains(&letter));
                if answer.is_none() && matches!(letter, 'n' | 'q') {
                    self.dismissed(shell);
                    return Outcome::Close;
                }
                answer
            }
            _ => None,
        };
        match answer.map(|answer| self.answer(answer, shell)) {
            Some(Ok(())) => return Outcome::Close,
            Some(Err(why)) => self.error = why,
            None => {}
        }
        Outcome::Stay
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
            Deed::ResolvePlant { id } => plant_to_resolve(sheet, id, shell, theme),
        }
        sheet.paragraph(0, &self.error, theme.bad());
        let focused = |answer, style: Style| {
            if self.focus == answer {
                style.patch(theme.chosen())
            } else {
                style
            }
        };
        let [button, leave] = self.deed.refusal();
        let mut keys = format!("Enter: {leave}");
        sheet.blank();
        sheet.blank();
        let button = format!(" {button} ");
        let mut x = sheet.at(0, &button, focused(None, theme.text()));
        let answers = self.deed.answers();
        // An answer that takes something away is seen as such.
        let usual = match answers.len() {
            1 => theme.bad(),
            _ => theme.text(),
        };
        for (index, answer) in answers.iter().enumerate() {
            let Answer {
                keys: [key, _],
                button,
                verb,
            } = answer;
            let button = format!(" {key}  {button} ");
            x = sheet.at(x + 2, &button, focused(Some(index), usual));
            keys.push_str(&format!("; {key}: {verb}"));
        }
        if self.deed.other_id().is_some() {
            keys.push_str("; i: another id");
        }
        sheet.line(&[(&keys, theme.dim())]);
    }

    fn dismissed(&mut self, shell: &mut Shell) {
        if let [answer] = self.deed.answers() {
            shell.shared.notify(format!("nothing {}d", answer.verb));
        }
    }

    fn is_question(&self) -> bool {
        // What a person found out about a plant is corrected with the same key.
        !matches!(self.deed, Deed::ResolvePlant { .. })
    }

    fn shown(&mut self) {
        self.is_shown = true;
    }
}
