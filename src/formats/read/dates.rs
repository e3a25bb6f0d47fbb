//! Dates and times of day as programs and people write them, other than RFC 3339.

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, ToSpan};

use super::times::offset_s;

const MONTHS: &str =
    "january february march april may june july august september october november december";
const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
/// The years that digits without separators have.
const PACKED_YEARS: std::ops::RangeInclusive<i16> = 1950..=2100;

/// A date with its time of day, as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// The date, read with the day before the month, and with the month before the day: they
    /// differ where both are numbers. `None` if there is no such date.
    pub(super) dates: [Option<Date>; 2],
    /// Since midnight; `None` if there is no time of day.
    pub(super) time: Option<Span>,
    /// Of its zone from UTC, seconds.
    pub(super) offset_s: Option<i32>,
}

impl Moment {
    /// The moment that a text is.
    pub(super) fn read(written: &str) -> Option<Self> {
        let mut parts = Parts::default();
        for word in words(written) {
            parts.add(word)?;
        }
        parts.moment()
    }

    /// The moment that 8, 12 or 14 digits are: year, month and day, and hour and minute, and
    /// second.
    pub(super) fn packed(number: f64) -> Option<Self> {
        let digits = (number.fract() == 0.0).then(|| number.to_string())?;
        if !matches!(digits.len(), 8 | 12 | 14) {
            return None;
        }
        let moment = Self::read(&digits)?;
        let [date, _] = moment.dates;
        date.is_some_and(|date| PACKED_YEARS.contains(&date.year()))
            .then_some(moment)
    }

    /// Date and time of day by both readings, in its own zone.
    pub(super) fn civil(&self) -> [Option<DateTime>; 2] {
        self.dates.map(|date| {
            let midnight = date?.to_datetime(Time::midnight());
            midnight.checked_add(self.time.unwrap_or_default()).ok()
        })
    }
}

/// The words of a text; the `T` between a date and a time of day parts them, too.
fn words(written: &str) -> impl Iterator<Item = &str> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    written
        .split(|letter: char| letter.is_whitespace() || letter == ',')
        .flat_map(move |word| {
            let bytes = word.as_bytes();
            let between = word
                .find(['T', 't'])
                .filter(|at| *at > 0 && is_digit(bytes.get(at - 1)))
                .filter(|at| at + 1 == bytes.len() || is_digit(bytes.get(at + 1)));
            let (date, time) = between.map_or((word, ""), |at| {
                let (date, rest) = word.split_at(at);
                (date, rest.get(1..).unwrap_or_default())
            });
            [date, time]
        })
        .filter(|word| !word.is_empty())
}

/// A part of a date.
#[derive(Debug, Clone, Copy)]
enum Part<'a> {
    Digits(&'a str),
    Month(i8),
}

/// The parts of a time that were found so far.
#[derive(Debug, Default)]
struct Parts<'a> {
    date: Vec<Part<'a>>,
    /// Hours, minutes, seconds and nanoseconds.
    time: Option<[i64; 4]>,
    /// `true` for p.m., `false` for a.m.
    is_afternoon: Option<bool>,
    offset_s: Option<i32>,
}

impl<'a> Parts<'a> {
    /// Adds a word; `None` if it is no part of a time.
    fn add(&mut self, word: &'a str) -> Option<()> {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        match word.as_bytes().first()? {
            b'0'..=b'9' if word.contains(':') => self.add_time(word),
            b'0'..=b'9' if is_number && word.len() >= 8 => {
                let parts = [word.get(..4), word.get(4..6), word.get(6..8)];
                self.date
                    .extend(parts.into_iter().flatten().map(Part::Digits));
                self.add_digits(word.get(8..)?)
            }
            b'0'..=b'9' if is_number && self.date.len() >= 3 => self.add_digits(word),
            b'0'..=b'9' => self.add_date(word),
            _ => self.add_word(word),
        }
    }

    /// Adds what begins with no digit.
    fn add_word(&mut self, word: &'a str) -> Option<()> {
        let lower = word.to_lowercase();
        let is_weekday = |name: &str| is_name(lower.trim_end_matches('.'), name);
        if let Some(offset_s) = offset_s(word) {
            return self.offset_s.replace(offset_s).is_none().then_some(());
        }
        match lower.as_str() {
            "am" | "a.m." => self.is_afternoon = Some(false),
            "pm" | "p.m." => self.is_afternoon = Some(true),
            _ if WEEKDAYS.split(' ').any(is_weekday) => {}
            _ => return self.add_date(word),
        }
        Some(())
    }

    fn add_date(&mut self, word: &'a str) -> Option<()> {
        for part in word.split(['-', '/', '.']).filter(|part| !part.is_empty()) {
            let lower = part.to_lowercase();
            let month = (1..)
                .zip(MONTHS.split(' '))
                .find(|(_, name)| is_name(&lower, name));
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            self.date.push(match month {
                Some((month, _)) => Part::Month(month),
                None => is_number.then_some(Part::Digits(part))?,
            });
        }
        Some(())
    }

    /// Adds a time of day with colons, to which half of the day or zone may be joined.
    fn add_time(&mut self, word: &'a str) -> Option<()> {
        let is_of_time = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.');
        let end = word.find(|letter| !is_of_time(letter));
        let (time, rest) = word.split_at(end.unwrap_or(word.len()));
        if !rest.is_empty() {
            self.add_word(rest)?;
        }
        let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
        let mut numbers = whole.split(':').map(|part| {
            let is_short = matches!(part.len(), 1 | 2);
            is_short.then(|| part.parse::<i64>().ok())?
        });
        let hours = numbers.next()??;
        let minutes = numbers.next()??;
        let seconds = numbers.next().unwrap_or(Some(0))?;
        let nanoseconds = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
        if numbers.next().is_some() {
            return None;
        }
        self.set_time([hours, minutes, seconds, nanoseconds])
    }

    /// Adds a time of day of four or six digits.
    fn add_digits(&mut self, word: &str) -> Option<()> {
        let pair = |at: usize| word.get(at..at + 2)?.parse::<i64>().ok();
        match word.len() {
            0 => Some(()),
            4 => self.set_time([pair(0)?, pair(2)?, 0, 0]),
            6 => self.set_time([pair(0)?, pair(2)?, pair(4)?, 0]),
            _ => None,
        }
    }

    /// Sets the time of day; 24:00 is the end of the day, and second 60 the next minute.
    fn set_time(&mut self, [hours, minutes, seconds, nanoseconds]: [i64; 4]) -> Option<()> {
        let is_end = [hours, minutes, seconds, nanoseconds] == [24, 0, 0, 0];
        let is_sound = hours < 24 && minutes < 60 && seconds <= 60 || is_end;
        let time = [hours, minutes, seconds, nanoseconds];
        (is_sound && self.time.replace(time).is_none()).then_some(())
    }

    fn moment(self) -> Option<Moment> {
        let date = |[year, month, day]: [i16; 3]| {
            let [month, day] = [i8::try_from(month).ok()?, i8::try_from(day).ok()?];
            Date::new(year, month, day).ok()
        };
        let number = |digits: &str| digits.parse::<i16>().ok();
        let is_year = |digits: &str| digits.len() == 4;
        let known = |date: Option<Date>| date.map(|date| [Some(date); 2]);
        use Part::{Digits, Month};
        let dates = match self.date[..] {
            [Digits(year), Digits(day)] if is_year(year) && day.len() == 3 => {
                let begin = Date::new(number(year)?, 1, 1).ok()?;
                let day = begin
                    .checked_add((i32::from(number(day)?) - 1).days())
                    .ok()?;
                known((day.year() == begin.year()).then_some(day))?
            }
            [Digits(year), Digits(month), Digits(day)] if is_year(year) => {
                known(date([number(year)?, number(month)?, number(day)?]))?
            }
            [Digits(first), Digits(second), Digits(year)] if is_year(year) => {
                let [year, first, second] = [number(year)?, number(first)?, number(second)?];
                [date([year, second, first]), date([year, first, second])]
            }
            [Digits(year), Month(month), Digits(day)]
            | [Digits(day), Month(month), Digits(year)]
            | [Month(month), Digits(day), Digits(year)]
                if is_year(year) && !is_year(day) =>
            {
                known(date([number(year)?, month.into(), number(day)?]))?
            }
            _ => return None,
        };
        let time = match (self.time, self.is_afternoon) {
            (Some([hours @ 1..=12, rest @ ..]), Some(is_afternoon)) => {
                let [minutes, seconds, nanoseconds] = rest;
                let hours = hours % 12 + if is_afternoon { 12 } else { 0 };
                Some([hours, minutes, seconds, nanoseconds])
            }
            (_, Some(_)) => return None,
            (time, None) => time,
        };
        let time = time.map(|[hours, minutes, seconds, nanoseconds]| {
            let clock = hours.hours().minutes(minutes).seconds(seconds);
            clock.nanoseconds(nanoseconds)
        });
        Some(Moment {
            dates,
            time,
            offset_s: self.offset_s,
        })
    }
}

/// `true` for a name in full or its first three letters, in lower case.
fn is_name(word: &str, name: &str) -> bool {
    word == name
        || word.len() == 3 && name.starts_with(word)
        || word == "sept" && name.starts_with(word)
}
