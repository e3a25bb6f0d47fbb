//! The words of an alarm. Every text about one is written here, from what was measured, at
//! a length and in units of choice: a new kind has one arm in [`Measured::forms`].

use jiff::tz::TimeZone;

use super::life::{Alarm, Kind};
use super::silence::{Cause, WithoutFix};
use crate::geo::{Inside, Units};
use crate::text::excerpt;
use crate::track::{FieldLimit, time};

/// A value of a fix that is older has the time of the fix with it, seconds.
pub(crate) const FRESH_S: f64 = 600.0;

/// How much of an alarm is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// The kind with one number: "outside by 112 m".
    Short,
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
    /// A fix, with its watch circle or area.
    Outside {
        /// How far it is beyond the edge, metres: negative within it.
        over_m: f64,
        edge: Edge,
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
        limit: FieldLimit,
    },
}

/// The edge that an instrument should stay within.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edge {
    /// A watch circle with this radius, metres.
    Circle(f64),
    /// An area with this name: "area north".
    Area(String),
}

/// When something was measured.
#[derive(Debug, Clone, PartialEq)]
enum When {
    Now,
    /// At the fix that raised the alarm: its time as text, empty if that is shown
    /// elsewhere.
    Start(String),
}

impl When {
    /// The time, to follow a value that is not of now; empty if it is shown elsewhere.
    fn at(&self) -> String {
        match self {
            Self::Start(at) if !at.is_empty() => format!(" at {at}"),
            _ => String::new(),
        }
    }
}

/// The words of an alarm: of now if a current value is known, else of its start.
#[derive(Debug, Clone)]
pub(crate) struct Words<'a> {
    alarm: &'a Alarm,
    /// `None` if the text of the alarm says everything.
    measured: Option<Measured>,
    when: When,
    /// The zone that times are shown in, `Some(None)` for UTC; `None` for programs, in RFC 3339.
    zone: Option<Option<TimeZone>>,
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
    /// The words of the alarm, with its current value if that is known.
    pub(crate) fn words(&self, now: Option<Measured>) -> Words<'_> {
        let when = match now {
            Some(_) => When::Now,
            None => When::Start(String::new()),
        };
        Words {
            alarm: self,
            measured: now.or_else(|| self.at_start()),
            when,
            zone: None,
        }
    }

    /// The text for programs: numbers in SI units and of its start, except for the age of a
    /// silence, which is that at `now` (UNIX seconds). The text of an alarm that has ended
    /// says so.
    pub(crate) fn report(&self, now: f64) -> String {
        let text = self.report_of_start(now);
        match (self.cleared_at, &self.ended) {
            (None, _) => text,
            (Some(_), None) => format!("ended: {text}"),
            (Some(_), Some(why)) => format!("ended: {text}; {why}"),
        }
    }

    /// The cause of a silence in these units; empty if nothing is known of it.
    pub(crate) fn cause(&self, units: Units) -> String {
        let cause = self.cause.as_ref();
        cause.map(|cause| cause.text(units)).unwrap_or_default()
    }

    /// The same text, whether it has ended or not.
    pub(crate) fn report_of_start(&self, now: f64) -> String {
        match self.kind {
            Kind::Overdue => self
                .words(self.current(None, None, now))
                .write(Length::Full, Units::Si),
            // Its text says since when.
            Kind::Unjudged => self.text.clone(),
            // Its limit was set long after the fix that is beyond it.
            _ => match self.fix_time.filter(|fix| self.raised_at - fix >= FRESH_S) {
                Some(fix) => {
                    let fix = time::rfc3339(fix.floor());
                    format!("{}; by the fix of {fix}", self.text)
                }
                None => self.text.clone(),
            },
        }
    }
}

impl Words<'_> {
    /// With the time of the fix that raised the alarm as text, for a value of its start.
    #[must_use]
    pub(crate) fn at(mut self, fix: String) -> Self {
        if let When::Start(at) = &mut self.when {
            *at = fix;
        }
        self
    }

    /// With times as tables show them, in UTC or in a zone.
    #[must_use]
    pub(crate) fn in_zone(mut self, zone: Option<&TimeZone>) -> Self {
        self.zone = Some(zone.cloned());
        self
    }

    /// The alarm at a length, in these units.
    pub(crate) fn write(&self, length: Length, units: Units) -> String {
        let words = self.for_programs(length, units);
        match &self.zone {
            Some(zone) => time::as_in_tables(&words, zone.as_ref()),
            None => words,
        }
    }

    fn for_programs(&self, length: Length, units: Units) -> String {
        let kind = self.alarm.kind;
        let text = &self.alarm.text;
        let Some(measured) = &self.measured else {
            return match (length, &self.when) {
                // A number without its name and unit would mean nothing.
                (Length::Short, _) => self.alarm.name().into_owned(),
                (Length::Line, _) if kind == Kind::Unreachable => {
                    format!("{}: {text}", kind.word())
                }
                (_, When::Start(at)) if !at.is_empty() && kind != Kind::Unjudged => {
                    format!("{text} at {at}")
                }
                _ => text.clone(),
            };
        };
        let forms = measured.forms(&self.when, units);
        match length {
            Length::Short => forms.short,
            Length::Line => format!("{}: {}", kind.word(), forms.cell),
            Length::Sentence => forms.sentence,
            Length::Full if kind == Kind::Overdue => {
                let of = match self.when {
                    When::Now => format!("no fix for {}, limit {}", forms.value, forms.limit),
                    When::Start(_) => format!("no fix for longer than {}", forms.limit),
                };
                match self.alarm.cause(units).as_str() {
                    "" => format!("{}: {of}", kind.word()),
                    cause => format!("{}: {of}; {cause}", kind.word()),
                }
            }
            Length::Full => forms.sentence,
        }
    }

    /// Value and limit for two columns of numbers; a value of its start has the word "was".
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

impl Cause {
    /// The cause in words; empty if there is nothing to say.
    pub(super) fn text(&self, units: Units) -> String {
        let without_fix = self.without_fix.map(|why| match why {
            WithoutFix::Never => "it never sent a fix".to_owned(),
            WithoutFix::NoneGood => "it never sent a good fix".to_owned(),
            WithoutFix::SinceWindow(from) => {
                let from = time::rfc3339(from.floor());
                format!("no fix since its time window began {from}")
            }
        });
        let newer = self.newer.and_then(|newer| newer.text(units));
        let unanswered = self.unanswered.as_ref().map(|unanswered| {
            let since = match unanswered.since {
                Some(at) => format!("no usable answer since {}", time::rfc3339(at.floor())),
                None => "never a usable answer".to_owned(),
            };
            match &unanswered.why {
                Some(why) => format!("{since}: {why}"),
                None => since,
            }
        });
        let causes = [without_fix, newer, unanswered].into_iter().flatten();
        causes.collect::<Vec<_>>().join("; ")
    }
}

impl Measured {
    /// A position that is this far beyond the edge of its circle or area, metres.
    pub(crate) fn new(inside: &Inside, over_m: f64) -> Self {
        let edge = match inside {
            Inside::Circle(circle) => Edge::Circle(circle.radius_m),
            Inside::Area(_) => Edge::Area(inside.name()),
        };
        Self::Outside { over_m, edge }
    }

    /// The value and its limit: seconds, metres, m/s, or in the unit of the field.
    pub(super) fn numbers(&self) -> (f64, f64) {
        match self {
            Self::Silent { age_s, limit_s } => (*age_s, *limit_s),
            Self::Outside { over_m, edge } => match edge {
                Edge::Circle(radius_m) => (over_m + radius_m, *radius_m),
                Edge::Area(_) => (*over_m, 0.0),
            },
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
        let at = when.at();
        let is_now = *when == When::Now;
        match self {
            Self::Silent { age_s, limit_s } => {
                let (value, limit) = spans(*age_s, *limit_s);
                Forms {
                    // The age of the last fix is shown next to it.
                    short: "overdue".to_owned(),
                    cell: format!("limit {limit}"),
                    sentence: if is_now {
                        format!("overdue for {value}, limit {limit}")
                    } else {
                        format!("overdue: no fix for longer than {limit}")
                    },
                    value,
                    limit,
                }
            }
            Self::Outside { over_m, edge } => outside(*over_m, edge, when, units),
            Self::Carried {
                speed_m_s,
                limit_m_s,
            } => {
                let (value, limit) = speeds(*speed_m_s, *limit_m_s, units);
                let sentence = format!("picked up{at}: straight on at {value}, limit {limit}");
                Forms::of_motion(Kind::PickedUp, &at, sentence, value, limit)
            }
            Self::Still { spread_m, limit_m } => {
                let (value, limit) = distances(*spread_m, *limit_m, units);
                let sentence = format!("stationary{at}: within {value} for 48 h, limit {limit}");
                Forms::of_motion(Kind::Stationary, &at, sentence, value, limit)
            }
            Self::OfField { value, limit } => {
                let field = excerpt(&limit.field, 60);
                let (now, most) = (limit.measured(*value), limit.with_unit(limit.value));
                Forms {
                    value: value.to_string(),
                    limit: limit.value.to_string(),
                    short: format!("{} {field}", limit.side),
                    cell: format!("{field} {now}, limit {most}"),
                    sentence: format!("{field} {now}, {} the limit {most}", limit.side),
                }
            }
        }
    }
}

impl Forms {
    /// The words of an alarm about motion, whose value is always that of its start.
    fn of_motion(kind: Kind, at: &str, sentence: String, value: String, limit: String) -> Self {
        Self {
            short: format!("{}, was {value}", kind.word()),
            cell: format!("was {value}{at}, limit {limit}"),
            sentence,
            value,
            limit,
        }
    }
}

/// The words of a position that is this far beyond an edge, metres.
fn outside(over_m: f64, edge: &Edge, when: &When, units: Units) -> Forms {
    let at = when.at();
    let is_now = *when == When::Now;
    let by = distances(over_m.abs(), 0.0, units).0;
    let (value, limit) = match edge {
        Edge::Circle(radius_m) => distances(over_m + radius_m, *radius_m, units),
        Edge::Area(_) => distances(over_m, 0.0, units),
    };
    let (name, edge_name, found, was) = match edge {
        Edge::Circle(_) => (
            "watch circle",
            "circle",
            format!("{value} from the centre, limit {limit}"),
            format!("{value} from the centre{at}, limit {limit}"),
        ),
        Edge::Area(name) => {
            let is_within = is_now && over_m <= 0.0;
            let side = if is_within { "within" } else { "beyond" };
            (
                name.as_str(),
                "edge",
                format!("{by} {side} its edge"),
                format!("{by} beyond the edge{at}"),
            )
        }
    };
    let (short, cell, sentence) = match (is_now, over_m > 0.0) {
        (true, true) => (
            format!("outside by {by}"),
            format!("{by} beyond {edge_name}"),
            format!("outside its {name}: now {found}"),
        ),
        // Within it, but not far enough or not twice, so that the alarm has not ended.
        (true, false) => (
            "inside again".to_owned(),
            format!("inside again by {by}"),
            format!("inside its {name} again: {found}"),
        ),
        (false, _) => (
            format!("was outside by {by}"),
            format!("was {was}"),
            format!("outside its {name}{at}: {found}"),
        ),
    };
    Forms {
        value,
        limit,
        short,
        cell,
        sentence,
    }
}

/// A value and its limit as text. `print` writes a number with a number of additional digits:
/// 0, unless both would read the same although they differ.
pub(super) fn apart(
    value: f64,
    limit: f64,
    print: impl Fn(f64, usize) -> String,
) -> (String, String) {
    /// Most digits in addition to the usual ones.
    const MOST: usize = 6;
    let both = |more| (print(value, more), print(limit, more));
    let differ = |(value, limit): &(String, String)| value != limit;
    if value.total_cmp(&limit).is_eq() {
        return both(0);
    }
    (0..=MOST).map(both).find(differ).unwrap_or_else(|| both(0))
}

/// A span of seconds, to the second if it reads as its limit otherwise, and the limit, which
/// is as it was typed: "4 min 12 s" and "1 min 30 s".
fn spans(value: f64, limit: f64) -> (String, String) {
    let text = match time::duration(value) {
        text if value > limit && text == time::duration(limit) => {
            time::whole_duration(value.ceil())
        }
        text => text,
    };
    // Three reporting intervals are no round number.
    let limit = match limit {
        ..3600.0 => limit,
        _ => (limit / 60.0).floor() * 60.0,
    };
    (text, time::whole_duration(limit))
}

/// Two distances in metres, in print.
pub(crate) fn distances(value: f64, limit: f64, units: Units) -> (String, String) {
    apart(value, limit, |metres, more| units.distance_to(metres, more))
}

/// Two speeds in m/s, in print.
fn speeds(value: f64, limit: f64, units: Units) -> (String, String) {
    let unit = units.speed_unit();
    apart(value, limit, |speed, more| {
        format!("{:.*} {}", 2 + more, unit.convert(speed), unit.symbol())
    })
}

#[cfg(test)]
mod tests;
