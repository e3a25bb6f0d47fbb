//! What table, map and timeline of a track never leave out, at any size.

use super::frames::{can, with_track};
use crate::alarm::Kind;
use crate::dashboard::tab::TabId;
use crate::dashboard::tests::screens::*;
use crate::testing::chance::rounds;
use crate::testing::dashboard::alarm;

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
            // The table next to it has one in each line.
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

#[test]
fn a_shown_tab_ends_before_the_blank_that_parts_it_from_the_next() {
    for width in [60, 80, 100, 160] {
        let mut model = with_track();
        screen(&mut model, width, 24, can());
        let spans: Vec<_> = model.shell.layout().tab_spans().collect();
        for pair in spans.windows(2) {
            let [(_, _, tab), (_, _, next)] = pair else {
                continue;
            };
            assert!(tab.x + tab.width < next.x, "{width}: {pair:?}");
        }
    }
}

/// The line of the headings of the first table.
fn headings(model: &mut Dashboard, width: u16, height: u16) -> String {
    let shown = screen(model, width, height, can());
    shown.lines().nth(3).unwrap_or_default().to_owned()
}

#[test]
fn the_columns_of_the_list_do_not_move_for_a_mark_an_alarm_or_a_failure() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut model = model();
        let before = headings(&mut model, width, height);
        let place = |headings: &str| headings.find("deployment");
        let mut of_field = alarm("1m2n3p", Some(Uuid::from_u128(0)), Kind::Below, NOW, 60.0);
        of_field.field = "battery_voltage".to_owned();
        if width == 80 {
            update(&mut model, Event::Alarms(vec![of_field]));
        } else {
            model.deployments.list[0].unjudged = vec!["sst<2: no field".to_owned()];
        }
        let failed = Failure::new(FailureKind::Unreachable, "no answer", "");
        model.deployments.list[1].track.failure = Some((failed, NOW));
        model.deployments.values_changed();
        let after = headings(&mut model, width, height);
        assert_eq!(place(&before), place(&after), "{before}{after}");
        assert!(after.contains("position"), "{after}");
        keys(&mut model, " ");
        let marked = headings(&mut model, width, height);
        assert!(marked.contains("position"), "{marked}");
    }
}

#[test]
fn the_field_of_a_limit_is_named_at_every_width() {
    for (width, height) in [(160, 48), (100, 30)] {
        let mut model = model();
        let mut below = alarm("1m2n3p", Some(Uuid::from_u128(0)), Kind::Below, NOW, 60.0);
        below.field = "battery_voltage".to_owned();
        update(&mut model, Event::Alarms(vec![below]));
        let shown = screen(&mut model, width, height, can());
        let row = shown.lines().find(|line| line.contains("●⚑"));
        assert!(row.is_some_and(|row| row.contains("below bat")), "{shown}");
    }
}

#[test]
fn a_short_form_of_a_failure_is_whole_in_the_header() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut model = model();
        let failure = Failure {
            short: "connection closed".to_owned(),
            ..Failure::new(
                FailureKind::Unreachable,
                "127.0.0.1 closed the connection without a whole answer (broken pipe)",
                "",
            )
        };
        model.service.connection = Connection::Failing(failure, NOW);
        let shown = screen(&mut model, width, height, can());
        let header = shown.lines().next().unwrap_or_default();
        assert!(header.contains("✖ connection closed "), "{header}");
    }
}

#[test]
fn a_message_with_a_key_has_its_words_on_a_line_of_their_own() {
    let mut model = with_track();
    model.notify("U undo  20 of 20 deleted");
    press(&mut model, KeyCode::Char('!'));
    let shown = screen(&mut model, 100, 30, can());
    let line = shown.lines().find(|line| line.contains("U undo"));
    assert!(
        line.is_some_and(|line| !line.contains("20 of 20")),
        "{shown}"
    );
    assert!(shown.contains("┃ 20 of 20 deleted"), "{shown}");
}

#[test]
fn a_dialog_with_more_rows_than_it_shows_says_so() {
    let mut model = model();
    keys(&mut model, ",");
    let shown = screen(&mut model, 60, 16, can());
    assert!(shown.contains(" ↓ 1 of "), "{shown}");
}
