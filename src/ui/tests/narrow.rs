//! What narrow, low and high screens have room for.

use super::frames::{can, with_track, words};
use super::*;

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
        for cut in [
            "n",
            "ne",
            "next",
            "next e",
            "next expected",
            "next expected i",
        ] {
            assert!(!end.ends_with(&format!("  {cut}")), "{width}: {line}");
        }
    }
}

#[test]
fn the_name_of_a_request_is_whole_where_the_outcome_can_give_way() {
    let mut model = model();
    let name = "Ocean drifter, date line";
    let uuid = model.deployments.list[0].deployment.uuid;
    model.deployments.list[0].deployment.label = Some(name.to_owned());
    let exchange = Exchange {
        url: format!("https://service.example/public/deployment/data/{uuid}"),
        ..model.exchanges[0].clone()
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
    model.track.projection = Some(crate::geo::projection::Projection::PolarNorth);
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let shown = screen(&mut model, width, height, can());
        let title = shown.lines().find(|line| line.contains("Map · polar"));
        let title = title.unwrap_or_else(|| panic!("no title: {shown}"));
        let (_, beside) = title.split_once("Map · polar").unwrap();
        assert!(beside.contains("N "), "{width}: {title}");
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
    model.connection = Connection::Failing(
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
        let line = shown.lines().find(|line| line.contains("axis to"));
        let line = line.unwrap_or_else(|| panic!("no timeline: {shown}"));
        let (_, highest) = line.split_once("highest ").unwrap();
        highest.chars().take(7).collect::<String>()
    };
    let whole = highest(&screen(&mut model, 160, 48, can()));
    let track = Arc::clone(model.whole_one().unwrap());
    keys(&mut model, "kkk{");
    let range = model.track.time_range.as_ref().map(|one| one.range);
    let range = range.unwrap();
    let part = track.window(Some(range.0), Some(range.1));
    let part = Arc::new(PreparedTrack::new(Arc::new(part)));
    let expected = part.summary().max_speed_m_s.unwrap();
    let expected = model.units.speed(expected).trim().to_owned();
    let cut = Event::TimeRangeCut {
        deployment: model.track.open.unwrap(),
        whole: track,
        range,
        part,
    };
    update(&mut model, cut);
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
    let hint = "Ctrl-L: enter another token.";
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let uuid = model.track.open.unwrap();
        let mut list = model.deployments.list.iter_mut();
        let one = list.find(|one| one.deployment.uuid == uuid).unwrap();
        one.track.value = None;
        let failure = Failure::new(FailureKind::Unreachable, body.as_str(), hint);
        one.track.failure = Some((failure, NOW));
        let shown = screen(&mut model, width, height, can());
        // The pane is the left part of the screen.
        let table = usize::from(model.layout().rows.width);
        let pane = shown
            .lines()
            .map(|line| line.trim_start_matches('"').chars().take(table + 1))
            .map(String::from_iter)
            .collect::<Vec<String>>()
            .join(" ");
        let pane = words(&pane.replace(['│', '┃'], " "));
        assert!(pane.contains("the address of the service"), "{shown}");
        for step in [hint, "r: retry now."] {
            assert!(pane.contains(step), "{step} at {width}x{height}: {shown}");
        }
    }
}

#[test]
fn a_request_keeps_its_name_and_its_outcome_where_other_columns_give_way() {
    let mut model = model();
    let name = "Survey launch, Plymouth";
    let uuid = model.deployments.list[0].deployment.uuid;
    model.deployments.list[0].deployment.label = Some(name.to_owned());
    let exchange = Exchange {
        url: format!("https://service.example/public/deployment/data/{uuid}"),
        outcome: ExchangeOutcome::Done("2372 records".to_owned()),
        ..model.exchanges[0].clone()
    };
    update(&mut model, Event::Exchange(exchange));
    keys(&mut model, "4");
    for (width, height) in [(60, 16), (80, 24), (100, 30), (160, 48)] {
        let shown = screen(&mut model, width, height, can());
        let has = |line: &&str| line.contains(name) && line.contains("2372 records");
        assert!(shown.lines().any(|line| has(&line)), "{width}: {shown}");
    }
}
