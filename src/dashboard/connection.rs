//! The connection to the service: its state, and how the header shows it.

pub(super) mod sign;
mod update;

use crate::failure::Failure;

/// The state of the connection to the service.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Connection {
    /// No request was sent yet.
    #[default]
    Untried,
    /// The last request succeeded, at this time (UNIX seconds); before the first, that of another
    /// program on the archive.
    Good(f64),
    /// The last request failed, at this time; for a service that responds, the requests
    /// of all deployments failed.
    Failing(Failure, f64),
    /// Every response so far was 401 or 403, or there is no token.
    Refused(Failure),
}
