//! Tracks on their way to the screen: fetched, sketched, kept, made whole, and
//! assembled anew where a person chooses otherwise.

use std::sync::{Arc, OnceLock};

use uuid::Uuid;

use super::effects::{Handler, Services};
use super::known::plain;
use crate::app::{Event, Failure, FailureKind, FetchDelta, LoadedTrack, RequestId};
use crate::ops::{self, Platform};

impl Services {
    pub(super) fn fetch(
        &self,
        request: RequestId,
        deployment: Uuid,
        platform: Platform,
        exclude_failed: bool,
        handler: &mut Handler,
    ) {
        let (session, store, known, tell) = (
            self.session.clone(),
            self.store.clone(),
            Arc::clone(&self.known),
            handler.sender(),
        );
        let told = tell.clone();
        let progress: ops::ProgressSink = Arc::new(move |progress: ops::Progress| {
            told(Event::Progress {
                request,
                bytes: progress.bytes,
            });
        });
        known.choose(deployment, platform, exclude_failed);
        let task = tokio::spawn(async move {
            #[cfg(debug_assertions)]
            super::provoke("worker");
            let used = Arc::new(OnceLock::new());
            let assembly = {
                let (known, used) = (Arc::clone(&known), Arc::clone(&used));
                move |now| {
                    let assembly = known.assembly(deployment, now);
                    used.get_or_init(|| assembly.clone());
                    assembly
                }
            };
            let arrived = ops::fetch(&session, &store, deployment, assembly, Some(progress)).await;
            let outcome = match arrived {
                Ok(fetched) => {
                    // Made ready here too: the screen's thread never works on a
                    // whole track.
                    let came = Arc::clone(&fetched.answer.track);
                    let sketched = ops::sketched(Arc::clone(&came)).await;
                    // Where nothing is shown yet it is shown before it is kept,
                    // and a long one before all of its map is made.
                    tell(Event::Kept {
                        deployment,
                        arrival: LoadedTrack {
                            track: Arc::clone(&sketched),
                            fetched_at: fetched.answer.fetched_at,
                            note: None,
                            brought: None,
                        },
                    });
                    let charted = ops::refined(sketched).await;
                    match ops::keep(&store, deployment, fetched).await {
                        Ok(kept) if Arc::ptr_eq(&kept.answer.track, &came) => Ok((kept, charted)),
                        Ok(kept) => {
                            let charted = ops::charted(Arc::clone(&kept.answer.track)).await;
                            Ok((kept, charted))
                        }
                        Err(failure) => Err(failure),
                    }
                }
                Err(failure) => Err(failure),
            };
            // What a person chose meanwhile holds for what came, too.
            let outcome = match (outcome, used.get()) {
                (Ok((mut kept, charted)), Some(used)) => {
                    let chosen = known.assembly(deployment, used.now);
                    if chosen == *used {
                        Ok((kept, charted))
                    } else {
                        kept.answer.track = ops::reassembled(kept.answer.track, chosen).await;
                        let charted = ops::charted(Arc::clone(&kept.answer.track)).await;
                        Ok((kept, charted))
                    }
                }
                (outcome, _) => outcome,
            };
            let outcome = outcome
                .map(|(kept, track)| {
                    // The first answer of a deployment is no news.
                    let known_before = known.track(deployment).is_some();
                    known.keep(deployment, &kept.answer.track);
                    let news = kept.news.filter(|_| known_before);
                    LoadedTrack {
                        brought: news.map(|news| FetchDelta {
                            new: news.new,
                            late: news.late,
                        }),
                        track,
                        fetched_at: kept.answer.fetched_at,
                        note: (!kept.answer.notes.is_empty()).then(|| kept.answer.notes.join("; ")),
                    }
                })
                .map_err(plain);
            tell(Event::Track {
                request,
                deployment,
                outcome,
            });
        });
        handler.running.insert(request, task.abort_handle());
        // A task that breaks is told like any other failure.
        let tell = handler.sender();
        tokio::spawn(async move {
            if let Err(error) = task.await
                && error.is_panic()
            {
                let failure = Failure {
                    kind: FailureKind::Other,
                    message: "an internal fault while fetching".to_owned(),
                    hint: "r tries again; please report it".to_owned(),
                };
                tell(Event::Track {
                    request,
                    deployment,
                    outcome: Err(failure),
                });
            }
        });
    }

    pub(super) fn reassemble(
        &self,
        deployment: Uuid,
        platform: Platform,
        exclude_failed: bool,
        now: f64,
        handler: &Handler,
    ) {
        self.known.choose(deployment, platform, exclude_failed);
        let Some(track) = self.known.track(deployment) else {
            return;
        };
        let (known, tell) = (Arc::clone(&self.known), handler.sender());
        let assembly = known.assembly(deployment, now);
        tokio::task::spawn_blocking(move || {
            let track = Arc::new(track.reassembled(&assembly));
            if known.assembly(deployment, now) != assembly {
                // Another choice was made meanwhile, and is on its way.
                return;
            }
            known.keep(deployment, &track);
            let track = ops::make_sketch(track);
            let sketch = track.is_sketch().then(|| Arc::clone(&track));
            tell(Event::Reassembled { deployment, track });
            if let Some(sketch) = sketch {
                let track = Arc::new(sketch.refined());
                tell(Event::Refined { deployment, track });
            }
        });
    }
}
