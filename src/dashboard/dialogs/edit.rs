//! All settings of a deployment in a single form.

use strum::VariantArray;
use uuid::Uuid;

use super::{Component, Labels, Outcome};
use crate::choice;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::Effect;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::cyclic;
use crate::geo::circle::{NoCircle, WatchCircle, radius};
use crate::geo::{Inside, Notation, Position, speed};
use crate::track::query::{Comparison, Sign};
use crate::track::{DeclaredState, Deployment, FieldLimitChange, Platform, Side, time};

/// The members of an entry of the watch list, in the order of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
enum Member {
    Label,
    Group,
    Platform,
    Inside,
    MaxAge,
    Fields,
    MaxSpeed,
    From,
    Until,
    State,
    Notes,
}

/// The lowest screen with a line for why a watch circle is proposed.
const WITH_REASON: u16 = 20;
/// Cells of the labels with the blank behind them.
const LABELS: usize = 13;

impl Member {
    fn label(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Group => "group",
            Self::Platform => "platform",
            Self::Inside => "watch circle",
            Self::MaxAge => "maximum age",
            Self::Fields => "limits",
            Self::MaxSpeed => "speed limit",
            Self::From => "from",
            Self::Until => "until",
            Self::State => "state",
            Self::Notes => "notes",
        }
    }

    /// The hint while the cursor is in the field.
    fn hint(self) -> &'static str {
        match self {
            Self::Label => "The name on this list; empty: its UUID",
            Self::Group => "Any word; the list can be sorted and filtered by it",
            Self::Platform => "Left and Right choose; it sets the speed limit of the quality tests",
            Self::Inside => {
                "LAT,LON,RADIUS such as 50.1,-144.5,5km; or 300m alone: around the latest fix"
            }
            Self::MaxAge => "Alarm if the last fix is older, e.g. 6h",
            Self::Fields => "Alarms of fields, e.g. battery<11.5 V; sst>30",
            Self::MaxSpeed => {
                "Of the quality tests, instead of the platform's, e.g. 10kn, 5m/s, 18km/h"
            }
            Self::From => "Fixes count from this time on, e.g. 2026-11-06 12:00",
            Self::Until => "Fixes count up to this time, e.g. 2026-12-24",
            Self::State => "Left and Right choose; what is not active is never late",
            Self::Notes => "Notes",
        }
    }

    /// The values to choose from; empty for any text.
    fn choices(self) -> Vec<&'static str> {
        match self {
            Self::Platform => choice::names::<Platform>().collect(),
            Self::State => choice::names::<DeclaredState>().collect(),
            _ => Vec::new(),
        }
    }

    /// The value of an entry, as it is typed.
    fn typed(self, entry: &Deployment, notation: Notation) -> String {
        let limits = &entry.limits;
        let moment = |at: Option<f64>| at.map(time::rfc3339);
        let value = match self {
            Self::Label => entry.label.clone(),
            Self::Group => entry.group.clone(),
            Self::Platform => Some(entry.platform.name().to_owned()),
            Self::Inside => limits.inside.as_ref().map(|inside| inside.text(notation)),
            Self::MaxAge => limits.max_age_s.map(time::exact_duration),
            Self::Fields => {
                let all = limits.fields.iter().map(|limit| {
                    let sign = match limit.side {
                        Side::Below => '<',
                        Side::Above => '>',
                    };
                    format!("{}{sign}{}", limit.field, limit.with_unit(limit.value))
                });
                Some(all.collect::<Vec<_>>().join("; "))
            }
            Self::MaxSpeed => limits.max_speed_m_s.map(speed::text),
            Self::From => moment(entry.window.from),
            Self::Until => moment(entry.window.until),
            Self::State => Some(entry.state.name().to_owned()),
            Self::Notes => entry.notes.clone(),
        };
        value.unwrap_or_default()
    }

    /// Sets the member of an entry to the typed text.
    ///
    /// # Errors
    /// The fault of the text.
    fn set(self, entry: &mut Deployment, typed: &str, model: &Model) -> Result<(), String> {
        let set = (!typed.is_empty()).then(|| typed.to_owned());
        let moment = || {
            let time = set
                .as_deref()
                .map(|text| time::parse_in(text, model.now, model.shown_zone()));
            time.transpose().map_err(|error| error.to_string())
        };
        let unknown = |_| format!("one of {}", self.choices().join(", "));
        match self {
            Self::Label => entry.label = set,
            Self::Group => entry.group = set,
            Self::Platform => entry.platform = typed.parse().map_err(unknown)?,
            Self::Inside => entry.limits.inside = inside(model, entry.uuid, typed)?,
            Self::MaxAge => {
                let age = set.as_deref().map(time::parse_duration).transpose();
                entry.limits.max_age_s = age.map_err(|error| error.to_string())?;
            }
            Self::Fields => {
                entry.limits.fields.clear();
                for word in typed
                    .split([';', ','])
                    .filter(|word| !word.trim().is_empty())
                {
                    let comparison = Comparison::parse(word);
                    let comparison =
                        comparison.ok_or_else(|| format!("{}: give a comparison", word.trim()))?;
                    let side = match comparison.sign {
                        Sign::Less | Sign::AtMost => Side::Below,
                        Sign::Greater | Sign::AtLeast => Side::Above,
                        Sign::Equal => return Err(format!("{}: give < or >", word.trim())),
                    };
                    let text = format!("{}={}", comparison.name, comparison.value);
                    FieldLimitChange::parse(side, &text)?.apply(&mut entry.limits.fields);
                }
            }
            Self::MaxSpeed => {
                let limit = set.as_deref().map(speed::parse).transpose();
                entry.limits.max_speed_m_s = limit.map_err(|error| error.to_string())?;
            }
            Self::From => entry.window.from = moment()?,
            Self::Until => entry.window.until = moment()?,
            Self::State => entry.state = typed.parse().map_err(unknown)?,
            Self::Notes => entry.notes = set,
        }
        if entry.window.is_empty() {
            Err("the end is before the start".to_owned())
        } else {
            Ok(())
        }
    }
}

/// The form of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct EditForm {
    /// The deployment.
    pub deployment: Uuid,
    name: String,
    /// The fields in their order, each with its first text.
    fields: Vec<(Member, Field, String)>,
    /// The index of the focused field.
    focus: usize,
    /// The watch circle that the track suggests, and why.
    proposal: Option<(String, String)>,
}

impl EditForm {
    /// The form of a deployment, filled with its settings.
    pub(in crate::dashboard) fn new(known: &DeploymentState, notation: Notation) -> Self {
        let members = Member::VARIANTS.iter().map(|member| {
            let typed = member.typed(&known.deployment, notation);
            (*member, Field::new(&typed), typed)
        });
        let mut form = Self {
            deployment: known.uuid(),
            name: known.name(),
            fields: members.collect(),
            focus: 0,
            proposal: None,
        };
        form.propose(known, notation);
        form.step(0);
        form
    }

    /// Proposes the watch circle that the track of its deployment suggests, as it is typed.
    pub(in crate::dashboard) fn propose(&mut self, known: &DeploymentState, notation: Notation) {
        if self.proposal.is_none() && self.deployment == known.uuid() {
            let track = known.track.get();
            let proposed = track.and_then(|track| track.proposed_circle(notation.units));
            self.proposal =
                proposed.map(|(circle, why)| (Inside::Circle(circle).text(notation), why));
        }
    }

    /// The text and the fault of the field with a label, for tests.
    #[cfg(test)]
    pub(crate) fn field(&self, label: &str) -> &Field {
        let mut fields = self.fields.iter();
        let found = fields.find(|(member, ..)| member.label() == label);
        &found.unwrap_or_else(|| panic!("no field {label}")).1
    }

    /// The watch circle that is proposed, for tests.
    #[cfg(test)]
    pub(crate) fn proposed(&self) -> Option<&(String, String)> {
        self.proposal.as_ref()
    }

    /// Moves the cursor by a number of fields. The value there is selected, so that typing
    /// replaces it; a choice is not typed, and notes are continued.
    fn step(&mut self, by: isize) {
        self.focus = cyclic(self.focus, by, self.fields.len());
        for (index, (member, field, _)) in self.fields.iter_mut().enumerate() {
            let replaces = *member != Member::Notes && member.choices().is_empty();
            field.select(index == self.focus && replaces);
        }
    }

    /// Saves the changed fields only; a faulty field gets the cursor.
    fn save(&mut self, model: &mut Model) -> Outcome {
        let Some(known) = model.deployments.get(self.deployment) else {
            return Outcome::close();
        };
        let mut entry = known.deployment.clone();
        let mut faulty = None;
        for (index, (member, field, before)) in self.fields.iter_mut().enumerate() {
            field.select(false);
            let typed = field.text().trim().to_owned();
            if typed != *before
                && let Err(fault) = member.set(&mut entry, &typed, model)
            {
                field.error = fault;
                faulty = faulty.or(Some(index));
            }
        }
        match faulty {
            Some(index) => {
                self.focus = index;
                Outcome::stay()
            }
            None => Outcome::Close(model.edit(self.deployment, |now| *now = entry)),
        }
    }

    /// Handles a key in the field with the cursor.
    fn type_key(&mut self, key: Key, model: &Model) {
        let (deployment, proposal) = (self.deployment, self.proposal.clone());
        let Some((member, field, _)) = self.fields.get_mut(self.focus) else {
            return;
        };
        let choices = member.choices();
        let here = choices
            .iter()
            .position(|choice| *choice == field.text())
            .unwrap_or(0);
        let count = choices.len();
        match (key.code, proposal) {
            (KeyCode::Char(letter), _) if count > 0 && letter != ' ' => {
                let behind = (1..=count).map(|by| (here + by) % count);
                let of_letter = behind.filter_map(|index| choices.get(index));
                if let Some(found) = of_letter
                    .into_iter()
                    .find(|choice| choice.starts_with(letter))
                {
                    *field = Field::new(found);
                }
            }
            (KeyCode::Left | KeyCode::Right | KeyCode::Char(_), _) if count > 0 => {
                let by = if key.code == KeyCode::Left {
                    count - 1
                } else {
                    1
                };
                *field = Field::new(choices.get((here + by) % count).unwrap_or(&""));
            }
            _ if count > 0 => {}
            (KeyCode::Right, Some((proposed, _)))
                if *member == Member::Inside && field.text().is_empty() =>
            {
                *field = Field::new(&proposed);
                field.select(true);
            }
            _ => {
                if field.key(key) && *member == Member::Inside {
                    let typed = inside(model, deployment, field.text().trim());
                    let small = typed.ok().flatten().and_then(|inside| inside.too_small());
                    field.error = small.unwrap_or_default();
                }
            }
        }
    }
}

impl Component for EditForm {
    fn labels(&self) -> Labels {
        let keys = &[
            ("Enter", "save"),
            ("Tab", "next field"),
            ("Ctrl-U", "empty"),
            ("Esc", "cancel"),
        ];
        Labels::new("Edit", keys)
    }

    fn about(&self) -> &str {
        &self.name
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.step(1),
            KeyCode::BackTab | KeyCode::Up => self.step(-1),
            KeyCode::Enter => return self.save(model),
            _ => self.type_key(key, model),
        }
        Outcome::stay()
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        let (mut hint, mut reason) = (String::new(), String::new());
        for (index, (member, field, _)) in self.fields.iter().enumerate() {
            let is_focused = index == self.focus;
            let style = if is_focused {
                theme.accent()
            } else {
                theme.dim()
            };
            let label = format!("{:<LABELS$}", member.label());
            let cursor = sheet.field(&label, style, field, theme);
            let proposed = self.proposal.as_ref().filter(|_| *member == Member::Inside);
            if let (Some((circle, why)), true) = (proposed, field.text().is_empty()) {
                let x = cells(&label) + 1;
                let long = format!("proposed: {circle}");
                let has_room = x + cells(&long) <= sheet.width();
                let proposed = if has_room { &long } else { circle };
                sheet.at(x, proposed, theme.dim());
                if is_focused {
                    reason = match model.height {
                        ..WITH_REASON => "Right takes the proposed circle".to_owned(),
                        _ => format!("Right takes {circle} ({why})"),
                    };
                }
            }
            if is_focused {
                sheet.set_cursor(cursor);
                hint = member.hint().to_owned();
                let platform = field.text().parse::<Platform>();
                if let (Member::Platform, Ok(platform)) = (member, platform) {
                    let limit = model.settings.units.speed(platform.max_speed_m_s());
                    hint = format!("{hint}: {}", limit.trim());
                }
            }
        }
        sheet.paragraph(0, &reason, theme.dim());
        sheet.paragraph(0, &hint, theme.dim());
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Vec<Effect> {
        if let Some((member, field, _)) = self.fields.get_mut(self.focus)
            && member.choices().is_empty()
        {
            field.paste(text);
        }
        Vec::new()
    }
}

/// A watch circle as it was typed: whole, or its radius with a unit about the latest
/// fix. The name of the area that is set leaves it as it is.
fn inside(model: &Model, uuid: Uuid, text: &str) -> Result<Option<Inside>, String> {
    let deployment = model.deployments.get(uuid);
    let known = deployment.and_then(|known| known.deployment.limits.inside.as_ref());
    match known {
        _ if text.is_empty() => return Ok(None),
        // A circle is written to a few metres.
        Some(inside) if inside.text(model.settings.notation()) == text => {
            return Ok(Some(inside.clone()));
        }
        _ => {}
    }
    if let Some(radius_m) = radius(text) {
        if text.parse::<f64>().is_ok() {
            return Err(format!("give a unit: {text}m, {text}km or {text}nm"));
        }
        let latest = deployment.and_then(|known| known.latest());
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
