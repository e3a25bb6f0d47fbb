//! Keys in the dialogs that ask for one thing: a UUID, a name, a limit, a
//! filter, a token, a path.

use uuid::Uuid;

use super::KeyResult;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::said::Said;
use crate::app::state::Model;
use crate::app::state::deployment::Listing;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::export::ExportForm;
use crate::app::state::dialog::field::Field;
use crate::app::state::dialog::plant::DeletePlant;
use crate::app::state::dialog::prompt::{Prompt, Purpose};
use crate::app::state::dialog::token::TokenForm;
use crate::app::state::tab::Tab;
use crate::geo::circle::{NoCircle, WatchCircle, radius};
use crate::geo::{Inside, Position, speed};
use crate::plant::PlantId;
use crate::text::find_uuid;
use crate::track::deployment::not_a_uuid;
use crate::track::{Deployment, time};

impl Prompt {
    /// Stays open with what is wrong with the text.
    fn refused(&mut self, error: String) -> KeyResult {
        self.field.error = error;
        KeyResult::Stay(Vec::new())
    }
}

/// What a text is parsed to; `None` for an empty one.
fn unless_empty<T, E>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, E> {
    match text {
        "" => Ok(None),
        _ => parse(text).map(Some),
    }
}

impl Model {
    pub(super) fn key_to_prompt(&mut self, prompt: &mut Prompt, key: Key) -> KeyResult {
        if let (KeyCode::Tab, Some((proposed, _))) = (key.code, &prompt.proposal) {
            prompt.field = Field::new(proposed);
            return KeyResult::Stay(Vec::new());
        }
        if key.code != KeyCode::Enter {
            let changed = prompt.field.key(key);
            let text = prompt.field.text().to_owned();
            match prompt.purpose {
                Purpose::Filter if changed => {
                    return KeyResult::Stay(self.set_filter(&text));
                }
                Purpose::Find if changed => return KeyResult::Stay(self.find(&text)),
                Purpose::Circle(uuid) if changed => {
                    let typed = self.inside_typed(uuid, text.trim()).ok().flatten();
                    let small = typed.and_then(|inside| inside.too_small());
                    prompt.field.error = small.unwrap_or_default();
                }
                Purpose::Deployment if changed => {
                    prompt.field.error = match find_uuid(&text) {
                        Some(uuid) => self.already_watched(uuid),
                        None => String::new(),
                    };
                }
                _ => {}
            }
            return KeyResult::Stay(Vec::new());
        }
        let text = prompt.field.text().trim().to_owned();
        match prompt.purpose {
            Purpose::Filter => {
                self.keep_filter();
                KeyResult::Close(Vec::new())
            }
            Purpose::Find => match self.find_typed(&text) {
                Ok(()) => KeyResult::Close(Vec::new()),
                Err(reason) => {
                    prompt.field.error = reason;
                    KeyResult::Stay(Vec::new())
                }
            },
            Purpose::Label(uuid) => {
                let label = (!text.is_empty()).then_some(text);
                KeyResult::Close(self.edit(uuid, |one| one.label = label))
            }
            Purpose::Circle(uuid) => match self.inside_typed(uuid, &text) {
                Ok(inside) => KeyResult::Close(self.edit(uuid, |one| one.limits.inside = inside)),
                Err(words) => prompt.refused(words),
            },
            Purpose::MaxAge(uuid) => match unless_empty(&text, time::parse_duration) {
                Ok(age) => KeyResult::Close(self.edit(uuid, |one| one.limits.max_age_s = age)),
                Err(error) => prompt.refused(error.to_string()),
            },
            Purpose::MaxSpeed(uuid) => match unless_empty(&text, speed::parse) {
                Ok(limit) => {
                    KeyResult::Close(self.edit(uuid, |one| one.limits.max_speed_m_s = limit))
                }
                Err(error) => prompt.refused(error.to_string()),
            },
            Purpose::Notes(uuid) => {
                let notes = (!text.is_empty()).then_some(text);
                KeyResult::Close(self.edit(uuid, |one| one.notes = notes))
            }
            Purpose::Snooze => match time::parse_duration(&text) {
                Ok(seconds) => {
                    // A whole second, as it is shown and told.
                    let until = (self.now + seconds).ceil();
                    KeyResult::Close(self.say_of_chosen(Said::SnoozedUntil(until)))
                }
                Err(error) => prompt.refused(error.to_string()),
            },
            Purpose::PlantToDelete => match PlantId::parse(&text) {
                Ok(_) => {
                    self.dialogs.push(Dialog::DeletePlant(DeletePlant::new(
                        &text,
                        None,
                        &self.address,
                    )));
                    self.shown = false;
                    KeyResult::Close(Vec::new())
                }
                Err(error) => {
                    prompt.field.error = error.to_string();
                    KeyResult::Stay(Vec::new())
                }
            },
            Purpose::Deployment => match find_uuid(&text) {
                None => {
                    prompt.field.error = format!("no UUID in it. {}", not_a_uuid(&text));
                    KeyResult::Stay(Vec::new())
                }
                Some(uuid) if !self.already_watched(uuid).is_empty() => {
                    prompt.field.error = self.already_watched(uuid);
                    KeyResult::Stay(Vec::new())
                }
                Some(uuid) => {
                    self.tab = Tab::Deployments;
                    let mut effects = self.add_deployment(Deployment::new(uuid));
                    effects.extend(self.fetch(uuid));
                    KeyResult::Close(effects)
                }
            },
        }
    }

    /// A watch circle as it was typed: whole, or its radius with a unit about the
    /// latest fix. The name of the area that is set leaves it as it is.
    fn inside_typed(&self, uuid: Uuid, text: &str) -> Result<Option<Inside>, String> {
        let one = self.deployments.get(uuid);
        let known = one.and_then(|one| one.deployment.limits.inside.as_ref());
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
            let latest = one.and_then(|deployment| deployment.overview()?.latest);
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

    fn already_watched(&self, uuid: Uuid) -> String {
        self.deployments
            .get(uuid)
            .filter(|deployment| deployment.listing != Listing::Shown)
            .map_or_else(String::new, |deployment| {
                format!("on the list already: {}", deployment.name())
            })
    }

    pub(super) fn key_to_token(&mut self, form: &mut TokenForm, key: Key) -> KeyResult {
        if form.trying.is_some() {
            return KeyResult::Stay(Vec::new());
        }
        if key.code != KeyCode::Enter {
            form.secret.key(key);
            form.error = form.secret.fault().unwrap_or_default();
            return KeyResult::Stay(Vec::new());
        }
        if form.secret.count() == 0 {
            form.error = "type or paste a token first".to_owned();
            return KeyResult::Stay(Vec::new());
        }
        if let Some(fault) = form.secret.fault() {
            form.error = fault;
            return KeyResult::Stay(Vec::new());
        }
        let request = self.next_request();
        form.trying = Some(request);
        KeyResult::Stay(vec![Effect::TryToken {
            request,
            token: form.secret.secret(),
            deployments: self.token_test(),
        }])
    }

    pub(super) fn key_to_export(&mut self, form: &mut ExportForm, key: Key) -> KeyResult {
        if form.writing.is_some() {
            return KeyResult::Stay(Vec::new());
        }
        match key.code {
            KeyCode::Tab => form.turn(1),
            KeyCode::BackTab => form.turn(-1),
            KeyCode::Down => form.turn_scope(1),
            KeyCode::Up => form.turn_scope(-1),
            KeyCode::Enter => return KeyResult::Stay(self.export(form)),
            _ => {
                if form.path.key(key) {
                    form.confirm_replace = false;
                }
            }
        }
        KeyResult::Stay(Vec::new())
    }
}
