//! Why a fix carries its flag, with the numbers that made it.

use std::borrow::Cow;

use crate::geo::Units;
use crate::track::time;

/// Why a fix has its flag. The numbers are in a [`Finding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub(crate) enum Reason {
    /// No reason: the fix passed.
    #[default]
    None,
    /// Its time is more than a day ahead of the current time.
    Future,
    /// Its time is ahead of the current time by less, and is judged when it has come.
    Ahead,
    /// Exactly (0, 0): a receiver without a position.
    NullIsland,
    /// Years from all other fixes, which are more: a receiver that lost its clock.
    LostClock,
    /// Shortly after the start of clocks and years from others: a receiver that lost its clock.
    ClockStart,
    /// Rollovers of the GPS week before other fixes: a receiver that lost count of them.
    WeekRollover,
    /// Another position has the same time, and the track does not show which of them is
    /// right.
    TimeConflict,
    /// Another position has the same time, and the track shows that the other is right.
    WrongOfTwo,
    /// An archived position that the latest response lacks: it has another for
    /// the same time, or corrected others and cannot be reached from this one.
    Replaced,
    /// Too far from its neighbours for the time between.
    Speed,
    /// The leg that leads to it is over the speed limit: a lasting move.
    Jump,
    /// Between two straight fast legs: a drifter aboard a ship.
    UnderWay,
    /// The track leaves it and comes back.
    Spike,
    /// A position that is repeated many times, by a platform that moves.
    Stuck,
    /// No other fix is left to hold it against.
    Single,
    /// It is outside the time in which the fixes of the deployment count.
    Outside,
    /// A user overrode the flag.
    Overridden,
    /// An Argos location of class Z.
    LocationClass,
    /// Its source marks it as no position.
    MarkedInvalid,
}

impl Reason {
    /// A clause without numbers that explains the flag; empty for
    /// [`Reason::None`].
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Future => "time more than a day ahead",
            Self::Ahead => "ahead of the clock",
            Self::NullIsland => "at exactly 0, 0",
            Self::LostClock | Self::ClockStart | Self::WeekRollover => "lost clock",
            Self::TimeConflict | Self::WrongOfTwo => "two positions at one time",
            Self::Replaced => "replaced by the service",
            Self::Speed => "too far for the time between",
            Self::Jump => "jump",
            Self::UnderWay => "under way",
            Self::Spike => "spike",
            Self::Stuck => "stuck",
            Self::Single => "single fix",
            Self::Outside => "outside the time window",
            Self::Overridden => "overridden",
            Self::LocationClass => "Argos class Z",
            Self::MarkedInvalid => "marked invalid by its source",
        }
    }

    /// The reason in one or two words, for a cell without room for the clause; empty
    /// for [`Reason::None`].
    pub(crate) fn short_text(self) -> &'static str {
        match self {
            Self::Future => "time ahead",
            Self::NullIsland => "exactly 0, 0",
            Self::TimeConflict | Self::WrongOfTwo => "same time",
            Self::Replaced => "replaced",
            Self::Speed => "too fast",
            Self::Outside => "outside",
            Self::MarkedInvalid => "marked invalid",
            other => other.text(),
        }
    }
}

/// The numbers of a flag: what was measured, in the units of its reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Finding {
    /// The fix it is about.
    pub(crate) fix: u32,
    /// Metres; for a time ahead or a lost clock seconds, for the start of clocks the start in
    /// UNIX seconds, for rollovers weeks, for a stuck run fixes, for a fast leg m/s.
    pub(crate) measured: f32,
    /// Seconds that the metres took or the run lasted; for a spike and for two positions at one
    /// time the metres that were allowed; for rollovers the fixes that have one.
    pub(crate) within: f32,
}

impl Finding {
    /// The numbers of the fix at `index`; `None` beyond four thousand million fixes.
    pub(crate) fn new(index: usize, measured: f64, within: f64) -> Option<Self> {
        // Seven digits are shown at most.
        let [measured, within] = [measured as f32, within as f32];
        let fix = u32::try_from(index).ok()?;
        Some(Self {
            fix,
            measured,
            within,
        })
    }
}

/// The clause for a reason with its numbers, in the units of people or, without any, as files have
/// them: in metres, kilometres and m/s. `limit` is the speed limit in m/s.
pub(crate) fn text(
    reason: Reason,
    finding: Option<&Finding>,
    limit: f64,
    units: Option<Units>,
) -> Cow<'static, str> {
    let Some(finding) = finding else {
        return Cow::Borrowed(reason.text());
    };
    let measured = f64::from(finding.measured);
    let within = f64::from(finding.within);
    let length = |metres| length(metres, units);
    let speed = |metres_a_second| {
        let unit = units.unwrap_or(Units::Si).speed_unit();
        let value = number(unit.convert(metres_a_second));
        format!("{value} {}", unit.symbol())
    };
    // "16.5 km in 258 s: 64 m/s, limit 4.2 m/s".
    let fast = || {
        let way = length(measured);
        let time = span(within);
        let limit = speed(limit);
        if within > 0.0 {
            format!(
                "{way} in {time}: {}, limit {limit}",
                speed(measured / within)
            )
        } else {
            format!("{way} in {time}, limit {limit}")
        }
    };
    Cow::Owned(match reason {
        Reason::None
        | Reason::NullIsland
        | Reason::Single
        | Reason::Outside
        | Reason::LocationClass
        | Reason::MarkedInvalid
        | Reason::Overridden => return Cow::Borrowed(reason.text()),
        Reason::Future => format!("time {} ahead, limit 1 d", span(measured)),
        Reason::Ahead => format!("ahead of the clock: {}", span(measured)),
        Reason::ClockStart => format!(
            "lost clock: up to {} after {}, where clocks start",
            span(super::START_S),
            time::day(measured)
        ),
        Reason::WeekRollover => format!(
            "lost clock: {measured:.0} weeks early (GPS week rollover), as {within:.0} {}",
            if within == 1.0 { "fix is" } else { "fixes are" }
        ),
        Reason::LostClock => format!(
            "lost clock: {} years from all other fixes, limit {}",
            number(measured / YEAR_S),
            number(super::LOST_CLOCK_S / YEAR_S)
        ),
        Reason::TimeConflict => {
            let [apart, limit] = [measured, within].map(length);
            format!("two positions at one time: {apart} apart, limit {limit}")
        }
        Reason::WrongOfTwo => format!("two positions at one time: {}", fast()),
        Reason::Replaced if within > 0.0 => {
            format!("older than the service's correction: {}", fast())
        }
        Reason::Replaced => {
            let away = length(measured);
            format!("replaced by the service, by a position {away} away")
        }
        Reason::Speed => fast(),
        Reason::Jump => format!("jump: {}", fast()),
        Reason::UnderWay => {
            let [speed, limit] = [measured, super::UNDER_WAY_M_S].map(speed);
            format!("under way: {speed}, limit {limit}")
        }
        Reason::Spike => {
            let [off, limit] = [measured, within].map(length);
            format!("spike: {off} off the track, limit {limit}")
        }
        Reason::Stuck => format!(
            "stuck: {measured:.0} times the same position in {}, limit {} times",
            span(within),
            super::REPEATS
        ),
    })
}

fn length(metres: f64, units: Option<Units>) -> String {
    let (value, symbol) = match units {
        None if metres < 999.5 => (metres, "m"),
        None => (metres / 1000.0, "km"),
        Some(units) => {
            let unit = units.unit_for(metres);
            (unit.convert(metres), unit.symbol())
        }
    };
    match symbol {
        "m" => format!("{value:.0} m"),
        _ => format!("{} {symbol}", number(value)),
    }
}

/// Formats a number with one decimal below a hundred, or none if that is 0.
fn number(value: f64) -> String {
    if value >= 99.95 {
        return format!("{value:.0}");
    }
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

const YEAR_S: f64 = 365.25 * 86_400.0;

/// Seconds up to an hour, hours up to two days, then days.
fn span(seconds: f64) -> String {
    if seconds < 3600.0 {
        format!("{} s", number(seconds))
    } else if seconds < 48.0 * 3600.0 {
        format!("{} h", number(seconds / 3600.0))
    } else {
        format!("{} d", number(seconds / 86_400.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_the_number_and_the_limit() {
        let say = |reason, measured, within| {
            let finding = Finding {
                fix: 0,
                measured,
                within,
            };
            text(reason, Some(&finding), 15.0 / 3.6, None).into_owned()
        };
        assert_eq!(
            say(Reason::Speed, 16_500.0, 258.0),
            "16.5 km in 258 s: 64 m/s, limit 4.2 m/s"
        );
        assert_eq!(
            say(Reason::Jump, 1_958_000.0, 70.0),
            "jump: 1958 km in 70 s: 27971 m/s, limit 4.2 m/s"
        );
        assert_eq!(
            say(Reason::Speed, 2_000.0, 0.0),
            "2 km in 0 s, limit 4.2 m/s"
        );
        assert_eq!(
            say(Reason::Spike, 4_310.0, 200.0),
            "spike: 4.3 km off the track, limit 200 m"
        );
        assert_eq!(
            say(Reason::Stuck, 12.0, 39_600.0),
            "stuck: 12 times the same position in 11 h, limit 5 times"
        );
        assert_eq!(
            say(Reason::UnderWay, 4.93, 0.0),
            "under way: 4.9 m/s, limit 2.1 m/s"
        );
        assert_eq!(
            say(Reason::Future, 259_200.0, 0.0),
            "time 3 d ahead, limit 1 d"
        );
        assert_eq!(
            say(Reason::LostClock, 1.45e9, 0.0),
            "lost clock: 45.9 years from all other fixes, limit 5"
        );
        assert_eq!(
            say(Reason::Ahead, 30_600.0, 0.0),
            "ahead of the clock: 8.5 h"
        );
        assert_eq!(
            say(Reason::ClockStart, 315_964_800.0, 0.0),
            "lost clock: up to 60 d after 1980-01-06, where clocks start"
        );
        assert_eq!(
            say(Reason::WeekRollover, 1024.0, 25.0),
            "lost clock: 1024 weeks early (GPS week rollover), as 25 fixes are"
        );
        assert_eq!(
            say(Reason::TimeConflict, 912.4, 50.0),
            "two positions at one time: 912 m apart, limit 50 m"
        );
        assert_eq!(
            say(Reason::Replaced, 1_429_000.0, 0.0),
            "replaced by the service, by a position 1429 km away"
        );
        assert_eq!(text(Reason::None, None, 1.0, None), "");
    }

    #[test]
    fn a_reason_for_people_has_their_units() {
        let say = |reason, measured, within, units| {
            let finding = Finding {
                fix: 0,
                measured,
                within,
            };
            let written = Some(units);
            text(reason, Some(&finding), 15.0 / 3.6, written).into_owned()
        };
        for (units, fast, spike) in [
            (
                Units::Nautical,
                "8.9 nm in 258 s: 124 kn, limit 8.1 kn",
                "spike: 2.3 nm off the track, limit 200 m",
            ),
            (
                Units::Metric,
                "16.5 km in 258 s: 230 km/h, limit 15 km/h",
                "spike: 4.3 km off the track, limit 200 m",
            ),
            (
                Units::Si,
                "16500 m in 258 s: 64 m/s, limit 4.2 m/s",
                "spike: 4310 m off the track, limit 200 m",
            ),
        ] {
            assert_eq!(say(Reason::Speed, 16_500.0, 258.0, units), fast);
            assert_eq!(say(Reason::Spike, 4_310.0, 200.0, units), spike);
        }
    }
}
