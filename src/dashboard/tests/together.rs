//! Several deployments on one map.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::screens::screen;
use super::*;
use crate::dashboard::draw::{Memory, draw};
use crate::dashboard::theme::{Capabilities, Theme};
use crate::testing::dashboard::loaded;
use crate::testing::fields::with_fields;

/// Deployments with an hourly track each along a parallel, the numbers of fixes and
/// latitudes as given, that began at the same time.
pub(super) fn fleet(tracks: &[(u32, f64)]) -> Dashboard {
    fleet_with(tracks, |fixes, latitude| {
        let transmissions = (0..fixes).map(|n| {
            let time = NOW - 100.0 * 3600.0 + 3600.0 * f64::from(n);
            Transmission::new(time, latitude, 0.02 * f64::from(n)).unwrap()
        });
        Records {
            transmissions: transmissions.collect(),
            ..Records::default()
        }
    })
}

/// Deployments with the records that `records` makes of each number and latitude.
fn fleet_with(tracks: &[(u32, f64)], records: impl Fn(u32, f64) -> Records) -> Dashboard {
    let mut model = model(tracks.len() as u128);
    let effects = send(&mut model, Event::Now(NOW));
    let mut asked = fetches(&effects);
    while let Some((request, deployment)) = asked.pop() {
        let place = (0..tracks.len()).find(|place| uuid(*place as u128) == deployment);
        let (fixes, latitude) = tracks[place.unwrap()];
        let outcome = Ok(loaded(records(fixes, latitude), NOW));
        asked.extend(fetches(&send(
            &mut model,
            updated((request, deployment), outcome),
        )));
    }
    model.before_frame();
    model
}

/// Marks the deployments with these numbers, in this order.
fn mark(model: &mut Dashboard, numbers: &[u128]) {
    for number in numbers {
        model.tabs.deployments.select(uuid(*number));
        press(model, KeyCode::Char(' '));
    }
}

fn letters(model: &Dashboard) -> Vec<(u128, usize)> {
    let marked = model.marked().into_iter();
    let number = |of: Uuid| of.as_u128() - uuid(0).as_u128();
    marked
        .map(|one| (number(one.deployment.id.uuid), one.mark.unwrap()))
        .collect()
}

fn colours(model: &Dashboard) -> Vec<(u128, Option<usize>)> {
    let number = |of: Uuid| of.as_u128() - uuid(0).as_u128();
    let drawn = model.tabs.track.drawn(&model.shared).into_iter();
    drawn
        .map(|one| (number(one.deployment.deployment.id.uuid), one.mark))
        .collect()
}

#[test]
fn all_that_are_marked_are_on_one_map_with_one_table_at_a_time() {
    let mut model = fleet(&[(100, 60.0), (100, 62.0), (100, 64.0), (100, 66.0)]);
    mark(&mut model, &[2, 0, 3]);
    press(&mut model, KeyCode::Char('2'));
    // The one under the cursor is open, and lies on top of the others.
    assert_eq!(model.deployments.open, Some(uuid(3)));
    let all = [(2, Some(0)), (0, Some(1)), (3, Some(2))];
    assert_eq!(colours(&model), all);
    let view = model.view().unwrap();
    for latitude in [60.0, 64.0, 66.0] {
        for longitude in [0.0, 1.98] {
            assert!(view.shows(Position {
                latitude,
                longitude
            }));
        }
    }
    // The next table is of the next of them, on the same map.
    for next in [2, 0, 3] {
        press(&mut model, KeyCode::Char('>'));
        assert_eq!(model.deployments.open, Some(uuid(next)));
        assert_eq!(model.view().unwrap(), view);
    }
    // With the cursor on one that is not marked, too, the tab shows those that are.
    press(&mut model, KeyCode::Char('1'));
    model.tabs.deployments.select(uuid(1));
    press(&mut model, KeyCode::Char('2'));
    assert_eq!(model.deployments.open, Some(uuid(2)));
    // One that is not marked is alone, in the colours of its own scale.
    press(&mut model, KeyCode::Char('1'));
    model.tabs.deployments.select(uuid(1));
    press(&mut model, KeyCode::Enter);
    assert_eq!(colours(&model), [(1, None)]);
}

#[test]
fn a_colour_stays_with_its_deployment_and_esc_takes_all_marks_back() {
    let mut model = fleet(&[(10, 60.0), (10, 62.0), (10, 64.0)]);
    mark(&mut model, &[0, 1, 2]);
    assert_eq!(letters(&model), [(0, 0), (1, 1), (2, 2)]);
    mark(&mut model, &[1]);
    assert_eq!(letters(&model), [(0, 0), (2, 2)]);
    mark(&mut model, &[1]);
    assert_eq!(letters(&model), [(0, 0), (1, 1), (2, 2)]);
    press(&mut model, KeyCode::Esc);
    assert_eq!(letters(&model), []);
    // One alone is drawn as if it were not marked.
    mark(&mut model, &[1]);
    press(&mut model, KeyCode::Char('2'));
    assert_eq!(colours(&model), [(1, None)]);
}

#[test]
fn the_cursor_shows_where_the_others_were_at_its_moment() {
    let mut model = fleet(&[(100, 60.0), (50, 62.0)]);
    mark(&mut model, &[0, 1]);
    press(&mut model, KeyCode::Char('2'));
    assert_eq!(model.tabs.track.cursor_moment(&model.shared), None);
    press(&mut model, KeyCode::Char('g'));
    for _ in 0..30 {
        press(&mut model, KeyCode::Char(']'));
    }
    let moment = model.tabs.track.cursor_moment(&model.shared).unwrap();
    let other = model
        .tabs
        .track
        .shown_track_of(&model.shared, uuid(1))
        .unwrap();
    let there = other.latest_at(moment).unwrap();
    assert_eq!((there.index, there.time_stamp), (30, moment));
    // Before its first fix it was nowhere, and behind its last one it is at that.
    let at = |time| other.latest_at(time).map(|fix| fix.index);
    assert_eq!((at(NOW - 1e6), at(NOW)), (None, Some(49)));
    // The moment stays with the table of another.
    press(&mut model, KeyCode::Char('>'));
    assert_eq!(model.tabs.track.cursor_moment(&model.shared), Some(moment));
}

#[test]
fn a_time_range_holds_for_every_track_of_the_map() {
    let mut model = fleet(&[(100, 60.0), (100, 62.0)]);
    mark(&mut model, &[0, 1]);
    press(&mut model, KeyCode::Char('2'));
    let effects = press(&mut model, KeyCode::Char('T'));
    carry_out(&mut model, effects);
    let fixes = |model: &Dashboard| -> Vec<usize> {
        let drawn = model.tabs.track.drawn(&model.shared).into_iter();
        drawn.map(|one| one.track.len()).collect()
    };
    assert_eq!(fixes(&model), [25, 25]);
    let effects = press(&mut model, KeyCode::Char('>'));
    carry_out(&mut model, effects);
    assert_eq!((fixes(&model), model.rows()), (vec![25, 25], 25));
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    assert_eq!(fixes(&model), [100, 100]);
}

#[test]
fn the_legend_has_the_age_of_a_last_fix_that_is_behind_the_time_range() {
    let mut model = fleet(&[(50, 60.0), (100, 60.5)]);
    mark(&mut model, &[0, 1]);
    model.tabs.deployments.select(uuid(0));
    press(&mut model, KeyCode::Enter);
    // The day up to the last fix of the first, two days ago.
    let effects = press(&mut model, KeyCode::Char('T'));
    carry_out(&mut model, effects);
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    for (letter, age) in [("A ━", " 2 d 3 h"), ("B ━", "buoy 1  1 h")] {
        let line = shown.lines().find(|line| line.contains(letter));
        assert!(line.is_some_and(|line| line.contains(age)), "{shown}");
    }
}

#[test]
fn of_forty_as_many_are_marked_as_there_are_letters() {
    let mut model = fleet(&[(3, 60.0); 40]);
    mark(&mut model, &(0..40).collect::<Vec<u128>>());
    assert_eq!(letters(&model).len(), 26);
    let said = said(&model);
    assert_eq!(said, "26 are marked, which is the most on one map");
    press(&mut model, KeyCode::Char('2'));
    // More names than the map has room for are counted.
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(
        shown.contains("A ━ buoy 0") && shown.contains(" more"),
        "{shown}"
    );
}

#[test]
fn without_colours_letters_and_names_tell_the_tracks_apart() {
    let mut model = fleet(&[(100, 60.0), (60, 62.0)]);
    mark(&mut model, &[1, 0]);
    press(&mut model, KeyCode::Char('2'));
    let plain = Capabilities {
        colour: false,
        unicode: false,
        ..Capabilities::default()
    };
    let shown = screen(&mut model, 120, 40, plain);
    assert!(
        shown.contains("A = buoy 1") && shown.contains("B = buoy 0"),
        "{shown}"
    );
    // Buoy 1 is overdue: a cross is where its track ends, with its letter.
    assert!(
        shown.contains("x A buoy 1") || shown.contains("A buoy 1 x"),
        "{shown}"
    );
}

/// Reads the fields that an effect asks for, as the program does.
fn read(model: &mut Dashboard, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::ReadFields { track, others, .. } = effect {
            let (whole, rows) = (Arc::clone(track.track()), track.fields().clone());
            let charts = crate::map::FieldCharts::with_distances(whole, rows, &others);
            let outcome = Ok(Arc::new(charts));
            send(model, Event::FieldsRead { track, outcome });
        }
    }
}

/// From the first, at 60° N, to the second and the third a degree and two to the north, of
/// 60.2 nm each; the tables change, and what is shown with them.
#[test]
fn the_distance_to_each_of_the_others_is_a_line_of_the_timeline() {
    let mut model = fleet(&[(100, 60.0), (100, 61.0), (50, 62.0)]);
    mark(&mut model, &[0, 1, 2]);
    model.tabs.deployments.select(uuid(0));
    let effects = press(&mut model, KeyCode::Enter);
    read(&mut model, effects);
    let names = |model: &Dashboard| -> Vec<String> {
        let charts = model.tabs.track.fields.charts.as_ref().unwrap();
        charts.names().map(str::to_owned).collect()
    };
    let label = |number: u128| model.deployments.get(uuid(number)).unwrap().name();
    let expected = [1, 2].map(|number| format!("nm to {}", label(number)));
    assert_eq!(names(&model), expected);
    let reader = model.tabs.track.shown_fields(&model.shared).unwrap();
    let second = reader.reader(&expected[0]).unwrap();
    let third = reader.reader(&expected[1]).unwrap();
    assert!(
        (second(40).unwrap() - 60.17).abs() < 0.05,
        "{:?}",
        second(40)
    );
    // The third ended half-way.
    assert!(third(40).is_some() && third(60).is_none());
    drop((second, third));
    drop(reader);
    // They are constant here and make no line, but are among the fields of a fix; one that
    // is unmarked is gone.
    model.deployments.get_mut(uuid(2)).unwrap().mark = None;
    let effects = send(&mut model, Event::Now(NOW + 1.0));
    read(&mut model, effects);
    assert_eq!(names(&model), expected[..1]);
    // Of a track alone there is none.
    press(&mut model, KeyCode::Char('1'));
    press(&mut model, KeyCode::Esc);
    let effects = press(&mut model, KeyCode::Char('2'));
    read(&mut model, effects);
    assert!(names(&model).is_empty());
}

/// The marks whose colours the timeline has, and the text of the screen.
fn colours_of_timeline(model: &mut Dashboard) -> (Vec<usize>, String) {
    let shown = screen(model, 160, 48, Capabilities::default());
    let theme = Theme::new(Capabilities::default());
    let mut terminal = Terminal::new(TestBackend::new(160, 48)).unwrap();
    terminal
        .draw(|frame| {
            draw(frame.buffer_mut(), model, theme, &mut Memory::default());
        })
        .unwrap();
    let buffer = terminal.backend().buffer();
    let area = model.layout().timeline;
    let marks = (0..6).filter(|mark| {
        let style = theme.track(*mark);
        let is_drawn = |at| {
            buffer
                .cell(at)
                .is_some_and(|cell| Some(cell.fg) == style.fg)
        };
        area.positions().any(is_drawn)
    });
    (marks.collect(), shown)
}

/// Three that drift apart, with a field.
#[test]
fn the_timeline_has_the_chosen_quantity_of_all_that_are_marked_in_the_colours_of_the_map() {
    let tracks = [(100, 60.0), (100, 61.0), (60, 62.0)];
    let mut model = fleet_with(&tracks, |fixes, latitude| {
        let fixes = (0..fixes).map(|n| {
            let n = f64::from(n);
            let time = NOW - 100.0 * 3600.0 + 3600.0 * n;
            (time, latitude, 0.02 * (latitude - 59.0) * n)
        });
        let value = |_, record: usize| Some(latitude - 50.0 + 0.01 * record as f64);
        with_fields(fixes, &["sst".to_owned()], value)
    });
    mark(&mut model, &[0, 1, 2]);
    model.tabs.deployments.select(uuid(0));
    let effects = press(&mut model, KeyCode::Enter);
    read(&mut model, effects);
    let (marks, shown) = colours_of_timeline(&mut model);
    assert_eq!(marks, [0, 1, 2], "{shown}");
    let title = |shown: &str, words: &str| {
        let mut lines = shown.lines();
        lines.find(|line| line.contains(words)).unwrap().to_owned()
    };
    let line = title(&shown, "Speed over ground kn");
    assert!(
        line.contains("A buoy 0") && line.contains("B buoy 1"),
        "{line}"
    );
    // The third ended 41 hours ago: its line goes on as a shade in its colour.
    assert!(line.contains("C buoy 2 silent 1 d 17 h"), "{line}");
    assert!(shown.contains("▒▒▒▒▒▒"), "{shown}");
    // The fields of the others are read once one is shown.
    let effects = press(&mut model, KeyCode::Char('v'));
    let asked = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::ReadFields { .. }));
    assert_eq!(asked.count(), 2);
    assert_eq!(colours_of_timeline(&mut model).0, [0]);
    read(&mut model, effects);
    let (marks, shown) = colours_of_timeline(&mut model);
    assert_eq!(marks, [0, 1, 2], "{shown}");
    let line = title(&shown, "━ sst");
    assert!(
        line.contains("A buoy 0 10.99") && line.contains("B buoy 1 11.99"),
        "{line}"
    );
    // The distances to all, in their colours.
    press(&mut model, KeyCode::Char('v'));
    let (marks, shown) = colours_of_timeline(&mut model);
    assert_eq!(marks, [1, 2], "{shown}");
    let line = title(&shown, "━ nm from A");
    assert!(
        line.contains("B buoy 1 ") && line.contains("C buoy 2 silent 1 d 17 h"),
        "{line}"
    );
    // One number for the distance: that of the title is that of the summary, and the legend of
    // the map has none.
    let value = line
        .split("B buoy 1 ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let summary = title(&shown, "cursor 2026");
    assert!(
        summary.contains(&format!("nm to buoy 1 {}", value.unwrap())),
        "{shown}"
    );
    let legend = title(&shown, "B ━ buoy 1");
    assert!(
        !legend.split('│').next().unwrap().contains("nm"),
        "{legend}"
    );
    // Alone, too, the pane has its quantity and range, and the name of the instrument.
    press(&mut model, KeyCode::Char('z'));
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let shown = screen(&mut model, width, height, Capabilities::default());
        let line = title(&shown, "nm from A");
        assert!(line.contains("buoy 0 · nm from A ━"), "{line}");
        assert!(
            line.contains("B ") && (line.contains(" to ") || width < 80),
            "{line}"
        );
        // It is named at every size, and if there is room whose range it is.
        assert!(line.contains("silent"), "{line}");
        assert!(line.contains("B: ") || width < 80, "{line}");
    }
}

#[test]
fn each_of_several_at_one_place_has_its_letter_on_the_map() {
    let mut model = fleet(&[(100, 60.0), (100, 60.0), (100, 60.0)]);
    mark(&mut model, &[0, 1, 2]);
    press(&mut model, KeyCode::Char('2'));
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    let map = shown
        .lines()
        .find(|line| line.contains('◆') && line.contains('▷'));
    let map = map.unwrap_or_default();
    assert!(
        ["A", "B", "C"].iter().all(|letter| map.contains(letter)),
        "{shown}"
    );
}
