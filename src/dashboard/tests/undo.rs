//! Local changes and their undo.

use super::deployments::next_platform;
use super::*;
use crate::track::Flag;

/// Confirms the question on the screen.
fn confirm(model: &mut Dashboard, code: KeyCode) -> Vec<Effect> {
    seen(model);
    press(model, code)
}

/// Presses `U` and answers its effect as an archive would that has, or has not,
/// what the dashboard last wrote; returns the effects of the answer.
fn undo(model: &mut Dashboard, unchanged: bool) -> Vec<Effect> {
    let effects = press(model, KeyCode::Char('U'));
    let [Effect::Undo(change)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let change = change.clone();
    send(
        model,
        Event::Undone {
            change,
            outcome: Ok(unchanged),
        },
    )
}

#[test]
fn a_removal_asks_first_and_its_key_does_nothing_else() {
    let mut model = model(2);
    assert_eq!(press(&mut model, KeyCode::Char('D')), vec![]);
    // Typed ahead of the question: nothing is removed and nothing copied.
    assert_eq!(press(&mut model, KeyCode::Char('y')), vec![]);
    assert_eq!(confirm(&mut model, KeyCode::Enter), vec![]);
    assert_eq!(model.deployments.list.len(), 2);
    press(&mut model, KeyCode::Char('D'));
    let effects = confirm(&mut model, KeyCode::Char('y'));
    assert!(effects.contains(&Effect::Unwatch(uuid(0))), "{effects:?}");
    assert_eq!(model.deployments.list.len(), 1);
    assert!(said(&model).contains("buoy 0"), "{}", said(&model));
}

#[test]
fn one_taken_off_the_list_comes_back_with_all_that_was_set_for_it() {
    let mut model = model(2);
    press(&mut model, KeyCode::Char('e'));
    super::limits::go_to(&mut model, "maximum age");
    type_text(&mut model, "6h");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('e'));
    super::limits::go_to(&mut model, "notes");
    type_text(&mut model, "off Barentsburg");
    press(&mut model, KeyCode::Enter);
    let set = model.deployments.get(uuid(0)).unwrap().deployment.clone();
    press(&mut model, KeyCode::Char('D'));
    confirm(&mut model, KeyCode::Char('y'));
    let effects = undo(&mut model, true);
    assert!(
        matches!(effects[0], Effect::LoadStored { deployment, .. } if deployment == uuid(0)),
        "{effects:?}"
    );
    let selected = model.selected().unwrap();
    assert_eq!(selected.deployment, set);
    assert_eq!(said(&model), "undone: buoy 0 is on the list again");
}

#[test]
fn one_that_was_added_again_is_not_restored_a_second_time() {
    let mut model = model(2);
    press(&mut model, KeyCode::Char('D'));
    confirm(&mut model, KeyCode::Char('y'));
    press(&mut model, KeyCode::Char('a'));
    type_text(&mut model, &uuid(0).to_string());
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.deployments.list.len(), 2);
    assert_eq!(press(&mut model, KeyCode::Char('U')), vec![]);
    assert_eq!(model.deployments.list.len(), 2);
}

#[test]
fn each_change_is_named_and_taken_back_in_turn() {
    let mut model = model(1);
    next_platform(&mut model);
    assert_eq!(said(&model), "U undo  buoy 0: platform float (was drifter)");
    press(&mut model, KeyCode::Char('e'));
    press(&mut model, KeyCode::End);
    type_text(&mut model, "!");
    press(&mut model, KeyCode::Enter);
    assert_eq!(said(&model), "U undo  buoy 0: label buoy 0! (was buoy 0)");
    undo(&mut model, true);
    assert_eq!(said(&model), "undone: buoy 0!: label buoy 0 (was buoy 0!)");
    undo(&mut model, true);
    assert_eq!(said(&model), "undone: buoy 0: platform drifter (was float)");
    let entry = &model.deployments.get(uuid(0)).unwrap().deployment;
    assert_eq!(entry.platform, Platform::Drifter);
    assert_eq!(press(&mut model, KeyCode::Char('U')), vec![]);
    assert_eq!(said(&model), "nothing to undo in this session");
}

#[test]
fn what_another_program_changed_since_is_not_overwritten() {
    let mut model = model(1);
    next_platform(&mut model);
    assert_eq!(undo(&mut model, false), vec![]);
    assert_eq!(
        said(&model),
        "platform of buoy 0 not undone: another program has changed it since"
    );
    let entry = &model.deployments.get(uuid(0)).unwrap().deployment;
    assert_eq!(entry.platform, Platform::Float);
}

#[test]
fn an_edit_of_what_another_program_changed_since_is_told_and_its_undo_too() {
    let mut model = model(1);
    let edit = next_platform(&mut model).remove(0);
    let Effect::Watch { before, after, .. } = edit else {
        panic!("{edit:?}");
    };
    let (before, after) = (Box::new(before.unwrap()), Box::new(after));
    let effects = send(&mut model, Event::NotStored { before, after });
    assert_eq!(
        effects,
        [Effect::LookForChanges {
            edits: 1,
            again: true
        }]
    );
    assert_eq!(
        said(&model),
        "another program changed platform of buoy 0 since; shown now; do it again"
    );
    assert!(model.messages.notice.as_ref().unwrap().is_warning);
    // The archive refuses it.
    let effects = press(&mut model, KeyCode::Char('U'));
    let [Effect::Undo(change)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let (change, outcome) = (change.clone(), Ok(false));
    send(&mut model, Event::Undone { change, outcome });
    assert_eq!(
        said(&model),
        "platform of buoy 0 not undone: another program has changed it since"
    );
}

#[test]
fn the_warning_of_a_removed_archive_stays_until_esc() {
    let mut model = model(1);
    let words = "the archive was removed".to_owned();
    send(&mut model, Event::ArchiveLost(words.clone()));
    next_platform(&mut model);
    send(
        &mut model,
        Event::Warning(failure(FailureKind::Unreachable)),
    );
    let later = model.now + 1e6;
    send(&mut model, Event::Now(later));
    assert_eq!(said(&model), words);
    press(&mut model, KeyCode::Esc);
    assert!(model.messages.notice.is_none());
}

#[test]
fn an_undo_that_the_archive_refuses_can_be_tried_again() {
    let mut model = model(1);
    next_platform(&mut model);
    let effects = press(&mut model, KeyCode::Char('U'));
    let [Effect::Undo(change)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let change = change.clone();
    send(
        &mut model,
        Event::Undone {
            change,
            outcome: Err(failure(FailureKind::Other)),
        },
    );
    assert!(model.messages.notice.as_ref().unwrap().is_warning);
    undo(&mut model, true);
    let entry = &model.deployments.get(uuid(0)).unwrap().deployment;
    assert_eq!(entry.platform, Platform::Drifter);
}

#[test]
fn an_override_is_taken_back_on_its_own_fix() {
    let mut model = with_track(5);
    let effects = press(&mut model, KeyCode::Char('x'));
    carry_out(&mut model, effects);
    press(&mut model, KeyCode::Char('g'));
    let effects = undo(&mut model, true);
    carry_out(&mut model, effects);
    assert_eq!(shown_track(&model).fix(4).unwrap().flag, Flag::Pass);
    assert_eq!(model.tabs.track.cursor, 0);
    assert!(
        said(&model).starts_with("undone: buoy 0: fix "),
        "{}",
        said(&model)
    );
}
