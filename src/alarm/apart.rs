//! A value and its limit in print: with digits that tell them apart.

use crate::track::time;

/// This many digits more than usual, at most.
const MOST: usize = 6;

/// A value and its limit as text. `print` writes a number with so many digits more
/// than usual: none, unless both would read the same although they differ.
pub(crate) fn apart(
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

/// A span of seconds and its limit: "4 min 12 s" and "4 min".
pub(crate) fn spans(value: f64, limit: f64) -> (String, String) {
    apart(value, limit, |seconds, more| match more.checked_sub(1) {
        None => time::duration(seconds),
        Some(decimals) => in_full(seconds, decimals),
    })
}

/// A length in metres and its limit: "240 m" and "200 m"; both in kilometres where
/// one is 10 km or longer.
pub(super) fn lengths(value: f64, limit: f64) -> (String, String) {
    let is_long = value.max(limit) >= 10_000.0;
    apart(value, limit, |metres, more| match is_long {
        false => format!("{metres:.more$} m"),
        true => format!("{:.*} km", 1 + more, metres / 1000.0),
    })
}

/// A number with so many decimals and its limit, without a unit.
pub(super) fn numbers(value: f64, limit: f64, decimals: usize) -> (String, String) {
    apart(value, limit, |number, more| {
        format!("{number:.*}", decimals + more)
    })
}

/// A span in all its units, to so many decimals of a second, cut: "2 d 5 min 7 s".
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
            (90_061.0, 90_000.0, "1 d 1 h 1 min 1 s, limit 1 d 1 h"),
            (240.0, 240.0, "4 min, limit 4 min"),
        ] {
            assert_eq!(of(spans(value, limit)), words);
        }
        for (value, limit, words) in [
            (240.0, 200.0, "240 m, limit 200 m"),
            (200.3, 200.0, "200.3 m, limit 200.0 m"),
            (10_040.0, 9_990.0, "10.04 km, limit 9.99 km"),
            (99.996, 100.0, "99.996 m, limit 100.000 m"),
        ] {
            assert_eq!(of(lengths(value, limit)), words);
        }
        assert_eq!(of(numbers(1.52, 1.5, 1)), "1.52, limit 1.50");
        assert_eq!(of(numbers(4.1, 1.5, 1)), "4.1, limit 1.5");
    }
}
