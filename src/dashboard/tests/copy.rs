//! Copy, and its further forms.

use super::*;

fn copied(model: &mut Dashboard) -> String {
    match press(model, KeyCode::Char('y')).as_slice() {
        [Effect::Copy(text)] => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_press_copies_the_next_form_of_the_same_row() {
    let mut model = with_track(5);
    press(&mut model, KeyCode::Char('c'));
    let first = copied(&mut model);
    assert_eq!(first, "80°00.240′N 010°00.000′E");
    assert!(copied(&mut model).ends_with("Z 80.004 10"));
    let row = copied(&mut model);
    assert_eq!(row.split(',').count(), 7, "{row}");
    assert_eq!(copied(&mut model), uuid(0).to_string());
    assert_eq!(copied(&mut model), first);
    copied(&mut model);
    // Another row, and another action, begin again.
    press(&mut model, KeyCode::Char('k'));
    assert_eq!(copied(&mut model), "80°00.180′N 010°00.000′E");
    press(&mut model, KeyCode::Char('1'));
    assert_eq!(copied(&mut model), "80°00.240′N 010°00.000′E");
    assert!(copied(&mut model).ends_with(",80.004,10"));
    assert_eq!(copied(&mut model), uuid(0).to_string());
}

#[test]
fn where_there_is_no_row_that_is_said() {
    let mut model = model(0);
    assert_eq!(press(&mut model, KeyCode::Char('y')), vec![]);
    assert_eq!(said(&model), "there is no row to copy");
}

#[test]
fn further_forms_are_of_what_was_copied_wherever_its_row_is() {
    for is_chosen in [false, true] {
        let mut model = model(3);
        fetched_at_start(&mut model, |_| Ok(arrival(5)));
        model.before_frame();
        model.tabs.deployments.is_chosen = is_chosen;
        assert!(copied(&mut model).starts_with("80.00400°N"));
        model.tabs.deployments.is_chosen = is_chosen;
        // Another program renames it: its row is the last one.
        let one = &mut model.deployments.list[0];
        one.deployment.label = Some("z".to_owned());
        model.arrange_deployments();
        let next = copied(&mut model);
        match is_chosen {
            // The cursor stays on the first row, which is another now.
            false => assert!(next.starts_with("80.00400°N"), "{next}"),
            true => assert!(next.starts_with("z,"), "{next}"),
        }
    }
}
