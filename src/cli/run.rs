//! The settings of a command, its archive, and its session with the service.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::args::Global;
use super::file::word::paths;
use super::log::Log;
use super::output::{Out, note, warn};
use crate::app::alarms::judge::{judge_by_clock, judge_unjudged};
use crate::app::alarms::notify;
use crate::app::export::own_files::OwnFiles;
use crate::app::session::{Session, Setup, connect};
use crate::app::source::Source;
use crate::app::store::Store;
use crate::app::watch_list;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::os::blocking::blocking;
use crate::os::output::{Destination, FileKind, write_bytes};
use crate::settings::Settings;
use crate::track::time;
use crate::watch::Deployment;

/// A program of `on_alarm` is ended after 10 s; a little more.
pub(super) const LONGEST_NOTIFICATION: Duration = Duration::from_secs(12);

/// Most time that a command takes for the program of `on_alarm`: what is not sent by then
/// waits for the next run.
const NOTIFICATIONS: Duration = Duration::from_secs(30);

/// The settings and the archive of a command.
pub(super) struct Run {
    global: Global,
    /// `true` once something was requested, which may have raised alarms.
    pub(super) has_requested: AtomicBool,
    pub(super) settings: Settings,
    pub(super) store: Printing,
}

impl Run {
    /// Reads the settings, and prints the warnings about them.
    pub(super) fn new(global: &Global) -> Result<Self, Failure> {
        let settings = settings(global)?;
        connect::check_addresses(&settings)?;
        Ok(Self {
            global: global.clone(),
            has_requested: AtomicBool::new(false),
            store: Printing(connect::store(&settings)),
            settings,
        })
    }

    /// The archive, with the deployments of all services on the watch list.
    pub(super) fn store_of_all(&self) -> Printing {
        Printing(connect::store_of_all(&self.settings))
    }

    /// The source of records.
    pub(super) fn source(&self) -> Result<Source, Failure> {
        Source::new(self.setup()?)
    }

    /// A session with the service.
    pub(super) fn session(&self) -> Result<Session, Failure> {
        Session::new(self.setup()?)
    }

    /// The setup; exchanges are printed with `-v`, and logged if the setting `log` says so.
    fn setup(&self) -> Result<Setup, Failure> {
        let mut setup = connect::setup(&self.settings)?;
        setup.waiting = Some(Arc::new(warn));
        if let Some(reason) = observe(&self.settings, self.global.verbose, &mut setup) {
            warn(reason);
        }
        Ok(setup)
    }

    /// Refuses an output that is one of driftline's own files, or one of the files among
    /// these words.
    pub(super) fn refuse_own(
        &self,
        output: Option<&Path>,
        words: &[String],
    ) -> Result<(), Failure> {
        let mut own = OwnFiles::new(&self.settings);
        own.add_read(paths(words));
        output.map_or(Ok(()), |output| own.refuse(output))
    }

    /// Writes a table to a file, or to standard output without one, and says what was written.
    pub(super) async fn export(
        &self,
        file: Option<PathBuf>,
        table: Vec<u8>,
        what: String,
    ) -> Result<u8, Failure> {
        let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
            return Out::new().bytes(&table);
        };
        self.refuse_own(Some(&file), &[])?;
        blocking(move || {
            let before = std::fs::metadata(&file)
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
            write_bytes(&Destination::new(&file, FileKind::Named), &table)?;
            let replaced = if before { ", which is replaced" } else { "" };
            note(&format!("{what} to {}{replaced}", file.display()));
            Ok(0)
        })
        .await?
    }

    /// Prints that deployments of the archive belong to services that no profile uses.
    pub(super) async fn note_elsewhere(&self) {
        if let Some(message) = watch_list::elsewhere(&self.settings, &self.store).await {
            warn(message);
        }
    }

    /// Judges deployments by the clock. A response judges its deployment when it is stored;
    /// this is for those without a response, and for those whose program ended before it
    /// judged what it had stored. An archive that cannot be written has been
    /// reported when a response was stored.
    pub(super) async fn judge_by_clock(&self, list: Vec<Deployment>) {
        let _ = judge_unjudged(&self.store, list.clone()).await;
        let _ = judge_by_clock(&self.store, list, self.settings.refresh.as_secs_f64()).await;
    }

    /// Runs a command, then the program of `on_alarm` if the command requested anything: a
    /// program that hangs must not keep the user from the output.
    pub(super) async fn then_notify<T>(&self, command: impl Future<Output = T>) -> T {
        let done = command.await;
        if self.has_requested.load(Ordering::Relaxed) {
            self.notify().await;
        }
        done
    }

    /// Runs the program of `on_alarm` for what has happened to alarms. Failures are printed
    /// and change nothing else.
    pub(super) async fn notify(&self) {
        self.notify_until(Instant::now() + NOTIFICATIONS).await;
    }

    /// As [`Run::notify`] for a command that has to end by a time. A program that runs by then is
    /// ended, and its notification is sent again by the next run, as those that were not begun.
    pub(super) async fn notify_until(&self, end: Instant) {
        let sent = notify::notify(&self.store, &self.settings.on_alarm);
        match timeout_at(end, sent).await {
            Ok(failures) => failures.into_iter().for_each(warn),
            // Whether anything was pending is not known by then.
            Err(_) => warn(
                "no time was left for on_alarm: the next driftline notifies of what is pending",
            ),
        }
    }
}

/// An archive whose warnings are printed on drop: for example that it was damaged, and its
/// new path.
pub(super) struct Printing(Store);

impl Deref for Printing {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.0
    }
}

impl Drop for Printing {
    fn drop(&mut self) {
        for message in self.0.loss().into_iter().chain(self.0.warnings()) {
            warn(message);
        }
    }
}

/// The settings in force; prints the warnings about them.
pub(super) fn settings(global: &Global) -> Result<Settings, Failure> {
    let settings = settings_as_they_are(global)?;
    settings.check_archive()?;
    Ok(settings)
}

/// As [`settings`], also if the archive that they name cannot be used.
pub(super) fn settings_as_they_are(global: &Global) -> Result<Settings, Failure> {
    let (settings, warnings) = loaded(global)?;
    for warning in &warnings {
        warn(warning);
    }
    Ok(settings)
}

/// The settings in force, with the warnings about them.
pub(super) fn read_settings(global: &Global) -> Result<(Settings, Vec<String>), Failure> {
    let (settings, warnings) = loaded(global)?;
    settings.check_archive()?;
    Ok((settings, warnings))
}

fn loaded(global: &Global) -> Result<(Settings, Vec<String>), Failure> {
    let mut settings = Settings::load(&global.flags(), &|name| std::env::var_os(name))?;
    settings.overlays.extend_from_slice(&global.overlays);
    let warnings = std::mem::take(&mut settings.warnings);
    Ok((settings, warnings))
}

/// Prints each exchange if `verbose`, and logs it if the setting `log` says so; returns why an
/// enabled log cannot be written.
pub(super) fn observe(settings: &Settings, verbose: bool, setup: &mut Setup) -> Option<String> {
    let (log, reason) = match Log::open(settings) {
        Ok(log) => (log, None),
        Err(reason) => (None, Some(reason)),
    };
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
    reason
}

/// Parses the duration of a flag; returns seconds.
pub(super) fn duration(flag: &str, typed: &str) -> Result<f64, Failure> {
    time::parse_duration(typed).map_err(|error| Failure::usage(format!("{flag}: {error}")))
}
