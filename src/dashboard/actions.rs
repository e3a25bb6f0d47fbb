//! Performs the actions. Every action has an arm: the compiler reports a
//! missing one.

use strum::VariantArray;
use uuid::Uuid;

use super::Dashboard;
use super::connection::Connection;
use super::dialogs::alarms::Alarms;
use super::dialogs::columns::ColumnsForm;
use super::dialogs::fields::FieldList;
use super::dialogs::help::Help;
use super::dialogs::listed::ListedDialog;
use super::dialogs::page::Message;
use super::dialogs::palette::Palette;
use super::dialogs::prompt::{Prompt, Purpose};
use super::dialogs::settings::SettingsList;
use super::dialogs::token::TokenForm;
use super::effect::Effect;
use super::keymap::Action;
use super::model::{Model, TrackSource};
use super::plants::send;
use super::tab::{Pane, TabId};
use super::targets::Heading;
use super::track::RangeEnd;
use crate::choice;
use crate::geo::CoordinateFormat;
use crate::track::{DeploymentSort, TrackSort, time};

impl Dashboard {
    /// Performs an action: those that open dialogs here, the others on the model.
    pub(super) fn act(&mut self, action: Action) {
        use Action as A;
        let model = &mut self.model;
        if action != A::Copy {
            model.copied = None;
        }
        // The cursor stays on a deployment that an action is about, however the rows move.
        if model.tab == TabId::Deployments && is_about_selected(action) {
            model.deployments.is_chosen = true;
        }
        if self.act_on_component(action) {
            return;
        }
        let model = &mut self.model;
        match action {
            A::Quit => self.quit(),
            A::Help => self.open(Help::new(&self.model)),
            A::Palette => self.open(Palette::new(&self.model, &self.recent)),
            A::Settings => self.open(SettingsList::default()),
            A::Find => self.ask_what_to_find(""),
            A::GoToTime => self.ask_what_to_find("@"),
            A::Filter => self.open(Prompt::new(Purpose::Filter, "")),
            A::Columns => self.open(ColumnsForm::new(self.model.tab, &self.model.columns)),
            A::Details => self.show_details(),
            A::Where => self.show_card(),
            A::Message => self.show_last_message(),
            A::AddDeployment | A::ListOfService if model.source == TrackSource::Files => {
                model.notify("the list is the files of the command line: `driftline FILE…`");
            }
            A::AddDeployment => self.open(Prompt::new(Purpose::Deployment, "")),
            A::ListOfService => self.show_list_of_service(),
            A::Edit => self.edit(),
            A::RemoveDeployment => self.ask_to_remove_deployment(),
            A::ChooseField => self.open(FieldList::new(&self.model)),
            A::Export => self.ask_to_export(None),
            A::Alarms | A::OpenAlarm | A::Acknowledge | A::Snooze => {
                self.open(Alarms::new(&self.model))
            }
            A::Login => self.open(TokenForm::default()),
            _ => model.act(action),
        }
    }

    /// Requests the list of the service. The service of UUIDs has none.
    fn show_list_of_service(&mut self) {
        if self.model.remote.is_none() {
            let add = self.model.key_of(Action::AddDeployment);
            let message = format!("this service has no list of deployments: {add} adds one");
            self.model.notify(message);
            return;
        }
        let request = self.model.next_request();
        self.open(ListedDialog::new(request));
        self.model.send(Effect::ReadList(request));
    }

    /// The last message, else why the service fails: the header may have no room for it.
    fn show_last_message(&mut self) {
        match (self.model.last_message.as_str(), &self.model.connection) {
            ("", Connection::Failing(failure, _)) => {
                self.open(Message::last(self.model.said_of(failure)))
            }
            ("", _) => self.model.notify("no message so far"),
            (message, _) => self.open(Message::last(message)),
        }
    }
}

impl Model {
    /// Performs an action that opens no dialog.
    fn act(&mut self, action: Action) {
        use Action as A;
        match action {
            A::Suspend => self.send(Effect::Suspend),
            A::Redraw => self.send(Effect::Redraw),
            A::FindNext => self.go_to_match(1),
            A::FindPrevious => self.go_to_match(-1),
            A::Refresh => self.refresh_now(),
            A::Pause => self.pause(),
            A::Dismiss => self.dismiss_on_tab(),
            A::ShowDeployments => self.show_tab(TabId::Deployments),
            A::ShowTrack => self.show_tab(TabId::Track),
            A::ShowPlants => self.show_tab(TabId::Plants),
            A::ShowActivity => self.show_tab(TabId::Activity),
            A::NextTab => self.show_tab(choice::next(self.tab)),
            A::PreviousTab => self.show_tab(choice::step(self.tab, -1)),
            A::Down | A::Up | A::First | A::Last => self.step(action),
            A::HalfDown | A::HalfUp | A::PageDown | A::PageUp => self.step(action),
            A::SortColumn => self.order_by(self.heading_after(self.heading())),
            A::SortDirection => self.reverse_sort(),
            A::Undo => self.undo(),
            A::Copy => self.copy(),
            A::Units => self.next_units(),
            A::Coordinates => self.next_coordinates(),
            A::Clock => self.next_clock(),
            A::Markers => self.next_markers(),
            A::FullPane => self.toggle_full_pane(),
            A::NextPane => self.pane = choice::next(self.pane),
            A::ZoomIn | A::ZoomOut | A::Fit | A::FitWorld | A::Projection => {
                self.act_on_map(action);
            }
            A::PanLeft | A::PanDown | A::PanUp | A::PanRight => self.act_on_map(action),
            A::Open => self.open_selected(),
            A::NextDeployment => self.step_deployment(1),
            A::PreviousDeployment => self.step_deployment(-1),
            A::Follow => self.toggle_follow(),
            A::Earlier => self.move_cursor(-1),
            A::Later => self.move_cursor(1),
            A::EarlierMoment => self.move_moment(-1.0),
            A::LaterMoment => self.move_moment(1.0),
            A::Play => self.play_moments(),
            A::NextFlagged => self.go_to_flagged(1),
            A::PreviousFlagged => self.go_to_flagged(-1),
            A::Measure => self.measure(),
            A::Mark => self.mark_deployment(),
            A::OverrideFlag => self.override_flag(),
            A::FailedFixes => self.next_failed(),
            A::ColourBy => self.next_colour(),
            A::NextField => self.step_field(1),
            A::PreviousField => self.step_field(-1),
            A::Rings => self.toggle_rings(),
            A::FixDots => self.next_fix_dots(),
            A::Range => self.next_time_preset(),
            A::RangeFrom => self.time_range_at_cursor(RangeEnd::First),
            A::RangeTo => self.time_range_at_cursor(RangeEnd::Last),
            // These open dialogs.
            A::Quit | A::Help | A::Palette | A::Settings | A::Message | A::Columns => {}
            A::Find | A::GoToTime | A::Filter | A::ChooseField | A::Export | A::Login => {}
            A::Details | A::Where | A::AddDeployment | A::ListOfService | A::Edit => {}
            A::RemoveDeployment => {}
            // These are of a tab of their own.
            A::NewPlant | A::DeletePlant | A::ResolvePlant | A::ImportPlants | A::MarkAll => {}
            A::Alarms | A::OpenAlarm | A::Acknowledge | A::Snooze => {}
        }
    }

    fn next_units(&mut self) {
        let next = self.settings.units.next().name();
        self.notify(format!("units: {next}"));
        self.set("units", next)
    }

    fn next_coordinates(&mut self) {
        let next = self.settings.coordinates.next();
        self.notify(match next {
            CoordinateFormat::Dd => "coordinates: decimal degrees (DD)",
            CoordinateFormat::Ddm => "coordinates: degrees and decimal minutes (DDM)",
            CoordinateFormat::Dms => "coordinates: degrees, minutes, seconds (DMS)",
        });
        self.set("coordinates", next.into())
    }

    fn next_clock(&mut self) {
        let next = choice::next(self.settings.time_zone);
        self.set("time_zone", next.into());
        let zone = match self.shown_zone() {
            None => "times: UTC".to_owned(),
            Some(zone) => format!("times: local ({})", time::zone_name(self.now, zone)),
        };
        self.notify(zone);
    }

    fn pause(&mut self) {
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
        if self.tab == TabId::Deployments && self.full {
            self.pane = Pane::Map;
        }
    }

    /// The order of this tab's rows.
    pub(super) fn heading(&self) -> Heading {
        if let Some(tab) = self.component() {
            return Heading::Column(tab.rows().sort);
        }
        match self.tab {
            TabId::Track => Heading::Fixes(self.track.arrangement.sort),
            _ => Heading::Deployments(self.deployments.sort.column),
        }
    }

    /// Sorts this tab's rows by a column.
    pub(super) fn order_by(&mut self, heading: Heading) {
        match heading {
            Heading::Deployments(sort) => {
                self.deployments.sort.column = sort;
                self.deployments.arrange_rows(self.now);
            }
            Heading::Fixes(sort) => {
                self.track.arrangement.sort = sort;
                match sort {
                    TrackSort::Field => self.sort_by_shown_field(),
                    _ => self.arrange_rows(),
                }
            }
            Heading::Column(column) => {
                self.change_component(|tab, _| tab.rows_mut().sort = column);
            }
            Heading::Unsorted => self.reverse_sort(),
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
            TabId::Deployments => {
                let all = DeploymentSort::VARIANTS.iter().copied();
                let has_group = self.deployments.widest.group > 0;
                let all = all.filter(|sort| has_group || *sort != DeploymentSort::Group);
                all.map(Heading::Deployments).collect()
            }
            TabId::Track => {
                let all = TrackSort::VARIANTS.iter().copied();
                let has_field = self.has_field_column();
                let all = all.filter(|sort| has_field || *sort != TrackSort::Field);
                all.map(Heading::Fixes).collect()
            }
            _ => {
                let columns = self.component().map_or_else(Vec::new, |tab| tab.columns());
                columns.into_iter().map(Heading::Column).collect()
            }
        }
    }

    fn reverse_sort(&mut self) {
        match self.tab {
            TabId::Deployments => {
                self.deployments.sort.is_reversed = !self.deployments.sort.is_reversed;
                self.deployments.arrange_rows(self.now);
            }
            TabId::Track => {
                self.track.arrangement.descending = !self.track.arrangement.descending;
                self.arrange_rows();
            }
            _ => {
                self.change_component(|tab, _| {
                    let rows = tab.rows_mut();
                    rows.is_reversed = !rows.is_reversed;
                });
            }
        }
    }

    /// Shows a tab; on Track, the deployment that is selected in the list.
    pub(super) fn show_tab(&mut self, tab: TabId) {
        if self.tab == tab {
            return;
        }
        self.full = false;
        self.copied = None;
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
        if let (TabId::Track, Some(uuid)) = (tab, selected) {
            self.open_track(uuid);
        }
        self.look_for_changes();
        self.tab = tab;
        self.change_search(tab);
        self.search_track();
    }

    /// Esc without a dialog undoes one thing, the first of these that there is: a warning, a
    /// request by hand or an import of plants, the search, the filter, a first request, marks, a measurement and a search area, the time range,
    /// the moment, full size. Then it leads from Track to the list.
    fn dismiss_on_tab(&mut self) {
        // Any other message ends with the next key, whatever that does.
        let message = self.notice.take();
        if message.as_ref().is_some_and(|message| message.is_warning) {
            return;
        }
        // Only a request by hand has a message.
        let has_message = message.is_some();
        if message.is_some_and(|message| message.loads.is_some()) && self.cancel_request() {
            return;
        }
        if self.tab == TabId::Plants && send::stop_import(self) {
            return;
        }
        if self.search.is_some() {
            return self.end_search();
        }
        if !self.filter().is_empty() {
            return self.set_filter("");
        }
        // The others are given up where nothing else is shown meanwhile.
        let uuid = self.shown_deployment();
        let shown = uuid.and_then(|uuid| self.deployments.get(uuid));
        let has_data = shown.is_some_and(|shown| shown.track.has_data());
        if !has_data && self.cancel_request() {
            return;
        }
        if self.unmark() {
            return;
        }
        if self.tab == TabId::Track && self.track.time_range.is_some() {
            return self.clear_time_range();
        }
        if self.tab == TabId::Deployments && self.return_to_now() {
            return;
        }
        if self.full {
            self.full = false;
        } else if self.tab == TabId::Track && !has_message {
            self.show_tab(TabId::Deployments);
        }
    }

    /// Cancels the request for the deployment that this tab shows; `false` without one.
    fn cancel_request(&mut self) -> bool {
        let now = self.now;
        let uuid = self.shown_deployment();
        let deployment = uuid.and_then(|uuid| self.deployments.get_mut(uuid));
        let Some(deployment) = deployment else {
            return false;
        };
        let Some(request) = deployment.track.cancel() else {
            return false;
        };
        let (uuid, name) = (deployment.uuid(), deployment.name());
        self.deployments.agenda.given_up(uuid, now);
        self.notify(format!("{name}: request cancelled"));
        self.send(Effect::Cancel(request));
        true
    }

    /// The deployment that this tab shows, or whose row is selected.
    fn shown_deployment(&self) -> Option<Uuid> {
        match self.tab {
            TabId::Track => self.track.open,
            TabId::Deployments => self.deployments.selected().map(|known| known.uuid()),
            _ => None,
        }
    }

    /// Takes back a measurement and a search area on the map, or the marks of the rows; `false`
    /// where there are none.
    fn unmark(&mut self) -> bool {
        if self.change_component(|tab, _| tab.dismiss()) == Some(true) {
            return true;
        }
        let uuid = self.shown_deployment();
        if uuid.is_some_and(|uuid| self.whereabouts(uuid).is_some()) {
            self.sought.answer = None;
            return true;
        }
        match self.tab {
            TabId::Track => std::mem::take(&mut self.track.marks).0.is_some(),
            TabId::Deployments => self.unmark_all(),
            _ => false,
        }
    }

    fn step(&mut self, action: Action) {
        let Some(step) = action.step() else {
            return;
        };
        if !self.scroll_detail(step) {
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
