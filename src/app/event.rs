//! What happens to the dashboard. Time is an event too, so that every age can
//! be tested.

use std::sync::Arc;

use uuid::Uuid;

use super::key::{Key, Mouse};
use crate::chart::PreparedTrack;
use crate::plant::ledger;
use crate::track::{Limits, Platform};

/// Numbers a request, so that a superseded reply is known as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// Why something did not work, as plain data: no error type crosses into the
/// screen's wing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What a caller may decide on.
    pub kind: FailureKind,
    /// What failed and why, harmless text.
    pub message: String,
    /// What to do next; may be empty.
    pub hint: String,
}

/// Kinds of failure, one for each exit status of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// Bad usage: nothing was sent.
    Usage,
    /// No token, or the service refused it.
    NotAuthenticated,
    /// The service answered with an error.
    Service,
    /// It could not be reached, or the connection broke.
    Unreachable,
    /// Its answer could not be understood.
    NotUnderstood,
    /// Sent, and no answer came.
    OutcomeUnknown,
    /// A person stopped it.
    Cancelled,
    /// Anything else, such as a file that cannot be written.
    Other,
}

/// A deployment that is watched.
#[derive(Debug, Clone, PartialEq)]
pub struct Watched {
    /// The deployment.
    pub uuid: Uuid,
    /// A name for people.
    pub label: Option<String>,
    /// Kind of platform.
    pub platform: Platform,
    /// What it is held to.
    pub limits: Limits,
    /// What a person wrote down about it.
    pub notes: Option<String>,
}

/// A track that came, from the service or from the archive.
#[derive(Debug, Clone)]
pub struct LoadedTrack {
    /// The track.
    pub track: Arc<PreparedTrack>,
    /// When it was fetched from the service, UNIX seconds.
    pub fetched_at: f64,
    /// Something a person should know about the answer.
    pub note: Option<String>,
    /// Fixes that were not known before, and how many of them are older than
    /// the latest known; none where nothing was known.
    pub brought: Option<FetchDelta>,
}

/// What a refresh added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchDelta {
    /// Fixes not known before.
    pub new: usize,
    /// Of these, fixes older than the latest known.
    pub late: usize,
}

/// One request, for the Activity tab.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// When it began, UNIX seconds.
    pub at: f64,
    /// The HTTP method.
    pub method: &'static str,
    /// Where it went.
    pub address: String,
    /// The status, if an answer came.
    pub status: Option<u16>,
    /// How long it took, seconds.
    pub duration_s: f64,
    /// Bytes of the body as they came.
    pub bytes: u64,
    /// What went wrong; empty where nothing did.
    pub words: String,
}

/// What came of a create or a delete.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantDone {
    /// A sentence for the status line.
    pub words: String,
}

/// Everything that can happen.
#[derive(Debug, Clone)]
pub enum Event {
    /// The present, UNIX seconds: sent before anything that happens at it.
    Now(f64),
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something.
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
    /// A frame with everything up to here has been shown.
    Shown,
    /// Bytes of a track's body came.
    Progress {
        /// The request.
        request: RequestId,
        /// Bytes so far.
        bytes: u64,
    },
    /// A track came from the service, or did not.
    Track {
        /// The request.
        request: RequestId,
        /// The deployment.
        deployment: Uuid,
        /// The track or why there is none.
        outcome: Result<LoadedTrack, Failure>,
    },
    /// The archive's copy of a track.
    Kept {
        /// The deployment.
        deployment: Uuid,
        /// The copy.
        arrival: LoadedTrack,
    },
    /// A track was assembled anew with other choices (overruled flags, failed
    /// fixes in or out).
    Reassembled {
        /// The deployment.
        deployment: Uuid,
        /// The track.
        track: Arc<PreparedTrack>,
    },
    /// The whole of a track that was sketched.
    Refined {
        /// The deployment.
        deployment: Uuid,
        /// The same track with all of its map.
        track: Arc<PreparedTrack>,
    },
    /// The part of a track that lies in a window of time.
    Windowed {
        /// The deployment.
        deployment: Uuid,
        /// The window, UNIX seconds.
        window: (f64, f64),
        /// The part.
        track: Arc<PreparedTrack>,
    },
    /// A create or delete is over.
    Plant {
        /// The request.
        request: RequestId,
        /// What came of it.
        outcome: Result<PlantDone, Failure>,
    },
    /// The ledger, newest last.
    Ledger(Vec<ledger::Entry>),
    /// A request was made.
    Exchange(Exchange),
    /// A token was tried.
    Token {
        /// The request.
        request: RequestId,
        /// What became of it, as a sentence.
        outcome: Result<String, Failure>,
    },
    /// A file was written, or not.
    Exported {
        /// The request.
        request: RequestId,
        /// What was written, as a sentence.
        outcome: Result<String, Failure>,
    },
    /// The watch list was changed, or could not be.
    WatchListSaved(Result<(), Failure>),
    /// Something went wrong that belongs to no request.
    Trouble(Failure),
    /// The program was suspended and is back.
    Resumed,
}
