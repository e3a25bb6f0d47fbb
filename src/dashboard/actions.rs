//! Performs the actions. Every action has an arm: the compiler reports a
//! missing one.

use strum::VariantArray;

use super::Dashboard;
use super::dialogs::alarms::Alarms;
use super::dialogs::columns::ColumnsForm;
use super::dialogs::fields::FieldList;
use super::dialogs::help::Help;
use super::dialogs::listed::ListedDialog;
use super::dialogs::page::Message;
use super::dialogs::palette::Palette;
use super::dialogs::plant::PlantForm;
use super::dialogs::prompt::{Prompt, Purpose};
use super::dialogs::settings::SettingsList;
use super::dialogs::token::TokenForm;
use super::effect::Effect;
use super::keymap::Action;
use super::model::{Model, TrackSource};
use super::tab::{Pane, Tab};
use super::targets::Heading;
use super::track::RangeEnd;
use crate::choice;
use crate::geo::CoordinateFormat;
use crate::track::{DeploymentSort, TrackSort, time};

impl Dashboard {
    /// Performs an action: those that open dialogs here, the others on the model.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        let model = &mut self.model;
        if action != A::Copy {
            model.copied = None;
        }
        // The cursor stays on a deployment that an action is about, however the rows move.
        if model.tab == Tab::Deployments && is_about_selected(action) {
            model.deployments.is_chosen = true;
        }
        match action {
            A::Quit => return self.quit(),
            A::Help => self.open(Help::new(&self.model)),
            A::Palette => self.open(Palette::new(&self.model, &self.recent)),
            A::Settings => self.open(SettingsList::default()),
            A::Find => self.ask_what_to_find(""),
            A::GoToTime => self.ask_what_to_find("@"),
            A::Filter => self.open(Prompt::new(Purpose::Filter, "")),
            A::Columns => self.open(ColumnsForm::new(self.model.tab, &self.model.columns)),
            A::Undo if model.tab == Tab::Plants => self.ask_to_create_again(),
            A::Details => return self.show_details(),
            A::Where => return self.show_card(),
            A::Message => self.show_last_message(),
            A::AddDeployment | A::ListOfService if model.source == TrackSource::Files => {
                model.notify("the list is the files of the command line: `driftline FILE…`");
            }
            A::AddDeployment => self.open(Prompt::new(Purpose::Deployment, "")),
            A::ListOfService => return self.show_list_of_service(),
            A::Edit => return self.edit(),
            A::RemoveDeployment => self.ask_to_remove_deployment(),
            A::ChooseField => self.open(FieldList::new(&self.model)),
            A::Export => return self.ask_to_export(None),
            A::NewPlant | A::DeletePlant if model.remote.is_some() => {
                model.notify("this kind of service has no plants".to_owned());
            }
            A::NewPlant => self.ask_for_plant(),
            A::DeletePlant => self.ask_to_delete_plant(),
            A::Alarms | A::OpenAlarm | A::Acknowledge | A::Snooze => {
                self.open(Alarms::new(&self.model))
            }
            A::Login => self.open(TokenForm::default()),
            _ => return model.act(action),
        }
        Vec::new()
    }

    /// Requests the list of the service. The service of UUIDs has none.
    fn show_list_of_service(&mut self) -> Vec<Effect> {
        if self.model.remote.is_none() {
            let add = self.model.key_of(Action::AddDeployment);
            let message = format!("this service has no list of deployments: {add} adds one");
            self.model.notify(message);
            return Vec::new();
        }
        let request = self.model.next_request();
        self.open(ListedDialog::new(request));
        vec![Effect::ReadList(request)]
    }

    fn show_last_message(&mut self) {
        match self.model.last_message.as_str() {
            "" => self.model.notify("no message so far"),
            message => self.open(Message(message.to_owned())),
        }
    }

    fn ask_for_plant(&mut self) {
        self.model.tab = Tab::Plants;
        self.model.change_search(Tab::Plants);
        self.model.full = false;
        self.open(PlantForm::default());
    }
}

impl Model {
    /// Performs an action that opens no dialog.
    fn act(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        match action {
            A::Suspend => return vec![Effect::Suspend],
            A::Redraw => return vec![Effect::Redraw],
            A::FindNext => self.go_to_match(1),
            A::FindPrevious => self.go_to_match(-1),
            A::Refresh => return self.refresh_now(),
            A::Pause => return self.pause(),
            A::Dismiss => return self.dismiss_on_tab(),
            A::ShowDeployments => return self.show_tab(Tab::Deployments),
            A::ShowTrack => return self.show_tab(Tab::Track),
            A::ShowPlants => return self.show_tab(Tab::Plants),
            A::ShowActivity => return self.show_tab(Tab::Activity),
            A::NextTab => return self.show_tab(self.tab.step(1)),
            A::PreviousTab => return self.show_tab(self.tab.step(-1)),
            A::Down | A::Up | A::First | A::Last => self.step(action),
            A::HalfDown | A::HalfUp | A::PageDown | A::PageUp => self.step(action),
            A::SortColumn => return self.sort_by_next_column(),
            A::SortDirection => return self.reverse_sort(),
            A::Undo => return self.undo(),
            A::Copy => return self.copy(),
            A::Units => return self.next_units(),
            A::Coordinates => return self.next_coordinates(),
            A::Clock => return self.next_clock(),
            A::Markers => self.next_markers(),
            A::FullPane => self.toggle_full_pane(),
            A::NextPane => self.pane = self.pane.next(),
            A::ZoomIn | A::ZoomOut | A::Fit | A::FitWorld | A::Projection => {
                self.act_on_map(action);
            }
            A::PanLeft | A::PanDown | A::PanUp | A::PanRight => self.act_on_map(action),
            A::Open => return self.open_selected(),
            A::NextDeployment => return self.step_deployment(1),
            A::PreviousDeployment => return self.step_deployment(-1),
            A::Follow => return self.toggle_follow(),
            A::Earlier => self.move_cursor(-1),
            A::Later => self.move_cursor(1),
            A::EarlierMoment => return self.move_moment(-1.0),
            A::LaterMoment => return self.move_moment(1.0),
            A::Play => return self.play_moments(),
            A::NextFlagged => self.go_to_flagged(1),
            A::PreviousFlagged => self.go_to_flagged(-1),
            A::Measure => self.measure(),
            A::Mark => return self.mark_deployment(),
            A::OverrideFlag => return self.override_flag(),
            A::FailedFixes => return self.next_failed(),
            A::ColourBy => self.next_colour(),
            A::NextField => return self.step_field(1),
            A::PreviousField => return self.step_field(-1),
            A::Rings => self.toggle_rings(),
            A::Range => return self.next_time_preset(),
            A::RangeFrom => return self.time_range_at_cursor(RangeEnd::First),
            A::RangeTo => return self.time_range_at_cursor(RangeEnd::Last),
            // These open dialogs.
            A::Quit | A::Help | A::Palette | A::Settings | A::Message | A::Columns => {}
            A::Find | A::GoToTime | A::Filter | A::ChooseField | A::Export | A::Login => {}
            A::Details | A::Where | A::AddDeployment | A::ListOfService | A::Edit => {}
            A::RemoveDeployment | A::NewPlant | A::DeletePlant => {}
            A::Alarms | A::OpenAlarm | A::Acknowledge | A::Snooze => {}
        }
        Vec::new()
    }

    fn next_units(&mut self) -> Vec<Effect> {
        let next = self.settings.units.next().name();
        self.notify(format!("units: {next}"));
        self.set("units", next)
    }

    fn next_coordinates(&mut self) -> Vec<Effect> {
        let next = self.settings.coordinates.next();
        self.notify(match next {
            CoordinateFormat::Dd => "coordinates: decimal degrees (DD)",
            CoordinateFormat::Ddm => "coordinates: degrees and decimal minutes (DDM)",
            CoordinateFormat::Dms => "coordinates: degrees, minutes, seconds (DMS)",
        });
        self.set("coordinates", next.into())
    }

    fn next_clock(&mut self) -> Vec<Effect> {
        let next = choice::next(self.settings.time_zone);
        let effects = self.set("time_zone", next.into());
        let zone = match self.shown_zone() {
            None => "times: UTC".to_owned(),
            Some(zone) => format!("times: local ({})", time::zone_name(self.now, zone)),
        };
        self.notify(zone);
        effects
    }

    fn pause(&mut self) -> Vec<Effect> {
        self.paused = !self.paused;
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
    }

    fn sort_by_next_column(&mut self) -> Vec<Effect> {
        self.order_by(self.heading_after(self.heading()))
    }

    /// The order of this tab's rows.
    pub(super) fn heading(&self) -> Heading {
        match self.tab {
            Tab::Deployments => Heading::Deployments(self.deployments.sort.column),
            Tab::Track => Heading::Fixes(self.track.arrangement.sort),
            Tab::Plants => Heading::Plants,
            Tab::Activity => Heading::Unsorted,
        }
    }

    /// Sorts this tab's rows by a column.
    pub(super) fn order_by(&mut self, heading: Heading) -> Vec<Effect> {
        match heading {
            Heading::Deployments(sort) => {
                self.deployments.sort.column = sort;
                self.deployments.arrange_rows(self.now);
                Vec::new()
            }
            Heading::Fixes(sort) => {
                self.track.arrangement.sort = sort;
                match sort {
                    TrackSort::Field => self.sort_by_shown_field(),
                    _ => self.arrange_rows(),
                }
            }
            Heading::Plants | Heading::Unsorted => self.reverse_sort(),
        }
    }

    /// The order of the next column on the screen, after the last one the first.
    fn heading_after(&self, now: Heading) -> Heading {
        let mut all: Vec<Heading> = Vec::new();
        for (_, heading) in &self.targets.headings {
            if *heading != Heading::Unsorted && !all.contains(heading) {
                all.push(*heading);
            }
        }
        if all.is_empty() {
            // No table is on the screen.
            all = self.all_orders();
        }
        let here = all.iter().position(|heading| *heading == now);
        let next = here.and_then(|index| all.get(index + 1));
        *next.or(all.first()).unwrap_or(&now)
    }

    /// The orders that the table of this tab may have.
    fn all_orders(&self) -> Vec<Heading> {
        match self.tab {
            Tab::Deployments => {
                let all = DeploymentSort::VARIANTS.iter().copied();
                let has_group = self.deployments.widest.group > 0;
                let all = all.filter(|sort| has_group || *sort != DeploymentSort::Group);
                all.map(Heading::Deployments).collect()
            }
            Tab::Plants | Tab::Activity => Vec::new(),
            Tab::Track => {
                let all = TrackSort::VARIANTS.iter().copied();
                let has_field = self.has_field_column();
                let all = all.filter(|sort| has_field || *sort != TrackSort::Field);
                all.map(Heading::Fixes).collect()
            }
        }
    }

    fn reverse_sort(&mut self) -> Vec<Effect> {
        match self.tab {
            Tab::Deployments => {
                self.deployments.sort.is_reversed = !self.deployments.sort.is_reversed;
                self.deployments.arrange_rows(self.now);
            }
            Tab::Track => {
                self.track.arrangement.descending = !self.track.arrangement.descending;
                return self.arrange_rows();
            }
            Tab::Plants => self.plants.is_oldest_first = !self.plants.is_oldest_first,
            Tab::Activity => self.notify("requests are in the order of time, the newest first"),
        }
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
        // Tab 2 shows the marked deployments, whatever row is selected.
        let marked = self.marked().into_iter().next();
        let selected = selected
            .filter(|deployment| marked.is_none() || deployment.mark.is_some())
            .or(marked);
        let selected = selected.map(|deployment| deployment.uuid());
        let mut effects = match (tab, selected) {
            (Tab::Track, Some(uuid)) => self.open_track(uuid),
            _ => Vec::new(),
        };
        effects.push(self.look_for_changes());
        self.tab = tab;
        self.change_search(tab);
        effects.extend(self.search_track());
        effects
    }

    /// Esc without a dialog: ends a warning, then the search, then the filter, then the request
    /// in progress, then the time range, then the full-size pane, then the
    /// measurement.
    fn dismiss_on_tab(&mut self) -> Vec<Effect> {
        // Esc is pressed to end a search or a filter, not a warning that ends by itself.
        let warning = self.notice.take().filter(|notice| notice.is_warning);
        if warning
            .as_ref()
            .is_some_and(|notice| notice.until.is_infinite())
        {
            return Vec::new();
        }
        if self.search.is_some() {
            self.end_search();
            return Vec::new();
        }
        if !self.filter().is_empty() {
            return self.set_filter("");
        }
        if warning.is_some() {
            return Vec::new();
        }
        if self.tab == Tab::Deployments && self.return_to_now() {
            return Vec::new();
        }
        let now = self.now;
        let uuid = match self.tab {
            Tab::Track => self.track.open,
            Tab::Deployments => self.deployments.selected().map(|known| known.uuid()),
            Tab::Plants | Tab::Activity => None,
        };
        if let Some(uuid) = uuid
            && let Some(deployment) = self.deployments.get_mut(uuid)
            && let Some(request) = deployment.track.cancel()
        {
            let name = deployment.name();
            self.deployments.agenda.given_up(uuid, now);
            self.notify(format!("{name}: request cancelled"));
            return vec![Effect::Cancel(request)];
        }
        if self.tab == Tab::Track && self.track.time_range.is_some() {
            return self.clear_time_range();
        }
        if self.full {
            self.full = false;
        } else if uuid.is_some_and(|uuid| self.whereabouts(uuid).is_some()) {
            self.sought.answer = None;
        } else if self.tab == Tab::Track {
            self.track.marks = (None, None);
        } else if self.tab == Tab::Deployments {
            return self.unmark_all();
        }
        Vec::new()
    }

    fn step(&mut self, action: Action) {
        if let Some(step) = action.step() {
            self.move_in_table(|table, rows, height| table.step(step, rows, height));
        }
    }
}

/// `true` for an action on the list that is about the selected deployment.
fn is_about_selected(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::Open | A::Edit | A::RemoveDeployment | A::Copy | A::Details | A::Export | A::Mark
    )
}
