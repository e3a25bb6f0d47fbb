//! The list of alarms: those that stand, and those that have ended lately.

use super::help::Help;
use super::prompt::{Prompt, Purpose};
use super::{Component, EDGES, Labels, Outcome, WIDE};
use crate::app::footer::{FooterKey, alarm_keys};
use crate::app::key::Key;
use crate::app::keymap::{Action, Scope};
use crate::app::state::alarm_list::AlarmList;
use crate::app::state::table::Step;
use crate::app::{Model, Said};
use crate::track::time;
use crate::ui::alarm_list;
use crate::ui::sheet::Sheet;
use crate::ui::theme::Theme;

/// The list with its cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alarms {
    /// The rows.
    pub list: AlarmList,
}

impl Alarms {
    /// The list, the cursor on its first alarm.
    pub(in crate::dashboard) fn new(model: &Model) -> Self {
        let mut alarms = Self::default();
        alarms.follow(model);
        alarms
    }

    /// Keeps the cursor on its alarm after the rows have changed.
    pub(in crate::dashboard) fn follow(&mut self, model: &Model) {
        let height = AlarmList::height(model.height);
        self.list.follow(&model.alarms, height);
    }

    /// When an age that is seen changes, UNIX seconds.
    pub(in crate::dashboard) fn next_change(&self, model: &Model) -> Option<f64> {
        let rows = model.alarms.list.iter().skip(self.list.table.top);
        let rows = rows.take(AlarmList::height(model.height));
        let changes = rows.map(|alarm| time::next_change(alarm.raised_at, model.now));
        changes.reduce(f64::min)
    }

    /// The id of the alarm under the cursor.
    fn chosen<'a>(&self, model: &'a Model) -> Option<&'a str> {
        let alarm = self.list.chosen(&model.alarms);
        alarm.map(|alarm| alarm.id.as_str())
    }

    /// Opens the track of the chosen alarm.
    fn open_track(&self, model: &mut Model) -> Outcome {
        let Some(alarm) = self.list.chosen(&model.alarms) else {
            return Outcome::stay();
        };
        match alarm.deployment {
            Some(uuid) if model.deployments.get(uuid).is_some() => {
                return Outcome::Close(model.open_track(uuid));
            }
            Some(_) => model.notify("this deployment is not on the list"),
            None => model.notify("this alarm is about the service, not about a deployment"),
        }
        Outcome::stay()
    }

    /// Asks how long the chosen alarm is to be snoozed.
    fn snooze(&self, model: &mut Model) -> Outcome {
        match model.standing_alarm(self.chosen(model)) {
            Ok(id) => {
                let prompt = Prompt::new(Purpose::Snooze(id), "");
                Outcome::Open(Box::new(prompt.into()))
            }
            Err(reason) => {
                model.notify(reason);
                Outcome::stay()
            }
        }
    }
}

impl Component for Alarms {
    fn labels(&self) -> Labels {
        // Its other keys are those of the keymap.
        Labels::new("Alarms", &[("Esc", "close")])
    }

    fn footer(&self, model: &Model) -> Vec<FooterKey> {
        alarm_keys(&model.keymap)
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        use Action as A;
        let step = match model.keymap.alarm_action(key) {
            Some(A::Down) => Step::Rows(1),
            Some(A::Up) => Step::Rows(-1),
            Some(A::First) => Step::First,
            Some(A::Last) => Step::Last,
            Some(A::HalfDown) => Step::Half(1),
            Some(A::HalfUp) => Step::Half(-1),
            Some(A::PageDown) => Step::Page(1),
            Some(A::PageUp) => Step::Page(-1),
            Some(A::Alarms | A::Quit) => return Outcome::close(),
            Some(A::OpenAlarm) => return self.open_track(model),
            Some(A::AcknowledgeAlarm) => {
                let id = self.chosen(model).map(str::to_owned);
                return Outcome::Stay(model.say_of_alarm(id.as_deref(), Said::Acknowledged));
            }
            Some(A::SnoozeAlarm) => return self.snooze(model),
            Some(A::Undo) => return Outcome::Stay(model.undo_local()),
            Some(A::Help) => {
                let help = Help::beginning_with(Scope::Alarms, model);
                return Outcome::Open(Box::new(help.into()));
            }
            _ => return Outcome::stay(),
        };
        self.step(step, model);
        Outcome::stay()
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        alarm_list::lines(sheet, &self.list, model, theme);
    }

    /// A list with columns takes the whole of a narrow screen.
    fn margin(&self, screen: u16) -> u16 {
        if screen < WIDE { EDGES } else { 2 * EDGES }
    }

    fn position(&self, model: &Model) -> String {
        alarm_list::position(&self.list, model)
    }

    fn step(&mut self, step: Step, model: &Model) {
        let height = AlarmList::height(model.height);
        self.list.step(step, &model.alarms, height);
    }
}
