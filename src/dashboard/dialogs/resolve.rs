//! What a person found out about an unknown plant.

use super::question::Settled;
use super::{Component, Labels, Outcome};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::plants::send;
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::plant::log::Operation;
use crate::track::time;

/// The question whether a plant exists.
#[derive(Debug, Clone)]
pub(crate) struct Resolve {
    /// The plant.
    pub id: String,
    /// Why the answer was not taken; empty for none.
    error: String,
    settled: Settled,
}

impl Resolve {
    /// The question about a plant, which is not on the screen yet.
    pub(in crate::dashboard) fn new(id: String) -> Self {
        Self {
            id,
            error: String::new(),
            settled: Settled::default(),
        }
    }
}

impl Component for Resolve {
    fn labels(&self) -> Labels {
        Labels::new(
            "Does it exist?",
            &[
                ("Enter", "leave it"),
                ("y", "exists"),
                ("n", "absent"),
                ("Esc", "leave it"),
            ],
        )
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let found = match key.code {
            KeyCode::Enter | KeyCode::Char('q') => return Outcome::Close,
            // The title asks: yes, or no. The letters of the answers do the same.
            KeyCode::Char('y' | 'e') => Operation::FoundExisting,
            KeyCode::Char('n' | 'a') => Operation::FoundAbsent,
            _ => return Outcome::Stay,
        };
        let answered = self.settled.answered(shell.shared.now);
        match answered.and_then(|()| send::resolve(shell, &self.id, found)) {
            Ok(()) => Outcome::Close,
            Err(why) => {
                self.error = why;
                Outcome::Stay
            }
        }
    }

    fn shown(&mut self, at: f64) {
        self.settled.shown(at);
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let plants = &shell.tabs.plants;
        let name = plants.name_of(&self.id);
        sheet.line(&[("Plant ", theme.text()), (&self.id, theme.heading())]);
        if !name.is_empty() {
            sheet.paragraph(0, &name, theme.text());
        }
        if let Some(plant) = plants.plant(&self.id) {
            let address = &plant.address;
            let known = match plant.is_said {
                true => {
                    let (state, age) = (plant.state, time::age(plant.since, shell.shared.now));
                    format!("A person said \"{state}\" {age}; {address} has not confirmed it.")
                }
                false => format!("It is not known whether a request to {address} was done."),
            };
            sheet.paragraph(0, &known, theme.text());
        }
        let asks =
            "The service's operator knows. The answer is a line of the plant log; nothing is sent.";
        sheet.paragraph(0, asks, theme.dim());
        sheet.paragraph(0, &self.error, theme.bad());
        sheet.blank();
        sheet.line(&[
            (" Leave it ", theme.chosen()),
            ("  ", theme.text()),
            (" y  Exists ", theme.text()),
            ("  ", theme.text()),
            (" n  Absent ", theme.text()),
        ]);
        sheet.line(&[("Enter: leave it", theme.dim())]);
    }
}
