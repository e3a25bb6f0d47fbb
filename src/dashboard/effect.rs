//! Effects that `update` returns and the terminal performs. An effect has all data that
//! its task needs.

use std::sync::Arc;

use uuid::Uuid;

use super::compute::Job;
use super::event::RequestId;
use super::history::LocalChange;
pub(crate) use super::widgets::field::Secret;
use crate::alarm::AlarmReply;
use crate::formats::ExportJob;
use crate::map::{DistanceTo, PreparedTrack};
use crate::plant::log::Entry;
use crate::plant::{Draft, PlantId};
use crate::settings::NewSetting;
use crate::track::forecast::Moment;
use crate::track::{Flag, Track, TrackOptions, Transmission};
use crate::watch::{Deployment, DeploymentId, FetchRequest};

/// A deployment to be looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Search {
    pub deployment: Deployment,
    /// How its track is assembled.
    pub options: TrackOptions,
    /// Its track; `None` to read it from the archive.
    pub track: Option<Arc<Track>>,
    /// The deployments whose motion it may share.
    pub others: Vec<Deployment>,
    pub moment: Moment,
}

/// A fetch of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fetch {
    /// Number of the request.
    pub request: RequestId,
    /// The deployment, and how it is fetched.
    pub of: FetchRequest,
    /// The track in memory, as it is drawn.
    pub held: Option<Arc<PreparedTrack>>,
}

/// A notification of alarms by the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Announcement {
    /// The id of the alarm, of several of the first.
    pub id: String,
    /// The subject of the notification, in a few words.
    pub title: String,
    /// The text of the notification.
    pub body: String,
}

/// The effects of the event that is being handled, in their order.
#[derive(Debug, Default)]
pub(super) struct Effects {
    all: Vec<Effect>,
    /// The number of the last request.
    requests: u64,
}

/// A copy of the shared state has none to carry out.
impl Clone for Effects {
    fn clone(&self) -> Self {
        Self {
            all: Vec::new(),
            requests: self.requests,
        }
    }
}

impl Effects {
    /// Adds an effect; the overviews to load are one effect.
    pub(super) fn push(&mut self, effect: Effect) {
        let known = self.all.iter_mut().find_map(|known| match known {
            Effect::LoadOverviews(wanted) => Some(wanted),
            _ => None,
        });
        match (effect, known) {
            (Effect::LoadOverviews(more), Some(wanted)) => wanted.extend(more),
            (effect, _) => self.all.push(effect),
        }
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.all)
    }

    /// A number for a new request.
    pub(super) fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }
}

/// A task outside the Shell.
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    /// Fetch a deployment from the service.
    Update(Fetch),
    /// Load the overviews of archived deployments, each with the choices of its track;
    /// archived flags are added.
    LoadOverviews(Vec<(Uuid, TrackOptions)>),
    /// Load overviews at a moment of these deployments, as archived.
    LoadPast {
        /// The moment, UNIX seconds.
        at: f64,
        /// The deployments, each with the choices of its track.
        wanted: Vec<(Uuid, TrackOptions)>,
    },
    /// Load the archived track and the flags that the user set.
    LoadStored {
        deployment: Uuid,
        /// How it is assembled, archived flags added.
        options: TrackOptions,
    },
    /// Work out where a deployment is.
    LookFor(Box<Search>),
    LoadPlantLog,
    /// Look for changes of another program in the archive and the alarms, after all
    /// earlier edits are stored.
    LookForChanges {
        /// The number of edits made so far.
        edits: u64,
        /// `true` if the last reading was too old to be used.
        again: bool,
    },
    /// Read the alarms.
    LoadAlarms,
    /// Check these deployments for silence.
    JudgeByClock {
        list: Vec<Deployment>,
        /// The shortest wait between two requests, seconds.
        refresh_s: f64,
    },
    /// Acknowledge an alarm, or put its reminders off.
    ReplyToAlarm {
        /// The id of the alarm.
        id: String,
        /// The user's reply to the alarm.
        reply: AlarmReply,
    },
    /// Announce alarms by the terminal.
    Announce(Announcement),
    /// Work on a track: sort, filter, search, cut, assemble again, add detail.
    Compute(Job),
    /// Read the fields of a track, and prepare them for drawing.
    ReadFields {
        deployment: Uuid,
        track: Arc<PreparedTrack>,
        /// The others on its map, whose distances are fields as well.
        others: Vec<DistanceTo>,
    },
    /// Read the last values of the fields of these deployments.
    ReadLastValues(Vec<Deployment>),
    /// Store a flag that the user set, or that the user cleared (`None`).
    StoreOverride {
        deployment: Uuid,
        fix: Transmission,
        flag: Option<Flag>,
    },
    /// Request the deployments that the service lists.
    ReadList(RequestId),
    CreatePlant {
        /// Number of the request.
        request: RequestId,
        /// The plant.
        draft: Draft,
        /// The last line of the plant that is created again. Nothing is sent if the plant
        /// log has a newer one.
        again: Option<i64>,
    },
    DeletePlant {
        /// Number of the request.
        request: RequestId,
        /// Its identifier.
        id: PlantId,
    },
    /// Record what a person found out about a plant.
    ResolvePlant {
        /// Number of the request.
        request: RequestId,
        /// The line of the plant log.
        finding: Box<Entry>,
        /// The last line of the plant. Nothing is recorded if the plant log has a newer one.
        last_line: i64,
    },
    /// Write plants to a file that is not there yet.
    ExportPlants {
        /// Number of the request.
        request: RequestId,
        /// The path as it was typed.
        path: String,
        table: Vec<u8>,
        /// The number of plants in it and of those left out, in words.
        said: String,
    },
    /// Create the plants of a file.
    ImportPlants {
        /// Number of the request.
        request: RequestId,
        /// The path as it was typed.
        path: String,
    },
    /// Test a token; store it if the service accepts it.
    TryToken {
        /// Number of the request.
        request: RequestId,
        token: Secret,
        /// The deployments to test it on, the most significant first, and how the track
        /// of the deployment that responds is assembled.
        deployments: Vec<(DeploymentId, TrackOptions)>,
    },
    /// Cancel a request; creates and deletes are never cancelled, and an import ends before
    /// its next plant.
    Cancel(RequestId),
    /// Store an entry of the watch list.
    Watch {
        /// The entry before the change; `None` for a new one.
        before: Option<Deployment>,
        /// The entry as it is now.
        after: Deployment,
        /// `true` if the archive had it: it is not put there again.
        listed: bool,
    },
    /// Remove a deployment from the watch list.
    Unwatch(Uuid),
    /// Take back a local change, unless something else has changed the same since.
    Undo(Box<LocalChange>),
    /// Write a track to a file.
    Export {
        /// Number of the request.
        request: RequestId,
        /// The track, the format and the path.
        job: ExportJob,
    },
    /// Apply the settings of the screen and the terminal, of which the dialog has changed
    /// one.
    ApplySettings,
    /// Write a setting into the settings file.
    WriteSetting(NewSetting),
    /// Put text on the clipboard of the terminal.
    Copy(String),
    /// Draw the whole screen again, whatever is on it.
    Redraw,
    /// Stop the process until the shell continues it.
    Suspend,
    Quit,
}
