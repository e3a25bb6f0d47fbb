//! The facts of the fix under the cursor of the open track.

use super::field_values;
use super::label::field_label;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::sheet::Fact;
use crate::geo::units;
use crate::text;
use crate::track::{Leg, Reason, Track, time};

/// Who overrode the flag of a fix, the result of the tests, and the key that restores
/// it.
fn overruled(track: &Track, index: usize, shared: &Shared) -> [String; 3] {
    let tests = match track.tested(index) {
        Some((flag, reason)) => format!("the tests had said: {}, {}", flag.word(), reason.text()),
        None => "the tests had not failed it".to_owned(),
    };
    let key = shared.key_of(Action::OverrideFlag);
    [
        "by the user of this archive".to_owned(),
        tests,
        format!("{key} in the table restores the flag"),
    ]
}

/// The number of the fix in its track, and labels with their values: time in UTC and on
/// this computer's clock, flag with its reason, position in every format, the legs
/// before and after it, and all fields of the record.
pub(crate) fn facts(tab: &TrackTab, shared: &Shared, theme: Theme) -> Option<(String, Vec<Fact>)> {
    let track = tab.shown_track(shared)?;
    let fix = track.fix(tab.cursor)?;
    let mut facts: Vec<Fact> = Vec::new();
    let mut fact = |label: &str, value: String| {
        facts.push((label.to_owned(), value, theme.text()));
    };
    fact("time", format!("{} UTC", time::table(fix.time_stamp, None)));
    let local = time::table(fix.time_stamp, Some(&shared.screen.host.zone));
    let zone = time::zone_name(fix.time_stamp, &shared.screen.host.zone);
    if zone != "UTC" {
        fact("", format!("{local} {zone}"));
    }
    let now = track.clock().later(shared.now);
    fact("age", time::age(fix.time_stamp, now));
    let shown = shared.settings.coordinates;
    let formats = [shown, shown.next(), shown.next().next()];
    for (number, coordinates) in formats.into_iter().enumerate() {
        let (latitude, longitude) = coordinates.pair(fix.position);
        let label = if number == 0 { "position" } else { "" };
        fact(label, format!("{} {}", latitude.trim(), longitude.trim()));
    }
    if let Some(class) = track.location_class(fix.index) {
        let error = shared.settings.units.distance(class.error_m());
        let words = format!("class {}: may be {error} off", class.name());
        fact("Argos", words);
    }
    let length = |leg: Leg| {
        let distance = shared.settings.units.distance(leg.distance_m);
        format!("{distance} in {}", time::interval(leg.duration_s))
    };
    let leg = track.leg(fix.index);
    match leg.or_else(|| tab.leg_into_range(shared, fix.index)) {
        Some(leg) => {
            fact("leg", length(leg));
            if let Some(speed) = leg.speed_m_s {
                fact("SOG", shared.settings.units.speed(speed));
            }
            if let Some(course) = leg.course_deg {
                fact("COG", units::course(course));
            }
        }
        None => {
            let why = if !track.is_included(fix.index) {
                "this fix does not count"
            } else if track.leg_start(fix.index).is_some() {
                "it has the time of the fix before"
            } else {
                "no fix before it counts"
            };
            fact("leg", format!("none: {why}"));
        }
    }
    // A fix that is wrong is fast on both its sides.
    let next = (fix.index + 1..track.len()).find_map(|index| track.leg(index));
    if let Some(leg) = next.filter(|leg| leg.from == fix.index) {
        let words = |speed| format!(", {}", shared.settings.units.speed(speed));
        let speed = leg.speed_m_s.map_or_else(String::new, words);
        fact("next leg", format!("{}{speed}", length(leg)));
    }
    if track.times_sent(fix.index) > 1 {
        fact("sent", format!("{} times", track.times_sent(fix.index)));
    }
    if track.is_absent_from_latest(fix.index) {
        let absent = "no longer: absent from the latest response";
        fact("sent", absent.to_owned());
    }
    // They have no row that could show the reason.
    facts.extend(
        track
            .unusable_text()
            .map(|words| ("invalid".to_owned(), words, theme.warning())),
    );
    let (mark, style) = theme.flag(fix.flag);
    let reason = format::reason(track, &fix, shared.settings.units);
    let words = format!("{mark} {}: {reason}", fix.flag.word());
    let flag = words.trim().trim_end_matches([':', ' ']).to_owned();
    facts.insert(0, ("flag".to_owned(), flag, style));
    if fix.reason == Reason::Overridden {
        let of_user =
            overruled(track, fix.index, shared).map(|words| (String::new(), words, theme.text()));
        facts.splice(1..1, of_user);
    }
    let named = field_values::all(tab, shared);
    for other in &tab.fields.others {
        let name = field_label(&other.column);
        if !named.iter().any(|(known, _)| *known == name) {
            facts.push((name, "none at this time".to_owned(), theme.text()));
        }
    }
    let named = named.into_iter();
    facts.extend(named.map(|(name, value)| (name, value, theme.text())));
    if tab.fields.is_reading {
        facts.push(("fields".to_owned(), "being read".to_owned(), theme.dim()));
    }
    let [number, count] = [fix.index + 1, track.len()].map(text::count);
    Some((format!("fix {number} of {count}"), facts))
}
