//! The check of the whole watch list: a first line that sums up, with the
//! performance data, then one line for each deployment.

use std::time::{Duration, Instant};

use super::named::look_for_archive;
use super::verdict::{Limits, Verdict, no_verdict, of_track, plain, settled, word};
use crate::cli::args::{CheckArguments, Global};
use crate::cli::output::{Out, note};
use crate::cli::{alarms, connect};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::intake::archived::{Fields, archived};
use crate::intake::fleet::{self, AT_ONCE, Fleet};
use crate::intake::judge::judge_by_clock;
use crate::intake::update::without_outcome;
use crate::ops::watch_list;
use crate::track::Deployment;

/// Deployments whose performance data are listed one by one. Nagios reads 8 kB of
/// what a plugin prints, and those of one deployment have up to 250 bytes.
const MOST_LISTED: usize = 20;

/// The time that reading the alarms may take where the deadline is over.
const READING: Duration = Duration::from_millis(500);

/// Checks every deployment on the watch list that is neither recovered nor lost,
/// within `deadline` seconds in all.
pub(super) async fn run(
    global: &Global,
    arguments: CheckArguments,
    deadline: f64,
) -> Result<u8, Failure> {
    let end = tokio::time::Instant::from_std(Instant::now() + Duration::from_secs_f64(deadline));
    let settings = connect::settings(global)?;
    let limits = Limits::of(&arguments, settings.notation())?;
    let store = connect::store(&settings);
    look_for_archive(&settings, &store).await?;
    let listed = tokio::time::timeout_at(end, watch_list::listed(&settings, &store));
    let listed = listed.await.unwrap_or_else(|_| {
        Err(Failure::new(
            FailureKind::Unreachable,
            no_verdict(deadline),
            "",
        ))
    })?;
    let mut found: Vec<(Option<Deployment>, Option<Verdict>)> = listed
        .into_iter()
        .filter(|(entry, damage)| {
            damage.is_some() || entry.as_ref().is_none_or(|one| one.state.is_active())
        })
        .map(|(entry, damage)| {
            let name = entry.as_ref().map(Deployment::name);
            let name = name.unwrap_or_else(|| "an entry of the watch list".to_owned());
            // Limits that cannot be read are not limits that were never set.
            let verdict = damage.map(|damage| Verdict::unknown(&name, &damage));
            let settled = || settled(entry.as_ref()?, unix_now());
            let verdict = verdict.or_else(|| Some(Verdict::settled(&name, &settled()?)));
            (entry, verdict)
        })
        .collect();
    let (mut places, mut due): (Vec<usize>, Vec<Deployment>) = found
        .iter()
        .enumerate()
        .filter(|(_, (_, verdict))| verdict.is_none())
        .filter_map(|(place, (entry, _))| Some((place, entry.clone()?)))
        .unzip();
    let active = due.clone();
    // Of what is not due the archive has the last answer.
    let is_due = fleet::due(&store, &due, settings.refresh).await;
    let not_due = places
        .iter()
        .zip(&due)
        .filter(|(_, entry)| !is_due.contains(&entry.uuid));
    let not_due: Vec<(usize, Deployment)> =
        not_due.map(|(place, one)| (*place, one.clone())).collect();
    for (place, entry) in not_due {
        let asked = asked(&limits, &entry);
        let options = asked.options(unix_now());
        let read = archived(&store, asked.uuid, options, Fields::With);
        let Ok(Ok(read)) = tokio::time::timeout_at(end, read).await else {
            continue;
        };
        let Some(assembled) = read.track else {
            continue;
        };
        if let Some((_, slot)) = found.get_mut(place) {
            *slot = Some(of_track(&entry, &assembled.track, &limits, &store).await);
        }
    }
    let is_open = |place: &usize| {
        found
            .get(*place)
            .is_some_and(|(_, verdict)| verdict.is_none())
    };
    (places, due) = places
        .into_iter()
        .zip(due)
        .filter(|(place, _)| is_open(place))
        .unzip();
    if !due.is_empty() {
        let session = connect::session(global, &settings)?;
        let asked = due.iter().map(|entry| asked(&limits, entry));
        let mut fleet = Fleet::fetch(&session, &store, asked, AT_ONCE);
        // What has no outcome at the deadline has no verdict.
        while let Ok(Some((place, outcome))) = tokio::time::timeout_at(end, fleet.next()).await {
            let (Some(entry), Some(place)) = (due.get(place), places.get(place)) else {
                continue;
            };
            let name = entry.name();
            let judged = match outcome {
                Ok(update) => {
                    for warning in &update.notes {
                        note(&format!("driftline: {}: {warning}", plain(&name)));
                    }
                    match &update.track {
                        Some(track) => of_track(entry, track, &limits, &store).await,
                        None => Verdict::unknown(&name, &without_outcome().message()),
                    }
                }
                Err(failure) => Verdict::unknown(&name, &failure.message()),
            };
            if let Some((_, slot)) = found.get_mut(*place) {
                *slot = Some(judged);
            }
        }
        if tokio::time::Instant::now() < end {
            // Only a task that broke down has no outcome before the deadline.
            for (entry, slot) in &mut found {
                let name = entry.as_ref().map(Deployment::name).unwrap_or_default();
                let why = without_outcome();
                slot.get_or_insert_with(|| Verdict::unknown(&name, &why.message()));
            }
        }
    }
    // What was fetched is judged as it is stored; what gave no answer by the clock.
    let judged = judge_by_clock(&store, active, settings.refresh.as_secs_f64());
    let _ = tokio::time::timeout_at(end, judged).await;
    // A response that does not come by the deadline must not take the time that an
    // archive needs.
    let read_end = end.max(tokio::time::Instant::now() + READING);
    let alarms = tokio::time::timeout_at(read_end, store.alarms(false)).await;
    let alarms = alarms.unwrap_or_else(|_| {
        Err(Failure::new(
            FailureKind::Unreachable,
            no_verdict(deadline),
            "",
        ))
    });
    let verdicts: Vec<(String, Verdict)> = found
        .into_iter()
        .map(|(entry, verdict)| {
            let name = entry.as_ref().map(Deployment::name).unwrap_or_default();
            let verdict = verdict.unwrap_or_else(|| Verdict::unknown(&name, &no_verdict(deadline)));
            let uuid = entry.map(|one| one.uuid).unwrap_or_default();
            let verdict = match &alarms {
                Ok(alarms) => verdict.with_alarms(alarms, uuid, settings.units),
                Err(failure) => verdict.without_alarms(&name, failure),
            };
            (uuid.to_string(), verdict)
        })
        .collect();
    let (status, text) = report(&verdicts);
    Out::new().text(&text)?;
    alarms::tell_until(end, &settings, &store).await;
    Ok(status)
}

/// An entry as it is asked for: a platform or speed limit given as a flag counts for the
/// flags of the fixes as well.
fn asked(limits: &Limits, entry: &Deployment) -> Deployment {
    let options = limits.options(entry);
    let mut entry = entry.clone();
    entry.platform = options.platform;
    entry.limits.max_speed_m_s = options.max_speed_m_s;
    entry
}

/// The exit status and the lines. Performance data are on the first line alone:
/// a bar on a later one would make data of all that follow (Monitoring Plugins
/// guidelines). Of more than [`MOST_LISTED`] deployments they are the number of each
/// status.
fn report(verdicts: &[(String, Verdict)]) -> (u8, String) {
    if verdicts.is_empty() {
        let line = "DRIFTLINE UNKNOWN - the watch list has no deployment to check\n";
        return (3, line.to_owned());
    }
    let count = |status: u8| {
        verdicts
            .iter()
            .filter(|(_, one)| one.status == status)
            .count()
    };
    // The worst first: a deployment that is overdue is known to be, one without a
    // verdict may be well.
    const WORST: [u8; 4] = [2, 3, 1, 0];
    let worst = WORST.into_iter().find(|status| count(*status) > 0);
    let status = worst.unwrap_or(3);
    let counts: Vec<String> = WORST
        .into_iter()
        .filter(|status| count(*status) > 0)
        .map(|status| format!("{} {}", count(status), word(status)))
        .collect();
    let mut text = format!(
        "DRIFTLINE {} - {} deployment{}: {}",
        word(status),
        verdicts.len(),
        if verdicts.len() == 1 { "" } else { "s" },
        counts.join(", ")
    );
    let figures: Vec<String> = if verdicts.len() > MOST_LISTED {
        let all = verdicts.len();
        let of = |status: u8| {
            let name = word(status).to_lowercase();
            format!("{name}={};;;0;{all}", count(status))
        };
        [0, 1, 2, 3].map(of).into()
    } else {
        let each = verdicts.iter().flat_map(|(uuid, verdict)| {
            let figures = verdict.figures.iter();
            figures.map(move |(name, value)| format!("{uuid}_{name}={value}"))
        });
        each.collect()
    };
    if !figures.is_empty() {
        text.push_str(" | ");
        text.push_str(&figures.join(" "));
    }
    text.push('\n');
    for (_, verdict) in verdicts {
        text.push_str(&format!("{} - {}\n", word(verdict.status), verdict.text));
    }
    (status, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(status: u8, text: &str) -> (String, Verdict) {
        let verdict = Verdict {
            status,
            text: plain(text),
            figures: vec![("age", "5s;;;0".to_owned())],
            fields: Vec::new(),
        };
        (format!("u{status}"), verdict)
    }

    #[test]
    fn the_worst_is_the_exit_status_and_unknown_is_worse_than_late() {
        for (found, expected) in [
            (vec![0, 0], 0),
            (vec![0, 1], 1),
            (vec![1, 3, 0], 3),
            (vec![3, 2, 1], 2),
        ] {
            let verdicts: Vec<_> = found.iter().map(|status| one(*status, "x: y")).collect();
            let (status, text) = report(&verdicts);
            assert_eq!(status, expected);
            assert_eq!(text.lines().count(), found.len() + 1);
        }
        assert_eq!(report(&[]).0, 3);
    }

    #[test]
    fn the_figures_of_many_are_those_of_all_together_and_stay_short() {
        let long = |status: u8| {
            let mut found = one(status, "x: y");
            let figure = ("distance", "123456789;123456789;123456789;0".to_owned());
            found.1.figures = vec![figure; 4];
            found.0 = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa".to_owned();
            found
        };
        let of = |count: usize| {
            let verdicts: Vec<_> = (0..count).map(|n| long(u8::from(n == 7))).collect();
            let (_, text) = report(&verdicts);
            assert_eq!(text.lines().count(), count + 1);
            text.lines().next().unwrap().to_owned()
        };
        let listed = of(MOST_LISTED);
        assert_eq!(listed.matches("_distance=").count(), 4 * MOST_LISTED);
        assert!(listed.len() < 8000, "{}", listed.len());
        for count in [MOST_LISTED + 1, 5000] {
            let good = count - 1;
            assert_eq!(
                of(count),
                format!(
                    "DRIFTLINE WARNING - {count} deployments: 1 WARNING, {good} OK | \
                     ok={good};;;0;{count} warning=1;;;0;{count} critical=0;;;0;{count} unknown=0;;;0;{count}"
                )
            );
        }
    }

    #[test]
    fn all_figures_are_on_the_first_line_and_no_name_breaks_another() {
        let verdicts = [one(0, "a | b\nCRITICAL - c: overdue"), one(2, "d: e")];
        let (_, text) = report(&verdicts);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "DRIFTLINE CRITICAL - 2 deployments: 1 CRITICAL, 1 OK | u0_age=5s;;;0 u2_age=5s;;;0"
        );
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("OK - a / b"), "{text}");
        assert!(!lines[1..].iter().any(|line| line.contains('|')));
    }
}
