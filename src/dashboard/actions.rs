//! Performs the actions. Every action has an arm: the compiler reports a
//! missing one.

use uuid::Uuid;

use super::Dashboard;
use super::connection::Connection;
use super::deployments::deployment::DeploymentState;
use super::dialogs::alarms::Alarms;
use super::dialogs::columns::ColumnsForm;
use super::dialogs::help::Help;
use super::dialogs::listed::ListedDialog;
use super::dialogs::page::Message;
use super::dialogs::palette::Palette;
use super::dialogs::prompt::{Prompt, Purpose};
use super::dialogs::settings::SettingsList;
use super::dialogs::token::TokenForm;
use super::effect::Effect;
use super::keymap::Action;
use super::layout::Arrangement;
use super::shared::TrackSource;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::tabs::Outcome;
use super::targets::Heading;
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::table_state::Step;
use crate::dashboard::widgets::text::Text;
use crate::geo::CoordinateFormat;
use crate::map::FixDots;
use crate::text::{self, choice};
use crate::track::sort::SortedBy;
use crate::track::time;

impl Dashboard {
    /// Performs an action: those that open dialogs here, the others on the shell.
    pub(super) fn act(&mut self, action: Action) {
        use Action as A;
        let shell = &mut self.shell;
        if action != A::Copy {
            shell.copied = None;
        }
        let (tab, shared) = shell.tab_mut();
        if is_about_row(action) {
            tab.hold_row();
        }
        if let Some(outcome) = tab.key(action, shared) {
            return self.done_by_tab(outcome);
        }
        match action {
            A::Quit => self.quit(),
            A::Help => self.open(Help::new(&self.shell)),
            A::Palette => self.open(Palette::default()),
            A::Settings => self.open(SettingsList::default()),
            A::Find => self.ask_what_to_find(""),
            A::GoToTime => self.ask_what_to_find("@"),
            A::Filter => self.open(Prompt::new(Purpose::Filter, "")),
            A::Columns => self.open(ColumnsForm::new(
                self.shell.shared.screen.tab,
                &self.shell.shared.screen.columns,
            )),
            A::Details => self.show_details(),
            A::Where => self.show_card(),
            A::Message => self.show_last_message(),
            A::AddDeployment | A::ListOfService
                if shell.shared.service.source == TrackSource::Files =>
            {
                let why = "the list is the files of the command line";
                shell.shared.notify(why);
            }
            A::AddDeployment => self.open(Prompt::new(Purpose::Deployment, "")),
            A::ListOfService => self.show_list_of_service(),
            A::Edit => self.edit(),
            A::RemoveDeployment => self.ask_to_remove_deployment(),
            A::ChooseField => self.open(Palette::of_fields(&self.shell)),
            A::Export => self.ask_to_export(),
            A::Alarms | A::OpenAlarm | A::Acknowledge | A::Snooze => {
                self.open(Alarms::new(&self.shell))
            }
            A::Login => self.open(TokenForm::default()),
            _ => shell.act(action),
        }
    }

    /// The shown tab has handled an action of its own.
    fn done_by_tab(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done => {}
            Outcome::Say(words) => self.shell.shared.notify(words),
            Outcome::OpenTrack(uuid) => self.shell.open_track(uuid),
            Outcome::Ask(ask) => self.ask(ask),
        }
    }

    /// Requests the list of the service. The service of UUIDs has none.
    fn show_list_of_service(&mut self) {
        if self.shell.shared.service.remote.is_none() {
            let add = self.shell.shared.key_of(Action::AddDeployment);
            let message = format!("{add} add  this service has no list of deployments");
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
            self.shell.shared.messages.last.as_str(),
            &self.shell.shared.service.connection,
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

    /// Shows the recorded fixes as dots on the line, not at all, or alone.
    fn next_fix_dots(&mut self) {
        self.map.fix_dots = choice::next(self.map.fix_dots);
        let zoom = self.key_of(Action::ZoomIn);
        self.notify(match self.map.fix_dots {
            FixDots::OnLine => format!("{zoom} closer  fixes: a dot each, once two cells apart"),
            FixDots::Line => "fixes: the line alone".to_owned(),
            FixDots::Alone => "fixes: the dots alone".to_owned(),
        });
    }
}

impl Shell {
    /// Shows one pane at full size, or all again: on the list its map.
    fn toggle_full_pane(&mut self) {
        self.shared.screen.full = !self.shared.screen.full;
        let arrangement = self.tab().arrangement(&self.shared);
        if self.shared.screen.full && matches!(arrangement, Arrangement::List { .. }) {
            self.shared.screen.pane = Pane::Map;
        }
    }

    /// Cancels what was asked for by key: on Track the request for its deployment, elsewhere those
    /// for all; else the request for the deployment that this tab shows. `false` without one.
    fn cancel_requests(&mut self) -> bool {
        let now = self.shared.now;
        let shown = self.tab().deployment(&self.shared);
        let deployments = &self.shared.deployments;
        let is_of_all = self.shared.screen.tab != TabId::Track;
        let all = deployments.list.iter().map(DeploymentState::uuid);
        let asked = all.filter(|uuid| is_of_all && deployments.agenda.is_asked_for(*uuid));
        let mut uuids: Vec<Uuid> = asked.collect();
        if uuids.is_empty() {
            uuids.extend(shown);
        }
        let mut names = Vec::new();
        for uuid in uuids {
            let deployments = &mut self.shared.deployments;
            let waits = deployments.agenda.is_asked_for(uuid);
            let Some(deployment) = deployments.get_mut(uuid) else {
                continue;
            };
            let request = deployment.track.cancel();
            if request.is_some() || waits {
                names.push(deployment.name());
                deployments.agenda.given_up(uuid, now);
            }
            self.shared.cancel(request);
        }
        match names.as_slice() {
            [] => return false,
            [name] => {
                let said = Text::named(name, |name| format!("{name}: request cancelled"));
                self.shared.notify(said);
            }
            names => {
                let count = text::count(names.len());
                self.shared.notify(format!("{count} requests cancelled"));
            }
        }
        true
    }

    /// Performs an action that opens no dialog.
    fn act(&mut self, action: Action) {
        use Action as A;
        let span_s = self.tabs.track.shown_span_s();
        match action {
            A::Suspend => self.shared.send(Effect::Suspend),
            A::Redraw => self.shared.send(Effect::Redraw),
            A::FindNext => self.go_to_match(1),
            A::FindPrevious => self.go_to_match(-1),
            A::Refresh => self.shared.refresh_now(),
            A::Pause => self.shared.pause(),
            A::Dismiss => self.dismiss_on_tab(),
            A::Show(tab) => self.show_tab(tab),
            A::NextTab => self.show_tab(choice::next(self.shared.screen.tab)),
            A::PreviousTab => self.show_tab(choice::step(self.shared.screen.tab, -1)),
            A::SortColumn => {
                let order = self.tab().order();
                let column = self.heading_after(order.column);
                self.set_order(SortedBy { column, ..order });
            }
            A::SortDirection => {
                let order = self.tab().order();
                let is_reversed = !order.is_reversed;
                self.set_order(SortedBy {
                    is_reversed,
                    ..order
                });
            }
            A::Undo => self.shared.undo(),
            A::Copy => self.copy(),
            A::Units => self.next_units(),
            A::Coordinates => self.next_coordinates(),
            A::Clock => self.next_clock(),
            A::Markers => self.shared.next_markers(),
            A::FullPane => self.toggle_full_pane(),
            A::NextPane => self.shared.screen.pane = choice::next(self.shared.screen.pane),
            A::ZoomIn
            | A::ZoomOut
            | A::Fit
            | A::FitWorld
            | A::Projection
            | A::PanLeft
            | A::PanDown
            | A::PanUp
            | A::PanRight => self.act_on_map(action),
            A::Open => self.open_selected(),
            A::NextDeployment => self.step_deployment(1),
            A::PreviousDeployment => self.step_deployment(-1),
            A::EarlierMoment => self.shared.move_moment(-1.0, span_s),
            A::LaterMoment => self.shared.move_moment(1.0, span_s),
            A::Play => self.shared.play_moments(span_s),
            A::FixDots => self.shared.next_fix_dots(),
            // Dialogs and tabs do the others.
            _ => {
                if let Some(step) = action.step() {
                    self.step(step);
                }
            }
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

    /// Sorts this tab's rows.
    pub(super) fn set_order(&mut self, order: SortedBy<Heading>) {
        let (tab, shared) = self.tab_mut();
        tab.set_order(shared, order);
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
            all = self.tab().orders(&self.shared);
        }
        let here = all.iter().position(|heading| *heading == now);
        let next = here.and_then(|index| all.get(index + 1));
        *next.or(all.first()).unwrap_or(&now)
    }

    /// Shows a tab; on Track, the deployment that is selected in the list.
    pub(super) fn show_tab(&mut self, tab: TabId) {
        if self.shared.screen.tab == tab {
            return;
        }
        self.shared.screen.full = false;
        self.copied = None;
        let row = self.selected().or(self.shared.deployments.list.first());
        // Tab 2 shows the marked deployments, whatever row is selected.
        let marked = self.shared.marked().into_iter().next();
        let selected = row
            .filter(|deployment| marked.is_none() || deployment.mark.is_some())
            .or(marked)
            .map(|deployment| deployment.uuid());
        if let (TabId::Track, Some(uuid)) = (tab, selected) {
            self.open_track(uuid);
        }
        self.shared.look_for_changes();
        self.shared.screen.show_tab(tab);
        self.tabs.track.search_track(&mut self.shared);
    }

    /// Esc without a dialog undoes one thing, the first of these that there is: a warning, a
    /// request by hand or an import of plants, the search, the filter, a first request, marks, a measurement, the time range,
    /// the moment, full size. Then it leads from Track to the list.
    fn dismiss_on_tab(&mut self) {
        // Any other message ends with the next key, whatever that does.
        let message = self.shared.messages.notice.take();
        if message.as_ref().is_some_and(|message| message.is_warning) {
            return;
        }
        // Only a request by hand has a message.
        let has_message = message.is_some();
        if message.is_some_and(|message| message.loads.is_some()) && self.cancel_requests() {
            return;
        }
        let (tab, shared) = self.tab_mut();
        if tab.stop(shared) {
            return;
        }
        if self.shared.screen.search.is_some() {
            return self.shared.end_search();
        }
        if !self.filter().is_empty() {
            return self.set_filter("");
        }
        // The others are given up if nothing else is shown meanwhile.
        let has_data = self
            .deployment()
            .is_some_and(|shown| shown.track.has_data());
        if !has_data && self.cancel_requests() {
            return;
        }
        let (tab, shared) = self.tab_mut();
        if tab.dismiss(shared) {
            return;
        }
        if shared.screen.full {
            shared.screen.full = false;
        } else if let Some(back) = tab.back().filter(|_| !has_message) {
            self.show_tab(back);
        }
    }

    fn step(&mut self, step: Step) {
        let (tab, shared) = self.tab_mut();
        if !tab.scroll(step, shared) {
            self.move_in_table(|table, rows, height| table.step(step, rows, height));
        }
    }
}

/// `true` for an action that is about the row under the cursor.
fn is_about_row(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::Open | A::Edit | A::RemoveDeployment | A::Copy | A::Details | A::Export | A::Mark
    )
}
