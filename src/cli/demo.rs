//! The dashboard on the embedded service, or only that service.

use std::time::Duration;

use super::args::{DemoArguments, Global};
use super::names;
use super::output::{Out, note};
use super::screen::{listing, needs_a_terminal, show_ready};
use super::signals::signal;
use crate::app::plants;
use crate::app::session::connect::embedded_setup;
use crate::app::session::{Session, Setup};
use crate::app::store::Store;
use crate::dashboard::shared::{TrackSource, Watched};
use crate::demo::{self, ListenError, Running};
use crate::failure::{Failure, FailureKind};
use crate::plant::{Draft, PlantId};
use crate::settings::Settings;
use crate::terminal::{Origin, Ready};

/// The name of its profile.
const PROFILE: &str = "demo";

impl From<ListenError> for Failure {
    fn from(error: ListenError) -> Self {
        let hint = match error.port {
            0 => "See whether this machine has a loopback interface and ports to spare.",
            _ => "Leave --port out to take a free one, or name another.",
        };
        Self::new(FailureKind::Other, error.to_string(), hint)
    }
}

impl Default for DemoArguments {
    /// `driftline demo` without arguments.
    fn default() -> Self {
        Self {
            deployment: None,
            serve: false,
            plain: false,
            overlay: Vec::new(),
            port: 0,
        }
    }
}

/// Runs the demo. It uses neither keyring nor settings nor archive of the user.
pub(super) async fn run(global: &Global, arguments: DemoArguments) -> Result<u8, Failure> {
    if !arguments.serve && !arguments.plain {
        needs_a_terminal()?;
    }
    if let Some(file) = &global.config {
        note(&format!(
            "the demo reads no settings file: {} is not used",
            file.display()
        ));
    }
    let service = demo::start(arguments.port).await?;
    if arguments.serve {
        Out::new().text(&format!("{}\n", service.announcement()))?;
        if global.verbose {
            note("serving until Ctrl-C");
        }
        return Ok(match signal().await {
            // Ctrl-C is the normal end: status 0.
            130 => 0,
            status => status,
        });
    }
    let open = arguments.deployment.as_deref();
    opened(global, &service, open, arguments.plain).await
}

/// Creates and deletes the plants that the demo begins with, by real requests: one that was
/// deleted, one whose answer is lost, and three that exist, one of them with a create that was
/// refused. One that exists is the newest: the tab opens on it.
async fn plant(setup: &Setup, store: &Store, service: &Running) -> Result<(), Failure> {
    const PLANTS: [(i64, &str, &str); 6] = [
        (1, "sea rocket", "south"),
        (2, "samphire", "north"),
        (3, "eelgrass", "south"),
        (3, "oarweed", "south"),
        (4, "thrift", "north"),
        (5, "sea lavender", "north"),
    ];
    const DELETED: i64 = 1;
    const LOST: i64 = 2;
    let session = Session::new(setup.clone())?;
    service.lose_answer(LOST);
    for (id, name, tag) in PLANTS {
        let draft = Draft {
            id,
            name: name.to_owned(),
            tag: tag.to_owned(),
        };
        // The log has its result, a refusal too.
        let _ = plants::create(&session, store, &draft, None).await;
        if id == DELETED
            && let Ok(id) = PlantId::parse(&id.to_string())
        {
            let _ = plants::delete(&session, store, &id).await;
        }
    }
    Ok(())
}

/// Opens the dashboard on the embedded service.
async fn opened(
    global: &Global,
    service: &Running,
    open: Option<&str>,
    plain: bool,
) -> Result<u8, Failure> {
    let setup = embedded_setup(
        PROFILE,
        &service.base_url,
        &service.sandbox_url,
        &service.token,
    )?;
    let list = service.deployments.clone();
    let open = open.map(|word| names::one_named(&list, word)).transpose()?;
    let store = listing(&list).await?;
    plant(&setup, &store, service).await?;
    let mut settings = Settings::default();
    settings.profile = PROFILE.to_owned();
    settings.overlays.clone_from(&global.overlays);
    // A short interval, so that the user sees the instruments move.
    settings.refresh = Duration::from_secs(10);
    let watched = Watched {
        address: service.base_url.clone(),
        sandbox: setup.connection.sandbox.to_string(),
        remote: None,
        source: TrackSource::Demo,
        list,
        unread: None,
        answers: Default::default(),
        namesakes: Default::default(),
        open,
    };
    let ready = Ready {
        settings,
        watched,
        origin: Origin::Service(Box::new(setup)),
        store,
        settings_file: None,
        warnings: Vec::new(),
    };
    show_ready(ready, plain).await
}
