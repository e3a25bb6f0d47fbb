//! What small screens show whole: positions, messages, requests, values.

use super::frames::{can, with_track, words};
use super::*;

#[test]
fn the_table_has_the_position_and_the_seconds_in_every_form_of_coordinates() {
    let mut model = with_track();
    for position in [
        "84.42854°N 021.16669°E",
        "84°25.712′N 021°10.001′E",
        "84°25′42.7″N 021°10′00.1″E",
    ] {
        press(&mut model, KeyCode::Esc);
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
fn a_message_covers_no_row_of_data_and_the_name_of_the_track_stays() {
    for (width, height) in [(100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let after = |lines: usize, shown: &str| -> Vec<String> {
            shown.lines().skip(lines).map(str::to_owned).collect()
        };
        let before = screen(&mut model, width, height, can());
        keys(&mut model, "R");
        keys(&mut model, "R");
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains("no range rings"), "{shown}");
        assert!(shown.contains("ice 7"), "{shown}");
        assert_eq!(after(2, &shown), after(2, &before), "{width}x{height}");
        // A longer one takes title and headings too; the header, which has the
        // count of alarms, stays.
        let reason = "the archive cannot be written: no space is left on its device";
        let failure = Failure::new(FailureKind::Other, reason, "");
        update(&mut model, Event::Warning(failure));
        let shown = screen(&mut model, width, height, can());
        assert!(words(&shown).contains(reason), "{shown}");
        assert_eq!(after(4, &shown), after(4, &before), "{width}x{height}");
        assert_eq!(shown.lines().next(), before.lines().next());
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
        attempt: (1, 1),
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
            "every 1 h",
            "platform",
            &uuid,
        ] {
            assert!(seen.contains(part), "{part} at {width}x{height}: {seen}");
        }
        press(&mut model, KeyCode::Esc);
        assert!(model.dialogs.is_empty());
    }
    // Where the pane has no room for all of it, it says so.
    let mut model = model();
    assert!(screen(&mut model, 80, 24, can()).contains("i: all about it"));
    assert!(!screen(&mut model, 160, 48, can()).contains("i: all about it"));
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
        shown.contains("on time") && shown.contains("next expected in"),
        "{shown}"
    );
    // As if the latest fixes were failed: the one that counts is older.
    let uuid = model.track.open.unwrap();
    let early = track(84.2, 20.0, 57, 1200.0 + 3.0 * 3600.0);
    let mut list = model.deployments.list.iter_mut();
    let one = list.find(|one| one.deployment.uuid == uuid).unwrap();
    let loaded = one.track.value.as_mut().unwrap();
    loaded.track = early;
    let shown = words(&screen(&mut model, 160, 48, can()));
    assert!(
        shown.contains("overdue") && shown.contains("driftline asks in"),
        "{shown}"
    );
    assert!(!shown.contains("next expected in"), "{shown}");
}
