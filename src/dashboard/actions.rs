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
use super::plants::send;
use super::shared::TrackSource;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::targets::Heading;
use super::track::RangeEnd;
use crate::choice;
use crate::dashboard::shared::Shared;
use crate::geo::CoordinateFormat;
use crate::track::{DeploymentSort, TrackSort, time};

impl Dashboard {
    /// Performs an action: those that open dialogs here, the others on the shell.
    pub(super) fn act(&mut self, action: Action) {
        use Action as A;
        let shell = &mut self.shell;
        if action != A::Copy {
            shell.copied = None;
        }
        // The cursor stays on a deployment that an action is about, however the rows move.
        if shell.shared.tab == TabId::Deployments && is_about_selected(action) {
            shell.tabs.deployments.is_chosen = true;
        }
        if self.act_on_component(action) {
            return;
        }
        let shell = &mut self.shell;
        match action {
            A::Quit => self.quit(),
            A::Help => self.open(Help::new(&self.shell)),
            A::Palette => self.open(Palette::new(&self.shell, &self.recent)),
            A::Settings => self.open(SettingsList::default()),
            A::Find => self.ask_what_to_find(""),
            A::GoToTime => self.ask_what_to_find("@"),
            A::Filter => self.open(Prompt::new(Purpose::Filter, "")),
            A::Columns => self.open(ColumnsForm::new(
                self.shell.shared.tab,
                &self.shell.shared.columns,
            )),
            A::Details => self.show_details(),
            A::Where => self.show_card(),
            A::Message => self.show_last_message(),
            A::AddDeployment | A::ListOfService if shell.shared.source == TrackSource::Files => {
                shell
                    .shared
                    .notify("the list is the files of the command line: `driftline FILE…`");
            }
            A::AddDeployment => self.open(Prompt::new(Purpose::Deployment, "")),
            A::ListOfService => self.show_list_of_service(),
            A::Edit => self.edit(),
            A::RemoveDeployment => self.ask_to_remove_deployment(),
            A::ChooseField => self.open(FieldList::new(&self.shell)),
            A::Export => self.ask_to_export(None),
            A::Alarms | A::OpenAlarm | A::Acknowledge | A::Snooze => {
                self.open(Alarms::new(&self.shell))
            }
            A::Login => self.open(TokenForm::default()),
            _ => shell.act(action),
        }
    }

    /// Requests the list of the service. The service of UUIDs has none.
    fn show_list_of_service(&mut self) {
        if self.shell.shared.remote.is_none() {
            let add = self.shell.shared.key_of(Action::AddDeployment);
            let message = format!("this service has no list of deployments: {add} adds one");
            self.shell.shared.notify(message);
            return;
        }
        let request = self.shell.shared.next_request();
        self.open(ListedDialog::new(request));
        self.shell.shared.send(Effect::ReadList(request));
    }

    /// The last message, else why the service fails: the header may have no room for it.
    fn show_last_message(&mut self) {
        match (
            self.shell.shared.last_message.as_str(),
            &self.shell.shared.connection,
        ) {
            ("", Connection::Failing(failure, _)) => {
                self.open(Message::last(self.shell.shared.said_of(failure)))
            }
            ("", _) => self.shell.shared.notify("no message so far"),
            (message, _) => self.open(Message::last(message)),
        }
    }
}

impl Shared {
    fn pause(&mut self) {
        self.deployments.paused = !self.deployments.paused;
        self.notify(if self.deployments.paused {
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
}

impl Shell {
    /// Cancels the request for the deployment that this tab shows; `false` without one.
    fn cancel_request(&mut self) -> bool {
        let now = self.shared.now;
        let uuid = self.shown_deployment();
        let deployment = uuid.and_then(|uuid| self.shared.deployments.get_mut(uuid));
        let Some(deployment) = deployment else {
            return false;
        };
        let Some(request) = deployment.track.cancel() else {
            return false;
        };
        let (uuid, name) = (deployment.uuid(), deployment.name());
        self.shared.deployments.agenda.given_up(uuid, now);
        self.shared.notify(format!("{name}: request cancelled"));
        self.shared.send(Effect::Cancel(request));
        true
    }

    /// The deployment that this tab shows, or whose row is selected.
    fn shown_deployment(&self) -> Option<Uuid> {
        match self.shared.tab {
            TabId::Track => self.shared.deployments.open,
            TabId::Deployments => self.selected().map(|known| known.uuid()),
            _ => None,
        }
    }

    /// Performs an action that opens no dialog.
    fn act(&mut self, action: Action) {
        use Action as A;
        match action {
            A::Suspend => self.shared.send(Effect::Suspend),
            A::Redraw => self.shared.send(Effect::Redraw),
            A::FindNext => self.go_to_match(1),
            A::FindPrevious => self.go_to_match(-1),
            A::Refresh => self.shared.refresh_now(),
            A::Pause => self.shared.pause(),
            A::Dismiss => self.dismiss_on_tab(),
            A::ShowDeployments => self.show_tab(TabId::Deployments),
            A::ShowTrack => self.show_tab(TabId::Track),
            A::ShowPlants => self.show_tab(TabId::Plants),
            A::ShowActivity => self.show_tab(TabId::Activity),
            A::NextTab => self.show_tab(choice::next(self.shared.tab)),
            A::PreviousTab => self.show_tab(choice::step(self.shared.tab, -1)),
            A::Down | A::Up | A::First | A::Last => self.step(action),
            A::HalfDown | A::HalfUp | A::PageDown | A::PageUp => self.step(action),
            A::SortColumn => self.order_by(self.heading_after(self.heading())),
            A::SortDirection => self.reverse_sort(),
            A::Undo => self.shared.undo(),
            A::Copy => self.copy(),
            A::Units => self.next_units(),
            A::Coordinates => self.next_coordinates(),
            A::Clock => self.next_clock(),
            A::Markers => self.shared.next_markers(),
            A::FullPane => self.shared.toggle_full_pane(),
            A::NextPane => self.shared.pane = choice::next(self.shared.pane),
            A::ZoomIn | A::ZoomOut | A::Fit | A::FitWorld | A::Projection => {
                self.act_on_map(action);
            }
            A::PanLeft | A::PanDown | A::PanUp | A::PanRight => self.act_on_map(action),
            A::Open => self.open_selected(),
            A::NextDeployment => self.step_deployment(1),
            A::PreviousDeployment => self.step_deployment(-1),
            A::Follow => self.tabs.track.toggle_follow(&mut self.shared),
            A::Earlier => self.tabs.track.move_cursor(&mut self.shared, -1),
            A::Later => self.tabs.track.move_cursor(&mut self.shared, 1),
            A::EarlierMoment => self
                .shared
                .move_moment(-1.0, self.tabs.track.shown_span_s()),
            A::LaterMoment => self.shared.move_moment(1.0, self.tabs.track.shown_span_s()),
            A::Play => self.shared.play_moments(self.tabs.track.shown_span_s()),
            A::NextFlagged => self.tabs.track.go_to_flagged(&mut self.shared, 1),
            A::PreviousFlagged => self.tabs.track.go_to_flagged(&mut self.shared, -1),
            A::Measure => self.tabs.track.measure(&mut self.shared),
            A::Mark => self.tabs.deployments.mark(&mut self.shared),
            A::OverrideFlag => self.tabs.track.override_flag(&mut self.shared),
            A::FailedFixes => self.tabs.track.next_failed(&mut self.shared),
            A::ColourBy => self.tabs.track.next_colour(&mut self.shared),
            A::NextField => self.tabs.track.step_field(&mut self.shared, 1),
            A::PreviousField => self.tabs.track.step_field(&mut self.shared, -1),
            A::Rings => self.tabs.track.toggle_rings(&mut self.shared),
            A::FixDots => self.tabs.track.next_fix_dots(&mut self.shared),
            A::Range => self.tabs.track.next_time_preset(&mut self.shared),
            A::RangeFrom => self
                .tabs
                .track
                .time_range_at_cursor(&mut self.shared, RangeEnd::First),
            A::RangeTo => self
                .tabs
                .track
                .time_range_at_cursor(&mut self.shared, RangeEnd::Last),
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
        let next = self.shared.settings.units.next().name();
        self.shared.notify(format!("units: {next}"));
        self.set("units", next)
    }

    fn next_coordinates(&mut self) {
        let next = self.shared.settings.coordinates.next();
        self.shared.notify(match next {
            CoordinateFormat::Dd => "coordinates: decimal degrees (DD)",
            CoordinateFormat::Ddm => "coordinates: degrees and decimal minutes (DDM)",
            CoordinateFormat::Dms => "coordinates: degrees, minutes, seconds (DMS)",
        });
        self.set("coordinates", next.into())
    }

    fn next_clock(&mut self) {
        let next = choice::next(self.shared.settings.time_zone);
        self.set("time_zone", next.into());
        let zone = match self.shared.shown_zone() {
            None => "times: UTC".to_owned(),
            Some(zone) => format!("times: local ({})", time::zone_name(self.shared.now, zone)),
        };
        self.shared.notify(zone);
    }

    /// The order of this tab's rows.
    pub(super) fn heading(&self) -> Heading {
        if let Some(tab) = self.component() {
            return Heading::Column(tab.rows().sort);
        }
        match self.shared.tab {
            TabId::Track => Heading::Fixes(self.tabs.track.arrangement.sort),
            _ => Heading::Deployments(self.tabs.deployments.sort.column),
        }
    }

    /// Sorts this tab's rows by a column.
    pub(super) fn order_by(&mut self, heading: Heading) {
        match heading {
            Heading::Deployments(sort) => {
                self.tabs.deployments.sort.column = sort;
                self.sort_deployments();
            }
            Heading::Fixes(sort) => {
                self.tabs.track.arrangement.sort = sort;
                match sort {
                    TrackSort::Field => self.tabs.track.sort_by_shown_field(&mut self.shared),
                    _ => self.tabs.track.arrange_rows(&mut self.shared),
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
        match self.shared.tab {
            TabId::Deployments => {
                let all = DeploymentSort::VARIANTS.iter().copied();
                let has_group = self.shared.deployments.widest.group > 0;
                let all = all.filter(|sort| has_group || *sort != DeploymentSort::Group);
                all.map(Heading::Deployments).collect()
            }
            TabId::Track => {
                let all = TrackSort::VARIANTS.iter().copied();
                let has_field = self.tabs.track.has_field_column(&self.shared);
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
        match self.shared.tab {
            TabId::Deployments => {
                self.tabs.deployments.sort.is_reversed = !self.tabs.deployments.sort.is_reversed;
                self.sort_deployments();
            }
            TabId::Track => {
                self.tabs.track.arrangement.descending = !self.tabs.track.arrangement.descending;
                self.tabs.track.arrange_rows(&mut self.shared);
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
        if self.shared.tab == tab {
            return;
        }
        self.shared.full = false;
        self.copied = None;
        // The pointer is not over this tab's map until it moves.
        self.tabs.track.pointer = None;
        let selected = self.selected().or(self.shared.deployments.list.first());
        // Tab 2 shows the marked deployments, whatever row is selected.
        let marked = self.shared.marked().into_iter().next();
        let selected = selected
            .filter(|deployment| marked.is_none() || deployment.mark.is_some())
            .or(marked);
        let selected = selected.map(|deployment| deployment.uuid());
        if let (TabId::Track, Some(uuid)) = (tab, selected) {
            self.open_track(uuid);
        }
        self.shared.look_for_changes();
        self.shared.tab = tab;
        self.shared.change_search(tab);
        self.tabs.track.search_track(&mut self.shared);
    }

    /// Esc without a dialog undoes one thing, the first of these that there is: a warning, a
    /// request by hand or an import of plants, the search, the filter, a first request, marks, a measurement and a search area, the time range,
    /// the moment, full size. Then it leads from Track to the list.
    fn dismiss_on_tab(&mut self) {
        // Any other message ends with the next key, whatever that does.
        let message = self.shared.notice.take();
        if message.as_ref().is_some_and(|message| message.is_warning) {
            return;
        }
        // Only a request by hand has a message.
        let has_message = message.is_some();
        if message.is_some_and(|message| message.loads.is_some()) && self.cancel_request() {
            return;
        }
        if self.shared.tab == TabId::Plants && send::stop_import(self) {
            return;
        }
        if self.shared.search.is_some() {
            return self.shared.end_search();
        }
        if !self.filter().is_empty() {
            return self.set_filter("");
        }
        // The others are given up where nothing else is shown meanwhile.
        let uuid = self.shown_deployment();
        let shown = uuid.and_then(|uuid| self.shared.deployments.get(uuid));
        let has_data = shown.is_some_and(|shown| shown.track.has_data());
        if !has_data && self.cancel_request() {
            return;
        }
        if self.unmark() {
            return;
        }
        if self.shared.tab == TabId::Track && self.tabs.track.time_range.is_some() {
            return self.tabs.track.clear_time_range(&mut self.shared);
        }
        if self.shared.tab == TabId::Deployments && self.shared.return_to_now() {
            return;
        }
        if self.shared.full {
            self.shared.full = false;
        } else if self.shared.tab == TabId::Track && !has_message {
            self.show_tab(TabId::Deployments);
        }
    }

    /// Takes back a measurement and a search area on the map, or the marks of the rows; `false`
    /// where there are none.
    fn unmark(&mut self) -> bool {
        if self.change_component(|tab, _| tab.dismiss()) == Some(true) {
            return true;
        }
        let uuid = self.shown_deployment();
        if uuid.is_some_and(|uuid| self.shared.whereabouts(uuid).is_some()) {
            self.shared.sought.answer = None;
            return true;
        }
        match self.shared.tab {
            TabId::Track => std::mem::take(&mut self.tabs.track.marks).0.is_some(),
            TabId::Deployments => self.shared.unmark_all(),
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
