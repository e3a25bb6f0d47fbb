//! One deployment's track, headless.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use super::args::{Global, TrackArguments};
use super::connect;
use super::output::{Out, is_watched, note};
use crate::ops::{
    self, Failure, FailureKind, Format, Platform, Progress, ProgressSink, Session, Store, Subject,
    Track, TrackOptions, time,
};
use crate::runtime;
use crate::settings::Settings;

/// A track with when it was fetched and what it is called.
pub(super) struct Got {
    pub(super) track: Arc<Track>,
    pub(super) fetched_at: f64,
    pub(super) label: Option<String>,
}

/// Which part of which track is wanted.
pub(super) struct Wanted<'a> {
    pub(super) deployment: &'a str,
    pub(super) platform: Option<Platform>,
    pub(super) since: Option<&'a str>,
    pub(super) until: Option<&'a str>,
    pub(super) offline: bool,
}

pub(super) async fn run(global: &Global, arguments: TrackArguments) -> Result<u8, Failure> {
    let uuid = connect::deployment(&arguments.deployment)?;
    let format = format(&arguments);
    ops::can_write(format)?;
    let wanted = Wanted {
        deployment: &arguments.deployment,
        platform: arguments.platform,
        since: arguments.since.as_deref(),
        until: arguments.until.as_deref(),
        offline: arguments.offline,
    };
    let got = get(global, wanted).await?;
    let mut track = got.track;
    if arguments.exclude_failed {
        track = Arc::new(track.without_failed());
    }
    let written = Written {
        deployment: uuid.to_string(),
        label: got.label,
        fetched_at: got.fetched_at,
        now: runtime::now(),
        format,
        output: arguments.output,
    };
    // A pipe that nobody reads keeps a write waiting: not the thread that
    // listens for Ctrl-C.
    tokio::task::spawn_blocking(move || written.write(&track))
        .await
        .unwrap_or_else(|error| {
            Err(Failure::new(
                FailureKind::Other,
                format!("an internal fault while writing: {error}"),
                "",
            ))
        })
}

/// Gets a track from the service, or from the archive.
pub(super) async fn get(global: &Global, wanted: Wanted<'_>) -> Result<Got, Failure> {
    let uuid = connect::deployment(wanted.deployment)?;
    let now = runtime::now();
    let instant = |name: &str, value: Option<&str>| {
        value
            .map(|value| {
                time::parse(value, now).map_err(|error| Failure::usage(format!("{name}: {error}")))
            })
            .transpose()
    };
    let since = instant("--since", wanted.since)?;
    let until = instant("--until", wanted.until)?;
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let platform = connect::platform(wanted.platform, uuid, &settings, &store).await;
    let (mut track, fetched_at) = if wanted.offline {
        offline(&store, uuid, platform, now).await?
    } else {
        online(global, &settings, &store, uuid, platform).await?
    };
    if since.is_some() || until.is_some() {
        track = Arc::new(track.window(since, until));
    }
    let label = connect::entry(uuid, &settings, &store)
        .await
        .and_then(|one| one.label);
    Ok(Got {
        track,
        fetched_at,
        label,
    })
}

/// What is written, and where.
struct Written {
    deployment: String,
    label: Option<String>,
    fetched_at: f64,
    now: f64,
    format: Format,
    output: Option<PathBuf>,
}

impl Written {
    fn write(&self, track: &Track) -> Result<u8, Failure> {
        let subject = Subject {
            deployment: &self.deployment,
            label: self.label.as_deref(),
            fetched_at: self.fetched_at,
            now: self.now,
        };
        match &self.output {
            Some(path) if path.as_os_str() != "-" => {
                // A file that is named is meant: it is replaced whole.
                let bytes = ops::export_file(path, true, self.format, &subject, track)?;
                if is_watched() {
                    note(&format!(
                        "{} fixes, {bytes} bytes in {}",
                        track.len(),
                        path.display()
                    ));
                }
                Ok(0)
            }
            _ => Out::new().with(|out| ops::write_track(self.format, &subject, track, out)),
        }
    }
}

/// The format asked for, else the one of the file's extension, else the table
/// for a person and CSV for a pipe.
fn format(arguments: &TrackArguments) -> Format {
    if let Some(format) = arguments.format {
        return format;
    }
    let extension = |path: &Path| Format::from_extension(&path.extension()?.to_string_lossy());
    if let Some(path) = &arguments.output {
        return extension(path).unwrap_or(Format::Csv);
    }
    if std::io::stdout().is_terminal() {
        Format::Table
    } else {
        Format::Csv
    }
}

async fn offline(
    store: &Store,
    uuid: Uuid,
    platform: Platform,
    now: f64,
) -> Result<(Arc<Track>, f64), Failure> {
    let Some(kept) = store.kept(uuid).await? else {
        return Err(Failure::new(
            FailureKind::Other,
            format!("the archive holds no copy of {uuid}"),
            "Put it on the watch list and fetch it once: `driftline deployments add`, then `driftline track` without --offline.",
        ));
    };
    let assembly = assembly(store, uuid, platform).await;
    let track = ops::assemble(kept.records, assembly(now)).await?;
    Ok((track, kept.fetched_at))
}

async fn online(
    global: &Global,
    settings: &Settings,
    store: &Store,
    uuid: Uuid,
    platform: Platform,
) -> Result<(Arc<Track>, f64), Failure> {
    let session: Session = connect::session(global, settings)?;
    let progress = progress();
    let assembly = assembly(store, uuid, platform).await;
    // What is not watched leaves no trace.
    let watched = store.is_watched(uuid).await.unwrap_or(false)
        || settings.deployments.iter().any(|one| one.uuid == uuid);
    let answer = if watched {
        ops::fetch_and_keep(&session, store, uuid, assembly, progress.clone())
            .await
            .map(|kept| kept.answer)
    } else {
        ops::fetch_track(&session, uuid, assembly, progress.clone()).await
    };
    if progress.is_some() {
        connect::progress_line("");
    }
    let answer = answer?;
    for words in &answer.notes {
        note(&format!("driftline: {words}"));
    }
    Ok((answer.track, answer.fetched_at))
}

/// How this deployment's records are assembled: with the flags a person set.
async fn assembly(
    store: &Store,
    uuid: Uuid,
    platform: Platform,
) -> impl FnOnce(f64) -> TrackOptions + Send + use<> {
    let overrules = store.overrules(uuid).await.unwrap_or_default();
    move |now| TrackOptions {
        overrules,
        ..TrackOptions::new(platform, now)
    }
}

/// A line that tells how far a fetch has come, where a person is there to read
/// it.
fn progress() -> Option<ProgressSink> {
    if !is_watched() {
        return None;
    }
    let began = Instant::now();
    Some(Arc::new(move |progress: Progress| {
        let seconds = began.elapsed().as_secs_f64().max(1e-3);
        #[allow(clippy::cast_precision_loss)] // two digits are shown
        let (megabytes, rate) = (
            progress.bytes as f64 / 1e6,
            progress.bytes as f64 / 1e3 / seconds,
        );
        connect::progress_line(&format!(
            "{megabytes:.2} MB, {} fixes, {rate:.0} kB/s",
            progress.records
        ));
    }))
}
