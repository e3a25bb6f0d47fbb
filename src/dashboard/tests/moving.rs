//! Selected and shown rows, and keys that have nothing to do.

use super::*;
use crate::dashboard::footer::pane_keys;
use crate::exchange::{Exchange, ExchangeOutcome, Subject};

/// A dashboard on the first tab whose deployments were answered with tracks of
/// so many fixes, in this order.
fn answered(fixes: &[u32], size: (u16, u16)) -> Dashboard {
    let mut model = model(fixes.len() as u128);
    let (width, height) = size;
    resize(&mut model, width, height);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    for (asked, fixes) in asked.into_iter().zip(fixes) {
        fetch_ends(&mut model, asked, Ok(arrival(*fixes)));
    }
    model
}

#[test]
fn an_opened_track_fills_its_table_with_the_cursor_in_sight() {
    for size in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        for key in [KeyCode::Enter, KeyCode::Char('2'), KeyCode::Tab] {
            let mut model = answered(&[900], size);
            press(&mut model, key);
            let (table, height) = (model.tabs.track.table, model.layout().rows.height);
            assert_eq!(table.cursor, 899);
            assert_eq!(table.top, 900 - usize::from(height), "{size:?}");
        }
    }
}

#[test]
fn the_cursor_is_on_the_first_row_until_it_is_moved() {
    let mut model = model(3);
    // The last one is lost, so it comes first.
    fetched_at_start(&mut model, |deployment| {
        if deployment != uuid(2) {
            return Ok(arrival(5));
        }
        let old = (0u32..60).map(|n| {
            let time_stamp = NOW - 400_000.0 + 3000.0 * f64::from(n);
            (time_stamp, 60.0 + 0.001 * f64::from(n), 5.0)
        });
        let old = crate::testing::track::track(Platform::Drifter, NOW, old);
        Ok(LoadedTrack {
            track: Arc::new(PreparedTrack::new(Arc::new(old))),
            ..arrival(400)
        })
    });
    model.before_frame();
    let selected = |model: &Dashboard| model.selected().unwrap().deployment.id.uuid;
    assert_eq!(model.tabs.deployments.table.cursor, 0);
    assert_eq!(selected(&model), uuid(2));
    press(&mut model, KeyCode::Char('j'));
    let moved_to = selected(&model);
    press(&mut model, KeyCode::Char('S'));
    assert_eq!(selected(&model), moved_to);
    assert_eq!(model.tabs.deployments.table.cursor, 1);
    press(&mut model, KeyCode::Char('k'));
    press(&mut model, KeyCode::Char('S'));
    assert_eq!(model.tabs.deployments.table.cursor, 2);
}

#[test]
fn the_track_tab_shows_the_selected_deployment() {
    for key in [KeyCode::Char('2'), KeyCode::Tab] {
        let mut model = answered(&[5, 6, 7], (120, 40));
        press(&mut model, KeyCode::Char('j'));
        let selected = model.selected().unwrap().deployment.id.uuid;
        press(&mut model, key);
        assert_eq!(
            (model.screen.tab, model.deployments.open),
            (TabId::Track, Some(selected))
        );
        // By way of another tab it stays.
        press(&mut model, KeyCode::Char('3'));
        press(&mut model, KeyCode::BackTab);
        assert_eq!(
            (model.screen.tab, model.deployments.open),
            (TabId::Track, Some(selected))
        );
    }
}

#[test]
fn esc_clears_the_filter_before_it_gives_up_a_download() {
    let mut model = model(2);
    send(&mut model, Event::Now(NOW));
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy 1");
    press(&mut model, KeyCode::Enter);
    assert_eq!(press(&mut model, KeyCode::Esc), vec![]);
    assert_eq!(model.filter(), "");
    // The deployment that was filtered for is still the chosen one.
    let effects = press(&mut model, KeyCode::Esc);
    assert!(matches!(effects[..], [Effect::Cancel(_)]), "{effects:?}");
    assert_eq!(said(&model), "buoy 1: request cancelled");
}

#[test]
fn a_key_without_an_action_says_so() {
    let mut model = model(1);
    press(&mut model, KeyCode::Char('w'));
    assert_eq!(
        said(&model),
        "w does nothing on Deployments; W: Where to look for it: forecast, distance; on Track: Next pane"
    );
    press(&mut model, KeyCode::F(9));
    assert_eq!(
        said(&model),
        "F9: no action; ? lists the keys, : finds by a word"
    );
    press(&mut model, KeyCode::Char('E'));
    assert_eq!(said(&model), "there is no track to export yet");
    press(&mut model, KeyCode::Char('4'));
    press(&mut model, KeyCode::Enter);
    assert_eq!(said(&model), "there is no request to open");
}

#[test]
fn a_message_ends_with_the_next_action_and_a_warning_stays() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('u'));
    assert!(!said(&model).is_empty());
    press(&mut model, KeyCode::Char('k'));
    assert_eq!(said(&model), "");
    send(&mut model, Event::Warning(failure(FailureKind::Other)));
    press(&mut model, KeyCode::Char('k'));
    assert_ne!(said(&model), "");
}

#[test]
fn the_export_key_of_the_list_is_about_the_selected_deployment() {
    let mut model = answered(&[5, 6], (120, 40));
    press(&mut model, KeyCode::Char('j'));
    let selected = model.selected().unwrap().deployment.id.uuid;
    press(&mut model, KeyCode::Char('E'));
    let Some(Dialog::Export(form)) = model.dialogs.last() else {
        panic!("no dialog");
    };
    assert_eq!(form.deployment, selected);
}

#[test]
fn enter_on_a_request_opens_its_deployment() {
    let mut model = answered(&[5, 6], (120, 40));
    let exchange = Exchange {
        id: 1,
        started_at: NOW,
        method: "GET",
        url: format!("https://service.example/deployment/data/{}", uuid(1)),
        status: Some(200),
        duration_s: 0.1,
        bytes: 10,
        outcome: ExchangeOutcome::Done(String::new()),
        retry_in_s: None,
        subject: Some(Subject::Deployment(uuid(1))),
        attempt: crate::exchange::Attempt::ONLY,
    };
    send(&mut model, Event::Exchange(exchange));
    press(&mut model, KeyCode::Char('4'));
    press(&mut model, KeyCode::Enter);
    assert_eq!(
        (model.screen.tab, model.deployments.open),
        (TabId::Track, Some(uuid(1)))
    );
}

#[test]
fn the_track_tab_goes_through_the_list_in_its_order() {
    let mut model = answered(&[5, 6, 7], (120, 40));
    press(&mut model, KeyCode::Char('2'));
    let order = model.tabs.deployments.order.clone();
    for expected in [1, 2, 0] {
        press(&mut model, KeyCode::Char('>'));
        assert_eq!(model.deployments.open, Some(order[expected]));
        assert_eq!(model.tabs.deployments.table.cursor, expected);
    }
    press(&mut model, KeyCode::Char('<'));
    assert_eq!(model.deployments.open, Some(order[2]));
    assert_eq!(model.screen.tab, TabId::Track);
}

#[test]
fn what_a_key_has_set_is_told() {
    let mut model = answered(&[5, 6], (120, 40));
    model.screen.host.zone = jiff::tz::TimeZone::get("Asia/Tokyo").unwrap();
    press(&mut model, KeyCode::Char('c'));
    assert_eq!(
        said(&model),
        "coordinates: degrees and decimal minutes (DDM)"
    );
    press(&mut model, KeyCode::Char('t'));
    assert_eq!(said(&model), "times: local (JST)");
    press(&mut model, KeyCode::Char('t'));
    assert_eq!(said(&model), "times: UTC");
    press(&mut model, KeyCode::Char('r'));
    assert_eq!(said(&model), "loading all 2 deployments");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('r'));
    assert_eq!(said(&model), "loading buoy 0");
    press(&mut model, KeyCode::Char('C'));
    assert_eq!(said(&model), "line coloured by speed");
}

#[test]
fn b_goes_through_flagged_fixes_and_says_why() {
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('g'));
    for _ in 0..12 {
        press(&mut model, KeyCode::Char(']'));
    }
    // A fix that is failed by hand.
    let effects = press(&mut model, KeyCode::Char('x'));
    carry_out(&mut model, effects);
    press(&mut model, KeyCode::Char('g'));
    press(&mut model, KeyCode::Char('b'));
    assert_eq!(model.tabs.track.cursor, 12);
    assert!(said(&model).starts_with("bad fix "), "{}", said(&model));
    assert!(said(&model).contains(", fail: "), "{}", said(&model));
    press(&mut model, KeyCode::Char('b'));
    assert_eq!(model.tabs.track.cursor, 12);
    assert!(said(&model).ends_with(", the only one"), "{}", said(&model));
    press(&mut model, KeyCode::Char('B'));
    assert_eq!(model.tabs.track.cursor, 12);
    assert!(!model.tabs.track.follow);
}

#[test]
fn at_the_latest_fix_the_footer_has_the_key_back_to_bad_fixes() {
    let mut model = with_track(30);
    let shown = |model: &Dashboard| {
        let keys = pane_keys(model).into_iter();
        let mut bad = keys.filter(|key| key.word == "bad fix");
        bad.next().unwrap().name
    };
    assert_eq!(shown(&model), "B");
    press(&mut model, KeyCode::Up);
    assert_eq!(shown(&model), "b");
}

#[test]
fn b_at_the_latest_fix_goes_to_the_first_bad_one() {
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('G'));
    press(&mut model, KeyCode::Char('b'));
    assert_eq!(said(&model), "no flagged fix and no data gap in this track");
    for _ in 0..2 {
        for _ in 0..8 {
            press(&mut model, KeyCode::Char('['));
        }
        let effects = press(&mut model, KeyCode::Char('x'));
        carry_out(&mut model, effects);
    }
    let last = model.tabs.track.cursor;
    for (key, end, around) in [
        ('b', 'G', ", from the first fix again"),
        ('B', 'g', ", from the last fix again"),
    ] {
        press(&mut model, KeyCode::Char(end));
        press(&mut model, KeyCode::Char(key));
        assert!(said(&model).ends_with(around), "{}", said(&model));
    }
    // Before the first fix comes the last.
    assert_eq!(model.tabs.track.cursor, last + 8);
    assert!(!model.tabs.track.follow);
}

#[test]
fn the_reason_of_a_bad_fix_is_whole_where_the_end_of_the_message_is_cut() {
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('['));
    let effects = press(&mut model, KeyCode::Char('x'));
    carry_out(&mut model, effects);
    press(&mut model, KeyCode::Char('b'));
    let notice = model.messages.notice.clone().unwrap();
    let (words, around) = notice.text.rsplit_once(", ").unwrap();
    assert_eq!(around, "the only one");
    assert!(words.contains("by hand"), "{words}");
}
