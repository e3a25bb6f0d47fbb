//! The numbers on the two axes of the timeline.

use crate::dashboard::format;
use crate::dashboard::model::Model;
use crate::map::fields::{Extent, usual_ends};
use crate::track::time;

/// Part of the columns whose speeds may be beyond the speed axis.
const BEYOND: f64 = 0.05;
/// On a narrow timeline this many may be, up to an eighth of all: each of a few bad legs
/// has a column of its own.
const BEYOND_OF_FEW: usize = 4;
/// A highest speed of at most this many times that of the columns within the
/// axis is within it too.
const NEARLY: f64 = 1.25;
/// Round numbers of the speed axis, whose halves need no third digit, and its lowest top.
const ROUND: [f64; 10] = [1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0];
const LEAST: f64 = 0.1;

/// The top of the speed axis for the speeds of the columns, in their unit: a
/// round number that 95 % of them, or all but four, do not exceed, nor the latest: a
/// mooring that has just broken loose is within the axis. More than 0.
pub(super) fn top_speed(speeds: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = speeds.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(&highest) = sorted.last() else {
        return 1.0;
    };
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // at most a few hundred columns
    let share = (sorted.len() as f64 * BEYOND) as usize;
    let beyond = share.max(BEYOND_OF_FEW.min(sorted.len() / 8));
    let most = sorted.iter().rev().nth(beyond).copied();
    let most = most.unwrap_or(highest);
    let top = if highest <= most * NEARLY {
        highest
    } else {
        most
    };
    let latest = speeds.iter().rev().find(|speed| speed.is_finite());
    let latest = latest.copied().unwrap_or(top);
    round_up(&ROUND, top.max(latest).max(LEAST))
}

/// A number on the speed axis, which is round: `1.5`, `0.25`, `40`.
pub(super) fn speed_label(speed: f64) -> String {
    value_label(speed, LEAST)
}

/// The ends of the axis of a field, and the round step of its labels. 97.5 % of the
/// columns' lowest values are not below the low end, 97.5 % of their highest not above
/// the high end, with the exceptions of [`usual_ends`]. A field can be negative, so that
/// neither end is 0 by itself. `extents` are those of the columns, `whole` that of all
/// values.
pub(super) fn value_ends(extents: &[Extent], whole: Extent) -> (f64, f64, f64) {
    let extents = || extents.iter().filter(|extent| !extent.is_none());
    let lows = extents().map(|extent| extent.low).collect();
    let highs = extents().map(|extent| extent.high).collect();
    let (low, high) = usual_ends(lows, highs, whole).unwrap_or((0.0, 1.0));
    let step = round_up(&ROUND_STEPS, (high - low) / 8.0);
    let nearly = step * 1e-6;
    (
        ((low + nearly) / step).floor() * step,
        ((high - nearly) / step).ceil() * step,
        step,
    )
}

/// Round steps of the axis of a field.
const ROUND_STEPS: [f64; 4] = [1.0, 2.0, 2.5, 5.0];

/// The least round number that is not below `size`, which is more than 0.
fn round_up(digits: &[f64], size: f64) -> f64 {
    if size <= 0.0 || !size.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(size.log10().floor());
    let mut digits = digits.iter().copied().chain([10.0]);
    digits
        .find(|digit| digit * power >= size * (1.0 - 1e-9))
        .unwrap_or(10.0)
        * power
}

/// A number on the axis of a field with that step, at most five cells: `-12.5`,
/// `1013`, `250k`, `3e-7`.
pub(super) fn value_label(value: f64, step: f64) -> String {
    let value = if value.abs() < step * 1e-3 {
        0.0
    } else {
        value
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 4
    let decimals = (1.0 - step.log10().floor()).clamp(0.0, 4.0) as usize;
    let trimmed = |text: String| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    };
    let plain = (0..=decimals)
        .rev()
        .map(|n| trimmed(format!("{value:.n$}")));
    let scaled = [(1e3, 'k'), (1e6, 'M'), (1e9, 'G')]
        .into_iter()
        .flat_map(|(by, sign)| {
            [1, 0].map(|n| format!("{}{sign}", trimmed(format!("{:.n$}", value / by))))
        });
    let is_zero = |text: &str| !text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    plain
        .chain(scaled)
        .find(|text| text.len() <= 5 && (value == 0.0 || !is_zero(text)))
        .unwrap_or_else(|| format!("{value:.0e}"))
}

/// A label of the time axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TimeLabel {
    /// The time, UNIX seconds.
    pub time: f64,
    /// Its text: the date, with the time or the year if that says more.
    pub words: String,
}

/// Round steps of the time axis, seconds: from a minute to ten years.
const STEPS: [f64; 20] = [
    60.0,
    300.0,
    600.0,
    1800.0,
    3600.0,
    3.0 * 3600.0,
    6.0 * 3600.0,
    12.0 * 3600.0,
    DAY_S,
    2.0 * DAY_S,
    5.0 * DAY_S,
    7.0 * DAY_S,
    10.0 * DAY_S,
    14.0 * DAY_S,
    30.0 * DAY_S,
    61.0 * DAY_S,
    91.0 * DAY_S,
    182.0 * DAY_S,
    YEAR_S,
    10.0 * YEAR_S,
];
const DAY_S: f64 = 86_400.0;
const YEAR_S: f64 = 365.25 * DAY_S;

/// The labels from `first` to `last` (UNIX seconds), at most `most`, at multiples of a
/// round step of the shown clock; with fewer than two, also the ends.
pub(super) fn time_labels(model: &Model, first: f64, last: f64, most: u16) -> Vec<TimeLabel> {
    let most = f64::from(most.max(1));
    let step = STEPS
        .into_iter()
        .find(|step| (last - first) / step <= most)
        .unwrap_or_else(|| (last - first) / most);
    if step <= 0.0 || !step.is_finite() {
        return Vec::new();
    }
    // 2026-11-20 22:46:05
    let words = |time: f64| {
        let full = format::moment(model, time);
        let words = if step < DAY_S {
            full.get(5..16)
        } else if last - first > 2.0 * YEAR_S {
            full.get(..7)
        } else {
            full.get(5..10)
        };
        words.unwrap_or(&full).to_owned()
    };
    let label = |time| TimeLabel {
        time,
        words: words(time),
    };
    let zone = model.shown_zone();
    let mut labels: Vec<TimeLabel> = Vec::new();
    let mut shown = ((first + time::ahead_of_utc(first, zone)) / step).ceil() * step;
    while f64::from(u16::try_from(labels.len()).unwrap_or(u16::MAX)) <= most {
        // Of the change of a clock, too, the time is on the side that it says.
        let near = shown - time::ahead_of_utc(shown, zone);
        let time = shown - time::ahead_of_utc(near, zone);
        shown += step;
        if time > last {
            break;
        }
        // An hour that the clock skips counts as the hour after it.
        let is_new = labels.last().is_none_or(|before| before.time < time);
        if time >= first && is_new {
            labels.push(label(time));
        }
    }
    if labels.len() < 2 {
        // One label gives no scale: the ends do.
        labels.insert(0, label(first));
        labels.push(label(last));
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_leg_does_not_flatten_the_rest() {
        let mut speeds = vec![0.8; 100];
        speeds[50] = 49.8;
        assert_eq!(top_speed(&speeds), 0.8);
        // What is little above the rest is within the axis.
        speeds[50] = 0.95;
        assert_eq!(top_speed(&speeds), 1.0);
        // Three spikes on a narrow timeline.
        let mut narrow = vec![0.4; 54];
        for column in [7, 30, 40] {
            narrow[column] = 20.0;
        }
        assert_eq!(top_speed(&narrow), 0.4);
        // What goes on now is on the axis.
        *narrow.last_mut().unwrap() = 4.2;
        assert_eq!(top_speed(&narrow), 5.0);
        assert_eq!(top_speed(&[]), 1.0);
        assert_eq!(top_speed(&[0.0, 0.0]), 0.1);
    }

    #[test]
    fn the_axis_of_a_field_has_round_ends_that_hold_nearly_all_of_it() {
        let of = |values: &[(f64, f64)]| {
            let extent = |(low, high): &(f64, f64)| Extent {
                low: *low,
                high: *high,
            };
            let extents: Vec<Extent> = values.iter().map(extent).collect();
            let lows = values.iter().map(|value| value.0);
            let highs = values.iter().map(|value| value.1);
            let whole = Extent {
                low: lows.fold(f64::INFINITY, f64::min),
                high: highs.fold(f64::NEG_INFINITY, f64::max),
            };
            let (low, high, step) = value_ends(&extents, whole);
            format!("{} {}", value_label(low, step), value_label(high, step))
        };
        let air = |n| (-31.3 + 0.1 * f64::from(n), -20.0);
        let mut air: Vec<(f64, f64)> = (0..100).map(air).collect();
        assert_eq!(of(&air), "-32 -20");
        air[40].0 = -9999.0;
        air[60].1 = 85.0;
        assert_eq!(of(&air), "-32 -20");
        assert_eq!(of(&[(13.31, 13.4), (14.19, 14.2)]), "13.2 14.2");
        assert_eq!(of(&[(1003.2, 1003.2), (1015.5, 1015.5)]), "1002 1016");
        assert_eq!(of(&[]), "0 1");
    }

    #[test]
    fn the_labels_of_a_field_fit_their_cells() {
        for (value, step, label) in [
            (-32.5, 2.5, "-32.5"),
            (13.25, 0.25, "13.25"),
            (1016.0, 2.0, "1016"),
            (-1016.5, 0.5, "-1016"),
            (0.0, 5.0, "0"),
            (1e-17, 5.0, "0"),
            (250_000.0, 50_000.0, "250k"),
            (-12_500_000.0, 1e6, "-12M"),
            (3e-7, 1e-7, "3e-7"),
            (0.0025, 0.0005, "0.003"),
        ] {
            assert_eq!(value_label(value, step), label);
        }
    }

    #[test]
    fn the_labels_of_time_are_round_on_the_clock_that_is_shown() {
        let day = |text: &str| time::parse(text, 0.0).unwrap();
        let of = |zone: &str, first: &str, last: &str, most| {
            let mut model = crate::testing::dashboard::opened(Vec::new(), 0.0);
            model.settings.time_zone = crate::track::time::ShownZone::Local;
            model.zone = jiff::tz::TimeZone::get(zone).unwrap();
            let labels = time_labels(&model, day(first), day(last), most);
            let words: Vec<String> = labels.into_iter().map(|label| label.words).collect();
            words.join(" ")
        };
        let (first, last) = ("2026-11-20T00:10:00Z", "2026-11-20T18:00:00Z");
        let six_hours = "11-20 06:00 11-20 12:00 11-20 18:00";
        assert_eq!(of("Asia/Kolkata", first, last, 4), six_hours);
        // The night in which the clock leaves an hour out, and that in which it says
        // one twice.
        let spring = of(
            "Europe/London",
            "2026-03-28T23:30:00Z",
            "2026-03-29T03:30:00Z",
            5,
        );
        assert_eq!(spring, "03-29 00:00 03-29 02:00 03-29 03:00 03-29 04:00");
        let autumn = of(
            "Europe/London",
            "2026-10-24T22:30:00Z",
            "2026-10-25T03:30:00Z",
            6,
        );
        assert!(autumn.ends_with("10-25 02:00 10-25 03:00"), "{autumn}");
    }

    #[test]
    fn the_numbers_of_the_axis_are_round_and_short() {
        for (speed, label) in [
            (0.25, "0.25"),
            (1.5, "1.5"),
            (2.0, "2"),
            (40.0, "40"),
            (0.1, "0.1"),
        ] {
            assert_eq!(speed_label(speed), label);
        }
        for n in 1..400 {
            let speed = f64::from(n) * 0.13;
            let top = round_up(&ROUND, speed.max(LEAST));
            assert!(top >= speed * 0.999 && top < speed * 1.4, "{speed} {top}");
            for shown in [top, top / 2.0] {
                let label = speed_label(shown);
                assert!(label.len() <= 4, "{label}");
                let exact = label.parse::<f64>().unwrap() / shown;
                assert!((exact - 1.0).abs() < 1e-9, "{label}: {shown}");
            }
        }
    }
}
