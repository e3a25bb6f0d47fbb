//! Promises of a forecast, on made tracks; [`hindcast`] has the real ones.

mod hindcast;
mod loose;
mod minutes;
mod moved;
mod rounded;
mod silent;
mod whereabouts;

use std::sync::Arc;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::geo::geodesic;
use crate::testing::track::{Numbers, track};

const START: f64 = 1_700_000_000.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
/// After all fixes of these tests.
const LATER: f64 = START + 3000.0 * DAY;

/// Hourly fixes on a meandering way about a position: east and north in km by the hour.
fn meander(about: Position, hours: u32, phase: f64) -> Vec<Numbers> {
    let fixes = (0..hours).map(|hour| {
        let t = f64::from(hour);
        let east = 0.9 * t + 9.0 * (t / 31.0 + phase).sin();
        let north = 12.0 * (t / 47.0 + 2.0 * phase).cos() - 12.0;
        let course = east.atan2(north).to_degrees();
        let place = geodesic::direct(about, course, east.hypot(north) * 1000.0);
        (START + t * HOUR, place.latitude, place.longitude)
    });
    fixes.collect()
}

fn drifter(fixes: Vec<Numbers>) -> Track {
    track(Platform::Drifter, LATER, fixes)
}

fn position(latitude: f64, longitude: f64) -> Position {
    Position::new(latitude, longitude).unwrap()
}

fn found(track: &Track, neighbours: &[Neighbour<'_>], moment: Moment) -> Forecast {
    forecast(track, neighbours, moment).unwrap()
}

#[test]
fn steady_motion_goes_on_and_decays_with_48_h() {
    let north = |hours: u32| -> Vec<Numbers> {
        let rows = (0..hours).map(f64::from);
        rows.map(|t| (START + t * HOUR, 75.0 + 0.009 * t, 10.0))
            .collect()
    };
    let track = drifter(north(40 * 24));
    let last = track.latest().unwrap();
    for lead_h in [3.0, 12.0, 48.0] {
        let moment = Moment::new(last.time_stamp + lead_h * HOUR, LATER);
        let found = found(&track, &[], moment);
        let way_m = geodesic::length_m(last.position, found.position);
        // 0.009° of latitude are 1,004.8 m at 83°, by Karney's geodesic.
        let speed = geodesic::length_m(track.position(track.len() - 2), last.position) / HOUR;
        let expected = speed * 48.0 * HOUR * (1.0 - (-lead_h / 48.0f64).exp());
        assert!(
            (way_m - expected).abs() < 0.002 * expected,
            "{lead_h}: {way_m} {expected}"
        );
        assert!((found.position.longitude - 10.0).abs() < 1e-6);
        assert!(found.samples >= 20 && found.r50_m <= found.r90_m);
    }
}

#[test]
fn the_speed_of_the_circle_is_that_of_the_day_as_far_as_it_is_known() {
    // North at 2 km/h, then for two hours at 0.1 km/h.
    for fast_h in [3.0, 12.0, 19.0, 21.0, 22.0, 40.0] {
        let north = |hour: f64| 2.0 * hour.min(fast_h) + 0.1 * (hour - fast_h).max(0.0);
        let hours = (0..=60)
            .map(f64::from)
            .take_while(|hour| *hour <= fast_h + 2.0);
        let fix = |hour: f64| (START + hour * HOUR, 54.0 + north(hour) / 111.3, 10.0);
        let track = drifter(hours.map(fix).collect());
        let last = track.latest().unwrap();
        let found = found(
            &track,
            &[],
            Moment::new(last.time_stamp + 6.0 * HOUR, LATER),
        );
        let day_h = (fast_h + 2.0).min(24.0);
        let speed = (2.0 * (day_h - 2.0) + 0.2) / day_h;
        let r90_km = 1.4 * (speed + 0.06) * 6.0;
        assert!(
            (found.r90_m / 1000.0 - r90_km).abs() < 0.01 * r90_km,
            "{fast_h} h: {} km, not {r90_km}",
            found.r90_m / 1000.0
        );
    }
}

#[test]
fn the_rest_of_the_last_velocity_turns_to_the_right_in_the_north() {
    use motion::{Candidate, Displacement, State};
    let state = |latitude: f64| State {
        time_s: START,
        position: position(latitude, 0.0),
        last: Displacement {
            east: 0.0,
            north: 0.5,
        },
        mean_12h: Displacement::default(),
        speed_m_s: 0.5,
        is_after_gap: false,
    };
    let moved =
        |latitude: f64| Candidate::MeanAndInertial.displacement(&state(latitude), 3.0 * HOUR);
    assert!(moved(60.0).east > 0.0 && moved(-60.0).east < 0.0);
    assert!(moved(0.0).east.abs() < 1e-9);
    // Against the integral of the turning, decaying velocity by small steps.
    let turn = 2.0 * 7.292_115e-5 * 60f64.to_radians().sin();
    let (mut east, mut north) = (0.0, 0.0);
    for step in 0..108_000 {
        let t = (f64::from(step) + 0.5) * 0.1;
        let speed = 0.5 * (-t / (6.0 * HOUR)).exp() * 0.1;
        east += speed * (turn * t).sin();
        north += speed * (turn * t).cos();
    }
    assert!((moved(60.0).east - east).abs() < 0.01, "{east}");
    assert!((moved(60.0).north - north).abs() < 0.01, "{north}");
}

#[test]
fn what_tells_no_motion_gets_words_and_no_circle() {
    let at = |time: f64| Moment::new(time, LATER);
    let of = |fixes: Vec<Numbers>, time: f64| forecast(&drifter(fixes), &[], at(time)).unwrap_err();
    let fix = |hours: f64, latitude: f64| (START + hours * HOUR, latitude, 10.0);
    let soon = START + 6.0 * HOUR;
    assert_eq!(of(vec![], soon), NoForecast::NoFix);
    assert_eq!(of(vec![fix(7.0, 75.0)], soon), NoForecast::NoFix);
    assert_eq!(of(vec![fix(0.0, 75.0)], soon), NoForecast::OneFix);
    assert_eq!(
        of(vec![fix(0.0, 75.0), fix(0.0, 75.001)], soon),
        NoForecast::OneTime
    );
    let still = (0..6).map(|hour| fix(f64::from(hour), 75.0));
    assert_eq!(of(still.collect(), soon), NoForecast::OnePlace(6));
    let second = vec![fix(0.0, 75.0), fix(1.0 / HOUR, 75.000_01)];
    assert_eq!(of(second, soon), NoForecast::TooShort(1.0));
    let way = meander(position(75.0, 10.0), 100, 0.0);
    let last = way.last().unwrap().0;
    assert!(matches!(
        of(way.clone(), last + 61.0 * DAY),
        NoForecast::TooOld(_)
    ));
    assert!(forecast(&drifter(way), &[], at(last + 59.0 * DAY)).is_ok());
    for reason in [
        NoForecast::OneFix,
        NoForecast::TooShort(1.0),
        NoForecast::TooOld(9e6),
    ] {
        assert!(!reason.to_string().is_empty());
    }
}

#[test]
fn too_few_outcomes_give_a_circle_by_speed_and_the_motion_by_platform() {
    let way = meander(position(80.0, 10.0), 30, 0.3);
    let last = way.last().unwrap().0;
    let moment = Moment::new(last + 6.0 * HOUR, LATER);
    for (platform, words) in [
        (Platform::Drifter, "last speed, slowing"),
        (
            Platform::Generic,
            "mean speed of 12 h, slowing over 48 h, and the rest",
        ),
        (Platform::Glider, "last speed, slowing"),
    ] {
        let found = found(&track(platform, LATER, way.clone()), &[], moment);
        assert!(found.method.motion.starts_with(words), "{platform:?}");
        assert_eq!(found.method.mean_error_m, None);
        assert_eq!(found.method.is_steered, platform == Platform::Glider);
        // But for the error of the position.
        assert!((found.r50_m - 0.4 * found.r90_m).abs() < 1.0);
    }
    let south = meander(position(60.0, 10.0), 30, 0.3);
    let found = found(&drifter(south), &[], moment);
    assert!(found.method.motion.contains("the rest"));
}

#[test]
fn over_the_pole_and_the_date_line_it_is_as_anywhere() {
    let radii = |about: Position| {
        let track = drifter(meander(about, 40 * 24, 0.2));
        [6.0, 24.0].map(|lead_h| {
            let last = track.latest().unwrap();
            let found = found(
                &track,
                &[],
                Moment::new(last.time_stamp + lead_h * HOUR, LATER),
            );
            (
                found.r50_m,
                found.r90_m,
                found.method,
                found.position.latitude,
            )
        })
    };
    // Across the date line the track is the same one, turned about the axis.
    let here = radii(position(75.0, 20.0));
    let across = radii(position(75.0, 179.9));
    for (one, other) in here.iter().zip(&across) {
        assert!((one.0 - other.0).abs() < 1.0 && (one.1 - other.1).abs() < 1.0);
        assert!((one.3 - other.3).abs() < 1e-7);
    }
    // Over the pole the same displacements are laid out about another point.
    let errors_m = |about: Position| {
        let track = drifter(meander(about, 60, 0.2));
        let path = path::Path::new(&track, LATER);
        let mut record = record::Record::new(&path, 12.0 * HOUR);
        record.run().unwrap();
        let errors = record.outcomes().iter().map(|outcome| outcome.error_m);
        errors.collect::<Vec<f64>>()
    };
    let beside = errors_m(position(89.0, 20.0));
    let over = errors_m(position(89.95, 20.0));
    assert!(beside.len() > 20 && beside.len() == over.len());
    for (one, other) in beside.iter().zip(&over) {
        assert!((one - other).abs() < 1.0, "{one} {other}");
    }
}

/// Two on the same ice, 20 km apart; the second is the neighbour.
fn pair(hours: u32) -> (Vec<Numbers>, Vec<Numbers>) {
    let here = position(84.0, 170.0);
    let there = geodesic::direct(here, 60.0, 20e3);
    // The neighbour turns with the ice: its course is that of the first, carried along.
    let turn = geodesic::inverse(here, there);
    let turned = turn.final_course_deg - turn.initial_course_deg;
    let of = |about: Position, by_deg: f64| -> Vec<Numbers> {
        let fixes = meander(here, hours, 1.0).into_iter();
        fixes
            .map(|(time, latitude, longitude)| {
                let (way_m, course) = geodesic::leg(here, position(latitude, longitude));
                let place = geodesic::direct(about, course + by_deg, way_m);
                (time, place.latitude, place.longitude)
            })
            .collect()
    };
    (of(here, 0.0), of(there, turned))
}

#[test]
fn a_silent_buoy_is_where_its_neighbour_has_gone() {
    let (all, other) = pair(50 * 24);
    let other = drifter(other);
    let neighbour = Neighbour {
        deployment: Uuid::from_u128(2),
        track: &other,
    };
    let silent_from = all.len() - 7 * 24;
    let silent = drifter(all[..silent_from].to_vec());
    let (end, latitude, longitude) = *all.last().unwrap();
    let truth = position(latitude, longitude);
    let alone = found(&silent, &[], Moment::new(end, end));
    let near = found(&silent, &[neighbour], Moment::new(end, end));
    let error_m = |found: &Forecast| geodesic::length_m(found.position, truth);
    assert!(error_m(&near) < 200.0, "{}", error_m(&near));
    assert!(error_m(&alone) > 5000.0, "{}", error_m(&alone));
    assert!(near.r90_m < alone.r90_m / 5.0);
    let follows = near.neighbour.unwrap();
    assert_eq!(follows.deployment, Uuid::from_u128(2));
    assert!((follows.distance_m - 20e3).abs() < 200.0, "{follows:?}");
    assert_eq!(follows.fix_time, end);
    // Fixes of the neighbour after the moment are not known.
    let early = Moment::new(end - 3.0 * DAY, end);
    let cut = other.as_known_at(early.at);
    let cut = Neighbour {
        deployment: Uuid::from_u128(2),
        track: &cut,
    };
    assert_eq!(
        found(&silent, &[neighbour], early),
        found(&silent, &[cut], early)
    );
    // A neighbour that fell silent before, or is far away, is not followed; nor is any by a glider.
    let before = drifter(all[..silent_from - 1].to_vec());
    let before = Neighbour {
        deployment: Uuid::from_u128(3),
        track: &before,
    };
    assert_eq!(found(&silent, &[before], Moment::new(end, end)), alone);
    let far = drifter(meander(position(80.0, 10.0), 50 * 24, 1.0));
    let far = Neighbour {
        deployment: Uuid::from_u128(4),
        track: &far,
    };
    assert_eq!(found(&silent, &[far], Moment::new(end, end)), alone);
    let glider = track(Platform::Glider, LATER, all[..silent_from].to_vec());
    assert_eq!(
        found(&glider, &[neighbour], Moment::new(end, end)).neighbour,
        None
    );
    // Of forty the one that it moved like.
    let others: Vec<Track> = (0..39)
        .map(|one| {
            drifter(meander(
                geodesic::direct(position(84.0, 170.0), f64::from(one) * 9.0, 15e3),
                50 * 24,
                f64::from(one),
            ))
        })
        .collect();
    let crowd = others.iter().map(|track| Neighbour {
        deployment: Uuid::from_u128(9),
        track,
    });
    let crowd: Vec<Neighbour<'_>> = crowd.chain([neighbour]).collect();
    assert_eq!(
        found(&silent, &crowd, Moment::new(end, end)).neighbour,
        near.neighbour
    );
}

#[test]
fn a_neighbour_without_a_record_is_followed_where_it_is_near() {
    let (all, other) = pair(60);
    let silent = drifter(all[..40].to_vec());
    let other = drifter(other);
    let end = all.last().unwrap().0;
    let neighbour = Neighbour {
        deployment: Uuid::from_u128(2),
        track: &other,
    };
    let near = found(&silent, &[neighbour], Moment::new(end, end));
    assert!(near.neighbour.is_some() && near.method.mean_error_m.is_none());
    let alone = found(&silent, &[], Moment::new(end, end));
    // But for the errors of their positions.
    assert!((near.r90_m - alone.r90_m / 2.0).abs() < 1.0);
    // The shorter it is known, the wider is the circle, up to that of the own motion; and of
    // two the one that is known for longer is followed.
    let mut last_m = near.r90_m;
    for known in [59, 55, 50, 45, 42] {
        let cut = drifter(pair(60).1[..known].to_vec());
        let cut = Neighbour {
            deployment: Uuid::from_u128(3),
            track: &cut,
        };
        let found_by_cut = found(&silent, &[cut], Moment::new(end, end));
        assert!(found_by_cut.r90_m >= last_m, "{known}");
        assert!(found_by_cut.r90_m <= alone.r90_m + 1e-6, "{known}");
        last_m = found_by_cut.r90_m;
        if known < 55 {
            let both = found(&silent, &[cut, neighbour], Moment::new(end, end));
            assert_eq!(both.neighbour, near.neighbour, "{known}");
        }
    }
    // A single leg as fast as a current never is says nothing of days.
    let mut fast = pair(60).1[..40].to_vec();
    let (time, latitude, longitude) = *fast.last().unwrap();
    fast.push((time + 3600.0, latitude - 0.1, longitude));
    let fast = drifter(fast);
    let fast = Neighbour {
        deployment: Uuid::from_u128(4),
        track: &fast,
    };
    let by_fast = found(&silent, &[fast], Moment::new(end, end));
    assert_eq!(
        (by_fast.neighbour, by_fast.position),
        (None, alone.position)
    );
}

#[test]
fn a_ship_meets_what_drifts_on() {
    let track = drifter(meander(position(75.0, 10.0), 40 * 24, 0.0));
    let now = track.latest().unwrap().time_stamp + 6.0 * HOUR;
    let found = found(&track, &[], Moment::new(now, now));
    let ship = geodesic::direct(found.position, 200.0, 100e3);
    let course = |speed_m_s| {
        let position = ship;
        let ship = Ship {
            position,
            speed_m_s,
        };
        Course::after(&found, ship, now)
    };
    let [none, slow] = [None, Some(0.011)].map(course);
    let course = course(Some(5.0));
    assert!((course.range_m - 100e3).abs() < 1.0);
    assert!((course.eta.unwrap() - now - 20e3).abs() < 1.0);
    let meeting = course.intercept.unwrap();
    let way_m = geodesic::length_m(ship, meeting.position);
    assert!((way_m - 5.0 * (meeting.at - now)).abs() < 10.0);
    assert_eq!(meeting.position, found.position_at(meeting.at));
    assert_eq!(none.eta, None);
    // A ship that is slower than a day's drift in 60 days does not come that far.
    assert_eq!(slow.intercept, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_forecast_sees_what_comes_after(
        seed in proptest::collection::vec((0.2f64..5.0, -0.02f64..0.02, -0.05f64..0.05), 60..220),
        later in proptest::collection::vec((0.1f64..9.0, -1.0f64..1.0, -1.0f64..1.0), 1..40),
        place in 40usize..60, lead_h in 0.5f64..72.0, platform in 0usize..3,
    ) {
        let platform = [Platform::Drifter, Platform::Generic, Platform::Glider][platform];
        let mut at = (START, 82.0, 175.0);
        let mut fixes = Vec::new();
        for (hours, north, east) in seed {
            at = (at.0 + hours * HOUR, at.1 + north, at.2 + east);
            fixes.push((at.0, at.1, (at.2 + 180.0).rem_euclid(360.0) - 180.0));
        }
        let kept = fixes.len() * place / 60;
        let known: Vec<Numbers> = fixes[..kept].to_vec();
        let now = known.last().unwrap().0;
        let moment = Moment { at: now + lead_h * HOUR, known_until: now };
        let before = forecast(&track(platform, now, known.clone()), &[], moment);
        // As it came, and anything else instead.
        let whole = track(platform, now, fixes.clone());
        let mut time = now;
        let other = later.into_iter().map(|(hours, north, east)| {
            time += hours * HOUR;
            (time, 60.0 + north, east)
        });
        let other = track(platform, now, known.into_iter().chain(other));
        // The verdict on a fix may change with those after it; its forecast does not.
        let same = |one: &Track| one.flags()[..kept] == track(platform, now, fixes[..kept].to_vec()).flags()[..kept];
        if same(&whole) {
            prop_assert_eq!(&forecast(&whole, &[], moment), &before);
        }
        if same(&other) {
            prop_assert_eq!(&forecast(&other, &[], moment), &before);
        }
        if let Ok(found) = before {
            prop_assert!(found.r50_m > 0.0 && found.r50_m <= found.r90_m && found.r90_m.is_finite());
            prop_assert!(found.position.latitude.abs() <= 90.0);
            prop_assert!(found.position.longitude.abs() <= 180.0);
        }
    }
}
