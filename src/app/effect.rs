//! What the dashboard wants done. The runtime does it; `update` only asks.

use std::fmt;
use std::sync::Arc;

use uuid::Uuid;
use zeroize::Zeroizing;

use super::event::{RequestId, Watched};
use crate::chart::PreparedTrack;
use crate::export::Format;
use crate::geo::Position;
use crate::plant::{Draft, PlantId};
use crate::track::{Flag, Platform};

/// A token on its way from the dialog to the service: wiped on drop, never
/// printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub Zeroizing<String>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// A track that a window is cut from: the same one or another, that is all
/// that counts.
#[derive(Debug, Clone)]
pub struct Whole(pub Arc<PreparedTrack>);

impl PartialEq for Whole {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Something to be done outside the Model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Fetch a track.
    FetchTrack {
        /// Number of the request.
        request: RequestId,
        /// The deployment.
        deployment: Uuid,
        /// Its platform.
        platform: Platform,
        /// Whether failed fixes stay out.
        exclude_failed: bool,
    },
    /// Assemble a track anew from what is at hand.
    Reassemble {
        /// The deployment.
        deployment: Uuid,
        /// Its platform.
        platform: Platform,
        /// Whether failed fixes stay out.
        exclude_failed: bool,
    },
    /// Set a fix's flag by hand, or take that back (`flag` none).
    Overrule {
        /// The deployment.
        deployment: Uuid,
        /// Time of the fix, UNIX seconds.
        time_stamp: f64,
        /// Where it is.
        position: Position,
        /// The flag.
        flag: Option<Flag>,
    },
    /// Make the part of a track ready that lies in a window of time.
    Window {
        /// The deployment.
        deployment: Uuid,
        /// The track it is a part of.
        track: Whole,
        /// The window, UNIX seconds.
        window: (f64, f64),
    },
    /// Create a plant.
    CreatePlant {
        /// Number of the request.
        request: RequestId,
        /// The plant.
        draft: Draft,
    },
    /// Delete a plant.
    DeletePlant {
        /// Number of the request.
        request: RequestId,
        /// Its identifier.
        id: PlantId,
    },
    /// Try a token, and keep it if the service takes it.
    TryToken {
        /// Number of the request.
        request: RequestId,
        /// The token.
        token: Secret,
        /// A deployment to try it on.
        deployment: Option<Uuid>,
    },
    /// Give a request up; creates and deletes are never given up.
    Cancel(RequestId),
    /// Put a deployment on the watch list, or change its entry.
    Watch(Watched),
    /// Take a deployment off the watch list.
    Unwatch(Uuid),
    /// Write a track to a file.
    Export {
        /// Number of the request.
        request: RequestId,
        /// The deployment.
        deployment: Uuid,
        /// Its label.
        label: Option<String>,
        /// The format.
        format: Format,
        /// The path as typed.
        path: String,
        /// Whether a file that is there may be replaced.
        replace: bool,
    },
    /// Put text on the clipboard of the terminal.
    Copy(String),
    /// Ask the terminal to draw everything again.
    Redraw,
    /// Stop the process until the shell continues it.
    Suspend,
    /// End.
    Quit,
}
