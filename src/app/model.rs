//! Everything the dashboard knows. `update` alone changes it, the view only
//! reads it.

use std::collections::VecDeque;

use jiff::tz::TimeZone;
use uuid::Uuid;

use super::deployments::DeploymentsTab;
use super::dialog::Dialog;
use super::event::{Exchange, Failure, RequestId, Watched};
use super::layout::Layout;
use super::plants::PlantsTab;
use super::table::TableState;
use super::track::TrackTab;
use crate::chart::GlyphSet;
use crate::geo::{CoordinateFormat, Units};
use crate::plant::ledger;

/// The tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Tab {
    /// The watch list.
    #[default]
    Deployments,
    /// One deployment's track.
    Track,
    /// Plants.
    Plants,
    /// Requests.
    Activity,
}

impl Tab {
    /// In the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Deployments, Self::Track, Self::Plants, Self::Activity];

    /// The name on the tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Deployments => "Deployments",
            Self::Track => "Track",
            Self::Plants => "Plants",
            Self::Activity => "Activity",
        }
    }

    /// The tab `by` places to the right, round the end.
    pub fn beside(self, by: isize) -> Self {
        let count = Self::ALL.len().cast_signed();
        let place = (self as isize + by).rem_euclid(count).cast_unsigned();
        Self::ALL.get(place).copied().unwrap_or_default()
    }
}

/// The panes of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Pane {
    /// The table.
    #[default]
    Table,
    /// The map.
    Map,
    /// The time strip.
    Strip,
    /// The summary.
    Summary,
}

/// Which clock times are shown by.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// UTC.
    #[default]
    Utc,
    /// This machine's zone.
    Local,
}

/// How the service answers, in general.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Connection {
    /// Nothing has been asked yet.
    #[default]
    Untried,
    /// The last answer was a good one, at this time (UNIX seconds).
    Good(f64),
    /// The last request failed, at this time.
    Failing(Failure, f64),
    /// The service takes no token of ours: no request is sent by itself.
    Refused(Failure),
}

/// Something to tell, on the line above the footer, until it has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// What to tell.
    pub words: String,
    /// Whether it is bad news.
    pub bad: bool,
    /// When it goes, UNIX seconds.
    pub until: f64,
}

/// What the dashboard opens on.
#[derive(Debug, Clone)]
pub struct Start {
    /// Name of the profile.
    pub profile: String,
    /// The base address, as it is shown.
    pub address: String,
    /// Whether the service is the embedded one.
    pub demo: bool,
    /// A standing warning about the connection, such as a token sent over
    /// plain http.
    pub warning: Option<String>,
    /// The watch list.
    pub watched: Vec<Watched>,
    /// A deployment to open on.
    pub open: Option<Uuid>,
    /// The ledger so far, newest last.
    pub ledger: Vec<ledger::Entry>,
    /// This machine's time zone.
    pub zone: TimeZone,
    /// Units to begin with.
    pub units: Units,
    /// Coordinate format to begin with.
    pub coordinates: CoordinateFormat,
    /// What the map is drawn in.
    pub markers: GlyphSet,
    /// Seconds between refreshes of one deployment.
    pub refresh_s: f64,
    /// The present, UNIX seconds.
    pub now: f64,
}

/// Everything the dashboard knows.
#[derive(Debug, Clone)]
pub struct Model {
    /// Name of the profile.
    pub profile: String,
    /// The base address, as it is shown.
    pub address: String,
    /// Whether the service is the embedded one.
    pub demo: bool,
    /// A standing warning about the connection.
    pub warning: Option<String>,
    /// How the service answers.
    pub connection: Connection,
    /// The present, UNIX seconds.
    pub now: f64,
    /// Columns of the terminal.
    pub width: u16,
    /// Rows of the terminal.
    pub height: u16,
    /// Height of a cell over its width.
    pub cell_aspect: f64,
    /// The tab that is shown.
    pub tab: Tab,
    /// The pane that has the focus on Track.
    pub pane: Pane,
    /// Whether that pane has the whole body.
    pub full: bool,
    /// Units of speed and distance.
    pub units: Units,
    /// How coordinates are written.
    pub coordinates: CoordinateFormat,
    /// What the map is drawn in.
    pub markers: GlyphSet,
    /// Which clock times are shown by.
    pub clock: Clock,
    /// This machine's time zone.
    pub zone: TimeZone,
    /// Whether refreshing is paused.
    pub paused: bool,
    /// Seconds between refreshes of one deployment.
    pub refresh_s: f64,
    /// The watch list with what is known of each.
    pub deployments: DeploymentsTab,
    /// The track that is open.
    pub track: TrackTab,
    /// The ledger of plants.
    pub plants: PlantsTab,
    /// Requests made, oldest first; the oldest go when there are too many.
    pub exchanges: VecDeque<Exchange>,
    /// Rows of Activity.
    pub activity: TableState,
    /// What Activity is filtered by.
    pub activity_filter: String,
    /// Dialogs, the last on top.
    pub dialogs: Vec<Dialog>,
    /// Something to tell.
    pub notice: Option<Notice>,
    /// Whether everything so far has been shown at least once.
    pub shown: bool,
    pub(super) requests: u64,
}

/// Requests kept for Activity.
pub const EXCHANGES_KEPT: usize = 1000;

impl Model {
    /// The dashboard before anything has happened.
    pub fn new(start: Start) -> Self {
        let mut deployments = DeploymentsTab::new(start.watched, start.now);
        let mut track = TrackTab::default();
        let mut tab = Tab::Deployments;
        if let Some(uuid) = start.open {
            deployments.ensure(uuid, start.now);
            deployments.select(uuid);
            track.open = Some(uuid);
            tab = Tab::Track;
        } else {
            track.open = deployments.list.first().map(|deployment| deployment.uuid);
        }
        Self {
            profile: start.profile,
            address: start.address,
            demo: start.demo,
            warning: start.warning,
            connection: Connection::Untried,
            now: start.now,
            width: 0,
            height: 0,
            cell_aspect: 2.0,
            tab,
            pane: Pane::Table,
            full: false,
            units: start.units,
            coordinates: start.coordinates,
            markers: start.markers,
            clock: Clock::Utc,
            zone: start.zone,
            paused: false,
            refresh_s: start.refresh_s,
            deployments,
            track,
            plants: PlantsTab::new(start.ledger),
            exchanges: VecDeque::new(),
            activity: TableState::default(),
            activity_filter: String::new(),
            dialogs: Vec::new(),
            notice: None,
            shown: false,
            requests: 0,
        }
    }

    /// Where everything stands at the present size.
    pub fn layout(&self) -> Layout {
        Layout::new(
            self.width,
            self.height,
            self.tab,
            self.full.then_some(self.pane),
        )
    }

    /// The zone that times are shown in; none for UTC.
    pub fn shown_zone(&self) -> Option<&TimeZone> {
        match self.clock {
            Clock::Utc => None,
            Clock::Local => Some(&self.zone),
        }
    }

    /// The exchanges that the filter of Activity lets through, newest first.
    pub fn shown_exchanges(&self) -> impl Iterator<Item = &Exchange> {
        let filter = self.activity_filter.to_lowercase();
        self.exchanges.iter().rev().filter(move |exchange| {
            filter.is_empty()
                || exchange.address.to_lowercase().contains(&filter)
                || exchange.method.to_lowercase().contains(&filter)
                || exchange.words.to_lowercase().contains(&filter)
                || exchange
                    .status
                    .is_some_and(|status| status.to_string().contains(&filter))
        })
    }

    /// A number for a new request.
    pub(super) fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// Tells something for a while.
    pub(super) fn notify(&mut self, words: impl Into<String>) {
        self.notice = Some(Notice {
            words: words.into(),
            bad: false,
            until: self.now + 6.0,
        });
    }

    /// Tells bad news for a while.
    pub(super) fn warn(&mut self, words: impl Into<String>) {
        self.notice = Some(Notice {
            words: words.into(),
            bad: true,
            until: self.now + 12.0,
        });
    }
}
