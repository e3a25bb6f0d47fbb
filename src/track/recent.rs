//! Which of the last expected reports came.

use super::Track;

/// Number of reports in a row of the list.
pub(crate) const RECENT: usize = 12;

/// How many fixes are looked at for them at most: of an instrument that reports
/// many times in its usual interval, the rest is not looked at.
const LOOKED_AT: usize = 600;

/// Which of the reports up to the last fix came, the latest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Reports {
    /// A bit for each report, 1 if it came, the lowest for the latest.
    pub(crate) came: u16,
    /// How many there are, at most [`RECENT`].
    pub(crate) count: u8,
}

impl Reports {
    /// The reports of a track up to a moment (UNIX seconds); none if it has no interval T.
    ///
    /// An interval between two fixes of about n T, rounded, has n - 1 reports
    /// that were missed.
    pub(crate) fn at(track: &Track, moment: f64) -> Self {
        let mut reports = Self::default();
        let Some(interval_s) = track.interval_s().filter(|t| *t > 0.0) else {
            return reports;
        };
        let mut later: Option<f64> = None;
        for fix in track.fixes_up_to(moment).rev().take(LOOKED_AT) {
            let missed = match later {
                None => 0,
                Some(later) => {
                    match whole(((later - fix.time_stamp) / interval_s).round()) {
                        // Nearer than half an interval: one more of the same.
                        0 => continue,
                        intervals => intervals - 1,
                    }
                }
            };
            let place = usize::from(reports.count) + missed;
            if place >= RECENT {
                reports.count = RECENT as u8;
                break;
            }
            reports.came |= 1 << place;
            reports.count = place as u8 + 1;
            later = Some(fix.time_stamp);
        }
        reports
    }

    /// The last expected reports up to `now` (UNIX seconds), `true` for each that
    /// came, the latest at the end, where the last fix is of the first of `last`
    /// (UNIX seconds) and T is the second (seconds).
    ///
    /// After the last fix one is missed from 1.5 T on, which is when the instrument
    /// is late, and another one each T.
    pub(crate) fn up_to(self, last: Option<(f64, f64)>, now: f64) -> Vec<bool> {
        let Some((last, interval_s)) = last.filter(|_| self.count > 0) else {
            return Vec::new();
        };
        let missed = whole((now - last) / interval_s - 0.5);
        let mut all: Vec<bool> = std::iter::repeat_n(false, missed)
            .chain((0..self.count).map(|bit| self.came >> bit & 1 == 1))
            .take(RECENT)
            .collect();
        all.reverse();
        all
    }
}

/// A number of intervals.
// Beyond [`RECENT`] nothing is counted, so that a fix of years ago costs no more.
// At most RECENT.
fn whole(intervals: f64) -> usize {
    intervals.clamp(0.0, RECENT as f64) as usize
}

#[cfg(test)]
mod tests {
    use crate::testing::track::track;
    use crate::track::{LastAsked, Platform};
    use crate::watch::Overview;

    const T: f64 = 3600.0;
    const START: f64 = 1.8e9;

    /// The row of an instrument with fixes at these hours, seen at hour `now`.
    fn row(hours: &[f64], now: f64) -> String {
        row_at(hours, now, now)
    }

    /// The same row at the hour `moment`, of a track that is known up to hour `now`.
    fn row_at(hours: &[f64], now: f64, moment: f64) -> String {
        let fixes = (0u32..).zip(hours).map(|(count, hour)| {
            let latitude = 60.0 + 0.001 * f64::from(count);
            (START + hour * T, latitude, 5.0)
        });
        let track = track(Platform::Drifter, START + now * T, fixes);
        let asked = LastAsked {
            at: START + moment * T,
            wait_s: 60.0,
        };
        let moment = START + moment * T;
        let came = Overview::at(&track, moment).recent_reports(asked, moment);
        came.iter()
            .map(|came| if *came { '#' } else { '.' })
            .collect()
    }

    #[test]
    fn what_came_and_what_was_missed() {
        let each: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(row(&each, 19.2), "############");
        let gap = [0.0, 1.0, 2.0, 3.0, 6.1, 7.0, 8.0];
        assert_eq!(row(&gap, 8.5), "####..###");
    }

    #[test]
    fn a_report_is_missed_once_it_is_late() {
        let each: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(row(&each, 20.4), "############");
        assert_eq!(row(&each, 20.6), "###########.");
        assert_eq!(row(&each, 22.0), "##########..");
        assert_eq!(row(&each, 19.0 + 24.0 * 365.0), "............");
        // With a clock that is ahead, no report is missed.
        assert_eq!(row(&each, 18.5), "############");
    }

    #[test]
    fn reports_that_jitter_or_come_twice_fill_no_hole() {
        let jitter = [0.0, 1.2, 1.9, 3.1, 4.0, 5.3, 5.9, 7.0];
        assert_eq!(row(&jitter, 7.3), "########");
        let twice = [0.0, 1.0, 1.1, 2.0, 3.0, 4.0, 4.2, 5.0, 8.0, 9.0];
        assert_eq!(row(&twice, 9.0), "######..##");
    }

    #[test]
    fn a_moment_of_the_past_has_the_row_that_was_shown_then() {
        let hours = [0.0, 1.0, 2.0, 3.0, 4.0, 6.1, 7.0, 8.0, 12.0, 13.0];
        for moment in (40..=130).map(|tenths| f64::from(tenths) / 10.0) {
            let end = hours.partition_point(|hour| *hour <= moment);
            let then = row(&hours[..end], moment);
            assert_eq!(row_at(&hours, 13.0, moment), then, "{moment}");
        }
    }

    #[test]
    fn one_fix_has_no_interval_and_no_row() {
        assert_eq!(row(&[0.0], 3.0), "");
        assert_eq!(row(&[], 3.0), "");
    }
}
