//! The subject of a table row.

use uuid::Uuid;

use crate::geo::Position;

/// The subject of a row: a deployment, a fix, a plant or a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Row {
    Deployment(Uuid),
    /// The fix of the open track with this time stamp (UNIX seconds) and position.
    Fix(f64, Position),
    /// The row of a tab that is about this.
    Of(String),
}
