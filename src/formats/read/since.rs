//! Counts of time since a moment, as the CF conventions write their units.

use super::times::instant;

/// The count of time in the units of the CF conventions (1.8, section 4.4), such as
/// `days since 1950-01-01T00:00:00Z`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since {
    /// A step of the count, seconds.
    unit_s: f64,
    /// The UNIX time of its zero, seconds.
    zero: f64,
}

impl Since {
    /// The count that is written so. Months and years have no length of their own.
    pub(super) fn parse(written: &str) -> Option<Self> {
        let written = written.trim().to_ascii_lowercase();
        let (unit, zero) = written.split_once(" since ")?;
        let unit_s = match unit.trim() {
            "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => return None,
        };
        // The conventions allow 1950-1-1.
        let zero = zero.trim();
        let (date, rest) = zero.split_once([' ', 't']).unwrap_or((zero, ""));
        let (time, zone) = rest.split_once(' ').unwrap_or((rest, ""));
        // And 0:0:0.0, with a zone such as +0200.
        let padded = |written: &str, separator: &str| {
            let parts = written.split(separator);
            let parts: Vec<String> = parts
                .map(|part| match part.find('.').unwrap_or(part.len()) {
                    1 => format!("0{part}"),
                    _ => part.to_owned(),
                })
                .collect();
            parts.join(separator)
        };
        let zone = match zone.trim() {
            "utc" | "gmt" => "z".to_owned(),
            zone if zone.len() == 5 && !zone.contains(':') => {
                format!("{}:{}", zone.get(..3)?, zone.get(3..)?)
            }
            zone => zone.to_owned(),
        };
        let zero = format!("{} {}{zone}", padded(date, "-"), padded(time, ":"));
        Some(Self {
            unit_s,
            zero: instant(&zero.trim_end().to_uppercase())?.unix,
        })
    }

    /// The UNIX time (seconds) that a number is.
    pub(crate) fn time(self, number: f64) -> f64 {
        let time = self.zero + number * self.unit_s;
        if self.unit_s <= 1.0 {
            return time;
        }
        // A day as a fraction is no more exact than that.
        (time * 1e3).round() / 1e3
    }
}
