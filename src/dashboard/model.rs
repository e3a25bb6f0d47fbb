//! The state of the dashboard. Only `update` changes it.

use super::effect::{Effect, Effects};
use super::event::RequestId;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use uuid::Uuid;

use super::alarms::Alarms;
use super::columns::Columns;
use super::connection::Connection;
use super::deployments::DeploymentsTab;
use super::deployments::deployment::DeploymentState;
use super::history::History;
use super::keymap::{Action, Keymap};
use super::layout::{FixCells, Layout, Shown};
use super::notice::Notice;
use super::plants::PlantsTab;
use super::rows::Row;
use super::search::Search;
use super::shell::Components;
use super::sought::Sought;
use super::tab::{Pane, TabId};
use super::targets::Targets;
use super::token::TokenState;
use super::track::TrackTab;
use super::track::table::{field_width, time_cells};
use super::widgets::table_state::TableState;
use crate::failure::Failure;
use crate::map::{GlyphSet, Overlay, PreparedTrack};
use crate::mapping::Service;
use crate::plant::log::PlantService;
use crate::settings::Settings;
use crate::track::agenda::LastAnswer;
use crate::track::query::Query;
use crate::track::time::ShownZone;
use crate::track::{Deployment, Fix};

/// The source of the tracks of a dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrackSource {
    /// A service of the user.
    Service,
    /// The embedded service with the instruments of the demo.
    Demo,
    /// The embedded service with the tracks of files.
    Files,
}

impl TrackSource {
    /// `true` if neither the settings file nor the address of the user is used.
    pub(crate) fn is_embedded(self) -> bool {
        self != Self::Service
    }

    /// The words for getting the next fix: a service is asked, a file is read.
    pub(super) fn next_request(self) -> &'static str {
        match self {
            Self::Service | Self::Demo => "next request",
            Self::Files => "next reading",
        }
    }
}

/// A service and its watch list.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    /// The base URL, as it is shown.
    pub address: String,
    /// A service with its own kind of ids (any text) and without plants.
    pub remote: Option<Service>,
    /// The address at which plants are created.
    pub sandbox: String,
    /// The source of the tracks.
    pub source: TrackSource,
    /// The watch list.
    pub list: Vec<Deployment>,
    /// Why the archived watch list could not be read.
    pub unread: Option<Failure>,
    /// The last answers for the deployments that the archive has.
    pub answers: HashMap<Uuid, LastAnswer>,
    /// A deployment to open on.
    pub open: Option<Uuid>,
}

/// The computer that the dashboard runs on, and the moment.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    /// The time zone of this computer.
    pub zone: TimeZone,
    /// The glyphs that suit the terminal.
    pub best_markers: GlyphSet,
    /// The folder that a relative path begins in; empty if it is not known.
    pub folder: String,
    /// The current time, UNIX seconds.
    pub now: f64,
}

/// The state of the dashboard.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// The base URL, as it is shown.
    pub address: String,
    /// A service with its own kind of ids.
    pub remote: Option<Service>,
    /// The source of the tracks.
    pub source: TrackSource,
    /// The folder that a relative path begins in; empty if it is not known.
    pub folder: String,
    /// A permanent warning about the connection.
    pub warning: Option<String>,
    /// The state of the connection to the service.
    pub connection: Connection,
    /// The state of the token, by the responses so far.
    pub token: TokenState,
    /// The current time, UNIX seconds.
    pub now: f64,
    /// The settings: those of the start, with the changes of the dialog and of keys.
    pub settings: Settings,
    /// The keys of the actions.
    pub keymap: Arc<Keymap>,
    /// The columns of the tables.
    pub columns: Columns,
    /// Columns of the terminal.
    pub width: u16,
    /// Rows of the terminal.
    pub height: u16,
    /// Height of a cell over its width.
    pub cell_aspect: f64,
    /// The tab that is shown.
    pub tab: TabId,
    /// The pane that has the focus on Track.
    pub pane: Pane,
    /// `true` if that pane is shown at full size.
    pub full: bool,
    /// The glyphs that suit the terminal.
    pub(in crate::dashboard) best_markers: GlyphSet,
    /// The time zone of this computer.
    pub zone: TimeZone,
    /// `true` if refreshing is paused.
    pub paused: bool,
    /// Search areas and the own ship.
    pub sought: Sought,
    /// The overlays from the user's files.
    pub overlays: Vec<Arc<Overlay>>,
    /// The watch list, with the state of each deployment.
    pub deployments: DeploymentsTab,
    /// When deployments were last checked for silence, UNIX seconds.
    pub(in crate::dashboard) judged_at: f64,
    /// The alarms of all deployments and of the service.
    pub alarms: Alarms,
    /// The open track.
    pub track: TrackTab,
    /// The local changes of this session that can be undone.
    pub history: History,
    /// The tabs that are components.
    pub tabs: Components,
    /// The search of the shown tab's rows.
    pub search: Option<Search>,
    /// The row that the last action has copied, and in which of its forms.
    pub(crate) copied: Option<(Row, usize)>,
    /// The message that is shown.
    pub notice: Option<Notice>,
    /// An alarm message that waits until the message of the last action has been read.
    pub(in crate::dashboard) waiting: Option<Notice>,
    /// The text of the last message; empty before the first.
    pub(crate) last_message: String,
    /// The click targets of the last frame.
    pub(crate) targets: Targets,
    pub(in crate::dashboard) requests: u64,
    /// The effects so far of the event that is being handled.
    pub(super) effects: Effects,
}

impl Model {
    /// The state at the start.
    pub(crate) fn new(settings: Settings, watched: Watched, host: Host, columns: Columns) -> Self {
        let list = watched.list;
        let answers = &watched.answers;
        let mut deployments = DeploymentsTab::new(list, answers, &settings, host.now);
        deployments.unread = watched.unread;
        let mut track = TrackTab::new(settings.track_sort);
        let mut tab = TabId::Deployments;
        if let Some(uuid) = watched.open {
            deployments.ensure(uuid, host.now);
            deployments.select(uuid);
            track.open = Some(uuid);
            tab = TabId::Track;
        } else {
            track.open = deployments.list.first().map(|deployment| deployment.uuid());
        }
        let has_plants = watched.remote.is_none() && watched.source != TrackSource::Files;
        let service = PlantService::new(&watched.address, &watched.sandbox);
        let mut model = Self {
            address: watched.address,
            remote: watched.remote,
            source: watched.source,
            folder: host.folder,
            warning: None,
            connection: Connection::Untried,
            token: TokenState::default(),
            now: host.now,
            keymap: Arc::default(),
            columns,
            width: 0,
            height: 0,
            cell_aspect: 2.0,
            tab,
            pane: Pane::Table,
            full: false,
            best_markers: host.best_markers,
            zone: host.zone,
            paused: false,
            deployments,
            overlays: Vec::new(),
            sought: Sought::default(),
            judged_at: host.now,
            alarms: Alarms::new(host.now),
            track,
            history: History::default(),
            tabs: Components {
                plants: PlantsTab::new(has_plants.then_some(service)),
                ..Components::default()
            },
            search: None,
            copied: None,
            notice: None,
            waiting: None,
            last_message: String::new(),
            targets: Targets::default(),
            requests: 0,
            effects: Effects::default(),
            settings,
        };
        model.mark_as_before();
        model
    }

    /// The layout at the current size.
    pub(crate) fn layout(&self) -> Layout {
        self.layout_at((self.width, self.height))
    }

    /// The layout of a screen of this size.
    pub(crate) fn layout_at(&self, size: (u16, u16)) -> Layout {
        Layout::new(Shown {
            size,
            tab: self.tab,
            focus: self.pane,
            full: self.full.then_some(self.pane),
            fix: self.needed_cells(),
            // A measurement has a line of its own.
            summary: u16::from(self.track.marks.0.is_some()),
            rows: u16::try_from(self.deployments.list.len()).unwrap_or(u16::MAX),
        })
    }

    /// The cells that the table of fixes needs. With a field instead of speed and course, the
    /// map has a colour scale and gets more of the width.
    pub(crate) fn needed_cells(&self) -> FixCells {
        let coordinates = self.settings.coordinates;
        let pair = |(latitude, longitude): (u16, u16)| latitude + 1 + longitude;
        let shown = self.shown_field();
        let field = shown.filter(|shown| !shown.field().is_profile());
        let motion = if let Some(field) = field {
            field_width(&field) + 1
        } else {
            let unit = self.settings.units.speed_unit().symbol().len();
            // A number has six cells, a course with the blanks around it seven.
            6 + u16::try_from(unit).unwrap_or(0) + 7
        };
        FixCells {
            shortest: time_cells(self) + 1 + pair(coordinates.short_width()),
            position: pair(coordinates.width()),
            motion,
        }
    }

    /// The pane that has the focus on this tab.
    pub(crate) fn focused(&self) -> Pane {
        match self.tab {
            TabId::Track => self.pane,
            TabId::Deployments if self.full => self.pane,
            TabId::Deployments => Pane::Table,
            _ if self.full => Pane::Summary,
            _ => Pane::Table,
        }
    }

    /// The time zone that times are shown in; `None` for UTC.
    pub(crate) fn shown_zone(&self) -> Option<&TimeZone> {
        match self.settings.time_zone {
            ShownZone::Utc => None,
            ShownZone::Local => Some(&self.zone),
        }
    }

    /// The name of an action's first key on this tab.
    pub(crate) fn key_of(&self, action: Action) -> String {
        self.keymap.key_of(action, self.tab)
    }

    /// The query that filters this tab's rows.
    pub(crate) fn filter_query(&self) -> &Query {
        if let Some(tab) = self.component() {
            return &tab.rows().filter;
        }
        match self.tab {
            TabId::Track => &self.track.arrangement.filter,
            _ => &self.deployments.filter,
        }
    }

    /// The text of that filter.
    pub(crate) fn filter(&self) -> &str {
        self.filter_query().text()
    }

    /// Number of rows in the table of this tab without its filter.
    pub(crate) fn all_rows(&self) -> usize {
        if let Some(tab) = self.component() {
            return tab.len();
        }
        match self.tab {
            TabId::Track => self.full_track().map_or(0, |track| track.len()),
            _ => self.deployments.list.len(),
        }
    }

    /// Cursor and viewport of the table of this tab.
    pub(crate) fn table(&self) -> TableState {
        if let Some(tab) = self.component() {
            return tab.rows().table;
        }
        match self.tab {
            TabId::Track => self.track.table,
            _ => self.deployments.table,
        }
    }

    fn table_mut(&mut self) -> &mut TableState {
        if let Some(tab) = self.tabs.get_mut(self.tab) {
            return &mut tab.rows_mut().table;
        }
        match self.tab {
            TabId::Track => &mut self.track.table,
            _ => &mut self.deployments.table,
        }
    }

    /// Moves the cursor of this tab's table, by the number of rows and that of visible rows.
    /// The selected deployment and the fix under the cursor follow.
    pub(crate) fn move_in_table(&mut self, change: impl FnOnce(&mut TableState, usize, usize)) {
        let rows = self.rows();
        let height = usize::from(self.layout().rows.height);
        change(self.table_mut(), rows, height);
        match self.tab {
            TabId::Deployments => {
                self.deployments.is_chosen = true;
                self.deployments.before_filter = None;
            }
            TabId::Track => {
                self.track.before_filter = None;
                self.cursor_from_row();
            }
            _ => {}
        }
    }

    /// Puts the cursor of this tab's table on a row.
    pub(crate) fn go_to_row(&mut self, row: usize) {
        self.move_in_table(|table, rows, height| table.go(row, rows, height));
    }

    /// Number of rows in the table of this tab.
    pub(crate) fn rows(&self) -> usize {
        if let Some(tab) = self.component() {
            return tab.rows().order.len();
        }
        match self.tab {
            TabId::Track => self.shown_track().map_or(0, |track| self.track.rows(track)),
            _ => self.deployments.order.len(),
        }
    }

    /// Number of rows that a list in a dialog shows.
    pub(crate) fn dialog_rows(&self) -> usize {
        usize::from(self.height).saturating_sub(8).max(4)
    }

    /// The open track, or its part in the time range if one is set.
    pub(crate) fn shown_track(&self) -> Option<&Arc<PreparedTrack>> {
        self.shown_track_of(self.track.open?)
    }

    /// The deployment that is open on Track.
    pub(crate) fn open_deployment(&self) -> Option<&DeploymentState> {
        self.deployments.get(self.track.open?)
    }

    /// The open deployment on Track; without one, and on other tabs, the selected one.
    pub(crate) fn chosen_deployment(&self) -> Option<&DeploymentState> {
        let open = self.open_deployment().filter(|_| self.tab == TabId::Track);
        open.or_else(|| self.deployments.selected())
    }

    /// The fix under the cursor of Track.
    pub(crate) fn cursor_fix(&self) -> Option<Fix> {
        self.shown_track()?.fix(self.track.cursor)
    }

    /// The whole open track.
    pub(crate) fn full_track(&self) -> Option<&Arc<PreparedTrack>> {
        self.open_deployment()?.track.get()
    }

    /// Has an effect carried out once the event is handled.
    pub(crate) fn send(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Cancels a request, if there is one.
    pub(crate) fn cancel(&mut self, request: Option<RequestId>) {
        if let Some(request) = request {
            self.send(Effect::Cancel(request));
        }
    }

    /// A number for a new request.
    pub(crate) fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// Limits cursor and viewport of the shown table to its rows, after each event.
    pub(super) fn settle(&mut self) {
        let rows = self.rows();
        let height = usize::from(self.layout().rows.height);
        self.table_mut().settle(rows, height);
    }
}
