//! The numbers on the two axes of the timeline.

use crate::dashboard::shared::Shared;
use crate::map::fields::{AXIS_NEARLY, Extent, usual_ends};
use crate::track::time;

/// Rows between the numbers of a value axis, the most numbers first.
const SPACINGS: [u16; 3] = [4, 5, 6];
/// An axis with more numbers may be this many times as long as the shortest.
const LONGER: f64 = 1.3;
/// Round steps of a value axis, and more of them for one of few steps.
const ROUND_STEPS: [f64; 4] = [1.0, 2.0, 2.5, 5.0];
const MORE_STEPS: [f64; 9] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 8.0];
/// An axis of fewer steps has more to choose from.
const FEW_STEPS: f64 = 3.0;

/// The axis of the values: even steps, which are the same number of rows apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueAxis {
    /// The value in the middle of the last row.
    first: f64,
    /// From one number to the next.
    step: f64,
    /// Rows from one number to the next.
    spacing: u16,
    rows: u16,
}

impl ValueAxis {
    /// The ends of the values of columns: an end beyond which are only a few is one that nearly
    /// all are within, unless it is at most twice as far out. The latest value is always within:
    /// a mooring that has just broken loose is on the axis.
    pub(super) fn usual_ends(extents: &[Extent]) -> (f64, f64) {
        let all = extents.iter().flat_map(|extent| [extent.low, extent.high]);
        let lows = extents.iter().map(|extent| extent.low).collect();
        let highs = extents.iter().map(|extent| extent.high).collect();
        let ends = usual_ends(lows, highs, Extent::of_values(all), AXIS_NEARLY);
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        extents.last().map_or((low, high), |latest| {
            (low.min(latest.low), high.max(latest.high))
        })
    }

    /// The axis of values between two ends, in this many rows.
    pub(super) fn new((low, high): (f64, f64), rows: u16) -> Self {
        // All values may be the same.
        let high = if high > low {
            high
        } else {
            low + (low.abs() * 0.01).max(0.1)
        };
        let gaps = rows.saturating_sub(1).max(1);
        // In fewer rows than that there is a number at either end.
        let axes = SPACINGS.map(|usual| {
            let spacing = usual.min(gaps);
            let (first, step) = fitted_step(low, high, f64::from(gaps) / f64::from(spacing));
            Self {
                first,
                step,
                spacing,
                rows,
            }
        });
        let span = |axis: &Self| axis.step / f64::from(axis.spacing);
        let shortest = axes.iter().map(span).fold(f64::INFINITY, f64::min);
        let mut good = axes.iter().filter(|axis| span(axis) <= LONGER * shortest);
        *good.next().unwrap_or(&axes[0])
    }

    /// The numbers with their rows, from the lowest.
    pub(super) fn ticks(self) -> impl Iterator<Item = (u16, String)> {
        let rows = (0..self.rows).rev().step_by(usize::from(self.spacing));
        rows.zip(0u32..).map(move |(row, number)| {
            let value = self.first + self.step * f64::from(number);
            (row, value_label(value, self.step))
        })
    }

    /// The rows from the top to a value; beyond an end, to that end.
    pub(super) fn level(self, value: f64) -> f64 {
        let above = (value - self.first) / self.step * f64::from(self.spacing);
        let rows = f64::from(self.rows);
        (rows - 0.5 - above).clamp(0.0, (rows - 1e-6).max(0.0))
    }

    /// The row of a value; `None` beyond the ends.
    pub(super) fn row(self, value: f64) -> Option<u16> {
        let is_within = (self.low()..=self.high()).contains(&value);
        // Within the rows.
        is_within.then(|| self.level(value) as u16)
    }

    /// The value at the lower end.
    pub(super) fn low(self) -> f64 {
        self.first - 0.5 * self.step / f64::from(self.spacing)
    }

    /// The value at the upper end.
    pub(super) fn high(self) -> f64 {
        self.low() + f64::from(self.rows) * self.step / f64::from(self.spacing)
    }
}

/// The least round step of which so many lead from a multiple of it that is not above `low` to
/// `high` or beyond, and whose numbers fit their cells, with that multiple.
fn fitted_step(low: f64, high: f64, steps: f64) -> (f64, f64) {
    /// Longer steps than this many fit no better.
    const TRIES: usize = 40;
    let digits: &[f64] = match steps {
        ..FEW_STEPS => &MORE_STEPS,
        _ => &ROUND_STEPS,
    };
    let longer = |step: &f64| Some(round_up(digits, step * 1.01));
    let all = std::iter::successors(Some(round_up(digits, (high - low) / steps)), longer);
    let candidates = all.map(|step| (((low + step * 1e-6) / step).floor() * step, step));
    let holds_all = |(first, step): &(f64, f64)| first + steps * step >= high - step * 1e-6;
    let mut axes = candidates.take(TRIES).filter(holds_all);
    let least = axes.next();
    let are_exact = |(first, step): &(f64, f64)| {
        let numbers = (0u8..).map(f64::from).take_while(|number| *number <= steps);
        numbers.into_iter().all(|number| {
            let value = first + number * step;
            (read(&value_label(value, *step)) - value).abs() < step * 0.01
        })
    };
    let exact = least.into_iter().chain(axes).find(are_exact);
    exact.or(least).unwrap_or((low, (high - low) / steps))
}

/// The signs of large numbers.
const SCALES: [(char, f64); 3] = [('k', 1e3), ('M', 1e6), ('G', 1e9)];

/// The value of a number of the axis.
fn read(label: &str) -> f64 {
    let scaled = SCALES.iter().find_map(|(sign, by)| {
        let number: f64 = label.strip_suffix(*sign)?.parse().ok()?;
        Some(number * by)
    });
    scaled.or_else(|| label.parse().ok()).unwrap_or(f64::NAN)
}

/// The least round number that is not below `size`, which is more than 0.
fn round_up(digits: &[f64], size: f64) -> f64 {
    if size <= 0.0 || !size.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(size.log10().floor());
    let mut digits = digits.iter();
    let digit = digits.find(|digit| *digit * power >= size * (1.0 - 1e-9));
    digit.unwrap_or(&10.0) * power
}

/// A number on the axis of a field with that step, at most five cells: `-12.5`,
/// `1013`, `250k`, `3e-7`.
pub(super) fn value_label(value: f64, step: f64) -> String {
    let is_rounding = value.abs() < step * 1e-3;
    let value = if is_rounding { 0.0 } else { value };
    // 0 to 4.
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
    let scaled = SCALES.into_iter().flat_map(|(sign, by)| {
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
pub(super) fn time_labels(shared: &Shared, first: f64, last: f64, most: u16) -> Vec<TimeLabel> {
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
        let full = shared.times().moment(time);
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
    let zone = shared.shown_zone();
    let before = ((first + time::ahead_of_utc(first, zone)) / step).ceil() - 1.0;
    let clock = std::iter::successors(Some(before * step), |shown| Some(shown + step));
    let on_clock = clock.map(|shown| {
        // Of the change of a clock, too, the time is on the side that it says.
        let near = shown - time::ahead_of_utc(shown, zone);
        shown - time::ahead_of_utc(near, zone)
    });
    let times = on_clock.take_while(|time| *time <= last);
    let mut labels: Vec<TimeLabel> = times.filter(|time| *time >= first).map(label).collect();
    // An hour that the clock skips counts as the hour after it.
    labels.dedup_by_key(|label| label.time);
    if labels.len() < 2 {
        // One label gives no scale: the ends do.
        labels.insert(0, label(first));
        labels.push(label(last));
    }
    if step < DAY_S {
        without_same_dates(&mut labels);
    }
    labels
}

/// Leaves the date out of each label of the same day as the one before: `11-20 06:00`, `12:00`.
fn without_same_dates(labels: &mut [TimeLabel]) {
    let mut before = String::new();
    for label in labels {
        let Some((date, clock)) = label.words.split_once(' ') else {
            continue;
        };
        if date == before {
            label.words = clock.to_owned();
        } else {
            before = date.to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(values: &[(f64, f64)]) -> Vec<Extent> {
        let extent = |(low, high): &(f64, f64)| Extent {
            low: *low,
            high: *high,
        };
        values.iter().map(extent).collect()
    }

    #[test]
    fn one_bad_leg_does_not_flatten_the_rest() {
        let high = |values: &[f64]| {
            let values: Vec<(f64, f64)> = values.iter().map(|value| (0.0, *value)).collect();
            ValueAxis::usual_ends(&extents(&values)).1
        };
        let mut speeds = vec![0.8; 100];
        speeds[50] = 49.8;
        assert_eq!(high(&speeds), 0.8);
        // What is at most twice as far out is within the axis: no flat tops.
        speeds[50] = 1.5;
        assert_eq!(high(&speeds), 1.5);
        // What goes on now is on the axis.
        speeds[50] = 49.8;
        *speeds.last_mut().unwrap() = 4.2;
        assert_eq!(high(&speeds), 4.2);
        assert_eq!(high(&[]), 1.0);
    }

    #[test]
    fn the_numbers_of_a_value_axis_are_even_in_value_and_in_rows_and_hold_all_of_it() {
        for rows in 2..60u16 {
            for (low, high) in [
                (0.0, 0.67),
                (-31.3, -20.0),
                (1003.2, 1015.5),
                (13.31, 14.2),
                (858.4, 858.7),
                (0.0, 0.0),
            ] {
                let axis = ValueAxis::new((low, high), rows);
                let ticks: Vec<(u16, String)> = axis.ticks().collect();
                assert!(ticks.len() >= 2, "{rows}: {ticks:?}");
                let apart: Vec<u16> = ticks.windows(2).map(|pair| pair[0].0 - pair[1].0).collect();
                let are_even = apart.iter().all(|rows| *rows == apart[0]);
                assert!(are_even && (apart[0] <= 6 || rows < 6), "{rows}: {ticks:?}");
                assert!(rows < 6 || apart[0] >= 4, "{rows}: {ticks:?}");
                assert!(axis.low() <= low && axis.high() >= high, "{rows}: {axis:?}");
                // It is not much longer than what it holds.
                let span = axis.high() - axis.low();
                assert!(
                    high - low == 0.0 || span < 6.0 * (high - low),
                    "{rows}: {axis:?}"
                );
                for (row, words) in ticks {
                    let value = read(&words);
                    assert_eq!(axis.row(value), Some(row), "{rows}: {words}");
                }
            }
        }
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
            model.screen.host.zone = jiff::tz::TimeZone::get(zone).unwrap();
            let labels = time_labels(&model, day(first), day(last), most);
            let words: Vec<String> = labels.into_iter().map(|label| label.words).collect();
            words.join(" ")
        };
        let (first, last) = ("2026-11-20T00:10:00Z", "2026-11-20T18:00:00Z");
        let six_hours = "11-20 06:00 12:00 18:00";
        assert_eq!(of("Asia/Kolkata", first, last, 4), six_hours);
        // The night in which the clock leaves an hour out, and that in which it says
        // one twice.
        let spring = of(
            "Europe/London",
            "2026-03-28T23:30:00Z",
            "2026-03-29T03:30:00Z",
            5,
        );
        assert_eq!(spring, "03-29 00:00 02:00 03:00 04:00");
        let autumn = of(
            "Europe/London",
            "2026-10-24T22:30:00Z",
            "2026-10-25T03:30:00Z",
            6,
        );
        assert!(autumn.ends_with("02:00 03:00"), "{autumn}");
    }
}
