//! Alarms on the screen.

use crate::alarm::{Alarm, AlarmState, Kind};
use crate::dashboard::tests::screens::*;
use crate::testing::dashboard::alarm;
use crate::track::State;

/// The numbers of lost and overdue deployments and of raised alarms.
fn troubles(model: &Dashboard) -> [usize; 3] {
    let list = &model.deployments.list;
    let count = |state| {
        let known = list.iter().map(|row| row.health(model.now).state);
        known.filter(|known| *known == state).count()
    };
    let raised = model.alarms.count(AlarmState::Raised, model.now);
    [count(State::Lost), count(State::Overdue), raised]
}

const FOUR_SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

/// A dashboard with an alarm in each state.
pub(super) fn with_alarms() -> Dashboard {
    let mut model = model();
    let of = |number| Some(Uuid::from_u128(number));
    let raised = alarm("0k3fq7", of(0), Kind::Outside, NOW, 1500.0);
    let picked_up = alarm("1m2n3p", of(0), Kind::PickedUp, NOW, 900.0);
    let acknowledged = Alarm {
        acknowledged_at: Some(NOW - 8e5),
        ..alarm("2b8d1z", of(2), Kind::Overdue, NOW, 9e5)
    };
    let snoozed = Alarm {
        snoozed_until: Some(NOW + 7200.0),
        ..alarm("3v5x0t", of(1), Kind::Outside, NOW, 5400.0)
    };
    let service = Alarm {
        text: "https://service.example/api cannot be reached: no route".to_owned(),
        cleared_at: Some(NOW - 300.0),
        ..alarm("4c4c4c", None, Kind::Unreachable, NOW, 3600.0)
    };
    let all = vec![raised, picked_up, acknowledged, snoozed, service];
    update(&mut model, Event::Alarms(all));
    model
}

#[test]
fn alarms_stand_in_the_list_at_four_sizes() {
    for (width, height) in FOUR_SIZES {
        let shown = screen(&mut with_alarms(), width, height, Capabilities::default());
        insta::assert_snapshot!(format!("alarms_deployments_{width}x{height}"), shown);
    }
}

#[test]
fn the_list_of_alarms_at_four_sizes() {
    for (width, height) in FOUR_SIZES {
        let mut model = with_alarms();
        screen(&mut model, width, height, Capabilities::default());
        keys(&mut model, "A");
        let shown = screen(&mut model, width, height, Capabilities::default());
        insta::assert_snapshot!(format!("alarms_list_{width}x{height}"), shown);
    }
}

#[test]
fn an_overdue_alarm_has_its_last_fix_and_none_that_raised_it() {
    let mut model = with_alarms();
    keys(&mut model, "A");
    for (key, words) in [("", ", by the fix of "), ("jjj", ", last fix ")] {
        keys(&mut model, key);
        let shown = screen(&mut model, 100, 30, Capabilities::default());
        let raised = shown.lines().find(|line| line.contains(" raised 20"));
        assert!(raised.is_some_and(|line| line.contains(words)), "{shown}");
    }
}

#[test]
fn the_track_of_an_alarm_says_both_that_it_reports_and_that_it_has_left() {
    for (width, height) in FOUR_SIZES {
        let mut model = with_alarms();
        keys(&mut model, "A");
        press(&mut model, KeyCode::Enter);
        let shown = screen(&mut model, width, height, Capabilities::default());
        insta::assert_snapshot!(format!("alarms_track_{width}x{height}"), shown);
    }
}

#[test]
fn the_summary_counts_the_further_alarms_of_a_deployment() {
    let mut model = with_alarms();
    keys(&mut model, "A");
    press(&mut model, KeyCode::Enter);
    let open = model.deployments.open.unwrap();
    assert_eq!(model.deployments.get(open).unwrap().alarms.len(), 2);
    for (width, height) in FOUR_SIZES {
        let shown = screen(&mut model, width, height, Capabilities::default());
        assert!(shown.contains(" +1"), "{shown}");
    }
}

#[test]
fn in_ascii_and_without_colour_each_state_has_its_sign() {
    let can = Capabilities {
        colour: false,
        unicode: false,
        ..Capabilities::default()
    };
    let mut model = with_alarms();
    keys(&mut model, "A");
    let shown = screen(&mut model, 100, 30, can);
    for words in ["A raised", "a acknowledged", "a snoozed", "o cleared"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(shown.is_ascii(), "{shown}");
}

#[test]
fn the_header_counts_alarms_on_every_tab_and_known_ones_apart() {
    let mut model = with_alarms();
    for tab in ["1", "2", "3", "4"] {
        keys(&mut model, tab);
        let shown = screen(&mut model, 160, 48, Capabilities::default());
        let header = shown.lines().next().unwrap();
        assert!(
            header.contains("⚑ 2 alarms  ⚐ 1 acknowledged, 1 snoozed"),
            "{header}"
        );
        let narrow = screen(&mut model, 60, 16, Capabilities::default());
        let header = narrow.lines().next().unwrap();
        assert!(header.contains("⚑2 ⚐2"), "{header}");
    }
    // An acknowledged deployment is lost all the same.
    assert_eq!(troubles(&model), [1, 0, 2]);
    let mut known = model.alarms.list.clone();
    for one in &mut known {
        one.acknowledged_at = Some(NOW);
    }
    update(&mut model, Event::Alarms(known));
    assert_eq!(troubles(&model), [1, 0, 0]);
}

#[test]
fn the_keys_of_the_settings_stand_below_the_list_of_alarms() {
    let mut model = with_alarms();
    let keys_of = [
        ("alarms.acknowledge", vec!["x".to_owned()]),
        ("all.alarms", vec!["f8".to_owned()]),
    ];
    let named = keys_of.iter().map(|(name, keys)| (*name, keys.as_slice()));
    model.screen.keymap = Arc::new(crate::dashboard::keymap::Keymap::with_keys(named).unwrap());
    press(&mut model, KeyCode::F(8));
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    let footer = shown.lines().last().unwrap();
    assert!(footer.contains("x acknowledge"), "{footer}");
    let effects = update(&mut model, Event::Key(Key::char('x')));
    assert!(
        matches!(effects[..], [Effect::ReplyToAlarm { .. }]),
        "{effects:?}"
    );
    // A key that moves the cursor there is not another action's.
    let clash = [("alarms.snooze", vec!["j".to_owned()])];
    let named = clash.iter().map(|(name, keys)| (*name, keys.as_slice()));
    assert!(crate::dashboard::keymap::Keymap::with_keys(named).is_err());
}

#[test]
fn without_an_alarm_the_list_says_so() {
    let mut model = model();
    keys(&mut model, "A");
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("No alarm is active"), "{shown}");
}

#[test]
fn a_lost_deployment_with_an_alarm_has_the_signs_and_is_in_the_counts_of_both() {
    let mut model = model();
    let overdue = alarm("0k3fq7", Some(Uuid::from_u128(2)), Kind::Overdue, NOW, 9e5);
    update(&mut model, Event::Alarms(vec![overdue]));
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    let header = shown.lines().next().unwrap_or_default();
    assert!(header.contains("✖ 1 lost "), "{header}");
    assert!(header.contains("⚑ 1 alarm "), "{header}");
    assert!(shown.contains("✖⚑  lost"), "{shown}");
    assert_eq!(troubles(&model), [1, 0, 1]);
    // Acknowledged, it is as lost as before.
    let mut known = model.alarms.list.clone();
    known[0].acknowledged_at = Some(NOW);
    update(&mut model, Event::Alarms(known));
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    let header = shown.lines().next().unwrap_or_default();
    assert!(
        header.contains("✖ 1 lost ") && header.contains("⚐ 1 ack"),
        "{header}"
    );
    assert!(shown.contains("✖⚐  lost"), "{shown}");
    model.deployments.list[0].deployment.state = crate::track::DeclaredState::Active;
    update(&mut model, Event::Now(NOW + 40.0 * 86_400.0));
    assert_eq!(troubles(&model), [3, 0, 0]);
}

#[test]
fn an_alarm_shows_what_is_true_now_or_the_time_of_its_value() {
    let mut model = model();
    let of = |number| Some(Uuid::from_u128(number));
    let last = model.deployments.list[0]
        .overview()
        .unwrap()
        .latest
        .unwrap();
    let (latitude, longitude) = (last.position.latitude - 0.05, last.position.longitude);
    let circle = format!("{latitude},{longitude},200");
    model.deployments.list[0].deployment.limits.inside = crate::geo::Inside::from_stored(&circle);
    // Raised by an earlier fix 240 m from the centre; the last one is 5.58 km from it.
    let outside = alarm("0k3fq7", of(0), Kind::Outside, NOW, 5400.0);
    // Raised ten days ago, when the age was 3 h 30 min.
    let overdue = alarm("2b8d1z", of(2), Kind::Overdue, NOW, 9e5);
    let picked_up = alarm("1m2n3p", of(1), Kind::PickedUp, NOW, 5400.0);
    update(&mut model, Event::Alarms(vec![outside, overdue, picked_up]));
    model.settings.units = crate::geo::Units::Metric;
    let shown = screen(&mut model, 162, 48, Capabilities::default());
    let has = |shown: &str, words: &str| assert!(shown.contains(words), "{words}\n{shown}");
    has(&shown, "5.38 km beyond circle");
    keys(&mut model, "j");
    let shown_below = screen(&mut model, 162, 48, Capabilities::default());
    has(&shown_below, "outside its watch circle: now");
    // The mean speed of the legs that raised it, with the time.
    has(&shown, "was 14.76 km/h at 12:42, limit 5.40");
    assert!(!shown.contains("240 m"), "{shown}");
    keys(&mut model, "A");
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    has(&shown, "5.58 km       200 m");
    has(&shown, "was 14.76 km/h   5.40 km/h");
    has(&shown, "10 d 10 h         3 h");
    assert!(!shown.contains("3 h 30 min"), "{shown}");
}

#[test]
fn a_distance_from_a_circle_says_what_it_is_measured_from() {
    let mut model = model();
    // The last one by its status.
    screen(&mut model, 160, 48, Capabilities::default());
    keys(&mut model, "G");
    let last = model.deployments.list[0]
        .overview()
        .unwrap()
        .latest
        .unwrap();
    for (north_deg, words) in [
        (0.05, "5.38 km beyond its edge"),
        (0.001, "88 m within its edge"),
    ] {
        let latitude = last.position.latitude - north_deg;
        let circle = format!("{latitude},{},200", last.position.longitude);
        let limits = &mut model.deployments.list[0].deployment.limits;
        limits.inside = crate::geo::Inside::from_stored(&circle);
        model.settings.units = crate::geo::Units::Metric;
        let shown = screen(&mut model, 160, 48, Capabilities::default());
        assert!(
            shown.contains("limits   circle 200 m") && shown.contains(words),
            "{words}\n{shown}"
        );
    }
}

#[test]
fn overdue_by_its_interval_and_within_its_maximum_age_are_told_apart() {
    let mut model = model();
    for other in &mut model.deployments.list[1..] {
        other.deployment.state = crate::track::DeclaredState::Recovered;
    }
    // Hourly: overdue from three hours on, lost from two days on.
    for (after, word, counted) in [(4.0, "overdue", [0, 1, 0]), (60.0, "lost", [1, 0, 0])] {
        model.deployments.list[0].deployment.limits.max_age_s = None;
        update(&mut model, Event::Now(NOW + after * 3600.0));
        assert_eq!(troubles(&model), counted);
        // It may be as old as that.
        model.deployments.list[0].deployment.limits.max_age_s = Some(4.0 * 86_400.0);
        assert_eq!(troubles(&model), counted, "as its row says");
        // It is asked for, which the row says first.
        model.deployments.list[0].track.loading = None;
        let shown = screen(&mut model, 160, 48, Capabilities::default());
        let said = format!("{word} by its interval, within");
        assert!(shown.contains(&said), "{said}\n{shown}");
        let row = shown
            .lines()
            .find(|line| line.starts_with("\"┃") && line.contains("ice 7"));
        assert!(row.unwrap().contains("within its max age 4 d"), "{shown}");
    }
}

#[test]
fn what_is_past_the_end_of_its_time_window_is_ended_and_needs_no_attention() {
    let mut model = model();
    for other in &mut model.deployments.list[1..] {
        other.deployment.state = crate::track::DeclaredState::Recovered;
    }
    for (after, counted) in [(4.0, [0, 1, 0]), (60.0, [1, 0, 0])] {
        let until = NOW + after * 3600.0;
        update(&mut model, Event::Now(until));
        model.deployments.list[0].deployment.window.until = Some(until);
        assert_eq!(troubles(&model), counted);
        update(&mut model, Event::Now(until + 1.0));
        assert_eq!(troubles(&model), [0, 0, 0]);
    }
}

#[test]
fn an_alarm_leaves_the_last_fix_and_the_failed_fixes_their_place_in_the_summary() {
    for (width, height) in FOUR_SIZES {
        let mut model = with_alarms();
        keys(&mut model, "A");
        press(&mut model, KeyCode::Enter);
        let shown = screen(&mut model, width, height, Capabilities::default());
        let line = shown.lines().find(|line| line.contains("picked up"));
        let line = line.unwrap_or_else(|| panic!("no alarm: {shown}"));
        for words in ["● on time", "7.97 kn", "last fix 20 min ago"] {
            assert!(line.contains(words), "{words} at {width}x{height}: {line}");
        }
        if width >= 80 {
            let counts = ["fixes 61  1 failed  1 invalid", "fixes 61  1 failed…"];
            assert!(line.contains(counts[usize::from(width == 80)]), "{line}");
        }
        if width == 160 {
            let whole = "picked up at 13:57: straight on at 7.97 kn, limit 2.92 kn";
            assert!(line.contains(whole), "{line}");
        }
    }
}

#[test]
fn the_details_beside_alarms_say_what_the_row_does_not() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut model = with_alarms();
        let shown = screen(&mut model, width, height, Capabilities::default());
        let labelled = |label: &str, value: &str| {
            let mut parts = shown.lines().flat_map(|line| line.split('│'));
            parts.any(|part| part.trim_start().starts_with(label) && part.contains(value))
        };
        for (label, value) in [("alarm ", "⚑ picked up"), ("fix time ", "13:53")] {
            let is_there = labelled(label, value);
            assert!(is_there, "{label} at {width}x{height}: {shown}");
        }
        // What is in the row of the list is not said again next to the map.
        assert_eq!(labelled("status ", "● on time"), width == 80, "{shown}");
        for value in ["84.42854°N", "0.17 kn"] {
            assert_eq!(shown.matches(value).count(), 1, "{value}: {shown}");
        }
    }
}

#[test]
fn a_line_is_between_the_map_and_the_details_where_they_have_no_frames() {
    let mut model = with_alarms();
    let shown = screen(&mut model, 80, 24, Capabilities::default());
    let (map, detail) = (model.layout().map, model.layout().summary);
    let place = usize::from(map.x + map.width);
    for line in shown.lines().skip(usize::from(map.y)).take(10) {
        // Wide letters have one character for two cells.
        let cells: String = line.chars().skip(1).collect();
        let has_line = cells.chars().skip(place - 2).take(3).any(|one| one == '│');
        assert!(has_line, "{line}");
    }
    assert!(detail.x > map.x + map.width + 1, "{map:?} {detail:?}");
}

#[test]
fn a_short_alarm_of_a_circle_says_how_far_beyond_it_the_last_fix_is() {
    for (north_deg, words) in [(0.05, "⚑ outside by 5.38 km"), (0.001, "⚑ inside again")] {
        let mut model = model();
        let of = Some(Uuid::from_u128(0));
        let outside = alarm("0k3fq7", of, Kind::Outside, NOW, 5400.0);
        update(&mut model, Event::Alarms(vec![outside]));
        let last = model.deployments.list[0].overview().unwrap().latest;
        let position = last.unwrap().position;
        let circle = format!(
            "{},{},200",
            position.latitude - north_deg,
            position.longitude
        );
        let limits = &mut model.deployments.list[0].deployment.limits;
        limits.inside = crate::geo::Inside::from_stored(&circle);
        model.settings.units = crate::geo::Units::Metric;
        keys(&mut model, "A");
        press(&mut model, KeyCode::Enter);
        let shown = screen(&mut model, 60, 16, Capabilities::default());
        assert!(shown.contains(words), "{words}: {shown}");
        assert!(shown.contains("last fix 20 min ago"), "{shown}");
    }
}

#[test]
fn a_list_of_alarms_that_goes_on_says_so_in_its_title() {
    let mut model = model();
    let all = (0..9).map(|n| {
        alarm(
            &format!("id{n}"),
            None,
            Kind::Unreachable,
            NOW,
            f64::from(n),
        )
    });
    update(&mut model, Event::Alarms(all.collect()));
    screen(&mut model, 60, 16, Capabilities::default());
    keys(&mut model, "A");
    let title = |of: &mut Dashboard| {
        let shown = screen(of, 60, 16, Capabilities::default());
        shown
            .lines()
            .find(|line| line.contains("Alarms "))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        title(&mut model).contains(" ↓ 1 of 9 "),
        "{}",
        title(&mut model)
    );
    keys(&mut model, "jjjjj");
    assert!(
        title(&mut model).contains(" ↑↓ 6 of 9 "),
        "{}",
        title(&mut model)
    );
    keys(&mut model, "G");
    assert!(
        title(&mut model).contains(" ↑ 9 of 9 "),
        "{}",
        title(&mut model)
    );
}
