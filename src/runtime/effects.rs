//! Effects to tasks to events: what the Model asks for is done here, never on
//! the thread that draws.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use uuid::Uuid;

use super::LoopEvent;
use super::files;
use super::known::{Known, entry_of, load_kept, plain, shown, tell_ledger};
use crate::app::{Effect, Event, Failure, FailureKind, Model, PlantDone, RequestId};
use crate::ops::{self, Session, Store};

/// What the dashboard works with: the service and what this session knows.
pub struct Services {
    pub(super) session: Session,
    pub(super) store: Store,
    pub(super) known: Arc<Known>,
    /// What the session tells of itself.
    told: Option<UnboundedReceiver<Event>>,
}

/// Tasks that are running, and the way back to the loop.
pub(super) struct Handler {
    events: UnboundedSender<LoopEvent>,
    /// What can be given up.
    pub(super) running: HashMap<RequestId, AbortHandle>,
    /// Creates and deletes, which cannot, and what writes changes down.
    changes: JoinSet<()>,
    /// What a person changed, on its way to the disk one after the other.
    in_turn: Option<UnboundedSender<Pin<Box<dyn Future<Output = ()> + Send>>>>,
}

impl Handler {
    pub(super) fn new(events: UnboundedSender<LoopEvent>) -> Self {
        let (in_turn, mut changed) =
            unbounded_channel::<Pin<Box<dyn Future<Output = ()> + Send>>>();
        let mut changes = JoinSet::new();
        changes.spawn(async move {
            while let Some(change) = changed.recv().await {
                change.await;
            }
        });
        Self {
            events,
            running: HashMap::new(),
            changes,
            in_turn: Some(in_turn),
        }
    }

    /// Writes a change down after those before it: two of one entry must not
    /// overtake each other.
    fn in_turn(&self, change: impl Future<Output = ()> + Send + 'static) {
        if let Some(in_turn) = &self.in_turn {
            // Its reader ends only with this.
            let _ = in_turn.send(Box::pin(change));
        }
    }

    /// Waits for creates and deletes under way and for what a person changed to
    /// be written down, within bounds; whether all of it was.
    pub(super) async fn finish(&mut self, patience: Duration) -> bool {
        self.in_turn = None;
        let all = async { while self.changes.join_next().await.is_some() {} };
        tokio::time::timeout(patience, all).await.is_ok()
    }

    pub(super) fn sender(&self) -> impl Fn(Event) + Clone + Send + Sync + use<> {
        let events = self.events.clone();
        // With the loop gone there is nobody to tell.
        move |event| {
            let _ = events.send(LoopEvent::Event(event));
        }
    }
}

impl Services {
    /// Services over a session made from a setup, whose exchanges are told to
    /// the dashboard.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn new(mut setup: ops::Setup, store: Store) -> Result<Self, ops::Failure> {
        let (tell, told) = unbounded_channel();
        let waits = tell.clone();
        // With the dashboard gone there is nobody to tell.
        let logged = setup.observer.take();
        setup.observer = Some(Arc::new(move |exchange: ops::Exchange| {
            if let Some(logged) = &logged {
                logged(exchange.clone());
            }
            let _ = tell.send(Event::Exchange(shown(exchange)));
        }));
        setup.waiting = Some(Arc::new(move |words| {
            let _ = waits.send(Event::Trouble(Failure {
                kind: FailureKind::Other,
                message: words.to_owned(),
                hint: String::new(),
            }));
        }));
        Ok(Self {
            session: Session::new(setup)?,
            store,
            known: Arc::default(),
            told: Some(told),
        })
    }

    /// What a person should always see about the connection.
    pub(super) fn warning(&self) -> Option<String> {
        self.session
            .is_insecure()
            .then(|| "token sent unencrypted".to_owned())
    }

    /// What is done once the first frame stands: what the session tells is passed
    /// on from now on.
    /// The ledger and what the archive holds of each deployment come in as they
    /// are read.
    pub(super) fn begin(&mut self, model: &Model, handler: &Handler) {
        let (store, tell) = (self.store.clone(), handler.sender());
        tokio::spawn(async move { tell_ledger(&store, tell).await });
        let now = model.now;
        for deployment in &model.deployments.list {
            let uuid = deployment.uuid;
            self.known.choose(uuid, deployment.platform, true);
            self.known.entry(entry_of(deployment.watched()));
            let (store, known, tell) = (
                self.store.clone(),
                Arc::clone(&self.known),
                handler.sender(),
            );
            tokio::spawn(async move { load_kept(&store, &known, uuid, now, tell).await });
        }
        let Some(mut told) = self.told.take() else {
            return;
        };
        let tell = handler.sender();
        tokio::spawn(async move {
            while let Some(event) = told.recv().await {
                tell(event);
            }
        });
    }

    /// Does what is asked for.
    pub(super) fn carry_out(&self, effect: Effect, model: &Model, handler: &mut Handler) {
        handler.running.retain(|_, task| !task.is_finished());
        match effect {
            Effect::FetchTrack {
                request,
                deployment,
                platform,
                exclude_failed,
            } => self.fetch(request, deployment, platform, exclude_failed, handler),
            Effect::Reassemble {
                deployment,
                platform,
                exclude_failed,
            } => self.reassemble(deployment, platform, exclude_failed, model.now, handler),
            Effect::Overrule {
                deployment,
                time_stamp,
                position,
                flag,
            } => {
                let watched = model.deployments.get(deployment);
                if let Ok(mut known) = self.known.overrules.lock() {
                    let overrules = known.entry(deployment).or_default();
                    match flag {
                        Some(flag) => overrules.set(time_stamp, position, flag),
                        None => overrules.clear(time_stamp, position),
                    }
                }
                let (store, tell) = (self.store.clone(), handler.sender());
                handler.in_turn(async move {
                    let kept = store.overrule(deployment, time_stamp, position, flag).await;
                    if let Err(failure) = kept {
                        tell(Event::Trouble(plain(failure)));
                    }
                });
                if let Some(watched) = watched {
                    let exclude = model.track.exclude_failed;
                    self.reassemble(deployment, watched.platform, exclude, model.now, handler);
                }
            }
            Effect::Window {
                deployment,
                track,
                window,
            } => {
                let tell = handler.sender();
                tokio::task::spawn_blocking(move || {
                    let track = ops::make_ready(Arc::new(ops::within(&track.0, window)));
                    tell(Event::Windowed {
                        deployment,
                        window,
                        track,
                    });
                });
            }
            Effect::CreatePlant { request, draft } => {
                let (session, store, tell) =
                    (self.session.clone(), self.store.clone(), handler.sender());
                handler.changes.spawn(async move {
                    let told = tell.clone();
                    let outcome = ops::ledger::create(&session, &store, &draft).await;
                    tell_ledger(&store, told).await;
                    let outcome = outcome
                        .map(|created| PlantDone {
                            words: with_note(format!("plant {} created", draft.id), created.note),
                        })
                        .map_err(plain);
                    tell(Event::Plant { request, outcome });
                });
            }
            Effect::DeletePlant { request, id } => {
                let (session, store, tell) =
                    (self.session.clone(), self.store.clone(), handler.sender());
                handler.changes.spawn(async move {
                    let told = tell.clone();
                    let outcome = ops::ledger::delete(&session, &store, &id).await;
                    tell_ledger(&store, told).await;
                    let outcome = outcome
                        .map(|deleted| PlantDone {
                            words: with_note(
                                format!("plant {} deleted", id.as_str()),
                                deleted.note,
                            ),
                        })
                        .map_err(plain);
                    tell(Event::Plant { request, outcome });
                });
            }
            Effect::TryToken {
                request,
                token,
                deployment,
            } => self.try_token(request, &token.0, deployment, handler),
            Effect::Cancel(request) => {
                if let Some(task) = handler.running.remove(&request) {
                    task.abort();
                }
            }
            Effect::Export {
                request,
                deployment,
                label,
                format,
                path,
                replace,
            } => {
                let Some(track) = self.known.track(deployment) else {
                    return;
                };
                let fetched_at = model
                    .deployments
                    .get(deployment)
                    .and_then(|watched| watched.track.fetched_at())
                    .unwrap_or(model.now);
                let order = files::ExportJob {
                    deployment: deployment.to_string(),
                    label,
                    format,
                    path,
                    replace,
                    fetched_at,
                    now: model.now,
                };
                let tell = handler.sender();
                tokio::task::spawn_blocking(move || {
                    let outcome = files::export(&order, &track);
                    tell(Event::Exported { request, outcome });
                });
            }
            Effect::Watch(watched) => {
                let (store, tell) = (self.store.clone(), handler.sender());
                let entry = entry_of(watched);
                let before = self.known.entry(entry.clone());
                handler.in_turn(async move {
                    let saved = store.change(before, entry).await.map_err(plain);
                    tell(Event::WatchListSaved(saved));
                });
            }
            Effect::Unwatch(uuid) => {
                let (store, tell) = (self.store.clone(), handler.sender());
                self.known.forget(uuid);
                handler.in_turn(async move {
                    let saved = store.unwatch(uuid).await.map(|_| ()).map_err(plain);
                    tell(Event::WatchListSaved(saved));
                });
            }
            // The loop does these itself.
            Effect::Copy(_) | Effect::Redraw | Effect::Suspend | Effect::Quit => {}
        }
    }

    fn try_token(
        &self,
        request: RequestId,
        token: &str,
        deployment: Option<Uuid>,
        handler: &mut Handler,
    ) {
        let (session, tell) = (self.session.clone(), handler.sender());
        let token = match ops::Token::new(token.to_owned()) {
            Ok(token) => token,
            Err(error) => {
                let failure = Failure {
                    kind: FailureKind::Usage,
                    message: error.to_string(),
                    hint: String::new(),
                };
                tell(Event::Token {
                    request,
                    outcome: Err(failure),
                });
                return;
            }
        };
        let task = tokio::spawn(async move {
            let outcome = ops::try_token(&session, token, deployment).await;
            let outcome = outcome
                .map(|tried| match tried.kept {
                    ops::TokenKept::Stored => "the service took the token; it is in the keyring".to_owned(),
                    ops::TokenKept::ForThisSession(reason) => {
                        format!("the service took the token; it is kept for this session alone: {reason}")
                    }
                })
                .map_err(plain);
            tell(Event::Token { request, outcome });
        });
        handler.running.insert(request, task.abort_handle());
    }
}

fn with_note(words: String, note: Option<String>) -> String {
    match note {
        Some(note) => format!("{words}: {note}"),
        None => words,
    }
}
