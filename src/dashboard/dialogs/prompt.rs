//! A prompt for one line of text: a UUID, a duration, a search, a filter.

use ratatui::layout::Position as Cell;
use ratatui::widgets::{Clear, Widget};
use uuid::Uuid;

use super::palette::Command;
use super::question::{Deed, Question};
use super::{Component, Keys, Labels, Outcome, form};
use crate::alarm::AlarmReply;
use crate::dashboard::canvas::Canvas;
use crate::dashboard::deployments::deployment::Listing;
use crate::dashboard::event::RequestId;
use crate::dashboard::footer::{self, FooterKey, dialog_keys};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::{Action, Scope};
use crate::dashboard::layout::Parts;
use crate::dashboard::plants::send;
use crate::dashboard::shell::Shell;
use crate::dashboard::sought::TypedShip;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::Hint;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::plant::PlantId;
use crate::text::{self, find_uuid};
use crate::track::time;
use crate::watch::Deployment;
use crate::watch::deployment::not_a_uuid;

/// Cells of the keys after a filter or a search.
const BESIDE: u16 = 24;

/// The purpose of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A deployment to add.
    Deployment,
    /// How long the alarm with this id is not to be reminded of.
    Snooze(String),
    /// The identifier of a plant to delete.
    PlantToDelete,
    /// The file that plants are written to.
    ExportPlants,
    /// A file of plants to create.
    ImportPlants,
    /// The own ship, for the retrieval card.
    Ship,
    /// A text to find in the rows.
    Find,
    /// A filter of the rows.
    Filter,
}

const ADD: Keys = &[("Enter", "add"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
/// For a service that can list its deployments.
const ADD_FROM_LIST: Keys = &[
    ("Enter", "add"),
    ("F4", "what the service lists"),
    ("Esc", "cancel"),
];
const SNOOZE: Keys = &[("Enter", "snooze"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
const SHIP: Keys = &[("Enter", "take"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
const EXPORT: Keys = &[("Enter", "write"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
const IMPORT: Keys = &[("Enter", "create"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
/// The question comes next.
const GO_ON: Keys = &[("Enter", "go on"), ("Esc", "cancel")];
const FIND: Keys = &[("Enter", "go"), ("Esc", "back")];
const FILTER: Keys = &[("Enter", "keep"), ("Esc", "clear")];

impl Purpose {
    /// The title and the keys; and the label above the text, of a search and a filter the sign
    /// before it.
    fn words(&self) -> (Labels, &'static str) {
        let (title, keys, question) = match self {
            Self::Deployment => ("Add a deployment", ADD, "UUID, or a URL that contains one"),
            Self::Snooze(_) => (
                "Snooze alarm",
                SNOOZE,
                "No reminder for this long, e.g. 6h, 2d",
            ),
            Self::PlantToDelete => ("Delete plant", GO_ON, "Identifier of the plant"),
            Self::ExportPlants => ("Export plants", EXPORT, "Path of the file (CSV)"),
            Self::ImportPlants => (
                "Import plants",
                IMPORT,
                "Path of a table with id, name and tag; plants are sent in turn, until one is refused or unknown",
            ),
            Self::Ship => (
                "Own ship",
                SHIP,
                "Position and speed, e.g. 81.5,-20.25 10kn; with gpsd the speed alone",
            ),
            Self::Find => ("Find", FIND, "/"),
            Self::Filter => ("Filter", FILTER, "&"),
        };
        (Labels::new(title, keys), question)
    }

    /// The name of its subject, if it has one.
    fn subject(&self, shell: &Shell) -> Option<String> {
        let Self::Snooze(id) = self else {
            return None;
        };
        let alarm = shell.shared.alarms.get(id)?;
        let name = shell.shared.name_of_alarm(alarm);
        let kind = alarm.kind.word();
        Some(format!("{name}: {kind}"))
    }
}

/// A prompt for one line of text.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    pub purpose: Purpose,
    /// The text.
    pub field: Field,
    /// `true` once a value is compared: the last ones are read for it.
    compares: bool,
    /// The request that reads or writes the file; the prompt waits for it.
    awaited: Option<RequestId>,
}

impl Prompt {
    /// A prompt with a text to begin with.
    pub(in crate::dashboard) fn new(purpose: Purpose, text: &str) -> Self {
        Self {
            purpose,
            field: Field::new(text),
            compares: false,
            awaited: None,
        }
    }

    /// The file could not be read or written.
    pub(in crate::dashboard) fn failed(&mut self, why: String) {
        self.awaited = None;
        self.field.error = why;
    }

    /// The text has changed.
    fn changed(&mut self, shell: &mut Shell) {
        let text = self.field.text().to_owned();
        if !self.compares && text.contains(['<', '>']) {
            self.compares = true;
            shell.shared.read_last_values(|_| true);
        }
        match &self.purpose {
            Purpose::Filter => shell.set_filter(&text),
            Purpose::Find => shell.find(&text),
            _ => {}
        }
    }

    /// Performs the action of Enter, or returns the fault of the text.
    fn enter(&mut self, text: &str, shell: &mut Shell) -> Result<Outcome, String> {
        match &self.purpose {
            Purpose::Filter => shell.keep_filter()?,
            Purpose::Find => shell.find_typed(text)?,
            Purpose::Snooze(id) => {
                let seconds = time::parse_duration(text).map_err(|error| error.to_string())?;
                // Whole seconds, as the message shows.
                let until = (shell.shared.now + seconds).ceil();
                shell
                    .shared
                    .reply_to_alarm(Some(id), AlarmReply::SnoozedUntil(until))
            }
            Purpose::ExportPlants => {
                self.awaited = Some(send::export(shell, text)?);
                return Ok(Outcome::Stay);
            }
            Purpose::ImportPlants => {
                self.awaited = Some(send::import(shell, text)?);
                return Ok(Outcome::Stay);
            }
            Purpose::Ship => shell.shared.map.sought.ship_typed(TypedShip::parse(text)?),
            Purpose::PlantToDelete => {
                PlantId::parse(text).map_err(|error| error.to_string())?;
                let ids = vec![text.to_owned()];
                let question = Question::new(Deed::DeletePlants { ids });
                return Ok(Outcome::Replace(Box::new(question.into())));
            }
            Purpose::Deployment => {
                let id = match &shell.shared.service.remote {
                    None => {
                        let uuid = find_uuid(text)
                            .ok_or_else(|| format!("no UUID in it. {}", not_a_uuid(text)))?;
                        let namesake = shell.shared.service.namesakes.get(&uuid);
                        namesake.cloned().unwrap_or_else(|| uuid.into())
                    }
                    Some(service) => {
                        (service.deployment(text)).map_err(|why| format!("no id: {why}"))?
                    }
                };
                let uuid = id.uuid;
                if let Some(known) = already_watched(shell, uuid) {
                    return Err(known);
                }
                shell.shared.screen.show_tab(TabId::Deployments);
                shell.add_deployment(Deployment::new(id));
                shell.shared.fetch(uuid);
            }
        };
        Ok(Outcome::Close)
    }

    /// Draws it on the line of the footer, so that the rows stay visible.
    fn draw_on_footer(&self, canvas: &mut Canvas<'_>, shell: &Shell) -> Option<Cell> {
        let theme = canvas.theme;
        let buffer = &mut *canvas.buffer;
        let line = canvas.layout.footer;
        Clear.render(line, buffer);
        let (line, keys) = line.split_left(line.width.saturating_sub(BESIDE));
        canvas.memory.targets.footer = footer::draw(buffer, keys, self.footer(shell), theme);
        let mut sheet = Sheet::new(line.width);
        let sign = self.purpose.words().1;
        let cursor = sheet.field(sign, theme.accent(), &self.field, theme);
        sheet.set_cursor(cursor);
        let typed = self.field.text();
        if typed.is_empty() {
            let searched = searched_in(&self.purpose, shell);
            let hint = text::fit(&searched, usize::from(line.width.saturating_sub(3)));
            put(buffer, line.at(2, 0), &hint, theme.dim());
        } else {
            // There is no line below for its fault.
            let x = cells(typed) + 3;
            let room = usize::from(line.width.saturating_sub(x + 2));
            let error = text::fit(&self.field.error, room);
            put(buffer, line.at(x, 0), &error, theme.bad());
        }
        sheet.draw(buffer, line, theme)
    }
}

impl Component for Prompt {
    fn labels(&self) -> Labels {
        self.purpose.words().0
    }

    fn footer(&self, shell: &Shell) -> Vec<FooterKey> {
        dialog_keys(match (&self.purpose, &shell.shared.service.remote) {
            (Purpose::Deployment, Some(_)) => ADD_FROM_LIST,
            _ if self.awaited.is_some() => &[("Esc", "close")],
            _ => self.labels().keys,
        })
    }

    fn awaits(&self) -> Option<RequestId> {
        self.awaited
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        match key.code {
            _ if self.awaited.is_some() => {}
            KeyCode::F(4) if self.purpose == Purpose::Deployment => {
                let list = Command::Act(Action::ListOfService, Scope::On(TabId::Deployments));
                return Outcome::Run(list);
            }
            KeyCode::Enter => {
                let text = self.field.text().trim().to_owned();
                match self.enter(&text, shell) {
                    Ok(outcome) => return outcome,
                    Err(error) => self.field.error = error,
                }
            }
            _ => {
                if self.field.key(key) {
                    self.changed(shell);
                }
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        if let Some(name) = self.purpose.subject(shell) {
            sheet.line(&[("of ", theme.dim()), (&name, theme.heading())]);
        }
        let question = match (&self.purpose, &shell.shared.service.remote) {
            (Purpose::Deployment, Some(_)) => "What the service calls it",
            (purpose, _) => purpose.words().1,
        };
        sheet.paragraph(0, question, theme.dim());
        let cursor = sheet.field("", theme.text(), &self.field, theme);
        if self.awaited.is_some() {
            let word = match self.purpose {
                Purpose::ImportPlants => "reading",
                _ => "writing",
            };
            form::waiting(sheet, word, shell, theme);
            return;
        }
        sheet.set_cursor(cursor);
        if self.field.error.is_empty() {
            sheet.blank();
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, shell: &Shell) -> Option<Cell> {
        match self.purpose {
            Purpose::Filter | Purpose::Find => self.draw_on_footer(canvas, shell),
            _ => self.draw_framed(canvas, shell),
        }
    }

    /// A filter and a search change with it, as with typed text.
    fn paste(&mut self, text: &str, shell: &mut Shell) {
        if self.awaited.is_some() {
            return;
        }
        self.field.paste(text);
        if matches!(self.purpose, Purpose::Filter | Purpose::Find) {
            self.changed(shell);
        }
    }

    fn dismissed(&mut self, shell: &mut Shell) {
        match self.purpose {
            Purpose::Filter => shell.set_filter(""),
            Purpose::Find => shell.abandon_search(),
            Purpose::ImportPlants if self.awaited.is_some() => {
                shell.tabs.plants.stop_import(&mut shell.shared);
            }
            _ => {}
        }
    }
}

/// The message for a deployment that is on the list.
fn already_watched(shell: &Shell, uuid: Uuid) -> Option<String> {
    let known = shell.shared.deployments.get(uuid)?;
    let is_listed = known.listing != Listing::Shown;
    is_listed.then(|| format!("on the list already: {}", known.name()))
}

/// The hint in the empty field of a search or a filter: what it searches, and what else
/// can be typed.
fn searched_in(purpose: &Purpose, shell: &Shell) -> String {
    let of = match purpose {
        Purpose::Find => Hint::Find,
        _ => Hint::Filter,
    };
    let members = shell.tab().hint(&shell.shared, of);
    match (purpose, shell.filter()) {
        (Purpose::Filter, filter) if !filter.is_empty() => {
            format!("now {}; {members}", text::fit_name(filter, 24))
        }
        _ => members,
    }
}
