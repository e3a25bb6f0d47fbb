//! The output of `check`: lines for a monitoring system, or an object.

use super::verdict::{Verdict, plain, word};
use crate::cli::output::{Out, warn};
use crate::failure::Failure;
use crate::formats::Format;
use crate::text;
use crate::text::json::{Object, object};
use crate::track::time;

/// Deployments whose performance data are listed one by one. Nagios reads 8 kB of
/// what a plugin prints, and those of each deployment have up to 250 bytes.
const MOST_LISTED: usize = 20;

/// Most names in the first line.
const MOST_NAMED: usize = 4;
/// The worst first. Critical is worse than unknown: it is certain.
const WORST: [u8; 4] = [2, 3, 1, 0];

/// How many deployments an output is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    One,
    Several,
}

/// Prints a verdict that is unknown because of a failure.
pub(super) fn print_unknown(failure: &Failure, form: Format, of: Of) -> Result<u8, Failure> {
    // With the hint: the line is all that a monitoring system shows.
    let verdict = Verdict::unknown(&failure.to_string());
    match (form, of) {
        (Format::Json, Of::Several) => print_all(&[verdict], 0, &[], form),
        _ => print(&verdict, form),
    }
}

/// Prints the verdict on a single deployment; returns the exit status.
pub(super) fn print(verdict: &Verdict, form: Format) -> Result<u8, Failure> {
    match form {
        Format::Json => Out::new().json(&object(verdict))?,
        _ => Out::new().text(&format!("{}\n", verdict.line()))?,
    };
    Ok(verdict.status)
}

fn object(verdict: &Verdict) -> Object {
    object! {
        status: word(verdict.status),
        code: verdict.status,
        deployment: &verdict.deployment,
        label: &verdict.label,
        age_s: verdict.age_s,
        fix: verdict.fix.map(|fix| object! {
            time: time::rfc3339(fix.time_stamp),
            latitude: fix.position.latitude,
            longitude: fix.position.longitude,
        }),
        // The age from which on it is overdue, seconds.
        limit: verdict.limit_s,
        text: &verdict.text,
    }
}

/// Prints the verdicts on several deployments, how many others of the watch list are
/// recovered or lost if there are none, and the faults that are not of one of them alone; returns
/// the exit status.
pub(super) fn print_all(
    all: &[Verdict],
    settled: usize,
    faults: &[String],
    form: Format,
) -> Result<u8, Failure> {
    let (status, text) = report(all, settled, faults);
    match form {
        Format::Json => {
            faults.iter().for_each(warn);
            Out::new().json(&object! {
                status: word(status),
                code: status,
                deployments: all.iter().map(object).collect::<Vec<_>>(),
            })?
        }
        _ => Out::new().text(&text)?,
    };
    Ok(status)
}

/// The exit status and the lines. Performance data are on the first line alone:
/// a bar on a later one would make data of all that follow (Monitoring Plugins
/// guidelines). Of more than [`MOST_LISTED`] deployments they are the number of each
/// status. With a fault the status is unknown at least.
fn report(verdicts: &[Verdict], settled: usize, faults: &[String]) -> (u8, String) {
    if verdicts.is_empty() && faults.is_empty() {
        let all = text::counted(settled, "deployment", "deployments");
        let line = format!(
            "DRIFTLINE OK - nothing to check: {all} on the watch list, recovered or lost\n"
        );
        return (0, line);
    }
    let of_status = |status: u8| {
        verdicts
            .iter()
            .filter(move |verdict| verdict.status == status)
    };
    let count = |status: u8| of_status(status).count();
    let is_found = |status: &u8| count(*status) > 0 || *status == 3 && !faults.is_empty();
    let status = WORST.into_iter().find(is_found).unwrap_or(3);
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
    // Of those that are not well, the worst first: a pager shows the first line alone.
    let bad = WORST.into_iter().filter(|status| *status > 0);
    let names = bad
        .flat_map(of_status)
        .filter_map(|verdict| verdict.label.as_ref().or(verdict.deployment.as_ref()))
        .map(|name| plain(&text::excerpt(name, 40)));
    let named = text::first_of(names, MOST_NAMED);
    let named = (!named.is_empty()).then_some(named);
    for words in named
        .into_iter()
        .chain(faults.iter().map(|fault| plain(fault)))
    {
        text.push_str("; ");
        text.push_str(&words);
    }
    let figures: Vec<String> = if verdicts.len() > MOST_LISTED {
        let all = verdicts.len();
        let of = |status: u8| {
            let name = word(status).to_lowercase();
            format!("{name}={};;;0;{all}", count(status))
        };
        [0, 1, 2, 3].map(of).into()
    } else {
        let each = verdicts.iter().flat_map(|verdict| {
            let id = verdict.deployment.as_deref().unwrap_or_default();
            let figures = verdict.figures.iter();
            figures.map(move |(name, value)| format!("{}={value}", figure(id, name)))
        });
        each.collect()
    };
    if !figures.is_empty() {
        text.push_str(" | ");
        text.push_str(&figures.join(" "));
    }
    text.push('\n');
    for verdict in verdicts {
        text.push_str(&format!("{} - {}\n", word(verdict.status), verdict.text));
    }
    (status, text)
}

/// The label of a figure of a deployment, in quotation marks where its id is not one word.
fn figure(id: &str, name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    if id.chars().all(is_plain) {
        format!("{id}_{name}")
    } else {
        let id = plain(id).replace(['\'', '='], "_");
        format!("'{id}_{name}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn one(status: u8, text: &str) -> Verdict {
        Verdict {
            status,
            deployment: Some(Uuid::from_u128(u128::from(status)).to_string()),
            text: plain(text),
            figures: vec![("age", "5s;;;0".to_owned())],
            ..Verdict::default()
        }
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
            let (status, text) = report(&verdicts, 0, &[]);
            assert_eq!(status, expected);
            assert_eq!(text.lines().count(), found.len() + 1);
        }
        let (status, text) = report(&[], 2, &[]);
        assert_eq!(status, 0);
        assert_eq!(
            text,
            "DRIFTLINE OK - nothing to check: 2 deployments on the watch list, recovered or lost\n"
        );
    }

    #[test]
    fn the_figures_of_many_are_those_of_all_together_and_stay_short() {
        let long = |status: u8| {
            let mut found = one(status, "x: y");
            let figure = ("distance", "123456789;123456789;123456789;0".to_owned());
            found.figures = vec![figure; 4];
            found
        };
        let of = |count: usize| {
            let verdicts: Vec<_> = (0..count).map(|n| long(u8::from(n == 7))).collect();
            let (_, text) = report(&verdicts, 0, &[]);
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
                    "DRIFTLINE WARNING - {count} deployments: 1 WARNING, {good} OK; \
                     00000000-0000-0000-0000-000000000001 | \
                     ok={good};;;0;{count} warning=1;;;0;{count} critical=0;;;0;{count} unknown=0;;;0;{count}"
                )
            );
        }
    }

    #[test]
    fn all_figures_are_on_the_first_line_and_no_name_breaks_another() {
        let verdicts = [one(0, "a | b\nCRITICAL - c: overdue"), one(2, "d: e")];
        let (_, text) = report(&verdicts, 0, &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "DRIFTLINE CRITICAL - 2 deployments: 1 CRITICAL, 1 OK; \
             00000000-0000-0000-0000-000000000002 | \
             00000000-0000-0000-0000-000000000000_age=5s;;;0 \
             00000000-0000-0000-0000-000000000002_age=5s;;;0"
        );
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("OK - a / b"), "{text}");
        assert!(!lines[1..].iter().any(|line| line.contains('|')));
    }
}
