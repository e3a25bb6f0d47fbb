use crate::map::fields::*;
use crate::map::stretch::Levels;
use crate::map::{ShownField, ShownFields};
use crate::testing::fields::{ice_buoy, with_fields};
use crate::track::{Platform, Records, TrackOptions};

fn charts(records: Records) -> Arc<FieldCharts> {
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, 1e9));
    let rows = track.fields().clone();
    Arc::new(FieldCharts::new(Arc::new(track), rows))
}

fn seen_from(charts: &Arc<FieldCharts>, whole: &Arc<Track>) -> ShownFields {
    ShownFields {
        charts: Arc::clone(charts),
        whole: Arc::clone(whole),
        offset: 0,
    }
}

fn shown(charts: &Arc<FieldCharts>, name: &str) -> ShownField {
    seen_from(charts, charts.track()).named(name).unwrap()
}

#[test]
fn what_varies_is_listed_in_its_order_and_a_profile_is_one() {
    let charts = charts(ice_buoy(0.0, 60, 80));
    let names: Vec<(&str, usize)> = charts
        .varying()
        .iter()
        .map(|field| (field.name(), field.count()))
        .collect();
    let expected = [("air_temp", 1), ("battery_voltage", 1), ("dtc_values", 80)];
    assert_eq!(names, expected);
    assert_eq!(charts.varying()[1].decimals, 2);
    let single: Vec<&str> = charts.single_values(0).map(|(name, _)| name).collect();
    assert_eq!(single, ["air_temp", "battery_voltage", "sensor_count"]);
}

#[test]
fn the_extent_of_any_stretch_is_that_of_its_values() {
    let value = |fix: usize| (!fix.is_multiple_of(7)).then(|| (fix * fix % 1013) as f64 - 500.0);
    let stretch = |fix| Stretch::new(fix, value(fix));
    let stretches = Levels::new(5000, stretch);
    for (from, to) in [
        (0, 5000),
        (0, 1),
        (255, 257),
        (15, 33),
        (7, 8),
        (3, 4777),
        (9, 9),
    ] {
        let expected = Extent::of_values((from..to).filter_map(value));
        let found = stretches.between(from..to, stretch).extent();
        assert_eq!(found, expected, "{from}..{to}");
    }
    let none = stretches.between(7..8, stretch);
    assert!(none.extent().is_none());
}

#[test]
fn a_few_wrong_values_do_not_flatten_a_scale_at_either_end() {
    let mut values: Vec<f64> = (0..200).map(|n| f64::from(n % 20) - 10.0).collect();
    let whole = |values: &[f64]| Extent::of_values(values.iter().copied());
    let ends = |values: &[f64]| usual_ends(values.to_vec(), values.to_vec(), whole(values), 0.25);
    assert_eq!(ends(&values), Some((-10.0, 9.0)));
    values[3] = -9999.0;
    values[90] = 850.0;
    assert_eq!(ends(&values), Some((-10.0, 9.0)));
    // What is little farther out is on the scale.
    values[3] = -12.0;
    assert_eq!(ends(&values), Some((-12.0, 9.0)));
    // All but a few are the same.
    assert_eq!(ends(&[1.0; 50]), Some((1.0, 1.0)));
    let mut same = vec![1.0; 50];
    same[7] = 5.0;
    assert_eq!(ends(&same), Some((1.0, 5.0)));
    assert_eq!(ends(&[]), None);
}

#[test]
fn a_picture_has_time_across_and_the_first_number_at_the_top() {
    // Three numbers: the first rises, the second is late, the third is constant.
    let names = ["t_0", "t_1", "t_2"].map(str::to_owned);
    let fixes = (0u32..100).map(|n| (600.0 * f64::from(n), 80.0, 5.0));
    let charts = charts(with_fields(fixes, &names, |place, record| match place {
        0 => Some(record as f64),
        1 => (record >= 50).then_some(7.0),
        _ => Some(-4.0),
    }));
    let field = shown(&charts, "t");
    let grid = field.field().grid().unwrap();
    let ends = (0.0, 59_400.0);
    let picture = grid.picture(50, 3, ends.0..ends.1);
    let row = |row: usize| &picture[row * 50..(row + 1) * 50];
    assert!(
        row(0).windows(2).all(|pair| pair[0] < pair[1]),
        "{:?}",
        row(0)
    );
    assert!(row(1)[..24].iter().all(Option::is_none));
    assert!(row(1)[26..].iter().all(|value| *value == Some(7.0)));
    assert!(row(2).iter().all(|value| *value == Some(-4.0)));
    assert_eq!(field.profile(60), [Some(60.0), Some(7.0), Some(-4.0)]);
    assert_eq!(field.profile(10), [Some(10.0), None, Some(-4.0)]);
    // More rows than numbers: each number has several.
    let tall = grid.picture(50, 9, ends.0..ends.1);
    assert_eq!(tall[6 * 50], Some(-4.0));
    // In any size, also with more columns than the grid has parts.
    assert_eq!(grid.picture(0, 4, ends.0..ends.1), []);
    assert!(
        grid.picture(3000, 1, ends.0..ends.1)
            .iter()
            .all(Option::is_some)
    );
    // Of a part of the time it has only what was sent then: of the first quarter no second number.
    let quarter = grid.picture(50, 3, 0.0..14_850.0);
    assert!(quarter[..50].iter().flatten().all(|value| *value < 26.0));
    assert!(quarter[50..100].iter().all(Option::is_none));
}

#[test]
fn a_data_gap_is_a_gap_of_the_picture_and_what_is_sparse_is_none() {
    let names = ["t_0", "t_1"].map(str::to_owned);
    let fixes = (0u32..40).map(|n| (3600.0 * f64::from(n + n / 20 * 200), 80.0, 5.0));
    let charts = charts(with_fields(fixes, &names, |place, record| {
        Some((place + record) as f64)
    }));
    let picture = shown(&charts, "t")
        .field()
        .grid()
        .unwrap()
        .picture(120, 1, 0.0..3600.0 * 239.0);
    let missing = picture.iter().filter(|value| value.is_none()).count();
    assert!((85..=105).contains(&missing), "{missing}");
    assert!(picture[..9].iter().all(Option::is_some));
}

#[test]
fn charts_of_an_older_track_have_no_value_where_the_fix_is_another() {
    let old = charts(ice_buoy(0.0, 60, 2));
    let mut newer = ice_buoy(0.0, 61, 2);
    newer.transmissions.remove(30);
    let newer = Track::new(&newer, &TrackOptions::new(Platform::Drifter, 1e9));
    let field = seen_from(&old, &Arc::new(newer))
        .named("battery_voltage")
        .unwrap();
    assert_eq!(field.value(29), shown(&old, "battery_voltage").value(29));
    assert_eq!(field.value(30), None);
    assert_eq!(field.value(4000), None);
    assert!(seen_from(&old, old.track()).named("sensor_count").is_none());
}

#[test]
fn a_track_without_fields_or_fixes_has_no_chart() {
    assert!(charts(Records::default()).varying().is_empty());
    let fixes = (0u32..5).map(|n| (f64::from(n), 80.0, 5.0));
    let none = charts(with_fields(fixes, &["x".to_owned()], |_, _| None));
    assert!(none.varying().is_empty());
    let once = [(5.0, 80.0, 5.0), (5.0, 80.1, 5.0)];
    let one_time = charts(with_fields(
        once,
        &["a_0".to_owned(), "a_1".to_owned()],
        |a, b| Some((a + b) as f64),
    ));
    assert!(shown(&one_time, "a").share(1).is_some());
}

#[test]
fn numbers_near_the_greatest_are_no_values_of_a_chart() {
    let names = ["air", "dtc_0", "dtc_1"].map(str::to_owned);
    let fixes = (0..64).map(|n| (600.0 * f64::from(n), 10.0 + 1e-3 * f64::from(n), 5.0));
    let charts = charts(with_fields(fixes, &names, |place, record| {
        Some(match (record % 4, place) {
            (0, _) => f64::MAX,
            (1, _) => -1e308,
            (2, 0) => 1e299,
            (2, _) => 3e38,
            _ => -2.0,
        })
    }));
    let air = shown(&charts, "air");
    assert_eq!((air.value(0), air.value(1)), (None, None));
    let ends = air.field().ends();
    assert_eq!((ends.low, ends.high), (-2.0, 1e299));
    for value in [-2.0, 5e298, 1e299] {
        assert!(air.field().share(value, None).is_finite(), "{value}");
    }
    let profile = shown(&charts, "dtc");
    let picture = profile
        .field()
        .grid()
        .unwrap()
        .picture(8, 1, f64::MIN..f64::MAX);
    assert!(picture.iter().flatten().all(|mean| mean.is_finite()));
    let Scale { extent, low, high } = profile.field().line_scale;
    assert!(
        [extent.low, extent.high, low, high]
            .iter()
            .all(|end| end.is_finite())
    );
}
