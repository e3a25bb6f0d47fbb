//! The retrieval card: where to look for a deployment, how sure that is, and how to get
//! there.

use ratatui::layout::{Margin, Position as Cell};
use strum::VariantArray;
use uuid::Uuid;

use super::help::Help;
use super::page::Page;
use super::prompt::{Prompt, Purpose};
use super::{Component, Labels, Outcome};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::effect::Effect;
use crate::dashboard::footer::{FooterKey, dialog_keys};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::{Pane, TabId};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::geo::CoordinateFormat;
use crate::track::time;
use crate::watch::Fact;

/// Cells of the labels with the blank behind them.
const LABELS: u16 = 16;

/// The forms in which a position is spelled out.
const FORMS: &[CoordinateFormat] = CoordinateFormat::VARIANTS;

/// Shows the other of map and card, if there is room for one.
fn turn(shell: &mut Shell) {
    if let Some(picture) = &mut shell.shared.map.sought.picture {
        picture.shown = match picture.shown {
            Pane::Map => Pane::Summary,
            _ => Pane::Map,
        };
    }
}

/// The card of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    uuid: Uuid,
    name: String,
    page: Page,
}

impl Card {
    pub(in crate::dashboard) fn new(uuid: Uuid, name: String) -> Self {
        Self {
            uuid,
            name,
            page: Page::default(),
        }
    }

    /// Copies all that the card says, a line for each fact.
    fn copy_all(&self, shell: &mut Shell) {
        let Some(known) = shell.shared.whereabouts(self.uuid) else {
            return;
        };
        let mut text = format!(
            "{}, {} UTC\n",
            self.name,
            time::table(known.moment.at, None)
        );
        for (label, words) in known.facts(
            shell.shared.settings.notation(),
            FORMS,
            shell.shared.map.sought.course(shell.shared.now),
        ) {
            text.push_str(&format!(
                "{label:<width$}{words}\n",
                width = usize::from(LABELS)
            ));
        }
        shell.shared.notify("copied all of the card");
        shell.shared.send(Effect::Copy(text));
    }
}

impl Component for Card {
    fn labels(&self) -> Labels {
        Labels::new("Where to look for", &[])
    }

    fn footer(&self, shell: &Shell) -> Vec<FooterKey> {
        let keymap = &shell.shared.screen.keymap;
        let key = |action| keymap.key_of(action, TabId::Track);
        let layout = shell.layout();
        if layout.map.is_empty() || layout.summary.is_empty() {
            let word = if layout.map.is_empty() { "map" } else { "card" };
            return dialog_keys(&[
                (&key(Action::NextPane), word),
                ("s", "own ship"),
                ("y", "copy all"),
                ("Esc", "back"),
            ]);
        }
        dialog_keys(&[
            ("y", "copy all"),
            ("s", "own ship"),
            (&key(Action::ZoomIn), "zoom in"),
            (&key(Action::ZoomOut), "out"),
            (&key(Action::Fit), "fit"),
            ("r", "again"),
            ("Esc", "back"),
        ])
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        match key.code {
            KeyCode::Char('y') => self.copy_all(shell),
            KeyCode::Char('s') => {
                let prompt = Prompt::new(Purpose::Ship, &shell.shared.map.sought.typed.text);
                return Outcome::open(prompt);
            }
            KeyCode::Char('r') => shell.shared.look_for(self.uuid),
            KeyCode::Char('W') => return Outcome::Close,
            _ => match shell.shared.screen.keymap.action(key, TabId::Track) {
                Some(Action::NextPane) => turn(shell),
                Some(
                    action @ (Action::ZoomIn
                    | Action::ZoomOut
                    | Action::Fit
                    | Action::FitWorld
                    | Action::Projection
                    | Action::PanLeft
                    | Action::PanDown
                    | Action::PanUp
                    | Action::PanRight),
                ) => {
                    if shell.layout().map.is_empty() {
                        turn(shell);
                    }
                    shell.act_on_map(action);
                }
                Some(Action::Markers) => shell.shared.next_markers(),
                Some(Action::Help) => return Outcome::open(Help::new(shell)),
                _ => return self.page.key(key),
            },
        }
        Outcome::Stay
    }

    fn is_beside_map(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, shell: &Shell) -> Option<Cell> {
        canvas.memory.targets.dialog = Some(canvas.layout.body);
        let area = canvas.layout.summary.inner(Margin::new(1, 0));
        let mut sheet = Sheet::new(area.width);
        self.lines(&mut sheet, shell, canvas.theme);
        sheet.draw(canvas.buffer, area, canvas.theme)
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let answer = match &shell.shared.map.sought.answer {
            Some((uuid, answer)) if *uuid == self.uuid => answer,
            _ => {
                sheet.paragraph(0, "being worked out …", theme.dim());
                return;
            }
        };
        let known = match answer {
            Ok(known) => known,
            Err(failure) => {
                sheet.paragraph(0, &failure.to_string(), theme.bad());
                return;
            }
        };
        let course = shell.shared.map.sought.course(shell.shared.now);
        let mut facts = known.facts(shell.shared.settings.notation(), FORMS, course);
        if known.fix.is_some() {
            let sought = &shell.shared.map.sought;
            let words = sought.ship_words(shell.shared.now, shell.shared.settings.notation());
            // Below the last fix and its position.
            let is_fix = |(label, _): &Fact| label.starts_with("last ");
            let below = facts.iter().position(is_fix).map_or(0, |fix| fix + 2);
            facts.insert(below.min(facts.len()), ("own ship", words));
        }
        let at = format!("{} UTC", time::table(known.moment.at, None));
        // Below where to steer.
        let forecast = facts.iter().position(|(label, _)| *label == "forecast");
        let meets = forecast.unwrap_or(0);
        facts.insert(meets, ("at", at));
        let styled = facts
            .into_iter()
            .enumerate()
            .map(|(index, (label, words))| {
                let style = match label {
                    _ if index < meets => theme.heading(),
                    "forecast" | "9 in 10 within" | "from the ship" | "to the last fix"
                        if meets == 0 =>
                    {
                        theme.heading()
                    }
                    "last fix" | "note" | "neighbour" => theme.warning(),
                    // Not now.
                    "at" if shell.shared.map.sought.past.is_some() => theme.warning(),
                    _ => theme.text(),
                };
                (label.to_owned(), words, style)
            });
        // The last line says how many pages there are.
        let height = usize::from(shell.layout().summary.height.saturating_sub(1)).max(1);
        self.page
            .lines(sheet, styled.collect(), LABELS, height, theme);
    }
}
