//! Effects to tasks to events: each effect is one call of a use case, never on
//! the thread that draws.

mod archived;
mod edits;
mod fetching;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

use super::input::LoopEvent;
use super::startup::Origin;
use super::tasks::Tasks;
use super::{alarms, gpsd, overlays};
use crate::app::alarms::notify::Notifier;
use crate::app::export::own_files::OwnFiles;
use crate::app::session::{Session, Setup};
use crate::app::settings_file::SettingsFile;
use crate::app::source::Source;
use crate::app::store::Store;
use crate::app::update::prepare;
use crate::app::{export, plants};
use crate::dashboard::compute::{Computed, Job};
use crate::dashboard::effect::Effect;
use crate::dashboard::event::{Event, RequestId};
use crate::exchange::Exchange;
use crate::failure::{Failure, FailureKind};
use crate::formats::ExportJob;
use crate::map::{DistanceTo, PreparedTrack};
use crate::os::blocking::blocking;
use crate::plant::log::Entry;
use crate::plant::{Draft, PlantId};
use crate::settings::Settings;

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

    /// The session with the service.
    ///
    /// # Errors
    /// As [`Source::session`].
    fn session(&self) -> Result<Session, Failure> {
        self.source.session().cloned()
    }

    /// Starts the task of an effect.
    pub(super) fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Update(fetch) => self.update(fetch),
            Effect::TryToken {
                request,
                token,
                deployments,
            } => self.try_token(request, token, deployments),
            Effect::Cancel(request) => self.tasks.cancel(request),
            Effect::LoadOverviews(wanted) => self.load_overviews(wanted),
            Effect::LoadStored {
                deployment,
                options,
            } => self.load_stored(deployment, options),
            Effect::LoadPast { at, wanted } => self.load_past(at, wanted),
            Effect::LookFor(search) => self.look_for(*search),
            Effect::LoadPlantLog => self.load_plant_log(),
            Effect::LookForChanges { edits, again } => self.look_for_changes(edits, again),
            Effect::LoadAlarms => self.load_alarms(),
            Effect::JudgeByClock { list, refresh_s } => self.judge_by_clock(list, refresh_s),
            Effect::ReplyToAlarm { id, reply } => self.reply_to_alarm(id, reply),
            Effect::Compute(job) => self.compute(job),
            Effect::ReadFields {
                deployment,
                track,
                others,
            } => self.read_fields(deployment, track, others),
            Effect::ReadLastValues(list) => self.read_last_values(list),
            Effect::StoreOverride {
                deployment,
                fix,
                flag,
            } => self.store_flag(deployment, fix, flag),
            Effect::Watch {
                before,
                after,
                listed,
            } => self.watch(before, after, listed),
            Effect::Unwatch(uuid) => self.unwatch(uuid),
            Effect::Undo(change) => self.undo(change),
            Effect::WriteSetting(new) => self.write_setting(new),
            Effect::ReadList(request) => self.read_list(request),
            Effect::CreatePlant {
                request,
                draft,
                again,
            } => self.create_plant(request, draft, again),
            Effect::DeletePlant { request, id } => self.delete_plant(request, id),
            Effect::ResolvePlant {
                request,
                finding,
                last_line,
            } => self.resolve_plant(request, *finding, last_line),
            Effect::ExportPlants {
                request,
                path,
                table,
                said,
            } => self.export_plants(request, path, table, said),
            Effect::ImportPlants { request, path } => self.import_plants(request, path),
            Effect::Export { request, job } => self.export(request, job),
            // The loop performs these itself.
            Effect::ApplySettings
            | Effect::Copy(_)
            | Effect::Announce(_)
            | Effect::Redraw
            | Effect::Suspend
            | Effect::Quit => {}
        }
    }

    /// Reads the deployments that the service lists.
    fn read_list(&mut self, request: RequestId) {
        let session = self.session();
        let ended = move |outcome| Event::Listed { request, outcome };
        let read = async move { session?.listed().await };
        self.tasks.cancellable(request, ended, read);
    }

    /// Creates a plant; `again` is the last line of a plant that is created again.
    fn create_plant(&mut self, request: RequestId, draft: Draft, again: Option<i64>) {
        let session = self.session();
        let store = self.store.clone();
        self.tasks.change(request, async move {
            let created = plants::create(&session?, &store, &draft, again).await?;
            Ok(created.reply.note)
        });
    }

    fn delete_plant(&mut self, request: RequestId, id: PlantId) {
        let session = self.session();
        let store = self.store.clone();
        self.tasks.change(request, async move {
            let deleted = plants::delete(&session?, &store, &id).await?;
            Ok(deleted.reply.note)
        });
    }

    /// Records what a person found out about a plant.
    fn resolve_plant(&mut self, request: RequestId, finding: Entry, last_line: i64) {
        let store = self.store.clone();
        self.tasks.change(request, async move {
            plants::resolve(&store, finding, last_line).await?;
            Ok(None)
        });
    }

    /// Writes plants to a file.
    fn export_plants(&mut self, request: RequestId, path: String, table: Vec<u8>, said: String) {
        let own = self.own_files.clone();
        self.tasks.change(request, async move {
            let file = export::typed_table(&own, path, table).await?;
            Ok(Some(format!("{said} to {file}")))
        });
    }

    /// Creates the plants of a file. The log is shown as it grows.
    fn import_plants(&mut self, request: RequestId, path: String) {
        let session = self.session();
        let store = self.store.clone();
        let send = self.tasks.sender();
        let running = self.tasks.running(request);
        self.tasks.change(request, async move {
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
        });
    }

    /// Writes a track, or its map, to a file.
    fn export(&self, request: RequestId, job: ExportJob) {
        let store = self.store.clone();
        let own = self.own_files.clone();
        self.tasks.spawn(async move {
            let outcome = export::typed_path(&store, &own, job).await;
            Ok(Event::Exported { request, outcome })
        });
    }

    /// Does a job of the dashboard.
    fn compute(&mut self, job: Job) {
        let request = job.request;
        let ended = move |computed: Result<Computed, Failure>| match computed {
            Ok(computed) => Event::Computed(request, computed),
            Err(failure) => Event::Warning(failure),
        };
        self.tasks.cancellable(request, ended, async move {
            if job.waits {
                prepare::in_turn(|| job.run()).await
            } else {
                blocking(|| job.run()).await
            }
        });
    }

    /// Reads the fields of a track, and prepares them for drawing.
    fn read_fields(&self, deployment: Uuid, track: Arc<PreparedTrack>, others: Vec<DistanceTo>) {
        let store = self.store.clone();
        self.tasks.spawn(async move {
            let whole = Arc::clone(track.track());
            let outcome = prepare::fields(&store, deployment, whole, others).await;
            Ok(Event::FieldsRead { track, outcome })
        });
    }
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
        report(Event::Warning(Failure::new(FailureKind::Other, reason, "")));
    }));
    setup
}
