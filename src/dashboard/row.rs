//! The subject of a row of a table: the index of a row changes with the order and with
//! new data.

use uuid::Uuid;

use crate::geo::Position;

/// The subject of a row: a deployment, a fix, a plant or a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Row {
    /// This deployment.
    Deployment(Uuid),
    /// The fix of the open track with this time stamp (UNIX seconds) and position.
    Fix(f64, Position),
    /// The line of the ledger with this number.
    Plant(i64),
    /// The request with this number.
    Request(u64),
}
