//! Effects to tasks to events: each effect is one call of a use case, never on
//! the thread that draws.

mod archived;
mod edits;
mod fetching;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::input::LoopEvent;
use super::startup::Origin;
use super::tasks::Tasks;
use super::{alarms, gpsd, overlays};
use crate::app::alarms::judge;
use crate::app::alarms::notify::Notifier;
use crate::app::export::own_files::OwnFiles;
use crate::app::plants::Running;
use crate::app::session::{Session, Setup};
use crate::app::settings_file::SettingsFile;
use crate::app::source::Source;
use crate::app::store::Store;
use crate::app::update::prepare;
use crate::app::{export, overviews, plants};
use crate::dashboard::compute::{Computed, Job};
use crate::dashboard::effect::Effect;
use crate::dashboard::event::{Event, RequestId};
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::os::blocking::blocking;
use crate::settings::Settings;
use crate::watch::Deployment;

/// How often the plant log is read while plants are imported.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The services that perform the effects.
pub(super) struct Services {
    source: Source,
    store: Store,
    notifier: Notifier,
    own_files: OwnFiles,
    settings_file: Option<SettingsFile>,
    pub(super) tasks: Tasks,
}

impl Services {
    /// Services over a source whose exchanges are reported to the dashboard.
    ///
    /// # Errors
    /// As [`Source::new`], and where the system gives no thread.
    pub(super) fn new(
        origin: Origin,
        store: Store,
        settings: &Settings,
        settings_file: Option<SettingsFile>,
        events: &UnboundedSender<LoopEvent>,
    ) -> Result<Self, Failure> {
        let tasks = Tasks::new(events.clone(), store.clone());
        let send = tasks.sender();
        store.remember();
        store.watch(move || send(Event::ArchiveWritten))?;
        let notifier = Notifier::new(store.clone(), settings.on_alarm.clone());
        tokio::spawn(alarms::follow(store.clone(), tasks.sender()));
        if let Some(address) = settings.gpsd.clone() {
            let send = tasks.sender();
            tokio::spawn(async move { gpsd::follow(address, send).await });
        }
        if !settings.overlays.is_empty() {
            let files = settings.overlays.clone();
            let send = tasks.sender();
            tokio::spawn(async move { overlays::follow(files, send).await });
        }
        let mut own_files = OwnFiles::new(settings);
        let source = match origin {
            Origin::Service(setup) => Source::new(reporting(*setup, &tasks))?,
            Origin::Files(files) => {
                let report = tasks.sender();
                let observed = files.observed(Arc::new(move |read| report(Event::Exchange(read))));
                own_files.add_read(observed.paths.clone());
                let files = Arc::new(observed);
                let followed =
                    overlays::follow_tracks(Arc::clone(&files), store.clone(), tasks.sender());
                tokio::spawn(followed);
                Source::Files(files)
            }
        };
        if !settings.on_alarm.is_empty() {
            tokio::spawn(alarms::notify(
                notifier.clone(),
                store.clone(),
                tasks.sender(),
            ));
        }
        Ok(Self {
            source,
            notifier,
            own_files,
            settings_file,
            store,
            tasks,
        })
    }

    /// Waits for changes in progress and for the program of `on_alarm`, at most
    /// `patience`; returns `true` if all changes ended.
    pub(super) async fn finish(&mut self, patience: Duration) -> bool {
        let (finished, ()) = tokio::join!(self.tasks.finish(patience), self.notifier.end(patience));
        finished
    }

    /// The permanent warning about the connection, if there is one.
    pub(super) fn warning(&self) -> Option<String> {
        let session = self.source.session().ok()?;
        (session.is_insecure()).then(|| "token sent unencrypted".to_owned())
    }

    /// Judges what a program stored that ended before it judged it.
    pub(super) fn judge_unjudged(&self, list: Vec<Deployment>) {
        let store = self.store.clone();
        self.tasks.report(async move {
            // An archive that cannot be read or written is reported where its data are shown.
            let _ = judge::judge_unjudged(&store, list).await;
            Ok(())
        });
    }

    /// Starts the task of an effect.
    pub(super) fn carry_out(&mut self, effect: Effect) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        let session = || self.source.session().cloned();
        let tasks = &mut self.tasks;
        match effect {
            Effect::Update(fetch) => {
                let request = fetch.request;
                let ended = move |outcome: Result<Event, Failure>| {
                    outcome.unwrap_or_else(|failure| fetching::ended(request, Err(failure), None))
                };
                let source = self.source.clone();
                tasks.cancellable(
                    request,
                    ended,
                    fetching::fetched(source, store, send, fetch),
                );
            }
            Effect::TryToken {
                request,
                token,
                deployments,
            } => {
                let ended = move |outcome: Result<Event, Failure>| {
                    outcome.unwrap_or_else(|failure| Event::Token {
                        request,
                        outcome: Err(failure),
                        answered: None,
                    })
                };
                let tried =
                    fetching::token_tried(session(), store, send, request, token, deployments);
                tasks.cancellable(request, ended, tried);
            }
            Effect::Cancel(request) => tasks.cancel(request),
            Effect::LoadOverviews(wanted) => tasks.report(async move {
                overviews::load(&store, wanted, |read| send(Event::Overviews(read))).await
            }),
            Effect::LoadStored {
                deployment,
                options,
            } => tasks.spawn(archived::stored(store, deployment, options)),
            Effect::LoadPast { at, wanted } => tasks.spawn(archived::past(store, at, wanted)),
            Effect::LookFor(search) => tasks.spawn(archived::looked_for(store, *search)),
            Effect::LoadPlantLog => {
                tasks.spawn(async move { store.plant_log().await.map(Event::PlantLog) });
            }
            Effect::LookForChanges { edits, again } => {
                tasks.edit(archived::changes(store, send, edits, again));
            }
            Effect::LoadAlarms => tasks.edit(async move {
                alarms::read_alarms(&store, &send).await;
                Ok(())
            }),
            Effect::JudgeByClock { list, refresh_s } => tasks.report(async move {
                // If the archive cannot be written, the next write reports the fault.
                let _ = judge::judge_by_clock(&store, list, refresh_s).await;
                Ok(())
            }),
            Effect::ReplyToAlarm { id, reply } => {
                tasks.edit(edits::reply_to_alarm(store, send, id, reply));
            }
            Effect::Compute(job) => compute(tasks, job),
            Effect::ReadFields {
                deployment,
                track,
                others,
            } => tasks.spawn(async move {
                let whole = Arc::clone(track.track());
                let outcome = prepare::fields(&store, deployment, whole, others).await;
                Ok(Event::FieldsRead { track, outcome })
            }),
            Effect::ReadLastValues(list) => tasks.spawn(archived::last_values(store, list)),
            Effect::StoreOverride {
                deployment,
                fix,
                flag,
            } => tasks.edit(async move { edits::set_flag(&store, deployment, fix, flag).await }),
            Effect::Watch {
                before,
                after,
                listed,
            } => tasks.edit(edits::watch(store, send, before, after, listed)),
            Effect::Unwatch(uuid) => tasks.edit(edits::unwatch(store, uuid)),
            Effect::Undo(change) => tasks.edit(edits::undo(store, send, change)),
            Effect::WriteSetting(new) => {
                tasks.edit(edits::write_setting(self.settings_file.clone(), send, new));
            }
            Effect::ReadList(request) => {
                let ended = move |outcome| Event::Listed { request, outcome };
                let session = session();
                tasks.cancellable(request, ended, async move { session?.listed().await });
            }
            Effect::CreatePlant {
                request,
                draft,
                again,
            } => {
                let session = session();
                tasks.change(request, async move {
                    let created = plants::create(&session?, &store, &draft, again).await?;
                    Ok(created.reply.note)
                });
            }
            Effect::DeletePlant { request, id } => {
                let session = session();
                tasks.change(request, async move {
                    let deleted = plants::delete(&session?, &store, &id).await?;
                    Ok(deleted.reply.note)
                });
            }
            Effect::ResolvePlant {
                request,
                finding,
                last_line,
            } => tasks.change(request, async move {
                plants::resolve(&store, *finding, last_line).await?;
                Ok(None)
            }),
            Effect::ExportPlants {
                request,
                path,
                table,
                said,
            } => {
                let own = self.own_files.clone();
                tasks.change(request, async move {
                    let file = export::typed_table(&own, path, table).await?;
                    Ok(Some(format!("{said} to {file}")))
                });
            }
            Effect::ImportPlants { request, path } => {
                let running = tasks.running(request);
                let imported = import_plants(session(), store, send, request, path, running);
                tasks.change(request, imported);
            }
            Effect::Export { request, job } => {
                let own = self.own_files.clone();
                tasks.spawn(async move {
                    let outcome = export::typed_path(&store, &own, job).await;
                    Ok(Event::Exported { request, outcome })
                });
            }
            // The loop performs these itself.
            Effect::ApplySettings
            | Effect::Copy(_)
            | Effect::Announce(_)
            | Effect::Redraw
            | Effect::Suspend
            | Effect::Quit => {}
        }
    }
}

/// Creates the plants of a file. The log is shown as it grows.
async fn import_plants(
    session: Result<Session, Failure>,
    store: Store,
    send: impl Fn(Event),
    request: RequestId,
    path: String,
    running: Running,
) -> Result<Option<String>, Failure> {
    let rows = plants::read_typed(&path).await?;
    let session = session?;
    let ids = rows.iter().map(|row| row.draft.id.to_string());
    send(Event::PlantsRead(request, ids.collect()));
    let mut import = pin!(plants::import_rows(&session, &store, &rows, running));
    loop {
        tokio::select! {
            said = &mut import => return said.map(Some),
            () = tokio::time::sleep(LOOK_EVERY) => {
                if let Ok(log) = store.plant_log().await {
                    send(Event::PlantLog(log));
                }
            }
        }
    }
}

/// Does a job of the dashboard.
fn compute(tasks: &mut Tasks, job: Job) {
    let request = job.request;
    let ended = move |computed: Result<Computed, Failure>| match computed {
        Ok(computed) => Event::Computed(request, computed),
        Err(failure) => Event::Warning(failure),
    };
    tasks.cancellable(request, ended, async move {
        if job.waits {
            prepare::in_turn(|| job.run()).await
        } else {
            blocking(|| job.run()).await
        }
    });
}

/// A setup whose exchanges and waits are reported to the dashboard.
fn reporting(mut setup: Setup, tasks: &Tasks) -> Setup {
    let report = tasks.sender();
    let log = setup.connection.observer.take();
    setup.connection.observer = Some(Arc::new(move |exchange: Exchange| {
        if let Some(log) = &log {
            log(exchange.clone());
        }
        report(Event::Exchange(exchange));
    }));
    let report = tasks.sender();
    setup.waiting = Some(Arc::new(move |reason| {
        report(Event::Warning(Failure::other(reason)));
    }));
    setup
}
