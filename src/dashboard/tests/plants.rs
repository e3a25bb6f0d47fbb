//! Plants by keyboard.

use super::*;
use crate::dashboard::dialogs::question::Deed;
use crate::dashboard::plants::PlantRequest;
use crate::dashboard::theme::Capabilities;

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
        Event::Ledger(vec![ledger::Entry {
            sequence: 1,
            at: NOW,
            operation: ledger::Operation::Create,
            id: "42".to_owned(),
            name: Some("rose".to_owned()),
            tag: Some("red".to_owned()),
            outcome: ledger::Outcome::Done,
            answered: None,
            words: None,
            service: Some("https://service.example/api".to_owned()),
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
        Event::Ledger(vec![ledger::Entry {
            service: Some("https://sandbox.example".to_owned()),
            ..ledger::Entry::pending(NOW, ledger::Operation::Create, "42")
        }]),
    );
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('D'));
    let Some(Dialog::Question(question)) = model.dialogs.last() else {
        panic!("no question");
    };
    let Deed::DeletePlant {
        id,
        address,
        not_recorded,
        ..
    } = &question.deed
    else {
        panic!("{question:?}");
    };
    assert_eq!((id.as_str(), *not_recorded), ("42", false));
    assert_eq!(address, "https://base.example/api");
    assert_eq!(model.plants.service, "https://sandbox.example");
}

fn line(sequence: i64, operation: ledger::Operation, outcome: ledger::Outcome) -> ledger::Entry {
    ledger::Entry {
        sequence,
        name: Some(format!("rose {sequence}")),
        outcome,
        service: Some("https://service.example/api".to_owned()),
        ..ledger::Entry::pending(NOW, operation, "42")
    }
}

#[test]
fn a_line_of_unknown_outcome_is_sent_again_once_and_never_past_a_later_create() {
    use ledger::{Operation, Outcome};
    let with = |lines: &[(Operation, Outcome)], cursor: usize| {
        let mut model = model(0);
        let lines = (1..).zip(lines);
        let ledger = lines.map(|(number, &(asked, came))| line(number, asked, came));
        send(&mut model, Event::Ledger(ledger.collect()));
        press(&mut model, KeyCode::Char('3'));
        model.plants.table.cursor = cursor;
        model
    };
    let (create, delete) = (Operation::Create, Operation::Delete);
    let mut asked = with(&[(create, Outcome::Unknown)], 0);
    let effects = again(&mut asked);
    assert!(
        matches!(effects.as_slice(), [Effect::CreatePlant { draft, .. }] if draft.name == "rose 1"),
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
        (Outcome::Unknown, 0),
        (Outcome::Pending, 0),
        (Outcome::Refused, 1),
        (Outcome::NotSent, 1),
    ] {
        let mut model = with(&[(create, Outcome::Unknown), (create, later)], 1);
        let effects = again(&mut model);
        assert_eq!(effects.len(), sent, "{later:?}: {effects:?}");
        let mut model = with(&[(delete, Outcome::Done), (create, later)], 1);
        let effects = again(&mut model);
        assert_eq!(effects.len(), sent, "{later:?}: {effects:?}");
    }
}

#[test]
fn a_plant_is_created_again_and_deleted_by_the_name_that_it_was_created_with() {
    use ledger::{Operation, Outcome};
    let mut model = model(0);
    let tagged = |sequence: i64, operation, outcome| ledger::Entry {
        tag: Some(format!("red {sequence}")),
        ..line(sequence, operation, outcome)
    };
    let created = tagged(1, Operation::Create, Outcome::Done);
    let refused = tagged(2, Operation::Create, Outcome::Refused);
    let lines = vec![created, refused.clone()];
    send(&mut model, Event::Ledger(lines.clone()));
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('D'));
    let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("named rose 1"), "{shown}");
    press(&mut model, KeyCode::Esc);
    // An older version wrote the name of the refused create into the delete.
    let deleted = ledger::Entry {
        sequence: 3,
        operation: Operation::Delete,
        outcome: Outcome::Done,
        ..refused
    };
    send(&mut model, Event::Ledger([lines, vec![deleted]].concat()));
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
    model.address = "https://base.example".to_owned();
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
    use ledger::{Operation, Outcome};
    for turned in [false, true] {
        let mut model = model(0);
        let before: Vec<_> = (1..4)
            .map(|number| line(number, Operation::Create, Outcome::Done))
            .collect();
        send(&mut model, Event::Ledger(before.clone()));
        type_text(&mut model, if turned { "3S" } else { "3" });
        model.plants.in_progress.push(PlantRequest {
            request: RequestId(99),
            operation: Operation::Create,
            id: "7".to_owned(),
        });
        let created = ledger::Entry {
            id: "7".to_owned(),
            ..line(4, Operation::Create, Outcome::Done)
        };
        let all = before.into_iter().chain([created]).collect();
        send(&mut model, Event::Ledger(all));
        let ended = Event::Plant {
            request: RequestId(99),
            outcome: Ok(None),
        };
        send(&mut model, ended);
        assert_eq!(model.plants.selected().unwrap().id, "7", "{turned}");
    }
}

#[test]
fn a_line_of_another_service_is_not_there_and_one_of_none_is_not_created_again() {
    let mut model = model(0);
    let gone = |sequence: i64, service: Option<&str>| ledger::Entry {
        sequence,
        name: Some("rose".to_owned()),
        tag: Some("red".to_owned()),
        outcome: ledger::Outcome::Done,
        service: service.map(str::to_owned),
        ..ledger::Entry::pending(NOW, ledger::Operation::Delete, sequence.to_string())
    };
    let here = gone(1, Some("https://service.example/api"));
    let others = [
        gone(2, Some("https://service.example/other")),
        gone(3, None),
    ];
    let lines: Vec<_> = std::iter::once(here).chain(others).collect();
    send(&mut model, Event::Ledger(lines.clone()));
    press(&mut model, KeyCode::Char('3'));
    let shown: Vec<_> = model
        .plants
        .shown()
        .iter()
        .map(|one| one.sequence)
        .collect();
    assert!(shown.contains(&1) && shown.contains(&3) && !shown.contains(&2));
    let effects = again(&mut model);
    let [Effect::CreatePlant { draft, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(draft.id, 1);
    send(&mut model, Event::Ledger(lines[1..].to_vec()));
    assert_eq!(again(&mut model), []);
}

#[test]
fn the_key_that_adds_adds_a_plant_on_plants() {
    let mut model = model(1);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('a'));
    assert!(matches!(model.dialogs.last(), Some(Dialog::PlantForm(_))));
}
