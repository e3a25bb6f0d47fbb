//! The content that small screens show whole: positions, messages, requests, values.

use super::frames::{can, of_dialog, with_track, words};
use crate::dashboard::tab::Pane;
use crate::dashboard::tests::screens::*;

#[test]
fn the_table_has_the_position_and_the_seconds_in_every_form_of_coordinates() {
    let mut model = with_track();
    for position in [
        "84.42854°N 021.16669°E",
        "84°25.712′N 021°10.001′E",
        "84°25′42.7″N 021°10′00.1″E",
    ] {
        for (width, height) in [(60, 16), (80, 24), (100, 30), (160, 48)] {
            let shown = screen(&mut model, width, height, can());
            let row = shown.lines().find(|line| line.contains("09-21 13:53:20 8"));
            let row = words(row.unwrap_or_default());
            assert!(row.contains(position), "{width}x{height}: {shown}");
        }
        keys(&mut model, "c");
    }
}

#[test]
fn a_message_covers_no_title_no_row_and_no_key() {
    let reason = "the archive cannot be written: there is no space left on the device that holds it; free some and press r to fetch again";
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        for tab in "1234".chars() {
            let mut model = with_track();
            press(&mut model, KeyCode::Char(tab));
            let before = screen(&mut model, width, height, can());
            let failure = Failure::new(FailureKind::Other, reason, "");
            update(&mut model, Event::Warning(failure));
            let shown = screen(&mut model, width, height, can());
            let of = |shown: &str| -> Vec<String> { shown.lines().map(str::to_owned).collect() };
            let (before, after) = (of(&before), of(&shown));
            // Its place is the line of tabs, of which the shown one keeps its name.
            assert_eq!(after[0], before[0], "{width}x{height}");
            assert_eq!(after[2..], before[2..], "{width}x{height}");
            let line = &after[1];
            assert!(line.contains("the archive cannot"), "{line}");
            let name = match width {
                ..100 => model.screen.tab.short_title(),
                _ => model.screen.tab.title(),
            };
            let name = format!(" {tab} {name} ");
            assert!(line.contains(&name), "{line}");
            assert!(line.contains("…  ! "), "{line}");
            if tab == '2' {
                press(&mut model, KeyCode::Char('!'));
                let shown = of_dialog(&screen(&mut model, width, height, can()));
                assert!(shown.contains(reason), "{shown}");
            }
        }
    }
}

#[test]
fn a_request_has_its_method_its_status_and_the_end_of_its_address_at_every_width() {
    let mut model = model();
    let exchange = Exchange {
        id: 900,
        started_at: NOW - 2.0,
        method: "DELETE",
        url: format!(
            "https://service.example/api/plants/{}",
            Uuid::from_u128(0xbeef)
        ),
        status: Some(404),
        duration_s: 0.41,
        bytes: 4812,
        outcome: ExchangeOutcome::Done("61 records".to_owned()),
        retry_in_s: None,
        subject: Some(crate::exchange::Subject::Deployment(Uuid::from_u128(
            0xbeef,
        ))),
        attempt: crate::exchange::Attempt::ONLY,
    };
    update(&mut model, Event::Exchange(exchange));
    keys(&mut model, "4");
    for width in [60, 69, 70, 80, 96, 100, 129, 130, 160] {
        let height = if width < 80 { 16 } else { 24 };
        let shown = screen(&mut model, width, height, can());
        let row = shown.lines().find(|line| line.contains("DELETE"));
        let row = row.unwrap_or_else(|| panic!("{width}: {shown}"));
        for part in ["DELETE", " 404 ", "beef", "61 records"] {
            assert!(row.contains(part), "{part} at {width}: {shown}");
        }
        // Where there is room the address has all of what it is about.
        let uuid = Uuid::from_u128(0xbeef).to_string();
        assert!(width < 160 || row.contains(&uuid), "{width}: {shown}");
        // The pane below says the rest.
        let pane = words(
            &shown
                .lines()
                .skip(usize::from(height) / 2)
                .collect::<String>(),
        );
        assert!(pane.contains("sent 2026-09-21 14:13:18 UTC"), "{shown}");
        assert!(pane.contains("beef"), "{shown}");
    }
}

#[test]
fn all_that_is_known_of_a_deployment_is_a_key_away() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        keys(&mut model, "i");
        let mut seen = String::new();
        for _ in 0..3 {
            seen.push_str(&words(&screen(&mut model, width, height, can())));
            press(&mut model, KeyCode::Down);
        }
        let uuid = Uuid::from_u128(0).to_string();
        for part in [
            "status",
            "position",
            "SOG, COG",
            "interval 1 h",
            "platform",
            &uuid,
        ] {
            assert!(seen.contains(part), "{part} at {width}x{height}: {seen}");
        }
        press(&mut model, KeyCode::Esc);
        assert!(model.dialogs.is_empty());
    }
    // The pane next to the map names the key.
    let mut model = model();
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        assert!(screen(&mut model, width, height, can()).contains("i details"));
    }
}

#[test]
fn the_maps_say_what_their_colours_and_signs_are() {
    let mut model = with_track();
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains("09-19 ▬▬"), "{width}x{height}: {shown}");
    }
    keys(&mut model, "1");
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let shown = screen(&mut model, width, height, can());
        assert!(
            shown.contains("● last fix, line 7 d"),
            "{width}x{height}: {shown}"
        );
    }
}

#[test]
fn a_fix_that_was_overridden_leaves_no_words_against_the_status() {
    let mut model = with_track();
    let shown = words(&screen(&mut model, 160, 48, can()));
    assert!(
        shown.contains("on time") && shown.contains("next due in"),
        "{shown}"
    );
    // As if the latest fixes were failed: the one that counts is older.
    let uuid = model.deployments.open.unwrap();
    let early = track(84.2, 20.0, 57, 1200.0 + 3.0 * 3600.0);
    let mut list = model.deployments.list.iter_mut();
    let one = list.find(|one| one.deployment.id.uuid == uuid).unwrap();
    let loaded = one.track.loaded_mut().unwrap();
    loaded.track = early;
    let shown = words(&screen(&mut model, 160, 48, can()));
    assert!(
        shown.contains("overdue") && shown.contains("ago; next request in"),
        "{shown}"
    );
    assert!(!shown.contains("next due in"), "{shown}");
}

#[test]
fn one_day_has_its_times_at_the_ends_of_the_colour_scale() {
    let mut model = with_track();
    let uuid = model.deployments.open.unwrap();
    let day = track(84.2, 20.0, 8, 1200.0);
    let mut list = model.deployments.list.iter_mut();
    let one = list.find(|one| one.deployment.id.uuid == uuid).unwrap();
    one.track.loaded_mut().unwrap().track = day;
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains("06:53 ▬▬"), "{width}x{height}: {shown}");
        assert!(shown.contains("▬▬ 13:53"), "{width}x{height}: {shown}");
    }
}

#[test]
fn the_reporting_interval_is_one_number_with_one_name_in_list_and_summary() {
    let mut model = with_track();
    let uuid = model.deployments.open.unwrap();
    // First every hour, of late every two.
    let early = (0..60).map(|n| f64::from(n) * 3600.0);
    let late = (1..=30).map(|n| 59.0 * 3600.0 + f64::from(n) * 7200.0);
    let times: Vec<f64> = early.chain(late).collect();
    let end = times.last().copied().unwrap();
    let fixes = times
        .iter()
        .map(|time| (NOW - 600.0 - end + time, 84.0 + 1e-9 * time, 20.0));
    let records = crate::testing::track::records(fixes);
    let loaded = crate::testing::dashboard::loaded(records, NOW);
    let mut list = model.deployments.list.iter_mut();
    let one = list.find(|one| one.deployment.id.uuid == uuid).unwrap();
    one.track.show(loaded);
    let shown = words(&screen(&mut model, 160, 48, can()));
    assert!(shown.contains("reporting interval 2 h"), "{shown}");
    assert!(!shown.contains("median interval"), "{shown}");
    keys(&mut model, "1");
    let shown = words(&screen(&mut model, 160, 48, can()));
    assert!(shown.contains(" 2 h ▮▮▮"), "{shown}");
}

#[test]
fn the_help_of_a_track_has_the_signs_of_its_map_and_timeline() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        keys(&mut model, "?");
        let shown = words(&screen(&mut model, width, height, can()));
        for sign in [
            "◇ measuring point",
            "░▒ data gap, silence",
            "↑ above the speed axis",
            "▷ first fix",
        ] {
            assert!(shown.contains(sign), "{sign} at {width}x{height}: {shown}");
        }
    }
}

#[test]
fn the_empty_plant_log_says_all_of_its_words() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = opened(Vec::new(), NOW);
        keys(&mut model, "3");
        let shown = words(&screen(&mut model, width, height, can()));
        for whole in [
            "A plant is a record of the service's store: id, name and tag.",
            "n: create one; D: delete one by its identifier.",
        ] {
            assert!(shown.contains(whole), "{width}x{height}: {shown}");
        }
    }
}

#[test]
fn no_title_of_a_map_and_no_position_is_cut() {
    let projections = [
        crate::geo::projection::Projection::PolarNorth,
        crate::geo::projection::Projection::Equirectangular,
        crate::geo::projection::Projection::Mercator,
    ];
    for projection in projections {
        for width in [60, 70, 80, 100, 160] {
            let mut model = with_track();
            model.tabs.track.projection = Some(projection);
            screen(&mut model, width, 16, can());
            // A narrow screen has the map at full size alone.
            if model.layout().map.is_empty() {
                assert!(width < 80);
                model.screen.pane = Pane::Map;
                model.screen.full = true;
            }
            let shown = screen(&mut model, width, 16, can());
            let title = shown
                .lines()
                .find(|line| line.contains(" · Map") || line.contains("━ Map"));
            let title = title.unwrap_or_else(|| panic!("no map: {shown}"));
            let (_, map) = title.split_once(" Map").unwrap();
            assert!(!map.contains('…'), "{width}: {title}");
            let has_half = shown.contains("84.42…") || shown.contains("84.428…");
            assert!(!has_half, "{width}: {shown}");
        }
    }
}

#[test]
fn a_measurement_has_a_line_of_its_own_and_hides_none() {
    for (width, height) in [(160, 48), (120, 40), (80, 24), (60, 16)] {
        let mut model = with_track();
        press(&mut model, KeyCode::Up);
        let summary = |model: &mut Dashboard| -> Vec<String> {
            let shown = screen(model, width, height, can());
            let lines = shown.lines().map(str::to_owned).collect::<Vec<_>>();
            let area = model.layout().summary;
            let (first, rows) = (usize::from(area.y), usize::from(area.height));
            lines.into_iter().skip(first).take(rows).collect()
        };
        let before = summary(&mut model);
        press(&mut model, KeyCode::Char(' '));
        let measured = summary(&mut model);
        let (last, others) = measured.split_last().unwrap();
        assert!(last.contains("mark to cursor"), "{width}: {measured:?}");
        assert_eq!(before, others, "{width}x{height}");
        press(&mut model, KeyCode::Char(' '));
        assert_eq!(summary(&mut model), before, "{width}x{height}");
    }
}

#[test]
fn a_search_of_the_help_without_a_hit_says_so() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let said = "no key for that; : searches all actions";
        keys(&mut model, "?");
        assert!(!words(&screen(&mut model, width, height, can())).contains(said));
        keys(&mut model, "zzz");
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains(said), "{width}x{height}: {shown}");
    }
}
