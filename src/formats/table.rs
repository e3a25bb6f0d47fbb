//! Aligned columns for a terminal; every time is UTC.

use std::io::{self, Write};

use super::columns::rows;
use super::subject::Subject;
use crate::geo::{CoordinateFormat, units};
use crate::text;
use crate::track::{Flag, Track, time};

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<19}  {:>10}  {:>11}  {:>12}  {:>9}  {:>6}  {:>12}  flag",
        "time UTC", "latitude", "longitude", "leg m", "speed m/s", "course", "gap s"
    )?;
    let decimals = |value: Option<f64>, places: usize| {
        value.map_or_else(|| "-".to_owned(), |v| format!("{v:.places$}"))
    };
    for row in rows(track) {
        let format = CoordinateFormat::Dd;
        let (fix, leg) = (row.fix, row.leg());
        let flag = match fix.flag {
            Flag::Pass => String::new(),
            flag => {
                let reason = track.reason_text(fix.index);
                format!("{} {}: {reason}", flag.code(), flag.word())
            }
        };
        let line = format!(
            "{:<19}  {:>10}  {:>11}  {:>12}  {:>9}  {:>6}  {:>12}  {flag}",
            time::table(fix.time_stamp, None),
            format.latitude(fix.position.latitude),
            format.longitude(fix.position.longitude),
            decimals(leg.map(|leg| leg.distance_m), 1),
            decimals(leg.and_then(|leg| leg.speed_m_s), 3),
            leg.and_then(|leg| leg.course_deg)
                .map_or_else(|| "-".to_owned(), units::course),
            decimals(row.gap_s(), 0),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    let summary = track.summary();
    let health = track.health(subject.now);
    writeln!(
        out,
        "\n{}: {} fixes, {} invalid, {} {}, {} suspect, {} failed; {}",
        text::clean(subject.name()),
        summary.fixes,
        summary.unusable,
        summary.repeats,
        match summary.repeats {
            1 => "duplicate",
            _ => "duplicates",
        },
        summary.suspect,
        summary.fail,
        health.state.word()
    )?;
    for record in track.unusable().iter().take(20) {
        writeln!(
            out,
            "invalid record {}: {}: {}",
            record.index,
            text::clean(&record.fault.to_string()),
            text::clean(&record.excerpt)
        )?;
    }
    if track.unusable_count() > 20 {
        let listed = match track.unusable_count() - track.unusable().len() {
            0 => "all".to_owned(),
            _ => format!("the first {}", track.unusable().len()),
        };
        writeln!(
            out,
            "and {} more; --format json lists {listed}",
            track.unusable_count() - 20
        )?;
    }
    Ok(())
}
