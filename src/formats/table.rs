//! Aligned columns for a terminal; every time is UTC.

use std::io::{self, Write};

use super::columns::rows;
use super::subject::Subject;
use crate::geo::units;
use crate::text;
use crate::track::{Flag, Track, time};

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let units = subject.notation.units;
    let format = subject.notation.coordinates;
    let (latitude, longitude) = format.width();
    let latitude = usize::from(latitude);
    let longitude = usize::from(longitude);
    writeln!(
        out,
        "{:<19}  {:>latitude$}  {:>longitude$}  {:>12}  {:>10}  {:>6}  {:>12}  flag",
        "time UTC", "latitude", "longitude", "leg", "speed", "course", "gap"
    )?;
    let or_dash = |shown: Option<String>| shown.unwrap_or_else(|| "-".to_owned());
    for row in rows(track) {
        let fix = row.fix;
        let leg = row.leg();
        let flag = match fix.flag {
            Flag::Pass => String::new(),
            flag => {
                let reason = track.reason_in(fix.index, units);
                format!("{} {}: {reason}", flag.code(), flag.word())
            }
        };
        let line = format!(
            "{:<19}  {:>latitude$}  {:>longitude$}  {:>12}  {:>10}  {:>6}  {:>12}  {flag}",
            time::table(fix.time_stamp, None),
            format.latitude(fix.position.latitude),
            format.longitude(fix.position.longitude),
            or_dash(leg.map(|leg| units.distance(leg.distance_m))),
            or_dash(
                leg.and_then(|leg| leg.speed_m_s)
                    .map(|speed| units.speed(speed))
            ),
            or_dash(leg.and_then(|leg| leg.course_deg).map(units::course)),
            or_dash(row.gap_s().map(time::duration)),
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
            "invalid {}: {}: {}",
            record.place(),
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
