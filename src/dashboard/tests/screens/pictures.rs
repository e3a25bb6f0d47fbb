//! What table, map and timeline of a track never leave out, at any size.

use super::frames::{can, with_track};
use crate::dashboard::tab::TabId;
use crate::dashboard::tests::screens::*;
use crate::testing::chance::rounds;

const SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

/// The words of a line that are degrees of longitude.
fn longitudes(line: &str) -> usize {
    let is_longitude = |word: &&str| word.contains('°') && word.ends_with(['E', 'W']);
    line.split_whitespace().filter(is_longitude).count()
}

#[test]
fn the_table_of_fixes_begins_with_time_latitude_and_longitude_at_every_width() {
    for width in (60..200).step_by(rounds(3, 1)) {
        for height in [16, 24, 30, 48] {
            let mut model = with_track();
            let shown = screen(&mut model, width, height, can());
            if width < 80 && !shown.contains("time UTC") {
                // One pane at a time: the table is another one.
                keys(&mut model, "www");
            }
            let shown = screen(&mut model, width, height, can());
            let heading = shown.lines().find(|line| line.contains("time UTC"));
            let heading = heading.unwrap_or_else(|| panic!("{width}x{height}: {shown}"));
            let (_, heading) = heading.split_once("time UTC").unwrap();
            let mut heads = heading.trim_start_matches('▴').split_whitespace();
            assert_eq!(
                heads.next(),
                Some("latitude"),
                "{width}x{height}: {heading}"
            );
            assert_eq!(
                heads.next(),
                Some("longitude"),
                "{width}x{height}: {heading}"
            );
        }
    }
}

#[test]
fn the_map_has_two_longitudes_at_every_size_and_magnification() {
    for size in SIZES {
        for zoom in 0..8 {
            let mut model = with_track();
            screen(&mut model, size.0, size.1, can());
            keys(&mut model, "+");
            keys(&mut model, &"+".repeat(zoom));
            let shown = screen(&mut model, size.0, size.1, can());
            let most = shown.lines().map(longitudes).max().unwrap_or(0);
            // The table beside it has one in each line.
            let has_axis = most >= 2;
            assert!(has_axis, "{size:?}, {zoom}: {shown}");
        }
    }
}

#[test]
fn o_goes_from_dots_on_the_line_to_the_line_alone_and_to_dots_alone() {
    let mut model = with_track();
    screen(&mut model, 160, 48, can());
    keys(&mut model, "++++++++");
    let count = |model: &mut Dashboard, is_it: fn(char) -> bool| {
        let shown = screen(model, 160, 48, can());
        let map = shown.lines().take(28).map(|line| line.chars().take(70));
        map.flatten().filter(|glyph| is_it(*glyph)).count()
    };
    let is_dot = |glyph: char| glyph == '•';
    let is_braille = |glyph: char| ('\u{2801}'..='\u{28ff}').contains(&glyph);
    let (dots, line) = (count(&mut model, is_dot), count(&mut model, is_braille));
    assert!(dots > 0 && line > 0, "{dots} {line}");
    keys(&mut model, "o");
    assert_eq!(count(&mut model, is_dot), 0);
    let alone = count(&mut model, is_braille);
    assert!(alone > line, "{alone}: the line has the cells of the dots");
    keys(&mut model, "o");
    assert!(count(&mut model, is_dot) >= dots);
    assert!(count(&mut model, is_braille) < line);
    keys(&mut model, "o");
    assert_eq!(count(&mut model, is_dot), dots);
}

#[test]
fn tabs_have_their_names_at_every_width_beside_any_message() {
    for width in 60..130 {
        let mut model = model();
        model.warn("a message that has no end ".repeat(9));
        let shown = screen(&mut model, width, 24, can());
        let tabs = shown.lines().nth(1).unwrap();
        let names = if width < 100 {
            ["1 List", "2 Track", "3 Plants", "4 Log"]
        } else {
            ["1 Deployments", "2 Track", "3 Plants", "4 Activity"]
        };
        for name in names {
            assert!(tabs.contains(name), "{width}: {tabs}");
        }
    }
}

#[test]
fn esc_undoes_one_thing_and_then_leads_back_to_the_list() {
    let mut model = with_track();
    screen(&mut model, 100, 30, can());
    keys(&mut model, " kz");
    assert!(model.tabs.track.marks.0.is_some() && model.screen.full);
    press(&mut model, KeyCode::Esc);
    assert!(model.tabs.track.marks.0.is_none() && model.screen.full);
    press(&mut model, KeyCode::Esc);
    assert!(!model.screen.full && model.screen.tab == TabId::Track);
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.screen.tab, TabId::Deployments);
    // There it does nothing more.
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.screen.tab, TabId::Deployments);
}
