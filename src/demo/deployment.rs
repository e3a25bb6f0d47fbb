//! A deployment that the embedded service knows.

use uuid::Uuid;

use crate::track::Platform;

/// A deployment that the service knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deployment {
    /// Its identifier.
    pub uuid: Uuid,
    /// Its name.
    pub label: String,
    /// What carries the instrument.
    pub platform: Platform,
}
