//! The time range, and the map's mouse.

use super::*;
use crate::dashboard::key::{Mouse, MouseKind};
use crate::dashboard::theme::Capabilities;

/// A model with a track of a hundred fixes, ten minutes apart, on the screen.
fn opened() -> Dashboard {
    let mut model = model(1);
    let effects = send(&mut model, Event::Now(NOW));
    let (request, deployment) = fetches(&effects)[0];
    send(&mut model, updated((request, deployment), Ok(arrival(100))));
    press(&mut model, KeyCode::Char('2'));
    model
}

fn mouse(model: &mut Dashboard, kind: MouseKind, column: u16, row: u16) -> Vec<Effect> {
    let mouse = Mouse { kind, column, row };
    send(model, Event::Mouse(mouse))
}

/// Drags over the middle half of the timeline.
fn drag(model: &mut Dashboard) {
    let timeline = model.layout().timeline;
    let (from, to) = (
        timeline.x + timeline.width / 4,
        timeline.x + timeline.width * 3 / 4,
    );
    mouse(model, MouseKind::Press, to, timeline.y + 1);
    mouse(model, MouseKind::Drag, from + 3, timeline.y + 1);
    // The mouse may leave the timeline during a drag.
    mouse(model, MouseKind::Drag, from, 2);
    let effects = mouse(model, MouseKind::Release, from, 2);
    carry_out(model, effects);
}

#[test]
fn a_drag_on_the_timeline_keeps_table_map_and_summary_to_its_time() {
    let mut model = opened();
    drag(&mut model);
    let shown = shown_track(&model).len();
    assert!((45..=55).contains(&shown), "{shown}");
    assert_eq!(
        (model.rows(), model.full_track().unwrap().len()),
        (shown, 100)
    );
    let view = model.view().unwrap();
    let part = shown_track(&model);
    assert!(part.fixes().all(|fix| view.shows(fix.position)));
    let first = model.full_track().unwrap().fix(0).unwrap();
    // The map is about the middle of the range, which is in the track's middle.
    assert!(view.centre.latitude > first.position.latitude + 0.03);
}

#[test]
fn the_first_fix_of_a_time_range_keeps_its_leg_which_is_in_no_sum() {
    let mut model = opened();
    drag(&mut model);
    let (part, whole) = (shown_track(&model), model.full_track().unwrap());
    let first = part.fix(0).unwrap();
    let in_whole = whole
        .fixes()
        .position(|fix| fix.time_stamp == first.time_stamp);
    assert_eq!(part.leg(0), None);
    assert_eq!(
        model.tabs.track.leg_into_range(&model.shared, 0),
        whole.leg(in_whole.unwrap())
    );
    assert!(model.tabs.track.leg_into_range(&model.shared, 0).is_some());
    assert_eq!(model.tabs.track.leg_into_range(&model.shared, 1), None);
    let legs: f64 = (0..part.len())
        .filter_map(|fix| part.leg(fix))
        .map(|leg| leg.distance_m)
        .sum();
    assert!((part.summary().length_m - legs).abs() < 1e-6);
}

#[test]
fn the_title_of_the_timeline_has_the_speed_of_the_first_fix_as_the_table_has() {
    use super::screens::screen;
    let mut model = opened();
    drag(&mut model);
    press(&mut model, KeyCode::Char('g'));
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    let summary = shown.rsplit("SOG ").next();
    let summary = summary.and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
    let title = shown
        .lines()
        .find(|line| line.contains("Speed over ground"));
    let title = title.and_then(|line| line.split("◆ ").nth(1)?.split(' ').next()?.parse().ok());
    assert!(title.is_some() && title == summary, "{shown}");
}

#[test]
fn esc_shows_the_whole_track_again_with_the_cursor_where_it_was() {
    let mut model = opened();
    drag(&mut model);
    press(&mut model, KeyCode::Char('g'));
    let time = |model: &Dashboard| {
        let track = shown_track(model);
        track.fix(model.tabs.track.cursor).unwrap().time_stamp
    };
    let before = time(&model);
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.rows(), 100);
    assert_eq!(time(&model), before);
}

#[test]
fn a_click_on_the_timeline_moves_the_cursor_and_sets_no_time_range() {
    let mut model = opened();
    let timeline = model.layout().timeline;
    mouse(&mut model, MouseKind::Press, timeline.x, timeline.y + 1);
    assert!(mouse(&mut model, MouseKind::Release, timeline.x, timeline.y + 1).is_empty());
    assert_eq!(model.tabs.track.cursor, 0);
    assert!(model.tabs.track.time_range.is_none());
}

#[test]
fn the_time_range_can_be_set_by_keyboard() {
    let mut model = opened();
    press(&mut model, KeyCode::Char('g'));
    for _ in 0..10 {
        press(&mut model, KeyCode::Char(']'));
    }
    let effects = press(&mut model, KeyCode::Char('{'));
    carry_out(&mut model, effects);
    assert_eq!(model.rows(), 90);
    press(&mut model, KeyCode::Char('g'));
    for _ in 0..9 {
        press(&mut model, KeyCode::Char(']'));
    }
    let effects = press(&mut model, KeyCode::Char('}'));
    carry_out(&mut model, effects);
    assert_eq!(model.rows(), 10);
}

#[test]
fn a_refresh_cuts_the_time_range_from_the_new_track() {
    let mut model = opened();
    drag(&mut model);
    let effects = press(&mut model, KeyCode::Char('r'));
    let (request, deployment) = fetches(&effects)[0];
    let outcome = Ok(arrival(100));
    let effects = send(&mut model, updated((request, deployment), outcome));
    let asked = effects
        .iter()
        .any(|effect| matches!(effect, Effect::Compute(_)));
    assert!(asked, "{effects:?}");
}

#[test]
fn a_part_that_is_no_longer_wanted_is_not_shown() {
    let mut model = opened();
    let timeline = model.layout().timeline;
    mouse(
        &mut model,
        MouseKind::Press,
        timeline.x + 10,
        timeline.y + 1,
    );
    mouse(&mut model, MouseKind::Drag, timeline.x + 40, timeline.y + 1);
    let effects = mouse(
        &mut model,
        MouseKind::Release,
        timeline.x + 40,
        timeline.y + 1,
    );
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    carry_out(&mut model, effects);
    assert_eq!(model.rows(), 100);
}

#[test]
fn the_wheel_zooms_about_itself_and_nine_shows_the_globe() {
    let mut model = opened();
    let map = model.layout().map;
    let (column, row) = (map.x + map.width / 4, map.y + map.height / 4);
    mouse(&mut model, MouseKind::WheelUp, column, row);
    let before = model.view().unwrap();
    let under = model.position_in((column, row)).unwrap();
    mouse(&mut model, MouseKind::WheelUp, column, row);
    let after = model.view().unwrap();
    assert!(after.metres_a_column < before.metres_a_column);
    let (x, y) = after.cell(under).unwrap();
    let here = (
        f64::from(column - map.x) + 0.5,
        f64::from(row - map.y) + 0.5,
    );
    assert!(
        (x - here.0).abs() < 0.6 && (y - here.1).abs() < 0.6,
        "{x} {y} {here:?}"
    );
    press(&mut model, KeyCode::Char('9'));
    assert_eq!(model.view().unwrap().projection.name(), "globe");
    press(&mut model, KeyCode::Char('0'));
    assert_eq!(
        model.view().unwrap().projection.name(),
        "polar stereographic, north"
    );
}

#[test]
fn presets_end_at_the_latest_fix_while_the_cursor_is_on_its_day_and_esc_shows_all() {
    // 600 fixes, one each ten minutes: a bit over four days.
    let mut model = with_track(600);
    let span = |model: &Dashboard| {
        let track = shown_track(model);
        let (first, last) = track.ends().unwrap();
        (first, last, track.len())
    };
    let (first, last, all) = span(&model);
    let effects = press(&mut model, KeyCode::Char('T'));
    carry_out(&mut model, effects);
    assert_eq!(span(&model), (last - 86_400.0, last, 145));
    // A week is longer than the track; then thirty days; then all again.
    for range in [Some(7.0), Some(30.0), None] {
        let effects = press(&mut model, KeyCode::Char('T'));
        carry_out(&mut model, effects);
        let shown = model
            .tabs
            .track
            .time_range
            .as_ref()
            .map(|range| range.range);
        assert_eq!(shown, range.map(|days| (last - days * 86_400.0, last)));
        assert_eq!(span(&model), (first, last, all));
    }
}

#[test]
fn a_preset_begins_with_the_day_of_a_cursor_that_is_on_an_earlier_one() {
    let mut model = with_track(600);
    press(&mut model, KeyCode::Char('g'));
    for _ in 0..150 {
        press(&mut model, KeyCode::Char(']'));
    }
    let here = shown_track(&model).fix(150).unwrap().time_stamp;
    let effects = press(&mut model, KeyCode::Char('T'));
    carry_out(&mut model, effects);
    let from = (here / 86_400.0).floor() * 86_400.0;
    let range = model.tabs.track.time_range.as_ref().unwrap().range;
    // The fix of the next midnight is of the next day.
    let track = shown_track(&model);
    assert_eq!((range.0, track.len()), (from, 144));
    assert_eq!(track.fix(model.tabs.track.cursor).unwrap().time_stamp, here);
}

/// The parts of the track that the export's form offers, with their numbers of fixes.
fn offered(model: &mut Dashboard) -> Vec<(&'static str, usize)> {
    press(model, KeyCode::Char('E'));
    let Some(Dialog::Export(form)) = model.dialogs.last() else {
        panic!("no dialog");
    };
    form.scopes(model)
        .iter()
        .map(|scope| (scope.name, scope.fixes))
        .collect()
}

#[test]
fn the_export_offers_the_time_range_before_the_whole_track() {
    let mut model = with_track(600);
    let effects = press(&mut model, KeyCode::Char('T'));
    carry_out(&mut model, effects);
    assert_eq!(
        offered(&mut model),
        [("time range", 145), ("whole track", 600)]
    );
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    assert_eq!(offered(&mut model), [("whole track", 600)]);
}
