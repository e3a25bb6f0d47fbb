//! The terminal of the dashboard: checked before anything is sent, and used until
//! the user quits.

use crate::failure::{Failure, FailureKind};
use crate::terminal;
use crate::terminal::{Ended, Opening};

/// Fails without a terminal, before any request is sent.
pub(super) fn needs_a_terminal() -> Result<(), Failure> {
    if terminal::is_usable() {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::Usage,
        "the dashboard needs a terminal on standard input and output that can move its cursor",
        "`driftline --plain` prints a line for each change; `driftline track UUID` and `driftline check UUID` work without a terminal, too.",
    ))
}

/// Shows the dashboard until the user quits.
pub(super) async fn show(
    ready: impl Future<Output = Result<Opening, Failure>>,
) -> Result<Ended, Failure> {
    terminal::run(ready).await.map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("{error:#}"),
            "Resize or restart the terminal and try again.",
        )
    })?
}
