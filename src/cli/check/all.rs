//! The check of the whole watch list, or of several deployments: a first line that sums
//! up, with the performance data, then one line for each deployment.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::named::look_for_archive;
use super::report::{self, Judged};
use super::seen::of_track;
use super::verdict::{Limits, Verdict, no_verdict, plain, settled};
use crate::cli::args::{CheckArguments, FileArguments, Global, Selection};
use crate::cli::output::note;
use crate::cli::track::Got;
use crate::cli::{alarms, connect, file};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::intake::archived::{Fields, archived};
use crate::intake::fleet::{self, AT_ONCE, Fleet};
use crate::intake::judge::judge_by_clock;
use crate::intake::update::without_outcome;
use crate::ops::store::Store;
use crate::ops::watch_list;
use crate::settings::Settings;
use crate::text;
use crate::track::Deployment;
use crate::track::remote::Remote;

/// The time that reading the alarms may take where the deadline is over.
const READING: Duration = Duration::from_millis(500);

/// A deployment of the list, with its verdict once there is one. Of damage to the list
/// there is no entry.
struct Listed {
    entry: Option<Deployment>,
    /// The name of the track of a file.
    file: Option<String>,
    verdict: Option<Verdict>,
}

impl Listed {
    fn name(&self) -> String {
        let name = self.entry.as_ref().map(Deployment::name);
        name.unwrap_or_else(|| "an entry of the watch list".to_owned())
    }

    /// A word that names nothing that can be read.
    fn unread(word: &str, failure: &Failure) -> Self {
        Self {
            entry: None,
            file: None,
            verdict: Some(Verdict::without_name(&format!(
                "{}: {failure}",
                text::excerpt(word, 80)
            ))),
        }
    }

    /// The entry, where it has no verdict yet.
    fn open(&self) -> Option<&Deployment> {
        self.entry.as_ref().filter(|_| self.verdict.is_none())
    }
}

/// How files that are named are read and judged.
struct Named {
    file: FileArguments,
    selection: Selection,
}

/// A check of several deployments.
struct Round<'a> {
    global: &'a Global,
    settings: &'a Settings,
    store: &'a Store,
    limits: Limits,
    /// When it ends.
    end: Instant,
    /// The time that it has in all, seconds.
    deadline: f64,
}

/// Checks the deployments that are named, or every one on the watch list that is neither
/// recovered nor lost, within `deadline` seconds in all.
pub(super) async fn run(
    global: &Global,
    arguments: CheckArguments,
    deadline: f64,
) -> Result<u8, Failure> {
    let end = Instant::now() + Duration::from_secs_f64(deadline);
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    if arguments.all || !arguments.deployments.iter().all(|word| file::is_file(word)) {
        look_for_archive(&settings, &store).await?;
    }
    let round = Round {
        global,
        settings: &settings,
        store: &store,
        limits: Limits::of(&arguments, settings.notation())?,
        end,
        deadline,
    };
    let mut list = match arguments.all {
        true => round.watched().await?,
        false => {
            let selection = Selection {
                since: None,
                until: None,
                speed: arguments.speed,
            };
            let named = Named {
                file: arguments.file,
                selection,
            };
            round.named(&arguments.deployments, &named).await?
        }
    };
    let open: Vec<Deployment> = list.iter().filter_map(Listed::open).cloned().collect();
    if arguments.all {
        // Of what is not due the archive has the last answer.
        let due = fleet::due(&store, &open, settings.refresh).await;
        round.judge_archived(&mut list, &due).await;
    }
    round.judge_fetched(&mut list).await?;
    // A fetched deployment is judged as it is stored; one without an answer by the clock.
    let judged = judge_by_clock(&store, open, settings.refresh.as_secs_f64());
    let _ = timeout_at(end, judged).await;
    let judged = round.with_alarms(list).await;
    let status = report::print_all(&judged, arguments.printed.form())?;
    alarms::tell_until(end, &settings, &store).await;
    Ok(status)
}

impl Round<'_> {
    /// The watch list without what is recovered or lost.
    async fn watched(&self) -> Result<Vec<Listed>, Failure> {
        let mut list = self.listed().await?;
        list.retain(|one| {
            let is_damaged = one.verdict.is_some();
            is_damaged || one.entry.as_ref().is_none_or(|one| one.state.is_active())
        });
        Ok(settled_ones(list))
    }

    /// The deployments and files that are named, each deployment once. What cannot be read
    /// has no verdict, and the others have theirs.
    async fn named(&self, typed: &[String], arguments: &Named) -> Result<Vec<Listed>, Failure> {
        let mut known = self.listed().await?;
        let (mut list, mut uuids) = (Vec::new(), HashSet::new());
        for word in typed {
            if file::is_meant(word, self.settings, self.store).await {
                match file::tracks(word, &arguments.file, &arguments.selection).await {
                    Ok(tracks) => {
                        for got in tracks {
                            list.push(self.of_file(got).await);
                        }
                    }
                    Err(failure) => list.push(Listed::unread(word, &failure)),
                }
                continue;
            }
            let uuid = match connect::deployment(word, self.settings, self.store).await {
                Ok(uuid) => uuid,
                Err(failure) => {
                    list.push(Listed::unread(word, &failure));
                    continue;
                }
            };
            if !uuids.insert(uuid) {
                continue;
            }
            let is_named =
                |one: &Listed| one.entry.as_ref().is_some_and(|entry| entry.uuid == uuid);
            list.push(match known.iter().position(is_named) {
                Some(place) => known.swap_remove(place),
                None => Listed {
                    entry: Some(Deployment::new(uuid)),
                    file: None,
                    verdict: None,
                },
            });
        }
        Ok(settled_ones(list))
    }

    /// The track of a file with its verdict, by no archive.
    async fn of_file(&self, got: Got) -> Listed {
        let entry = file::entry(&got.deployment);
        let nothing = Store::in_memory();
        let verdict = of_track(&entry, &got.track, None, &self.limits, &nothing).await;
        Listed {
            entry: Some(entry),
            file: Some(got.deployment),
            verdict: Some(verdict),
        }
    }

    async fn listed(&self) -> Result<Vec<Listed>, Failure> {
        let listed = timeout_at(self.end, watch_list::listed(self.settings, self.store));
        let listed = listed.await.unwrap_or_else(|_| Err(self.over()))?;
        let list = listed.into_iter().map(|read| {
            let mut one = Listed {
                entry: read.deployment,
                file: None,
                verdict: None,
            };
            // Limits that cannot be read are not limits that were never set.
            one.verdict = read
                .damage
                .map(|damage| Verdict::unknown(&one.name(), &damage));
            one
        });
        Ok(list.collect())
    }

    /// Judges what is not due by its archived track.
    async fn judge_archived(&self, list: &mut [Listed], due: &HashSet<uuid::Uuid>) {
        for one in list {
            let Some(entry) = one.open().filter(|entry| !due.contains(&entry.uuid)) else {
                continue;
            };
            let asked = self.asked(entry);
            let options = asked.options(unix_now());
            let read = archived(self.store, asked.uuid, options, Fields::With);
            let Ok(Ok(read)) = timeout_at(self.end, read).await else {
                continue;
            };
            if let Some(assembled) = read.track {
                let verdict =
                    of_track(entry, &assembled.track, None, &self.limits, self.store).await;
                one.verdict = Some(verdict);
            }
        }
    }

    /// Asks the service for what has no verdict yet. What has no outcome at the deadline
    /// has none.
    async fn judge_fetched(&self, list: &mut [Listed]) -> Result<(), Failure> {
        let asked: Vec<Deployment> = (list.iter().filter_map(Listed::open))
            .map(|entry| self.asked(entry))
            .collect();
        if asked.is_empty() {
            return Ok(());
        }
        let session = connect::session(self.global, self.settings)?;
        let mut fleet = Fleet::fetch(&session, self.store, asked, AT_ONCE);
        while let Ok(Some((deployment, outcome))) = timeout_at(self.end, fleet.next()).await {
            let entry = |one: &Listed| one.open().is_some_and(|entry| entry.uuid == deployment);
            let Some(one) = list.iter_mut().find(|one| entry(one)) else {
                continue;
            };
            let (name, Some(entry)) = (one.name(), &one.entry) else {
                continue;
            };
            let mut warnings = Vec::new();
            let verdict = match outcome {
                Ok(update) => {
                    warnings.clone_from(&update.notes);
                    match &update.track {
                        Some(track) => {
                            let ahead_s = update.clock_ahead_s;
                            of_track(entry, track, ahead_s, &self.limits, self.store).await
                        }
                        None => Verdict::unknown(&name, &without_outcome().message()),
                    }
                }
                Err(failure) => Verdict::unknown(&name, &failure.message()),
            };
            for warning in verdict.unsaid(&warnings) {
                note(&format!("driftline: {}: {warning}", plain(&name)));
            }
            one.verdict = Some(verdict);
        }
        if Instant::now() < self.end {
            // Only a task that broke down has no outcome before the deadline.
            for one in list {
                let (name, why) = (one.name(), without_outcome().message());
                one.verdict
                    .get_or_insert_with(|| Verdict::unknown(&name, &why));
            }
        }
        Ok(())
    }

    /// The verdicts with the alarms that stand. A response that does not come by the
    /// deadline must not take the time that an archive needs.
    async fn with_alarms(&self, list: Vec<Listed>) -> Vec<Judged> {
        let read_end = self.end.max(Instant::now() + READING);
        let alarms = timeout_at(read_end, self.store.alarms(false)).await;
        let alarms = alarms.unwrap_or_else(|_| Err(self.over()));
        let judged = list.into_iter().map(|one| {
            let name = one.name();
            let verdict = one
                .verdict
                .unwrap_or_else(|| Verdict::unknown(&name, &no_verdict(self.deadline)));
            let uuid = one.entry.as_ref().map(|entry| entry.uuid);
            let verdict = match &alarms {
                Ok(alarms) => {
                    verdict.with_alarms(alarms, uuid.unwrap_or_default(), self.settings.units)
                }
                Err(failure) => verdict.without_alarms(&name, failure),
            };
            Judged {
                deployment: one.file.or(uuid.map(Remote::shown)),
                label: one.entry.and_then(|entry| entry.label),
                verdict,
            }
        });
        judged.collect()
    }

    /// An entry as it is asked for: a platform or speed limit given as a flag counts for
    /// the flags of the fixes as well.
    fn asked(&self, entry: &Deployment) -> Deployment {
        let options = self.limits.options(entry);
        let mut entry = entry.clone();
        entry.platform = options.platform;
        entry.limits.max_speed_m_s = options.max_speed_m_s;
        entry
    }

    /// That the time is over.
    fn over(&self) -> Failure {
        Failure::new(FailureKind::Unreachable, no_verdict(self.deadline), "")
    }
}

/// The list with the verdict on those of which nothing is expected any more.
fn settled_ones(mut list: Vec<Listed>) -> Vec<Listed> {
    for one in &mut list {
        let word = one.open().and_then(|entry| settled(entry, unix_now()));
        if let Some(word) = word {
            one.verdict = Some(Verdict::settled(&one.name(), &word));
        }
    }
    list
}
