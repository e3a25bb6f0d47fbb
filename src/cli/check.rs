//! A monitoring plugin: a line for each deployment with its state, performance data on the
//! first line, and the exit status of the Monitoring Plugins guidelines (0 OK, 1 warning, 2
//! critical, 3 unknown).

mod report;
mod seen;
mod verdict;

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::args::typed::{asks_for_json, is_typed};
use super::args::{CheckArguments, Global};
use super::run::{LONGEST_NOTIFICATION, Run, duration};
use super::subject::{Ask, Naming, OfFile, Subject, Unread, apply};
use crate::alarm::Alarm;
use crate::app::session::connect;
use crate::app::store::Store;
use crate::app::update::keep::Assembled;
use crate::app::update::prepare::Fields;
use crate::app::watch_list;
use crate::failure::{Failure, FailureKind};
use crate::formats::Format;
use crate::geo::{CoordinateFormat, Notation, Units};
use crate::os::clock::unix_now;
use crate::settings;
use crate::text;
use crate::track::time;
use crate::watch::Deployment;
use report::Of;
use seen::of_track;
use verdict::{Limits, Verdict};

/// The time that reading the alarms may take after the deadline.
const READING: Duration = Duration::from_millis(500);

/// Prints that the status is unknown because of a failure, for arguments that could not be
/// parsed; returns 3.
pub(super) fn unknown(failure: &Failure) -> u8 {
    let form = if asks_for_json() {
        Format::Json
    } else {
        Format::Table
    };
    let of = if is_typed("--all") {
        Of::Several
    } else {
        Of::One
    };
    let _ = report::print_unknown(failure, form, of);
    3
}

pub(super) async fn run(global: &Global, arguments: CheckArguments) -> Result<u8, Failure> {
    let form = arguments.printed.form();
    let of = if arguments.all || arguments.deployments.len() > 1 {
        Of::Several
    } else {
        Of::One
    };
    checked(global, &arguments, of)
        .await
        .or_else(|failure| report::print_unknown(&failure, form, of))
}

async fn checked(global: &Global, arguments: &CheckArguments, of: Of) -> Result<u8, Failure> {
    let deadline_s = duration("--deadline", &arguments.deadline)?;
    let end = Instant::now() + Duration::from_secs_f64(deadline_s);
    let run = Run::new(global)?;
    // JSON is the same whatever a person prefers to read.
    let notation = match arguments.printed.form() {
        Format::Json => Notation {
            units: Units::Si,
            coordinates: CoordinateFormat::Dd,
        },
        _ => run.settings.notation(),
    };
    let check = Check {
        limits: Limits::new(arguments, notation)?,
        run: &run,
        arguments,
        of,
        end,
        deadline_s,
    };
    let status = check.status().await;
    run.notify_until(end).await;
    status
}

/// A deployment to check, with its verdict once there is one. A damaged entry of the watch
/// list, or a word that names nothing, has no subject.
struct Checked {
    subject: Option<Subject>,
    verdict: Option<Verdict>,
}

impl Checked {
    fn new(subject: Subject) -> Self {
        // A recovered deployment has no status to ask the service for.
        let settled = subject.entry.settled(unix_now());
        Self {
            verdict: settled
                .map(|why| Verdict::new(0, &format!("{}: {why}", subject.entry.name()))),
            subject: Some(subject),
        }
    }

    /// Its entry of the watch list, unless its verdict is known.
    fn open(&self) -> Option<&Deployment> {
        let subject = self.subject.as_ref().filter(|_| self.verdict.is_none())?;
        subject.is_watched.then_some(&subject.entry)
    }
}

/// The check of a command line.
struct Check<'a> {
    run: &'a Run,
    arguments: &'a CheckArguments,
    limits: Limits,
    of: Of,
    /// When it ends.
    end: Instant,
    /// The time from its start to its end, seconds.
    deadline_s: f64,
}

impl Check<'_> {
    /// Checks, and prints the verdicts; returns the exit status.
    async fn status(&self) -> Result<u8, Failure> {
        let list = if self.arguments.all {
            timeout_at(self.end, self.watched()).await
        } else {
            timeout_at(self.end, async { Ok((self.named().await?, 0, None)) }).await
        };
        let (mut list, settled, elsewhere) = list.unwrap_or_else(|_| Err(self.over()))?;
        let open: Vec<Deployment> = list.iter().filter_map(Checked::open).cloned().collect();
        self.fetch(&mut list).await?;
        for checked in &mut list {
            self.judge(checked).await?;
        }
        let judged_by_clock = self.run.judge_by_clock(open);
        let _ = timeout_at(self.end, judged_by_clock).await;
        let judged = self.with_alarms(list).await;
        let form = self.arguments.printed.form();
        match (self.of, judged.as_slice()) {
            (Of::One, [judged]) => report::print(judged, form),
            _ => {
                let service = self.failing_service().await;
                let faults: Vec<String> = service.into_iter().chain(elsewhere).collect();
                report::print_all(&judged, settled, &faults, form)
            }
        }
    }

    /// Why the service of the watch list cannot be asked: this check requested only the
    /// deployments that are due. The text of its active alarm, or a fault of the settings.
    async fn failing_service(&self) -> Option<String> {
        if !self.arguments.all {
            return None;
        }
        let setup = match connect::setup(&self.run.settings) {
            Ok(setup) => setup,
            Err(failure) => return Some(failure.to_string()),
        };
        let service = setup.connection.service_name();
        let read = (self.run.store).read(move |archive| archive.service_alarm(&service));
        let end = self.end.max(Instant::now() + READING);
        timeout_at(end, read).await.ok()?.ok()?
    }

    /// The watch list without the deployments that are recovered or lost, their number, and
    /// which others no profile asks for.
    async fn watched(&self) -> Result<(Vec<Checked>, usize, Option<String>), Failure> {
        self.look_for_archive().await?;
        let settings = &self.run.settings;
        let store = &self.run.store;
        let list = watch_list::listed(settings, store).await?;
        let others = watch_list::elsewhere(settings, store).await;
        if list.is_empty() {
            // In the line that a monitoring system shows.
            let why = [Some(watch_list::empty(settings, store)), others];
            let why: Vec<String> = why.into_iter().flatten().collect();
            return Err(Failure::other(why.join("; ")));
        }
        let count = list.len();
        let checked = list.into_iter().filter_map(|read| {
            let entry = read.deployment;
            let damage = read.damage;
            let name = entry
                .as_ref()
                .map(Deployment::name)
                .unwrap_or_else(|| "an entry of the watch list".to_owned());
            match (entry, damage) {
                // Limits that cannot be read are not limits that were never set.
                (entry, Some(damage)) => Some(Checked {
                    verdict: Some(Verdict::unknown(&format!("{name}: {damage}"))),
                    subject: entry.map(|entry| self.subject(entry)),
                }),
                (Some(entry), None) if entry.state.is_active() => {
                    Some(Checked::new(self.subject(entry)))
                }
                _ => None,
            }
        });
        let checked: Vec<Checked> = checked.collect();
        let settled = count - checked.len();
        Ok((checked, settled, others))
    }

    fn subject(&self, entry: Deployment) -> Subject {
        let mut subject = Subject::new(entry);
        let speed = &self.arguments.speed;
        apply(speed, self.limits.max_speed_m_s, &mut subject.options);
        subject
    }

    /// The deployments and files that are named, each deployment once. Of several, a word
    /// that names nothing is unknown, and the others are checked.
    async fn named(&self) -> Result<Vec<Checked>, Failure> {
        let words = &self.arguments.deployments;
        if words.is_empty() {
            return Err(Failure::usage("name a deployment, or give --all"));
        }
        let naming = Naming {
            file: &self.arguments.file,
            speed: &self.arguments.speed,
            unread: Unread::Fails,
            of_file: match self.of {
                Of::One => OfFile::Only,
                Of::Several => OfFile::Each,
            },
        };
        if !words.iter().all(|word| super::file::word::is_file(word)) {
            self.look_for_archive().await?;
        }
        let mut list = Vec::new();
        let mut known = Vec::new();
        for word in words {
            match self.run.named(word, &naming).await {
                Ok(subjects) => {
                    for subject in subjects {
                        let uuid = subject.entry.id.uuid;
                        if subject.file.is_none() && known.contains(&uuid) {
                            continue;
                        }
                        known.push(uuid);
                        list.push(Checked::new(subject));
                    }
                }
                Err(failure) if self.of == Of::One => return Err(failure),
                Err(failure) => {
                    let why = format!("{}: {failure}", text::excerpt(word, 80));
                    list.push(Checked {
                        subject: None,
                        verdict: Some(Verdict::unknown(&why)),
                    });
                }
            }
        }
        Ok(list)
    }

    /// Fetches what has no verdict yet: of the watch list what is due, and what has no
    /// archived track.
    async fn fetch(&self, list: &mut [Checked]) -> Result<(), Failure> {
        let asks = if self.arguments.all {
            &[Ask::Due, Ask::All][..]
        } else {
            &[Ask::All]
        };
        let mut stored = Vec::new();
        for ask in asks {
            if *ask == Ask::All && self.arguments.all {
                stored = self.take_doubted(list);
            }
            let open = list
                .iter_mut()
                .filter(|checked| checked.verdict.is_none())
                .filter_map(|checked| checked.subject.as_mut());
            let fetched =
                self.run
                    .fetch(open.collect(), *ask, Fields::With, Some(self.answers_end()));
            fetched.await?;
        }
        // Not answered: as the archive has it.
        for (index, track) in stored {
            let subject = list
                .get_mut(index)
                .and_then(|checked| checked.subject.as_mut());
            if let Some(subject) = subject {
                subject.got.get_or_insert(track);
            }
        }
        Ok(())
    }

    /// Takes out the archived tracks that are silent only by an old difference of the clocks, with
    /// their places: the service is asked once before anybody says so.
    fn take_doubted(&self, list: &mut [Checked]) -> Vec<(usize, Assembled)> {
        let now = unix_now();
        let open = list
            .iter_mut()
            .enumerate()
            .filter(|(_, checked)| checked.verdict.is_none());
        let taken = open.filter_map(|(index, checked)| {
            let subject = checked.subject.as_mut()?;
            let (max_age_s, _) = self.limits.for_entry(&subject.entry);
            let track = &subject.got.as_ref()?.track;
            seen::doubt(track, max_age_s, now)?;
            Some((index, subject.got.take()?))
        });
        taken.collect()
    }

    /// Judges a deployment by its track.
    async fn judge(&self, checked: &mut Checked) -> Result<(), Failure> {
        let Checked {
            subject: Some(subject),
            verdict: verdict @ None,
        } = checked
        else {
            return Ok(());
        };
        let name = subject.entry.name();
        let found = match (&subject.got, &subject.failure) {
            (Some(got), _) => {
                let limits = &self.limits;
                let of_file = Store::in_memory();
                let store = match subject.file {
                    None => &self.run.store,
                    Some(_) => &of_file,
                };
                let found =
                    of_track(&subject.entry, &got.track, limits, store, subject.judged_at).await;
                found.with_unjudged(subject.unjudged.as_ref())
            }
            (None, failure) => {
                let failure = failure.clone().unwrap_or_else(|| self.over());
                match self.of {
                    // With the hint: the line is all that a monitoring system shows.
                    Of::One => Verdict::unknown(&failure.to_string()),
                    Of::Several => Verdict::unknown(&format!("{name}: {}", failure.message())),
                }
            }
        };
        for warning in found.unsaid(&subject.notes) {
            subject.note(warning);
        }
        if subject.file.is_some()
            && let Some(invalid) = subject.track().and_then(|track| track.unusable_text())
        {
            subject.note(&invalid);
        }
        *verdict = Some(found);
        Ok(())
    }

    /// The verdicts with the alarms of the deployments.
    // The alarms are read after the deadline, too: a slow service must not take the time that the
    // archive needs.
    async fn with_alarms(&self, list: Vec<Checked>) -> Vec<Verdict> {
        let is_file = |checked: &Checked| {
            let subject = checked.subject.as_ref();
            subject.is_some_and(|subject| subject.file.is_some())
        };
        let alarms = if list.iter().all(is_file) {
            Ok(Vec::new())
        } else {
            let read_end = self.end.max(Instant::now() + READING);
            // Those in memory, too, of responses that could not be stored.
            let alarms = timeout_at(read_end, self.run.store.recent_alarms()).await;
            alarms.unwrap_or_else(|_| Err(self.over()))
        };
        let judged = list.into_iter().filter_map(|checked| {
            let verdict = checked.verdict?;
            let Some(subject) = checked.subject else {
                return Some(verdict);
            };
            Some(Verdict {
                deployment: Some(subject.id.clone()),
                label: subject.entry.label.clone(),
                ..self.with_own_alarms(verdict, &subject, &alarms)
            })
        });
        judged.collect()
    }

    fn with_own_alarms(
        &self,
        verdict: Verdict,
        subject: &Subject,
        alarms: &Result<Vec<Alarm>, Failure>,
    ) -> Verdict {
        match alarms {
            // The alarms of its id may be of another service.
            Ok(_) if !subject.is_watched => verdict,
            Ok(alarms) => {
                let given = self.limits.given();
                let units = self.limits.notation.units;
                verdict.with_alarms(alarms, &given, subject.entry.id.uuid, units)
            }
            Err(_) if subject.file.is_some() => verdict,
            Err(failure) => verdict.without_alarms(&subject.entry.name(), failure),
        }
    }

    /// Fails if an archive that was named does not exist: without it what is watched, and by
    /// which limits, is not known. The first check may make it if the settings file names it
    /// and lists what is watched.
    async fn look_for_archive(&self) -> Result<(), Failure> {
        let of_run = &self.run.settings;
        let is_of_file = matches!(of_run.source("archive"), settings::Source::File { .. });
        if is_of_file && !of_run.deployments.is_empty() {
            return Ok(());
        }
        self.run.store.look_for_named().await
    }

    /// When answers are no longer waited for. Of several deployments, what the clock decides
    /// of the others and its notifications need the rest of the time, at most a quarter.
    fn answers_end(&self) -> Instant {
        if self.of == Of::One {
            return self.end;
        }
        let rest =
            Duration::from_secs_f64(self.deadline_s / 4.0).min(LONGEST_NOTIFICATION + 2 * READING);
        self.end.checked_sub(rest).unwrap_or(self.end)
    }

    /// The failure at the deadline.
    fn over(&self) -> Failure {
        let deadline = time::whole_duration(self.deadline_s);
        let why = format!("no verdict within {deadline}");
        Failure::new(FailureKind::Unreachable, why, "")
    }
}
