//! The dashboard on the embedded service, or only that service.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::args::{DemoArguments, Global};
use super::dashboard::{needs_a_terminal, show};
use super::file::{Files, Input};
use super::names;
use super::output::{Out, note};
use super::run::settings_as_they_are;
use super::signals::signal;
use crate::dashboard::shared::{TrackSource, Watched};
use crate::demo::{self, DemoError, Options, Running, Tracks};
use crate::failure::{Failure, FailureKind};
use crate::ops::connect::embedded_setup;
use crate::ops::plants;
use crate::ops::session::{Session, Setup};
use crate::ops::store::Store;
use crate::plant::{Draft, PlantId};
use crate::settings::Settings;
use crate::terminal::{Ended, Opening, Ready, run_plain};
use crate::track::{Deployment, OpenFiles};

impl From<DemoError> for Failure {
    fn from(error: DemoError) -> Self {
        let kind = match &error {
            DemoError::Files(_) => FailureKind::Usage,
            DemoError::Listen { .. } => FailureKind::Other,
        };
        Self::new(kind, error.to_string(), format!("{}.", error.hint()))
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
            tracks: None,
            seed: 7,
        }
    }
}

/// Runs the demo. It uses neither keyring nor settings nor archive of the user.
pub(super) async fn run(global: &Global, arguments: DemoArguments) -> Result<u8, Failure> {
    if !arguments.serve && !arguments.plain {
        needs_a_terminal()?;
    }
    let options = Options {
        seed: arguments.seed,
        port: arguments.port,
        tracks: arguments.tracks.map_or(Tracks::Simulated, Tracks::Folder),
    };
    if let Some(file) = &global.config {
        note(&format!(
            "the demo reads no settings file: {} is not used",
            file.display()
        ));
    }
    let service = demo::start(options).await?;
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
    let served = Served {
        profile: "demo",
        service: &service,
        files: None,
    };
    let open = arguments.deployment.as_deref();
    opened(global, served, open, arguments.plain).await
}

/// Opens the dashboard on the tracks of files. It uses the settings of the screen, and neither
/// keyring nor archive of the user.
pub(super) async fn on_files(
    global: &Global,
    words: &[String],
    plain: bool,
) -> Result<u8, Failure> {
    let inputs = words.iter().map(|word| Input::open(word));
    let inputs: Vec<Input> = inputs.collect::<Result<_, _>>()?;
    if !plain {
        needs_a_terminal()?;
    }
    let files = Arc::new(Files::read(inputs).await?);
    let options = Options {
        tracks: Tracks::Files(files.clone()),
        ..Options::default()
    };
    let service = demo::start(options).await?;
    // A single track is shown at once.
    let open = match service.deployments.as_slice() {
        [one] => Some(one.uuid.to_string()),
        _ => None,
    };
    let served = Served {
        profile: "files",
        service: &service,
        files: Some(OpenFiles {
            paths: words.iter().map(PathBuf::from).collect(),
            look: Arc::new(move || files.look()),
        }),
    };
    opened(global, served, open.as_deref(), plain).await
}

/// Creates and deletes the plants that the demo begins with, by real requests: three that
/// exist, one of them with a create that was refused, one that was deleted, and one whose
/// answer is lost.
async fn plant(setup: &Setup, store: &Store, service: &Running) -> Result<(), Failure> {
    const PLANTS: [(i64, &str, &str); 6] = [
        (1, "sea lavender", "north"),
        (2, "thrift", "north"),
        (3, "eelgrass", "south"),
        (3, "oarweed", "south"),
        (4, "sea rocket", "south"),
        (5, "samphire", "north"),
    ];
    const LOST: i64 = 5;
    const DELETED: &str = "4";
    let session = Session::new(setup.clone())?;
    service.lose_answer(LOST);
    for (id, name, tag) in PLANTS {
        let draft = Draft {
            id,
            name: name.to_owned(),
            tag: tag.to_owned(),
        };
        // The log has what came of it, a refusal too.
        let _ = plants::create(&session, store, &draft).await;
    }
    if let Ok(id) = PlantId::parse(DELETED) {
        let _ = plants::delete(&session, store, &id).await;
    }
    Ok(())
}

/// An embedded service.
struct Served<'a> {
    profile: &'static str,
    service: &'a Running,
    /// The files behind it.
    files: Option<OpenFiles>,
}

/// Opens the dashboard on an embedded service.
async fn opened(
    global: &Global,
    served: Served<'_>,
    open: Option<&str>,
    plain: bool,
) -> Result<u8, Failure> {
    let Served {
        profile,
        service,
        files,
    } = served;
    let mut setup = embedded_setup(
        profile,
        &service.base_url,
        &service.sandbox_url,
        &service.token,
    )?;
    let source = match &files {
        Some(_) => TrackSource::Files,
        None => TrackSource::Demo,
    };
    setup.connection.files = files;
    let watched: Vec<Deployment> = service.deployments.iter().map(Deployment::clone).collect();
    let open = open
        .map(|word| names::one_named(&watched, word))
        .transpose()?;
    // Alarm limits are read from the watch list of the archive.
    let store = Store::in_memory();
    for entry in &watched {
        store.amend(entry.clone(), |_| ()).await?;
    }
    if source == TrackSource::Demo {
        plant(&setup, &store, service).await?;
    }
    let mut settings = match source {
        TrackSource::Files => settings_as_they_are(global)?.of_screen(),
        _ => Settings::default(),
    };
    settings.profile = profile.to_owned();
    if source == TrackSource::Demo {
        settings.overlays.clone_from(&global.overlays);
    }
    // A short interval, so that the user sees the instruments move.
    settings.refresh = Duration::from_secs(10);
    let watched = Watched {
        address: service.base_url.clone(),
        sandbox: setup.connection.sandbox.to_string(),
        remote: None,
        source,
        list: watched,
        unread: None,
        answers: Default::default(),
        open,
    };
    let ready = Ready {
        settings,
        watched,
        setup,
        store,
        settings_file: None,
        warnings: Vec::new(),
    };
    let ready = async { Ok(Opening::Ready(Box::new(ready))) };
    if plain {
        return run_plain(ready).await;
    }
    match show(ready).await? {
        Ended::Status(status) => Ok(status),
        // The form of the first start is not shown if there is a service.
        Ended::Demo | Ended::Service(_) => Ok(0),
    }
}
