//! Computations for a long track in other threads than the one that draws, and their message.

use super::*;

#[test]
fn a_sort_is_told_until_the_rows_of_the_last_one_are_there() {
    let mut model = with_track(10_000);
    assert!(!model.tabs.track.is_computing(&model.shared));
    let first = press(&mut model, KeyCode::Char('s'));
    assert!(model.tabs.track.is_computing(&model.shared));
    let second = press(&mut model, KeyCode::Char('s'));
    // The first sort is cancelled. Rows of it that come all the same are not shown, and do
    // not end the second.
    let [Effect::Compute(job)] = &first[..] else {
        panic!("{first:?}");
    };
    assert_eq!(second[0], Effect::Cancel(job.request));
    carry_out(&mut model, first);
    assert!(model.tabs.track.is_computing(&model.shared));
    assert!(model.tabs.track.order.is_none());
    carry_out(&mut model, second);
    assert!(!model.tabs.track.is_computing(&model.shared));
    assert!(model.tabs.track.order.is_some());
    press(&mut model, KeyCode::Char('s'));
    press(&mut model, KeyCode::Char('1'));
    assert!(
        !model.tabs.track.is_computing(&model.shared),
        "it is told on Track alone"
    );
}

#[test]
fn flags_that_are_computed_again_are_told_and_a_short_track_is_not() {
    let mut model = with_track(10_000);
    let effects = press(&mut model, KeyCode::Char('x'));
    assert!(model.tabs.track.is_computing(&model.shared));
    carry_out(&mut model, effects);
    assert!(!model.tabs.track.is_computing(&model.shared));
    let mut short = with_track(100);
    press(&mut short, KeyCode::Char('s'));
    press(&mut short, KeyCode::Char('x'));
    assert!(!short.tabs.track.is_computing(&short.shared));
}

#[test]
fn what_is_found_for_an_earlier_text_or_order_is_not_shown() {
    let mut model = with_track(10_000);
    press(&mut model, KeyCode::Char('/'));
    let first = type_text(&mut model, "pa");
    let second = type_text(&mut model, "ss");
    carry_out(&mut model, first);
    assert!(model.screen.search.as_ref().unwrap().rows.is_none());
    // The rows are sorted before the text is found.
    press(&mut model, KeyCode::Enter);
    let sorted = press(&mut model, KeyCode::Char('s'));
    carry_out(&mut model, sorted);
    let found = model.screen.search.as_ref().unwrap().rows.clone().unwrap();
    carry_out(&mut model, second);
    let rows = &model.screen.search.as_ref().unwrap().rows;
    assert!(Arc::ptr_eq(rows.as_ref().unwrap(), &found));
}
