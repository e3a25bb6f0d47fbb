//! The watch list on its tab: its order, its entries, and what changes them.

use super::*;

/// The names of the rows, as they are shown.
fn rows(model: &Model) -> Vec<String> {
    model.deployments.shown().map(|one| one.name()).collect()
}

fn stored(model: &mut Model, number: u128, fixes: u32) {
    let event = Event::Stored {
        deployment: uuid(number),
        overrides: Default::default(),
        loaded: Some(arrival(fixes)),
    };
    send(model, event);
}

#[test]
fn of_many_tracks_that_arrive_the_list_is_sorted_once_before_the_next_frame() {
    let mut model = model(3);
    press(&mut model, KeyCode::Char('j'));
    let before = rows(&model);
    // On time, which is last: the worst stands first.
    stored(&mut model, 0, 9);
    stored(&mut model, 2, 9);
    assert_eq!(rows(&model), before, "a key acts on the row that is seen");
    send(&mut model, Event::BeforeFrame);
    assert_eq!(rows(&model), ["buoy 1", "buoy 0", "buoy 2"]);
    let selected = model.deployments.selected().unwrap();
    assert_eq!(selected.name(), "buoy 1", "the cursor stays on its row");
}
