//! What a jump or a ship moved has not drifted: neither the instrument nor a neighbour.

use super::*;
use crate::geo::Notation;
use crate::track::Flag;
use crate::track::quality::Reason;
use crate::watch::{Deployment, Whereabouts};

const MINUTE: f64 = 60.0;

fn whereabouts(track: &Track, now: f64) -> Whereabouts {
    let deployment = Deployment::new(Uuid::nil());
    Whereabouts::new(
        deployment,
        Arc::new(track.clone()),
        Vec::new(),
        Moment::new(now, now),
    )
}

/// 101 fixes, one in ten minutes, 11 m apart, of which the last `moved` are half a degree north.
fn deployed_again(moved: u32) -> Track {
    let fixes = (0..101).map(|fix| {
        let step = f64::from(fix);
        let north = if fix >= 101 - moved { 0.5 } else { 0.0 };
        (
            START + step * 10.0 * MINUTE,
            60.0 + step * 1e-4 + north,
            10.0,
        )
    });
    drifter(fixes.collect())
}

#[test]
fn a_jump_is_not_carried_on_and_the_note_says_what_counts() {
    // Two hours after it a speed is known again.
    let track = deployed_again(13);
    assert!(track.is_jump(88), "{:?}", track.fix(88));
    let last = track.latest().unwrap();
    let known = whereabouts(&track, last.time_stamp + 6.0 * MINUTE);
    let found = known.found.as_ref().unwrap();
    let way_m = geodesic::length_m(last.position, found.position);
    assert!(way_m < 10.0, "{way_m}");
    let later = Moment::new(last.time_stamp + 12.0 * HOUR, last.time_stamp);
    let later = forecast(&track, &[], later).unwrap();
    assert!(later.r90_m < 3000.0, "{}", later.r90_m);
    assert!(known.drifts.is_empty(), "{:?}", known.drifts);
    let note = known.note(None, Notation::default()).unwrap();
    assert_eq!(
        note,
        "it jumped 30.09 nm at 2023-11-15 12:53:20 UTC: only the fixes after it count"
    );
    // Of the fixes of 40 minutes no speed is known.
    let track = deployed_again(5);
    let last = track.latest().unwrap();
    let known = whereabouts(&track, last.time_stamp + 6.0 * MINUTE);
    assert_eq!(known.found, Err(NoForecast::TooShort(40.0 * MINUTE)));
    let note = known.note(None, Notation::default()).unwrap();
    assert!(
        note.starts_with("the good fixes span only 40 min")
            && note.contains("; it jumped 30.09 nm at "),
        "{note}"
    );
    // A month after it nothing of it is left.
    let mut fixes = meander(position(60.0, 10.0), 12, 0.0);
    let after = meander(position(61.0, 10.0), 40 * 24, 0.0).into_iter();
    fixes
        .extend(after.map(|(time, latitude, longitude)| (time + 12.0 * HOUR, latitude, longitude)));
    let track = drifter(fixes);
    assert!(track.is_jump(12));
    let note_after = |days: f64| {
        let known = whereabouts(&track, START + days * DAY);
        known.note(None, Notation::default())
    };
    assert!(note_after(20.0).is_some());
    assert_eq!(note_after(35.0), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_jump_before_the_record_does_not_change_its_forecast(
        before in 30u32..240, after in 6u32..240, phase in 0.0f64..6.0,
        (south, east) in (18.0f64..30.0, -60.0f64..60.0), lead_h in 0.2f64..60.0,
        platform in 0usize..4,
    ) {
        let platform = [Platform::Drifter, Platform::Generic, Platform::Glider, Platform::Float][platform];
        let record = meander(position(75.0, 170.0), after, phase);
        let elsewhere = position(75.0 - south, 110.0 + east);
        let earlier = meander(elsewhere, before, phase).into_iter();
        let earlier = earlier.map(|(time, latitude, longitude)| {
            (time - f64::from(before) * HOUR, latitude, longitude)
        });
        let whole = track(platform, LATER, earlier.chain(record.clone()));
        let record = track(platform, LATER, record);
        prop_assert!(whole.is_jump(before as usize));
        prop_assert!(whole.flags().iter().all(|flag| *flag != Flag::Fail));
        let now = record.latest().unwrap().time_stamp;
        let moment = Moment { at: now + lead_h * HOUR, known_until: now };
        prop_assert_eq!(forecast(&whole, &[], moment), forecast(&record, &[], moment));
        prop_assert_eq!(whereabouts(&whole, now).drifts, whereabouts(&record, now).drifts);
    }
}

/// The neighbour of [`pair`], moved north for `hours` from the fix `from` on by `speed_m_s`.
fn moved(platform: Platform, other: &[Numbers], from: usize, hours: u32, speed_m_s: f64) -> Track {
    let fixes = other.iter().zip(0u32..).map(|(fix, hour)| {
        let (time, latitude, longitude) = *fix;
        let under_way = hour.saturating_sub(u32::try_from(from).unwrap()).min(hours);
        let way_m = f64::from(under_way) * HOUR * speed_m_s;
        let place = geodesic::direct(position(latitude, longitude), 0.0, way_m);
        (time, place.latitude, place.longitude)
    });
    track(platform, LATER, fixes)
}

/// The neighbour that the silent one of [`pair`] is found by.
fn followed(silent: &[Numbers], other: &Track, end: f64) -> Option<FollowedNeighbour> {
    let neighbour = Neighbour {
        deployment: Uuid::from_u128(2),
        track: other,
    };
    found(
        &drifter(silent.to_vec()),
        &[neighbour],
        Moment::new(end, end),
    )
    .neighbour
}

#[test]
fn a_neighbour_aboard_a_ship_is_not_followed() {
    let (all, other) = pair(50 * 24);
    let silent_from = all.len() - 7 * 24;
    let silent = &all[..silent_from];
    let end = all.last().unwrap().0;
    let at = |from: usize| {
        let ship = moved(Platform::Drifter, &other, from, 8, 3.0);
        assert!(ship.fixes().any(|fix| fix.reason == Reason::UnderWay));
        followed(silent, &ship, end)
    };
    assert_eq!(at(silent_from + 24), None);
    // It was aboard when the other fell silent.
    assert_eq!(at(silent_from - 6), None);
    // A ship that carried it weeks before is no matter, nor is one still to come.
    assert!(at(100).is_some());
    let ship = moved(Platform::Drifter, &other, silent_from + 24, 8, 3.0);
    assert!(followed(silent, &ship, all[silent_from + 20].0).is_some());
}

#[test]
fn a_generic_neighbour_as_fast_as_a_ship_is_not_followed() {
    let (all, other) = pair(50 * 24);
    let silent_from = all.len() - 7 * 24;
    let end = all.last().unwrap().0;
    let at = |from: usize, speed_m_s: f64| {
        let ship = moved(Platform::Generic, &other, from, 8, speed_m_s);
        followed(&all[..silent_from], &ship, end)
    };
    assert_eq!(at(silent_from + 24, 3.0), None);
    assert_eq!(at(silent_from + 24, 8.0), None);
    assert!(at(100, 3.0).is_some());
    // A current may be as fast as a slow ship.
    assert!(at(silent_from + 24, 1.0).is_some());
}

#[test]
fn a_neighbour_that_has_jumped_since_is_not_followed() {
    let (all, other) = pair(50 * 24);
    let silent_from = all.len() - 7 * 24;
    let silent = &all[..silent_from];
    let end = all.last().unwrap().0;
    let jumped = |from: usize| {
        let other = moved(Platform::Drifter, &other, from, 1, 45.0);
        assert!(other.is_jump(from + 1), "{:?}", other.fix(from + 1));
        followed(silent, &other, end)
    };
    assert_eq!(jumped(silent_from + 24), None);
    assert!(jumped(100).is_some());
}

#[test]
fn a_neighbour_that_does_not_drift_is_not_followed() {
    use strum::VariantArray;
    let (all, other) = pair(50 * 24);
    let silent = &all[..all.len() - 7 * 24];
    let end = all.last().unwrap().0;
    let drifting = Platform::VARIANTS.iter().filter(|platform| {
        let other = track(**platform, LATER, other.clone());
        followed(silent, &other, end).is_some()
    });
    let drifting: Vec<Platform> = drifting.copied().collect();
    assert_eq!(
        drifting,
        [Platform::Generic, Platform::Drifter, Platform::Float]
    );
}
