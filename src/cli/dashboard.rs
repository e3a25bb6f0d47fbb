//! The dashboard on the configured service.

use uuid::Uuid;

use super::args::Global;
use super::connect;
use crate::failure::{Failure, FailureKind};
use crate::ops::{connect as service, watch_list};
use crate::runtime::{self, Ready, StartupOptions};

/// Opens the dashboard. The first frame is drawn before settings and archive
/// are read.
pub(super) async fn run(global: &Global, deployment: Option<&str>) -> Result<u8, Failure> {
    let open = deployment.map(connect::deployment).transpose()?;
    needs_a_terminal()?;
    show(ready(global.clone(), open)).await
}

/// Reads settings and archive for the dashboard.
async fn ready(global: Global, open: Option<Uuid>) -> Result<Ready, Failure> {
    // A disk can be slow: the thread that draws must not wait for it.
    let (settings, mut warnings) =
        tokio::task::spawn_blocking(move || connect::read_settings(&global))
            .await
            .map_err(|_| Failure::new(FailureKind::Interrupted, "the program is ending", ""))??;
    let mut setup = service::setup(&settings)?;
    warnings.extend(connect::logged(&mut setup));
    let store = service::store(&settings);
    // The dashboard also opens if the watch list cannot be read, and shows why.
    let (watched, unread) = watch_list::watched_as_known(&settings, &store).await;
    warnings.extend(
        unread.map(|failure| format!("the watch list of the archive is not known: {failure}")),
    );
    let options = StartupOptions {
        profile: settings.profile.value.clone(),
        address: setup.base.to_string(),
        sandbox: setup.sandbox.to_string(),
        demo: false,
        watched,
        open,
        units: settings.units.value,
        coordinates: settings.coordinates.value,
        markers: settings.markers.value,
        look: settings.look(),
        refresh_s: settings.refresh.value.as_secs_f64().max(1.0),
    };
    Ok(Ready {
        options,
        setup,
        store,
        warnings,
    })
}

/// Fails without a terminal, before any request is sent.
pub(super) fn needs_a_terminal() -> Result<(), Failure> {
    if runtime::is_usable() {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::Usage,
        "the dashboard needs a terminal on standard input and output, and one that can move its cursor",
        "`driftline track UUID` and `driftline check UUID` work without a terminal.",
    ))
}

/// Shows the dashboard until the user quits.
pub(super) async fn show(
    ready: impl Future<Output = Result<Ready, Failure>>,
) -> Result<u8, Failure> {
    runtime::run(ready).await.map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("{error:#}"),
            "Resize or restart the terminal and try again.",
        )
    })?
}
