//! The flag `--override` of `track`: flags of fixes that the user sets, as by a key of the
//! dashboard.

use std::sync::Arc;

use super::output::note;
use super::subject::Subject;
use crate::app::alarms::judge::judge_archived;
use crate::app::store::Store;
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::text;
use crate::track::{Flag, Transmission, time};

/// The flag for the fixes of a time.
pub(super) struct Override {
    /// The time as it was typed.
    typed: String,
    /// UNIX seconds.
    at: f64,
    /// `None`: the quality tests set it again.
    flag: Option<Flag>,
}

/// A time is written with microseconds at most: closer ones are the same.
const SAME_S: f64 = 1e-6;

/// Parses the values of `--override`: `TIME=fail`, `TIME=pass` or `TIME=none`.
pub(super) fn parse(all: &[String]) -> Result<Vec<Override>, Failure> {
    let parse_single = |typed: &String| {
        let wrong = |why: String| {
            let shown = text::excerpt(typed, 60);
            Failure::usage(format!("--override {shown}: {why}"))
        };
        let (at, flag) = match typed.rsplit_once('=') {
            Some((at, "fail")) => (at, Some(Flag::Fail)),
            Some((at, "pass")) => (at, Some(Flag::Pass)),
            Some((at, "none")) => (at, None),
            _ => {
                return Err(wrong("give TIME=fail, TIME=pass or TIME=none".to_owned()));
            }
        };
        let parsed = time::parse(at, unix_now()).map_err(|error| wrong(error.to_string()))?;
        Ok(Override {
            typed: at.to_owned(),
            at: parsed,
            flag,
        })
    };
    all.iter().map(parse_single).collect()
}

/// Stores the flags in the archive, judges by them, and assembles the track with them.
///
/// # Errors
/// `FailureKind::Usage` for a time without a fix, and for a deployment that is not on the
/// watch list; any if the archive cannot be written.
pub(super) async fn set(
    all: &[Override],
    subject: &mut Subject,
    store: &Store,
) -> Result<(), Failure> {
    let Some(got) = subject.got.as_mut().filter(|_| !all.is_empty()) else {
        return Ok(());
    };
    let uuid = subject.entry.uuid;
    if store.entry(uuid).await?.is_none() && !store.is_configured(uuid) {
        return Err(Failure::usage(format!(
            "--override: {uuid} is not on the watch list, and only its flags are stored"
        ))
        .with_hint(format!("Add it first: `driftline deployments add {uuid}`.")));
    }
    let mut changes = Vec::new();
    for wanted in all {
        let fixes = got
            .track
            .fixes()
            .filter(|fix| (fix.time_stamp - wanted.at).abs() < SAME_S);
        let before = changes.len();
        changes.extend(fixes.map(|fix| {
            let fix = Transmission {
                time_stamp: fix.time_stamp,
                position: fix.position,
            };
            (fix, wanted.flag)
        }));
        if changes.len() == before {
            return Err(Failure::usage(format!(
                "--override: no fix at {}",
                text::excerpt(&wanted.typed, 40)
            ))
            .with_hint("The column `time` of `driftline track --format csv` has the times."));
        }
    }
    let flags = &mut got.options.overrules;
    for (fix, flag) in changes {
        match flag {
            Some(flag) => flags.set(fix.time_stamp, fix.position, flag),
            None => flags.clear(fix.time_stamp, fix.position),
        }
        let stored = store.write(move |archive| archive.set_override(uuid, fix, flag, unix_now()));
        stored.await?;
        let at = time::rfc3339(fix.time_stamp);
        note(&match flag {
            Some(flag) => format!("the flag of the fix at {at} is set to {}", flag.word()),
            None => format!("the quality tests set the flag of the fix at {at} again"),
        });
    }
    got.track = Arc::new(got.track.reassembled(&got.options));
    judge_archived(store, uuid).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_is_a_time_and_one_of_three_words() {
        let of = |typed: &str| parse(&[typed.to_owned()]);
        for (typed, flag) in [
            ("2026-01-02T03:04:05Z=fail", Some(Flag::Fail)),
            ("2026-01-02=pass", Some(Flag::Pass)),
            ("2026-01-02T03:04:05.25Z=none", None),
        ] {
            assert_eq!(of(typed).unwrap()[0].flag, flag, "{typed}");
        }
        for wrong in ["", "2026-01-02", "=fail", "2026-01-02=suspect", "soon=fail"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
