//! A deployment of the embedded service.

use uuid::Uuid;

use crate::geo::circle::WatchCircle;
use crate::track::Platform;

/// A deployment of the embedded service.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deployment {
    /// Its identifier.
    pub uuid: Uuid,
    /// Its name.
    pub label: String,
    /// The type of platform.
    pub platform: Platform,
    /// Where it should stay, for whoever watches it.
    pub circle: Option<WatchCircle>,
    /// When its track is over, UNIX seconds; `None` for one that goes on.
    pub until: Option<f64>,
}
