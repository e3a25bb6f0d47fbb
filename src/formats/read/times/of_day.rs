//! Times of day that are numbers.

use super::bracketed;
use crate::formats::read::readings::{Readings, SAME};

/// The seconds that a unit of times of day in the brackets of a heading has.
pub(super) fn unit_s(heading: &str) -> Option<f64> {
    let unit = bracketed(heading)?.to_lowercase();
    let word = unit.split(|letter: char| !letter.is_alphanumeric()).next();
    match word? {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600.0),
        "d" | "day" | "days" => Some(86_400.0),
        _ => None,
    }
}

/// `true` for the heading of times of day in a unit.
pub(in crate::formats::read) fn has_unit_of_day(heading: &str) -> bool {
    unit_s(heading).is_some()
}

/// The places of two of the [`readings`].
const HOURS: usize = 2;
const SECONDS: usize = 3;
/// The bit of digits that are no hours and minutes of a day.
const IS_LARGE: u8 = 0x10;

fn is_clock(bits: u8) -> bool {
    bits & 3 != 0
}

/// `true` for digits that are hours of the day, or others of a clock.
fn is_hours(bits: u8) -> bool {
    bits & 4 != 0 && bits & SAME == 0
}

/// `true` for digits that are seconds of the day, and of no clock.
fn is_seconds_alone(bits: u8) -> bool {
    bits & 8 != 0 && bits & IS_LARGE != 0 && !is_clock(bits)
}

/// Which of the [`readings`] those of a column have: not by less than a tenth of them.
pub(super) fn reading(column: &Readings) -> usize {
    let all = column.count(|_| true);
    let are_few = |count: usize| 10 * count < all;
    let hours = column.count(|bits| bits & 4 != 0);
    if hours > 0 && are_few(column.count(|bits| is_clock(bits) && bits & 4 == 0)) {
        return HOURS;
    }
    let seconds = column.count(is_seconds_alone);
    let no_seconds = column.count(|bits| is_clock(bits) && bits & 8 == 0);
    let large = column.count(|bits| bits & IS_LARGE != 0);
    if seconds > no_seconds && !are_few(seconds) && 2 * large > all {
        return SECONDS;
    }
    let [short, long] = [1, 2].map(|bit| column.count(|bits| bits & 3 == bit));
    usize::from(long > short && !are_few(long))
}

/// Both readings of digits of which most may be hours, and too many for these are of a clock.
pub(super) fn unsettled(column: &Readings) -> Option<String> {
    let is_other = |bits| is_clock(bits) && bits & 4 == 0;
    let is_open = reading(column) != HOURS && column.count(is_hours) > column.count(is_other);
    let [hours, other] = [column.example(is_hours)?, column.example(is_other)?];
    is_open.then(|| {
        format!(
            "the time of day '{hours}' is an hour, or minutes past midnight as beside '{other}': choose with \
             --time-format, such as '%Y-%m-%d %H' or '%Y-%m-%d %H%M'"
        )
    })
}

/// The seconds since midnight that digits are, read as hours and minutes, with seconds, as hours,
/// and as seconds, and their mark; `None` of another text. A table of numbers may have `.0` behind
/// them.
pub(super) fn readings(written: &str) -> Option<([Option<f64>; 4], u8)> {
    if written.starts_with('-') && written.parse::<f64>().is_ok() {
        return Some(([None; 4], 0));
    }
    let digits = written.strip_suffix(".0").unwrap_or(written);
    let is_number = digits.len() < 7 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = digits.parse().ok().filter(|_| is_number)?;
    let of_day = |[hours, minutes, seconds]: [u32; 3]| {
        let is_end = [hours, minutes, seconds] == [24, 0, 0];
        let is_sound = hours < 24 && minutes < 60 && seconds < 60 || is_end;
        is_sound.then(|| f64::from(hours * 3600 + minutes * 60 + seconds))
    };
    let short = of_day([number / 100, number % 100, 0]).filter(|_| digits.len() < 5);
    let long = of_day([number / 10_000, number / 100 % 100, number % 100]);
    let may_be_long = digits.len() > 4 || !digits.starts_with('0') || number == 0;
    let hours = (number <= 24 && digits.len() < 3).then(|| f64::from(number * 3600));
    let seconds =
        (number <= 86_400 && (number == 0 || !digits.starts_with('0'))).then(|| f64::from(number));
    let readings = [short, long.filter(|_| may_be_long), hours, seconds];
    let mark = if number > 2400 { IS_LARGE } else { 0 };
    Some((readings, mark))
}

/// A time of day as `12:30:00`.
pub(super) fn clock(seconds: f64) -> String {
    // At most a day.
    let seconds = (seconds * 1e3).round() / 1e3;
    let whole = seconds as u32;
    let [hours, minutes] = [whole / 3600, whole / 60 % 60];
    let rest = format!("{:.3}", seconds.fract());
    let fraction = rest.trim_start_matches('0').trim_end_matches(['0', '.']);
    format!("{hours:02}:{minutes:02}:{:02}{fraction}", whole % 60)
}

/// The sentence about times of day of digits that are hours or seconds.
pub(super) fn note(column: &Readings) -> Option<String> {
    match reading(column) {
        HOURS => (column.example(is_hours))
            .map(|by| format!("times of day such as '{by}' are taken as hours")),
        SECONDS => (column.example(is_seconds_alone))
            .map(|by| format!("times of day are taken as seconds since midnight, as '{by}' shows")),
        _ => None,
    }
}
