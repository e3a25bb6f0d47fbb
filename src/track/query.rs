//! A text that rows are found or filtered by: words, comparisons, `@time` and `#number`,
//! all of them required. Quotes keep a blank in a word: `"Fram Strait" battery<12`.

use std::ops::Range;

use super::arrange::Wording;
use super::{FieldLimitChange, Fix, Flag, Side, Track, time};
use crate::geo::units::SpeedUnit;
use crate::geo::{circle, speed};

/// The units that may follow the value of a comparison after a blank.
const UNITS: [&str; 13] = [
    "kn", "km/h", "m/s", "nm", "km", "m", "s", "min", "h", "d", "w", "v", "%",
];

/// A text as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Query {
    text: String,
    terms: Vec<Term>,
    wording: Wording,
    /// When it was read, UNIX seconds.
    read_at: f64,
    /// Its comparisons of fields, as they were typed.
    pub of_fields: String,
    /// The fault in a comparison; empty if all are understood.
    pub fault: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Word(String),
    Compared(Quantity, Side, f64),
    /// It holds for no row.
    NotUnderstood,
}

/// A number that a row has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Quantity {
    /// The number of a fix in the order of time, from 1.
    Number,
    /// UNIX seconds.
    Time,
    /// Seconds.
    Age,
    /// Degrees.
    Latitude,
    /// Degrees.
    Longitude,
    /// Length of the leg that leads to a fix, metres.
    Distance,
    /// Speed over ground of that leg, m/s.
    Speed,
    /// Its course over ground, degrees.
    Course,
    /// The time since the fix before, seconds.
    Gap,
    /// The field with this name.
    Field(String),
}

/// The names of the quantities that every fix has.
const NAMES: [(&str, Quantity); 13] = [
    ("age", Quantity::Age),
    ("sog", Quantity::Speed),
    ("speed", Quantity::Speed),
    ("cog", Quantity::Course),
    ("course", Quantity::Course),
    ("gap", Quantity::Gap),
    ("interval", Quantity::Gap),
    ("leg", Quantity::Distance),
    ("distance", Quantity::Distance),
    ("lat", Quantity::Latitude),
    ("latitude", Quantity::Latitude),
    ("lon", Quantity::Longitude),
    ("longitude", Quantity::Longitude),
];

/// `true` if every fix has a quantity with this name.
pub(crate) fn is_quantity(name: &str) -> bool {
    NAMES.iter().any(|(known, _)| *known == name)
}

/// A field's value at each fix.
pub(crate) type Reader<'a> = Box<dyn Fn(usize) -> Option<f64> + 'a>;

/// How a text is read: what its names and numbers mean.
pub(crate) struct Reading<'a> {
    /// How times and positions are written.
    pub wording: Wording,
    /// The present, UNIX seconds.
    pub now: f64,
    /// The unit of a speed that is given without one.
    pub speed_unit: SpeedUnit,
    /// The names of the fields.
    pub fields: Vec<&'a str>,
    /// The names of texts that a row has: `name=text` is a word.
    pub texts: &'a [&'a str],
    /// The times behind an `@`: from a moment on, or those of a day.
    pub times: &'a dyn Fn(&str) -> Option<Range<f64>>,
}

impl Query {
    /// Reads a text.
    pub(crate) fn new(text: &str, reading: Reading<'_>) -> Self {
        let mut query = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        for word in words(text) {
            match reading.terms(&word) {
                Ok(terms) => {
                    if matches!(
                        terms.as_slice(),
                        [Term::Compared(Quantity::Field(_), ..), ..]
                    ) {
                        query.of_fields = format!("{} {word}", query.of_fields);
                    }
                    query.terms.extend(terms);
                }
                Err(fault) => {
                    query.terms.push(Term::NotUnderstood);
                    query.fault = fault;
                }
            }
        }
        (query.wording, query.read_at) = (reading.wording, reading.now);
        query
    }

    /// The text as it was typed.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// `true` if it asks for nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The words, in lower case.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|term| match term {
            Term::Word(word) => Some(word.as_str()),
            _ => None,
        })
    }

    /// The field that is compared first.
    pub(crate) fn field(&self) -> Option<&str> {
        self.terms.iter().find_map(|term| match term {
            Term::Compared(Quantity::Field(name), ..) => Some(name.as_str()),
            _ => None,
        })
    }

    /// `true` if a value is compared that rises and falls: then a search goes from crossing
    /// to crossing.
    pub(crate) fn has_crossings(&self) -> bool {
        use Quantity as Q;
        self.terms.iter().any(|term| match term {
            Term::Compared(quantity, ..) => !matches!(quantity, Q::Gap | Q::Distance | Q::Number),
            _ => false,
        })
    }

    /// `true` if a row has all the words and values; `None` if it has no value to compare.
    pub(crate) fn admits(
        &self,
        has_word: impl Fn(&str) -> bool,
        value: impl Fn(usize, &Quantity) -> Option<f64>,
    ) -> Option<bool> {
        let mut holds = true;
        for (index, term) in self.terms.iter().enumerate() {
            holds &= match term {
                Term::Word(word) => has_word(word),
                Term::Compared(quantity, Side::Below, limit) => value(index, quantity)? < *limit,
                Term::Compared(quantity, Side::Above, limit) => value(index, quantity)? > *limit,
                Term::NotUnderstood => false,
            };
        }
        Some(holds)
    }

    /// A function with what [`Query::admits`] says of a fix. `read` has the values of a
    /// field.
    pub(super) fn of_fixes<'a>(
        &'a self,
        track: &'a Track,
        read: impl Fn(&str) -> Option<Reader<'a>>,
    ) -> impl Fn(&Fix) -> Option<bool> + 'a {
        let of_terms = self.terms.iter().map(|term| match term {
            Term::Compared(Quantity::Field(name), ..) => read(name),
            _ => None,
        });
        let readers: Vec<Option<Reader<'a>>> = of_terms.collect();
        move |fix| {
            let value = |index: usize, quantity: &Quantity| {
                let leg = || track.leg(fix.index);
                match quantity {
                    Quantity::Number => Some((fix.index + 1) as f64),
                    Quantity::Time => Some(fix.time_stamp),
                    Quantity::Age => Some(self.read_at - fix.time_stamp),
                    Quantity::Latitude => Some(fix.position.latitude),
                    Quantity::Longitude => Some(fix.position.longitude),
                    Quantity::Distance => leg().map(|leg| leg.distance_m),
                    Quantity::Speed => leg().and_then(|leg| leg.speed_m_s),
                    Quantity::Course => leg().and_then(|leg| leg.course_deg),
                    Quantity::Gap => leg().map(|leg| leg.duration_s),
                    Quantity::Field(_) => readers.get(index)?.as_ref()?(fix.index),
                }
            };
            self.admits(|word| self.wording.has_word(track, fix, word), value)
        }
    }
}

impl Reading<'_> {
    fn terms(&self, word: &str) -> Result<Vec<Term>, String> {
        use Side::{Above, Below};
        if let Some(typed) = word.strip_prefix('@') {
            let times = (self.times)(typed).ok_or_else(|| format!("{typed}: not a time"))?;
            // The fix at that very moment is in.
            return Ok(vec![
                Term::Compared(Quantity::Time, Above, times.start - 0.001),
                Term::Compared(Quantity::Time, Below, times.end),
            ]);
        }
        if let Some(typed) = word.strip_prefix('#') {
            let number: f64 = typed
                .parse::<u32>()
                .map_err(|_| format!("{typed}: not the number of a fix"))?
                .into();
            return Ok(vec![
                Term::Compared(Quantity::Number, Above, number - 0.5),
                Term::Compared(Quantity::Number, Below, number + 0.5),
            ]);
        }
        if let Some(typed) = word.strip_prefix("flag:")
            && !Flag::ALL.iter().any(|flag| flag.has_word(typed))
        {
            let flags = Flag::ALL.map(Flag::word).join(", ");
            return Err(format!("{typed}: no flag; there are {flags}"));
        }
        // The rows of a tab without fields are texts, such as a URL with `since=2026`.
        let name = word.split(['!', '=']).next().unwrap_or_default();
        let is_named = self.texts.contains(&name) && word[name.len()..].starts_with('=');
        let is_text = self.fields.is_empty() && !is_quantity(name) || !word.contains('=');
        if is_named || is_text && !word.contains(['<', '>']) {
            return Ok(vec![Term::Word(word.to_owned())]);
        }
        let compared = Comparison::parse(word);
        let Comparison { name, sign, value } =
            compared.ok_or("a comparison is such as battery<12")?;
        let quantity = self.quantity(name)?;
        let value = self.value(&quantity, value)?;
        let below = |limit| Term::Compared(quantity.clone(), Below, limit);
        let above = |limit| Term::Compared(quantity.clone(), Above, limit);
        Ok(match sign {
            Sign::Less => vec![below(value)],
            Sign::AtMost => vec![below(value.next_up())],
            Sign::Greater => vec![above(value)],
            Sign::AtLeast => vec![above(value.next_down())],
            Sign::Equal => vec![above(value.next_down()), below(value.next_up())],
        })
    }

    /// The quantity with a name; that of a field may be cut to a beginning that no other
    /// field has.
    fn quantity(&self, name: &str) -> Result<Quantity, String> {
        if let Some((_, quantity)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Ok(quantity.clone());
        }
        let field = |field: &str| Ok(Quantity::Field(field.to_owned()));
        let mut begin: Vec<&str> = Vec::new();
        for known in &self.fields {
            let lower = known.to_lowercase();
            if lower == name {
                return field(known);
            }
            if lower.starts_with(name) {
                begin.push(known);
            }
        }
        match begin.as_slice() {
            [only] => field(only),
            [] => Err(if self.fields.is_empty() {
                format!("{name}: give sog, cog, age, lat or lon")
            } else {
                format!("no field is named {name}")
            }),
            [first, second, ..] => Err(format!("{name}: {first} or {second}?")),
        }
    }

    fn value(&self, quantity: &Quantity, typed: &str) -> Result<f64, String> {
        let number: Option<f64> = typed.parse().ok().filter(|number: &f64| number.is_finite());
        let not_understood = || format!("{typed}: not a number with its unit");
        match quantity {
            Quantity::Speed => match number {
                Some(number) => Ok(number / self.speed_unit.convert(1.0)),
                None => speed::parse(typed).map_err(|error| error.to_string()),
            },
            Quantity::Distance => circle::radius(typed).ok_or_else(not_understood),
            Quantity::Gap | Quantity::Age => {
                time::parse_duration(typed).map_err(|error| error.to_string())
            }
            Quantity::Field(name) => {
                match FieldLimitChange::parse(Side::Below, &format!("{name}={typed}"))? {
                    FieldLimitChange::Set(limit) => Ok(limit.value),
                    _ => Err(not_understood()),
                }
            }
            _ => number.ok_or_else(not_understood),
        }
    }
}

/// The sign of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

/// A comparison as a user types it: `battery<12`, `sog>=2kn`, `gap>6h`, `age>1d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comparison<'a> {
    /// The name of a field or of a column.
    pub name: &'a str,
    pub sign: Sign,
    /// The value, with or without a unit.
    pub value: &'a str,
}

impl<'a> Comparison<'a> {
    /// Reads a comparison; `None` without a sign between two texts.
    pub(crate) fn parse(typed: &'a str) -> Option<Self> {
        let at = typed.find(['<', '>', '=', '!'])?;
        let (name, rest) = typed.split_at_checked(at)?;
        let is_sign = |letter: char| matches!(letter, '<' | '>' | '=' | '!');
        let after = rest.trim_start_matches(is_sign);
        let sign = match rest.strip_suffix(after)? {
            "<" => Sign::Less,
            "<=" => Sign::AtMost,
            ">" => Sign::Greater,
            ">=" => Sign::AtLeast,
            "=" => Sign::Equal,
            _ => return None,
        };
        let name = name.trim();
        let value = after.trim();
        (!name.is_empty() && !value.is_empty()).then_some(Self { name, sign, value })
    }
}

/// The words of a text in lower case, without the quotes around them. `group:`,
/// `status:` and `flag:` take the word behind them, also after a blank, and a comparison
/// its value and unit. A quote that is not closed reaches to the end.
fn words(text: &str) -> Vec<String> {
    let mut text = text.to_lowercase();
    for sign in ["<", ">", "=", "!="] {
        let parts: Vec<&str> = text.split(sign).map(str::trim).collect();
        text = parts.join(sign);
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut is_quoted = false;
    for letter in text.chars().chain([' ']) {
        match letter {
            '"' => is_quoted = !is_quoted,
            _ if letter.is_whitespace() && !is_quoted => {
                let word = std::mem::take(&mut word);
                match words.last_mut() {
                    Some(last) if !word.is_empty() && goes_on(last, &word) => {
                        if last.len() > 1 && last.starts_with('@') {
                            last.push(' ');
                        }
                        last.push_str(&word);
                    }
                    _ if !word.is_empty() => words.push(word),
                    _ => {}
                }
            }
            _ => word.push(letter),
        }
    }
    let rest = word.trim_end();
    if !rest.is_empty() {
        words.push(rest.to_owned());
    }
    words
}

/// `true` if a word continues with the next word: it is only a prefix such as `flag:`, or a
/// number whose unit follows.
fn goes_on(word: &str, next: &str) -> bool {
    let ends_in_digit = word.ends_with(|letter: char| letter.is_ascii_digit());
    let is_day = word.starts_with('@') && !word.contains(' ');
    matches!(word, "group:" | "status:" | "flag:" | "#" | "@")
        || word.contains(['<', '>', '=']) && ends_in_digit && UNITS.contains(&next)
        || is_day && next.contains(':')
}

#[cfg(test)]
mod tests;
