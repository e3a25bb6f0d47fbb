//! A plant to create.

use super::question::{Deed, Question};
use super::token::TokenForm;
use super::{Component, Keys, Labels, Outcome, form};
use crate::dashboard::event::RequestId;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::plants::{PlantsTab, send};
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table_state::cyclic;
use crate::plant::Draft;
use crate::plant::log::Operation;
use crate::plant::state::State;
use crate::track::time;

/// The label of each field.
const LABELS: [&str; 3] = ["id", "name", "tag"];
/// An Enter that comes so soon after another one does not send what was refused again, seconds:
/// longer than a keyboard waits before it repeats a key.
const HELD_S: f64 = 1.0;
/// The columns of the form.
const WIDTH: u16 = 76;
/// The index of the last field.
const LAST: usize = LABELS.len() - 1;

/// A plant to create: id, name, tag.
#[derive(Debug, Clone)]
pub(crate) struct PlantForm {
    /// The fields in their order; boxed, as they are larger than any other dialog.
    pub fields: Box<[Field; 3]>,
    /// The text of a field before anything is typed.
    proposed: [String; 3],
    /// The index of the focused field.
    pub focus: usize,
    /// The create in progress, with the id; the form waits for its reply.
    pub sending: Option<RequestId>,
    /// Why the last attempt failed; the form keeps the typed text.
    pub failure: String,
    /// When Enter was pressed last, UNIX seconds.
    entered_at: f64,
    /// The id that the service has refused as taken, and the plant that has it, in words.
    taken: Option<(String, String)>,
}

impl PlantForm {
    /// The form with the next id and the tag of the chosen plant, which typing replaces.
    pub(in crate::dashboard) fn new(plants: &PlantsTab) -> Self {
        let tag = plants.selected().and_then(|plant| plant.created.as_ref());
        let tag = tag.map_or("", |named| named.tag.as_str());
        let proposed = [plants.proposed_id(), String::new(), tag.to_owned()];
        let mut form = Self {
            fields: Box::new(proposed.each_ref().map(|text| Field::new(text))),
            proposed,
            focus: 0,
            sending: None,
            failure: String::new(),
            entered_at: f64::NEG_INFINITY,
            taken: None,
        };
        form.go_to(0);
        form
    }

    /// The create has failed, for this reason.
    pub(in crate::dashboard) fn failed(&mut self, why: String) {
        self.sending = None;
        self.failure = why;
    }

    /// The id is taken: the cursor is on it.
    pub(in crate::dashboard) fn id_is_taken(&mut self, why: String) {
        self.failed("The id is taken, and nothing was created. Type another id.".to_owned());
        self.go_to(0);
        if let Some(field) = self.focused() {
            let id = field.text().trim().to_owned();
            field.error.clone_from(&why);
            self.taken = Some((id, why));
        }
    }

    /// The field with the cursor.
    fn focused(&mut self) -> Option<&mut Field> {
        self.fields.get_mut(self.focus)
    }

    /// Puts the cursor on a field, all of whose text is selected.
    fn go_to(&mut self, focus: usize) {
        self.focus = focus;
        for (index, field) in self.fields.iter_mut().enumerate() {
            field.select(index == focus);
        }
    }

    /// The plant, or the fault of each field; empty for none.
    fn draft(&self) -> Result<Draft, [String; 3]> {
        let [id, name, tag] = &*self.fields;
        Draft::parse(id.text(), name.text(), tag.text()).map_err(|errors| {
            [errors.id, errors.name, errors.tag]
                .map(|error| error.map_or_else(String::new, |error| error.to_string()))
        })
    }

    /// Checks the field that loses the cursor, so that its error is shown below it.
    fn check_focused(&mut self) {
        let mut errors = self.draft().err().unwrap_or_default();
        let [id, ..] = &*self.fields;
        if let Some((taken, why)) = &self.taken
            && taken == id.text().trim()
        {
            errors[0].clone_from(why);
        }
        let checked = self.fields.iter_mut().zip(errors).nth(self.focus);
        if let Some((field, error)) = checked {
            field.error = error;
        }
    }

    /// The words for a text that nobody has typed.
    fn proposal(&self, index: usize) -> &'static str {
        let text = self.fields.get(index).map_or("", Field::text);
        match self.proposed.get(index) {
            Some(proposed) if !text.is_empty() && proposed == text => {
                "proposed: typing replaces it"
            }
            _ => "",
        }
    }

    /// Moves the cursor by a number of fields.
    fn step(&mut self, by: isize) {
        self.check_focused();
        self.go_to(cyclic(self.focus, by, LABELS.len()));
    }

    /// `true` if Enter is held, or pressed again at once, since an attempt failed.
    fn is_held(&mut self, now: f64) -> bool {
        let before = std::mem::replace(&mut self.entered_at, now);
        !self.failure.is_empty() && (before..before + HELD_S).contains(&now)
    }

    /// Creates the plant if all fields are valid; one that may exist only after a question.
    fn create(&mut self, shell: &mut Shell) -> Outcome {
        let draft = match self.draft() {
            Ok(draft) => draft,
            Err(errors) => {
                let first = errors.iter().position(|error| !error.is_empty());
                self.go_to(first.unwrap_or(0));
                for (field, error) in self.fields.iter_mut().zip(errors) {
                    field.error = error;
                }
                return Outcome::Stay;
            }
        };
        self.failure.clear();
        let id = draft.id.to_string();
        let plants = &shell.tabs.plants;
        if plants.is_in_progress(&id) {
            self.failure = send::IN_PROGRESS.to_owned();
            return Outcome::Stay;
        }
        if plants.plant(&id).is_some_and(|plant| plant.state.is_open()) {
            let (drafts, left_out) = (vec![draft], String::new());
            let question = Question::new(Deed::CreatePlants { drafts, left_out });
            return Outcome::Replace(Box::new(question.into()));
        }
        self.sending = Some(send::create(shell, draft));
        Outcome::Stay
    }
}

/// What the log knows of an id that is typed; empty if that does not matter.
fn known(id: &str, shell: &Shell) -> String {
    let plants = &shell.tabs.plants;
    let state = plants.plant(id).map(|plant| plant.state);
    let state = match state {
        Some(State::Exists) => "exists",
        Some(State::Unknown | State::Sending) => "may exist",
        _ => return String::new(),
    };
    match plants.name_of(id).as_str() {
        "" => format!("plant {id} {state}"),
        name => format!("plant {id} {state}: {name}"),
    }
}

/// Why an id is taken: the plant of the log that has it.
pub(in crate::dashboard) fn taken(id: &str, shell: &Shell) -> String {
    let plants = &shell.tabs.plants;
    match plants.created_at(id) {
        Some(at) => {
            let age = time::age(at, shell.shared.now);
            format!("created from here {age} as {}", plants.name_of(id))
        }
        None if plants.may_have_created(id) => {
            "it exists, perhaps by the create whose answer was lost".to_owned()
        }
        None => "a plant has this id already".to_owned(),
    }
}

impl Component for PlantForm {
    fn labels(&self) -> Labels {
        let keys: Keys = match self.sending {
            Some(_) => &[("Esc", "close")],
            None if self.focus == LAST => &[
                ("Enter", "create"),
                ("Tab", "next field"),
                ("Esc", "cancel"),
            ],
            None => &[("Enter", "next field"), ("Esc", "cancel")],
        };
        Labels::new("New plant", keys)
    }

    fn awaits(&self) -> Option<RequestId> {
        self.sending
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        if self.sending.is_some() {
            return Outcome::Stay;
        }
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.step(1),
            KeyCode::BackTab | KeyCode::Up => self.step(-1),
            KeyCode::Enter if self.focus < LAST => {
                self.check_focused();
                if self.focused().is_some_and(|field| field.error.is_empty()) {
                    self.go_to(self.focus + 1);
                }
            }
            KeyCode::Enter if self.is_held(shell.shared.now) => {}
            KeyCode::Enter => return self.create(shell),
            // The words for a token that is refused name it. The form keeps what was typed.
            KeyCode::F(_)
                if shell.shared.screen.keymap.action(key, TabId::Plants) == Some(Action::Login) =>
            {
                return Outcome::open(TokenForm::default());
            }
            _ => {
                if self.focused().is_some_and(|field| field.key(key)) {
                    self.failure.clear();
                    if let Some(proposed) = self.proposed.get_mut(self.focus) {
                        proposed.clear();
                    }
                }
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        for (index, (label, field)) in LABELS.iter().zip(self.fields.iter()).enumerate() {
            let is_focused = index == self.focus;
            let style = if is_focused {
                theme.accent()
            } else {
                theme.dim()
            };
            let cursor = sheet.field(&format!("{label:<5} "), style, field, theme);
            if is_focused && self.sending.is_none() {
                sheet.set_cursor(cursor);
            }
            if field.error.is_empty() {
                let known = match index {
                    0 => known(field.text().trim(), shell),
                    _ => String::new(),
                };
                let words = match known.as_str() {
                    "" => self.proposal(index),
                    known => known,
                };
                sheet.line(&[(words, theme.dim())]);
            }
        }
        if self.sending.is_some() {
            form::waiting(sheet, "creating", shell, theme);
        } else {
            sheet.paragraph(0, &self.failure, theme.bad());
        }
        let address = send::goes_to(Operation::Create, shell);
        sheet.paragraph(0, &address, theme.dim());
        // Two lines for each field, and those of a failure and of the address.
        let below = if sheet.width() < WIDTH { 5 } else { 3 };
        sheet.fill(2 * LABELS.len() + below);
    }

    fn width(&self) -> Option<u16> {
        Some(WIDTH)
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        if self.sending.is_none()
            && let Some(field) = self.focused()
        {
            field.paste(text);
            self.failure.clear();
        }
    }
}
