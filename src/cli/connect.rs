//! Makes a session from arguments and settings.

use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use super::args::Global;
use super::log::Log;
use super::output::note;
use crate::exchange::Exchange;
use crate::failure::{Failure, FailureKind};
use crate::ops::own_files::OwnFiles;
use crate::ops::session::{Session, Setup};
use crate::ops::store::Store;
use crate::ops::{connect, watch_list};
use crate::settings::Settings;
use crate::text;
use crate::track::Deployment;
use crate::track::deployment::{named, not_a_uuid};
use crate::track::remote::{Remote, is_id};
use crate::track::time;

/// The settings in force; prints their warnings.
pub(super) fn settings(global: &Global) -> Result<Settings, Failure> {
    let (settings, warnings) = read_settings(global)?;
    for warning in &warnings {
        note(&format!("driftline: {warning}"));
    }
    Ok(settings)
}

/// The settings in force, with their warnings.
pub(super) fn read_settings(global: &Global) -> Result<(Settings, Vec<String>), Failure> {
    let mut settings = Settings::load(&global.flags(), &|name| std::env::var_os(name))?;
    settings.overlays.extend_from_slice(&global.overlays);
    let warnings = std::mem::take(&mut settings.warnings);
    Ok((settings, warnings))
}

/// Refuses an output that is a file of driftline itself.
pub(super) fn refuse_own(global: &Global, output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(output) => OwnFiles::of(&read_settings(global)?.0).refuse(output),
        None => Ok(()),
    }
}

/// Writes exchanges to the log, if the setting `log` enables it; returns why an
/// enabled log cannot be written.
pub(super) fn logged(settings: &Settings, setup: &mut Setup) -> Option<String> {
    match Log::open(settings) {
        Ok(Some(log)) => {
            setup.connection.observer = Some(Arc::new(move |exchange: Exchange| {
                if !exchange.is_under_way() {
                    log.line(&exchange.to_string());
                }
            }));
            None
        }
        Ok(None) => None,
        Err(why) => Some(why),
    }
}

/// A session; its exchanges are printed with `-v`, and logged as the setting `log` says.
pub(super) fn session(global: &Global, settings: &Settings) -> Result<Session, Failure> {
    let mut setup = connect::setup(settings)?;
    setup.waiting = Some(Arc::new(|message| note(&format!("driftline: {message}"))));
    let log = Log::open(settings).unwrap_or_else(|reason| {
        note(&format!("driftline: {reason}"));
        None
    });
    let verbose = global.verbose;
    if verbose || log.is_some() {
        setup.connection.observer = Some(Arc::new(move |exchange: Exchange| {
            if exchange.is_under_way() {
                return;
            }
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
    Telling(connect::store(settings))
}

/// The archive of the settings, which lists the deployments of all services.
pub(super) fn store_of_all(settings: &Settings) -> Telling {
    Telling(connect::store_of_all(settings))
}

/// An archive whose warnings are printed on drop: for example that it was
/// damaged, and its new path.
pub(super) struct Telling(Store);

impl Deref for Telling {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.0
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        for message in self.0.warnings() {
            note(&format!("driftline: {message}"));
        }
    }
}

/// Parses a duration; returns seconds.
pub(super) fn duration(name: &str, value: &str) -> Result<f64, Failure> {
    time::parse_duration(value).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// The deployment that a person names: by its UUID, or, of the watch list, by its label
/// or the first characters of its UUID.
///
/// # Errors
/// [`FailureKind::Usage`] when there is none, or there are several; when the watch list
/// is needed and cannot be read.
pub(super) async fn deployment(
    typed: &str,
    settings: &Settings,
    store: &Store,
) -> Result<Uuid, Failure> {
    if let Some(service) = connect::service(settings)? {
        let list = watch_list::watched(settings, store)
            .await
            .unwrap_or_default();
        return match named(&list, typed).is_empty() {
            true => remote(&service, typed),
            false => one_named(&list, typed),
        };
    }
    match Uuid::parse_str(typed.trim()) {
        Ok(uuid) => Ok(uuid),
        Err(_) => one_named(&watch_list::watched(settings, store).await?, typed),
    }
}

/// `true` for an id, and for what names deployments of the watch list.
pub(super) async fn is_deployment(typed: &str, settings: &Settings, store: &Store) -> bool {
    let is_listed = |list: Vec<Deployment>| !named(&list, typed).is_empty();
    Uuid::parse_str(typed.trim()).is_ok()
        || watch_list::watched(settings, store)
            .await
            .is_ok_and(is_listed)
}

/// The UUID that stands for what a service of another shape calls a deployment.
///
/// # Errors
/// [`FailureKind::Usage`] for what can be no id.
pub(super) fn remote(service: &str, typed: &str) -> Result<Uuid, Failure> {
    let id = typed.trim();
    if is_id(id) {
        return Ok(Remote::uuid(service, id));
    }
    let shown = text::excerpt(typed, 80);
    Err(Failure::new(
        FailureKind::Usage,
        format!("'{shown}' cannot be the id of a deployment"),
        "An id has 1 to 128 visible characters, with single blanks between them.",
    ))
}

/// The deployments that a person names, each once, as [`deployment()`].
///
/// # Errors
/// As [`deployment()`], for the first that is none.
pub(super) async fn deployments(
    typed: &[String],
    settings: &Settings,
    store: &Store,
) -> Result<Vec<Uuid>, Failure> {
    let mut uuids = Vec::new();
    for one in typed {
        let uuid = deployment(one, settings, store).await?;
        if !uuids.contains(&uuid) {
            uuids.push(uuid);
        }
    }
    Ok(uuids)
}

/// The one deployment of a watch list that a person names, as [`deployment()`].
pub(super) fn one_named(list: &[Deployment], typed: &str) -> Result<Uuid, Failure> {
    let shown = text::excerpt(typed, 80);
    let parsed = Uuid::parse_str(typed.trim());
    match (named(list, typed).as_slice(), parsed) {
        ([one], _) => Ok(one.uuid),
        ([], Ok(uuid)) => Ok(uuid),
        ([], Err(error)) if is_like_uuid(typed) => Err(no_uuid_because(typed, &error.to_string())),
        ([], _) if super::file::is_file(typed) => Err(Failure::new(
            FailureKind::Usage,
            format!("'{shown}' is a file, and this command reads no track of a file"),
            "Name a deployment; `driftline track FILE`, `driftline map FILE` and `driftline check FILE` read files.",
        )),
        ([], _) => Err(Failure::new(
            FailureKind::Usage,
            format!("'{shown}' is no deployment of the watch list"),
            match near_label(list, typed) {
                Some(label) => format!(
                    "Did you mean \"{}\"? A label with blanks goes in quotation marks.",
                    text::excerpt(label, 60)
                ),
                None => "Name a deployment by its id, by its label, or by the first four and more \
                         characters of its id; `driftline deployments list` lists them."
                    .to_owned(),
            },
        )),
        (several, _) => {
            let each = several.iter().map(|one| match &one.label {
                Some(label) => {
                    format!("{} ({})", Remote::shown(one.uuid), text::excerpt(label, 60))
                }
                None => Remote::shown(one.uuid),
            });
            Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "'{shown}' names {} deployments: {}",
                    several.len(),
                    each.collect::<Vec<_>>().join(", ")
                ),
                "Give the id, or more of it.",
            ))
        }
    }
}

/// The deployment of a watch list that a person names, also where its service has ids
/// that are no UUIDs.
pub(super) fn one_listed(list: &[Deployment], typed: &str) -> Result<Uuid, Failure> {
    let found = one_named(list, typed)?;
    let is_listed = list.iter().any(|one| one.uuid == found);
    is_listed.then_some(found).ok_or_else(|| {
        let shown = text::excerpt(typed, 80);
        let why = format!("'{shown}' is no deployment of the watch list");
        let hint = "`driftline deployments add` adds it by what the service calls it.";
        Failure::new(FailureKind::Usage, why, hint)
    })
}

/// The label that has a word as one of its own.
fn near_label<'a>(list: &'a [Deployment], typed: &str) -> Option<&'a str> {
    let typed = typed.trim().to_lowercase();
    let has_word = |label: &&str| {
        label
            .to_lowercase()
            .split_whitespace()
            .any(|word| word == typed)
    };
    let labels = list.iter().filter_map(|one| one.label.as_deref());
    labels.into_iter().find(has_word)
}

/// The failure of a word where only a whole UUID will do.
pub(super) fn no_uuid(typed: &str) -> Failure {
    no_uuid_because(typed, "a deployment is added by its whole UUID")
}

fn no_uuid_because(typed: &str, why: &str) -> Failure {
    let shown = text::excerpt(typed, 80);
    let what = format!("'{shown}' is not a UUID: {why}");
    Failure::new(FailureKind::Usage, what, not_a_uuid(typed))
}

/// `true` for a word that was meant as a UUID or another number of an instrument, and
/// not as a label or the beginning of a UUID.
fn is_like_uuid(typed: &str) -> bool {
    let typed = typed.trim();
    let is_digit = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    typed.len() >= 12
        && typed.bytes().filter(|byte| is_digit(*byte)).count() * 10 >= typed.len() * 9
}

/// Replaces the progress line on a terminal.
pub(super) fn progress_line(message: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{message}");
}
