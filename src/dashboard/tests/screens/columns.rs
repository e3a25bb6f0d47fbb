//! Which columns of the list have room, and what stands in them.

use super::frames::{can, words};
use crate::alarm::Kind;
use crate::dashboard::tests::screens::*;
use crate::dashboard::theme::Background;
use crate::palette::{Rgb, ThemeName};
use crate::testing::dashboard::{alarm, archived};
use crate::track::{FieldLimitChange, Side};

/// The list with one deployment in a group, or with none in any.
fn with_group(group: Option<&str>) -> Dashboard {
    let mut model = model();
    let mut entry = model.deployments.list[0].deployment.clone();
    entry.group = group.map(str::to_owned);
    let watched = model
        .deployments
        .list
        .iter()
        .map(|one| one.deployment.clone());
    let mut watched: Vec<Deployment> = watched.collect();
    watched[0] = entry;
    update(&mut model, archived(watched));
    model
}

fn heading(model: &mut Dashboard, width: u16) -> String {
    let shown = screen(model, width, 30, can());
    let line = shown.lines().find(|line| line.contains("last fix"));
    line.unwrap_or_else(|| panic!("no heading: {shown}"))
        .to_owned()
}

#[test]
fn a_group_takes_no_room_from_the_columns_of_more_worth() {
    let (mut with, mut without) = (with_group(Some("Fram Strait")), with_group(None));
    let mut both = false;
    for width in 60..=170 {
        let (here, there) = (heading(&mut with, width), heading(&mut without, width));
        for column in ["position", "last fix", "SOG", "reports", "alarm, next"] {
            assert_eq!(
                here.contains(column),
                there.contains(column),
                "{column}: {here}"
            );
        }
        both |= here.contains("group");
    }
    assert!(both);
}

#[test]
fn the_heading_of_short_groups_has_its_arrow_where_they_sort_the_rows() {
    let mut model = with_group(Some("A"));
    keys(&mut model, "s");
    for width in [80, 100, 160] {
        let heading = heading(&mut model, width);
        assert!(heading.contains("group▴"), "{width}: {heading}");
    }
}

#[test]
fn the_numbers_of_an_alarm_are_whole_in_the_list() {
    let mut model = model();
    let picked_up = alarm(
        "1m2n3p",
        Some(Uuid::from_u128(0)),
        Kind::PickedUp,
        NOW,
        900.0,
    );
    update(&mut model, Event::Alarms(vec![picked_up]));
    let shown = screen(&mut model, 160, 48, can());
    let row = shown.lines().find(|line| line.contains("picked up  ice 7"));
    let row = row.unwrap_or_else(|| panic!("no row: {shown}"));
    assert!(
        row.contains("⚑ picked up: was 7.97 kn at 13:57, limit 2.92 kn"),
        "{row}"
    );
}

#[test]
fn a_limit_that_cannot_be_judged_is_in_header_and_row_at_every_size() {
    let why = "the limit batery below 11.5 V cannot be judged: no record has this field";
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        let before = screen(&mut model, width, height, can());
        assert!(!before.contains("judged"), "{before}");
        let uuid = Uuid::from_u128(0);
        update(&mut model, Event::Unjudged(vec![(uuid, why.to_owned())]));
        let shown = screen(&mut model, width, height, can());
        let header = shown.lines().next().unwrap();
        let counted = ["⊘ 1 not judged", "⊘1"];
        let is_counted = counted.iter().any(|counted| header.contains(counted));
        assert!(is_counted, "{width}: {header}");
        let row = shown.lines().find(|line| line.contains("ice 7")).unwrap();
        assert!(row.contains('⊘'), "{width}: {row}");
        if width >= 160 {
            let limit = "⊘ the limit batery below 11.5 V cannot be judged";
            assert!(row.contains(limit), "{row}");
        }
        assert!(model.deployments.list[0].contains("status:unjudged", NOW));
        // Once it can be judged nothing of it is left.
        update(&mut model, Event::Unjudged(Vec::new()));
        assert_eq!(screen(&mut model, width, height, can()), before);
    }
}

#[test]
fn a_list_that_could_not_be_read_says_so_and_why() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = opened(Vec::new(), NOW);
        let why = "the archive /a.db was written by another development version of driftline";
        model.deployments.unread = Some(Failure::new(FailureKind::Other, why, "Rename it."));
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(
            shown.contains("The watch list could not be read."),
            "{shown}"
        );
        assert!(
            shown.contains(why) && shown.contains("Rename it."),
            "{shown}"
        );
        assert!(!shown.contains("No deployment is watched yet"), "{shown}");
        // Once it was read, it is known to be empty.
        update(&mut model, archived(Vec::new()));
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains("No deployment is watched yet"), "{shown}");
    }
}

#[test]
fn a_platform_is_chosen_with_its_limit_beside_it() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        keys(&mut model, "e");
        press(&mut model, KeyCode::Down);
        press(&mut model, KeyCode::Down);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("platform drifter"), "{shown}");
        assert!(shown.contains("8.10 kn"), "{shown}");
        keys(&mut model, "t");
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(
            shown.contains("platform tag") && shown.contains("58.32 kn"),
            "{shown}"
        );
    }
}

/// A dashboard whose deployments move at 6 m/s.
fn fast() -> Dashboard {
    let mut model = model();
    for one in &mut model.deployments.list {
        let fixes = (0..40).map(|n| {
            let time = NOW - 600.0 - 600.0 * f64::from(39 - n);
            (time, 50.0 + 0.0324 * f64::from(n), 4.0)
        });
        let options = TrackOptions::new(Platform::Generic, NOW);
        let track = Track::new(&crate::testing::track::records(fixes), &options);
        let loaded = one.track.loaded_mut().unwrap();
        loaded.track = Arc::new(PreparedTrack::new(Arc::new(track)));
    }
    model
}

#[test]
fn a_course_is_whole_in_every_unit() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = fast();
        for unit in ["kn", "km/h", "m/s"] {
            let speed = format!("{unit} 000°T");
            keys(&mut model, "1");
            let shown = screen(&mut model, width, height, can());
            let row = shown.lines().find(|line| line.contains("ice 7")).unwrap();
            assert!(row.contains(&speed), "{unit} at {width}x{height}: {shown}");
            // Numbers have their decimals too.
            assert!(row.contains(&format!(".{:02}", decimals(unit))), "{row}");
            keys(&mut model, "2");
            let shown = screen(&mut model, width, height, can());
            if shown.contains("COG ") && width >= 100 {
                assert!(
                    shown.contains(&speed),
                    "{unit} at {width}x{height}: {shown}"
                );
            }
            keys(&mut model, "u");
        }
    }
}

/// The decimals of 6.01 m/s in a unit.
fn decimals(unit: &str) -> u8 {
    match unit {
        "kn" => 68,
        "km/h" => 63,
        _ => 1,
    }
}

#[test]
fn the_arrow_of_the_sort_order_is_on_the_column_that_is_sorted_by() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        while !screen(&mut model, width, height, can()).contains("by SOG") {
            keys(&mut model, "s");
        }
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains("SOG▾   COG "), "{width}x{height}: {shown}");
    }
}

#[test]
fn the_limits_of_a_deployment_are_in_the_list_and_in_the_pane_beside_it() {
    let mut model = model();
    let one = &mut model.deployments.list[0];
    let circle = "84.2,20.0,300";
    one.deployment.limits.inside = crate::geo::Inside::from_stored(circle);
    assert!(one.deployment.limits.inside.is_some());
    one.deployment.limits.max_age_s = Some(6.0 * 3600.0);
    model.arrange_deployments();
    model.settings.units = crate::geo::Units::Metric;
    let shown = screen(&mut model, 160, 48, can());
    let row = shown.lines().find(|line| line.contains("ice 7"));
    let row = row.unwrap_or_else(|| panic!("no row: {shown}"));
    assert!(row.contains(" circle 300 m, age 6 h "), "{row}");
    // Without room for all, the values are there at least.
    let is_shown = |model: &mut Dashboard, words: &str| {
        (100..160).any(|width| {
            let shown = screen(model, width, 30, can());
            let row = shown.lines().find(|line| line.contains("ice 7"));
            row.is_some_and(|row| row.contains(words))
        })
    };
    assert!(is_shown(&mut model, " 300 m, 6 h "));
    model.deployments.list[0].deployment.limits.max_speed_m_s = Some(2.0);
    assert!(is_shown(&mut model, " 300 m +2 "));
    model.deployments.list[0].deployment.limits.max_speed_m_s = None;
    while model.selected().unwrap().name() != "ice 7" {
        keys(&mut model, "j");
    }
    let shown = words(&screen(&mut model, 100, 30, can()));
    assert!(shown.contains("limits circle 300 m, age 6 h"), "{shown}");
    // Nobody misses the column where no deployment has a limit.
    model.deployments.list[0].deployment.limits = crate::watch::Limits::default();
    model.arrange_deployments();
    assert!(!heading(&mut model, 160).contains("limits"));
}

#[test]
fn the_columns_stay_while_the_rows_move() {
    let mut model = model();
    let list = model.deployments.list.iter();
    let known: Vec<Deployment> = list.map(|one| one.deployment.clone()).collect();
    let mut watched: Vec<Deployment> = (0..60u128)
        .map(|number| {
            let mut one = Deployment::new(Uuid::from_u128(900 + number));
            one.label = Some(format!("buoy {number}"));
            one
        })
        .collect();
    // One row alone has a long name, a group, limits and an alarm with numbers.
    watched[59].label = Some("buoy 59 of the array north of Svalbard".to_owned());
    watched[59].group = Some("Fram Strait".to_owned());
    watched[59].limits.max_age_s = Some(6.0 * 3600.0);
    watched.extend(known);
    update(&mut model, archived(watched));
    let of = Some(Uuid::from_u128(959));
    let picked_up = alarm("1m2n3p", of, Kind::PickedUp, NOW, 900.0);
    update(&mut model, Event::Alarms(vec![picked_up]));
    // In the order of the names.
    keys(&mut model, "s");
    for width in [80, 100, 112, 130, 160, 200] {
        keys(&mut model, "g");
        let top = heading(&mut model, width);
        for _ in 0..4 {
            press(&mut model, KeyCode::PageDown);
            assert_eq!(heading(&mut model, width), top, "{width}");
        }
        keys(&mut model, "G");
        assert_eq!(heading(&mut model, width), top, "{width}");
    }
}

#[test]
fn the_age_is_beside_its_interval_before_it_has_its_ago() {
    let mut model = model();
    let label = "Ice drifter, Arctic Ocean".to_owned();
    model.deployments.list[0].deployment.label = Some(label);
    model.arrange_deployments();
    for width in [120, 140, 160] {
        assert!(heading(&mut model, width).contains("interval"), "{width}");
        let shown = screen(&mut model, width, 30, can());
        let row = shown.lines().find(|line| line.contains("Ice drifter,"));
        assert_eq!(row.unwrap().contains("20 min ago"), width == 160, "{shown}");
    }
}

#[test]
fn the_name_leaves_its_blank_cells_to_the_error() {
    let mut model = model();
    let reason = "the service answered 503 Service Unavailable";
    let one = &mut model.deployments.list[0].track;
    let failure = Failure::new(FailureKind::Unreachable, reason, "");
    *one = crate::dashboard::deployments::fetch_state::FetchState::default();
    one.failure = Some((failure.clone(), NOW));
    let shown = screen(&mut model, 80, 50, can());
    assert!(shown.contains(reason), "{shown}");
    // With the data of the last fetch, too.
    let mut model = super::columns::model();
    model.deployments.list[0].track.failure = Some((failure, NOW));
    let shown = screen(&mut model, 160, 48, can());
    let row = shown.lines().find(|line| line.contains("ice 7"));
    assert!(row.is_some_and(|row| row.contains(reason)), "{shown}");
}

#[test]
fn a_uuid_in_place_of_a_name_hides_no_position() {
    let named = |label: Option<&str>| {
        let mut model = model();
        let list = model.deployments.list.iter();
        let mut watched: Vec<Deployment> = list.map(|one| one.deployment.clone()).collect();
        watched[0].label = label.map(str::to_owned);
        update(&mut model, archived(watched));
        model
    };
    for width in [100, 110, 120, 160] {
        let shown = screen(&mut named(None), width, 30, can());
        let has_position = |shown: &str| shown.lines().any(|line| line.contains("position  "));
        let expected = has_position(&screen(&mut named(Some("ice 7")), width, 30, can()));
        assert_eq!(has_position(&shown), expected, "{width}: {shown}");
        // Where there is room it is whole.
        assert!(shown.contains("00000000"), "{shown}");
    }
}

#[test]
fn the_row_under_the_cursor_keeps_the_colour_of_its_state() {
    let can = Capabilities {
        true_colour: true,
        indexed: true,
        unicode: true,
        ..Capabilities::default()
    };
    let mut model = model();
    let background = Background::Known(Rgb::BLACK);
    let theme = Theme::named(can, ThemeName::Auto, background);
    screen(&mut model, 100, 30, can);
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 100, 30));
    draw(&mut buffer, &model, theme, &mut Memory::default());
    let rows = model.layout().rows;
    let cell = |line| buffer.cell((rows.x, rows.y + line)).unwrap().clone();
    assert_eq!(cell(0).symbol(), "✖");
    assert_eq!(Some(cell(0).fg), theme.bad().fg);
    assert_eq!(Some(cell(0).bg), theme.row_background());
    assert_eq!(cell(1).bg, ratatui::style::Color::Reset);
}

#[test]
fn the_dialog_of_columns_says_which_of_them_are_not_on_the_screen() {
    let mut model = model();
    keys(&mut model, ",");
    let row = |shown: &str, name: &str| {
        let line = shown.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name}: {shown}")).to_owned()
    };
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(row(&shown, "] position").contains("[x]"), "{shown}");
    assert!(
        row(&shown, "] fixes").contains("[~] fixes  not on the screen"),
        "{shown}"
    );
    // Said of the table below at once: what is hidden leaves its room to another.
    keys(&mut model, "jjjj jjj");
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(row(&shown, "] position").contains("[ ]"), "{shown}");
    assert!(row(&shown, "] reports").contains("[x]"), "{shown}");
}

#[test]
fn an_instrument_outside_its_circle_has_that_word_alone_as_its_status() {
    let mut model = model();
    let of = Some(Uuid::from_u128(0));
    let outside = alarm("0k3fq7", of, Kind::Outside, NOW, 1500.0);
    let row = |model: &mut Dashboard, width| {
        let shown = screen(model, width, 30, can());
        let row = shown.lines().find(|line| line.contains("ice 7"));
        row.unwrap_or_else(|| panic!("no row: {shown}")).to_owned()
    };
    let column = |row: &str| {
        row.split_once("ice 7")
            .map(|(before, _)| before.chars().count())
    };
    for width in [100, 112, 160] {
        update(&mut model, Event::Alarms(Vec::new()));
        let before = row(&mut model, width);
        assert!(before.contains("on time"), "{before}");
        update(&mut model, Event::Alarms(vec![outside.clone()]));
        let after = row(&mut model, width);
        let (status, _) = after.split_once("ice 7").unwrap();
        assert!(
            status.contains("outside") && !status.contains("on time"),
            "{after}"
        );
        assert_eq!(column(&after), column(&before), "no column moves");
    }
}

#[test]
fn the_details_of_the_selected_deployment_have_its_fields_with_a_limit_first() {
    let mut model = model();
    screen(&mut model, 100, 30, can());
    let uuid = model.shell.selected().unwrap().uuid();
    let known = model.shell.deployments.get_mut(uuid).unwrap();
    let limit = FieldLimitChange::parse(Side::Below, "battery_voltage=11.5").unwrap();
    limit.apply(&mut known.deployment.limits.fields);
    let values =
        ["air_temp", "battery_voltage", "dtc_0", "dtc_1"].map(|name| (name.to_owned(), 11.4));
    update(&mut model, Event::LastValues(vec![(uuid, values.to_vec())]));
    let shown = screen(&mut model, 160, 48, can());
    let line = shown.lines().find(|line| line.contains("fields"));
    let line = line.unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("battery_voltage 11.4 V, air_temp"), "{line}");
    assert!(shown.contains("°C, dtc 2 values"), "{shown}");
}
