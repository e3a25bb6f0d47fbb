//! Computations for a long track beside the thread that draws, and their message.

use super::*;

fn rows_of(effect: &Effect) -> Event {
    let Effect::Arrange {
        track, arrangement, ..
    } = effect
    else {
        panic!("{effect:?}");
    };
    Event::Arranged {
        track: Arc::clone(track),
        arrangement: arrangement.clone(),
        rows: arrangement.rows(track, |_| None).map(Arc::new),
    }
}

#[test]
fn a_sort_is_told_until_the_rows_of_the_last_one_are_there() {
    let mut model = with_track(10_000);
    assert_eq!(model.computing(), None);
    let first = press(&mut model, KeyCode::Char('s'));
    assert_eq!(model.computing(), Some("sorting"));
    let second = press(&mut model, KeyCode::Char('s'));
    // Rows of the sort before are not shown, and do not end it.
    send(&mut model, rows_of(&first[0]));
    assert_eq!(model.computing(), Some("sorting"));
    assert!(model.track.order.is_none());
    send(&mut model, rows_of(&second[0]));
    assert_eq!(model.computing(), None);
    assert!(model.track.order.is_some());
    press(&mut model, KeyCode::Char('s'));
    press(&mut model, KeyCode::Char('1'));
    assert_eq!(model.computing(), None, "it is told on Track alone");
}

#[test]
fn flags_that_are_computed_again_are_told_and_a_short_track_is_not() {
    let mut model = with_track(10_000);
    let effects = press(&mut model, KeyCode::Char('x'));
    assert_eq!(model.computing(), Some("computing flags"));
    carry_out(&mut model, effects);
    assert_eq!(model.computing(), None);
    let mut short = with_track(100);
    press(&mut short, KeyCode::Char('s'));
    press(&mut short, KeyCode::Char('x'));
    assert_eq!(short.computing(), None);
}
