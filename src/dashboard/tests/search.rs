//! Find and filter.

use super::*;
use crate::dashboard::search::Matches;

/// Types a text into the field of a search, as the runtime would answer it.
pub(super) fn find(model: &mut Dashboard, text: &str) {
    press(model, KeyCode::Char('/'));
    for character in text.chars() {
        let effects = press(model, KeyCode::Char(character));
        carry_out(model, effects);
    }
}

pub(super) fn cursor(model: &Dashboard) -> usize {
    model.tabs.track.cursor
}

#[test]
fn find_moves_the_cursor_as_it_is_typed_and_n_goes_on() {
    // Every sixth fix is at a whole hour of an odd minute: see `records`.
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('g'));
    let minute = |fix: usize| {
        let stamp = shown_track(&model).fix(fix).unwrap().time_stamp;
        crate::track::time::table(stamp, None)[13..16].to_owned()
    };
    let (text, first) = (minute(4), 4);
    find(&mut model, &text);
    assert_eq!(cursor(&model), first);
    assert_eq!(model.matches(), Some(Matches::Found(5, Some(1))));
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.tabs.track.rows(shown_track(&model)), 30);
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(cursor(&model), first + 6);
    press(&mut model, KeyCode::Char('N'));
    press(&mut model, KeyCode::Char('N'));
    // Round the start.
    assert_eq!(cursor(&model), first + 24);
    assert_eq!(model.matches(), Some(Matches::Found(5, Some(5))));
    // A search that has ended leaves the cursor where it is.
    press(&mut model, KeyCode::Esc);
    assert_eq!((model.matches(), cursor(&model)), (None, first + 24));
}

#[test]
fn esc_in_the_field_brings_the_cursor_back() {
    let mut model = with_track(30);
    find(&mut model, "80.00300");
    assert_eq!(cursor(&model), 3);
    assert!(!model.tabs.track.follow);
    press(&mut model, KeyCode::Esc);
    assert_eq!(cursor(&model), 29);
    assert!(model.tabs.track.follow);
    find(&mut model, "no such text");
    assert_eq!(model.matches(), Some(Matches::Found(0, None)));
    assert_eq!(cursor(&model), 29);
}

#[test]
fn a_time_to_go_to_is_no_text_without_a_match() {
    let mut model = with_track(30);
    find(&mut model, "@2026-11-22 01:00");
    assert_eq!(model.matches(), None);
    press(&mut model, KeyCode::Esc);
    find(&mut model, "2026-11-22 01:00");
    assert_eq!(model.matches(), Some(Matches::Found(0, None)));
}

#[test]
fn a_time_is_understood_in_every_form_that_the_screen_shows() {
    let mut model = with_track(30);
    let stamp = |model: &Dashboard, fix: usize| {
        let stamp = shown_track(model).fix(fix).unwrap().time_stamp;
        crate::track::time::table(stamp, None)
    };
    let wanted = stamp(&model, 7);
    // With and without the year and the seconds, alone and after the sign.
    let forms = [&wanted[..], &wanted[5..], &wanted[5..16], &wanted[..16]];
    for form in forms {
        press(&mut model, KeyCode::Char('G'));
        find(&mut model, &format!("@{form}"));
        press(&mut model, KeyCode::Enter);
        assert_eq!(cursor(&model), 7, "{form}");
    }
    // A time of day is one of the cursor's day.
    let time_of_day = stamp(&model, 9)[11..16].to_owned();
    find(&mut model, &format!("@{time_of_day}"));
    press(&mut model, KeyCode::Enter);
    assert_eq!(cursor(&model), 9);
    // An hour before ten may have one digit, after a day and alone.
    let is_early = |fix: &usize| stamp(&model, *fix).as_bytes()[11] == b'0';
    let early = (0..30).find(is_early).unwrap();
    let typed = stamp(&model, early);
    for form in [&typed[..11], &typed[5..11], ""] {
        find(&mut model, &format!("@{form}{}", &typed[12..16]));
        press(&mut model, KeyCode::Enter);
        assert!(model.dialogs.is_empty(), "{form}");
        assert_eq!(cursor(&model), early, "{form}");
        press(&mut model, KeyCode::Char('j'));
    }
    // A day before the track is of the year that is nearest to it.
    let month: u32 = wanted[5..7].parse().unwrap();
    let before = format!("@{:02}-01 00:00", (month + 10) % 12 + 1);
    find(&mut model, &before);
    press(&mut model, KeyCode::Enter);
    assert_eq!(cursor(&model), 0);
    find(&mut model, "@12-99 00:00");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.dialogs.len(), 1);
}

#[test]
fn a_position_is_found_as_the_table_shows_it() {
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('c'));
    find(&mut model, "80°00.240");
    assert_eq!(cursor(&model), 4);
    // Written in another way, it is searched again.
    press(&mut model, KeyCode::Enter);
    let effects = press(&mut model, KeyCode::Char('c'));
    carry_out(&mut model, effects);
    assert_eq!(model.matches(), Some(Matches::Found(0, None)));
}

#[test]
fn a_search_goes_by_the_order_of_the_rows_and_stays_when_it_changes() {
    let mut model = with_track(30);
    find(&mut model, "gap>5min");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(cursor(&model), 1);
    assert_eq!(model.matches(), Some(Matches::Found(29, Some(1))));
    let effects = press(&mut model, KeyCode::Char('S'));
    carry_out(&mut model, effects);
    // Fix 0, which has no gap, is in the last row.
    assert_eq!(model.matches(), Some(Matches::Found(29, Some(29))));
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(cursor(&model), 29);
}

#[test]
fn rows_that_were_found_for_another_text_are_not_taken() {
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('/'));
    let late = press(&mut model, KeyCode::Char('8'));
    let effects = type_text(&mut model, "0.01000");
    carry_out(&mut model, late);
    assert_eq!(model.matches(), Some(Matches::Searching));
    carry_out(&mut model, effects);
    assert_eq!(model.matches(), Some(Matches::Found(1, Some(1))));
}

#[test]
fn n_is_a_new_plant_unless_a_search_stands() {
    let mut model = model(3);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('n'));
    assert!(matches!(model.dialogs.last(), Some(Dialog::PlantForm(_))));
    press(&mut model, KeyCode::Esc);
    // A search without a match ends with Enter.
    find(&mut model, "moss");
    press(&mut model, KeyCode::Enter);
    assert_eq!(said(&model), "no row has moss");
    assert!(model.messages.notice.as_ref().unwrap().is_warning && model.screen.search.is_none());
    // Another tab is not searched.
    press(&mut model, KeyCode::Char('1'));
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(said(&model), "nothing is searched for: / finds");
    press(&mut model, KeyCode::Char('N'));
    assert_eq!(said(&model), "nothing is searched for: / finds");
}

#[test]
fn a_deployment_is_found_by_its_name() {
    let mut model = model(12);
    let named = |model: &mut Dashboard, uuid_of: u128, label: &str| {
        let known = model.deployments.get_mut(uuid(uuid_of)).unwrap();
        let mut entry = known.deployment.clone();
        entry.label = Some(label.to_owned());
        known.deployment = entry;
    };
    named(&mut model, 0, "a buoy 7");
    model.arrange_deployments();
    find(&mut model, "buoy 7");
    press(&mut model, KeyCode::Enter);
    // The exact name comes first, wherever its row is.
    assert_eq!(model.matches(), Some(Matches::Found(2, Some(2))));
    assert_eq!(model.selected().unwrap().name(), "buoy 7");
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(model.selected().unwrap().name(), "a buoy 7");
    assert_eq!(model.tabs.deployments.order.len(), 12);
}

#[test]
fn clearing_a_filter_brings_the_cursor_back_unless_it_was_moved() {
    for moved in [false, true] {
        let mut model = with_track(30);
        press(&mut model, KeyCode::Char('&'));
        let effects = type_text(&mut model, "lat<80.0095");
        carry_out(&mut model, effects);
        press(&mut model, KeyCode::Enter);
        assert_eq!(cursor(&model), 0);
        if moved {
            press(&mut model, KeyCode::Char('j'));
        }
        let effects = press(&mut model, KeyCode::Esc);
        carry_out(&mut model, effects);
        assert_eq!(cursor(&model), if moved { 1 } else { 29 });
        assert_eq!(model.tabs.track.follow, !moved);
    }
}

#[test]
fn a_second_filter_begins_empty() {
    let mut model = model(12);
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy 1");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('&'));
    assert_eq!(model.tabs.deployments.order.len(), 1);
    type_text(&mut model, "buoy 2");
    assert_eq!(model.tabs.deployments.order.len(), 1);
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.tabs.deployments.order.len(), 12);
    // The second one was given up: what the first was kept for is still chosen.
    let selected = model.selected().unwrap();
    assert_eq!(selected.name(), "buoy 1");
}

#[test]
fn a_time_after_an_at_sign_goes_to_the_nearest_fix() {
    let mut model = with_track(30);
    let stamp = shown_track(&model).fix(12).unwrap().time_stamp;
    let near = crate::track::time::table(stamp + 130.0, None);
    // The seconds are left out, and a space is between date and time.
    find(&mut model, &format!("@{}", &near[..16]));
    assert_eq!(cursor(&model), 29);
    press(&mut model, KeyCode::Enter);
    assert_eq!(cursor(&model), 12);
    assert!(!model.tabs.track.follow && model.screen.search.is_none());
    assert!(
        said(&model).starts_with("nearest fix: 20"),
        "{}",
        said(&model)
    );
    // A time that no row contains needs no sign.
    find(&mut model, "1999-12-31");
    press(&mut model, KeyCode::Enter);
    assert_eq!(cursor(&model), 0);
    find(&mut model, "@noon");
    press(&mut model, KeyCode::Enter);
    let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
        panic!("the field is gone");
    };
    assert!(prompt.field.error.starts_with("not a time"));
}

#[test]
fn a_number_after_a_hash_goes_to_that_fix_in_the_order_of_time() {
    let mut model = with_track(30);
    // The order of the rows is another one.
    let effects = press(&mut model, KeyCode::Char('S'));
    carry_out(&mut model, effects);
    for (typed, fix) in [("#1", 0), ("# 13", 12), ("#30", 29)] {
        find(&mut model, typed);
        press(&mut model, KeyCode::Enter);
        assert_eq!(
            (cursor(&model), model.tabs.track.table.cursor),
            (fix, 29 - fix)
        );
        assert_eq!(model.tabs.track.follow, fix == 29);
        let said = said(&model);
        assert!(
            said.starts_with(&format!("fix {} of 30: 20", fix + 1)),
            "{said}"
        );
    }
    for wrong in ["#", "#0", "#31", "#1.5", "#99999999999999999999"] {
        find(&mut model, wrong);
        press(&mut model, KeyCode::Enter);
        let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
            panic!("the field is gone");
        };
        assert_eq!(prompt.field.error, "not the number of a fix: 1 to 30");
        press(&mut model, KeyCode::Esc);
        assert_eq!(cursor(&model), 29);
    }
}

#[test]
fn a_time_is_of_the_zone_that_is_shown() {
    let mut model = with_track(30);
    model.screen.host.zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(-5));
    press(&mut model, KeyCode::Char('t'));
    let stamp = shown_track(&model).fix(7).unwrap().time_stamp;
    let local = crate::track::time::table(stamp, Some(&model.screen.host.zone));
    find(&mut model, &format!("@{local}"));
    press(&mut model, KeyCode::Enter);
    assert_eq!(cursor(&model), 7);
}

#[test]
fn a_search_of_the_list_ends_where_a_track_is_opened() {
    let mut model = model(12);
    find(&mut model, "buoy 11");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.matches(), Some(Matches::Found(1, Some(1))));
    press(&mut model, KeyCode::Enter);
    assert_eq!(
        (model.screen.tab, model.deployments.open),
        (TabId::Track, Some(uuid(11)))
    );
    assert_eq!(model.matches(), None);
}

#[test]
fn a_match_that_the_cursor_went_to_keeps_it_when_the_filter_ends() {
    let mut model = model(12);
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy");
    press(&mut model, KeyCode::Enter);
    find(&mut model, "buoy 11");
    press(&mut model, KeyCode::Enter);
    // The first one ends the search, the second one the filter.
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.tabs.deployments.order.len(), 12);
    assert_eq!(model.selected().unwrap().name(), "buoy 11");
}

#[test]
fn a_search_that_is_given_up_goes_back_to_the_deployment_wherever_its_row_is() {
    let mut model = model(12);
    type_text(&mut model, "jjj");
    let began = model.selected().unwrap().name();
    find(&mut model, "buoy 9");
    // Its rows are sorted again meanwhile.
    model.tabs.deployments.sort.is_reversed ^= true;
    model.arrange_deployments();
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.selected().unwrap().name(), began);
}

#[test]
fn a_search_that_is_given_up_goes_back_to_the_fix_though_others_came() {
    let mut model = with_track(30);
    type_text(&mut model, "gjjjj");
    let at = |model: &Dashboard| shown_track(model).fix(cursor(model)).unwrap().time_stamp;
    let began = at(&model);
    find(&mut model, "80.02000");
    assert_ne!(at(&model), began);
    // Ten earlier fixes move every row down.
    let event = Event::Stored {
        deployment: uuid(0),
        overrides: Default::default(),
        loaded: Some(LoadedTrack {
            fetched_at: NOW + 1.0,
            ..arrival(40)
        }),
    };
    let effects = send(&mut model, event);
    carry_out(&mut model, effects);
    assert_eq!(shown_track(&model).len(), 40);
    press(&mut model, KeyCode::Esc);
    assert_eq!(at(&model), began);
}

#[test]
fn a_search_ends_with_its_tab_and_esc_ends_it_before_it_cancels_a_request() {
    let mut model = model(2);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    assert!(!asked.is_empty());
    press(&mut model, KeyCode::Char('/'));
    type_text(&mut model, "buoy");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('2'));
    assert!(model.screen.search.is_none());
    press(&mut model, KeyCode::Char('1'));
    assert!(model.screen.search.is_none(), "another tab has ended it");
    press(&mut model, KeyCode::Char('/'));
    type_text(&mut model, "buoy");
    press(&mut model, KeyCode::Enter);
    let loading = |model: &Dashboard| model.deployments.loading().count();
    let before = loading(&model);
    press(&mut model, KeyCode::Esc);
    while model.messages.notice.is_some() {
        press(&mut model, KeyCode::Esc);
    }
    assert!(model.screen.search.is_none());
    assert_eq!(loading(&model), before);
}

#[test]
fn a_comparison_goes_to_its_first_crossing_and_filters_by_every_row() {
    let mut model = with_track(30);
    find(&mut model, "lat > 80.0105");
    press(&mut model, KeyCode::Enter);
    assert_eq!(cursor(&model), 11);
    assert_eq!(model.matches(), Some(Matches::Found(1, Some(1))));
    press(&mut model, KeyCode::Esc);
    for (filter, rows) in [("lat>80.0105", 19), ("#3", 1), ("age>1h flag:pass", 24)] {
        press(&mut model, KeyCode::Char('&'));
        let effects = type_text(&mut model, filter);
        carry_out(&mut model, effects);
        press(&mut model, KeyCode::Enter);
        assert!(model.dialogs.is_empty(), "{filter}");
        let shown = model.tabs.track.rows(shown_track(&model));
        assert_eq!(shown, rows, "{filter}");
        let effects = press(&mut model, KeyCode::Esc);
        carry_out(&mut model, effects);
    }
}

#[test]
fn a_comparison_that_is_not_understood_is_said_and_keeps_the_field() {
    for sign in ['/', '&'] {
        let mut model = with_track(30);
        press(&mut model, KeyCode::Char(sign));
        let effects = type_text(&mut model, "volts<12");
        carry_out(&mut model, effects);
        press(&mut model, KeyCode::Enter);
        let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
            panic!("the field is gone");
        };
        assert!(
            prompt.field.error.starts_with("volts: "),
            "{}",
            prompt.field.error
        );
    }
}
