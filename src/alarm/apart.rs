//! Prints a value and its limit with so many digits that they differ.

use crate::track::time;

/// Most digits in addition to the usual ones.
const MOST: usize = 6;

/// A value and its limit as text. `print` writes a number with a number of additional digits:
/// 0, unless both would read the same although they differ.
pub(super) fn apart(
    value: f64,
    limit: f64,
    print: impl Fn(f64, usize) -> String,
) -> (String, String) {
    let both = |more| (print(value, more), print(limit, more));
    let differ = |(value, limit): &(String, String)| value != limit;
    if value.total_cmp(&limit).is_eq() {
        return both(0);
    }
    let found = (0..=MOST).map(both).find(differ);
    found.unwrap_or_else(|| both(0))
}

/// A span of seconds and its limit, which is as it was typed: "4 min 12 s" and "1 min 30 s".
pub(super) fn spans(value: f64, limit: f64) -> (String, String) {
    let (value, _) = apart(value, limit, |seconds, more| match more.checked_sub(1) {
        None => time::duration(seconds),
        Some(decimals) => in_full(seconds, decimals),
    });
    // Three reporting intervals are no round number.
    let limit = match limit {
        ..3600.0 => limit,
        _ => (limit / 60.0).floor() * 60.0,
    };
    (value, time::whole_duration(limit))
}

/// A span in all its units, with this many decimals of a second, truncated: "2 d 5 min 7 s".
fn in_full(seconds: f64, decimals: usize) -> String {
    let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
    let mut rest = (seconds.abs() * scale).floor() / scale;
    let mut parts = Vec::new();
    for (length, unit) in [(86_400.0, "d"), (3600.0, "h"), (60.0, "min")] {
        let count = (rest / length).floor();
        rest -= count * length;
        if count > 0.0 {
            parts.push(format!("{count} {unit}"));
        }
    }
    if parts.is_empty() || rest * scale >= 0.5 {
        parts.push(format!("{rest:.decimals$} s"));
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_and_its_limit_that_differ_read_differently() {
        let of = |pair: (String, String)| format!("{}, limit {}", pair.0, pair.1);
        for (value, limit, words) in [
            (252.0, 240.0, "4 min 12 s, limit 4 min"),
            (240.3, 240.0, "4 min 0.3 s, limit 4 min"),
            (3899.0, 600.0, "1 h 4 min, limit 10 min"),
            (110.0, 90.0, "1 min 50 s, limit 1 min 30 s"),
            (250.0, 90.0, "4 min, limit 1 min 30 s"),
            (90_061.0, 90_000.0, "1 d 1 h 1 min 1 s, limit 1 d 1 h"),
            (240.0, 240.0, "4 min, limit 4 min"),
            (810_000.0, 33_053.0, "9 d 9 h, limit 9 h 10 min"),
        ] {
            assert_eq!(of(spans(value, limit)), words);
        }
    }
}
