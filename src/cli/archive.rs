//! Commands on the archive: info, check, vacuum, copy, import, export.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::args::archive::ArchiveCommand;
use super::args::{FileArguments, Global};
use super::file;
use super::output::{Out, is_watched, note, warn};
use super::run::Run;
use super::subject::Unread;
use crate::app::alarms::judge::judge_archived;
use crate::app::export::table_export;
use crate::app::store::Store;
use crate::app::update::prepare::{Fields, archived};
use crate::app::{archive_copy, watch_list};
use crate::failure::Failure;
use crate::formats::Format;
use crate::os::clock::unix_now;
use crate::settings::{Settings, Source};
use crate::text;
use crate::track::Flag;
use crate::watch::Deployment;
use crate::watch::DeploymentId;
use crate::watch::deployment::named;

/// Bytes of the archive on the disk: the file, and SQLite's log of writes that are not in the
/// file yet.
fn size(archive: &Path) -> u64 {
    // If the path is a link, the log is next to the file that it leads to.
    let file = std::fs::canonicalize(archive).unwrap_or_else(|_| archive.to_owned());
    let mut log = file.clone().into_os_string();
    log.push("-wal");
    [file, PathBuf::from(log)]
        .iter()
        .filter_map(|path| std::fs::metadata(path).ok())
        .map(|there| there.len())
        .sum()
}

/// Checks that an export can be written to a folder, even if the archive has nothing to write.
fn can_export_to(folder: &Path) -> Result<(), Failure> {
    let shown = text::excerpt(&folder.display().to_string(), 200);
    let refused = |why: &str| Failure::usage(format!("{shown} {why}")).with_hint("Name a folder.");
    if !folder.exists() && folder.to_string_lossy().contains("://") {
        return Err(refused("is an address, and no folder")
            .with_hint("Export to a folder, and send that with a program such as rclone."));
    }
    if folder.exists() && !folder.is_dir() {
        Err(refused("is not a folder"))
    } else {
        Ok(())
    }
}

/// Says that there is no archive yet. One that was named by a flag, a variable or the settings
/// file is missed: its name is mistyped or its volume is not mounted.
fn missing(settings: &Settings) -> Result<(), Failure> {
    let path = path(settings);
    let path = text::clean(&path);
    if *settings.source("archive") != Source::Default {
        return Err(Failure::other(format!("there is no archive at {path}"))
            .with_hint("Check the path of --archive, DRIFTLINE_ARCHIVE or the settings file, and whether its disk is mounted."));
    }
    note(&format!("There is no archive at {path} yet."));
    Ok(())
}

pub(super) async fn run(global: &Global, command: ArchiveCommand) -> Result<u8, Failure> {
    if let ArchiveCommand::Copy { from, to, printed } = &command {
        let counts = archive_copy::copy(from, to).await?;
        return print(counts, Vec::new(), printed.form());
    }
    let run = Run::new(global)?;
    let settings = &run.settings;
    let store = &run.store;
    if settings.archive.is_none() {
        return Err(
            Failure::other("there is no archive: HOME is unset, empty or relative")
                .with_hint("Set HOME to an absolute path, or name an archive with --archive."),
        );
    }
    match command {
        // Done above: it names its archives itself.
        ArchiveCommand::Copy { .. } => Ok(0),
        ArchiveCommand::Info { printed } => info(settings, store, printed.form()).await,
        ArchiveCommand::Check => check(settings, store).await,
        ArchiveCommand::Export { folder } => {
            let counts = store.read(|archive| archive.counts().map(Some)).await?;
            if counts.is_none() {
                missing(settings)?;
            }
            export(settings, store, &folder).await
        }
        ArchiveCommand::Import {
            files,
            deployment,
            file,
        } => import(&run, &deployment, &files, &file).await,
        ArchiveCommand::Vacuum => vacuum(settings, store).await,
    }
}

/// The archive as text: a path, or a URL.
fn path(settings: &Settings) -> String {
    let archive = settings.archive.as_ref();
    archive.map_or_else(String::new, ToString::to_string)
}

/// Prints other rows, then counts by their names.
fn print(
    counts: impl IntoIterator<Item = (&'static str, u64)>,
    before: Vec<(&'static str, Value)>,
    form: Format,
) -> Result<u8, Failure> {
    let counts = counts.into_iter().map(|(name, count)| (name, count.into()));
    let rows: Vec<(&str, Value)> = before.into_iter().chain(counts).collect();
    if form == Format::Json {
        let members = rows.into_iter();
        let object: Map<String, Value> = members
            .map(|(name, value)| (name.replace(' ', "_"), value))
            .collect();
        return Out::new().json(&object);
    }
    let lines = rows.into_iter().map(|(name, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        vec![name.to_owned(), text::clean(&value).into_owned()]
    });
    Out::new().text(&text::table(&[], lines, &[]))
}

async fn info(settings: &Settings, store: &Store, form: Format) -> Result<u8, Failure> {
    let mut before: Vec<(&str, Value)> = vec![("archive", path(settings).into())];
    let Some(counts) = store.read(|archive| archive.counts().map(Some)).await? else {
        before.push(("state", "not created yet".into()));
        return print([], before, form);
    };
    if let Some(file) = settings.archive.as_ref().and_then(|archive| archive.file()) {
        before.push(("size in bytes", size(file).into()));
    }
    print(counts, before, form)
}

async fn check(settings: &Settings, store: &Store) -> Result<u8, Failure> {
    let path = path(settings);
    let damage = match store.read(|archive| archive.check().map(Some)).await {
        Ok(None) => {
            missing(settings)?;
            return Out::new().text("ok\n");
        }
        Ok(Some(found)) if found.is_empty() => return Out::new().text("ok\n"),
        Ok(Some(found)) => text::excerpt(&found.join("; "), 200),
        Err(failure) => text::excerpt(&failure.message(), 200),
    };
    let recovered = store.recover().await;
    let warnings = store.loss().unwrap_or_default();
    let is_watching = store.watched().await.is_ok_and(|list| !list.is_empty());
    Err(match recovered {
        Ok(true) => Failure::other(format!("{damage}: {warnings}")).with_hint(match is_watching {
            true => "driftline now uses the new archive; the next fetch refills it.",
            false => "driftline now uses the new archive. Nothing is on its watch list, so nothing is fetched: add the deployments, or put a copy of the archive back.",
        }),
        Ok(false) => Failure::other(format!("the archive {}: {damage}", text::clean(&path)))
            .with_hint("Nothing was changed. Use `--archive OTHER` until it is repaired."),
        Err(failure) => failure,
    })
}

/// Exports the tracks as a table, each by its entry of the watch list, which includes the
/// settings.
async fn export(settings: &Settings, store: &Store, folder: &Path) -> Result<u8, Failure> {
    can_export_to(folder)?;
    let watched = is_watched();
    let list = watch_list::watched(settings, store).await?;
    let now = unix_now();
    let options = |deployment: &Deployment| {
        let entry = list
            .iter()
            .find(|entry| entry.id.uuid == deployment.id.uuid);
        entry.unwrap_or(deployment).options(now)
    };
    let progress = |message: &str| {
        if watched {
            note(message);
        }
    };
    let report = table_export::export_table(store, folder, now, options, progress).await?;
    if report.files == 0 {
        note("The archive contains no fetched deployment: nothing was written.");
        return Ok(0);
    }
    let removed = match report.removed {
        0 => String::new(),
        count => format!(
            "; {} removed, because the archive has no fix for them any more",
            text::counted(count, "file", "files")
        ),
    };
    note(&format!(
        "{} of {} in {}: {}, {} of them written ({}){removed}",
        text::counted(report.rows, "fix", "fixes"),
        text::counted(report.deployments, "deployment", "deployments"),
        text::excerpt(&folder.display().to_string(), 200),
        text::counted(report.files, "file", "files"),
        text::count(report.written),
        text::bytes(report.bytes as u64)
    ));
    Ok(0)
}

/// Checks the id of the rows of a file that is imported for a deployment. An id that names no
/// deployment of the watch list is noted on standard error.
///
/// # Errors
/// [`crate::failure::FailureKind::Usage`] for an id that names another deployment.
async fn check_id(
    run: &Run,
    deployment: &DeploymentId,
    file: &str,
    id: &str,
) -> Result<(), Failure> {
    let list = watch_list::watched(&run.settings, &run.store).await?;
    let found = named(&list, id);
    if found.iter().any(|entry| entry.id == *deployment) {
        return Ok(());
    }
    let [file, id] = [file, id].map(|words| text::excerpt(words, 200));
    match found.first() {
        Some(other) => Err(Failure::usage(format!(
            "{file} is of '{id}', and that is another deployment: {}",
            text::excerpt(&other.name(), 100)
        ))
        .with_hint("Import it into that one, or say that its ids are none: --id-column none.")),
        None => {
            warn(format_args!(
                "{file} is of '{id}', which no deployment of the watch list is called: taken as {deployment}"
            ));
            Ok(())
        }
    }
}

/// Adds the records of files to those of a deployment, and judges it by them.
async fn import(
    run: &Run,
    deployment: &str,
    files: &[String],
    columns: &FileArguments,
) -> Result<u8, Failure> {
    let deployment = run.deployment(deployment).await?;
    let uuid = deployment.uuid;
    let mut read = Vec::new();
    for name in files {
        // All are read before any is stored.
        let track = file::only_track(name, columns).await?;
        if let Some(id) = &track.id {
            check_id(run, &deployment, name, id).await?;
        }
        read.push((name, track.records));
    }
    let before = failed(run, &deployment).await;
    for (name, records) in read {
        let count = text::counted(records.transmissions.len(), "fix", "fixes");
        if let Some(first) = records.unusable.first() {
            let unusable = records.unusable.len() + records.unkept;
            warn(format_args!(
                "{} left out: {}",
                text::counted(unusable, "invalid record", "invalid records"),
                text::excerpt(&first.fault.to_string(), 200)
            ));
        }
        let id = deployment.clone();
        let imported = run
            .store
            .write(move |archive| archive.import(id.clone(), &records, unix_now()))
            .await?;
        note(&format!(
            "{}: {count} read, {} new for {deployment}{}{}",
            text::excerpt(name, 200),
            text::count(imported.new),
            corrected(imported.corrected),
            left_out(imported.elsewhere)
        ));
    }
    if run.store.entry(uuid).await?.is_none() && !watch_list::is_configured(uuid, &run.settings) {
        warn(format_args!("{deployment} is not on the watch list"));
    }
    let both = failed(run, &deployment).await.zip(before);
    let more = both.map_or(0, |(after, before)| after.saturating_sub(before));
    if more > 0 {
        warn(format_args!(
            "{} by the quality tests that did not fail before: is this file of another instrument?",
            text::counted(more, "fix fails", "fixes fail")
        ));
    }
    judge_archived(&run.store, uuid).await?;
    run.notify().await;
    Ok(0)
}

/// How many archived fixes of a deployment fail the quality tests; `None` if there are none, or
/// they cannot be read.
async fn failed(run: &Run, id: &DeploymentId) -> Option<usize> {
    let options = run.entry(id.clone(), Unread::IsNoted).await.ok()?.options;
    let found = archived(&run.store, id.uuid, options, Fields::Without).await;
    let track = found.ok()?.track?.track;
    Some(track.fixes().filter(|fix| fix.flag == Flag::Fail).count())
}

/// The part of a sentence about stored fixes whose fields changed.
fn corrected(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(
            "; new fields of {} that the archive had",
            text::counted(count, "fix", "fixes")
        ),
    }
}

/// The end of a sentence about fixes that were left out.
fn left_out(elsewhere: usize) -> String {
    match elsewhere {
        0 => String::new(),
        count => format!(
            "; {} left out: the archive has another position at that time",
            text::count(count)
        ),
    }
}

async fn vacuum(settings: &Settings, store: &Store) -> Result<u8, Failure> {
    let path = path(settings);
    let counts = store.read(|archive| archive.counts().map(Some)).await?;
    if counts.is_none() {
        missing(settings)?;
        return Ok(0);
    }
    store.write(|archive| archive.vacuum()).await?;
    note(&format!("the archive {} is vacuumed", text::clean(&path)));
    Ok(0)
}
