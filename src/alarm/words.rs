//! The words of an alarm. Every text about one is written here, from what was measured, at
//! a length and in units of choice: a new kind has one arm in [`Measured::forms`].

use super::apart::{apart, spans};
use super::kind::Kind;
use super::life::{Alarm, ENDED};
use crate::geo::units::DistanceUnit;
use crate::geo::{Inside, Position, Units};
use crate::text::excerpt;
use crate::track::{FieldLimit, Newer};

/// How much of an alarm is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// The kind with one number: "outside by 112 m".
    Short,
    /// Value and limit, where the kind is shown next to them: "112 m beyond circle".
    Cell,
    /// The kind with value and limit: "outside: 112 m beyond circle".
    Line,
    /// A sentence: "outside its watch circle: now 312 m from the centre, limit 200 m".
    Sentence,
    /// The sentence, and of a silence its cause: "overdue: no fix for 4 h, limit 3 h; no
    /// answer since ...".
    Full,
}

/// The measured value of an alarm, with its limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Measured {
    /// No fix has come for longer than allowed.
    Silent {
        /// The age of the last fix, seconds.
        age_s: f64,
        /// The longest age allowed, seconds.
        limit_s: f64,
    },
    /// A fix, with its watch circle.
    OfCircle {
        /// The distance from the centre, metres.
        from_centre_m: f64,
        /// The radius, metres.
        radius_m: f64,
    },
    /// A fix, with its area.
    OfArea {
        /// How far it is beyond the edge, metres: negative within it.
        over_m: f64,
        /// The name of the area: "area north".
        name: String,
    },
    /// Legs that are straight and fast.
    Carried {
        /// Their mean speed, m/s.
        speed_m_s: f64,
        /// The speed from which on a leg is fast, m/s.
        limit_m_s: f64,
    },
    /// The fixes of 48 h.
    Still {
        /// The greatest distance from their median, metres.
        spread_m: f64,
        /// The distance that they stay within, metres.
        limit_m: f64,
    },
    /// A value of a field.
    OfField {
        /// The value, in the unit of the limit.
        value: f64,
        /// The limit.
        limit: FieldLimit,
    },
}

/// When something was measured.
#[derive(Debug, Clone, PartialEq)]
enum When {
    /// It is true now.
    Now,
    /// By the fix that raised the alarm: its time in words, empty where that is shown
    /// elsewhere.
    Start(String),
}

impl When {
    /// The time after a value that is not of now; empty where it is shown elsewhere.
    fn at(&self) -> String {
        match self {
            Self::Start(at) if !at.is_empty() => format!(" at {at}"),
            _ => String::new(),
        }
    }
}

/// The words of an alarm, of now where that is known, else of its start.
#[derive(Debug, Clone)]
pub(crate) struct Words<'a> {
    alarm: &'a Alarm,
    /// `None` where the text of the alarm says it all.
    measured: Option<Measured>,
    when: When,
    /// What came after the last fix.
    newer: Option<Newer>,
}

/// The measured value in words, at each length.
struct Forms {
    value: String,
    limit: String,
    short: String,
    cell: String,
    sentence: String,
}

impl Alarm {
    /// The words of the alarm, with what is true of it now where that is known.
    pub(crate) fn words(&self, now: Option<Measured>) -> Words<'_> {
        let when = match now {
            Some(_) => When::Now,
            None => When::Start(String::new()),
        };
        Words {
            alarm: self,
            measured: now.or_else(|| self.at_start()),
            when,
            newer: None,
        }
    }

    /// The text for programs: numbers in SI units, those of its start but for the age of
    /// a silence, which is that at `now` (UNIX seconds). Of one that has ended it says so.
    pub(crate) fn report(&self, now: f64) -> String {
        let text = self.report_of_start(now);
        match self.cleared_at {
            Some(_) => format!("{ENDED}{text}"),
            None => text,
        }
    }

    /// The same of its start, whether it has ended since or not.
    pub(crate) fn report_of_start(&self, now: f64) -> String {
        match self.kind {
            Kind::Overdue => {
                let words = self.words(self.current(None, None, now));
                words.write(Length::Full, Units::Si)
            }
            _ => self.text.clone(),
        }
    }

    /// The measured value at `now` (UNIX seconds), by the time (UNIX seconds) and
    /// position of the last fix and where the instrument should stay now. `None` where no
    /// more is known than at its start, and where it has ended.
    pub(crate) fn current(
        &self,
        last: Option<(f64, Position)>,
        inside: Option<&Inside>,
        now: f64,
    ) -> Option<Measured> {
        if self.cleared_at.is_some() {
            return None;
        }
        match self.kind {
            Kind::Overdue => {
                let (fix, limit_s) = (self.fix_time?, self.limit?);
                let last = last.map_or(fix, |(time, _)| time.max(fix));
                let age_s = now - last;
                // A fix may have come that the alarm is not judged by yet.
                (age_s > limit_s).then_some(Measured::Silent { age_s, limit_s })
            }
            Kind::Outside => {
                // The same fix, or a later one.
                let (_, position) = last.filter(|(time, _)| Some(*time) >= self.fix_time)?;
                Some(Measured::of(inside?, inside?.over_m(position)))
            }
            Kind::PickedUp | Kind::Stationary | Kind::Below | Kind::Above | Kind::Unreachable => {
                None
            }
        }
    }

    /// The measured value that raised it; `None` where its text says more than its numbers.
    fn at_start(&self) -> Option<Measured> {
        let (value, limit) = (self.value?, self.limit?);
        match self.kind {
            Kind::Overdue => Some(Measured::Silent {
                age_s: value,
                limit_s: limit,
            }),
            Kind::Outside if limit > 0.0 => Some(Measured::OfCircle {
                from_centre_m: value,
                radius_m: limit,
            }),
            // An area has no centre, and its limit is 0.
            Kind::Outside => Some(Measured::OfArea {
                over_m: value,
                name: "area".to_owned(),
            }),
            Kind::PickedUp => Some(Measured::Carried {
                speed_m_s: value,
                limit_m_s: limit,
            }),
            Kind::Stationary => Some(Measured::Still {
                spread_m: value,
                limit_m: limit,
            }),
            // The unit of a field is in the text alone.
            Kind::Below | Kind::Above | Kind::Unreachable => None,
        }
    }
}

impl Words<'_> {
    /// With the time of the fix that raised the alarm in words, for what is not of now.
    #[must_use]
    pub(crate) fn at(mut self, fix: String) -> Self {
        if let When::Start(at) = &mut self.when {
            *at = fix;
        }
        self
    }

    /// With what came after the last fix, as the cause of a silence names it.
    #[must_use]
    pub(crate) fn with_newer(self, newer: Option<Newer>) -> Self {
        Self { newer, ..self }
    }

    /// The text of the alarm, which is stored in metric units, in these.
    fn cause(&self, units: Units) -> String {
        let newer = |units| self.newer.and_then(|newer| newer.text(units));
        match newer(Units::Metric).zip(newer(units)) {
            Some((stored, written)) => self.alarm.text.replace(&stored, &written),
            None => self.alarm.text.clone(),
        }
    }

    /// The alarm at a length, in these units.
    pub(crate) fn write(&self, length: Length, units: Units) -> String {
        let (kind, text) = (self.alarm.kind, &self.alarm.text);
        let Some(measured) = &self.measured else {
            return match (length, &self.when) {
                // A number without its name and unit says nothing.
                (Length::Short, _) => kind.word().to_owned(),
                (Length::Line, _) if kind == Kind::Unreachable => {
                    format!("{}: {text}", kind.word())
                }
                (_, When::Start(at)) if !at.is_empty() => format!("{text} at {at}"),
                _ => text.clone(),
            };
        };
        let forms = measured.forms(&self.when, units);
        match length {
            Length::Short => forms.short,
            Length::Cell => forms.cell,
            Length::Line => format!("{}: {}", kind.word(), forms.cell),
            Length::Sentence => forms.sentence,
            Length::Full if kind == Kind::Overdue => {
                let of = match self.when {
                    When::Now => format!("no fix for {}, limit {}", forms.value, forms.limit),
                    When::Start(_) => format!("no fix for longer than {}", forms.limit),
                };
                let cause = match text.is_empty() {
                    true => String::new(),
                    false => format!("; {}", self.cause(units)),
                };
                format!("{}: {of}{cause}", kind.word())
            }
            Length::Full => forms.sentence,
        }
    }

    /// Value and limit for two columns of numbers, with a word where the value is that of
    /// the start.
    pub(crate) fn columns(&self, units: Units) -> Option<(String, String)> {
        let (value, limit) = match &self.measured {
            Some(measured) => {
                let forms = measured.forms(&self.when, units);
                (forms.value, forms.limit)
            }
            None if matches!(self.alarm.kind, Kind::Below | Kind::Above) => {
                (self.alarm.value?.to_string(), self.alarm.limit?.to_string())
            }
            None => return None,
        };
        Some(match self.when {
            When::Now => (value, limit),
            When::Start(_) => (format!("was {value}"), limit),
        })
    }
}

impl Measured {
    /// A position that is this far beyond the edge of where it should stay, metres.
    pub(super) fn of(inside: &Inside, over_m: f64) -> Self {
        match inside {
            Inside::Circle(circle) => Self::OfCircle {
                from_centre_m: over_m + circle.radius_m,
                radius_m: circle.radius_m,
            },
            Inside::Area(_) => Self::OfArea {
                over_m,
                name: inside.name(),
            },
        }
    }

    /// The value and its limit: seconds, metres, m/s, or in the unit of the field.
    pub(super) fn numbers(&self) -> (f64, f64) {
        match self {
            Self::Silent { age_s, limit_s } => (*age_s, *limit_s),
            Self::OfCircle {
                from_centre_m,
                radius_m,
            } => (*from_centre_m, *radius_m),
            Self::OfArea { over_m, .. } => (*over_m, 0.0),
            Self::Carried {
                speed_m_s,
                limit_m_s,
            } => (*speed_m_s, *limit_m_s),
            Self::Still { spread_m, limit_m } => (*spread_m, *limit_m),
            Self::OfField { value, limit } => (*value, limit.value),
        }
    }

    /// The text of an alarm that this raises: a sentence in SI units.
    pub(super) fn text(&self) -> String {
        self.forms(&When::Start(String::new()), Units::Si).sentence
    }

    /// The value, the limit and the words at each length; an arm for each kind of alarm.
    fn forms(&self, when: &When, units: Units) -> Forms {
        let (at, is_now) = (when.at(), *when == When::Now);
        match self {
            Self::Silent { age_s, limit_s } => {
                let (value, limit) = spans(*age_s, *limit_s);
                Forms {
                    // The age of the last fix is shown next to it.
                    short: "overdue".to_owned(),
                    cell: format!("limit {limit}"),
                    sentence: match is_now {
                        true => format!("overdue for {value}, limit {limit}"),
                        false => format!("overdue: no fix for longer than {limit}"),
                    },
                    value,
                    limit,
                }
            }
            Self::OfCircle {
                from_centre_m,
                radius_m,
            } => {
                let (value, limit) = distances(*from_centre_m, *radius_m, units);
                let place = Place {
                    over_m: from_centre_m - radius_m,
                    name: "watch circle",
                    edge: "circle",
                    found: format!("{value} from the centre, limit {limit}"),
                    was: format!("{value} from the centre{at}, limit {limit}"),
                    value,
                    limit,
                };
                place.forms(when, units)
            }
            Self::OfArea { over_m, name } => {
                let by = distances(over_m.abs(), 0.0, units).0;
                let (value, limit) = distances(*over_m, 0.0, units);
                let side = if *over_m > 0.0 || !is_now {
                    "beyond"
                } else {
                    "within"
                };
                let place = Place {
                    over_m: *over_m,
                    name,
                    edge: "edge",
                    found: format!("{by} {side} its edge"),
                    was: format!("{by} beyond the edge{at}"),
                    value,
                    limit,
                };
                place.forms(when, units)
            }
            Self::Carried {
                speed_m_s,
                limit_m_s,
            } => {
                let (value, limit) = speeds(*speed_m_s, *limit_m_s, units);
                Forms {
                    short: format!("picked up, was {value}"),
                    cell: format!("was {value}{at}, limit {limit}"),
                    sentence: format!("picked up{at}: straight on at {value}, limit {limit}"),
                    value,
                    limit,
                }
            }
            Self::Still { spread_m, limit_m } => {
                let (value, limit) = distances(*spread_m, *limit_m, units);
                Forms {
                    short: format!("stationary, was {value}"),
                    cell: format!("was {value}{at}, limit {limit}"),
                    sentence: format!("stationary{at}: within {value} for 48 h, limit {limit}"),
                    value,
                    limit,
                }
            }
            Self::OfField { value, limit } => {
                let sentence = format!(
                    "{} {}, {} the limit {}",
                    excerpt(&limit.field, 60),
                    limit.with_unit(*value),
                    limit.side,
                    limit.with_unit(limit.value)
                );
                Forms {
                    value: value.to_string(),
                    limit: limit.value.to_string(),
                    short: limit.side.to_string(),
                    cell: sentence.clone(),
                    sentence,
                }
            }
        }
    }
}

/// A position and the edge of where it should stay, in words.
struct Place<'a> {
    /// How far it is beyond the edge, metres: negative within it.
    over_m: f64,
    /// The name of the circle or area.
    name: &'a str,
    /// The word for its edge.
    edge: &'a str,
    /// Its place, as a sentence of now has it.
    found: String,
    /// Its place, as a cell of its start has it.
    was: String,
    /// The measured value in print.
    value: String,
    /// Its limit in print.
    limit: String,
}

impl Place<'_> {
    fn forms(self, when: &When, units: Units) -> Forms {
        let Self {
            name, edge, found, ..
        } = self;
        let by = distances(self.over_m.abs(), 0.0, units).0;
        let (short, cell, sentence) = match (*when == When::Now, self.over_m > 0.0) {
            (true, true) => (
                format!("outside by {by}"),
                format!("{by} beyond {edge}"),
                format!("outside its {name}: now {found}"),
            ),
            // Not far enough within it, or not twice.
            (true, false) => (
                "inside again".to_owned(),
                format!("inside again by {by}"),
                format!("inside its {name} again: {found}"),
            ),
            (false, _) => (
                format!("was outside by {by}"),
                format!("was {}", self.was),
                format!("outside its {name}{}: {found}", when.at()),
            ),
        };
        Forms {
            value: self.value,
            limit: self.limit,
            short,
            cell,
            sentence,
        }
    }
}

/// Two distances in metres, in print.
fn distances(value: f64, limit: f64, units: Units) -> (String, String) {
    apart(value, limit, |metres, more| {
        let unit = units.unit_of(metres);
        let decimals = if unit == DistanceUnit::Metres { 0 } else { 3 };
        match more {
            0 => units.distance(metres),
            _ => format!("{:.*} {}", decimals + more, unit.of(metres), unit.symbol()),
        }
    })
}

/// Two speeds in m/s, in print.
fn speeds(value: f64, limit: f64, units: Units) -> (String, String) {
    let unit = units.speed_unit();
    apart(value, limit, |speed, more| {
        format!("{:.*} {}", 2 + more, unit.of(speed), unit.symbol())
    })
}

#[cfg(test)]
mod tests;
