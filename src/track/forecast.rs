//! The position of an instrument now or at a later time, and how sure that is.
//!
//! The last good fix is carried on by the motion that was nearest over the deployment's
//! own last 30 days at the same lead: one of four of its own ([`motion`]), or what a
//! neighbour has done since ([`neighbour`]). The circle holds the true position as often
//! as it says, by the errors of the same forecast ([`record`]). Pure functions of what
//! was known at the moment: a forecast never depends on a later fix.

mod circle;
mod intercept;
mod motion;
mod neighbour;
mod path;
mod precision;
mod record;

#[cfg(test)]
mod tests;

use std::fmt;

use uuid::Uuid;

use super::{Platform, Track, time};
use crate::geo::Position;
use circle::Ratios;
pub(crate) use circle::WINDOW_S;
pub(crate) use intercept::{Bearing, Course, Ship};
use motion::Drift;
use neighbour::Followed;
pub(crate) use path::{Jump, Path};
use record::Record;

/// No forecast is made from a last fix that is older, seconds: 60 days.
pub(crate) const LONGEST_LEAD_S: f64 = 60.0 * 86_400.0;
/// A speed is measured over an hour; reports that come a little early count as one.
const SHORTEST_LEG_S: f64 = 0.9 * 3600.0;

/// The two times of a question: the time that is asked for, and until when fixes are
/// known. Both UNIX seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    /// The time for which a position is wanted.
    pub at: f64,
    /// The time after which nothing is known.
    pub known_until: f64,
}

impl Moment {
    /// The moment `at`, asked for at `now`: of a moment in the past nothing after it counts.
    pub(crate) fn new(at: f64, now: f64) -> Self {
        Self {
            at,
            known_until: at.min(now),
        }
    }
}

/// Another deployment whose motion may be followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbour<'a> {
    pub deployment: Uuid,
    pub track: &'a Track,
}

/// The neighbour whose motion a forecast follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FollowedNeighbour {
    pub deployment: Uuid,
    /// How far it was from the instrument at the instrument's last good fix, metres.
    pub distance_m: f64,
    /// Its last good fix, UNIX seconds.
    pub fix_time: f64,
}

/// A position at a moment, with the circle to search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Forecast {
    /// The most likely position.
    pub position: Position,
    /// Radius of the circle that holds half of the true positions, metres.
    pub r50_m: f64,
    /// Radius of the circle that holds nine of ten, metres.
    pub r90_m: f64,
    /// How many earlier forecasts of this lead, whose outcome is known, made the circle.
    pub samples: usize,
    /// The motion, and its mean error in metres over these earlier forecasts where they
    /// are enough to choose by.
    pub method: Method,
    /// The neighbour whose motion it follows.
    pub neighbour: Option<FollowedNeighbour>,
    /// `true` if it is far faster than in the earlier forecasts.
    pub outruns_record: bool,
    way: Way,
}

/// How a position was carried on, for the reader.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Method {
    /// The motion in words: "last speed, slowing over 48 h".
    pub motion: &'static str,
    /// The mean error of this motion over the last 30 days at the same lead, metres; `None`
    /// if the outcomes are too few.
    pub mean_error_m: Option<f64>,
    /// `true` for an instrument that steers.
    pub is_steered: bool,
}

impl fmt::Display for Method {
    /// In SI units, for files and programs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.motion)?;
        match self.mean_error_m {
            Some(error_m) => write!(f, "; mean error {error_m:.0} m over the last 30 days")?,
            None => f.write_str("; too few earlier forecasts to choose by")?,
        }
        if self.is_steered {
            f.write_str("; a glider steers")
        } else {
            Ok(())
        }
    }
}

/// How the position goes on with time.
#[derive(Debug, Clone, PartialEq)]
enum Way {
    Own(Drift),
    Followed(Followed),
}

impl Way {
    fn position_at(&self, time_s: f64) -> Position {
        match self {
            Self::Own(drift) => drift.position_at(time_s),
            Self::Followed(followed) => followed.position_at(time_s),
        }
    }
}

impl Forecast {
    /// A forecast for a time (UNIX seconds) with its radii in metres, without outcomes.
    fn new(at: f64, way: Way, radii: Ratios, method: Method) -> Self {
        Self {
            position: way.position_at(at),
            r50_m: radii.half,
            r90_m: radii.ninety,
            samples: 0,
            method,
            neighbour: None,
            outruns_record: false,
            way,
        }
    }

    /// The position by the same motion at another time, UNIX seconds.
    pub(crate) fn position_at(&self, time_s: f64) -> Position {
        self.way.position_at(time_s)
    }
}

/// Why there is no forecast.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub(crate) enum NoForecast {
    #[error("there is no good fix at or before this time")]
    NoFix,
    #[error("there is one good fix alone: it shows no motion")]
    OneFix,
    #[error("all good fixes have one time: they show no motion")]
    OneTime,
    #[error(
        "all {0} good fixes have one position: the instrument does not move, or its receiver is stuck"
    )]
    OnePlace(usize),
    /// Within so many seconds.
    #[error("the good fixes span only {}: a speed is measured over an hour", time::duration(*.0))]
    TooShort(f64),
    /// Its age, seconds.
    #[error("the last good fix is {} old at this time: after 60 days a track is no guide to the position", time::duration(*.0))]
    TooOld(f64),
}

impl NoForecast {
    /// The reason in a few ASCII words.
    pub(crate) fn brief(&self) -> &'static str {
        match self {
            Self::NoFix => "no good fix",
            Self::OneFix => "one fix alone",
            Self::OneTime => "all fixes at one time",
            Self::OnePlace(_) => "all fixes at one place",
            Self::TooShort(_) => "fixes within an hour",
            Self::TooOld(_) => "fix over 60 days old",
        }
    }
}

/// The position of the instrument of `track` at a moment, by its own motion or by that of a
/// neighbour that reported since.
///
/// # Errors
/// If the track has no motion, or ended more than 60 days before the moment.
pub(crate) fn forecast(
    track: &Track,
    neighbours: &[Neighbour<'_>],
    moment: Moment,
) -> Result<Forecast, NoForecast> {
    let path = Path::new(track, moment.known_until);
    let last = path.check(moment)?;
    let lead_s = (moment.at - last.time_s).max(1.0);
    let mut record = Record::new(&path, lead_s);
    let own = record.run().ok_or(NoForecast::NoFix)?;
    let method = Method {
        motion: own.drift.candidate.words(),
        mean_error_m: own.mean_error_m,
        is_steered: track.platform() == Platform::Glider,
    };
    let way = Way::Own(own.drift);
    let radii = if path.is_by_argos {
        record::widest_until(&path, lead_s)
    } else {
        own.radii()
    };
    let own_forecast = Forecast {
        samples: own.samples,
        outruns_record: record.is_outrun_by(&own),
        ..Forecast::new(moment.at, way, radii.about(path.error_m), method)
    };
    if track.platform() == Platform::Glider {
        return Ok(own_forecast);
    }
    let drifting = neighbours
        .iter()
        .filter(|neighbour| neighbour::is_drifting(neighbour.track, last.time_s, moment));
    let followed = drifting.filter_map(|neighbour| {
        let other = Path::new(neighbour.track, moment.known_until);
        let judged = neighbour::judge(&record, &own, &other)?;
        Some((neighbour.deployment, judged))
    });
    let best = followed.min_by(|(uuid, one), (other_uuid, other)| {
        let [one, other] = [one.rank(), other.rank()];
        let by_rank = one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
        by_rank.then(uuid.cmp(other_uuid))
    });
    Ok(best.map_or(own_forecast, |(deployment, judged)| {
        let method = Method {
            motion: "displacement of a neighbour",
            mean_error_m: judged.mean_error_m,
            is_steered: false,
        };
        let way = Way::Followed(judged.followed);
        Forecast {
            samples: judged.samples,
            neighbour: Some(FollowedNeighbour {
                deployment,
                distance_m: judged.distance_m,
                fix_time: judged.fix_time,
            }),
            ..Forecast::new(moment.at, way, judged.radii.about(path.error_m), method)
        }
    }))
}
