//! The dialogs that set a limit, and what is recovered.

use super::*;
use crate::geo::{Area, Inside};
use crate::track::{DeclaredState, State};

/// Types a text into the field of this label in the form of the deployment, which is
/// emptied before, and saves it.
fn set(model: &mut Dashboard, label: &str, text: &str) -> Vec<Effect> {
    set_text(model, label, text);
    press(model, KeyCode::Enter)
}

/// Types a text into the field of this label in the form of the deployment, which is
/// emptied before.
fn set_text(model: &mut Dashboard, label: &str, text: &str) {
    press(model, KeyCode::Char('e'));
    go_to(model, label);
    send(model, Event::Key(Key::ctrl('u')));
    type_text(model, text);
}

/// Moves the cursor of the form to the field of this label.
pub(super) fn go_to(model: &mut Dashboard, label: &str) {
    const LABELS: [&str; 11] = [
        "label",
        "group",
        "platform",
        "watch circle",
        "maximum age",
        "limits",
        "speed limit",
        "from",
        "until",
        "state",
        "notes",
    ];
    let place = LABELS.iter().position(|one| *one == label).unwrap();
    for _ in 0..place {
        press(model, KeyCode::Tab);
    }
}

fn form(model: &Dashboard) -> &crate::dashboard::dialogs::edit::EditForm {
    match model.dialogs.last() {
        Some(Dialog::Edit(form)) => form,
        other => panic!("{other:?}"),
    }
}

fn message(model: &Dashboard) -> String {
    model
        .messages
        .notice
        .as_ref()
        .map(|notice| notice.text.clone())
        .unwrap_or_default()
}

/// A Deployments tab with a track.
fn on_deployments() -> Dashboard {
    let mut model = with_track(50);
    press(&mut model, KeyCode::Char('1'));
    model
}

/// Columns and rows of the frame of a dialog.
pub(super) fn frame_size(shown: &str) -> (usize, usize) {
    let row = |corner| shown.lines().position(|line| line.contains(corner));
    let top = row('┏').unwrap_or_else(|| panic!("no dialog: {shown}"));
    let line: Vec<char> = shown.lines().nth(top).unwrap().chars().collect();
    let column = |corner| line.iter().position(|letter| *letter == corner).unwrap();
    (column('┓') - column('┏') + 1, row('┗').unwrap() - top + 1)
}

#[test]
fn the_form_has_one_size_whatever_field_is_chosen_and_whatever_is_said() {
    use super::screens::screen;
    use crate::dashboard::theme::Capabilities;
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = on_deployments();
        press(&mut model, KeyCode::Char('e'));
        let mut sizes = Vec::new();
        for field in 0..11 {
            if field == 3 {
                // A circle that is too small has a warning.
                type_text(&mut model, "1m");
            }
            let shown = screen(&mut model, width, height, Capabilities::default());
            sizes.push(frame_size(&shown));
            press(&mut model, KeyCode::Tab);
        }
        sizes.dedup();
        assert_eq!(sizes.len(), 1, "{width}x{height}: {sizes:?}");
    }
}

#[test]
fn a_dialog_of_a_limit_says_what_was_set_for_which_deployment() {
    let mut model = on_deployments();
    let values = ["battery", "sst"].map(|name| (name.to_owned(), 1.0));
    model.last_values_read(vec![(uuid(0), values.to_vec())]);
    for (key, typed, said) in [
        ("speed limit", "10kn", "buoy 0: speed limit 10kn"),
        ("speed limit", "", "buoy 0: speed limit cleared"),
        ("maximum age", "6h", "buoy 0: maximum age 6h"),
        ("maximum age", "", "buoy 0: maximum age cleared"),
        (
            "watch circle",
            "1,2,2km",
            "buoy 0: watch circle 2 km (1.08 nm) around 01.00000°N 002.00000°E",
        ),
        ("watch circle", "", "buoy 0: watch circle cleared"),
        (
            "limits",
            "battery<11.5 V; sst>30",
            "buoy 0: limits battery<11.5 V; sst>30",
        ),
        ("limits", "", "buoy 0: limits cleared"),
        ("until", "2026-12-24", "buoy 0: until 2026-12-24T00:00:00Z"),
        ("until", "", "buoy 0: until cleared"),
        ("group", "ice", "buoy 0: group ice"),
        ("group", "", "buoy 0: group cleared"),
    ] {
        let effects = set(&mut model, key, typed);
        assert!(model.dialogs.is_empty(), "{key} {typed}");
        assert_eq!(message(&model), format!("U undo  {said}"));
        assert!(
            matches!(effects.first(), Some(Effect::Watch { .. })),
            "{effects:?}"
        );
    }
    for (key, typed) in [
        ("speed limit", "10"),
        ("speed limit", "fast"),
        ("maximum age", "soon"),
        ("watch circle", "1,2"),
        ("limits", "battery 11"),
        ("from", "yesterday"),
    ] {
        assert!(set(&mut model, key, typed).is_empty());
        assert!(!form(&model).field(key).error.is_empty(), "{key} {typed}");
        press(&mut model, KeyCode::Esc);
    }
    assert!(set(&mut model, "watch circle", "5").is_empty());
    let error = &form(&model).field("watch circle").error;
    assert_eq!(error, "give a unit: 5m, 5km or 5nm");
    press(&mut model, KeyCode::Esc);
    assert_eq!(
        model.deployments.list[0].deployment.limits,
        Default::default()
    );
}

#[test]
fn the_dialog_proposes_a_circle_and_says_where_one_is_too_small() {
    let mut model = on_deployments();
    press(&mut model, KeyCode::Char('e'));
    go_to(&mut model, "watch circle");
    let (proposed, of) = form(&model).proposed().cloned().unwrap();
    assert!(of.contains("fixes of 48 h, 99 % within"), "{of}");
    assert_eq!(form(&model).field("watch circle").text(), "");
    // The word for it is on the smallest screen, too.
    for (width, height) in [(60, 16), (80, 24)] {
        let shown = super::screens::screen(
            &mut model,
            width,
            height,
            crate::dashboard::theme::Capabilities::default(),
        );
        let mut lines = shown.lines();
        let line = lines.find(|line| line.contains("watch circle "));
        assert!(
            line.is_some_and(|line| line.contains("proposed: ")),
            "{shown}"
        );
    }
    press(&mut model, KeyCode::Right);
    assert_eq!(form(&model).field("watch circle").text(), proposed);
    press(&mut model, KeyCode::Enter);
    assert!(model.dialogs.is_empty());
    let inside = &model.deployments.list[0].deployment.limits.inside;
    let inside = inside.as_ref().unwrap().text(model.settings.notation());
    assert_eq!(inside, proposed);
    // While it is typed, and it can be set all the same.
    set_text(&mut model, "watch circle", "1,2,59m");
    let error = &form(&model).field("watch circle").error;
    assert!(
        error.contains("smaller than the error of the positions"),
        "{error}"
    );
    press(&mut model, KeyCode::Enter);
    assert!(message(&model).contains("watch circle 59 m around 01.00000°N 002.00000°E"));
    // What is set is in the form and the units that are shown, and stays as it is.
    press(&mut model, KeyCode::Char('u'));
    press(&mut model, KeyCode::Char('c'));
    set_text(&mut model, "watch circle", "1,2,2km");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('e'));
    let shown = form(&model).field("watch circle").text().to_owned();
    assert_eq!(shown, "01°00.000′N 002°00.000′E, 2 km");
    press(&mut model, KeyCode::Esc);
    // The name of an area leaves it as it is.
    let area = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#;
    let area = Area::from_geojson(area.as_bytes(), None, Some("bay")).unwrap();
    let inside = Some(Inside::Area(area));
    model.deployments.list[0]
        .deployment
        .limits
        .inside
        .clone_from(&inside);
    press(&mut model, KeyCode::Char('e'));
    assert_eq!(form(&model).field("watch circle").text(), "area bay");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.deployments.list[0].deployment.limits.inside, inside);
}

#[test]
fn a_typed_value_replaces_the_old_one_and_the_message_has_its_radius_at_80_columns() {
    let mut model = on_deployments();
    let type_into = |model: &mut Dashboard, first: &[KeyCode], typed: &str| {
        press(model, KeyCode::Char('e'));
        go_to(model, "watch circle");
        for key in first {
            press(model, *key);
        }
        type_text(model, typed);
        form(model).field("watch circle").text().to_owned()
    };
    // Right takes the proposed circle.
    assert_eq!(type_into(&mut model, &[KeyCode::Right], "2km"), "2km");
    press(&mut model, KeyCode::Enter);
    let shown = super::screens::screen(
        &mut model,
        80,
        24,
        crate::dashboard::theme::Capabilities::default(),
    );
    let line = shown.lines().nth(1).unwrap_or_default();
    assert!(line.contains("watch circle 2 km"), "{line}");
    assert_eq!(type_into(&mut model, &[], "300m"), "300m");
    press(&mut model, KeyCode::Enter);
    let kept = type_into(&mut model, &[KeyCode::End], "!");
    assert!(kept.ends_with(", 300 m!"), "{kept}");
}

#[test]
fn a_speed_limit_assembles_the_track_again_with_it() {
    let mut model = on_deployments();
    let limit = |model: &Dashboard| {
        let track = model.deployments.list[0].track.get().unwrap();
        track.limit_text(crate::geo::Units::Si)
    };
    assert_eq!(limit(&model), "limit 4.2 m/s, drifter");
    let effects = set(&mut model, "speed limit", "18km/h");
    carry_out(&mut model, effects);
    assert_eq!(limit(&model), "limit 5 m/s, set");
    // The form opens with what is set.
    press(&mut model, KeyCode::Char('e'));
    assert_eq!(form(&model).field("speed limit").text(), "5m/s");
}

#[test]
fn a_limit_that_raises_an_alarm_at_once_is_told_as_set_and_then_the_alarm() {
    use crate::alarm::Kind;
    let mut model = on_deployments();
    let uuid = model.deployments.list[0].deployment.id.uuid;
    set(&mut model, "watch circle", "1,2,2km");
    let raised = crate::testing::dashboard::alarm("new", Some(uuid), Kind::Outside, NOW, -1.0);
    send(&mut model, Event::Alarms(vec![raised]));
    assert!(message(&model).contains("circle"), "{}", message(&model));
    send(&mut model, Event::Now(NOW + 4.0));
    let said = "A alarms  buoy 0: outside its watch circle: 240 m from the centre, limit 200 m";
    assert_eq!(message(&model), said);
}

#[test]
fn what_is_past_the_end_of_its_time_window_is_ended_and_sorted_below_what_reports() {
    let mut model = on_deployments();
    let one = &mut model.deployments.list[0];
    let later = NOW + 1e7;
    assert_eq!(one.health(later).state, State::Lost);
    assert!(!one.recent_reports(later).is_empty());
    one.deployment.window.until = Some(later);
    assert_eq!(one.health(later).state, State::Lost);
    let ended = later + 1.0;
    assert_eq!(one.health(ended).state, State::Ended);
    assert_eq!(one.harm(ended), 0.0);
    assert!(one.recent_reports(ended).is_empty());
    assert!(one.contains("status:ended", ended) && !one.contains("status:lost", ended));
    // What the user declares says more.
    one.deployment.state = DeclaredState::Recovered;
    assert_eq!(one.health(ended).state, State::Recovered);
}

#[test]
fn what_is_recovered_is_not_late() {
    let mut model = on_deployments();
    let one = &mut model.deployments.list[0];
    let later = NOW + 1e7;
    assert_eq!(one.health(later).state, State::Lost);
    for (declared, state) in [
        (DeclaredState::Recovered, State::Recovered),
        (DeclaredState::Lost, State::DeclaredLost),
    ] {
        one.deployment.state = declared;
        assert_eq!(one.health(later).state, state);
        assert_eq!(one.options(later).declared, declared);
    }
}

#[test]
fn a_limit_of_a_field_that_no_record_has_is_set_only_once_that_was_said() {
    let mut model = on_deployments();
    let values = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 1.0)).collect();
    let read = vec![(uuid(0), values(&["battery", "sst"]))];
    model.last_values_read(read.clone());
    for (typed, said) in [
        ("batery<11", "no batery; near it: battery"),
        ("sst>30; ice<2", "no ice, but battery, sst"),
    ] {
        assert!(set(&mut model, "limits", typed).is_empty());
        let error = form(&model).field("limits").error.clone();
        assert!(error.contains(said), "{typed}: {error}");
        press(&mut model, KeyCode::Esc);
    }
    assert!(set(&mut model, "limits", "ice<2").is_empty());
    // Another text is another question.
    type_text(&mut model, "; sst>30");
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    let effects = press(&mut model, KeyCode::Enter);
    assert!(matches!(effects.first(), Some(Effect::Watch { .. })));
}
