//! The dialogs that set a limit, and what is recovered.

use super::*;
use crate::geo::{Area, Inside};
use crate::track::{DeclaredState, State};

/// Types a text into the dialog of a key, which is emptied before, and sends it.
fn set(model: &mut Dashboard, key: char, text: &str) -> Vec<Effect> {
    set_text(model, key, text);
    press(model, KeyCode::Enter)
}

/// Types a text into the dialog of a key, which is emptied before.
fn set_text(model: &mut Dashboard, key: char, text: &str) {
    press(model, KeyCode::Char(key));
    for _ in 0..40 {
        press(model, KeyCode::Backspace);
    }
    type_text(model, text);
}

fn message(model: &Dashboard) -> String {
    model
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

#[test]
fn a_dialog_of_a_limit_says_what_was_set_for_which_deployment() {
    let mut model = on_deployments();
    for (key, typed, said) in [
        ('l', "10kn", "buoy 0: speed limit set to 10kn"),
        ('l', "", "buoy 0: speed limit cleared"),
        ('O', "6h", "buoy 0: maximum age of last fix set to 6 h"),
        ('O', "", "buoy 0: maximum age of last fix cleared"),
        ('o', "1,2,2km", "buoy 0: watch circle set to 1,2,2000 m"),
        ('o', "", "buoy 0: watch circle cleared"),
    ] {
        let effects = set(&mut model, key, typed);
        assert!(model.dialogs.is_empty(), "{key} {typed}");
        assert_eq!(message(&model), format!("{said}; U undoes it"));
        assert!(
            matches!(effects.first(), Some(Effect::Watch { .. })),
            "{effects:?}"
        );
    }
    for (key, typed) in [('l', "10"), ('l', "fast"), ('O', "soon"), ('o', "1,2")] {
        assert!(set(&mut model, key, typed).is_empty());
        let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
            panic!("{:?}", model.dialogs);
        };
        assert!(!prompt.field.error.is_empty(), "{key} {typed}");
        press(&mut model, KeyCode::Esc);
    }
    assert!(set(&mut model, 'o', "5").is_empty());
    let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
        panic!("{:?}", model.dialogs);
    };
    assert_eq!(prompt.field.error, "give a unit: 5m, 5km or 5nm");
    press(&mut model, KeyCode::Esc);
    assert_eq!(
        model.deployments.list[0].deployment.limits,
        Default::default()
    );
}

#[test]
fn the_dialog_proposes_a_circle_and_says_where_one_is_too_small() {
    let mut model = on_deployments();
    press(&mut model, KeyCode::Char('o'));
    let prompt = |model: &Dashboard| match model.dialogs.last() {
        Some(Dialog::Prompt(prompt)) => prompt.clone(),
        other => panic!("{other:?}"),
    };
    let (proposed, of) = prompt(&model).proposal.unwrap();
    assert!(of.contains("fixes of 48 h, 99 % within"), "{of}");
    assert_eq!(prompt(&model).field.text(), "");
    press(&mut model, KeyCode::Tab);
    assert_eq!(prompt(&model).field.text(), proposed);
    press(&mut model, KeyCode::Enter);
    assert!(model.dialogs.is_empty());
    let inside = &model.deployments.list[0].deployment.limits.inside;
    assert_eq!(inside.as_ref().map(Inside::to_string), Some(proposed));
    // While it is typed, and it can be set all the same.
    set_text(&mut model, 'o', "1,2,59m");
    let error = prompt(&model).field.error;
    assert!(
        error.contains("smaller than the error of the positions"),
        "{error}"
    );
    press(&mut model, KeyCode::Enter);
    assert!(message(&model).contains("set to 1,2,59 m"));
    // The name of an area leaves it as it is.
    let area = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#;
    let area = Area::from_geojson(area.as_bytes(), None, Some("bay")).unwrap();
    let inside = Some(Inside::Area(area));
    model.deployments.list[0]
        .deployment
        .limits
        .inside
        .clone_from(&inside);
    press(&mut model, KeyCode::Char('o'));
    assert_eq!(prompt(&model).field.text(), "area bay");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.deployments.list[0].deployment.limits.inside, inside);
}

#[test]
fn a_speed_limit_assembles_the_track_again_with_it() {
    let mut model = on_deployments();
    let limit = |model: &Dashboard| {
        let track = model.deployments.list[0].track.get().unwrap();
        track.limit_text(crate::geo::Units::Si)
    };
    assert_eq!(limit(&model), "limit 4.2 m/s, drifter");
    let effects = set(&mut model, 'l', "18km/h");
    carry_out(&mut model, effects);
    assert_eq!(limit(&model), "limit 5 m/s, set");
    // The dialog opens with what is set.
    press(&mut model, KeyCode::Char('l'));
    let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
        panic!("{:?}", model.dialogs);
    };
    assert_eq!(prompt.field.text(), "5m/s");
}

#[test]
fn a_limit_that_raises_an_alarm_at_once_is_told_as_set_and_then_the_alarm() {
    use crate::alarm::Kind;
    let mut model = on_deployments();
    let uuid = model.deployments.list[0].deployment.uuid;
    set(&mut model, 'o', "1,2,2km");
    let raised = crate::testing::dashboard::alarm("new", Some(uuid), Kind::Outside, NOW, -1.0);
    send(&mut model, Event::Alarms(vec![raised]));
    assert!(message(&model).contains("circle"), "{}", message(&model));
    send(&mut model, Event::Now(NOW + 4.0));
    let said = "alarm: buoy 0: outside its watch circle: 240 m from the centre, limit 200 m; A lists alarms";
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
