//! The tasks in progress, and the functions that send their events to the loop.

use std::collections::HashMap;
use std::pin::Pin;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::input::LoopEvent;
use crate::app::plants::Running;
use crate::app::store::Store;
use crate::dashboard::event::{Event, RequestId};
use crate::failure::{Failure, FailureKind};

/// How long the end of the program waits for a server to take back the leases of
/// fetches in progress.
const LEAVE: Duration = Duration::from_secs(1);

/// A task, whatever its type: the runtime is compiled for each type of task that it
/// is given.
type Task<T> = Pin<Box<dyn Future<Output = T> + Send>>;

type Edit = Task<()>;

/// The tasks in progress.
pub(super) struct Tasks {
    events: UnboundedSender<LoopEvent>,
    /// Its warnings are reported after each task.
    store: Store,
    /// Requests and jobs that can be cancelled.
    cancellable: HashMap<RequestId, AbortHandle>,
    /// Imports in progress: each ends early when its sender is dropped.
    imports: HashMap<RequestId, watch::Sender<()>>,
    /// Tasks that the program waits for at its end: creates, deletes, edits.
    waited_for: JoinSet<()>,
    /// Edits of the user, stored one after the other.
    edits: Option<UnboundedSender<Edit>>,
}

impl Tasks {
    pub(super) fn new(events: UnboundedSender<LoopEvent>, store: Store) -> Self {
        let (edits, mut queue) = unbounded_channel::<Edit>();
        let mut waited_for = JoinSet::new();
        waited_for.spawn(async move {
            while let Some(edit) = queue.recv().await {
                edit.await;
            }
        });
        Self {
            events,
            store,
            cancellable: HashMap::new(),
            imports: HashMap::new(),
            waited_for,
            edits: Some(edits),
        }
    }

    /// A function that sends an event to the loop. With the loop gone the event
    /// is dropped.
    pub(super) fn sender(&self) -> impl Fn(Event) + Clone + Send + Sync + use<> {
        let events = self.events.clone();
        move |event| {
            let _ = events.send(LoopEvent::Event(event));
        }
    }

    /// A function that sends the warnings of the archive.
    fn warner(&self) -> impl Fn() + Clone + Send + Sync + use<> {
        let send = self.sender();
        let store = self.store.clone();
        move || {
            if let Some(words) = store.loss() {
                send(Event::ArchiveLost(words));
            }
            for warning in store.warnings() {
                send(Event::Warning(Failure::other(warning)));
            }
        }
    }

    /// Runs a task. Its outcome may make an event; the warnings of the archive follow. A
    /// task that panics ends with a failure, a cancelled one without an event.
    fn run<T: Send + 'static>(
        &self,
        task: Task<Result<T, Failure>>,
        event: impl FnOnce(Result<T, Failure>) -> Option<Event> + Send + 'static,
    ) -> AbortHandle {
        let send = self.sender();
        let warn = self.warner();
        let running = tokio::spawn(task);
        let handle = running.abort_handle();
        let reported: Task<()> = Box::pin(async move {
            let outcome = match running.await {
                Ok(outcome) => outcome,
                Err(error) if error.is_panic() => Err(fault()),
                Err(_) => return,
            };
            event(outcome).into_iter().for_each(send);
            warn();
        });
        tokio::spawn(reported);
        handle
    }

    /// Runs a task to its end; a failure is shown as a warning.
    pub(super) fn spawn(
        &self,
        task: impl Future<Output = Result<Event, Failure>> + Send + 'static,
    ) {
        self.run(Box::pin(task), |outcome| {
            Some(outcome.unwrap_or_else(Event::Warning))
        });
    }

    /// Runs a task that sends its own events to its end; a failure is shown as a
    /// warning.
    pub(super) fn report(&self, task: impl Future<Output = Result<(), Failure>> + Send + 'static) {
        let warning = |outcome: Result<(), Failure>| outcome.err().map(Event::Warning);
        self.run(Box::pin(task), warning);
    }

    /// Runs a task that can be cancelled; `ended` makes an event of its result.
    pub(super) fn cancellable<T: Send + 'static>(
        &mut self,
        request: RequestId,
        ended: impl FnOnce(Result<T, Failure>) -> Event + Send + 'static,
        task: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) {
        self.cancellable.retain(|_, task| !task.is_finished());
        let running = self.run(Box::pin(task), |outcome| Some(ended(outcome)));
        self.cancellable.insert(request, running);
    }

    /// The sign to an import that it goes on; it ends with [`Tasks::cancel`] and with the
    /// program.
    pub(super) fn running(&mut self, request: RequestId) -> Running {
        self.imports.retain(|_, import| !import.is_closed());
        let (import, running) = watch::channel(());
        self.imports.insert(request, import);
        running
    }

    pub(super) fn cancel(&mut self, request: RequestId) {
        self.imports.remove(&request);
        if let Some(task) = self.cancellable.remove(&request) {
            task.abort();
        }
    }

    /// Stores an edit of the user after all earlier ones: edits of the same entry must
    /// stay in order.
    pub(super) fn edit(&self, task: impl Future<Output = Result<(), Failure>> + Send + 'static) {
        let send = self.sender();
        let warn = self.warner();
        let edit = async move {
            if let Err(failure) = task.await {
                send(Event::Warning(failure));
            }
            warn();
        };
        if let Some(edits) = &self.edits {
            // The task that reads the queue ends when this sender is dropped.
            let _ = edits.send(Box::pin(edit));
        }
    }

    /// Runs a create or a delete, which is never cancelled. The plant log is read and shown
    /// before the outcome.
    pub(super) fn change(
        &mut self,
        request: RequestId,
        task: impl Future<Output = Result<Option<String>, Failure>> + Send + 'static,
    ) {
        let send = self.sender();
        let store = self.store.clone();
        let warn = self.warner();
        let task: Task<()> = Box::pin(async move {
            let outcome = task.await;
            let log = store.plant_log().await;
            send(log.map_or_else(Event::Warning, Event::PlantLog));
            send(Event::Plant { request, outcome });
            warn();
        });
        self.waited_for.spawn(task);
    }

    /// Waits for creates, deletes and edits in progress, at most `patience`; returns
    /// `true` if all of them ended. Fetches in progress are left to the other programs
    /// on the archive.
    pub(super) async fn finish(&mut self, patience: Duration) -> bool {
        self.edits = None;
        self.imports.clear();
        let is_fetching = self.cancellable.values().any(|task| !task.is_finished());
        let leave = async {
            if is_fetching {
                let _ = tokio::time::timeout(LEAVE, self.store.end_leases()).await;
            }
        };
        let all = async { while self.waited_for.join_next().await.is_some() {} };
        let (all, ()) = tokio::join!(tokio::time::timeout(patience, all), leave);
        all.is_ok()
    }
}

/// The failure of a task that panicked.
fn fault() -> Failure {
    Failure::new(
        FailureKind::Other,
        "an internal fault in a background task",
        "Refresh to try again, and please report it.",
    )
}
