//! The command palette.

use super::*;
use crate::dashboard::dialogs::palette::Palette;

fn palette(model: &Dashboard) -> &Palette {
    match model.dialogs.last() {
        Some(Dialog::Palette(palette)) => palette,
        other => panic!("{other:?}"),
    }
}

fn labels(model: &Dashboard) -> Vec<&str> {
    let lines = palette(model).matches.iter();
    lines.map(|line| line.label.as_str()).collect()
}

#[test]
fn an_action_is_found_by_a_few_letters_and_what_matched_is_marked() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "exp");
    let first = &palette(&model).matches[0];
    assert_eq!(first.label, "Export the track to a file");
    assert_eq!(first.lit, [0, 1, 2]);
    press(&mut model, KeyCode::Enter);
    assert!(matches!(model.dialogs.last(), Some(Dialog::Export(_))));
}

#[test]
fn letters_that_are_scattered_count_only_where_no_label_has_the_text() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "exp");
    let found = labels(&model);
    assert!(
        found
            .iter()
            .all(|label| label.to_lowercase().contains("exp")),
        "{found:?}"
    );
    // Words in any order, the one that begins with what was typed first.
    type_text(&mut model, " csv");
    assert_eq!(labels(&model)[0], "Export the track as csv");
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "nxtprj");
    assert_eq!(labels(&model)[0], "Next projection");
    // A mistyped word is nearer than scattered letters.
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "exprot");
    assert!(
        labels(&model)[0].starts_with("Export"),
        "{:?}",
        labels(&model)
    );
}

#[test]
fn a_deployment_is_found_by_its_name_and_opened() {
    let mut model = model(12);
    press(&mut model, KeyCode::Char(':'));
    assert!(!labels(&model).contains(&"Open buoy 1"));
    type_text(&mut model, "buoy 11");
    assert_eq!(labels(&model), ["Open buoy 11"]);
    press(&mut model, KeyCode::Enter);
    assert_eq!(
        (model.screen.tab, model.deployments.open),
        (TabId::Track, Some(uuid(11)))
    );
}

#[test]
fn an_action_is_found_by_another_word_for_it_after_those_with_the_word() {
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
        assert_eq!(labels(&model).first(), Some(&label), "{typed}");
        press(&mut model, KeyCode::Esc);
    }
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "select");
    // No letters within words, and no scattered ones.
    assert!(labels(&model).iter().all(|label| label.contains("Mark")));
}

#[test]
fn what_was_run_last_is_listed_first() {
    let mut model = model(2);
    for typed in ["units", "open buoy 1", "units"] {
        press(&mut model, KeyCode::Char(':'));
        type_text(&mut model, typed);
        press(&mut model, KeyCode::Enter);
    }
    press(&mut model, KeyCode::Char(':'));
    assert_eq!(
        labels(&model)[..2],
        ["Units: knots, km/h or m/s", "Open buoy 1"]
    );
    let units = labels(&model)
        .iter()
        .filter(|one| one.starts_with("Units"))
        .count();
    assert_eq!(units, 1);
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
fn a_projection_and_a_format_are_found_by_their_names() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(':'));
    assert!(!labels(&model).contains(&"Projection: globe"));
    type_text(&mut model, "globe");
    assert!(labels(&model).contains(&"Projection: globe"));
    let place = labels(&model)
        .iter()
        .position(|one| *one == "Projection: globe");
    for _ in 0..place.unwrap() {
        press(&mut model, KeyCode::Down);
    }
    press(&mut model, KeyCode::Enter);
    let name = model.view().map(|view| view.projection.name());
    assert_eq!(name, Some("globe"));
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "gpx");
    assert_eq!(labels(&model), ["Export the track as gpx"]);
    press(&mut model, KeyCode::Enter);
    let Some(Dialog::Export(form)) = model.dialogs.last() else {
        panic!("{:?}", model.dialogs);
    };
    assert_eq!(form.format.name(), "gpx");
    assert!(form.path.text().ends_with(".gpx"), "{}", form.path.text());
    // A recent one is listed before anything is typed.
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char(':'));
    assert_eq!(labels(&model)[0], "Export the track as gpx");
    // Without a map or a track there is none.
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char('4'));
    press(&mut model, KeyCode::Char(':'));
    type_text(&mut model, "mercator");
    assert!(labels(&model).is_empty());
}

#[test]
fn whole_words_and_starts_come_before_letters_within_words_and_names_before_commands() {
    let mut model = model(6);
    let names = [
        "Mooring of the undrifted",
        "Ice drifter, Arctic Ocean",
        "Spare drift",
        "Drifter, Drake Passage",
        "Trackside buoy",
        "Open water",
    ];
    for (one, name) in model.deployments.list.iter_mut().zip(names) {
        one.deployment.label = Some(name.to_owned());
    }
    let first = |model: &mut Dashboard, typed: &str| -> Vec<String> {
        press(model, KeyCode::Char(':'));
        type_text(model, typed);
        let found = labels(model);
        let found = found.into_iter().take(4).map(str::to_owned).collect();
        press(model, KeyCode::Esc);
        found
    };
    let found = first(&mut model, "drif");
    assert_eq!(
        found,
        [
            "Open Drifter, Drake Passage",
            "Open Ice drifter, Arctic Ocean",
            "Open Spare drift",
            "Open Mooring of the undrifted",
        ]
    );
    // The start of a name is meant before a word within one, that before a word's start.
    assert_eq!(
        first(&mut model, "drift")[..2],
        ["Open Drifter, Drake Passage", "Open Spare drift"]
    );
    // The name of a deployment, and not the word before each.
    assert_eq!(first(&mut model, "open")[0], "Open Open water");
    assert_eq!(first(&mut model, "tracks")[0], "Open Trackside buoy");
    assert_eq!(
        first(&mut model, "drake pas")[0],
        "Open Drifter, Drake Passage"
    );
}
