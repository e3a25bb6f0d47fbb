//! The content that narrow, low and high screens have room for.

use super::frames::{can, has_heavy_frame, with_track, words};
use crate::dashboard::dialogs::Dialog;
use crate::dashboard::tests::screens::*;
use crate::exchange::Subject;
use crate::failure::ServiceError;

#[test]
fn on_a_screen_higher_than_wide_the_summary_is_whole() {
    for (width, height) in [(60, 40), (80, 50)] {
        let mut model = with_track();
        let shown = words(&screen(&mut model, width, height, can()));
        for whole in ["reporting interval", "data return", "displacement", "COG"] {
            assert!(
                shown.contains(whole),
                "{whole} at {width}x{height}: {shown}"
            );
        }
    }
}

#[test]
fn help_uses_the_height_of_the_screen_and_end_goes_to_its_end() {
    let mut model = model();
    keys(&mut model, "?");
    let shown = screen(&mut model, 100, 60, can());
    let of_dialog = |line: &&str| line.matches('┃').count() > 1;
    assert!(shown.lines().filter(of_dialog).count() > 40, "{shown}");
    screen(&mut model, 100, 30, can());
    press(&mut model, KeyCode::End);
    let shown = screen(&mut model, 100, 30, can());
    assert!(
        shown.contains("Open the deployment of the request"),
        "{shown}"
    );
    press(&mut model, KeyCode::Home);
    let shown = screen(&mut model, 100, 30, can());
    assert!(shown.contains("Open the track"), "{shown}");
}

#[test]
fn a_sentence_without_room_for_its_beginning_is_left_out_with_its_name() {
    for width in 60..130 {
        let mut model = with_track();
        let shown = screen(&mut model, width, 24, can());
        let line = shown.lines().find(|line| line.contains("last fix"));
        let line = line.unwrap_or_else(|| panic!("no summary: {shown}"));
        let end = line.trim_end_matches(['"', '│', ' ', '…']);
        for cut in ["n", "ne", "next", "next d", "next due", "next due i"] {
            assert!(!end.ends_with(&format!("  {cut}")), "{width}: {line}");
        }
    }
}

#[test]
fn the_name_of_a_request_is_whole_where_the_outcome_can_give_way() {
    let mut model = model();
    let name = "Ocean drifter, date line";
    let uuid = model.deployments.list[0].deployment.id.uuid;
    model.deployments.list[0].deployment.label = Some(name.to_owned());
    let exchange = Exchange {
        subject: Some(Subject::Deployment(uuid)),
        ..model.tabs.activity.all[0].exchange.clone()
    };
    update(&mut model, Event::Exchange(exchange));
    keys(&mut model, "4");
    for width in [80, 100, 160] {
        let shown = screen(&mut model, width, 30, can());
        let row = shown.lines().nth(4).unwrap_or_default();
        assert!(row.contains(name), "{width}: {shown}");
    }
}

#[test]
fn the_direction_of_north_has_room_beside_the_projection() {
    let mut model = with_track();
    model.tabs.track.projection = Some(crate::geo::projection::Projection::PolarNorth);
    // The narrowest has no room for the projection, but for scale and north.
    for (width, height, words) in [
        (160, 48, "Map · polar"),
        (80, 50, "Map · polar"),
        (100, 30, "Map"),
    ] {
        let shown = screen(&mut model, width, height, can());
        let title = shown.lines().find(|line| line.contains("· Map"));
        let title = title.unwrap_or_else(|| panic!("no title: {shown}"));
        let (_, beside) = title.split_once(words).unwrap();
        assert!(
            beside.contains("N ") && beside.contains(" nm"),
            "{width}: {title}"
        );
    }
}

#[test]
fn a_measurement_is_shown_where_the_summary_has_one_line() {
    let mut model = with_track();
    screen(&mut model, 60, 16, can());
    keys(&mut model, " kkk");
    let shown = screen(&mut model, 60, 16, can());
    assert!(shown.contains("mark to cursor"), "{shown}");
}

#[test]
fn a_state_of_the_connection_without_room_says_that_it_is_cut() {
    let mut model = model();
    model.service.connection = Connection::Failing(
        Failure::new(FailureKind::Unreachable, "no route to service.example", ""),
        NOW,
    );
    let shown = screen(&mut model, 60, 24, can());
    let header = shown.lines().next().unwrap_or_default();
    assert!(
        header.contains("no route") && header.contains('…'),
        "{header}"
    );
}

#[test]
fn in_a_time_range_the_timeline_names_its_highest_speed() {
    let mut model = with_track();
    let highest = |shown: &str| {
        let line = shown.lines().find(|line| line.contains("over ground kn"));
        let line = line.unwrap_or_else(|| panic!("no timeline: {shown}"));
        let (_, highest) = line.split_once(" to ").unwrap();
        highest.split(',').next().unwrap().to_owned()
    };
    let whole = highest(&screen(&mut model, 160, 48, can()));
    let effects = keys(&mut model, "kkk{");
    carry_out(&mut model, effects);
    let part = shown_track(&model);
    let expected = part.summary().max_speed_m_s.unwrap();
    let expected = model.settings.units.speed(expected);
    let expected = expected.trim().trim_end_matches(" kn").to_owned();
    let shown = highest(&screen(&mut model, 160, 48, can()));
    assert_ne!(whole, expected);
    assert_eq!(shown, expected);
}

#[test]
fn what_is_about_the_whole_track_is_not_on_the_line_of_a_measurement() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16), (60, 40)] {
        let mut model = with_track();
        keys(&mut model, " kkk");
        let shown = screen(&mut model, width, height, can());
        let line = shown
            .lines()
            .find(|line| line.contains("measured mark to cursor"));
        let line = line.unwrap_or_else(|| panic!("no measurement: {shown}"));
        for of_the_track in ["length", "displacement", "highest speed"] {
            assert!(!line.contains(of_the_track), "{width}: {line}");
        }
    }
}

#[test]
fn an_error_in_place_of_a_track_always_has_its_next_step() {
    let body = "the address of the service answers with a page of its provider; ".repeat(12);
    let hint = "F3: enter another token.";
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let uuid = model.deployments.open.unwrap();
        let mut list = model.deployments.list.iter_mut();
        let one = list.find(|one| one.deployment.id.uuid == uuid).unwrap();
        one.track.held = None;
        let failure = Failure::new(FailureKind::Unreachable, body.as_str(), hint);
        one.track.failure = Some((failure, NOW));
        let shown = screen(&mut model, width, height, can());
        let (pane, _) = table_pane(&shown, &model);
        assert!(pane.contains("the address of the service"), "{shown}");
        for step in [hint, "r: retry now."] {
            assert!(pane.contains(step), "{step} at {width}x{height}: {shown}");
        }
    }
}

/// The part of the screen with its table as words; and its lines.
fn table_pane(shown: &str, model: &Dashboard) -> (String, Vec<String>) {
    let rows = model.layout().rows;
    let (x, width) = (usize::from(rows.x), usize::from(rows.width));
    let lines = shown.lines();
    let lines = lines.map(|line| line.trim_start_matches('"').chars().skip(x).take(width + 1));
    let lines: Vec<String> = lines.map(String::from_iter).collect();
    (words(&lines.join(" ").replace(['│', '┃'], " ")), lines)
}

#[test]
fn a_service_that_fails_is_named_in_the_header_and_its_words_stay_longest() {
    let reason = "the service answered 500 Internal Server Error: error 17, the database of tracks is locked";
    let hint = "Try again later. If other deployments are answered, check this UUID: the service may not know it; else tell the service's operator.";
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let uuid = model.deployments.open.unwrap();
        let failure = Failure {
            service: Some(Box::new(ServiceError {
                status: 500,
                ..ServiceError::default()
            })),
            ..Failure::new(FailureKind::Service, reason, hint)
                .context(format!("deployment {uuid} could not be fetched"))
        };
        model.service.connection = Connection::Failing(failure.clone(), NOW);
        let mut list = model.deployments.list.iter_mut();
        let one = list.find(|one| one.deployment.id.uuid == uuid).unwrap();
        one.track.held = None;
        one.track.failure = Some((failure, NOW));
        let shown = screen(&mut model, width, height, can());
        let header = shown.lines().next().unwrap_or_default();
        let fails = match width {
            60 | 80 => "✖ fails: 500",
            _ => "✖ service fails: 500",
        };
        assert!(header.contains(fails), "{header}");
        let (pane, lines) = table_pane(&shown, &model);
        assert!(pane.contains(reason), "{width}x{height}: {shown}");
        assert!(pane.contains("again at "), "{width}x{height}: {shown}");
        let retry = lines.iter().any(|line| line.contains("r: retry now."));
        assert!(retry, "{width}x{height}: {shown}");
        let has_uuid = pane.contains("could not be fetched");
        assert!(has_uuid, "{width}x{height}: {shown}");
    }
}

/// Activity with a request of a deployment of this name that has ended.
fn on_activity(name: &str) -> Dashboard {
    let mut model = model();
    let uuid = model.deployments.list[0].deployment.id.uuid;
    model.deployments.list[0].deployment.label = Some(name.to_owned());
    let exchange = Exchange {
        subject: Some(Subject::Deployment(uuid)),
        outcome: ExchangeOutcome::Done("2372 records".to_owned()),
        ..model.tabs.activity.all[0].exchange.clone()
    };
    update(&mut model, Event::Exchange(exchange));
    keys(&mut model, "4");
    model
}

#[test]
fn a_request_keeps_its_name_and_its_outcome_where_other_columns_give_way() {
    let name = "Survey launch, Plymouth";
    let mut model = on_activity(name);
    for (width, height) in [(60, 16), (80, 24), (100, 30), (160, 48)] {
        let shown = screen(&mut model, width, height, can());
        let has = |line: &&str| line.contains(name) && line.contains("2372 records");
        assert!(shown.lines().any(|line| has(&line)), "{width}: {shown}");
    }
}

#[test]
fn the_table_of_fixes_has_position_speed_and_course_whole_on_narrow_screens() {
    use crate::geo::CoordinateFormat;
    for coordinates in [
        CoordinateFormat::Dd,
        CoordinateFormat::Ddm,
        CoordinateFormat::Dms,
    ] {
        for (width, height) in [(80, 24), (60, 16), (80, 50)] {
            let mut model = with_track();
            model.settings.coordinates = coordinates;
            // The map is next to the table: the table at full size has the room.
            model.screen.full = width < 80;
            let shown = screen(&mut model, width, height, can());
            let fix = shown_track(&model).fix(model.tabs.track.cursor).unwrap();
            let (latitude, longitude) = coordinates.pair(fix.position);
            let leg = shown_track(&model).leg(fix.index).unwrap();
            let course = crate::geo::units::course(leg.course_deg.unwrap());
            let speed = model.settings.units.speed(leg.speed_m_s.unwrap());
            // The summary below the table has them too.
            let has = |line: &&str| {
                [&latitude, &longitude, &course, &speed]
                    .iter()
                    .all(|part| line.contains(part.trim()))
                    && !line.contains("cursor")
            };
            assert!(shown.lines().any(|line| has(&line)), "{shown}");
        }
    }
}

#[test]
fn the_smallest_track_has_one_pane_at_a_time_over_its_status() {
    let mut model = with_track();
    for title in ["Fixes", "Map", "Speed over ground", "Summary"] {
        let shown = screen(&mut model, 60, 16, can());
        let shown = shown.replace("SOG kn", "Speed over ground");
        assert!(has_heavy_frame(&shown, title), "{title}: {shown}");
        assert!(shown.contains("on time"), "{title}: {shown}");
        keys(&mut model, "w");
    }
}

#[test]
fn help_has_one_heading_for_each_tab_that_of_the_shown_one_first() {
    let mut model = model();
    for (tab, title) in [("1", "Deployments"), ("2", "Track"), ("4", "Activity")] {
        keys(&mut model, tab);
        keys(&mut model, "?");
        let Some(Dialog::Help(help)) = model.dialogs.last() else {
            panic!("no help");
        };
        let bindings = help.bindings();
        let (first, others) = bindings.split_at(10);
        // It begins with the ten keys that one needs first.
        assert!(
            first
                .iter()
                .all(|one| one.scope.is_active_on(model.screen.tab))
        );
        let looks_for_it = first
            .iter()
            .any(|one| one.action == crate::dashboard::keymap::Action::Where);
        assert_eq!(looks_for_it, title != "Activity");
        let mut headings: Vec<&str> = Vec::new();
        for line in others {
            if headings.last() != Some(&line.scope.heading()) {
                headings.push(line.scope.heading());
            }
        }
        if title != "Activity" {
            assert_eq!(headings[0], title, "{headings:?}");
        }
        for of_tab in ["Deployments", "Track", "Plants", "Activity"] {
            let times = headings.iter().filter(|one| **one == of_tab).count();
            // Activity has a single key of its own.
            assert_eq!(times, usize::from(of_tab != title || title != "Activity"));
        }
        press(&mut model, KeyCode::Esc);
    }
}

#[test]
fn a_long_name_in_the_activity_uses_blank_cells_of_other_columns() {
    let name = "Ice drifter, Arctic Ocean, of 2026";
    let mut model = on_activity(name);
    for (width, height) in [(60, 16), (72, 20), (80, 24)] {
        let shown = screen(&mut model, width, height, can());
        let has = |line: &&str| line.contains("2372 records") && line.contains("200");
        let row = shown.lines().find(has);
        let row = row.unwrap_or_else(|| panic!("no row: {shown}"));
        let cut = name.chars().take(13).collect::<String>();
        assert!(row.contains(&cut), "{row}");
        assert!(width < 70 || row.contains(name), "{row}");
    }
}

#[test]
fn the_speed_in_ascii_is_a_line_with_its_strokes() {
    let mut model = with_track();
    let ascii = Capabilities {
        unicode: false,
        ..can()
    };
    let shown = screen(&mut model, 100, 30, ascii);
    let lines: Vec<&str> = shown.lines().collect();
    let title = lines
        .iter()
        .position(|line| line.contains("over ground kn"));
    let rows = &lines[title.unwrap() + 1..title.unwrap() + 7];
    let chart: String = rows.concat();
    let strokes = ['-', '_', '"', '/', '\\', '|'];
    let drawn = chart
        .chars()
        .filter(|glyph| strokes.contains(glyph))
        .count();
    assert!(drawn > 30 && !chart.contains('*'), "{shown}");
}

#[test]
fn enter_shows_all_of_a_fix_with_no_value_cut_at_every_size() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let _ = screen(&mut model, width, height, can());
        press(&mut model, KeyCode::Enter);
        let mut pages = String::new();
        // Past the last page the first comes again.
        for _ in 0..4 {
            pages += &screen(&mut model, width, height, can());
            press(&mut model, KeyCode::Down);
        }
        let fix = shown_track(&model).fix(model.tabs.track.cursor).unwrap();
        for coordinates in [
            crate::geo::CoordinateFormat::Dd,
            crate::geo::CoordinateFormat::Ddm,
            crate::geo::CoordinateFormat::Dms,
        ] {
            let (latitude, longitude) = coordinates.pair(fix.position);
            let pair = format!("{} {}", latitude.trim(), longitude.trim());
            assert!(pages.contains(&pair), "{pair}\n{pages}");
        }
        for label in ["flag", "time", "age", "leg", "SOG", "COG"] {
            assert!(pages.contains(&format!("{label}  ")), "{label}\n{pages}");
        }
        press(&mut model, KeyCode::Enter);
        assert!(model.dialogs.is_empty());
    }
}

#[test]
fn the_details_of_a_fix_say_who_overrode_its_flag_and_what_the_tests_had_said() {
    // The fix at exactly 0, 0 is the last but two.
    for (before, tests) in [
        (0, "the tests had not failed it"),
        (2, "the tests had said: fail, at exactly 0, 0"),
    ] {
        for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
            let mut model = with_track();
            let _ = screen(&mut model, width, height, can());
            for _ in 0..before {
                press(&mut model, KeyCode::Char('['));
            }
            let uuid = model.deployments.open.unwrap();
            keys(&mut model, "x");
            // As the worker of the dashboard does it.
            let mut list = model.deployments.list.iter_mut();
            let one = list.find(|one| one.deployment.id.uuid == uuid).unwrap();
            let options = one.options(NOW);
            let loaded = one.track.loaded_mut().unwrap();
            let track = loaded.track.track().reassembled(&options);
            loaded.track = Arc::new(PreparedTrack::new(Arc::new(track)));
            press(&mut model, KeyCode::Enter);
            let mut pages = String::new();
            for _ in 0..4 {
                pages += &words(&screen(&mut model, width, height, can()));
                press(&mut model, KeyCode::Down);
            }
            for whole in [
                "by the user of this archive",
                tests,
                "x in the table restores the flag",
            ] {
                assert!(pages.contains(whole), "{whole} at {width}: {pages}");
            }
        }
    }
}

#[test]
fn the_flag_of_a_failed_fix_and_the_note_on_a_track_are_whole_in_their_details() {
    let mut model = with_track();
    let _ = screen(&mut model, 60, 16, can());
    press(&mut model, KeyCode::Char('x'));
    let note = "400 archived fixes are absent from the latest response of the service; they stay";
    model.deployments.list[0].notes = vec![note.to_owned()];
    keys(&mut model, "1i");
    let mut pages = String::new();
    for _ in 0..5 {
        pages += &words(&screen(&mut model, 60, 16, can()));
        press(&mut model, KeyCode::Down);
    }
    for word in note.split(' ') {
        assert!(pages.contains(word), "{word}\n{pages}");
    }
}

#[test]
fn why_a_fix_failed_is_whole_in_the_cells_of_its_speed_and_course() {
    let mut model = with_track();
    let shown = screen(&mut model, 80, 24, can());
    let row = shown.lines().find(|line| line.contains("00.00000°N"));
    let row = row.unwrap_or_else(|| panic!("no fix at 0, 0: {shown}"));
    assert!(
        row.contains("exactly 0, 0│") || row.contains("exactly 0, 0 "),
        "{row}"
    );
}

#[test]
fn the_details_of_a_fix_have_the_leg_to_the_next_one_where_there_is_one() {
    let mut model = with_track();
    let _ = screen(&mut model, 160, 48, can());
    for (back, has_next) in [(0, false), (6, true)] {
        for _ in 0..back {
            press(&mut model, KeyCode::Char('['));
        }
        press(&mut model, KeyCode::Enter);
        let shown = screen(&mut model, 160, 48, can());
        let next = shown.lines().find(|line| line.contains("next leg"));
        assert_eq!(next.is_some(), has_next, "{shown}");
        assert!(next.is_none_or(|line| line.contains(" in ") && line.contains(" kn")));
        // Records that are none have no row with their reason.
        let reason = "1 record is invalid: record 3: latitude is null";
        assert!(shown.contains(reason), "{shown}");
        press(&mut model, KeyCode::Esc);
    }
}
