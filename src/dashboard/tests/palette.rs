//! The command palette.

use super::*;
use crate::dashboard::dialogs::palette::Palette;

fn palette(model: &Dashboard) -> &Palette {
    match model.dialogs.last() {
        Some(Dialog::Palette(palette)) => palette,
        other => panic!("{other:?}"),
    }
}

fn labels(model: &Dashboard) -> Vec<String> {
    let lines = palette(model).found(&model.shell).into_iter();
    lines.map(|line| line.label).collect()
}

#[test]
fn an_action_is_found_by_a_few_letters() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "exp");
    let first = &palette(&model).found(&model.shell)[0];
    assert_eq!(first.label, "Export the track to a file");
    press(&mut model, KeyCode::Enter);
    assert!(matches!(model.dialogs.last(), Some(Dialog::Export(_))));
}

#[test]
fn a_deployment_is_found_by_its_name_and_opened() {
    let mut model = model(12);
    press(&mut model, KeyCode::Char(':'));
    assert!(!labels(&model).iter().any(|label| label == "Open buoy 1"));
    type_text(&mut model, "buoy 11");
    assert_eq!(labels(&model), ["Open buoy 11"]);
    press(&mut model, KeyCode::Enter);
    assert_eq!(
        (model.screen.tab, model.deployments.open),
        (TabId::Track, Some(uuid(11)))
    );
}

#[test]
fn an_action_is_found_by_another_word_for_it() {
    let mut model = with_track(3);
    for (typed, label) in [
        ("compare", "Mark for one map; again: unmark"),
        ("bad", "Next flagged fix or data gap"),
        ("next wrong", "Next flagged fix or data gap"),
        ("helicopter", "Where to look for it: forecast, distance"),
        ("geofence", "Edit label, watch circle, limits, notes"),
        ("clipboard", "Copy; again: in another form"),
        ("week", "Time range: 1, 7, 30 days, all"),
        ("where", "Where to look for it: forecast, distance"),
        ("lost", "Where to look for it: forecast, distance"),
        ("find", "Find in the rows"),
        ("silence", "Alarms: acknowledge, snooze"),
        ("mute", "Alarms: acknowledge, snooze"),
        ("ack", "Acknowledge the alarm"),
        ("battery", "Find in the rows"),
        ("delete", "Delete a plant, or those that are marked"),
        ("export", "Export the track to a file"),
        ("zoom", "Zoom in"),
        ("filter", "Filter the rows"),
    ] {
        press(&mut model, KeyCode::Char(':'));
        type_text(&mut model, typed);
        let found = labels(&model);
        let is_near_top = found.iter().take(4).any(|found| *found == label);
        assert!(is_near_top, "{typed}: {found:?}");
        press(&mut model, KeyCode::Esc);
    }
}

#[test]
fn a_command_of_another_tab_shows_it_first() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('4'));
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "go to a time");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.screen.tab, TabId::Track);
    let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
        panic!("no field");
    };
    assert_eq!(prompt.field.text(), "@");
}

#[test]
fn the_best_match_comes_first_and_of_equal_ones_the_first_of_the_keymap() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "nxtprj");
    assert_eq!(labels(&model)[0], "Next projection");
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "zoom");
    assert_eq!(labels(&model)[..2], ["Zoom in", "Zoom out"]);
}

#[test]
fn the_words_of_a_query_are_found_in_any_order() {
    let mut model = with_track(3);
    for (typed, label) in [
        ("export csv", "Export the track to a file"),
        ("csv export", "Export the track to a file"),
        ("picture", "Export the track to a file"),
        ("png", "Export the track to a file"),
        ("file track", "Export the track to a file"),
        ("plant delete", "Delete a plant, or those that are marked"),
        ("range time", "Time range: 1, 7, 30 days, all"),
        ("time go", "Go to a time (/@time) or a fix (/#number)"),
        ("next deployment", "Next deployment of the list"),
        ("deployment next", "Next deployment of the list"),
        ("0 buoy", "Open buoy 0"),
    ] {
        press(&mut model, KeyCode::Char(':'));
        type_text(&mut model, typed);
        assert_eq!(
            labels(&model).first().map(String::as_str),
            Some(label),
            "{typed}"
        );
        press(&mut model, KeyCode::Esc);
    }
}

#[test]
fn help_is_searched_by_words_in_any_order_and_by_the_keys_that_find() {
    let mut model = with_track(3);
    let go = "Go to a time (/@time) or a fix (/#number)";
    for (typed, label) in [
        ("time", go),
        ("date", go),
        ("@", go),
        ("/@time", go),
        ("/time", go),
        ("time go", go),
        ("/", "Find in the rows"),
    ] {
        press(&mut model, KeyCode::Char('?'));
        type_text(&mut model, typed);
        let Some(Dialog::Help(help)) = model.dialogs.last() else {
            panic!("no help");
        };
        let found: Vec<&str> = help.bindings().iter().map(|key| key.label).collect();
        assert!(found.contains(&label), "{typed}: {found:?}");
        press(&mut model, KeyCode::Esc);
    }
    press(&mut model, KeyCode::Char('@'));
    let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
        panic!("no field");
    };
    assert_eq!(prompt.field.text(), "@");
}
