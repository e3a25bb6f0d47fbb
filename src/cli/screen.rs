//! The dashboard in the terminal, or as lines.

use crate::app::store::Store;
use crate::failure::Failure;
use crate::terminal::{self, Ended, Opening, Ready, run_plain};
use crate::watch::Deployment;

/// Fails without a terminal, before any request is sent.
pub(super) fn needs_a_terminal() -> Result<(), Failure> {
    if terminal::is_usable() {
        return Ok(());
    }
    Err(Failure::usage("the dashboard needs a terminal on standard input and output that can move its cursor")
        .with_hint("`driftline --plain` prints a line for each change; `driftline track UUID` and `driftline check UUID` work without a terminal, too."))
}

/// Shows the dashboard, or prints its changes as lines if `plain`, on what needs no service of
/// the user: the demo and files.
pub(super) async fn show_ready(ready: Ready, plain: bool) -> Result<u8, Failure> {
    let ready = async { Ok(Opening::Ready(Box::new(ready))) };
    if plain {
        return run_plain(ready).await;
    }
    match terminal::run(ready).await? {
        Ended::Status(status) => Ok(status),
        // The form of the first start is not shown.
        Ended::Demo | Ended::Service(_) => Ok(0),
    }
}

/// An archive in memory with these deployments on its watch list: alarm limits are read from
/// there.
pub(super) async fn listing(deployments: &[Deployment]) -> Result<Store, Failure> {
    let store = Store::in_memory();
    for entry in deployments {
        store.amend(entry.clone(), |_| ()).await?;
    }
    Ok(store)
}
