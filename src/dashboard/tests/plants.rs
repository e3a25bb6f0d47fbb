//! Plants by keyboard.

use super::*;
use crate::dashboard::dialogs::question::Deed;
use crate::dashboard::plants::PlantRequest;
use crate::dashboard::theme::Capabilities;
use crate::testing::plant;

/// Creates a plant again: the key asks, and `y` confirms once the question was seen.
fn again(model: &mut Dashboard) -> Vec<Effect> {
    assert_eq!(press(model, KeyCode::Char('U')), []);
    if model.dialogs.is_empty() {
        return Vec::new();
    }
    assert_eq!(press(model, KeyCode::Enter), [], "Enter cancels");
    press(model, KeyCode::Char('U'));
    let now = model.now;
    seen(model, now);
    send(model, Event::Now(now + 1.0));
    press(model, KeyCode::Char('y'))
}

#[test]
fn the_form_takes_id_name_and_tag_and_sends_once() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(model.tab, TabId::Plants);
    type_text(&mut model, "42");
    press(&mut model, KeyCode::Tab);
    // Every printable key is text here, also those that are commands elsewhere.
    type_text(&mut model, "q?: rose");
    press(&mut model, KeyCode::Tab);
    type_text(&mut model, "red");
    let effects = press(&mut model, KeyCode::Enter);
    let [Effect::CreatePlant { request, draft, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (draft.id, draft.name.as_str(), draft.tag.as_str()),
        (42, "q?: rose", "red")
    );
    for _ in 0..200 {
        assert!(press(&mut model, KeyCode::Enter).is_empty());
    }
    send(
        &mut model,
        Event::Plant {
            request: *request,
            outcome: Ok(None),
        },
    );
    assert!(model.dialogs.is_empty());
}

#[test]
fn a_refused_create_keeps_what_was_typed_and_says_why() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('n'));
    type_text(&mut model, "42");
    press(&mut model, KeyCode::Enter);
    type_text(&mut model, "rose");
    press(&mut model, KeyCode::Enter);
    let effects = press(&mut model, KeyCode::Enter);
    let [Effect::CreatePlant { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    send(
        &mut model,
        Event::Plant {
            request: *request,
            outcome: Err(failure(FailureKind::Service)),
        },
    );
    let Some(Dialog::PlantForm(form)) = model.dialogs.last() else {
        panic!("the form is gone");
    };
    assert_eq!(form.fields[1].text(), "rose");
    assert!(form.failure.contains("it failed"));
    assert!(form.sending.is_none());
}

#[test]
fn an_id_that_is_no_number_is_told_under_its_field_and_nothing_is_sent() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('n'));
    type_text(&mut model, "4.5");
    press(&mut model, KeyCode::Tab);
    type_text(&mut model, "rose");
    press(&mut model, KeyCode::Tab);
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    let Some(Dialog::PlantForm(form)) = model.dialogs.last() else {
        panic!("the form is gone");
    };
    assert!(!form.fields[0].error.is_empty());
    assert_eq!(form.focus, 0);
}

fn with_plant() -> Dashboard {
    let mut model = model(0);
    send(
        &mut model,
        Event::PlantLog(vec![log::Entry {
            at: NOW,
            name: Some("rose".to_owned()),
            tag: Some("red".to_owned()),
            ..plant::outcome(1, log::Operation::Create, log::Outcome::Done)
        }]),
    );
    press(&mut model, KeyCode::Char('3'));
    model
}

#[test]
fn enter_alone_cancels_a_delete_and_y_deletes() {
    let mut model = with_plant();
    press(&mut model, KeyCode::Char('D'));
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(model.dialogs.is_empty());
    press(&mut model, KeyCode::Char('D'));
    // On the screen late: what counts is how long it has been there.
    send(&mut model, Event::Now(NOW + 1.0));
    assert!(press(&mut model, KeyCode::Char('y')).is_empty());
    seen(&mut model, NOW + 1.0);
    seen(&mut model, NOW + 1.2);
    send(&mut model, Event::Now(NOW + 1.29));
    assert!(press(&mut model, KeyCode::Char('y')).is_empty());
    send(&mut model, Event::Now(NOW + 1.31));
    let effects = press(&mut model, KeyCode::Char('y'));
    let [Effect::DeletePlant { id, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(id.as_str(), "42");
    // Asked for once more while the answer is awaited, it is not sent again.
    press(&mut model, KeyCode::Char('D'));
    seen(&mut model, NOW + 2.0);
    send(&mut model, Event::Now(NOW + 3.0));
    assert!(press(&mut model, KeyCode::Char('y')).is_empty());
    let Some(Dialog::Question(question)) = model.dialogs.last() else {
        panic!("the question is gone");
    };
    assert!(question.error.contains("under way"), "{}", question.error);
}

#[test]
fn each_dialog_names_the_address_that_its_request_goes_to() {
    let watched = Watched {
        address: "https://base.example/api".to_owned(),
        sandbox: "https://sandbox.example".to_owned(),
        ..watched(Vec::new())
    };
    let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
    send(
        &mut model,
        Event::PlantLog(vec![log::Entry {
            service: log::PlantService::new("https://base.example/api", "https://sandbox.example"),
            ..plant::outcome(1, log::Operation::Create, log::Outcome::Done)
        }]),
    );
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('D'));
    let Some(Dialog::Question(question)) = model.dialogs.last() else {
        panic!("no question");
    };
    let Deed::DeletePlant { id, address, .. } = &question.deed else {
        panic!("{question:?}");
    };
    assert_eq!(id, "42");
    assert_eq!(address, "https://base.example/api");
    assert_eq!(model.plants.service.sandbox, "https://sandbox.example");
}

#[test]
fn a_plant_that_may_exist_is_created_again_once_and_only_after_a_question() {
    use log::{Operation, Outcome};
    let with = |lines: &[(Operation, Outcome)]| {
        let mut model = model(0);
        let lines = (1..).zip(lines);
        let lines = lines.map(|(number, &(asked, came))| plant::outcome(number, asked, came));
        send(&mut model, Event::PlantLog(lines.collect()));
        press(&mut model, KeyCode::Char('3'));
        model
    };
    let (create, delete) = (Operation::Create, Operation::Delete);
    let mut asked = with(&[(create, Outcome::Unknown)]);
    let effects = again(&mut asked);
    assert!(
        matches!(effects.as_slice(), [Effect::CreatePlant { draft, again: Some(1), .. }] if draft.name == "rose 1"),
        "{effects:?}"
    );
    for _ in 0..4 {
        assert!(again(&mut asked).is_empty());
    }
    let notice = asked
        .model
        .notice
        .map(|notice| notice.text)
        .unwrap_or_default();
    assert!(notice.contains("under way"), "{notice}");
    for (later, sent) in [
        (Outcome::Done, 0),
        (Outcome::Unknown, 1),
        (Outcome::Sending, 0),
        (Outcome::Refused, 1),
    ] {
        let mut model = with(&[(create, Outcome::Unknown), (create, later)]);
        let effects = again(&mut model);
        assert_eq!(effects.len(), sent, "{later:?}: {effects:?}");
        let mut model = with(&[
            (create, Outcome::Done),
            (delete, Outcome::Done),
            (create, later),
        ]);
        let effects = again(&mut model);
        assert_eq!(effects.len(), sent, "{later:?}: {effects:?}");
    }
}

#[test]
fn enter_on_the_notice_of_an_unknown_create_sends_nothing() {
    let mut model = with_plant();
    let request = create_a_fern(&mut model);
    let unknown = Event::Plant {
        request,
        outcome: Err(failure(FailureKind::OutcomeUnknown)),
    };
    assert_eq!(send(&mut model, unknown), []);
    assert!(matches!(model.dialogs.as_slice(), [Dialog::Message(_)]));
    for _ in 0..3 {
        assert_eq!(press(&mut model, KeyCode::Enter), []);
    }
    assert!(model.dialogs.is_empty());
}

#[test]
fn a_plant_is_created_again_and_deleted_by_the_name_that_it_was_created_with() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    let created = plant::outcome(1, Operation::Create, Outcome::Done);
    let refused = plant::line(2, Operation::Create, plant::refused(409));
    let lines = vec![created, refused];
    send(&mut model, Event::PlantLog(lines.clone()));
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('D'));
    let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("named rose 1"), "{shown}");
    press(&mut model, KeyCode::Esc);
    let deleted = plant::outcome(3, Operation::Delete, Outcome::Done);
    send(&mut model, Event::PlantLog([lines, vec![deleted]].concat()));
    press(&mut model, KeyCode::Char('U'));
    let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("Create plant 42"), "{shown}");
    assert!(shown.contains("named rose 1, tag red 1"), "{shown}");
    press(&mut model, KeyCode::Esc);
    let effects = again(&mut model);
    let [Effect::CreatePlant { draft, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (draft.id, draft.name.as_str(), draft.tag.as_str()),
        (42, "rose 1", "red 1")
    );
}

#[test]
fn a_create_and_a_delete_that_go_to_two_addresses_say_why() {
    let mut model = with_plant();
    let why = "Creates go to the sandbox URL";
    for key in ['n', 'D'] {
        press(&mut model, KeyCode::Char(key));
        let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
        assert!(!shown.contains(why), "{shown}");
        press(&mut model, KeyCode::Esc);
    }
    model.plants.service.base = "https://base.example".to_owned();
    for (key, to) in [
        ('n', "The create goes to https://service.example"),
        ('D', "The delete goes to https://base.example"),
    ] {
        press(&mut model, KeyCode::Char(key));
        let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
        assert!(shown.contains(to) && shown.contains(why), "{shown}");
        press(&mut model, KeyCode::Esc);
    }
}

#[test]
fn keys_typed_ahead_of_the_question_delete_nothing() {
    let mut model = with_plant();
    assert!(type_text(&mut model, "Dy").is_empty());
    send(&mut model, Event::Paste("Dy\nDy".to_owned()));
    assert!(matches!(model.dialogs.as_slice(), [Dialog::Question(_)]));
}

/// Sends a create of a new plant by keyboard; returns its request.
fn create_a_fern(model: &mut Dashboard) -> RequestId {
    press(model, KeyCode::Char('n'));
    type_text(model, "7");
    press(model, KeyCode::Tab);
    type_text(model, "fern");
    press(model, KeyCode::Tab);
    let effects = press(model, KeyCode::Enter);
    let [Effect::CreatePlant { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    *request
}

#[test]
fn leaving_asks_while_a_create_is_under_way_and_waits_if_told() {
    let mut model = with_plant();
    let request = create_a_fern(&mut model);
    assert!(send(&mut model, Event::Key(Key::ctrl('c'))).is_empty());
    assert!(matches!(model.dialogs.last(), Some(Dialog::Quit(_))));
    press(&mut model, KeyCode::Char('w'));
    assert_eq!(
        send(
            &mut model,
            Event::Plant {
                request,
                outcome: Ok(None),
            }
        ),
        vec![Effect::Quit]
    );
}

#[test]
fn who_waits_for_a_create_before_leaving_stays_where_it_is_refused() {
    for closes_form in [false, true] {
        let mut model = with_plant();
        let request = create_a_fern(&mut model);
        if closes_form {
            press(&mut model, KeyCode::Esc);
        }
        send(&mut model, Event::Key(Key::ctrl('c')));
        press(&mut model, KeyCode::Char('w'));
        let refused = Event::Plant {
            request,
            outcome: Err(failure(FailureKind::Service)),
        };
        assert_eq!(send(&mut model, refused), []);
        match (closes_form, model.dialogs.as_slice()) {
            (false, [Dialog::PlantForm(form)]) => assert!(form.failure.contains("it failed")),
            (true, []) => assert!(
                model
                    .notice
                    .as_ref()
                    .is_some_and(|notice| notice.is_warning)
            ),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn after_an_answer_the_cursor_is_on_its_plant_in_either_order() {
    use log::{Operation, Outcome};
    for turned in [false, true] {
        let mut model = model(0);
        let before: Vec<_> = (1..4)
            .map(|number| plant::outcome(number, Operation::Create, Outcome::Done))
            .collect();
        send(&mut model, Event::PlantLog(before.clone()));
        type_text(&mut model, if turned { "3S" } else { "3" });
        model.plants.in_progress.push(PlantRequest {
            request: RequestId(99),
            operation: Operation::Create,
            id: "7".to_owned(),
        });
        let created = log::Entry {
            id: "7".to_owned(),
            ..plant::outcome(4, Operation::Create, Outcome::Done)
        };
        let all = before.into_iter().chain([created]).collect();
        send(&mut model, Event::PlantLog(all));
        let ended = Event::Plant {
            request: RequestId(99),
            outcome: Ok(None),
        };
        send(&mut model, ended);
        assert_eq!(model.plants.selected().unwrap().id, "7", "{turned}");
    }
}

#[test]
fn a_line_of_another_service_is_neither_shown_nor_created_again() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    let here = plant::service();
    let other = "https://service.example/other";
    let services = [
        log::PlantService::new(&here.base, other),
        log::PlantService::new(other, &here.sandbox),
    ];
    let gone = plant::outcome(1, Operation::Delete, Outcome::Done);
    let others = services.map(|service| log::Entry {
        service,
        ..gone.clone()
    });
    send(&mut model, Event::PlantLog(others.to_vec()));
    press(&mut model, KeyCode::Char('3'));
    assert_eq!(model.plants.shown().len(), 0);
    assert_eq!(again(&mut model), []);
}

#[test]
fn with_files_there_are_no_plants_and_no_request_for_any() {
    let watched = Watched {
        source: TrackSource::Files,
        ..watched(Vec::new())
    };
    let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
    press(&mut model, KeyCode::Char('3'));
    for key in ['n', 'D', 'a'] {
        assert_eq!(press(&mut model, KeyCode::Char(key)), []);
        assert!(model.dialogs.is_empty(), "{key}");
    }
    let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("Plants need the service"), "{shown}");
}

#[test]
fn the_key_that_adds_adds_a_plant_on_plants() {
    let mut model = model(1);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('a'));
    assert!(matches!(model.dialogs.last(), Some(Dialog::PlantForm(_))));
}
