//! Effects to tasks to events: each effect is one call of a use case, never on
//! the thread that draws.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

use super::alarm_look::{AlarmLook, read_alarms};
use super::archive_watch::WatchThread;
use super::exporting;
use super::latest::Wanted;
use super::loop_event::LoopEvent;
use super::settings;
use super::taken_back::taken_back;
use super::tasks::Tasks;
use super::telling::{tell, tell_later};
use crate::app::{AcceptedToken, Effect, Event, RequestId, Said, Secret};
use crate::chart::LoadedTrack;
use crate::exchange::{Exchange, Progress};
use crate::failure::{Failure, FailureKind};
use crate::intake::judge::{judge_archived, judge_by_clock};
use crate::intake::prepare::{self, ArrangedRows};
use crate::intake::turn::Turn;
use crate::intake::{fetch, overviews, turn};
use crate::ops::login::{self, TokenKept};
use crate::ops::own_files::OwnFiles;
use crate::ops::plants;
use crate::ops::session::{Session, Setup};
use crate::ops::settings_file::{NewSetting, SettingsFile};
use crate::ops::store::Store;
use crate::ops::tell::Teller;
use crate::track::TrackOptions;
use crate::track::overview::FetchedOverview;

/// The services that perform the effects.
pub(super) struct Services {
    session: Session,
    store: Store,
    teller: Teller,
    own_files: OwnFiles,
    settings_file: Option<SettingsFile>,
    alarms: AlarmLook,
    wanted: Wanted,
    /// Ends with the services.
    _watch: Option<WatchThread>,
    pub(super) tasks: Tasks,
}

impl Services {
    /// Services over a session whose exchanges are reported to the dashboard.
    ///
    /// # Errors
    /// As [`Session::new`], and where the system gives no thread.
    pub(super) fn new(
        mut setup: Setup,
        store: Store,
        (on_alarm, own_files, settings_file): (Vec<String>, OwnFiles, Option<SettingsFile>),
        events: &UnboundedSender<LoopEvent>,
    ) -> Result<Self, Failure> {
        let tasks = Tasks::new(events.clone(), store.clone());
        let (report, log) = (tasks.sender(), setup.connection.observer.take());
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
        let watch = WatchThread::start(&store, tasks.sender())?;
        let tells = !on_alarm.is_empty();
        let teller = Teller::new(store.clone(), on_alarm);
        if tells {
            tokio::spawn(tell_later(teller.clone(), tasks.sender()));
        }
        Ok(Self {
            session: Session::new(setup)?,
            teller,
            own_files,
            settings_file,
            alarms: AlarmLook::new(store.clone(), tasks.sender()),
            wanted: Wanted::default(),
            _watch: watch,
            store,
            tasks,
        })
    }

    /// Waits for changes in progress and for the program of `on_alarm`, at most
    /// `patience`; returns whether all changes ended.
    pub(super) async fn finish(&mut self, patience: Duration) -> bool {
        let (finished, ()) = tokio::join!(self.tasks.finish(patience), self.teller.end(patience));
        finished
    }

    /// The permanent warning about the connection, if there is one.
    pub(super) fn warning(&self) -> Option<String> {
        self.session
            .is_insecure()
            .then(|| "token sent unencrypted".to_owned())
    }

    /// Starts the task of an effect.
    pub(super) fn carry_out(&mut self, effect: Effect) {
        let (session, store) = (self.session.clone(), self.store.clone());
        let own = self.own_files.clone();
        let (teller, send) = (self.teller.clone(), self.tasks.sender());
        match effect {
            Effect::FetchTrack {
                request,
                deployment,
                options,
                whole: false,
                held: _,
                in_turn,
            } => {
                let alarms = self.alarms.clone();
                let progress = progress(request, send.clone());
                let ended = ended(request, deployment, move |outcome| Event::Refreshed {
                    request,
                    deployment,
                    outcome,
                });
                self.tasks.cancellable(request, ended, async move {
                    let fetched = overviews::fetch(&session, &store, deployment, options, progress);
                    let overview = |fetched: &FetchedOverview| Arc::clone(&fetched.overview);
                    let turn = turn::in_turn(&store, deployment, in_turn, fetched, overview).await;
                    if let Ok(Turn::NotDue(_)) = turn {
                        return turn;
                    }
                    alarms.look();
                    tokio::spawn(tell(teller, send));
                    turn
                });
            }
            Effect::LoadOverviews(wanted) => {
                self.tasks.report(async move {
                    overviews::load(&store, wanted, |read| send(Event::Overviews(read))).await
                });
            }
            Effect::FetchTrack {
                request,
                deployment,
                options,
                whole: true,
                held,
                in_turn,
            } => {
                let warn = send.clone();
                let progress = progress(request, send.clone());
                let preview = move |loaded| {
                    send(Event::Preview {
                        request,
                        deployment,
                        loaded,
                    });
                };
                let ended = ended(request, deployment, move |outcome| Event::Track {
                    request,
                    deployment,
                    outcome,
                });
                self.tasks.cancellable(request, ended, async move {
                    #[cfg(debug_assertions)]
                    super::test_panic::provoke("worker");
                    let of = (deployment, options, held);
                    let fetched = fetch::load(&session, &store, of, progress, preview);
                    let overview = |loaded: &LoadedTrack| Arc::clone(loaded.track.overview());
                    let turn = turn::in_turn(&store, deployment, in_turn, fetched, overview).await;
                    if let Ok(Turn::NotDue(_)) = turn {
                        return turn;
                    }
                    read_alarms(&store, true, &warn).await;
                    // The track is shown whatever is told of it.
                    tokio::spawn(tell(teller, warn));
                    turn
                });
            }
            Effect::LoadStored {
                deployment,
                options,
            } => self.tasks.spawn(async move {
                let stored = fetch::load_stored(&store, deployment, options).await?;
                Ok(Event::Stored {
                    deployment,
                    overrides: stored.overrides,
                    loaded: stored.loaded,
                })
            }),
            Effect::LoadLedger => self
                .tasks
                .spawn(async move { store.ledger().await.map(Event::Ledger) }),
            Effect::LookForChanges { edits, again } => self.tasks.edit(async move {
                if !store.may_be_written().await && !again {
                    return Ok(());
                }
                // One that cannot be read is told by whatever needs it.
                match store.changed_by_another(again).await {
                    Ok(Some(entered)) => send(Event::Archived {
                        edits,
                        watched: entered.watched,
                        overrides: entered.overrides,
                        ledger: entered.ledger,
                    }),
                    Ok(None) => {}
                    Err(_) => store.look_again(),
                }
                match store.received().await {
                    Ok(received) if received.is_empty() => {}
                    Ok(received) => send(Event::Received(received)),
                    Err(_) => store.look_again(),
                }
                read_alarms(&store, again, &send).await;
                Ok(())
            }),
            Effect::LoadAlarms { again } => self.tasks.edit(async move {
                read_alarms(&store, again, &send).await;
                Ok(())
            }),
            Effect::JudgeByClock(list) => {
                let alarms = self.alarms.clone();
                self.tasks.edit(async move {
                    // An archive that cannot be written is told by whatever is stored.
                    if judge_by_clock(&store, list).await.is_ok() {
                        alarms.look();
                        tokio::spawn(tell(teller, send));
                    }
                    Ok(())
                });
            }
            Effect::SayOfAlarm { id, said } => self.tasks.edit(async move {
                let snooze_until = match said {
                    Said::Acknowledged => None,
                    Said::SnoozedUntil(until) => Some(until),
                };
                let held = store.is_held(&id);
                let outcome = store.say_of_alarm(id, snooze_until).await;
                let outcome = outcome.map(|alarm| alarm.map(Box::new));
                send(Event::AlarmSaid {
                    said,
                    outcome,
                    held,
                });
                read_alarms(&store, true, &send).await;
                Ok(())
            }),
            Effect::Reassemble {
                deployment,
                loaded,
                options,
            } => {
                let is_wanted = self.wanted.flags.entry(deployment).or_default().begin();
                self.tasks.spawn_if_wanted(async move {
                    let from = Arc::clone(&loaded.track);
                    let loaded = prepare::reassemble(loaded, options, is_wanted).await?;
                    Ok(loaded.map(|loaded| Event::Reassembled {
                        deployment,
                        from,
                        loaded,
                    }))
                });
            }
            Effect::AddDetail { deployment, track } => self.tasks.spawn(async move {
                let track = prepare::full_detail(track).await?;
                Ok(Event::Detailed { deployment, track })
            }),
            Effect::Arrange {
                track,
                arrangement,
                field,
            } => {
                let is_wanted = self.wanted.rows.begin();
                self.tasks.spawn_if_wanted(async move {
                    let (whole, wanted) = (Arc::clone(&track), arrangement.clone());
                    let rows = match prepare::arrange(whole, wanted, field, is_wanted).await? {
                        ArrangedRows::Unwanted => return Ok(None),
                        ArrangedRows::All => None,
                        ArrangedRows::Some(rows) => Some(rows),
                    };
                    Ok(Some(Event::Arranged {
                        track,
                        arrangement,
                        rows,
                    }))
                });
            }
            Effect::ReadFields { deployment, track } => self.tasks.spawn(async move {
                let whole = Arc::clone(track.track());
                let outcome = prepare::fields(&store, deployment, whole).await;
                Ok(Event::FieldsRead { track, outcome })
            }),
            Effect::Search {
                track,
                order,
                wording,
                text,
            } => {
                let is_wanted = self.wanted.matches.begin();
                self.tasks.spawn_if_wanted(async move {
                    let (searched, rows) = (Arc::clone(&track), order.clone());
                    let found =
                        prepare::search(searched, rows, wording, text.clone(), is_wanted).await?;
                    Ok(found.map(|rows| Event::Found {
                        track,
                        order,
                        text,
                        rows,
                    }))
                });
            }
            Effect::CutTimeRange {
                deployment,
                track: whole,
                range,
            } => self.tasks.spawn(async move {
                let part = prepare::time_range(Arc::clone(&whole), range).await?;
                Ok(Event::TimeRangeCut {
                    deployment,
                    whole,
                    range,
                    part,
                })
            }),
            Effect::StoreOverride {
                deployment,
                time_stamp,
                position,
                flag,
            } => self.tasks.edit(async move {
                store
                    .set_override(deployment, time_stamp, position, flag)
                    .await
            }),
            Effect::Watch {
                before,
                after,
                listed,
            } => self.tasks.edit(async move {
                let done = store.change(before.clone(), after.clone(), listed).await;
                if done.is_err() {
                    store.remember_entry(after.clone());
                }
                match (done?, before) {
                    (true, _) => {
                        judge_archived(&store, after.uuid).await?;
                        read_alarms(&store, true, &send).await;
                        tokio::spawn(tell(teller, send));
                    }
                    (false, Some(before)) => {
                        let (before, after) = (Box::new(before), Box::new(after));
                        send(Event::NotStored { before, after });
                    }
                    (false, None) => {}
                }
                Ok(())
            }),
            Effect::Unwatch(uuid) => self.tasks.edit(async move {
                store.write(move |archive| archive.unwatch(uuid)).await?;
                read_alarms(&store, true, &send).await;
                tokio::spawn(tell(teller, send));
                Ok(())
            }),
            Effect::Undo(change) => self.tasks.edit(async move {
                let outcome = taken_back(&store, (*change).clone()).await;
                send(Event::Undone { change, outcome });
                read_alarms(&store, true, &send).await;
                tokio::spawn(tell(teller, send));
                Ok(())
            }),
            Effect::CreatePlant {
                request,
                draft,
                again,
            } => self.tasks.change(request, async move {
                let created = match again {
                    None => plants::create(&session, &store, &draft).await,
                    Some(line) => plants::create_again(&session, &store, &draft, line).await,
                };
                (created.map(|created| created.note), store.ledger().await)
            }),
            Effect::DeletePlant { request, id } => self.tasks.change(request, async move {
                let deleted = plants::delete(&session, &store, &id).await;
                (deleted.map(|deleted| deleted.note), store.ledger().await)
            }),
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
                self.tasks.cancellable(request, ended, async move {
                    token_tried(&session, &store, request, &token, deployments, send).await
                });
            }
            Effect::Export { request, job } => self.tasks.spawn(async move {
                let outcome = exporting::written((&store, &own), job).await;
                Ok(Event::Exported { request, outcome })
            }),
            Effect::WriteSetting { table, name, value } => {
                let file = self.settings_file.clone();
                let new = NewSetting { table, name, value };
                self.tasks.edit(async move {
                    send(settings::written(file, new).await);
                    Ok(())
                });
            }
            Effect::Cancel(request) => self.tasks.cancel(request),
            // The loop performs these itself.
            Effect::ApplySettings
            | Effect::Copy(_)
            | Effect::Announce(_)
            | Effect::Suspend
            | Effect::Quit => {}
        }
    }
}

/// The event of a fetch that has ended, or was not begun; `had` makes that of an
/// outcome.
fn ended<T>(
    request: RequestId,
    deployment: Uuid,
    had: impl FnOnce(Result<T, Failure>) -> Event,
) -> impl FnOnce(Result<Turn<T>, Failure>) -> Event {
    move |outcome| match outcome {
        Ok(Turn::NotDue(wait_s)) => Event::NotDue {
            request,
            deployment,
            wait_s,
        },
        Ok(Turn::Had(fetched)) => had(Ok(fetched)),
        Err(failure) => had(Err(failure)),
    }
}

/// Tests a token. The track that came with the test follows its outcome.
async fn token_tried(
    session: &Session,
    store: &Store,
    request: RequestId,
    token: &Secret,
    deployments: Vec<(Uuid, TrackOptions)>,
    send: impl Fn(Event) + Send + Sync,
) -> Result<Event, Failure> {
    let uuids: Vec<Uuid> = deployments.iter().map(|(uuid, _)| *uuid).collect();
    let tried = login::try_token(session, &token.0, &uuids).await?;
    let accepted = match tried.kept {
        TokenKept::Stored { environment_wins } => AcceptedToken::InKeyring { environment_wins },
        TokenKept::ForThisSession(reason) => AcceptedToken::ForThisSession(reason),
    };
    let accepted = |answered| Event::Token {
        request,
        outcome: Ok(accepted),
        answered,
    };
    let answered = tried.answer.and_then(|(uuid, answer)| {
        let (_, options) = deployments.into_iter().find(|(one, _)| *one == uuid)?;
        Some((uuid, answer, options))
    });
    let Some((deployment, answer, options)) = answered else {
        return Ok(accepted(None));
    };
    send(accepted(Some(deployment)));
    let preview = |loaded| {
        send(Event::Preview {
            request,
            deployment,
            loaded,
        });
    };
    let outcome = fetch::take_in(store, deployment, answer, options, preview).await;
    read_alarms(store, true, &send).await;
    Ok(Event::Track {
        request,
        deployment,
        outcome,
    })
}

/// A sink that reports the progress of a request.
fn progress(
    request: RequestId,
    send: impl Fn(Event) + Send + Sync + 'static,
) -> Arc<dyn Fn(Progress) + Send + Sync> {
    Arc::new(move |progress| send(Event::Progress { request, progress }))
}
