//! Events handled by `update`, time included, so that every age can be tested.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::compute::Computed;
pub(crate) use super::compute::RequestId;
use super::history::LocalChange;
use super::key::{Key, Mouse};
use crate::alarm::{Alarm, AlarmReply};
use crate::exchange::{AcceptedToken, Exchange, Progress};
use crate::failure::{Failure, WriteError};
use crate::formats::WrittenFile;
use crate::map::{FieldCharts, LoadedTrack, Overlay, PreparedTrack};
use crate::plant::log;
use crate::settings::Settings;
use crate::track::FlagOverrides;
use crate::track::forecast::Ship;
use crate::watch::listed::DeploymentList;
use crate::watch::overview::ReadOverview;
use crate::watch::{Deployment, Overview, Update, Whereabouts};

/// News of a fetch in progress.
#[derive(Debug)]
pub(crate) enum FetchNews {
    /// The track of a response that is not archived yet, to be shown if nothing is shown.
    Assembled(LoadedTrack),
    /// It has ended.
    Ended {
        /// The update, or the failure.
        outcome: Result<Box<Update>, Failure>,
        /// The prepared track, if it is to be shown; the update has none then.
        track: Option<Arc<PreparedTrack>>,
    },
    /// It was not begun: another program on the same archive requests the deployment, or
    /// has requested it.
    NotDue {
        /// In how many seconds to try again.
        wait_s: f64,
    },
}

/// Everything that `update` handles.
#[derive(Debug)]
pub(crate) enum Event {
    /// The dashboard begins.
    Started,
    /// The current time, UNIX seconds: sent before anything that happens at it.
    Now(f64),
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// A mouse event.
    Mouse(Mouse),
    /// The terminal has this many columns and rows, and cells of this shape
    /// (height over width).
    Resized {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
        /// Height of a cell over its width.
        cell_aspect: f64,
    },
    /// Bytes of a track's response were received.
    Progress {
        request: RequestId,
        progress: Progress,
    },
    /// A fetch has news.
    Fetch(RequestId, FetchNews),
    /// The overviews of archived deployments were read or made.
    Overviews(Vec<ReadOverview>),
    /// Another program may have written to the archive.
    ArchiveWritten,
    /// Of these deployments a response was stored or confirmed lately, received at
    /// these times (UNIX seconds), by this program or another.
    Received(Vec<(Uuid, f64)>),
    /// The archived data of a deployment were loaded.
    Stored {
        deployment: Uuid,
        /// The flags that the user set.
        overrides: FlagOverrides,
        /// The archived track, if there is one.
        loaded: Option<LoadedTrack>,
    },
    /// Watch list, flags and plant log of the archive, which another program may have
    /// changed.
    Archived {
        /// The number of edits that it contains.
        edits: u64,
        /// The watch list of the archive.
        watched: Vec<Deployment>,
        /// The flags set by hand, of every deployment that has any.
        overrides: HashMap<Uuid, FlagOverrides>,
        /// The plant log, newest last.
        plant_log: Vec<log::Entry>,
    },
    /// The active alarms and those that have ended lately.
    Alarms(Vec<Alarm>),
    /// The limits that cannot be judged: the deployment, and why.
    Unjudged(Vec<(Uuid, String)>),
    /// A user's reply to an alarm was stored, or was not.
    AlarmReplied {
        /// The user's reply to the alarm.
        reply: AlarmReply,
        /// The alarm before and after; `None` if it no longer exists.
        outcome: Result<Option<Box<(Alarm, Alarm)>>, Failure>,
        /// `true` if it is in memory only, since no archive can be written.
        held: bool,
    },
    /// A job has ended.
    Computed(RequestId, Computed),
    /// The fields of a track were read.
    FieldsRead {
        track: Arc<PreparedTrack>,
        /// Its fields, or why they could not be read.
        outcome: Result<Arc<FieldCharts>, Failure>,
    },
    /// A setting was written into the settings file.
    SettingWritten {
        /// Its name, after that of its table.
        name: String,
        /// The settings as they are now, or why it was not written.
        outcome: Result<Box<Settings>, Failure>,
    },
    /// A request for the deployments that the service lists has ended.
    Listed {
        request: RequestId,
        /// The deployments, or why they are not known.
        outcome: Result<DeploymentList, Failure>,
    },
    /// A create or delete has ended.
    Plant {
        request: RequestId,
        /// A note on an unusual response, if any, or the failure.
        outcome: Result<Option<String>, Failure>,
    },
    /// Overviews at a moment of the past were read.
    Past {
        /// The moment, UNIX seconds.
        at: f64,
        /// The overviews of the deployments that are archived.
        overviews: Vec<(Uuid, Arc<Overview>)>,
    },
    /// The files of overlays were read, or read again.
    Overlays(Vec<Arc<Overlay>>),
    /// The file of a deployment was changed or removed.
    FileChanged(Uuid),
    /// The last values of the fields of deployments.
    LastValues(Vec<(Uuid, Vec<(String, f64)>)>),
    /// The own ship by gpsd with the time of its fix (UNIX seconds), or why it is no longer
    /// known.
    OwnShip(Result<(Ship, f64), String>),
    /// A search area was computed.
    Whereabouts {
        deployment: Uuid,
        /// The result.
        outcome: Result<Box<Whereabouts>, Failure>,
    },
    /// The plant log, newest last.
    PlantLog(Vec<log::Entry>),
    /// The file of an import was read, with these plants: their creates follow.
    PlantsRead(RequestId, Vec<String>),
    /// An HTTP request has begun or ended.
    Exchange(Exchange),
    /// A token was tested.
    Token {
        request: RequestId,
        /// The store of the token, or the reason why it was not accepted.
        outcome: Result<AcceptedToken, Failure>,
        /// The deployment whose records came with the test: its track follows under the
        /// same request.
        answered: Option<Uuid>,
    },
    /// An edit was not stored: another program has changed the same since.
    NotStored {
        /// The entry before the edit.
        before: Box<Deployment>,
        /// The entry after the edit.
        after: Box<Deployment>,
    },
    /// A local change was undone, or was not.
    Undone {
        change: Box<LocalChange>,
        /// `true` if it was done: not where something else has changed the same since.
        outcome: Result<bool, Failure>,
    },
    /// An export has ended.
    Exported {
        request: RequestId,
        /// The file, or why it was not written.
        outcome: Result<WrittenFile, WriteError>,
    },
    /// Something failed that belongs to no request, or a warning.
    Warning(Failure),
    /// The archive was removed or damaged: what became of it. The warning stays until Esc.
    ArchiveLost(String),
}
