//! The order of a track's fixes in a table: sorted by a column, filtered by
//! text. It reads the whole track, so it runs off the thread that draws.

use jiff::tz::TimeZone;

use super::query::{Query, Reader};
use super::sort::TrackSort;
use super::{Fix, Track, time};
use crate::geo::CoordinateFormat;
use crate::text::has_word;

/// How a table writes the times and positions of fixes: what is searched in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Wording {
    /// The time zone of times; `None` for UTC.
    pub zone: Option<TimeZone>,
    /// The format of positions.
    pub coordinates: CoordinateFormat,
}

impl Wording {
    /// `true` if a fix has the lower-case word in its time, position, flag or reason;
    /// behind `flag:`, in its flag.
    pub(super) fn has_word(&self, track: &Track, fix: &Fix, word: &str) -> bool {
        if let Some(flag) = word.strip_prefix("flag:") {
            return fix.flag.has_word(flag);
        }
        let position = || {
            let (latitude, longitude) = self.coordinates.pair(fix.position);
            format!("{} {}", latitude.trim(), longitude.trim())
        };
        fix.flag.has_word(word)
            || has_word(&track.reason_text(fix.index).to_lowercase(), word)
            || has_word(&time::table(fix.time_stamp, self.zone.as_ref()), word)
            || has_word(&position().to_lowercase(), word)
    }
}

/// The rows of a table of fixes that a search finds, in their order: if a value is
/// compared, those at which it crosses the limit. `order` has the index of the fix in each
/// row; `None` for all fixes by time. `read` has the values of a field.
pub(crate) fn matching_rows<'a>(
    track: &'a Track,
    order: Option<&[u32]>,
    query: &'a Query,
    read: impl Fn(&str) -> Option<Reader<'a>>,
) -> Vec<u32> {
    let admits = query.of_fixes(track, read);
    // Among the rows that are shown; a fix without a value changes nothing.
    let mut is_shown = vec![order.is_none(); track.len()];
    for fix in order.unwrap_or_default() {
        if let Some(is_shown) = is_shown.get_mut(*fix as usize) {
            *is_shown = true;
        }
    }
    let mut before = false;
    let shown = track.fixes().zip(is_shown);
    let is_match: Vec<bool> = shown
        .map(|(fix, is_shown)| {
            let held = before && query.has_crossings();
            if is_shown {
                before = admits(&fix).unwrap_or(held);
            }
            is_shown && before && !held
        })
        .collect();
    let is_match = |row: &u32| {
        let fix = order.map_or(Some(row), |order| order.get(*row as usize));
        fix.and_then(|fix| is_match.get(*fix as usize)) == Some(&true)
    };
    let count = order.map_or(track.len(), <[u32]>::len);
    let rows = 0..u32::try_from(count).unwrap_or(u32::MAX);
    rows.filter(is_match).collect()
}

/// Which fixes a table shows, and in which order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Arrangement {
    /// The column.
    pub sort: TrackSort,
    /// The name of the field, if the column is that of a field.
    pub field: String,
    /// `true` if the largest value comes first.
    pub descending: bool,
    /// The filter that a fix must match.
    pub filter: Query,
}

impl Arrangement {
    /// `true` if it is all fixes in the order of time.
    pub(crate) fn is_default(&self) -> bool {
        self.sort == TrackSort::Time && !self.descending && self.filter.is_empty()
    }

    /// The indices of the fixes in this order; `None` for all of them in the
    /// order of time. `read` has the values of a field.
    pub(crate) fn rows<'a>(
        &'a self,
        track: &'a Track,
        read: impl Fn(&str) -> Option<Reader<'a>>,
    ) -> Option<Vec<u32>> {
        if self.is_default() {
            return None;
        }
        let field = read(&self.field);
        let value = |fix: usize| field.as_ref().and_then(|read| read(fix));
        let admits = self.filter.of_fixes(track, read);
        let mut rows: Vec<u32> = track
            .fixes()
            .filter(|fix| admits(fix) == Some(true))
            .filter_map(|fix| u32::try_from(fix.index).ok())
            .collect();
        if self.sort != TrackSort::Time {
            let keys: Vec<f64> = track
                .fixes()
                .map(|fix| sort_key(track, &fix, self.sort, value))
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

/// The value by which a fix is sorted. Without a value it is -1, and for a field less than
/// all others.
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
    use crate::geo::units::SpeedUnit;
    use crate::testing::at;
    use crate::track::query::Reading;
    use crate::track::{Platform, Records, TrackOptions, Transmission};

    fn track() -> Track {
        track_at([10.0, 30.0, 20.0, 20.0])
    }

    /// A track with a fix an hour.
    fn track_at(longitudes: impl IntoIterator<Item = f64>) -> Track {
        let hours = (0_u32..).map(|hour| 3600.0 * f64::from(hour));
        let transmissions = hours.zip(longitudes).map(|(time_stamp, longitude)| {
            let latitude = 80.0;
            let position = at(latitude, longitude);
            Transmission {
                time_stamp,
                position,
            }
        });
        let records = Records {
            transmissions: transmissions.collect(),
            ..Records::default()
        };
        Track::new(&records, &TrackOptions::new(Platform::Tag, 1e6))
    }

    fn query(text: &str, wording: Wording) -> Query {
        let reading = Reading {
            wording,
            now: 20_000.0,
            speed_unit: SpeedUnit::Knots,
            fields: vec!["down", "teeth"],
            texts: &[],
            times: &|_| None,
        };
        Query::new(text, reading)
    }

    /// A field that falls, and that the third fix does not have; and a field with a value
    /// for each fix.
    fn read<'a>(name: &str) -> Option<Reader<'a>> {
        let down = |fix| (fix != 2).then(|| -f64::from(u32::try_from(fix).unwrap()));
        let teeth = |fix: usize| [Some(13.0), Some(11.0), None, Some(12.0)][fix % 4];
        match name {
            "down" => Some(Box::new(down)),
            "teeth" => Some(Box::new(teeth)),
            _ => None,
        }
    }

    fn rows(sort: TrackSort, descending: bool, filter: &str) -> Option<Vec<u32>> {
        let arrangement = Arrangement {
            sort,
            field: "down".to_owned(),
            descending,
            filter: query(filter, Wording::default()),
        };
        arrangement.rows(&track(), read)
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
        // A position as it is written in the table, and no number within another.
        assert_eq!(rows(TrackSort::Time, false, "030.00000"), Some(vec![1]));
        assert_eq!(rows(TrackSort::Time, false, "30.0"), Some(Vec::new()));
        assert_eq!(rows(TrackSort::Time, false, "down<-1"), Some(vec![3]));
        assert_eq!(rows(TrackSort::Time, false, "lon<25 #3"), Some(vec![2]));
    }

    #[test]
    fn a_search_answers_with_rows_in_the_order_of_the_table() {
        let track = track();
        let found = |order: Option<&[u32]>, wording: &Wording, text| {
            matching_rows(&track, order, &query(text, wording.clone()), read)
        };
        let utc = Wording::default();
        assert_eq!(found(None, &utc, "80.00000"), vec![0, 1, 2, 3]);
        // Only where the value crosses the limit.
        assert_eq!(found(None, &utc, "down<0"), vec![1]);
        assert_eq!(found(Some(&[3, 1, 2]), &utc, "down<0"), vec![1]);
        assert_eq!(found(None, &utc, "020.00000\u{b0}E"), vec![2, 3]);
        assert_eq!(found(Some(&[3, 1, 2]), &utc, "020.00000"), vec![0, 2]);
        let local = Wording {
            zone: Some(TimeZone::fixed(jiff::tz::offset(5))),
            coordinates: CoordinateFormat::Dms,
        };
        assert_eq!(found(None, &local, "07:00:00"), vec![2]);
        assert!(found(None, &local, "020.00000").is_empty());
    }

    #[test]
    fn every_row_at_which_a_comparison_becomes_true_is_a_crossing() {
        let track = track_at([20.0; 160]);
        let found = |text| matching_rows(&track, None, &query(text, Wording::default()), read);
        let every_fourth = |first: u32| -> Vec<u32> { (first..160).step_by(4).collect() };
        assert_eq!(found("teeth<12"), every_fourth(1));
        assert_eq!(found("teeth<=12"), every_fourth(1));
        assert_eq!(found("teeth>12"), every_fourth(0));
        assert_eq!(found("teeth=12"), every_fourth(3));
        // Where a filter hides the first crossing, the first row that is shown is one.
        let query = query("teeth<13", Wording::default());
        assert_eq!(
            matching_rows(&track, Some(&[3, 4, 5]), &query, read),
            [0, 2]
        );
    }
}
