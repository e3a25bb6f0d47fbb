//! A prompt for one line of text: a UUID, a name, a limit, a filter.

use ratatui::buffer::Buffer;
use ratatui::layout::Position as Cell;
use ratatui::widgets::{Clear, Widget};
use uuid::Uuid;

use super::delete_plant::DeletePlant;
use super::{Component, Keys, Labels, Outcome};
use crate::dashboard::alarms::said::Said;
use crate::dashboard::deployments::deployment::{DeploymentState, Listing};
use crate::dashboard::effect::Effect;
use crate::dashboard::frame::footer;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Area;
use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;
use crate::dashboard::targets::Targets;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::paint::{put, rect};
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::geo::circle::{NoCircle, WatchCircle, radius};
use crate::geo::{Inside, Position, speed};
use crate::plant::PlantId;
use crate::text::{self, find_uuid};
use crate::track::deployment::not_a_uuid;
use crate::track::{Deployment, time};

/// Cells of the keys beside a filter or a search.
const BESIDE: u16 = 24;

/// The purpose of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A deployment to add.
    Deployment,
    /// A new label for a deployment.
    Label(Uuid),
    /// The circle that a deployment should stay in.
    Circle(Uuid),
    /// How old a deployment's last fix may be.
    MaxAge(Uuid),
    /// The speed limit of the quality tests of a deployment.
    MaxSpeed(Uuid),
    /// Notes about a deployment.
    Notes(Uuid),
    /// How long the alarm with this id is not to be reminded of.
    Snooze(String),
    /// The identifier of a plant to delete.
    PlantToDelete,
    /// A text to find in the rows.
    Find,
    /// A filter of the rows.
    Filter,
}

/// The words of a purpose.
struct Words {
    /// The title on the frame, and the keys.
    labels: Labels,
    /// The label above the text; of a search and a filter, the sign before it.
    question: &'static str,
}

const SET: Keys = &[("Enter", "set"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
const ADD: Keys = &[("Enter", "add"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
const SNOOZE: Keys = &[("Enter", "snooze"), ("Ctrl-U", "empty"), ("Esc", "cancel")];
/// The question comes next.
const GO_ON: Keys = &[("Enter", "go on"), ("Esc", "cancel")];
const FIND: Keys = &[("Enter", "go"), ("Esc", "back")];
const FILTER: Keys = &[("Enter", "keep"), ("Esc", "clear")];

impl Purpose {
    fn words(&self) -> Words {
        let (title, keys, question) = match self {
            Self::Deployment => ("Add a deployment", ADD, "UUID, or a URL that contains one"),
            Self::Label(_) => ("Rename", SET, "New label"),
            Self::Circle(_) => (
                "Watch circle",
                SET,
                "LAT,LON,RADIUS such as 50.1,-144.5,5km; or 300m alone: around the latest fix",
            ),
            Self::MaxAge(_) => (
                "Maximum age of last fix",
                SET,
                "Alarm if the last fix is older, e.g. 6h",
            ),
            Self::MaxSpeed(_) => (
                "Speed limit of the quality tests",
                SET,
                "Instead of the platform's, e.g. 10kn, 5m/s, 18km/h",
            ),
            Self::Notes(_) => ("Notes", SET, "Notes"),
            Self::Snooze(_) => (
                "Snooze alarm",
                SNOOZE,
                "No reminder for this long, e.g. 6h, 2d",
            ),
            Self::PlantToDelete => ("Delete plant", GO_ON, "Identifier of the plant"),
            Self::Find => ("Find", FIND, "/"),
            Self::Filter => ("Filter", FILTER, "&"),
        };
        Words {
            labels: Labels::new(title, keys),
            question,
        }
    }

    /// The deployment that it changes, if it is on the list.
    fn deployment(&self) -> Option<Uuid> {
        match self {
            Self::Label(uuid)
            | Self::Circle(uuid)
            | Self::MaxAge(uuid)
            | Self::MaxSpeed(uuid)
            | Self::Notes(uuid) => Some(*uuid),
            Self::Deployment
            | Self::Snooze(_)
            | Self::PlantToDelete
            | Self::Find
            | Self::Filter => None,
        }
    }

    /// The name of what it is about, if it is about something.
    fn subject(&self, model: &Model) -> Option<String> {
        if let Self::Snooze(id) = self {
            let alarm = model.alarms.get(id)?;
            return Some(format!(
                "{}: {}",
                model.name_of_alarm(alarm),
                alarm.kind.word()
            ));
        }
        let uuid = self.deployment()?;
        let known = model.deployments.get(uuid);
        Some(known.map_or_else(|| uuid.to_string(), |known| known.name()))
    }
}

/// A prompt for one line of text.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    /// Its purpose.
    pub purpose: Purpose,
    /// The text.
    pub field: Field,
    /// A text that Tab takes, and why.
    pub proposal: Option<(String, String)>,
}

impl Prompt {
    /// A prompt with a text to begin with.
    pub(in crate::dashboard) fn new(purpose: Purpose, text: &str) -> Self {
        Self {
            purpose,
            field: Field::new(text),
            proposal: None,
        }
    }

    /// The prompt of an action on a deployment, filled with what is set.
    pub(in crate::dashboard) fn editing(action: Action, known: &DeploymentState) -> Self {
        let entry = &known.deployment;
        let (uuid, limits) = (entry.uuid, &entry.limits);
        let (purpose, text) = match action {
            Action::SetCircle => {
                let circle = limits.inside.as_ref().map(Inside::to_string);
                (Purpose::Circle(uuid), circle)
            }
            Action::SetMaxAge => {
                let age = limits.max_age_s.map(|age| format!("{age}s"));
                (Purpose::MaxAge(uuid), age)
            }
            Action::SetMaxSpeed => {
                let limit = limits.max_speed_m_s.map(speed::text);
                (Purpose::MaxSpeed(uuid), limit)
            }
            Action::SetNotes => (Purpose::Notes(uuid), entry.notes.clone()),
            _ => (Purpose::Label(uuid), entry.label.clone()),
        };
        let mut prompt = Self::new(purpose, &text.unwrap_or_default());
        prompt.propose(known);
        prompt
    }

    /// Proposes the watch circle that the track of its deployment suggests, as it is typed.
    pub(in crate::dashboard) fn propose(&mut self, known: &DeploymentState) {
        if self.proposal.is_none() && self.purpose == Purpose::Circle(known.deployment.uuid) {
            let proposed = known.track.get().and_then(|track| track.proposed_circle());
            self.proposal = proposed.map(|(circle, why)| (Inside::Circle(circle).to_string(), why));
        }
    }

    /// The text has changed.
    fn changed(&mut self, model: &mut Model) -> Vec<Effect> {
        let text = self.field.text().to_owned();
        match &self.purpose {
            Purpose::Filter => return model.set_filter(&text),
            Purpose::Find => return model.find(&text),
            Purpose::Circle(uuid) => {
                let typed = inside_typed(model, *uuid, text.trim()).ok().flatten();
                let small = typed.and_then(|inside| inside.too_small());
                self.field.error = small.unwrap_or_default();
            }
            Purpose::Deployment => {
                let uuid = find_uuid(&text);
                let known = uuid.and_then(|uuid| already_watched(model, uuid));
                self.field.error = known.unwrap_or_default();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Does what Enter is for, or returns the fault of the text.
    fn enter(&self, text: &str, model: &mut Model) -> Result<Outcome, String> {
        let set = (!text.is_empty()).then(|| text.to_owned());
        let effects = match &self.purpose {
            Purpose::Filter => {
                model.keep_filter();
                Vec::new()
            }
            Purpose::Find => {
                model.find_typed(text)?;
                Vec::new()
            }
            Purpose::Label(uuid) => model.edit(*uuid, |entry| entry.label = set),
            Purpose::Notes(uuid) => model.edit(*uuid, |entry| entry.notes = set),
            Purpose::Circle(uuid) => {
                let inside = inside_typed(model, *uuid, text)?;
                model.edit(*uuid, |entry| entry.limits.inside = inside)
            }
            Purpose::MaxAge(uuid) => {
                let age = set.map(|text| time::parse_duration(&text)).transpose();
                let age = age.map_err(|error| error.to_string())?;
                model.edit(*uuid, |entry| entry.limits.max_age_s = age)
            }
            Purpose::MaxSpeed(uuid) => {
                let limit = set.map(|text| speed::parse(&text)).transpose();
                let limit = limit.map_err(|error| error.to_string())?;
                model.edit(*uuid, |entry| entry.limits.max_speed_m_s = limit)
            }
            Purpose::Snooze(id) => {
                let seconds = time::parse_duration(text).map_err(|error| error.to_string())?;
                // A whole second, as it is shown and told.
                let until = (model.now + seconds).ceil();
                model.say_of_alarm(Some(id), Said::SnoozedUntil(until))
            }
            Purpose::PlantToDelete => {
                PlantId::parse(text).map_err(|error| error.to_string())?;
                model.shown = false;
                let question = DeletePlant {
                    id: text.to_owned(),
                    address: model.address.clone(),
                    ..DeletePlant::default()
                };
                return Ok(Outcome::Replace(Box::new(question.into())));
            }
            Purpose::Deployment => {
                let uuid = find_uuid(text);
                let uuid = uuid.ok_or_else(|| format!("no UUID in it. {}", not_a_uuid(text)))?;
                if let Some(known) = already_watched(model, uuid) {
                    return Err(known);
                }
                model.tab = Tab::Deployments;
                let mut effects = model.add_deployment(Deployment::new(uuid));
                effects.extend(model.fetch(uuid));
                effects
            }
        };
        Ok(Outcome::Close(effects))
    }

    /// Draws it on the line of the footer, so that the rows stay visible.
    fn draw_on_footer(
        &self,
        buffer: &mut Buffer,
        model: &Model,
        theme: Theme,
        targets: &mut Targets,
    ) -> Option<Cell> {
        let screen = Area::new(0, 0, buffer.area.width, buffer.area.height);
        let line = screen.split_bottom(1).1;
        Clear.render(rect(line), buffer);
        let (line, keys) = line.split_left(line.width.saturating_sub(BESIDE));
        targets.footer = footer(buffer, keys, self.footer(model), theme);
        let mut sheet = Sheet::new(line.width);
        let sign = self.purpose.words().question;
        let cursor = sheet.field(sign, theme.accent(), &self.field, theme);
        sheet.set_cursor(cursor);
        let text = self.field.text();
        if text.is_empty() {
            let hint = searched_in(&self.purpose, model);
            let hint = text::fit(&hint, usize::from(line.width.saturating_sub(3)));
            put(buffer, line.at(2, 0), &hint, theme.dim());
        } else {
            // There is no line below for what is wrong with it.
            let error = self.field.error.as_str();
            put(buffer, line.at(cells(text) + 3, 0), error, theme.bad());
        }
        sheet.draw(buffer, line)
    }
}

impl Component for Prompt {
    fn labels(&self) -> Labels {
        self.purpose.words().labels
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        match (key.code, &self.proposal) {
            (KeyCode::Tab, Some((proposed, _))) => self.field = Field::new(proposed),
            (KeyCode::Enter, _) => {
                let text = self.field.text().trim().to_owned();
                match self.enter(&text, model) {
                    Ok(outcome) => return outcome,
                    Err(error) => self.field.error = error,
                }
            }
            _ => {
                if self.field.key(key) {
                    return Outcome::Stay(self.changed(model));
                }
            }
        }
        Outcome::stay()
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        if let Some(name) = self.purpose.subject(model) {
            sheet.line(&[("of ", theme.dim()), (&name, theme.heading())]);
        }
        sheet.paragraph(0, self.purpose.words().question, theme.dim());
        let cursor = sheet.field("", theme.text(), &self.field, theme);
        sheet.set_cursor(cursor);
        if let Some((proposed, why)) = &self.proposal {
            sheet.paragraph(0, &format!("Tab: {proposed} ({why})"), theme.dim());
        }
        if self.purpose.deployment().is_some() {
            sheet.blank();
            let keys = "Enter saves, Esc cancels; empty clears";
            sheet.paragraph(0, keys, theme.dim());
        } else if self.field.error.is_empty() {
            sheet.blank();
        }
    }

    fn draw(
        &self,
        buffer: &mut Buffer,
        model: &Model,
        theme: Theme,
        targets: &mut Targets,
    ) -> Option<Cell> {
        match self.purpose {
            Purpose::Filter | Purpose::Find => self.draw_on_footer(buffer, model, theme, targets),
            _ => self.draw_framed(buffer, model, theme, targets),
        }
    }

    /// A filter and a search change with it, as with typed text.
    fn paste(&mut self, text: &str, model: &mut Model) -> Vec<Effect> {
        self.field.paste(text);
        match self.purpose {
            Purpose::Filter | Purpose::Find => self.changed(model),
            _ => Vec::new(),
        }
    }

    fn dismissed(&mut self, model: &mut Model) -> Vec<Effect> {
        match self.purpose {
            Purpose::Filter => return model.set_filter(""),
            Purpose::Find => model.abandon_search(),
            _ => {}
        }
        Vec::new()
    }
}

/// A watch circle as it was typed: whole, or its radius with a unit about the latest
/// fix. The name of the area that is set leaves it as it is.
fn inside_typed(model: &Model, uuid: Uuid, text: &str) -> Result<Option<Inside>, String> {
    let deployment = model.deployments.get(uuid);
    let known = deployment.and_then(|known| known.deployment.limits.inside.as_ref());
    match known {
        _ if text.is_empty() => return Ok(None),
        Some(area @ Inside::Area(_)) if area.to_string() == text => {
            return Ok(Some(area.clone()));
        }
        _ => {}
    }
    if let Some(radius_m) = radius(text) {
        if text.parse::<f64>().is_ok() {
            return Err(format!("give a unit: {text}m, {text}km or {text}nm"));
        }
        let latest = deployment.and_then(|known| known.overview()?.latest);
        // To a metre, so that the field shows no digits that mean nothing.
        let rounded = |degrees: f64| (degrees * 1e5).round() / 1e5;
        let centre = latest.and_then(|fix| {
            let position = fix.position;
            Position::new(rounded(position.latitude), rounded(position.longitude))
        });
        return centre
            .map(|centre| Some(Inside::Circle(WatchCircle { centre, radius_m })))
            .ok_or_else(|| "there is no fix yet to put it about".to_owned());
    }
    text.parse()
        .map(|circle| Some(Inside::Circle(circle)))
        .map_err(|error: NoCircle| error.to_string())
}

/// That a deployment is on the list, if it is.
fn already_watched(model: &Model, uuid: Uuid) -> Option<String> {
    let known = model.deployments.get(uuid)?;
    let is_listed = known.listing != Listing::Shown;
    is_listed.then(|| format!("on the list already: {}", known.name()))
}

/// The hint in the empty field of a search or a filter: where it looks.
fn searched_in(purpose: &Purpose, model: &Model) -> String {
    let members = match model.tab {
        Tab::Deployments => "name, UUID, platform, group, status, notes",
        Tab::Track => "time, position, flag, reason",
        Tab::Plants => "id, name, tag, state",
        Tab::Activity => "URL, method, status, outcome",
    };
    if *purpose == Purpose::Find {
        return match model.tab {
            Tab::Track => {
                format!("find in {members}; @2026-11-06 12:00: go to a time, #12: to a fix")
            }
            _ => format!("find in {members}"),
        };
    }
    let now = match model.filter() {
        "" => String::new(),
        filter => format!("now {}; ", text::fit_name(filter, 24)),
    };
    match model.tab {
        // The words first: what they are looked for in is the longer part.
        Tab::Deployments => {
            format!("{now}group:ice status:overdue \"two words\" buoy: all required, in {members}")
        }
        Tab::Track => format!("{now}show rows containing: {members}"),
        Tab::Plants | Tab::Activity => {
            format!("{now}show rows containing all words: {members}")
        }
    }
}
