//! Dialogs that ask for one thing: a token, a UUID, a name, a path, a filter.

use strum::VariantArray;
use uuid::Uuid;

use super::{Dialog, Field, KeyResult, SecretField};
use crate::app::deployments::Deployment;
use crate::app::effect::Effect;
use crate::app::event::{RequestId, Watched};
use crate::app::key::{Key, KeyCode};
use crate::app::model::{Model, Tab};
use crate::choice;
use crate::export::Format;
use crate::geo::circle::{NoCircle, WatchCircle, radius};
use crate::plant::PlantId;
use crate::text::find_uuid;
use crate::track::{Limits, Platform};

/// What a line of text is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A deployment to add.
    Deployment,
    /// A new label for a deployment.
    Label(Uuid),
    /// The circle that a deployment should stay in.
    Circle(Uuid),
    /// How old a deployment's last fix may be.
    MaxAge(Uuid),
    /// Notes about a deployment.
    Notes(Uuid),
    /// The identifier of a plant to delete.
    PlantToDelete,
    /// What the rows are filtered by.
    Filter,
}

impl Purpose {
    /// The title on its frame.
    pub fn title(self) -> &'static str {
        match self {
            Self::Deployment => "Add a deployment",
            Self::Label(_) => "Rename",
            Self::Circle(_) => "Watch circle",
            Self::MaxAge(_) => "Oldest fix",
            Self::Notes(_) => "Notes",
            Self::PlantToDelete => "Delete plant",
            Self::Filter => "Filter",
        }
    }

    /// What is asked for.
    pub fn question(self) -> &'static str {
        match self {
            Self::Deployment => "UUID, or an address that holds one",
            Self::Label(_) => "New label; empty takes it away",
            Self::Circle(_) => "LAT,LON,RADIUS, or a radius about the latest fix; empty: none",
            Self::MaxAge(_) => "Alarm when the last fix is older, such as 6h; empty: none",
            Self::Notes(_) => "What is worth knowing; empty takes it away",
            Self::PlantToDelete => "Identifier of the plant",
            Self::Filter => "Rows that hold",
        }
    }
}

/// One line of text for some purpose.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// The text.
    pub field: Field,
}

impl Prompt {
    pub(in crate::app) fn new(purpose: Purpose, text: &str) -> Self {
        Self {
            purpose,
            field: Field::new(text),
        }
    }
}

/// Takes a token and says what became of it.
#[derive(Debug, Clone, Default)]
pub struct TokenForm {
    /// The token, never shown.
    pub secret: SecretField,
    /// Why a token is asked for.
    pub why: String,
    /// The request that tries it.
    pub trying: Option<RequestId>,
    /// Why the last one was not taken.
    pub error: String,
}

/// A track to a file.
#[derive(Debug, Clone)]
pub struct ExportForm {
    /// The deployment.
    pub deployment: Uuid,
    /// Its label.
    pub label: Option<String>,
    /// The format.
    pub format: Format,
    /// The path.
    pub path: Field,
    /// Whether the file is there and Enter once more replaces it.
    pub confirm_replace: bool,
    /// The request that writes it.
    pub writing: Option<RequestId>,
}

impl ExportForm {
    pub(super) fn new(deployment: &Deployment) -> Self {
        let format = Format::Csv;
        Self {
            deployment: deployment.uuid,
            label: deployment.label.clone(),
            format,
            path: Field::new(&format!("{}.{}", file_stem(deployment), format.extension())),
            confirm_replace: false,
            writing: None,
        }
    }

    /// The formats by name, and whether each is the chosen one.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, bool)> {
        Format::VARIANTS
            .iter()
            .map(|format| (format.name(), *format == self.format))
    }

    /// Another format; the path's extension follows.
    fn turn(&mut self, by: isize) {
        let before = self.format.extension();
        self.format = choice::step(self.format, by);
        if let Some(stem) = self.path.text().strip_suffix(&format!(".{before}")) {
            self.path = Field::new(&format!("{stem}.{}", self.format.extension()));
        }
        self.confirm_replace = false;
    }
}

/// A file name out of a label: letters, digits, `-` and `_` stay.
fn file_stem(deployment: &Deployment) -> String {
    let stem: String = deployment
        .name()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '_'
            }
        })
        .take(80)
        .collect();
    if stem.is_empty() {
        deployment.uuid.to_string()
    } else {
        stem
    }
}

/// Asks before leaving while a create or delete is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuitDialog {
    /// Whether to leave as soon as all are answered.
    pub waiting: bool,
}

impl Model {
    pub(super) fn key_to_prompt(&mut self, prompt: &mut Prompt, key: Key) -> KeyResult {
        if key.code != KeyCode::Enter {
            let changed = prompt.field.key(key);
            let text = prompt.field.text().to_owned();
            match prompt.purpose {
                Purpose::Filter if changed => self.set_filter(&text),
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
            Purpose::Filter => KeyResult::Close(Vec::new()),
            Purpose::Label(uuid) => {
                let label = (!text.is_empty()).then_some(text);
                self.amend(uuid, |one| one.label = label)
            }
            Purpose::Circle(uuid) => match self.circle_typed(uuid, &text) {
                Ok(circle) => self.amend(uuid, |one| one.limits.circle = circle),
                Err(words) => {
                    prompt.field.error = words;
                    KeyResult::Stay(Vec::new())
                }
            },
            Purpose::MaxAge(uuid) if text.is_empty() => {
                self.amend(uuid, |one| one.limits.max_age_s = None)
            }
            Purpose::MaxAge(uuid) => match crate::track::time::parse_duration(&text) {
                Ok(age) => self.amend(uuid, |one| one.limits.max_age_s = Some(age)),
                Err(error) => {
                    prompt.field.error = error.to_string();
                    KeyResult::Stay(Vec::new())
                }
            },
            Purpose::Notes(uuid) => {
                let notes = (!text.is_empty()).then_some(text);
                self.amend(uuid, |one| one.notes = notes)
            }
            Purpose::PlantToDelete => match PlantId::parse(&text) {
                Ok(_) => {
                    self.dialogs
                        .push(Dialog::delete_plant(&text, None, self.now));
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
                    prompt.field.error =
                        "no UUID in it: 8-4-4-4-12 hexadecimal digits are looked for".to_owned();
                    KeyResult::Stay(Vec::new())
                }
                Some(uuid) if self.deployments.get(uuid).is_some() => {
                    prompt.field.error = self.already_watched(uuid);
                    KeyResult::Stay(Vec::new())
                }
                Some(uuid) => {
                    let watched = Watched {
                        uuid,
                        label: None,
                        platform: Platform::default(),
                        limits: Limits::default(),
                        notes: None,
                    };
                    self.deployments.add(watched.clone(), self.now);
                    self.deployments.arrange(self.now);
                    self.deployments.select(uuid);
                    self.tab = Tab::Deployments;
                    let mut effects = vec![Effect::Watch(watched)];
                    effects.extend(self.fetch(uuid));
                    KeyResult::Close(effects)
                }
            },
        }
    }

    /// Changes a deployment's entry and keeps it.
    fn amend(&mut self, uuid: Uuid, change: impl FnOnce(&mut Deployment)) -> KeyResult {
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return KeyResult::Close(Vec::new());
        };
        change(deployment);
        let watched = deployment.watched();
        self.deployments.arrange(self.now);
        KeyResult::Close(vec![Effect::Watch(watched)])
    }

    /// A watch circle as it was typed: whole, or its radius about the latest
    /// fix.
    fn circle_typed(&self, uuid: Uuid, text: &str) -> Result<Option<WatchCircle>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(radius_m) = radius(text) {
            let latest = self
                .deployments
                .get(uuid)
                .and_then(|deployment| deployment.track.get()?.latest());
            return latest
                .map(|fix| {
                    Some(WatchCircle {
                        centre: fix.position,
                        radius_m,
                    })
                })
                .ok_or_else(|| "there is no fix yet to put it about".to_owned());
        }
        text.parse()
            .map(Some)
            .map_err(|error: NoCircle| error.to_string())
    }

    fn already_watched(&self, uuid: Uuid) -> String {
        self.deployments
            .get(uuid)
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
            form.error.clear();
            return KeyResult::Stay(Vec::new());
        }
        if form.secret.count() == 0 {
            form.error = "type or paste a token first".to_owned();
            return KeyResult::Stay(Vec::new());
        }
        let request = self.next_request();
        form.trying = Some(request);
        let deployment = self
            .track
            .open
            .or_else(|| self.deployments.list.first().map(|d| d.uuid));
        KeyResult::Stay(vec![Effect::TryToken {
            request,
            token: form.secret.secret(),
            deployment,
        }])
    }

    pub(super) fn key_to_export(&mut self, form: &mut ExportForm, key: Key) -> KeyResult {
        if form.writing.is_some() {
            return KeyResult::Stay(Vec::new());
        }
        match key.code {
            KeyCode::Tab | KeyCode::Down => form.turn(1),
            KeyCode::BackTab | KeyCode::Up => form.turn(-1),
            KeyCode::Enter if form.path.text().trim().is_empty() => {
                form.path.error = "type a path".to_owned();
            }
            KeyCode::Enter => {
                let request = self.next_request();
                form.writing = Some(request);
                return KeyResult::Stay(vec![Effect::Export {
                    request,
                    deployment: form.deployment,
                    label: form.label.clone(),
                    format: form.format,
                    path: form.path.text().trim().to_owned(),
                    replace: form.confirm_replace,
                }]);
            }
            _ => {
                if form.path.key(key) {
                    form.confirm_replace = false;
                }
            }
        }
        KeyResult::Stay(Vec::new())
    }

    pub(super) fn key_to_leave(&mut self, leave: &mut QuitDialog, key: Key) -> KeyResult {
        match key.code {
            KeyCode::Char('l' | 'L') => KeyResult::Close(vec![Effect::Quit]),
            KeyCode::Char('c') if key.ctrl => KeyResult::Close(vec![Effect::Quit]),
            KeyCode::Char('w' | 'W') | KeyCode::Enter => {
                leave.waiting = true;
                KeyResult::Stay(Vec::new())
            }
            _ => KeyResult::Stay(Vec::new()),
        }
    }
}
