//! The titles of the tables: filter, search and sort order at every size.

use super::frames::{can, with_track};
use crate::dashboard::tests::screens::*;

const SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

/// The line with the title of the table: the third.
fn title(model: &mut Dashboard, (width, height): (u16, u16)) -> String {
    let shown = screen(model, width, height, can());
    shown.lines().nth(2).unwrap_or_default().to_owned()
}

fn filtered(mut model: Dashboard, text: &str) -> Dashboard {
    keys(&mut model, "&");
    keys(&mut model, text);
    press(&mut model, KeyCode::Enter);
    model
}

#[test]
fn a_filter_is_in_the_title_at_every_size_and_the_sort_order_where_it_has_room() {
    for size in SIZES {
        let has_order = size.0 >= 100;
        let mut list = filtered(model(), "buoy status:lost");
        let title_of_list = title(&mut list, size);
        for words in ["Deployments  &buoy status:lost", "1 of 1, 3 in all"] {
            assert!(title_of_list.contains(words), "{words}: {title_of_list}");
        }
        assert!(
            title_of_list.contains("by status ▾") || !has_order,
            "{title_of_list}"
        );
        let mut track = filtered(with_track(), "fail");
        let title_of_track = title(&mut track, size);
        assert!(title_of_track.contains("&fail"), "{title_of_track}");
    }
}

#[test]
fn the_end_of_a_long_filter_is_cut_and_the_position_stays() {
    let long = "group:\"Barents Sea and Fram Strait\" status:overdue no such buoy in this list 12";
    for size in [(100, 30), (80, 24), (60, 16)] {
        let mut list = filtered(model(), long);
        let shown = title(&mut list, size);
        assert!(shown.contains("Deployments  &group:"), "{shown}");
        assert!(shown.contains("… "), "{shown}");
        assert!(shown.contains("0 of 0, 3 in all"), "{shown}");
        let mut track = filtered(with_track(), "2026-09-21 12:23:20 and what no row contains");
        let shown = title(&mut track, size);
        assert!(
            shown.contains("… ") && shown.contains("61 of 61"),
            "{shown}"
        );
    }
}

#[test]
fn a_search_is_in_the_title_with_what_it_has_found() {
    for size in SIZES {
        let mut list = model();
        keys(&mut list, "/ice");
        press(&mut list, KeyCode::Enter);
        let shown = title(&mut list, size);
        for words in ["/ice", "match 1 of 1", "by status ▾"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }
}

#[test]
fn the_field_of_a_filter_says_how_its_words_are_written() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut model = model();
        keys(&mut model, "&");
        let shown = screen(&mut model, width, height, can());
        let line = shown.lines().last().unwrap_or_default();
        assert!(line.contains("group:ice status:overdue age>1d"), "{line}");
    }
}

#[test]
fn the_number_of_all_rows_gives_way_to_the_name_of_the_instrument() {
    let mut model = with_track();
    let open = model.deployments.open.unwrap();
    let entry = &mut model.deployments.get_mut(open).unwrap().deployment;
    entry.label = Some("Ocean drifter, date line".to_owned());
    keys(&mut model, "T");
    let shown = title(&mut model, (80, 24));
    assert!(shown.contains("Ocean") && shown.contains("line"), "{shown}");
}
