//! Creates the plants of a file one after the other. A plant that the log has as existing is
//! left out, so that an interrupted import can be repeated.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;

use super::create_if;
use super::table::{self, ImportRow};
use crate::app::session::Session;
use crate::app::store::Store;
use crate::archive::BeginIf;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::os::reading::read_named;
use crate::plant::Draft;
use crate::plant::log::{PlantService, Reply};
use crate::plant::state::{self, Named, Plant, State};
use crate::text;

/// How often a plant is sent again that the service asked to wait with.
const MOST_AGAIN: u32 = 3;

/// The longest wait that a service is granted before a plant is sent again, as for a read.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The outcome of a plant of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Imported {
    /// It was created.
    Created(Reply),
    /// The log has it as existing, with this name and tag; nothing was sent.
    Exists,
    /// It would be created (dry run, without requests).
    WouldBeCreated,
}

/// The plants of a file, in its order.
///
/// # Errors
/// [`FailureKind::Usage`] names the invalid lines, and the whole file is rejected;
/// [`FailureKind::Other`] if two plants have one identifier, or if it cannot be read.
pub(crate) async fn read_file(file: &Path) -> Result<Vec<ImportRow>, Failure> {
    let rows = read_named(file, |opened| {
        table::drafts(std::io::BufReader::new(opened))
    })
    .await?;
    let mut first: HashMap<i64, &Draft> = HashMap::new();
    for row in &rows {
        let known = *first.entry(row.draft.id).or_insert(&row.draft);
        if *known != row.draft {
            return Err(conflict_failure(known, &row.draft));
        }
    }
    Ok(rows)
}

/// The plants of a file whose path the user typed in the dashboard.
///
/// # Errors
/// As [`read_file`].
pub(crate) async fn read_typed(typed: &str) -> Result<Vec<ImportRow>, Failure> {
    let path: PathBuf = match typed.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None => typed.into(),
    };
    read_file(&path).await
}

/// Creates plants until one is refused, its outcome is unknown, or `running` ends; returns what
/// was done.
///
/// # Errors
/// Why the import has ended before the last plant, with what was done.
pub(crate) async fn import_rows(
    session: &Session,
    store: &Store,
    rows: &[ImportRow],
    running: Running,
) -> Result<String, Failure> {
    let (mut created, mut known, mut ended) = (0, 0, None);
    let to = ImportTo::Service(session);
    let course = Course {
        after_failure: AfterFailure::End,
        running,
    };
    import(to, store, rows, course, |_, done| match done {
        Ok(Imported::Created(_)) => created += 1,
        Ok(_) => known += 1,
        Err(failure) => ended = Some(failure),
    })
    .await;
    let mut said = format!("{created} created");
    if known > 0 {
        said.push_str(&format!(", {known} exist by the plant log"));
    }
    let Some(failure) = ended else {
        return Ok(match rows.len() - created - known {
            0 => said,
            left => format!("import stopped: {said}, {left} not sent"),
        });
    };
    let end = match failure.kind {
        FailureKind::OutcomeUnknown => "unknown",
        // By the log, and not by the service.
        FailureKind::Service if failure.service.is_none() => "left out",
        FailureKind::Service | FailureKind::Forbidden => "refused",
        _ => "failed",
    };
    let left = rows.len() - created - known - 1;
    said.push_str(&format!(", 1 {end}, {left} not sent"));
    Err(failure.context(&said))
}

/// The destination of the plants of a file.
#[derive(Debug)]
pub(crate) enum ImportTo<'a> {
    /// They are created at the service of a session.
    Service(&'a Session),
    /// No request is sent: the log is asked what would be created at this service.
    DryRun(PlantService),
}

/// The course of an import after a plant was refused or its outcome is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterFailure {
    End,
    /// It goes on with the next plant.
    GoOn,
}

/// An import runs until the sender of this is dropped: it then ends before the next plant.
/// The outcome of a request that was sent is waited for.
pub(crate) type Running = watch::Receiver<()>;

/// The course of an import.
#[derive(Debug)]
pub(crate) struct Course {
    /// The reaction to a plant that was refused or whose outcome is unknown.
    pub after_failure: AfterFailure,
    /// For how long.
    pub running: Running,
}

impl Course {
    /// Waits; `false` if the import is asked to end before the time has passed.
    async fn goes_on_after(&mut self, wait: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            _ = self.running.changed() => false,
        }
    }
}

/// Creates the plants, one after the other; calls `report` with each row and its result,
/// as soon as it is known. Ends at the first failure; at one that is of its plant alone as
/// the course says.
pub(crate) async fn import(
    to: ImportTo<'_>,
    store: &Store,
    rows: &[ImportRow],
    mut course: Course,
    mut report: impl FnMut(&ImportRow, Result<Imported, Failure>),
) {
    for row in rows {
        if course.running.has_changed().is_err() {
            return;
        }
        let done = import_row(&to, store, &row.draft, &mut course).await;
        let goes_on = match &done {
            Ok(_) => true,
            Err(failure) => {
                let is_of_plant = matches!(
                    failure.kind,
                    FailureKind::Service | FailureKind::OutcomeUnknown
                );
                is_of_plant && course.after_failure == AfterFailure::GoOn
            }
        };
        report(row, done);
        if !goes_on {
            return;
        }
    }
}

/// Creates a plant unless the log has it. Where the service asks to wait, it is sent again
/// after that, each time as a line of the log.
async fn import_row(
    to: &ImportTo<'_>,
    store: &Store,
    draft: &Draft,
    course: &mut Course,
) -> Result<Imported, Failure> {
    let service = match to {
        ImportTo::Service(session) => session.plant_service(),
        ImportTo::DryRun(service) => service.clone(),
    };
    let mut again = 0;
    loop {
        let id = draft.id.to_string();
        let asked = id.clone();
        let lines = store
            .read(move |archive| archive.plant_lines(&asked, unix_now()))
            .await?;
        if is_in_log(state::plant(&lines, &service, &id).as_ref(), draft)? {
            return Ok(Imported::Exists);
        }
        let ImportTo::Service(session) = to else {
            return Ok(Imported::WouldBeCreated);
        };
        match create_if(session, store, draft, BeginIf::Free).await {
            Ok(Some(line)) => return Ok(Imported::Created(line.reply)),
            // Another program began to create it meanwhile: the log says what it is now.
            Ok(None) => {}
            Err(failure) => {
                let wait = wait_for(&failure, again).filter(|_| again < MOST_AGAIN);
                let Some(wait) = wait else {
                    return Err(failure);
                };
                again += 1;
                if !course.goes_on_after(wait).await {
                    return Err(failure);
                }
            }
        }
    }
}

/// How long to wait before a plant is sent again, if the service asks for a wait that is not
/// too long; `again` is how often it was sent again already.
fn wait_for(failure: &Failure, again: u32) -> Option<Duration> {
    let service = failure.service.as_ref()?;
    let asked = service.retry_after_s.map(Duration::from_secs);
    let wait = match service.status {
        429 => asked.unwrap_or(Duration::from_secs(1 << again)),
        503 => asked?,
        _ => return None,
    };
    (wait <= LONGEST_WAIT).then_some(wait)
}

/// `true` if the log has a plant as existing, with this name and tag; `false` if it may be
/// created.
///
/// # Errors
/// Why it may not: it exists with another name, or the outcome of a request is unknown.
fn is_in_log(plant: Option<&Plant>, draft: &Draft) -> Result<bool, Failure> {
    let Some(plant) = plant.filter(|plant| !plant.state.is_free()) else {
        return Ok(false);
    };
    let id = draft.id;
    if plant.state == State::Sending {
        return Err(Failure::new(
            FailureKind::OutcomeUnknown,
            format!(
                "plant {id} was left out: another program is sending a request for it at this moment"
            ),
            "Import the file again when that has ended.",
        ));
    }
    if plant.state.is_open() {
        return Err(Failure::new(
            FailureKind::OutcomeUnknown,
            format!("plant {id} was left out: the outcome of an earlier request is unknown"),
            "Ask the service's operator whether it is there, then record the answer.",
        ));
    }
    let is_same = |named: &&Named| (&named.name, &named.tag) == (&draft.name, &draft.tag);
    if plant.named().filter(is_same).is_some() {
        return Ok(true);
    }
    let known = match plant.named() {
        Some(named) => format!(
            "it exists as {} ({})",
            text::excerpt(&named.label(), 80),
            text::excerpt(&named.tag, 80)
        ),
        None => "it exists, and not by a create from here".to_owned(),
    };
    Err(Failure::new(
        FailureKind::Service,
        format!("plant {id} was left out: {known}"),
        "Delete it first, or remove it from the file.",
    ))
}

/// The failure for two different rows with one identifier.
fn conflict_failure(draft: &Draft, other: &Draft) -> Failure {
    Failure::other(format!(
        "plant {} is twice in the file, as {} ({}) and as {} ({}): nothing was sent",
        draft.id,
        text::excerpt(&draft.name, 80),
        text::excerpt(&draft.tag, 80),
        text::excerpt(&other.name, 80),
        text::excerpt(&other.tag, 80)
    ))
    .with_hint("Remove the wrong one from the file.")
}
