//! The choices that a track is assembled with.

use super::platform::Platform;
use super::quality::FlagOverrides;
use super::service_clock::ServiceClock;
use crate::geo::Units;
use crate::track::{DeclaredState, Window};

/// The choices that a track is assembled with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrackOptions {
    /// Kind of platform: it sets the speed limits.
    pub platform: Platform,
    /// The current time, UNIX seconds, by the later clock: a time more than a day ahead of it
    /// fails.
    pub now: f64,
    pub clock: ServiceClock,
    /// The speed limit in m/s that replaces the platform's, if it is positive and finite.
    pub max_speed_m_s: Option<f64>,
    /// The time in which fixes count.
    pub window: Window,
    /// The state that the user declares for the deployment.
    pub declared: DeclaredState,
    /// The maximum age of the last fix that the user has set, seconds.
    pub max_age_s: Option<f64>,
    /// `true` if fixes flagged 4 are excluded from track line and statistics; by
    /// default they are.
    pub exclude_failed: bool,
    /// The flags that the user set.
    pub overrules: FlagOverrides,
}

impl TrackOptions {
    /// The default choices for `platform` at the time `now`: failed fixes
    /// excluded.
    pub(crate) fn new(platform: Platform, now: f64) -> Self {
        Self {
            platform,
            now,
            clock: ServiceClock::default(),
            max_speed_m_s: None,
            window: Window::default(),
            declared: DeclaredState::default(),
            max_age_s: None,
            exclude_failed: true,
            overrules: FlagOverrides::default(),
        }
    }

    /// The same choices at `now` (UNIX seconds) by this computer's clock, with that of the
    /// service, however long ago it was seen: a report is not ahead of the clock for that.
    #[must_use]
    pub(crate) fn by_clock(self, clock: ServiceClock, now: f64) -> Self {
        Self {
            now: clock.as_kept(now),
            clock,
            ..self
        }
    }

    /// The speed limit in force, m/s: that of the user, else the platform's.
    pub(crate) fn speed_limit_m_s(&self) -> f64 {
        self.set_speed_limit_m_s()
            .unwrap_or_else(|| self.platform.max_speed_m_s())
    }

    /// The speed limit that is set instead of the platform's, m/s.
    pub(super) fn set_speed_limit_m_s(&self) -> Option<f64> {
        self.max_speed_m_s
            .filter(|limit| limit.is_finite() && *limit > 0.0)
    }

    /// The speed limit in force and its source: "limit 8.1 kn, drifter", "limit 10 kn, set".
    pub(crate) fn limit_text(&self, units: Units) -> String {
        let set = self.set_speed_limit_m_s();
        let source = set.map_or(self.platform.name(), |_| "set");
        let unit = units.speed_unit();
        let rounded = format!("{:.1}", unit.convert(self.speed_limit_m_s()));
        let speed = rounded.strip_suffix(".0").unwrap_or(&rounded);
        format!("limit {speed} {}, {source}", unit.symbol())
    }

    /// `true` if both make the same choices, at whatever time.
    pub(crate) fn same_choices(&self, other: &Self) -> bool {
        let at_one_time = Self {
            now: other.now,
            clock: other.clock,
            ..self.clone()
        };
        at_one_time == *other
    }
}
