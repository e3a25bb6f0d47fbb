//! Performs the actions. Every action has an arm: the compiler reports a
//! missing one.

use std::sync::Arc;

use crate::app::effect::Effect;
use crate::app::keymap::Action;
use crate::app::state::Model;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::columns::ColumnsForm;
use crate::app::state::dialog::details::{Details, Subject};
use crate::app::state::dialog::menu::Help;
use crate::app::state::dialog::palette::{Found, Palette};
use crate::app::state::dialog::plant::QuitDialog;
use crate::app::state::dialog::prompt::{Prompt, Purpose};
use crate::app::state::dialog::settings::SettingsList;
use crate::app::state::dialog::token::TokenForm;
use crate::app::state::tab::{Pane, Tab};
use crate::app::state::table::Step;
use crate::geo::CoordinateFormat;
use crate::track::time::ShownZone;
use crate::track::{TrackSort, time};

impl Model {
    /// Performs an action; returns the effects.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        if action != A::Copy {
            self.copied = None;
        }
        // What is done to a deployment, or asked about it, keeps the cursor on
        // it however the rows move.
        if self.tab == Tab::Deployments && is_about_selected(action) {
            self.deployments.is_chosen = true;
        }
        match action {
            A::Quit => return self.quit(),
            A::Suspend => return vec![Effect::Suspend],
            A::Help => self
                .dialogs
                .push(Dialog::Help(Help::new(self.tab, Arc::clone(&self.keymap)))),
            A::Palette => {
                let list = self.deployments.list.iter();
                let found = Found {
                    deployments: list.map(|one| (one.deployment.uuid, one.name())),
                    projections: self.offered_projections(),
                    formats: self.offered_formats(),
                };
                let palette = Palette::new(&self.keymap, self.tab, found, &self.recent);
                self.dialogs.push(Dialog::Palette(palette));
            }
            A::Settings => self.dialogs.push(Dialog::Settings(SettingsList::default())),
            A::Find => self.ask_what_to_find(""),
            A::GoToTime => self.ask_what_to_find("@"),
            A::FindNext => self.next_match(true),
            A::FindPrevious => self.next_match(false),
            A::Filter => {
                let prompt = Prompt::new(Purpose::Filter, "");
                self.dialogs.push(Dialog::Prompt(prompt));
            }
            A::Refresh => return self.refresh_now(),
            A::Pause => return self.pause(),
            A::Dismiss => return self.dismiss_on_tab(),
            A::ShowDeployments => return self.show_tab(Tab::Deployments),
            A::ShowTrack => return self.show_tab(Tab::Track),
            A::ShowPlants => return self.show_tab(Tab::Plants),
            A::ShowActivity => return self.show_tab(Tab::Activity),
            A::NextTab => return self.show_tab(self.tab.beside(1)),
            A::PreviousTab => return self.show_tab(self.tab.beside(-1)),
            A::Down => self.step(Step::Rows(1)),
            A::Up => self.step(Step::Rows(-1)),
            A::First => self.step(Step::First),
            A::Last => self.step(Step::Last),
            A::HalfDown => self.step(Step::Half(1)),
            A::HalfUp => self.step(Step::Half(-1)),
            A::PageDown => self.step(Step::Page(1)),
            A::PageUp => self.step(Step::Page(-1)),
            A::SortColumn => return self.sort_by_next_column(),
            A::SortDirection => return self.reverse_sort(),
            A::Columns => {
                let form = ColumnsForm::new(self.tab, self.columns.of(self.tab));
                self.dialogs.push(Dialog::Columns(form));
            }
            A::Undo => return self.undo(),
            A::Copy => return self.copy(),
            A::Units => {
                self.units = self.units.next();
                self.notify(format!("units: {}", self.units.name()));
            }
            A::Coordinates => {
                self.coordinates = self.coordinates.next();
                self.notify(match self.coordinates {
                    CoordinateFormat::Dd => "coordinates: decimal degrees (DD)",
                    CoordinateFormat::Ddm => "coordinates: degrees and decimal minutes (DDM)",
                    CoordinateFormat::Dms => "coordinates: degrees, minutes, seconds (DMS)",
                });
                return self.rows_written_anew();
            }
            A::Clock => {
                self.clock = match self.clock {
                    ShownZone::Utc => ShownZone::Local,
                    ShownZone::Local => ShownZone::Utc,
                };
                let zone = match self.shown_zone() {
                    None => "times: UTC".to_owned(),
                    Some(zone) => format!("times: local ({})", time::zone_name(self.now, zone)),
                };
                self.notify(zone);
                return self.rows_written_anew();
            }
            A::Markers => {
                self.markers = self.markers.next();
                self.are_markers_auto = false;
                self.notify(format!("map drawn in {}", self.markers.words()));
            }
            A::FullPane => self.toggle_full_pane(),
            A::NextPane => self.pane = self.pane.next(),
            A::ZoomIn
            | A::ZoomOut
            | A::Fit
            | A::FitWorld
            | A::PanLeft
            | A::PanDown
            | A::PanUp
            | A::PanRight
            | A::Projection => self.act_on_map(action),
            A::Open => return self.open_selected(),
            A::Details => self.show_details(),
            A::Message if self.last_message.is_empty() => self.notify("no message so far"),
            A::Message => {
                let dialog = Dialog::Message(self.last_message.clone());
                self.dialogs.push(dialog);
            }
            A::AddDeployment => self
                .dialogs
                .push(Dialog::Prompt(Prompt::new(Purpose::Deployment, ""))),
            A::Rename | A::SetCircle | A::SetMaxAge | A::SetMaxSpeed | A::SetNotes => {
                return self.prompt_for_selected(action);
            }
            A::SetPlatform => self.ask_for_platform(),
            A::RemoveDeployment => self.ask_to_remove_deployment(),
            A::NextDeployment => return self.open_beside(1),
            A::PreviousDeployment => return self.open_beside(-1),
            A::Follow => return self.toggle_follow(),
            A::Earlier => self.cursor_beside(-1),
            A::Later => self.cursor_beside(1),
            A::Mark => self.mark(),
            A::Overrule => return self.overrule(),
            A::ToggleFailed => return self.toggle_failed(),
            A::ColourBy => self.next_colour(),
            A::NextField => return self.field_beside(true),
            A::PreviousField => return self.field_beside(false),
            A::ChooseField => self.choose_field(),
            A::Rings => self.toggle_rings(),
            A::FlagSymbols => self.toggle_flag_symbols(),
            A::WindowFrom => return self.time_range_from_cursor(true),
            A::WindowTo => return self.time_range_from_cursor(false),
            A::Export => return self.ask_to_export(None),
            A::NewPlant => {
                self.tab = Tab::Plants;
                self.change_search(Tab::Plants);
                self.full = false;
                self.dialogs.push(Dialog::PlantForm(Box::default()));
            }
            A::DeletePlant => self.ask_to_delete_plant(),
            A::Alarms | A::OpenAlarm | A::AcknowledgeAlarm | A::SnoozeAlarm => self.show_alarms(),
            A::Login => self.dialogs.push(Dialog::Token(TokenForm::default())),
        }
        Vec::new()
    }

    /// The rows of fixes are written in another way: a filter and a search
    /// read what is shown.
    pub(super) fn rows_written_anew(&mut self) -> Vec<Effect> {
        self.track.arrangement.wording = self.wording();
        if self.tab == Tab::Track {
            return self.arrange_rows();
        }
        Vec::new()
    }

    /// Shows everything that is known of the fix under the cursor of Track, or of the
    /// selected deployment.
    fn show_details(&mut self) {
        let subject = if self.tab == Tab::Track {
            let fix = self
                .open_one()
                .and_then(|track| track.fix(self.track.cursor));
            fix.map(|_| Subject::Fix).ok_or("no fix is selected")
        } else {
            let selected = self.deployments.selected();
            let subject = selected.map(|one| Subject::Deployment(one.deployment.uuid));
            subject.ok_or("no deployment is selected")
        };
        match subject {
            Ok(subject) => self
                .dialogs
                .push(Dialog::Details(Details { subject, page: 0 })),
            Err(none) => self.notify(none),
        }
    }

    fn pause(&mut self) -> Vec<Effect> {
        self.paused = !self.paused;
        self.deployments.queue.scan_again();
        self.notify(if self.paused {
            "refreshing paused"
        } else {
            "refreshing resumed"
        });
        self.refresh_due()
    }

    fn toggle_full_pane(&mut self) {
        self.full = !self.full;
        if self.tab == Tab::Deployments && self.full {
            self.pane = Pane::Map;
        }
        self.settle();
    }

    fn sort_by_next_column(&mut self) -> Vec<Effect> {
        match self.tab {
            Tab::Deployments => self.next_deployment_sort(),
            Tab::Track => {
                let has_field = self.has_field_column();
                let next = self.track.arrangement.sort.next(has_field);
                self.track.arrangement.sort = next;
                return match next {
                    TrackSort::Field => self.sort_by_shown_field(),
                    _ => self.arrange_rows(),
                };
            }
            Tab::Plants => self.plants.direction = self.plants.direction.reversed(),
            Tab::Activity => self.notify("requests are in the order of time, the newest first"),
        }
        Vec::new()
    }

    fn reverse_sort(&mut self) -> Vec<Effect> {
        match self.tab {
            Tab::Deployments => {
                self.deployments.direction = self.deployments.direction.reversed();
                self.deployments.arrange_rows(self.now);
            }
            Tab::Track => {
                self.track.arrangement.descending = !self.track.arrangement.descending;
                return self.arrange_rows();
            }
            Tab::Plants => self.plants.direction = self.plants.direction.reversed(),
            Tab::Activity => self.notify("requests are in the order of time, the newest first"),
        }
        Vec::new()
    }

    fn quit(&mut self) -> Vec<Effect> {
        if self.plants.in_progress.is_empty() {
            return vec![Effect::Quit];
        }
        if matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return vec![Effect::Quit];
        }
        self.dialogs.push(Dialog::Quit(QuitDialog::default()));
        Vec::new()
    }

    /// Shows a tab; on Track, the deployment that is selected in the list.
    pub(super) fn show_tab(&mut self, tab: Tab) -> Vec<Effect> {
        if self.tab == tab {
            return Vec::new();
        }
        self.full = false;
        // The pointer is not over this tab's map until it moves.
        self.track.pointer = None;
        let selected = self
            .deployments
            .selected()
            .or(self.deployments.list.first());
        let selected = selected.map(|one| one.deployment.uuid);
        let mut effects = match (tab, selected) {
            (Tab::Track, Some(uuid)) => self.open_track(uuid),
            _ => Vec::new(),
        };
        effects.push(self.look_for_changes());
        self.tab = tab;
        self.change_search(tab);
        effects.extend(self.search_track());
        self.settle();
        effects
    }

    /// Esc without a dialog: ends a warning, then the search, then the filter, then the request
    /// in progress, then the time range, then the full-size pane, then the
    /// measurement.
    fn dismiss_on_tab(&mut self) -> Vec<Effect> {
        // A warning that ends by itself is not what Esc is pressed for where a search or
        // a filter stands.
        let warning = self.notice.take().filter(|notice| notice.is_warning);
        if warning.as_ref().is_some_and(|one| one.until.is_infinite()) {
            return Vec::new();
        }
        if self.search.is_some() {
            self.end_search(false);
            return Vec::new();
        }
        if !self.filter().is_empty() {
            return self.set_filter("");
        }
        if warning.is_some() {
            return Vec::new();
        }
        let (now, refresh_s) = (self.now, self.refresh_s);
        let uuid = match self.tab {
            Tab::Track => self.track.open,
            _ => self.deployments.selected().map(|one| one.deployment.uuid),
        };
        if matches!(self.tab, Tab::Track | Tab::Deployments)
            && let Some(uuid) = uuid
            && let Some(deployment) = self.deployments.get_mut(uuid)
            && let Some(request) = deployment.track.cancel()
        {
            deployment.schedule(now, refresh_s, None);
            let name = deployment.name();
            self.notify(format!("{name}: request cancelled"));
            return vec![Effect::Cancel(request)];
        }
        if self.tab == Tab::Track && self.track.time_range.is_some() {
            return self.clear_time_range();
        }
        if self.full {
            self.full = false;
            self.settle();
        } else if self.tab == Tab::Track {
            self.track.marks = (None, None);
            self.settle();
        }
        Vec::new()
    }

    fn step(&mut self, step: Step) {
        let (rows, height) = (self.rows(), usize::from(self.layout().rows.height));
        match self.tab {
            Tab::Deployments => {
                self.deployments.is_chosen = true;
                self.deployments.before_filter = None;
                self.deployments.table.step(step, rows, height);
            }
            Tab::Track => self.step_track(step),
            Tab::Plants => self.plants.table.step(step, rows, height),
            Tab::Activity => self.activity.step(step, rows, height),
        }
    }
}

/// Whether an action on the list is about the selected deployment.
fn is_about_selected(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::Open
            | A::Rename
            | A::SetPlatform
            | A::SetCircle
            | A::SetMaxAge
            | A::SetMaxSpeed
            | A::SetNotes
            | A::RemoveDeployment
            | A::Copy
            | A::Details
            | A::Export
    )
}
