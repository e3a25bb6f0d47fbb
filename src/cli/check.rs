//! A monitoring plugin: one line with the state and performance data, and the
//! exit status of the Monitoring Plugins guidelines (0 OK, 1 warning, 2
//! critical, 3 unknown).

use std::time::Duration;

use super::args::{CheckArguments, Global};
use super::connect;
use super::output::Out;
use super::track;
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::geo::circle::WatchCircle;
use crate::geo::{CoordinateFormat, Units, units};
use crate::ops::watch_list;
use crate::text;
use crate::track::{DeclaredState, Deployment, State, Track, TrackOptions, time};

/// Prints the line of a failure and returns 3: the status is unknown.
pub(super) fn unknown(failure: &Failure) -> u8 {
    let line = format!("DRIFTLINE UNKNOWN - {}", plain(&failure.message()));
    let _ = Out::new().text(&format!("{line}\n"));
    3
}

/// Text on one line without the bar `|`, which begins the performance data.
fn plain(message: &str) -> String {
    text::excerpt(message, 400).replace('|', "/")
}

pub(super) async fn run(global: &Global, arguments: CheckArguments) -> Result<u8, Failure> {
    let deadline = connect::duration("--deadline", &arguments.deadline)?;
    let verdict = judged(global, arguments);
    tokio::time::timeout(Duration::from_secs_f64(deadline), verdict)
        .await
        .unwrap_or_else(|_| {
            Err(Failure::new(
                FailureKind::Unreachable,
                format!("no verdict within {}", time::duration(deadline)),
                "",
            ))
        })
}

async fn judged(global: &Global, arguments: CheckArguments) -> Result<u8, Failure> {
    let uuid = connect::deployment(&arguments.deployment)?;
    let max_age = arguments
        .max_age
        .as_deref()
        .map(|age| connect::duration("--max-age", age))
        .transpose()?;
    let circle = arguments.inside.as_deref().map(watch_circle).transpose()?;
    let max_speed_m_s = track::max_speed(arguments.max_speed.as_deref())?;
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    // Limits that cannot be read are not limits that were never set: without
    // them there is no OK.
    let known = watch_list::known(uuid, &settings, &store).await?;
    let entry = known.entry;
    let entry = entry.unwrap_or_else(|| Deployment::new(uuid));
    let name = entry.name();
    // What was recovered or given up has no status to ask the service for.
    if let Some(word) = declared(entry.state) {
        let line = format!("DRIFTLINE OK - {}: {word}\n", plain(&name));
        return Out::new().text(&line);
    }
    // The limits of the watch list, unless flags override them.
    let limits = entry.limits;
    let (max_age, circle) = (max_age.or(limits.max_age_s), circle.or(limits.circle));
    // Like `track`: with overridden flags and withdrawn records.
    let options = TrackOptions {
        overrules: known.overrides,
        ..track::options(&entry, arguments.platform, max_speed_m_s, unix_now())
    };
    let (track, _) = track::online(global, &settings, &store, uuid, options).await?;
    let (status, line) = status_line(&name, &track, max_age, circle, unix_now());
    Out::new().text(&format!("{line}\n"))?;
    Ok(status)
}

/// The exit status and the line.
fn status_line(
    name: &str,
    track: &Track,
    max_age: Option<f64>,
    circle: Option<WatchCircle>,
    now: f64,
) -> (u8, String) {
    let name = plain(name);
    let Some(fix) = track.latest() else {
        return (
            3,
            format!("DRIFTLINE UNKNOWN - {name}: {}", without_fix(track)),
        );
    };
    let health = track.health(now);
    let age = health.age_s.unwrap_or(0.0);
    let away = circle.map(|circle| circle.distance_m(fix.position));
    let outside = circle
        .zip(away)
        .is_some_and(|(circle, away)| away > circle.radius_m);
    let too_old = max_age.is_some_and(|limit| age > limit);
    let (status, word, why) = match health.state {
        _ if outside => (2, "CRITICAL", "outside the watch circle"),
        _ if too_old => (2, "CRITICAL", "older than allowed"),
        State::OnTime => (0, "OK", "on time"),
        State::Recovered => (0, "OK", "recovered"),
        State::DeclaredLost => (0, "OK", "declared lost"),
        // With a maximum age, the reporting interval is not used.
        _ if max_age.is_some() => (0, "OK", "OK by the age allowed"),
        State::Late => (1, "WARNING", "late"),
        State::Overdue => (2, "CRITICAL", "overdue"),
        State::Lost => (2, "CRITICAL", "lost"),
        State::Unknown => (3, "UNKNOWN", "one fix only: interval unknown"),
    };
    let leg = track.leg(fix.index);
    let speed = leg.and_then(|leg| leg.speed_m_s);
    let position = fix.position;
    let (latitude, longitude) = CoordinateFormat::Dd.pair(position);
    let limit = track.limit_text(Units::Nautical);
    let speed_text = match speed {
        Some(speed) => format!(", {:.2} kn ({limit})", units::SpeedUnit::Knots.of(speed)),
        None => format!(", speed {limit}"),
    };
    let away_text = away.map_or_else(String::new, |away| format!(", {away:.0} m from the centre"));
    let thresholds = match (max_age, health.interval_s) {
        (Some(limit), _) => format!(";{limit:.0}"),
        (None, Some(interval)) => format!("{:.0};{:.0}", 1.5 * interval, 3.0 * interval),
        (None, None) => ";".to_owned(),
    };
    let mut line = format!(
        "DRIFTLINE {word} - {name}: {why}, last fix {} at {latitude} {longitude}{speed_text}{away_text} | age={age:.0}s;{thresholds};0",
        time::age(fix.time_stamp, now)
    );
    if let Some(speed) = speed {
        line.push_str(&format!(" speed={speed:.3};;;0"));
    }
    if let (Some(circle), Some(away)) = (circle, away) {
        line.push_str(&format!(" distance={away:.0};;{:.0};0", circle.radius_m));
    }
    line.push_str(&format!(" fixes={};;;0", track.len()));
    (status, line)
}

/// The status of a deployment by what the user declares it to be; none where it
/// should report.
fn declared(state: DeclaredState) -> Option<&'static str> {
    match state {
        DeclaredState::Active => None,
        DeclaredState::Recovered => Some("recovered"),
        DeclaredState::Lost => Some("declared lost"),
    }
}

/// Why a track has no last fix.
fn without_fix(track: &Track) -> &'static str {
    if track.is_empty() && track.unusable().is_empty() {
        "no fixes yet"
    } else {
        "no fix, or all failed quality control"
    }
}

/// Parses a watch circle.
fn watch_circle(typed: &str) -> Result<WatchCircle, Failure> {
    typed
        .parse()
        .map_err(|error| Failure::usage(format!("--inside {}: {error}", text::excerpt(typed, 60))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::track::{Platform, Records, TrackOptions, Transmission};

    fn track(ages_s: &[f64], now: f64) -> Track {
        let transmissions = ages_s
            .iter()
            .map(|age| Transmission {
                time_stamp: now - age,
                position: Position::new(57.92, 2.11).unwrap(),
            })
            .collect();
        Track::assemble(
            Records {
                transmissions,
                ..Records::default()
            },
            &TrackOptions::new(Platform::Mooring, now),
        )
    }

    #[test]
    fn the_state_is_the_exit_status_and_stands_in_one_line() {
        let now = 1e9;
        for (last, status, word) in [
            (600.0, 0, "OK"),
            (6000.0, 1, "WARNING"),
            (20_000.0, 2, "CRITICAL"),
        ] {
            let track = track(&[last + 7200.0, last + 3600.0, last], now);
            let (got, line) = status_line("buoy | 7\n", &track, None, None, now);
            assert_eq!(got, status, "{line}");
            assert!(
                line.starts_with(&format!("DRIFTLINE {word} - buoy / 7^J: ")),
                "{line}"
            );
            assert!(
                line.contains(&format!("| age={last:.0}s;5400;10800;0")),
                "{line}"
            );
        }
        let (status, line) = status_line("x", &track(&[], now), None, None, now);
        assert_eq!(
            (status, line.as_str()),
            (3, "DRIFTLINE UNKNOWN - x: no fixes yet")
        );
        assert_eq!(status_line("x", &track(&[5.0], now), None, None, now).0, 3);
    }

    #[test]
    fn a_limit_of_its_own_and_a_circle_decide() {
        let now = 1e9;
        let track = track(&[7800.0, 4200.0, 600.0], now);
        assert_eq!(status_line("x", &track, Some(300.0), None, now).0, 2);
        assert_eq!(status_line("x", &track, Some(900.0), None, now).0, 0);
        let circle = |typed: &str| Some(watch_circle(typed).unwrap());
        assert_eq!(
            status_line("x", &track, None, circle("57.92,2.11,10"), now).0,
            0
        );
        assert_eq!(
            status_line("x", &track, None, circle("57.93,2.11,1km"), now).0,
            2
        );
        assert_eq!(
            status_line("x", &track, None, circle("57.93,2.11,1nm"), now).0,
            0
        );
    }
}
