//! Snapshots and properties of the fields of a track on the screen.

use crate::dashboard::tests::screens::*;
use crate::map::FieldCharts;
use crate::testing::fields::ice_buoy;

/// The sizes of the snapshots.
const ALL_SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

/// The Track tab of an ice buoy with 60 hourly fixes and a string of 80
/// thermistors, its fields read.
fn buoy() -> Dashboard {
    model_of(ice_buoy(NOW - 3600.0 * 60.0, 60, 80))
}

/// The Track tab of a drifter with these records, its fields read.
fn model_of(records: Records) -> Dashboard {
    let uuid = Uuid::from_u128(4);
    let deployment = Deployment {
        label: Some("ice buoy".to_owned()),
        platform: Platform::Drifter,
        ..Deployment::new(uuid)
    };
    let mut model = opened(vec![deployment], NOW);
    let asked = update(&mut model, Event::Now(NOW));
    let request = asked.iter().find_map(|effect| match effect {
        Effect::Update(Fetch { request, .. }) => Some(*request),
        _ => None,
    });
    let loaded = crate::testing::dashboard::loaded(records, NOW);
    let event = updated((request.unwrap(), uuid), Ok(loaded));
    update(&mut model, event);
    let effects = update(&mut model, Event::Key(Key::char('2')));
    // As if somebody had chosen speed before.
    model.tabs.track.is_field_chosen = true;
    read_fields(&mut model, effects);
    model
}

/// Reads the fields that effects ask for, as the runtime would.
fn read_fields(model: &mut Dashboard, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::ReadFields { track, .. } = effect {
            let whole = Arc::clone(track.track());
            let rows = whole.fields().clone();
            let outcome = Ok(Arc::new(FieldCharts::new(whole, rows)));
            update(model, Event::FieldsRead { track, outcome });
        }
    }
}

/// Shows what `v` shows after so many presses.
fn shown_after(model: &mut Dashboard, presses: usize) {
    for _ in 0..presses {
        press(model, KeyCode::Char('v'));
    }
    // The message of the key goes.
    press(model, KeyCode::Esc);
}

#[test]
fn a_field_and_a_profile_at_four_sizes() {
    for (presses, name) in [(1, "air_temp"), (3, "profile")] {
        for (width, height) in ALL_SIZES {
            let mut model = buoy();
            shown_after(&mut model, presses);
            let shown = screen(&mut model, width, height, Capabilities::default());
            insta::assert_snapshot!(format!("field_{name}_{width}x{height}"), shown);
        }
    }
}

#[test]
fn a_limit_is_named_whole_where_no_curve_is_else_in_the_title() {
    use crate::track::{FieldLimit, Side};
    for value in [-14.35, -17.85, -23.45, -31.15] {
        for full in [false, true] {
            for (width, height) in ALL_SIZES {
                let mut model = buoy();
                let limit = FieldLimit {
                    field: "air_temp".to_owned(),
                    side: Side::Below,
                    value,
                    unit: String::new(),
                };
                let uuid = Uuid::from_u128(4);
                let deployment = model.deployments.get_mut(uuid).unwrap();
                deployment.deployment.limits.fields = vec![limit];
                shown_after(&mut model, 1);
                if full {
                    keys(&mut model, "z");
                }
                let shown = screen(&mut model, width, height, Capabilities::default());
                assert_eq!(
                    shown.matches(&format!("limit {value} ")).count(),
                    1,
                    "{shown}"
                );
                let mut lines = shown.lines();
                let title = lines.find(|line| line.contains("ice buoy · air_temp"));
                let has_mean = title.is_none_or(|line| line.contains(", mean "));
                assert!(title.is_some() || width < 60, "{shown}");
                assert!(has_mean, "{value} {width}: {shown}");
            }
        }
    }
}

#[test]
fn the_smallest_screen_has_the_status_before_the_values_of_a_field() {
    for presses in [1, 3] {
        let mut model = buoy();
        shown_after(&mut model, presses);
        let shown = screen(&mut model, 60, 16, Capabilities::default());
        assert!(shown.contains("on time"), "{presses}: {shown}");
    }
}

#[test]
fn the_scale_of_a_profile_stands_beside_the_name() {
    let mut model = buoy();
    shown_after(&mut model, 3);
    keys(&mut model, "z");
    for (width, height) in [(100, 30), (104, 30), (160, 48)] {
        let shown = screen(&mut model, width, height, Capabilities::default());
        assert!(shown.contains("━━ ice buoy · temperature"), "{shown}");
        assert!(shown.contains("-31.2 ████"), "{shown}");
    }
}

#[test]
fn a_profile_at_full_size_names_the_values_at_the_cursor() {
    let mut model = buoy();
    shown_after(&mut model, 3);
    keys(&mut model, "z[[[");
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    insta::assert_snapshot!("field_profile_full", shown);
    // Below a head each row of the picture has a number and its value next to it, and only one.
    let mut rows = shown.lines().filter(|line| line.contains('▀'));
    let head = rows.next().map(|row| row.trim_matches('"'));
    assert!(
        head.is_some_and(|row| row.ends_with("sensor    °C")),
        "{shown}"
    );
    let rows: Vec<&str> = rows.collect();
    let beside = |line: &str| -> Option<Vec<f64>> {
        let words = line
            .trim_matches('"')
            .rsplit('▀')
            .next()?
            .split_whitespace();
        words.map(|word| word.parse().ok()).collect()
    };
    let beside: Option<Vec<Vec<f64>>> = rows.iter().map(|row| beside(row)).collect();
    let beside = beside.unwrap_or_else(|| panic!("{shown}"));
    assert!(beside.iter().all(|words| words.len() == 2), "{shown}");
    assert!(beside.is_sorted_by(|one, next| one[0] < next[0]), "{shown}");
    assert_eq!((beside[0][0], beside[beside.len() - 1][0]), (1.0, 79.0));
    // Among all about the fix each value has its name.
    keys(&mut model, "i");
    let details = screen(&mut model, 160, 48, Capabilities::default());
    for name in [
        "air_temp",
        "battery_voltage",
        "sensor_count",
        "dtc_values_9",
    ] {
        assert!(details.contains(name), "{name}: {details}");
    }
}

#[test]
fn a_profile_can_be_read_without_colours_and_in_ascii() {
    let mut model = buoy();
    shown_after(&mut model, 3);
    let no_colour = Capabilities {
        colour: false,
        ..Capabilities::default()
    };
    let sixteen = Capabilities {
        true_colour: false,
        indexed: false,
        ..Capabilities::default()
    };
    for can in [no_colour, sixteen] {
        let shown = screen(&mut model, 100, 30, can);
        for shade in ["░", "▓", "█"] {
            assert!(shown.contains(shade), "{shade}: {shown}");
        }
    }
    let ascii = Capabilities {
        unicode: false,
        ..no_colour
    };
    let shown = screen(&mut model, 100, 30, ascii);
    assert!(shown.is_ascii());
    insta::assert_snapshot!("field_profile_ascii", shown);
}

#[test]
fn the_line_follows_the_field_and_the_map_has_its_scale() {
    let mut model = buoy();
    shown_after(&mut model, 1);
    let legend = |model: &mut Dashboard, width, height| {
        let shown = screen(model, width, height, Capabilities::default());
        let ends = shown.contains("-31.2 ▬▬") && shown.contains("▬ -14.4 °C");
        (ends, shown)
    };
    assert!(!legend(&mut model, 160, 48).0);
    // Its field comes before speed and flag.
    keys(&mut model, "C");
    assert_eq!(model.tabs.track.colour_by, None);
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let (ends, shown) = legend(&mut model, width, height);
        assert!(ends, "{width}x{height}: {shown}");
    }
    // Without a field the same choice is speed.
    keys(&mut model, "vvv");
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(shown.contains("0 ▬▬▬▬▬▬▬▬ "), "{shown}");
    keys(&mut model, "C");
    assert_eq!(model.tabs.track.colour_by, Some(crate::map::ColourBy::Flag));
}

#[test]
fn a_gap_in_the_values_is_a_gap_of_the_line_and_a_dash_in_table_and_summary() {
    let mut model = buoy();
    shown_after(&mut model, 1);
    keys(&mut model, "g");
    for _ in 0..25 {
        press(&mut model, KeyCode::Down);
    }
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(shown.contains("◆ no value"), "{shown}");
    assert!(shown.contains("air_temp –"), "{shown}");
    // Of the rows of the strip, those of the ten fixes without a value have no
    // dot: 10 of 59 hours of 152 columns.
    let title = shown
        .lines()
        .position(|line| line.contains("· air_temp °C "));
    let strip: Vec<Vec<char>> = shown
        .lines()
        .skip(title.unwrap() + 1)
        .take(9)
        .map(|line| line.chars().collect())
        .collect();
    let is_braille = |letter: &char| ('\u{2801}'..='\u{28ff}').contains(letter);
    let columns = (9..158).filter(|x| strip.iter().any(|row| row.get(*x).is_some_and(is_braille)));
    let dotted = columns.count();
    assert!((115..=135).contains(&dotted), "{dotted}: {shown}");
}

#[test]
fn the_list_names_speed_and_what_varies_with_value_and_unit() {
    let mut model = buoy();
    keys(&mut model, "l");
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    insta::assert_snapshot!("field_list", shown);
    keys(&mut model, "zzz");
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("no such field"), "{shown}");
    // What is still being read may have it.
    model.tabs.track.fields.is_reading = true;
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("reading the fields"), "{shown}");
    assert!(!shown.contains("no such field"), "{shown}");
}

#[test]
fn a_field_with_a_hostile_name_and_values_stays_in_its_place() {
    use crate::testing::fields::with_fields;
    let names = ["a\x1b[31m\u{202e}b\n", ""].map(str::to_owned);
    let fixes = (0u32..40).map(|n| (NOW - 3600.0 * f64::from(40 - n), 80.0, 5.0));
    let values = [1e300, -1e300, 0.0, 1e-300, -5e-324];
    let records = with_fields(fixes, &names, |_, record| Some(values[record % 5]));
    let mut model = model_of(records);
    keys(&mut model, "vCCC");
    for (width, height) in ALL_SIZES {
        let shown = screen(&mut model, width, height, Capabilities::default());
        assert!(!shown.contains('\x1b') && !shown.contains('\u{202e}'));
        // The labels of the axis are whole and leave the line its columns.
        if height >= 24 {
            assert!(shown.contains("1e300┤"), "{shown}");
            assert!(shown.contains("-1e300"), "{shown}");
        }
    }
    keys(&mut model, "l");
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(shown.contains("(no name)"), "{shown}");
    press(&mut model, KeyCode::Esc);
    keys(&mut model, "v");
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(shown.contains("· (no name) ━"), "{shown}");
}

#[test]
fn a_profile_has_its_quantity_in_the_title_and_heads_over_its_numbers_at_small_sizes_too() {
    for (width, height) in ALL_SIZES {
        let mut model = buoy();
        shown_after(&mut model, 3);
        let shown = screen(&mut model, width, height, Capabilities::default());
        let mut lines = shown.lines();
        let title = lines.find(|line| line.contains("ice buoy · temperature"));
        let has_scale = title.is_some_and(|line| line.contains("-31.2 ████"));
        assert!(has_scale || (width, height) < (60, 16), "{shown}");
        if height >= 24 {
            assert!(shown.contains("sensor    °C"), "{shown}");
        }
    }
}

#[test]
fn a_profile_of_one_fix_is_drawn_across_with_its_values_beside() {
    let mut model = model_of(ice_buoy(NOW - 3600.0, 1, 80));
    keys(&mut model, "v");
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("temperature through"), "{shown}");
    let first = shown.lines().find(|line| line.contains("    0┤"));
    let first = first.unwrap_or_default();
    assert!(first.matches('▀').count() > 25, "{shown}");
    assert!(first.contains("sensor    °C"), "{shown}");
}

#[test]
fn where_one_round_date_is_left_the_time_axis_names_its_ends() {
    // Six weeks, of which this width has room for one round date.
    let mut model = model_of(ice_buoy(NOW - 3600.0 * 1030.0, 1030, 80));
    shown_after(&mut model, 3);
    let shown = screen(&mut model, 80, 24, Capabilities::default());
    let lines: Vec<&str> = shown.lines().collect();
    let lowest = lines.iter().rposition(|line| line.contains('┤'));
    let dates = lines[lowest.unwrap() + 2].split_whitespace();
    let dates = dates.filter(|word| word.starts_with("09-") || word.starts_with("08-"));
    assert!(dates.count() >= 2, "{shown}");
}
