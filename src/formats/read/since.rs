//! Counts of time since a moment, as the CF conventions write their units.

use jiff::civil::Date;

use super::dates::Moment;
use crate::mapping::unix;

/// Behind the units of a count whose calendar is the Gregorian one before its reform, too.
pub(super) const PROLEPTIC: &str = "; proleptic_gregorian";
/// The first day of the Gregorian calendar.
const REFORM: Date = Date::constant(1582, 10, 15);

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
        let mixed = written.strip_suffix(PROLEPTIC);
        let is_mixed = mixed.is_none();
        let (unit, zero) = mixed.unwrap_or(&written).split_once(" since ")?;
        let unit_s = match unit.trim() {
            "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => return None,
        };
        // The conventions allow 1950-1-1, and 1-1-1.
        let (year, rest) = zero.trim().split_once(['-', '/'])?;
        let moment = Moment::read(&format!("{year:0>4}-{rest}"))?;
        let [civil, _] = moment.civil();
        let civil = civil?;
        let date = civil.date();
        let zero = unix(civil)? - f64::from(moment.offset_s.unwrap_or(0));
        let days = match is_mixed && date < REFORM {
            true => days_of_julian(date),
            false => 0,
        };
        Some(Self {
            unit_s,
            zero: zero + f64::from(days) * 86_400.0,
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

/// The days from a date of the Gregorian calendar to that of the same name in the Julian one, which
/// the calendar `standard` of the CF conventions (1.8, section 4.4.1) has before the reform: by the
/// numbers of days of both (Richards, Explanatory Supplement to the Astronomical Almanac, 2013,
/// 15.11.3).
fn days_of_julian(date: Date) -> i32 {
    // Years begin in March.
    let year = i32::from(date.year()) - i32::from(date.month() < 3);
    let centuries = year.div_euclid(100);
    centuries - centuries.div_euclid(4) - 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The days on which both calendars have these dates, by the number of the day
    /// (<https://aa.usno.navy.mil/data/JulianDate>).
    #[test]
    fn before_the_reform_dates_are_of_the_julian_calendar() {
        let zero = |units: &str| Since::parse(units).unwrap().time(0.0) / 86_400.0;
        for (date, julian_day) in [
            ("0001-01-01", 1_721_423.5),
            ("1-1-1", 1_721_423.5),
            ("1582-10-04", 2_299_159.5),
            ("1582-10-15", 2_299_160.5),
            ("1582-01-01", 2_298_883.5),
            ("1970-01-01", 2_440_587.5),
        ] {
            let days = zero(&format!("days since {date}"));
            assert_eq!(days + 2_440_587.5, julian_day, "{date}");
        }
        let proleptic = zero(&format!("days since 0001-01-01{PROLEPTIC}"));
        assert_eq!(proleptic + 2_440_587.5, 1_721_425.5);
    }
}
