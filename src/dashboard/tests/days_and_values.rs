//! A search for a day, and for the values of fields.

use super::search::{cursor, find};
use super::*;
use crate::dashboard::search::Matches;

#[test]
fn a_date_is_its_day_for_the_cursor_and_for_the_filter() {
    let mut model = with_track(300);
    let times = crate::testing::track::times_of(shown_track(&model));
    // The day of the last fix, which is not the day of the first one.
    let day = (times[299] / 86_400.0).floor() * 86_400.0;
    let first = times.partition_point(|time| *time < day);
    assert!((1..299).contains(&first), "{first}");
    let date = crate::track::time::table(day, None)[..10].to_owned();
    for date in [&date[..], &date[5..]] {
        press(&mut model, KeyCode::Char('g'));
        find(&mut model, &format!("@{date}"));
        press(&mut model, KeyCode::Enter);
        assert_eq!(cursor(&model), first);
    }
    let said = said(&model).to_owned();
    assert!(said.starts_with("first fix of the day: "), "{said}");
    assert!(said.ends_with("; T: 1 day"), "{said}");
    // The day before ends where this one begins.
    let before = crate::track::time::table(day - 1.0, None)[..10].to_owned();
    press(&mut model, KeyCode::Char('&'));
    for character in format!("@{before}").chars() {
        let effects = press(&mut model, KeyCode::Char(character));
        carry_out(&mut model, effects);
    }
    let earlier = times.partition_point(|time| *time < day - 86_400.0);
    let rows = model.tabs.track.rows(shown_track(&model));
    assert_eq!(rows, first - earlier);
}

#[test]
fn the_list_is_searched_by_the_last_values_of_fields_and_the_track_by_where_they_crossed() {
    let mut model = model(3);
    find(&mut model, "battery");
    let effects = press(&mut model, KeyCode::Char('<'));
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::ReadLastValues(list) => Some(list.len()),
        _ => None,
    });
    assert_eq!(asked, Some(3));
    for character in "12".chars() {
        press(&mut model, KeyCode::Char(character));
    }
    assert_eq!(model.matches(), Some(Matches::Found(0, None)));
    let values = |battery: f64| vec![("battery".to_owned(), battery)];
    let read = Event::LastValues(vec![(uuid(0), values(12.6)), (uuid(1), values(11.9))]);
    send(&mut model, read);
    assert_eq!(model.matches(), Some(Matches::Found(1, Some(1))));
    let chosen = |model: &Dashboard| model.selected().unwrap().deployment.id.uuid;
    assert_eq!(chosen(&model), uuid(1));
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Enter);
    assert_eq!(
        (model.screen.tab, model.deployments.open),
        (TabId::Track, Some(uuid(1)))
    );
    let search = model.screen.search.as_ref().unwrap();
    assert_eq!(
        (model.screen.tab, search.query.text().trim()),
        (TabId::Track, "battery<12")
    );
}

#[test]
fn the_fields_of_the_selected_deployment_are_read_once_and_one_deployment_at_a_time() {
    let mut model = with_track(9);
    let asked = |effects: &[Effect]| -> Vec<usize> {
        let lists = effects.iter().filter_map(|effect| match effect {
            Effect::ReadLastValues(list) => Some(list.len()),
            _ => None,
        });
        lists.collect()
    };
    let resized = Event::Resized {
        width: 160,
        height: 48,
        cell_aspect: 2.0,
    };
    send(&mut model, resized);
    let read = || Event::LastValues(vec![(uuid(0), Vec::new())]);
    send(&mut model, read());
    // A fix has come since.
    model.deployments.list[0].values_at = Some(0.0);
    assert_eq!(asked(&press(&mut model, KeyCode::Char('1'))), [1]);
    model.deployments.list[0].values_at = Some(0.0);
    assert!(asked(&press(&mut model, KeyCode::Down)).is_empty());
    assert_eq!(asked(&send(&mut model, read())), [1]);
    assert!(asked(&send(&mut model, read())).is_empty());
    assert!(asked(&press(&mut model, KeyCode::Up)).is_empty());
}

#[test]
fn a_filter_that_hides_the_row_of_the_cursor_puts_it_on_the_first_row() {
    let mut model = model(12);
    press(&mut model, KeyCode::Char('G'));
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy 3");
    assert_eq!(model.tabs.deployments.table.cursor, 0);
    assert_eq!(model.selected().unwrap().deployment.id.uuid, uuid(3));
}
