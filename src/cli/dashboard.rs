//! The dashboard on the configured service.

use std::sync::Arc;

use uuid::Uuid;

use super::args::{DemoArguments, Global};
use super::output::{is_watched, note};
use super::run::{observe, read_settings, settings};
use super::screen::needs_a_terminal;
use super::{demo, names};
use crate::app::fleet::last_answers;
use crate::app::session::connect as service;
use crate::app::session::login::save_address;
use crate::app::settings_file::SettingsFile;
use crate::app::watch_list;
use crate::archive::Archive;
use crate::dashboard::shared::{TrackSource, Watched};
use crate::failure::Failure;
use crate::os::blocking::blocking;
use crate::terminal::{self, Ended, Opening, Origin, Ready, run_plain};
use crate::watch::DeploymentId;

/// Opens the dashboard, or prints its changes as lines if `plain`. The first
/// frame is drawn before settings and archive are read.
pub(super) async fn run(
    global: &Global,
    deployment: Option<&str>,
    plain: bool,
) -> Result<u8, Failure> {
    let open = match deployment {
        Some(word) => Some(opened(global, word).await?),
        None => None,
    };
    if plain {
        if is_watched() {
            note("A line follows for each change, until Ctrl-C.");
        }
        // Without a form to fill in, a missing service is an error.
        return run_plain(ready(global.clone(), open, false)).await;
    }
    needs_a_terminal()?;
    let (address, file) = match terminal::run(ready(global.clone(), open.clone(), true)).await? {
        Ended::Status(status) => return Ok(status),
        Ended::Demo => return demo::run(global, DemoArguments::default()).await,
        Ended::Service(address) => (address, settings(global)?.config),
    };
    if let Some(file) = file {
        save_address(&file, &address)?;
    }
    match terminal::run(ready(global.clone(), open, true)).await? {
        Ended::Status(status) => Ok(status),
        Ended::Demo | Ended::Service(_) => Ok(0),
    }
}

/// The deployment that a word names, as [`names::deployment`]: alone on the command
/// line it may have been meant as a command.
async fn opened(global: &Global, word: &str) -> Result<DeploymentId, Failure> {
    let settings = match (read_settings(global), Uuid::parse_str(word.trim())) {
        (Err(_), Ok(uuid)) => return Ok(uuid.into()),
        (read, _) => read?.0,
    };
    let store = service::store(&settings);
    // With another kind of service any word could be an id: only the watch list counts.
    let named = match settings.service {
        Some(_) => names::one_listed(&watch_list::watched(&settings, &store).await?, word),
        None => names::deployment(word, &settings, &store).await,
    };
    named.map_err(|failure| {
        let hint = format!("{} `driftline --help` lists the commands.", failure.hint);
        super::usage::mistyped(word).unwrap_or(Failure { hint, ..failure })
    })
}

/// Reads settings and archive for the dashboard. If no service is set, and it is `offered`, the
/// form of the first start is opened.
async fn ready(
    global: Global,
    open: Option<DeploymentId>,
    offered: bool,
) -> Result<Opening, Failure> {
    // A disk can be slow, and the thread that draws must not wait for it.
    let (settings, mut warnings) = {
        let global = global.clone();
        blocking(move || read_settings(&global))
    }
    .await??;
    if let (None, Some(file), true) = (
        &settings.base_url,
        &settings.config,
        offered && settings.is_default_profile() && settings.service.is_none(),
    ) {
        return Ok(Opening::NoService(file.clone()));
    }
    let settings_file = settings.config.as_ref().map(|config| {
        let read_again = move || Ok(read_settings(&global)?.0);
        let path = config.clone();
        let profile = settings.profile.clone();
        SettingsFile::new(path, profile, Arc::new(read_again))
    });
    let mut setup = service::setup(&settings)?;
    warnings.extend(observe(&settings, false, &mut setup));
    let store = service::store(&settings);
    // The dashboard also opens if the watch list cannot be read, and shows why.
    let (watched, unread) = watch_list::watched_as_known(&settings, &store).await;
    warnings.extend(
        (unread.as_ref())
            .map(|failure| format!("the watch list of the archive cannot be read: {failure}")),
    );
    warnings.extend(watch_list::elsewhere(&settings, &store).await);
    let remote = service::service(&settings)?;
    // A program needs no address, and asks none.
    let program = remote
        .as_ref()
        .filter(|_| settings.base_url.is_none())
        .and_then(|service| service.mapping.command.first());
    let watched = Watched {
        address: program
            .cloned()
            .unwrap_or_else(|| setup.connection.base.to_string()),
        remote,
        sandbox: setup.connection.sandbox.to_string(),
        source: TrackSource::Service,
        list: watched,
        answers: last_answers(&store).await,
        namesakes: store.read(Archive::namesakes).await.unwrap_or_default(),
        unread,
        open,
    };
    Ok(Opening::Ready(Box::new(Ready {
        settings,
        watched,
        origin: Origin::Service(Box::new(setup)),
        store,
        settings_file,
        warnings,
    })))
}
