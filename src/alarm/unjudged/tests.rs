use super::*;
use crate::geo::{Inside, Position};
use crate::track::field::{FieldRows, FieldTable};
use crate::track::{FieldLimitChange, Flag, Platform, Records, Side, TrackOptions, Transmission};

const START: f64 = 1.8e9;
const HOUR: f64 = 3600.0;

/// Hourly fixes so many metres north of 60° N 5° E, each with the battery's value.
fn fixes(all: &[(f64, Option<FieldValue<'static>>)]) -> Records {
    let (mut transmissions, mut table) = (Vec::new(), FieldTable::default());
    for (row, (north_m, value)) in (0u32..).zip(all) {
        transmissions.push(Transmission {
            time_stamp: START + HOUR * f64::from(row),
            position: Position::new(60.0 + north_m / 111_320.0, 5.0).unwrap(),
        });
        table.begin();
        if let Some(value) = value {
            table.add(row, "battery", *value, |_| true).unwrap();
        }
    }
    Records {
        transmissions: transmissions.into(),
        fields: FieldRows::new(table),
        ..Records::default()
    }
}

fn track(platform: Platform, records: Records) -> Track {
    let now = START + 10_000.0 * HOUR;
    Track::new(&records, &TrackOptions::new(platform, now))
}

fn of_battery() -> Rule {
    let mut limits = Vec::new();
    let change = FieldLimitChange::parse(Side::Below, "battery=11.5 V").unwrap();
    change.apply(&mut limits);
    Rule::Field(limits.remove(0))
}

fn why_unjudged(rule: &Rule, track: &Track) -> Option<String> {
    unjudged(rule, track).map(|limit| limit.why)
}

fn circle(radius_m: u32) -> Rule {
    Rule::Outside(Inside::from_stored(&format!("60,5,{radius_m}")).unwrap())
}

/// Drifts, then repeats one position so many times.
fn stuck(repeats: usize, volts: f64) -> Track {
    let value = |volts| Some(FieldValue::Number(volts));
    let moving = (0..8u32).map(|hour| (100.0 * f64::from(hour), value(12.0)));
    let still = std::iter::repeat_n((800.0, value(volts)), repeats);
    track(
        Platform::Drifter,
        fixes(&moving.chain(still).collect::<Vec<_>>()),
    )
}

#[test]
fn three_values_that_are_no_numbers_are_a_doubt_whichever_of_them_are_empty() {
    let (volts, word) = (FieldValue::Number(12.0), FieldValue::Text("x"));
    for (last, is_doubt) in [
        ([word, FieldValue::Null, word], true),
        ([FieldValue::Null, word, FieldValue::Text("")], true),
        ([volts, FieldValue::Null, word], false),
        ([word, word, volts], false),
        ([volts, FieldValue::Null, FieldValue::Null], false),
    ] {
        let values = std::iter::repeat_n(volts, 20).chain(last);
        let all: Vec<_> = values.map(|value| (0.0, Some(value))).collect();
        let why = why_unjudged(&of_battery(), &track(Platform::Mooring, fixes(&all)));
        assert_eq!(why.is_some(), is_doubt, "{last:?}: {why:?}");
    }
}

#[test]
fn a_receiver_that_repeats_one_position_hides_where_it_is_and_no_value() {
    let track = stuck(6, 11.0);
    assert_eq!(track.latest().unwrap().flag, Flag::Suspect);
    let suspect = "cannot be judged: 6 newer fixes are suspect (stuck) since 2027-01-15T16:00:00Z";
    assert_eq!(
        why_unjudged(&circle(5000), &track).unwrap(),
        format!("the watch circle {suspect}")
    );
    // A flag is about the position: the values count.
    assert_eq!(why_unjudged(&of_battery(), &track), None);
    let of = |track: &Track| super::super::rules::episodes(&of_battery(), track, f64::NEG_INFINITY);
    assert!(is_open(&of(&track)), "{:?}", of(&track));
    // A position says nothing against a value that keeps its limit.
    assert_eq!(why_unjudged(&of_battery(), &stuck(6, 12.0)), None);
    assert_eq!(why_unjudged(&circle(5000), &stuck(2, 12.0)), None);
    assert!(is_open(&of(&stuck(2, 11.0))));
    assert_eq!(why_unjudged(&of_battery(), &stuck(2, 11.0)), None);
}

#[test]
fn coordinates_in_coarse_steps_repeat_where_an_instrument_drifts_slowly() {
    let coarse = |repeats: usize| {
        let mut records = fixes(&vec![(0.0, None); 8 + repeats]);
        for (transmission, tenths) in records.transmissions.iter_mut().zip(-8i32..) {
            let north = 60.0 + 0.1 * f64::from(tenths.min(0));
            transmission.position = Position::new(north, 5.0).unwrap();
        }
        track(Platform::Drifter, records)
    };
    let found = coarse(40);
    assert_eq!(found.latest().unwrap().reason, Reason::Stuck);
    assert_eq!(why_unjudged(&circle(200_000), &found), None);
    // Where it rests its coordinates may be whole degrees.
    assert_eq!(why_unjudged(&circle(50_000), &found), None);
    // It may be outside, as far as its coordinates say.
    assert!(why_unjudged(&circle(5_000), &found).is_some());
}

#[test]
fn a_field_that_the_newest_records_lack_cannot_be_judged() {
    let value = Some(FieldValue::Number(12.0));
    let of = |values: &[Option<FieldValue<'static>>]| {
        let all: Vec<_> = (0u32..)
            .zip(values)
            .map(|(hour, value)| (10.0 * f64::from(hour % 7), *value))
            .collect();
        why_unjudged(&of_battery(), &track(Platform::Mooring, fixes(&all)))
    };
    let each = vec![value; 8];
    assert_eq!(of(&each), None);
    let without = |count| [each.clone(), vec![None; count]].concat();
    assert_eq!(of(&without(2)), None);
    assert_eq!(
        of(&without(3)).as_deref(),
        Some(
            "the limit battery below 11.5 V cannot be judged: the newest 3 fixes lack it, the last value is of 2027-01-15T15:00:00Z"
        )
    );
    // A field that comes with every fourth fix.
    let fourth = [value, None, None, None].repeat(5);
    assert_eq!(of(&fourth), None);
    let gone = [fourth, vec![None; 9]].concat();
    assert!(of(&gone).unwrap().contains("the newest 12 fixes lack it"));
    let text = Some(FieldValue::Text("low"));
    let held = [each.clone(), vec![text; 3]].concat();
    assert!(of(&held).unwrap().ends_with("it holds the text \"low\""));
    assert_eq!(of(&[each.clone(), vec![text; 2]].concat()), None);
    let none = of(&[None; 5]).unwrap();
    assert!(none.ends_with("no record has this field"), "{none}");
    let Rule::Field(mut mistyped) = of_battery() else {
        panic!("it is a rule of a field");
    };
    mistyped.field = "batery".to_owned();
    let track = track(Platform::Mooring, fixes(&[(0.0, value); 5]));
    let why = why_unjudged(&Rule::Field(mistyped), &track).unwrap();
    let named = "no record has this field; there are battery";
    assert!(why.ends_with(named), "{why}");
}

#[test]
fn values_that_are_no_numbers_are_counted_where_the_others_are_judged() {
    let of = |values: &[Option<FieldValue<'static>>]| {
        let all: Vec<_> = (0u32..)
            .zip(values)
            .map(|(hour, value)| (10.0 * f64::from(hour % 7), *value))
            .collect();
        let Rule::Field(limit) = of_battery() else {
            panic!("it is a rule of a field");
        };
        not_numbers(&limit, &track(Platform::Mooring, fixes(&all)))
    };
    let (value, text) = (FieldValue::Number(12.0), FieldValue::Text("low"));
    let (value, text, null) = (Some(value), Some(text), Some(FieldValue::Null));
    let said = "2 of the last 4 values of battery are no numbers";
    assert_eq!(of(&[value, text, null, text, value]).as_deref(), Some(said));
    assert_eq!(
        of(&[value, null, None, Some(FieldValue::Text("11.5"))]),
        None
    );
    // A limit that cannot be judged says so itself.
    assert_eq!(of(&[text, text]), None);
}

#[test]
fn a_field_that_only_withdrawn_fixes_have_cannot_be_judged() {
    let value = Some(FieldValue::Number(12.0));
    let all: Vec<_> = (0..8)
        .map(|hour| (0.0, value.filter(|_| hour % 2 == 0)))
        .collect();
    let mut records = fixes(&all);
    records.unsent = records.transmissions.iter().step_by(2).copied().collect();
    let why = why_unjudged(&of_battery(), &track(Platform::Generic, records)).unwrap();
    assert!(why.ends_with("no good fix has this field"), "{why}");
}

#[test]
fn fixes_that_the_service_sends_no_longer_hide_nothing() {
    // Each hour one beyond the circle that is sent, and one within that is not.
    let mut records = fixes(&[0.0, 400.0, 0.0, 400.0, 0.0, 400.0].map(|north_m| (north_m, None)));
    assert_eq!(
        why_unjudged(&circle(300), &track(Platform::Generic, records.clone())),
        None
    );
    records.unsent = records.transmissions.iter().step_by(2).copied().collect();
    let why = why_unjudged(&circle(300), &track(Platform::Generic, records)).unwrap();
    assert!(
        why.ends_with("and not with those that it does not: 3 of the last 6"),
        "{why}"
    );
}

#[test]
fn three_newer_records_that_are_lost_leave_a_limit_unjudged() {
    let value = Some(FieldValue::Number(12.0));
    let good: Vec<_> = (0..8u32)
        .map(|hour| (10.0 * f64::from(hour), value))
        .collect();
    let far = |count: usize| [good.clone(), vec![(1e6, value); count]].concat();
    let invalid = |count: u32| {
        let mut records = fixes(&good);
        for n in 0..count {
            let fault = crate::track::RecordFault::Missing(crate::track::Member::Latitude);
            let unusable = fault.at(START + HOUR * f64::from(8 + n));
            records.add_unusable(0, unusable, String::new);
        }
        records
    };
    for rule in [of_battery(), circle(5000)] {
        let of = |records| why_unjudged(&rule, &track(Platform::Mooring, records));
        assert_eq!(of(fixes(&far(2))), None);
        assert_eq!(of(invalid(2)), None);
        let why = of(invalid(3)).unwrap();
        assert!(
            why.ends_with("cannot be judged: 3 newer records cannot be used: no position"),
            "{why}"
        );
    }
    // At 0° N 0° E, as a receiver without a position has it.
    let mut records = fixes(&far(4));
    for one in records.transmissions.iter_mut().skip(8) {
        one.position = Position::new(0.0, 0.0).unwrap();
    }
    for rule in [of_battery(), circle(5000)] {
        let why = why_unjudged(&rule, &track(Platform::Mooring, records.clone())).unwrap();
        assert!(
            why.ends_with("cannot be judged: 4 newer fixes failed"),
            "{why}"
        );
    }
}

#[test]
fn positions_that_fail_between_others_hide_no_value() {
    let value = Some(FieldValue::Number(12.0));
    let alternate = |from| (0..40u32).map(move |n| n >= from && n % 2 == 1);
    let far = |is_far| if is_far { 400_000.0 } else { 0.0 };
    let at = |from| alternate(from).map(|is_far| (far(is_far), value));
    let torn = track(Platform::Mooring, fixes(&at(10).collect::<Vec<_>>()));
    assert_eq!(why_unjudged(&of_battery(), &torn), None);
    let why = why_unjudged(&circle(5000), &torn).unwrap();
    assert!(why.contains("of the last"), "{why}");
}

#[test]
fn a_value_beyond_the_limit_after_such_ones_of_failed_fixes_is_a_doubt() {
    let at = |(north_m, volts): (f64, f64)| (north_m, Some(FieldValue::Number(volts)));
    let why = |failed: f64, last: f64| {
        let before = std::iter::repeat_n((0.0, 12.0), 30);
        let after = [(4e5, failed), (4e5, failed), (0.0, last)];
        let all: Vec<_> = before.chain(after).map(at).collect();
        why_unjudged(&of_battery(), &track(Platform::Mooring, fixes(&all)))
    };
    let found = why(9.0, 9.0).unwrap();
    assert!(
        found.ends_with("is beyond it, and so are those of 2 failed fixes before"),
        "{found}"
    );
    assert_eq!(why(12.0, 9.0), None);
    assert_eq!(why(9.0, 12.0), None);
}
