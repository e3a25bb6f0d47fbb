//! The state that the tabs share: the deployments, the settings and the service, the
//! messages, and the effects that an event has so far.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use uuid::Uuid;

use super::alarms::Alarms;
use super::columns::Columns;
use super::compute::{Computed, Job, JobKind};
use super::connection::Connection;
use super::deployments::deployment::{DeploymentState, Listing};
use super::deployments::list::Deployments;
use super::effect::{Effect, Effects};
use super::event::RequestId;
use super::keymap::{Action, Keymap};
use super::layout::{Arrangement, Layout};
use super::notice::Messages;
use super::search::Search;
use super::sought::Sought;
use super::tab::{Pane, TabId};
use super::tabs::times::Times;
use super::token::TokenState;
use crate::failure::Failure;
use crate::map::{FixDots, GlyphSet, Overlay, PreparedTrack};
use crate::mapping::Service;
use crate::settings::Settings;
use crate::track::query::Query;
use crate::track::time::ShownZone;
use crate::watch::agenda::LastAnswer;
use crate::watch::{Deployment, DeploymentId};

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
    pub source: TrackSource,
    /// The watch list.
    pub list: Vec<Deployment>,
    /// Why the archived watch list could not be read.
    pub unread: Option<Failure>,
    /// The last answers for the deployments that the archive has.
    pub answers: HashMap<Uuid, LastAnswer>,
    /// The deployments of this service whose UUID a deployment of another profile's service
    /// has, by that UUID.
    pub namesakes: HashMap<Uuid, DeploymentId>,
    /// A deployment to open on.
    pub open: Option<DeploymentId>,
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

/// The service, or what stands for it.
#[derive(Debug, Clone)]
pub(crate) struct ServiceState {
    /// The base URL, as it is shown.
    pub address: String,
    /// A service with its own kind of ids.
    pub remote: Option<Service>,
    /// As [`Watched::namesakes`].
    pub namesakes: HashMap<Uuid, DeploymentId>,
    pub source: TrackSource,
    /// A permanent warning about the connection.
    pub warning: Option<String>,
    /// The state of the connection to it.
    pub connection: Connection,
    /// The state of the token, by the responses so far.
    pub token: TokenState,
}

/// The pictures that the terminal draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pixels {
    /// Width and height of a cell, pixels.
    pub cell: (u16, u16),
    /// `true` if `auto` takes them: no link is between on which they would be slow.
    pub are_near: bool,
}

/// The state of the screen.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    /// Columns of the terminal.
    pub width: u16,
    /// Rows of the terminal.
    pub height: u16,
    /// Height of a cell over its width.
    pub cell_aspect: f64,
    /// The pictures that the terminal draws, if any.
    pub pixels: Option<Pixels>,
    /// The computer that it is on.
    pub host: Host,
    /// The keys of the actions.
    pub keymap: Arc<Keymap>,
    /// The columns of the tables.
    pub columns: Columns,
    /// The tab that is shown.
    pub tab: TabId,
    /// The pane that has the focus on Track.
    pub pane: Pane,
    /// `true` if that pane is shown at full size.
    pub full: bool,
    /// The search of the shown tab's rows.
    pub search: Option<Search>,
}

/// The parts of the maps of all tabs besides tracks.
#[derive(Debug, Clone, Default)]
pub(crate) struct MapState {
    /// Search areas and the own ship.
    pub sought: Sought,
    /// The overlays from the user's files.
    pub overlays: Vec<Arc<Overlay>>,
    /// How the maps show the recorded fixes.
    pub fix_dots: FixDots,
}

/// The state that the tabs share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    /// The current time, UNIX seconds.
    pub now: f64,
    /// The settings: those of the start, with the changes of the dialog and of keys.
    pub settings: Settings,
    pub service: ServiceState,
    /// The watch list, with the state of each deployment.
    pub deployments: Deployments,
    /// The alarms of all deployments and of the service.
    pub alarms: Alarms,
    pub screen: Screen,
    /// The maps.
    pub map: MapState,
    pub messages: Messages,
    /// The jobs in progress.
    pub(super) jobs: HashMap<JobKind, RequestId>,
    /// The effects so far of the event that is being handled.
    pub(super) effects: Effects,
}

impl Shared {
    /// The state at the start.
    pub(crate) fn new(settings: Settings, watched: Watched, host: Host, columns: Columns) -> Self {
        let mut deployments = Deployments::new(watched.list, &watched.answers, &settings, host.now);
        deployments.unread = watched.unread;
        deployments.open = watched.open.as_ref().map(|id| id.uuid);
        let tab = match watched.open {
            Some(id) => {
                if deployments.get(id.uuid).is_none() {
                    deployments.add(Deployment::new(id), host.now);
                    if let Some(shown) = deployments.list.last_mut() {
                        shown.listing = Listing::Shown;
                    }
                }
                TabId::Track
            }
            None => {
                let mut list = deployments.list.iter();
                deployments.open = list.next().map(|deployment| deployment.uuid());
                TabId::Deployments
            }
        };
        Self {
            now: host.now,
            service: ServiceState {
                address: watched.address,
                remote: watched.remote,
                namesakes: watched.namesakes,
                source: watched.source,
                warning: None,
                connection: Connection::Untried,
                token: TokenState::default(),
            },
            alarms: Alarms::new(host.now),
            deployments,
            screen: Screen {
                width: 0,
                height: 0,
                cell_aspect: 2.0,
                pixels: None,
                host,
                keymap: Arc::default(),
                columns,
                tab,
                pane: Pane::Table,
                full: false,
                search: None,
            },
            map: MapState::default(),
            messages: Messages::default(),
            jobs: HashMap::new(),
            effects: Effects::default(),
            settings,
        }
    }

    /// The layout of a screen of this size with these panes.
    pub(crate) fn layout_at(&self, size: (u16, u16), arrangement: Arrangement) -> Layout {
        let pane = self.screen.pane;
        let full = self.screen.full.then_some(pane);
        Layout::new(size, arrangement, pane, full)
    }

    /// The time zone that times are shown in; `None` for UTC.
    pub(crate) fn shown_zone(&self) -> Option<&TimeZone> {
        match self.settings.time_zone {
            ShownZone::Utc => None,
            ShownZone::Local => Some(&self.screen.host.zone),
        }
    }

    /// The name of an action's first key on this tab.
    pub(crate) fn key_of(&self, action: Action) -> String {
        self.screen.keymap.key_of(action, self.screen.tab)
    }

    /// Number of rows that a list in a dialog shows.
    pub(crate) fn dialog_rows(&self) -> usize {
        usize::from(self.screen.height).saturating_sub(8).max(4)
    }

    /// The deployment that is open on Track.
    pub(crate) fn open_deployment(&self) -> Option<&DeploymentState> {
        self.deployments.get(self.deployments.open?)
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
        self.effects.next_request()
    }
}

impl Shared {
    /// Starts a job on a number of fixes in place of an earlier one of its kind.
    pub(super) fn compute(
        &mut self,
        kind: JobKind,
        fixes: usize,
        work: impl FnOnce() -> Computed + Send + 'static,
    ) {
        let request = self.next_request();
        self.cancel_job(kind);
        self.jobs.insert(kind, request);
        self.send(Effect::Compute(Job::new(request, fixes, work)));
    }

    /// Cancels the job of a kind, if there is one.
    pub(super) fn cancel_job(&mut self, kind: JobKind) {
        let request = self.jobs.remove(&kind);
        self.cancel(request);
    }

    /// The kind of a job that has ended; `None` if it was superseded or cancelled.
    pub(super) fn job_ended(&mut self, request: RequestId) -> Option<JobKind> {
        let mut jobs = self.jobs.iter();
        let (kind, _) = jobs.find(|(_, job)| **job == request)?;
        let kind = *kind;
        self.jobs.remove(&kind);
        Some(kind)
    }
}

impl Shared {
    /// The current time, and how times are written.
    pub(crate) fn times(&self) -> Times {
        Times {
            zone: self.shown_zone().cloned(),
            now: self.now,
        }
    }

    /// The search of this tab's rows.
    pub(crate) fn searched(&self) -> Option<&Query> {
        self.screen.search.as_ref().map(|search| &search.query)
    }
}
