//! All settings of a deployment in a single form.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{Component, Labels, Outcome};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::cyclic;
use crate::geo::circle::{NoCircle, WatchCircle, radius};
use crate::geo::{Inside, Notation, Position};
use crate::text;
use crate::track::query::{Comparison, Sign};
use crate::track::{Platform, Side};
use crate::watch::Deployment;
use crate::watch::deployment::change::{EntryChange, Reading, Setting};

/// A row of the form.
#[derive(Debug)]
struct Row {
    /// The setting; `None` for the limits of fields on both sides.
    setting: Option<Setting>,
    label: &'static str,
    /// The hint while the cursor is in the field.
    hint: &'static str,
}

/// Declares the rows in their order: setting, label and hint.
macro_rules! rows {
    ($($setting:expr, $label:literal, $hint:literal;)*) => {
        const ROWS: &[Row] = &[$(Row {
            setting: $setting,
            label: $label,
            hint: $hint,
        },)*];
    };
}

rows! {
    Some(Setting::Label), "label", "The name on this list; empty: its UUID";
    Some(Setting::Group), "group", "Any word; the list can be sorted and filtered by it";
    Some(Setting::Platform), "platform", "Left and Right choose; it sets the speed limit of the quality tests";
    Some(Setting::Inside), "watch circle", "50.1,-144.5,5km; or 300m alone: around the latest fix";
    Some(Setting::MaxAge), "maximum age", "Alarm if the last fix is older, e.g. 6h";
    None, "limits", "Alarms of fields, e.g. battery<11.5 V; sst>30";
    Some(Setting::MaxSpeed), "speed limit", "Of the quality tests, instead of the platform's, e.g. 10kn, 5m/s, 18km/h";
    Some(Setting::From), "from", "Fixes count from this time on, e.g. 2026-11-06 12:00";
    Some(Setting::Until), "until", "Fixes count up to this time, e.g. 2026-12-24";
    Some(Setting::State), "state", "Left and Right choose; what is not active is never late";
    Some(Setting::Notes), "notes", "Notes";
}

/// The lowest screen with a line for why a watch circle is proposed.
const WITH_REASON: u16 = 20;
/// Cells of the labels with the blank behind them.
const LABELS: usize = 13;
/// The columns of the form, and its lines besides those of the fields: for the hint, and for the
/// reason of a proposal or the fault of a value.
const WIDTH: u16 = 76;
const BELOW: usize = 4;

impl Row {
    /// `true` for the row of this setting.
    fn is(&self, setting: Setting) -> bool {
        self.setting == Some(setting)
    }

    /// The names to choose from; empty for a row of any text.
    fn choices(&self) -> Vec<&'static str> {
        self.setting.map(Setting::choices).unwrap_or_default()
    }

    /// The value of a deployment, as it is typed.
    fn typed(&self, entry: &Deployment, notation: Notation) -> String {
        let limits = &entry.limits;
        match self.setting {
            Some(Setting::Inside) => {
                let inside = limits.inside.as_ref();
                inside.map_or_else(String::new, |inside| inside.text(notation))
            }
            Some(setting) => setting.value(entry),
            None => {
                let all = limits.fields.iter().map(|limit| {
                    let sign = match limit.side {
                        Side::Below => '<',
                        Side::Above => '>',
                    };
                    format!("{}{sign}{}", limit.field, limit.with_unit(limit.value))
                });
                all.collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// The change of a deployment to the typed text.
    ///
    /// # Errors
    /// The fault of the text.
    fn change(&self, uuid: Uuid, typed: &str, shell: &Shell) -> Result<EntryChange, String> {
        let reading = Reading {
            now: shell.shared.now,
            zone: shell.shared.shown_zone(),
            inside: &|text| inside(shell, uuid, text),
        };
        let mut change = EntryChange::default();
        let Some(setting) = self.setting else {
            change.read(Setting::Below, "none", &reading)?;
            change.read(Setting::Above, "none", &reading)?;
            for word in typed.split([';', ',']).map(str::trim) {
                if word.is_empty() {
                    continue;
                }
                let parsed = Comparison::parse(word);
                let comparison = parsed.ok_or_else(|| format!("{word}: give a comparison"))?;
                let side = match comparison.sign {
                    Sign::Less | Sign::AtMost => Setting::Below,
                    Sign::Greater | Sign::AtLeast => Setting::Above,
                    Sign::Equal => return Err(format!("{word}: give < or >")),
                };
                let limit = format!("{}={}", comparison.name, comparison.value);
                change.read(side, &limit, &reading)?;
            }
            return Ok(change);
        };
        // A text may be the word "none"; of the others an empty one clears.
        let is_text = matches!(setting, Setting::Label | Setting::Notes);
        let typed = if typed.is_empty() && !is_text {
            "none"
        } else {
            typed
        };
        change.read(setting, typed, &reading)?;
        Ok(change)
    }
}

/// The label of the only row that differs between two entries of a deployment, with its
/// value in both; `None` if it is not a single row.
pub(in crate::dashboard) fn changed(
    before: &Deployment,
    after: &Deployment,
    notation: Notation,
) -> Option<(&'static str, String, String)> {
    let value = |row: &Row, entry: &Deployment| match (row.setting, &entry.limits.inside) {
        // In a message the radius matters more than the centre.
        (Some(Setting::Inside), Some(Inside::Circle(circle))) => format!(
            "{} around {}",
            notation.units.radius(circle.radius_m),
            notation.position(circle.centre)
        ),
        _ => row.typed(entry, notation),
    };
    let rows = ROWS.iter();
    let values = rows.map(|row| (row.label, value(row, before), value(row, after)));
    let mut changed = values.filter(|(_, before, after)| before != after);
    let first = changed.next()?;
    changed.next().is_none().then_some(first)
}

/// The form of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct EditForm {
    pub deployment: Uuid,
    name: String,
    /// The fields in their order, each with its first text.
    fields: Vec<(&'static Row, Field, String)>,
    /// The index of the focused field.
    focus: usize,
    /// The watch circle that the track suggests, and why.
    proposal: Option<(String, String)>,
}

impl EditForm {
    /// The form of a deployment, filled with its settings.
    pub(in crate::dashboard) fn new(known: &DeploymentState, notation: Notation) -> Self {
        let fields = ROWS.iter().map(|row| {
            let typed = row.typed(&known.deployment, notation);
            (row, Field::new(&typed), typed)
        });
        let mut form = Self {
            deployment: known.uuid(),
            name: known.name(),
            fields: fields.collect(),
            focus: 0,
            proposal: None,
        };
        form.step(0);
        form
    }

    /// Moves the cursor by a number of fields. The value there is selected, so that typing
    /// replaces it; a choice is not typed, and notes are continued.
    fn step(&mut self, by: isize) {
        self.focus = cyclic(self.focus, by, self.fields.len());
        for (index, (row, field, _)) in self.fields.iter_mut().enumerate() {
            let replaces = !row.is(Setting::Notes) && row.choices().is_empty();
            field.select(index == self.focus && replaces);
        }
    }

    /// Saves the changed fields only; a faulty field gets the cursor.
    fn save(&mut self, shell: &mut Shell) -> Outcome {
        let Some(known) = shell.shared.deployments.get(self.deployment) else {
            return Outcome::Close;
        };
        let mut entry = known.deployment.clone();
        let mut faulty = None;
        for (index, (row, field, before)) in self.fields.iter_mut().enumerate() {
            field.select(false);
            let typed = field.text().trim();
            if typed == before {
                continue;
            }
            let change = row.change(self.deployment, typed, shell);
            let set = change.and_then(|change| {
                change.apply(&mut entry);
                if entry.window.is_empty() {
                    Err("the end is before the start".to_owned())
                } else {
                    Ok(())
                }
            });
            let doubt = match (&set, row.setting) {
                (Ok(()), None) => unknown_field(known, typed, shell),
                _ => None,
            };
            // Saved once it was said: the field may come later.
            let doubt = doubt.filter(|doubt| *doubt != field.error);
            if let Err(fault) = set.and(doubt.map_or(Ok(()), Err)) {
                field.error = fault;
                faulty = faulty.or(Some(index));
            }
        }
        match faulty {
            Some(index) => {
                self.focus = index;
                Outcome::Stay
            }
            None => {
                shell.edit(self.deployment, |now| *now = entry);
                Outcome::Close
            }
        }
    }

    /// Handles a key in the field with the cursor.
    fn type_key(&mut self, key: Key, shell: &Shell) {
        let deployment = self.deployment;
        let proposal = self.proposal.clone();
        let Some((row, field, _)) = self.fields.get_mut(self.focus) else {
            return;
        };
        let choices = row.choices();
        let here = choices
            .iter()
            .position(|choice| *choice == field.text())
            .unwrap_or(0);
        let count = choices.len();
        match (key.code, proposal) {
            (KeyCode::Char(letter), _) if count > 0 && letter != ' ' => {
                let all_behind = (1..=count).map(|by| (here + by) % count);
                let mut behind = all_behind.filter_map(|index| choices.get(index));
                if let Some(found) = behind.find(|choice| choice.starts_with(letter)) {
                    *field = Field::new(found);
                }
            }
            (KeyCode::Left | KeyCode::Right | KeyCode::Char(_), _) if count > 0 => {
                let by = if key.code == KeyCode::Left { -1 } else { 1 };
                let next = cyclic(here, by, count);
                *field = Field::new(choices.get(next).unwrap_or(&""));
            }
            _ if count > 0 => {}
            (KeyCode::Right, Some((proposed, _)))
                if row.is(Setting::Inside) && field.text().is_empty() =>
            {
                *field = Field::new(&proposed);
                field.select(true);
            }
            _ => {
                if field.key(key) && row.is(Setting::Inside) {
                    let typed = inside(shell, deployment, field.text().trim());
                    let small = typed.ok().and_then(|inside| inside.too_small());
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

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.step(1),
            KeyCode::BackTab | KeyCode::Up => self.step(-1),
            KeyCode::Enter => return self.save(shell),
            _ => self.type_key(key, shell),
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let mut hint = String::new();
        let mut reason = String::new();
        for (index, (row, field, _)) in self.fields.iter().enumerate() {
            let is_focused = index == self.focus;
            let style = if is_focused {
                theme.accent()
            } else {
                theme.dim()
            };
            let label = format!("{:<LABELS$}", row.label);
            let cursor = sheet.field(&label, style, field, theme);
            let proposed = self.proposal.as_ref().filter(|_| row.is(Setting::Inside));
            if let (Some((circle, why)), true) = (proposed, field.text().is_empty()) {
                let x = cells(&label) + 1;
                // Where it does not fit, the circle is cut: without the word it would seem to be set.
                let room = usize::from(sheet.width().saturating_sub(x));
                let proposed = text::fit(&format!("proposed: {circle}"), room);
                sheet.at(x, &proposed, theme.dim());
                if is_focused {
                    reason = match shell.shared.screen.height {
                        ..WITH_REASON => "Right takes the proposed circle".to_owned(),
                        _ => format!("Right takes {circle} ({why})"),
                    };
                }
            }
            if is_focused {
                sheet.set_cursor(cursor);
                hint = row.hint.to_owned();
                let platform = field.text().parse::<Platform>();
                if let (true, Ok(platform)) = (row.is(Setting::Platform), platform) {
                    let limit = shell.shared.settings.units.speed(platform.max_speed_m_s());
                    hint = format!("{hint}: {limit}");
                }
            }
        }
        sheet.paragraph(0, &reason, theme.dim());
        sheet.paragraph(0, &hint, theme.dim());
        sheet.fill(ROWS.len() + BELOW);
    }

    fn width(&self) -> Option<u16> {
        Some(WIDTH)
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        if let Some((row, field, _)) = self.fields.get_mut(self.focus)
            && row.choices().is_empty()
        {
            field.paste(text);
        }
    }

    /// Proposes the watch circle that the track suggests, once it is in memory.
    fn follow(&mut self, shell: &Shell) {
        let known = shell.shared.deployments.get(self.deployment);
        let track = known.and_then(|known| known.track.get());
        if let Some(track) = track.filter(|_| self.proposal.is_none()) {
            let notation = shell.shared.settings.notation();
            let proposed = track.proposed_circle(notation.units);
            self.proposal =
                proposed.map(|(circle, why)| (Inside::Circle(circle).text(notation), why));
        }
    }
}

/// A watch circle as it was typed: whole, or its radius with a unit about the latest
/// fix. The name of the area that is set leaves it as it is.
fn inside(shell: &Shell, uuid: Uuid, text: &str) -> Result<Inside, String> {
    let deployment = shell.shared.deployments.get(uuid);
    let known = deployment.and_then(|known| known.deployment.limits.inside.as_ref());
    // A circle is written to a few metres.
    let is_same = |inside: &&Inside| inside.text(shell.shared.settings.notation()) == text;
    if let Some(inside) = known.filter(is_same) {
        return Ok(inside.clone());
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
            .map(|centre| Inside::Circle(WatchCircle { centre, radius_m }))
            .ok_or_else(|| "there is no fix yet to put it about".to_owned());
    }
    text.parse()
        .map(Inside::Circle)
        .map_err(|error| {
            match error {
        NoCircle::Form => {
            "give a radius about the latest fix with m, km or nm, such as 2km; or LAT,LON,RADIUS"
                .to_owned()
        }
        NoCircle::Beyond(_) => error.to_string(),
    }
        })
}

/// The doubt about a limit of a field that the records of a deployment do not have, as far as
/// their fields are known.
fn unknown_field(known: &DeploymentState, typed: &str, shell: &Shell) -> Option<String> {
    let (names, are_known): (BTreeSet<&str>, bool) = match shell.shared.screen.tab {
        TabId::Track => (
            shell.tab().fields(&shell.shared),
            shell.tabs.track.fields.charts.is_some(),
        ),
        _ => (
            (known.last_values.iter().map(|(name, _)| name.as_str())).collect(),
            known.track.has_data() && !shell.shared.deployments.is_reading_values,
        ),
    };
    // A value of a profile has the number of its sensor behind the name.
    let is_of = |name: &str, of: &str| {
        let rest = name
            .strip_prefix(of)
            .and_then(|rest| rest.strip_prefix('_'));
        name == of || rest.is_some_and(|sensor| sensor.parse::<u32>().is_ok())
    };
    let words = typed.split([';', ',']).filter_map(Comparison::parse);
    let mut unknown = words.filter(|limit| !names.iter().any(|name| is_of(limit.name, name)));
    let name = unknown.next().filter(|_| are_known)?.name;
    let begins = |known: &&&str| {
        name.get(..3)
            .is_some_and(|letters| known.starts_with(letters))
    };
    let nearest = text::nearest(name, names.iter().copied());
    let near: BTreeSet<&str> = names
        .iter()
        .filter(begins)
        .copied()
        .chain(nearest)
        .collect();
    let known = match (names.is_empty(), near.is_empty()) {
        (true, _) => "no fields".to_owned(),
        (_, true) => format!("no {name}, but {}", text::first_of(names.iter(), 2)),
        _ => format!("no {name}; near it: {}", text::first_of(near.iter(), 2)),
    };
    Some(format!(
        "its records have {known}. Enter sets it all the same"
    ))
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    impl EditForm {
        /// The text and the fault of the field with a label, for tests.
        pub(crate) fn field(&self, label: &str) -> &Field {
            let mut fields = self.fields.iter();
            let found = fields.find(|(row, ..)| row.label == label);
            &found.unwrap_or_else(|| panic!("no field {label}")).1
        }

        /// The watch circle that is proposed, for tests.
        pub(crate) fn proposed(&self) -> Option<&(String, String)> {
            self.proposal.as_ref()
        }
    }

    #[test]
    fn the_form_has_every_setting() {
        for setting in Setting::VARIANTS {
            let shown = match setting {
                Setting::Below | Setting::Above => None,
                other => Some(*other),
            };
            assert!(ROWS.iter().any(|row| row.setting == shown), "{setting}");
        }
    }
}
