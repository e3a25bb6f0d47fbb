//! The order of a track's fixes in a table: sorted by a column, filtered by
//! text. It reads the whole track, so it runs off the thread that draws.

use jiff::tz::TimeZone;

use super::sort::{SortedBy, TrackSort};
use super::{Fix, Track, time};
use crate::geo::CoordinateFormat;

/// How a table writes the times and positions of fixes: what is searched in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Wording {
    /// The time zone of times; `None` for UTC.
    pub zone: Option<TimeZone>,
    /// The format of positions.
    pub coordinates: CoordinateFormat,
}

impl Wording {
    /// `true` if a fix contains the lower-case text in its time, position, flag or
    /// reason.
    fn contains(&self, track: &Track, fix: &Fix, text: &str) -> bool {
        let position = || {
            let (latitude, longitude) = self.coordinates.pair(fix.position);
            format!("{} {}", latitude.trim(), longitude.trim())
        };
        fix.flag.word().contains(text)
            || track.reason_text(fix.index).to_lowercase().contains(text)
            || time::table(fix.time_stamp, self.zone.as_ref()).contains(text)
            || position().to_lowercase().contains(text)
    }
}

/// The rows of a table of fixes that contain a text in any case, in their
/// order. `order` has the index of the fix in each row; `None` for all fixes by
/// time.
pub(crate) fn matching_rows(
    track: &Track,
    order: Option<&[u32]>,
    wording: &Wording,
    text: &str,
) -> Vec<u32> {
    let text = text.to_lowercase();
    let count = order.map_or(track.len(), <[u32]>::len);
    let is_match = |row: &u32| {
        let Ok(row) = usize::try_from(*row) else {
            return false;
        };
        let index = match order {
            Some(order) => order.get(row).and_then(|fix| usize::try_from(*fix).ok()),
            None => Some(row),
        };
        let fix = index.and_then(|index| track.fix(index));
        fix.is_some_and(|fix| wording.contains(track, &fix, &text))
    };
    (0..u32::try_from(count).unwrap_or(u32::MAX))
        .filter(is_match)
        .collect()
}

/// Which fixes a table shows, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Arrangement {
    /// The column.
    pub sort: TrackSort,
    /// The name of the field, where the column is a field's.
    pub field: String,
    /// `true` if the largest value comes first.
    pub descending: bool,
    /// The text that a fix must contain in its time, position, flag or reason,
    /// in any case; empty for all fixes.
    pub filter: String,
    /// How times and positions are written.
    pub wording: Wording,
}

impl Arrangement {
    /// All fixes in an order.
    pub(crate) fn by(order: SortedBy<TrackSort>) -> Self {
        Self {
            sort: order.column,
            descending: order.is_reversed,
            ..Self::default()
        }
    }

    /// `true` if it is all fixes in the order of time.
    pub(crate) fn is_default(&self) -> bool {
        self.sort == TrackSort::Time && !self.descending && self.filter.is_empty()
    }

    /// The indices of the fixes in this order; `None` for all of them in the
    /// order of time. `value` has the field's value at a fix.
    pub(crate) fn rows(
        &self,
        track: &Track,
        value: impl Fn(usize) -> Option<f64>,
    ) -> Option<Vec<u32>> {
        if self.is_default() {
            return None;
        }
        let filter = self.filter.to_lowercase();
        let mut rows: Vec<u32> = track
            .fixes()
            .filter(|fix| filter.is_empty() || self.wording.contains(track, fix, &filter))
            .filter_map(|fix| u32::try_from(fix.index).ok())
            .collect();
        if self.sort != TrackSort::Time {
            let keys: Vec<f64> = track
                .fixes()
                .map(|fix| sort_key(track, &fix, self.sort, &value))
                .collect();
            let key = |row: &u32| keys.get(*row as usize).copied().unwrap_or(f64::NAN);
            rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        }
        if self.descending {
            rows.reverse();
        }
        Some(rows)
    }
}

/// The value that a fix is sorted by; -1 where it has none, and less than all
/// for a field.
fn sort_key(
    track: &Track,
    fix: &Fix,
    sort: TrackSort,
    value: impl Fn(usize) -> Option<f64>,
) -> f64 {
    let leg = || track.leg(fix.index);
    match sort {
        TrackSort::Time => fix.time_stamp,
        TrackSort::Latitude => fix.position.latitude,
        TrackSort::Longitude => fix.position.longitude,
        TrackSort::Distance => leg().map_or(-1.0, |leg| leg.distance_m),
        TrackSort::Speed => leg().and_then(|leg| leg.speed_m_s).unwrap_or(-1.0),
        TrackSort::Course => leg().and_then(|leg| leg.course_deg).unwrap_or(-1.0),
        TrackSort::Gap => leg().map_or(-1.0, |leg| leg.duration_s),
        TrackSort::Flag => f64::from(fix.flag.code()),
        TrackSort::Field => value(fix.index).unwrap_or(f64::NEG_INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::track::{Platform, Records, TrackOptions, Transmission};

    fn track() -> Track {
        let transmissions = [
            (0.0, 10.0),
            (3600.0, 30.0),
            (7200.0, 20.0),
            (10_800.0, 20.0),
        ]
        .map(|(time_stamp, longitude)| Transmission {
            time_stamp,
            position: Position {
                latitude: 80.0,
                longitude,
            },
        })
        .to_vec();
        let records = Records {
            transmissions,
            ..Records::default()
        };
        Track::assemble(records, &TrackOptions::new(Platform::Tag, 1e6))
    }

    fn rows(sort: TrackSort, descending: bool, filter: &str) -> Option<Vec<u32>> {
        Arrangement {
            sort,
            descending,
            filter: filter.to_owned(),
            ..Arrangement::default()
        }
        .rows(&track(), |fix| {
            (fix != 2).then(|| -f64::from(u32::try_from(fix).unwrap()))
        })
    }

    #[test]
    fn rows_are_sorted_by_a_column_and_stay_in_the_order_of_time_where_it_is_equal() {
        assert_eq!(rows(TrackSort::Time, false, ""), None);
        assert_eq!(rows(TrackSort::Time, true, ""), Some(vec![3, 2, 1, 0]));
        assert_eq!(
            rows(TrackSort::Longitude, false, ""),
            Some(vec![0, 2, 3, 1])
        );
        // A fix without a value comes before all others.
        assert_eq!(rows(TrackSort::Field, false, ""), Some(vec![2, 3, 1, 0]));
    }

    #[test]
    fn a_filter_keeps_the_rows_that_contain_its_text_in_any_case() {
        assert_eq!(rows(TrackSort::Time, false, "02:00"), Some(vec![2]));
        let failed = rows(TrackSort::Time, false, "FAIL").unwrap_or_default();
        let track = track();
        let expected: Vec<u32> = track
            .fixes()
            .filter(|fix| fix.flag.word() == "fail")
            .filter_map(|fix| u32::try_from(fix.index).ok())
            .collect();
        assert_eq!(failed, expected);
        assert_eq!(rows(TrackSort::Time, false, "nothing"), Some(Vec::new()));
        // A position as it is written in the table.
        assert_eq!(rows(TrackSort::Time, false, "030.0"), Some(vec![1]));
    }

    #[test]
    fn a_search_answers_with_rows_in_the_order_of_the_table() {
        let track = track();
        let found = |order: Option<&[u32]>, wording: &Wording, text| {
            matching_rows(&track, order, wording, text)
        };
        let utc = Wording::default();
        assert_eq!(found(None, &utc, "80.0"), vec![0, 1, 2, 3]);
        assert_eq!(found(None, &utc, "020.00000\u{b0}E"), vec![2, 3]);
        assert_eq!(found(Some(&[3, 1, 2]), &utc, "020.0"), vec![0, 2]);
        let local = Wording {
            zone: Some(TimeZone::fixed(jiff::tz::offset(5))),
            coordinates: CoordinateFormat::Dms,
        };
        assert_eq!(found(None, &local, "07:00:00"), vec![2]);
        assert!(found(None, &local, "20.0").is_empty());
    }
}
