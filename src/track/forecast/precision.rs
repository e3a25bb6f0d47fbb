//! The error of a position: the greatest of the receiver's, of the step in which its
//! coordinates are sent, and of the class of an Argos location. A pure function of the
//! coordinates and the class.

use crate::geo::Position;
use crate::geo::sphere::MEAN_RADIUS_M;
use crate::track::Track;

/// The error of the receiver, metres. A standard GPS position is 95 % within 15 m at the worst
/// site (GPS Standard Positioning Service Performance Standard, 5th edition, 2020, table 3.8-3).
pub(super) const RECEIVER_M: f64 = 15.0;
/// The steps in which coordinates are sent, degrees, the coarsest first: of decimals and of
/// minutes. Finer steps are within the receiver's error.
const STEPS_DEG: [f64; 6] = [1.0, 0.1, 1.0 / 60.0, 0.01, 1.0 / 600.0, 0.001];
/// The steps that a single record may have for its own; of minutes, one in three has few decimals.
const OWN_STEPS_DEG: [f64; 4] = [1.0, 0.1, 0.01, 0.001];
/// Few decimals of a single record are held against at least these, degrees.
const FINEST_DEG: f64 = 1e-4;
/// Two numbers this near are the same decimal, degrees: a longitude may have been counted from 360.
const SAME_DEG: f64 = 1e-9;
/// A multiple of a step is sent with so many decimals at least and at most, if it has them.
const DECIMALS: std::ops::RangeInclusive<i32> = 4..=7;
/// The step is that of the last fixes, so many: a service may change its decimals.
const FIXES: usize = 100;
/// A coarse position that chance makes less often than this is one by its nature.
const RARE: f64 = 1e-3;
/// A position this part of a step away from a finer one was not rounded to that step: an
/// instrument may lie at a round position.
const NEAR: f64 = 0.05;

/// `true` if a coordinate is a multiple of a step in one of the forms in which that is sent: as the
/// nearest number of 64 or of 32 bits, or rounded to decimals (a third of a degree has no end).
fn is_multiple(degrees: f64, step_deg: f64) -> bool {
    let multiple = (degrees / step_deg).round() * step_deg;
    let is_same = |other: f64| (degrees - other).abs() <= SAME_DEG;
    let single = |turned: f64| f64::from((multiple + turned) as f32) - turned;
    let rounded = |decimals: i32| {
        let by = 10f64.powi(decimals);
        (multiple * by).round() / by
    };
    is_same(multiple)
        || [0.0, 360.0].map(single).into_iter().any(is_same)
        || DECIMALS.map(rounded).any(is_same)
}

/// The error of the last of some positions, oldest first, in metres; `class_m` is the error of
/// the class of its Argos location.
pub(super) fn error_m(positions: &[Position], class_m: Option<f64>) -> f64 {
    let kept = positions.len().saturating_sub(FIXES);
    let step_m = step_m(positions.get(kept..).unwrap_or_default());
    RECEIVER_M.max(step_m).max(class_m.unwrap_or_default())
}

impl Track {
    /// The step in which the coordinates of most of the last positions are sent, metres; 0 of
    /// fine ones. Where the instrument rests plays no part: that may be at whole degrees.
    pub(crate) fn step_m(&self) -> f64 {
        let mut positions: Vec<Position> = Vec::new();
        // Newest first. Only of an instrument that rests it looks far back.
        for fix in self.past_fixes().rev() {
            if positions.last() != Some(&fix.position) {
                positions.push(fix.position);
            }
            if positions.len() == FIXES {
                break;
            }
        }
        let latitude = usual_step(positions.iter().map(|position| position.latitude));
        let longitude = usual_step(positions.iter().map(|position| position.longitude));
        match positions
            .first()
            .filter(|_| latitude.or(longitude).is_some())
        {
            None => step_m(&positions),
            Some(last) => metres(*last, [latitude, longitude].map(Option::unwrap_or_default)),
        }
    }
}

/// The greater of two steps of latitude and longitude, degrees, in metres at a position.
fn metres(at: Position, [latitude_deg, longitude_deg]: [f64; 2]) -> f64 {
    let degree_m = MEAN_RADIUS_M.to_radians();
    degree_m * latitude_deg.max(longitude_deg * at.latitude.to_radians().cos())
}

/// The step of the last of some positions, metres; 0 of a fine one.
///
/// The step of each coordinate is that of most fixes. One record may differ: it is finer if it
/// is no multiple of these steps, and coarser if both of its coordinates are multiples of a
/// coarser one and that is more than the zeros by which one in a hundred ends anyway.
fn step_m(positions: &[Position]) -> f64 {
    let Some(last) = positions.last() else {
        return 0.0;
    };
    let latitudes = || positions.iter().map(|position| position.latitude);
    let longitudes = || positions.iter().map(|position| position.longitude);
    let usual = match (usual_step(latitudes()), usual_step(longitudes())) {
        (None, None) => [0.0, 0.0],
        // A coordinate that does not change has no step.
        (Some(step), None) | (None, Some(step)) => [step, step],
        (Some(latitude), Some(longitude)) => [latitude, longitude],
    };
    let [latitude, longitude] = usual;
    let is_of = |step: f64| {
        move |position: &Position| {
            is_multiple(position.latitude, step) && is_multiple(position.longitude, step)
        }
    };
    let own = OWN_STEPS_DEG
        .into_iter()
        .find(|step| is_of(*step)(last))
        .unwrap_or_default();
    let fits = |degrees: f64, step: f64| step == 0.0 || is_multiple(degrees, step);
    let is_finer = !fits(last.latitude, latitude) || !fits(last.longitude, longitude);
    let is_coarser = || {
        if own <= latitude.max(longitude) {
            return false;
        }
        let [by_latitude, by_longitude] =
            [latitude, longitude].map(|step| step.max(FINEST_DEG) / own);
        let by_chance = by_latitude * by_longitude;
        let of_own = positions.iter().filter(|position| is_of(own)(position));
        let share = of_own.count() as f64 / positions.len() as f64;
        let is_near = |finer: &Position| {
            (finer.latitude - last.latitude).abs() < NEAR * own
                && (finer.longitude - last.longitude).abs() < NEAR * own
        };
        let finer = positions.iter().rfind(|position| !is_of(own)(position));
        !finer.is_some_and(is_near) && (by_chance < RARE || share > 10.0 * by_chance)
    };
    let steps = if is_finer || is_coarser() {
        [own, own]
    } else {
        usual
    };
    metres(*last, steps)
}

/// The coarsest step of which most different values are multiples, degrees: 0 if there is
/// none, and `None` of a single value.
fn usual_step(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let is_usual = |step: &f64| {
        let of_step = values.iter().filter(|value| is_multiple(**value, *step));
        2 * of_step.count() > values.len()
    };
    let step = STEPS_DEG.into_iter().find(is_usual).unwrap_or_default();
    (values.len() > 1).then_some(step)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::at;

    /// 120 positions on a way that turns, rounded to decimals.
    fn way(latitude: f64, decimals: i32) -> Vec<Position> {
        let rounded =
            |degrees: f64| (degrees * 10f64.powi(decimals)).round() / 10f64.powi(decimals);
        let way = (0..120).map(|fix| {
            let angle = f64::from(fix) * 0.37;
            at(
                rounded(latitude + 0.7 * angle.sin()),
                rounded(8.0 + 1.9 * (1.3 * angle).cos()),
            )
        });
        way.collect()
    }

    #[test]
    fn the_error_is_the_step_of_the_decimals_and_no_less_than_that_of_the_receiver() {
        for (decimals, expected) in [(0, 111_195.0), (1, 11_119.5), (2, 1111.95), (3, 111.195)] {
            let error_m = error_m(&way(54.0, decimals), None);
            assert!((error_m - expected).abs() < 0.1, "{decimals}: {error_m}");
        }
        for decimals in 4..9 {
            assert_eq!(error_m(&way(54.0, decimals), None), RECEIVER_M);
        }
        assert_eq!(error_m(&way(54.0, 5), Some(1500.0)), 1500.0);
        assert_eq!(error_m(&[], None), RECEIVER_M);
    }

    #[test]
    fn decimals_are_known_in_any_binary_form_and_in_minutes() {
        let of = |change: fn(f64) -> f64| {
            let mut way = way(54.0, 2);
            for position in &mut way {
                position.latitude = change(position.latitude);
                position.longitude = change(position.longitude);
            }
            error_m(&way, None)
        };
        let hundredth = of(|degrees| degrees);
        // Of 32 bits, and counted from 360 as the reader of records does.
        let single = of(|degrees| f64::from(degrees as f32));
        assert_eq!(single, hundredth);
        assert_eq!(of(|degrees| (degrees - 360.0) + 360.0), hundredth);
        let minute = of(|degrees| (degrees * 60.0).round() / 60.0);
        let written = of(|degrees| ((degrees * 60.0).round() / 60.0 * 1e5).round() / 1e5);
        assert!(
            (minute - 1853.2).abs() < 0.1 && written == minute,
            "{minute}"
        );
    }

    #[test]
    fn near_a_pole_a_coarse_longitude_is_a_short_way() {
        let mut way = way(89.2, 5);
        for position in &mut way {
            position.longitude = (position.longitude * 10.0).round() / 10.0;
        }
        let last = way.last().unwrap().latitude;
        let expected = 11_119.5 * last.to_radians().cos();
        assert!((error_m(&way, None) - expected.max(15.0)).abs() < 0.1);
        // A latitude of so few decimals is as coarse there as anywhere.
        assert!(error_m(&self::way(89.2, 2), None) > 1111.0);
    }

    #[test]
    fn a_record_of_other_decimals_is_as_coarse_as_itself() {
        let (fine, coarse) = (way(54.0, 5), way(54.0, 2));
        for last in 100..120 {
            // A few coarse ones among fine ones, and the other way round.
            let mut mixed = fine[..=last].to_vec();
            mixed[last - 7] = coarse[last - 7];
            assert_eq!(error_m(&mixed, None), RECEIVER_M, "{last}");
            mixed[last] = coarse[last];
            assert!(error_m(&mixed, None) > 1100.0, "{last}");
            let mut mixed = coarse[..=last].to_vec();
            mixed[last] = fine[last];
            assert!(error_m(&mixed, None) < 112.0, "{last}");
        }
        // Zeros at the end of both coordinates are chance.
        let mut zeros = way(54.0, 2);
        zeros.push(at(54.1, 8.3));
        assert!(error_m(&zeros, None) < 1200.0);
        // A coordinate that stays says nothing.
        let mut north = way(54.0, 5);
        for position in &mut north {
            position.longitude = 8.0;
        }
        assert_eq!(error_m(&north, None), RECEIVER_M);
    }

    #[test]
    fn an_instrument_at_a_round_position_is_not_coarse() {
        // Some metres about it, as a receiver sees it: both coordinates may be round by chance.
        let seen = (0..120).map(|fix| {
            let away = |by: i32, of: i32| f64::from((fix * by) % of - of / 2) * 1e-5;
            let rounded = |degrees: f64| (degrees * 1e5).round() / 1e5;
            at(rounded(75.0 + away(3, 11)), rounded(10.0 + away(7, 13)))
        });
        let seen: Vec<Position> = seen.collect();
        let is_round =
            |position: &Position| position.latitude == 75.0 && position.longitude == 10.0;
        assert!(seen.iter().skip(20).any(is_round));
        for last in 2..seen.len() {
            assert_eq!(error_m(&seen[..=last], None), RECEIVER_M, "{last}");
        }
    }

    proptest! {
        #[test]
        fn it_grows_with_the_rounding(
            places in proptest::collection::vec((-80f64..80.0, -180f64..180.0), 2..150),
            class in 0f64..20_000.0,
        ) {
            let of = |decimals: i32| {
                let by = 10f64.powi(decimals);
                let rounded = |degrees: f64| (degrees * by).round() / by;
                let positions: Vec<Position> = places.iter().map(|(latitude, longitude)| at(rounded(*latitude), rounded(*longitude))).collect();
                error_m(&positions, Some(class))
            };
            let errors: Vec<f64> = (1..7).map(of).collect();
            // Two positions may end with zeros by chance.
            let is_sorted = errors.windows(2).all(|pair| pair[0] >= 0.999 * pair[1]);
            prop_assert!(is_sorted || places.len() < 8, "{errors:?}");
            prop_assert!(errors.iter().all(|error_m| *error_m >= class.max(RECEIVER_M)));
        }
    }
}
