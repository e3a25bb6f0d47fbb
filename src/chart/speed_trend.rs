//! The speed of the last days in a few numbers, for a small chart in a list.

use super::PreparedTrack;

/// How far back a trend goes from the last fix, seconds.
pub(crate) const TREND_S: f64 = 7.0 * 86_400.0;

impl PreparedTrack {
    /// The highest speed over ground in m/s in each of `bins` equal parts of the
    /// last seven days before the last fix, the earliest first; `None` where no
    /// leg ends in a part. Legs over data gaps and jumps do not count. The cost
    /// grows with the logarithm of the number of fixes.
    pub(crate) fn speed_trend(&self, bins: u16) -> Vec<Option<f64>> {
        let Some(last) = self.latest() else {
            return Vec::new();
        };
        let times = self.time_stamps();
        let start = last.time_stamp - TREND_S;
        let first_after = |time: f64| times.partition_point(|at| *at <= time);
        (0..bins)
            .map(|bin| {
                let edge = |bin: u16| start + TREND_S * f64::from(bin) / f64::from(bins);
                let block = self.block(first_after(edge(bin)), first_after(edge(bin + 1)));
                block.fastest.map(|(speed, _)| speed)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::track::track;
    use crate::track::Platform;

    #[test]
    fn each_part_has_its_highest_speed_and_a_hole_has_none() {
        // Hourly over nine days northwards, slow at first, then fast; a day is
        // missing.
        let mut latitude = 10.0;
        let fixes = (0u32..=216).filter_map(|hour| {
            latitude += if hour > 168 { 0.02 } else { 0.01 };
            let missing = (120..144).contains(&hour);
            (!missing).then_some((1.8e9 + 3600.0 * f64::from(hour), latitude, 5.0))
        });
        let track = track(Platform::Drifter, 2e9, fixes);
        let prepared = PreparedTrack::new(Arc::new(track));
        let trend = prepared.speed_trend(7);
        let knots: Vec<Option<f64>> = trend
            .iter()
            .map(|speed| speed.map(|speed| (speed / 0.514_444 * 10.0).round() / 10.0))
            .collect();
        let (slow, fast) = (Some(0.6), Some(1.2));
        assert_eq!(knots, [slow, slow, slow, None, slow, fast, fast]);
    }
}
