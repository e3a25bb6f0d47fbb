//! From arguments and settings to a session.

use std::io::Write;
use std::ops::Deref;
use std::sync::Arc;

use uuid::Uuid;

use super::args::Global;
use super::log::Log;
use super::output::note;
use crate::ops::{self, Address, Exchange, Failure, FailureKind, Session, Setup, Store};
use crate::settings::{ConfigError, Settings};

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let hint = match error {
            // The file has no part in it.
            ConfigError::Flag { .. } => "",
            _ => "`driftline config path` says where the file is.",
        };
        Self::new(FailureKind::Usage, error.to_string(), hint)
    }
}

/// The settings in force; what is odd about them is noted.
pub(super) fn settings(global: &Global) -> Result<Settings, Failure> {
    let (settings, warnings) = read_settings(global)?;
    for warning in &warnings {
        note(&format!("driftline: {warning}"));
    }
    Ok(settings)
}

/// The settings in force, and what a person should know about them.
pub(super) fn read_settings(global: &Global) -> Result<(Settings, Vec<String>), Failure> {
    let mut settings = Settings::load(&global.flags(), &|name| std::env::var_os(name))?;
    let warnings = std::mem::take(&mut settings.warnings);
    Ok((settings, warnings))
}

/// An address from the settings.
pub(super) fn address(name: &str, value: &str) -> Result<Address, Failure> {
    value.parse::<Address>().map_err(|error| {
        Failure::new(
            FailureKind::Usage,
            format!("{name} cannot be used: {error}"),
            "An address looks like https://service.example/api.",
        )
    })
}

/// What a session is made from.
pub(super) fn setup(settings: &Settings) -> Result<Setup, Failure> {
    let Some(base) = &settings.base_url else {
        return Err(Failure::new(
            FailureKind::Usage,
            format!("no service is set for profile '{}'", settings.profile.value),
            format!(
                "Set base_url in {}, DRIFTLINE_BASE_URL or --base-url; `driftline demo` needs none.",
                settings.config.value.display()
            ),
        ));
    };
    let base = address("base_url", &base.value)?;
    let sandbox = match &settings.sandbox_url {
        Some(sandbox) => address("sandbox_url", &sandbox.value)?,
        None => base.clone(),
    };
    let mut setup = Setup::new(settings.profile.value.clone(), base, sandbox);
    setup.allow_insecure_http = settings.allow_insecure_http.value;
    setup.timeout = settings.timeout.value;
    setup.max_response = settings.max_response.value;
    if let Some(file) = &settings.ca_file {
        setup.extra_roots = ops::extra_roots(&file.value)?;
    }
    Ok(setup)
}

/// Writes exchanges into the log, where one is asked for.
pub(super) fn logged(setup: &mut Setup) {
    if let Some(log) = Log::open() {
        setup.observer = Some(Arc::new(move |exchange: Exchange| {
            log.line(&exchange.to_string());
        }));
    }
}

/// A session whose exchanges are told where that is asked for.
pub(super) fn session(global: &Global, settings: &Settings) -> Result<Session, Failure> {
    let mut setup = setup(settings)?;
    setup.waiting = Some(Arc::new(|words| note(&format!("driftline: {words}"))));
    let (verbose, log) = (global.verbose, Log::open());
    if verbose || log.is_some() {
        setup.observer = Some(Arc::new(move |exchange: Exchange| {
            if verbose {
                note(&exchange.to_string());
            }
            if let Some(log) = &log {
                log.line(&exchange.to_string());
            }
        }));
    }
    Session::new(setup)
}

/// The archive of the settings.
pub(super) fn store(settings: &Settings) -> Telling {
    Telling(silent_store(settings))
}

/// The archive of the settings, for the dashboard: its news are told on the
/// screen.
pub(super) fn silent_store(settings: &Settings) -> Store {
    Store::at(settings.archive.value.clone())
}

/// An archive that tells, when it is done with, what nobody has told of it: that
/// it was damaged, and where it stands now.
pub(super) struct Telling(Store);

impl Deref for Telling {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.0
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        for words in self.0.news() {
            note(&format!("driftline: {words}"));
        }
    }
}

/// A span of time, in seconds.
pub(super) fn duration(name: &str, value: &str) -> Result<f64, Failure> {
    ops::time::parse_duration(value).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// A deployment as it was typed.
pub(super) fn deployment(typed: &str) -> Result<Uuid, Failure> {
    Uuid::parse_str(typed.trim()).map_err(|error| {
        Failure::new(
            FailureKind::Usage,
            format!("'{}' is no UUID: {error}", ops::text::excerpt(typed, 80)),
            "A deployment is named by 8-4-4-4-12 hexadecimal digits.",
        )
    })
}

/// The platform that was asked for, else the watch list's, else generic.
pub(super) async fn platform(
    asked: Option<ops::Platform>,
    uuid: Uuid,
    settings: &Settings,
    store: &Store,
) -> ops::Platform {
    if let Some(asked) = asked {
        return asked;
    }
    let entry = entry(uuid, settings, store).await;
    entry.map(|one| one.platform).unwrap_or_default()
}

/// The watch list: the archive's, then what the configuration adds.
pub(super) async fn watched(
    settings: &Settings,
    store: &Store,
) -> Result<Vec<ops::Watched>, Failure> {
    Ok(with_configured(store.watched().await?, settings))
}

/// The entry of a deployment on the watch list. An archive that cannot be read
/// is no reason not to know what the configuration says.
pub(super) async fn entry(uuid: Uuid, settings: &Settings, store: &Store) -> Option<ops::Watched> {
    let kept = store.watched().await.unwrap_or_default();
    let list = with_configured(kept, settings);
    list.into_iter().find(|one| one.uuid == uuid)
}

fn with_configured(mut list: Vec<ops::Watched>, settings: &Settings) -> Vec<ops::Watched> {
    for one in &settings.deployments {
        if list.iter().any(|known| known.uuid == one.uuid) {
            continue;
        }
        list.push(ops::Watched {
            uuid: one.uuid,
            label: one.label.clone(),
            platform: one.platform,
            limits: ops::Limits::default(),
            notes: None,
        });
    }
    list
}

/// Clears the progress line and writes a new one, on a terminal.
pub(super) fn progress_line(words: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{words}");
}
