//! Plants by keyboard.

use super::*;
use crate::dashboard::dialogs::prompt::{Prompt, Purpose};
use crate::dashboard::theme::Capabilities;
use crate::testing::chance::{Chance, rounds};
use crate::testing::plant;

/// Presses `y` on a question that has been on the screen for long enough.
fn confirm(model: &mut Dashboard) -> Vec<Effect> {
    assert!(matches!(model.dialogs.last(), Some(Dialog::Question(_))));
    read(model);
    press(model, KeyCode::Char('y'))
}

/// Lets the dialog be on the screen for long enough to be read.
fn read(model: &mut Dashboard) {
    let now = model.now;
    seen(model, now);
    send(model, Event::Now(now + 1.0));
}

/// The plant log with one more line.
fn log_line(model: &mut Dashboard, lines: &mut Vec<log::Entry>, line: log::Entry) {
    lines.push(line);
    send(model, Event::PlantLog(lines.clone()));
}

fn shown(model: &mut Dashboard) -> String {
    super::screens::screen(model, 100, 30, Capabilities::default())
}

#[test]
fn the_form_takes_id_name_and_tag_and_sends_once() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('n'));
    assert_eq!(model.screen.tab, TabId::Plants);
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
fn each_dialog_names_the_address_that_its_request_goes_to_and_why() {
    for sandbox in ["https://sandbox.example", "https://base.example/api"] {
        let watched = Watched {
            address: "https://base.example/api".to_owned(),
            sandbox: sandbox.to_owned(),
            ..watched(Vec::new())
        };
        let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
        let service = log::PlantService::new("https://base.example/api", sandbox);
        let created = log::Entry {
            address: sandbox.to_owned(),
            service,
            ..plant::outcome(1, log::Operation::Create, log::Outcome::Done)
        };
        send(&mut model, Event::PlantLog(vec![created]));
        press(&mut model, KeyCode::Char('3'));
        let is_one = sandbox.ends_with("api");
        for (key, to) in [
            ('n', format!("The create goes to {sandbox}")),
            (
                'D',
                "The delete goes to https://base.example/api".to_owned(),
            ),
        ] {
            press(&mut model, KeyCode::Char(key));
            let shown = shown(&mut model);
            assert!(shown.contains(&to), "{shown}");
            let why = shown.contains("the sandbox URL");
            assert_eq!(why, !is_one, "{shown}");
            // A name is said only of the address at which the plant was created.
            let named = shown.contains("named rose 1");
            assert_eq!(named, is_one && key == 'D', "{shown}");
            press(&mut model, KeyCode::Esc);
        }
    }
}

#[test]
fn a_plant_that_may_exist_is_created_again_once_and_only_after_a_question() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    let unknown = plant::outcome(1, Operation::Create, Outcome::Unknown);
    send(&mut model, Event::PlantLog(vec![unknown]));
    press(&mut model, KeyCode::Char('3'));
    for confirms in [false, true] {
        press(&mut model, KeyCode::Char('n'));
        type_text(&mut model, "42");
        let form = shown(&mut model);
        assert!(
            form.contains("plant 42 may exist: rose 1? (red 1)"),
            "{form}"
        );
        press(&mut model, KeyCode::Enter);
        type_text(&mut model, "oak");
        press(&mut model, KeyCode::Enter);
        assert_eq!(press(&mut model, KeyCode::Enter), []);
        if !confirms {
            assert_eq!(press(&mut model, KeyCode::Enter), [], "Enter cancels");
            assert!(model.dialogs.is_empty());
            continue;
        }
        let effects = confirm(&mut model);
        assert!(
            matches!(effects.as_slice(), [Effect::CreatePlant { draft, again: Some(1), .. }] if draft.name == "oak"),
            "{effects:?}"
        );
    }
}

/// Creates the plant 42 by keyboard, with this answer.
fn create(model: &mut Dashboard, lines: &mut Vec<log::Entry>, reply: log::Reply) {
    press(model, KeyCode::Char('n'));
    type_text(model, "42");
    press(model, KeyCode::Enter);
    type_text(model, "rose");
    press(model, KeyCode::Enter);
    let effects = press(model, KeyCode::Enter);
    let [Effect::CreatePlant { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let number = i64::try_from(lines.len()).unwrap() + 1;
    let outcome = match reply.outcome {
        log::Outcome::Done => Ok(None),
        log::Outcome::Unknown => Err(failure(FailureKind::OutcomeUnknown)),
        _ => Err(failure(FailureKind::Service)),
    };
    log_line(
        model,
        lines,
        plant::line(number, log::Operation::Create, reply),
    );
    let request = *request;
    send(model, Event::Plant { request, outcome });
}

#[test]
fn the_form_proposes_the_next_id_and_the_tag_and_the_message_the_next_plant() {
    let mut model = with_plant();
    press(&mut model, KeyCode::Char('n'));
    let Some(Dialog::PlantForm(form)) = model.dialogs.last() else {
        panic!("no form");
    };
    let fields = form.fields.each_ref().map(|field| field.text().to_owned());
    assert_eq!(fields, ["43", "", "red"]);
    let request = {
        press(&mut model, KeyCode::Enter);
        type_text(&mut model, "fern");
        press(&mut model, KeyCode::Enter);
        // It replaces the proposal.
        type_text(&mut model, "green");
        let effects = press(&mut model, KeyCode::Enter);
        let [Effect::CreatePlant { request, draft, .. }] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        assert_eq!((draft.id, draft.tag.as_str()), (43, "green"));
        *request
    };
    let outcome = Ok(None);
    send(&mut model, Event::Plant { request, outcome });
    assert!(model.dialogs.is_empty());
    let notice = model
        .messages
        .notice
        .as_ref()
        .map(|notice| notice.text.as_str());
    assert_eq!(notice, Some("n next  plant 43 created"));
}

#[test]
fn an_id_that_is_taken_is_told_at_its_field_with_what_the_log_knows() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    let mut lines = Vec::new();
    create(&mut model, &mut lines, plant::refused(409));
    let Some(Dialog::PlantForm(form)) = model.dialogs.last() else {
        panic!("the form is gone");
    };
    assert_eq!(form.focus, 0);
    assert_eq!(form.fields[0].error, "another plant has this id");
    // With the same id there is nothing to go on to.
    press(&mut model, KeyCode::Enter);
    let form = shown(&mut model);
    assert!(form.contains("another plant has this id") && form.contains("Type another id"));
    type_text(&mut model, "43");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Enter);
    let effects = press(&mut model, KeyCode::Enter);
    assert!(
        matches!(effects.as_slice(), [Effect::CreatePlant { draft, .. }] if draft.id == 43),
        "{effects:?}"
    );
    press(&mut model, KeyCode::Esc);
    let done = log::Reply::new(log::Outcome::Done);
    let mut model = super::model(0);
    press(&mut model, KeyCode::Char('3'));
    let mut lines = Vec::new();
    create(&mut model, &mut lines, done);
    create(&mut model, &mut lines, plant::refused(409));
    let Some(Dialog::PlantForm(form)) = model.dialogs.last() else {
        panic!("the form is gone");
    };
    let error = &form.fields[0].error;
    assert!(error.starts_with("created from here") && error.ends_with("as rose 1 (red 1)"));
}

#[test]
fn the_last_change_of_this_run_is_taken_back_after_a_question() {
    use log::{Operation, Outcome};
    let mut model = with_plant();
    // What was there before is not of this run.
    press(&mut model, KeyCode::Char('U'));
    assert!(model.dialogs.is_empty());
    press(&mut model, KeyCode::Char('D'));
    let effects = confirm(&mut model);
    let [Effect::DeletePlant { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let request = *request;
    let outcome = Ok(None);
    let created = plant::outcome(1, Operation::Create, Outcome::Done);
    let deleted = plant::outcome(2, Operation::Delete, Outcome::Done);
    send(&mut model, Event::PlantLog(vec![created, deleted]));
    send(&mut model, Event::Plant { request, outcome });
    press(&mut model, KeyCode::Char('U'));
    let question = shown(&mut model);
    assert!(question.contains("It was deleted."), "{question}");
    assert!(question.contains("named rose 1, tag red 1"), "{question}");
    assert_eq!(press(&mut model, KeyCode::Enter), [], "Enter cancels");
    press(&mut model, KeyCode::Char('U'));
    let effects = confirm(&mut model);
    let [
        Effect::CreatePlant {
            request,
            draft,
            again: Some(2),
        },
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    assert_eq!(draft.id, 42);
    // What takes a change back is the last one from then on.
    let (request, outcome) = (*request, Ok(None));
    send(&mut model, Event::Plant { request, outcome });
    press(&mut model, KeyCode::Char('U'));
    let question = shown(&mut model);
    assert!(question.contains("Delete plant 42"), "{question}");
}

#[test]
fn deletes_of_several_plants_end_with_a_sum() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    let lines: Vec<log::Entry> = (1..6)
        .map(|number| log::Entry {
            id: number.to_string(),
            ..plant::outcome(number, Operation::Create, Outcome::Done)
        })
        .collect();
    send(&mut model, Event::PlantLog(lines));
    type_text(&mut model, "g j j j j D");
    let effects = confirm(&mut model);
    let sent = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::DeletePlant { request, .. } => Some(*request),
            _ => None,
        })
    };
    let first = sent(&effects);
    let after = |ends: &[Option<FailureKind>]| {
        let mut model = model.clone();
        let mut waits = first;
        for end in ends {
            let request = waits.unwrap();
            let outcome = end.map_or(Ok(None), |kind| Err(failure(kind)));
            waits = sent(&send(&mut model, Event::Plant { request, outcome }));
        }
        assert_eq!(waits, None);
        model.messages.last.clone()
    };
    let refused = Some(FailureKind::Service);
    assert_eq!(after(&[None; 5]), "5 of 5 plants deleted");
    let said = after(&[None, refused, None, None, refused]);
    assert!(
        said.starts_with("3 of 5 plants deleted; refused: 4, 1 (it failed"),
        "{said}"
    );
    let unknown = Some(FailureKind::OutcomeUnknown);
    let said = after(&[None, unknown]);
    let sum = "1 of 5 plants deleted; 3 not sent, still marked. ";
    assert!(said.starts_with(sum), "{said}");
}

#[test]
fn the_requests_of_a_plant_are_scrolled_at_full_size() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    let lines = (1..41).map(|number| plant::outcome(number, Operation::Delete, Outcome::Refused));
    send(&mut model, Event::PlantLog(lines.collect()));
    press(&mut model, KeyCode::Enter);
    let top = shown(&mut model);
    assert!(top.contains("lines 1–24 of 41"), "{top}");
    press(&mut model, KeyCode::Char('j'));
    assert!(shown(&mut model).contains("lines 2–25 of 41"));
    press(&mut model, KeyCode::Char('G'));
    let bottom = shown(&mut model);
    assert!(bottom.contains("lines 18–41 of 41"), "{bottom}");
    press(&mut model, KeyCode::Char('k'));
    assert!(shown(&mut model).contains("lines 17–40 of 41"));
    // Opened again it begins at its first line.
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Enter);
    assert!(shown(&mut model).contains("lines 1–24 of 41"));
}

#[test]
fn a_delete_takes_another_id_and_marked_plants_go_one_after_the_other() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    // Without a row it begins with the id.
    press(&mut model, KeyCode::Char('D'));
    assert!(matches!(model.dialogs.last(), Some(Dialog::Prompt(_))));
    press(&mut model, KeyCode::Esc);
    let lines: Vec<log::Entry> = (1..4)
        .map(|number| log::Entry {
            id: number.to_string(),
            ..plant::outcome(number, Operation::Create, Outcome::Done)
        })
        .collect();
    send(&mut model, Event::PlantLog(lines));
    press(&mut model, KeyCode::Char('D'));
    press(&mut model, KeyCode::Char('i'));
    // Every printable key is text, and the proposal is replaced.
    type_text(&mut model, "iy 9");
    press(&mut model, KeyCode::Enter);
    let question = shown(&mut model);
    assert!(question.contains("Delete plant iy 9"), "{question}");
    assert!(
        question.contains("The plant log has no line of it."),
        "{question}"
    );
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    press(&mut model, KeyCode::Char('g'));
    type_text(&mut model, " j D");
    let question = shown(&mut model);
    assert!(question.contains("Delete 2 plants"), "{question}");
    assert!(question.contains("3 rose 3"), "{question}");
    let effects = confirm(&mut model);
    let [Effect::DeletePlant { request, id }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(id.as_str(), "3");
    // The next follows after a refusal, none after an unknown outcome.
    let request = *request;
    let after = |kind| {
        let mut model = model.clone();
        let outcome = Err(failure(kind));
        send(&mut model, Event::Plant { request, outcome }).len()
    };
    assert_eq!(after(FailureKind::Service), 1);
    assert_eq!(after(FailureKind::OutcomeUnknown), 0);
}

#[test]
fn an_unknown_plant_is_counted_on_every_tab_and_resolved_by_a_person() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    let unknown = plant::outcome(1, Operation::Create, Outcome::Unknown);
    send(&mut model, Event::PlantLog(vec![unknown]));
    for tab in ['1', '2', '3', '4'] {
        press(&mut model, KeyCode::Char(tab));
        assert!(shown(&mut model).contains("? 1 plant unknown"), "{tab}");
    }
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('o'));
    assert_eq!(press(&mut model, KeyCode::Enter), [], "Enter leaves it");
    for (key, operation) in [
        ('e', Operation::FoundExisting),
        ('a', Operation::FoundAbsent),
    ] {
        let mut model = model.clone();
        press(&mut model, KeyCode::Char('o'));
        let ahead = press(&mut model, KeyCode::Char(key));
        assert_eq!(ahead, [], "a key typed ahead records nothing");
        read(&mut model);
        let effects = press(&mut model, KeyCode::Char(key));
        let [
            Effect::ResolvePlant {
                finding,
                last_line: 1,
                ..
            },
        ] = effects.as_slice()
        else {
            panic!("{effects:?}");
        };
        assert_eq!((finding.id.as_str(), finding.operation), ("42", operation));
    }
}

#[test]
fn esc_ends_an_import_before_its_next_plant_and_the_footer_says_so() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    model
        .dialogs
        .push(Prompt::new(Purpose::ImportPlants, "plants.csv").into());
    let effects = press(&mut model, KeyCode::Enter);
    let [Effect::ImportPlants { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let request = *request;
    send(&mut model, Event::PlantsRead(request));
    assert!(shown(&mut model).contains("Esc stop import"));
    let effects = press(&mut model, KeyCode::Esc);
    assert_eq!(effects, [Effect::Cancel(request)]);
    let told = shown(&mut model);
    assert!(told.contains("the import ends after the plant") && !told.contains("stop import"));
    assert_eq!(press(&mut model, KeyCode::Esc), [], "it is told once");
    let outcome = Ok(Some("import stopped: 2 created, 1 not sent".to_owned()));
    send(&mut model, Event::Plant { request, outcome });
    assert!(shown(&mut model).contains("2 created, 1 not sent"));
}

/// Types a path into the prompt that a key opens; returns the number of its request.
fn path_typed(model: &mut Dashboard, key: char, path: &str) -> RequestId {
    press(model, KeyCode::Char(key));
    type_text(model, path);
    match press(model, KeyCode::Enter).as_slice() {
        [Effect::ImportPlants { request, .. } | Effect::ExportPlants { request, .. }] => *request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_path_that_cannot_be_read_or_written_stays_with_the_error_below_it() {
    for key in ['I', 'E'] {
        let mut model = with_plant();
        let request = path_typed(&mut model, key, "/no/plants.csv");
        let failed = Event::Plant {
            request,
            outcome: Err(failure(FailureKind::Other)),
        };
        send(&mut model, failed);
        let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
            panic!("the prompt is gone");
        };
        assert_eq!(prompt.field.text(), "/no/plants.csv");
        assert!(prompt.field.error.contains("it failed"), "{prompt:?}");
        // Put right, it is asked for again.
        type_text(&mut model, "x");
        let [Effect::ImportPlants { request, path } | Effect::ExportPlants { request, path, .. }] =
            &press(&mut model, KeyCode::Enter)[..]
        else {
            panic!("nothing was asked for");
        };
        assert_eq!(path, "/no/plants.csvx");
        let (request, outcome) = (*request, Ok(Some("1 plant".to_owned())));
        send(&mut model, Event::Plant { request, outcome });
        assert!(model.dialogs.is_empty(), "{key}");
    }
}

#[test]
fn an_import_goes_on_without_its_form_and_esc_in_the_form_ends_it() {
    let mut model = with_plant();
    let request = path_typed(&mut model, 'I', "plants.csv");
    let mut ended = model.clone();
    assert_eq!(press(&mut ended, KeyCode::Esc), [Effect::Cancel(request)]);
    assert!(ended.dialogs.is_empty());
    send(&mut model, Event::PlantsRead(request));
    assert!(model.dialogs.is_empty());
    let created = log::Entry {
        id: "43".to_owned(),
        at: model.now,
        ..plant::outcome(2, log::Operation::Create, log::Outcome::Done)
    };
    send(&mut model, Event::PlantLog(vec![created]));
    let outcome = Err(failure(FailureKind::Service));
    send(&mut model, Event::Plant { request, outcome });
    assert!(model.dialogs.is_empty() && model.messages.last.contains("it failed"));
    // The last create of it is the last change.
    press(&mut model, KeyCode::Char('U'));
    assert!(shown(&mut model).contains("Delete plant 43"));
}

#[test]
fn an_answer_of_a_person_is_corrected_by_o_and_by_undo() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    let mut lines = Vec::new();
    let unknown = plant::outcome(1, Operation::Create, Outcome::Unknown);
    log_line(&mut model, &mut lines, unknown);
    let mut answer = |model: &mut Dashboard, opens: char, key: char| {
        press(model, KeyCode::Char(opens));
        let question = shown(model);
        read(model);
        let effects = press(model, KeyCode::Char(key));
        let [
            Effect::ResolvePlant {
                request, finding, ..
            },
        ] = effects.as_slice()
        else {
            panic!("{effects:?}");
        };
        let sequence = i64::try_from(lines.len()).unwrap() + 1;
        let reply = log::Reply::new(Outcome::Done);
        let line = log::Entry {
            sequence,
            reply,
            ..(**finding).clone()
        };
        log_line(model, &mut lines, line);
        let (request, outcome) = (*request, Ok(None));
        send(model, Event::Plant { request, outcome });
        question
    };
    answer(&mut model, 'o', 'e');
    assert_eq!(model.messages.last, "o correct  plant 42 exists");
    let question = answer(&mut model, 'U', 'a');
    assert!(question.contains("A person said \"exists\""), "{question}");
    let question = answer(&mut model, 'o', 'e');
    assert!(question.contains("A person said \"absent\""), "{question}");
    let state = model.tabs.plants.plant("42").unwrap().state;
    assert_eq!(state, crate::plant::state::State::Exists);
    // What the service confirms is settled.
    let taken = plant::line(9, Operation::Create, plant::refused(409));
    log_line(&mut model, &mut lines, taken);
    for key in ['o', 'U'] {
        press(&mut model, KeyCode::Char(key));
        assert!(model.dialogs.is_empty(), "{key}");
    }
}

#[test]
fn an_error_in_the_form_of_a_plant_ends_with_the_first_change() {
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    let mut lines = Vec::new();
    create(&mut model, &mut lines, plant::refused(409));
    assert!(shown(&mut model).contains("Type another id"));
    type_text(&mut model, "4");
    let form = shown(&mut model);
    assert!(!form.contains("Type another id") && !form.contains("another plant has this id"));
}

#[test]
fn help_on_plants_names_each_key_once_and_the_signs_of_plants() {
    let mut model = with_plant();
    let mut help_on = |tab: char| {
        press(&mut model, KeyCode::Char(tab));
        press(&mut model, KeyCode::Char('?'));
        let help = super::screens::screen(&mut model, 160, 120, Capabilities::default());
        press(&mut model, KeyCode::Esc);
        assert_eq!(help.matches("Add a deployment").count(), 1, "{help}");
        help
    };
    help_on('1');
    let help = help_on('3');
    let of_deployments = help.lines().find(|line| line.contains("Add a deployment"));
    assert!(of_deployments.is_some_and(|line| line.contains(" a ")));
    for word in [
        "Import plants",
        "Mark all that are shown",
        "✓ exists",
        "■ marked",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(!help.contains("declared lost"), "{help}");
}

#[test]
fn an_answer_that_proves_nothing_says_so_below_its_request() {
    use log::{AnswerBody, Operation};
    for (operation, status, body, says_so) in [
        (Operation::Delete, 404, AnswerBody::Other, true),
        (Operation::Delete, 404, AnswerBody::Error, false),
        (Operation::Delete, 404, AnswerBody::Empty, false),
        (Operation::Create, 409, AnswerBody::Other, true),
        (Operation::Create, 404, AnswerBody::Other, false),
    ] {
        let mut model = model(0);
        press(&mut model, KeyCode::Char('3'));
        let reply = log::Reply {
            body: Some(body),
            ..plant::refused(status)
        };
        send(
            &mut model,
            Event::PlantLog(vec![plant::line(1, operation, reply)]),
        );
        let pane = shown(&mut model);
        let said = pane.contains("no Error of the service");
        assert_eq!(said, says_so, "{operation} {status}: {pane}");
    }
}

#[test]
fn the_footer_names_only_keys_that_do_something_to_the_chosen_plant() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    press(&mut model, KeyCode::Char('3'));
    let footer = |model: &mut Dashboard| {
        let shown = super::screens::screen(model, 160, 30, Capabilities::default());
        shown.lines().last().unwrap_or_default().to_owned()
    };
    let empty = footer(&mut model);
    let unknown = log::Entry {
        id: "7".to_owned(),
        ..plant::outcome(1, Operation::Create, Outcome::Unknown)
    };
    send(&mut model, Event::PlantLog(vec![unknown.clone()]));
    let of_unknown = footer(&mut model);
    let exists = plant::outcome(2, Operation::Create, Outcome::Done);
    send(&mut model, Event::PlantLog(vec![unknown, exists]));
    let of_existing = footer(&mut model);
    for (word, is_there) in [
        ("n new", [true, true, true]),
        ("D delete", [true, true, true]),
        ("o exists?", [false, true, false]),
        ("Space mark", [false, true, true]),
        ("E export", [false, false, true]),
        ("U undo", [false, false, false]),
    ] {
        let found = [&empty, &of_unknown, &of_existing].map(|footer| footer.contains(word));
        assert_eq!(
            found, is_there,
            "{word}: {empty}\n{of_unknown}\n{of_existing}"
        );
    }
}

#[test]
fn a_refused_token_is_told_with_the_key_for_another() {
    let mut model = with_plant();
    press(&mut model, KeyCode::Char('D'));
    let effects = confirm(&mut model);
    let [Effect::DeletePlant { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let request = *request;
    let refused = Failure::new(
        FailureKind::Forbidden,
        "not allowed",
        "Log in with `driftline auth login`.",
    );
    let outcome = Err(refused);
    send(&mut model, Event::Plant { request, outcome });
    let told = shown(&mut model);
    assert!(
        told.contains("F3 token  not allowed") && !told.contains("auth login"),
        "{told}"
    );
}

/// A service with plants, of which any answer may come, at any time.
struct Answers {
    lines: Vec<log::Entry>,
    /// Requests without an answer: their line, which of the lines it is, and the number.
    pending: Vec<(usize, RequestId)>,
}

impl Answers {
    fn state(&self, id: &str) -> Option<crate::plant::state::State> {
        let plant = crate::plant::state::plant(&self.lines, &plant::service(), id);
        plant.map(|plant| plant.state)
    }

    fn sent(&mut self, id: String, operation: log::Operation, request: RequestId) {
        let number = i64::try_from(self.lines.len()).unwrap() + 1;
        let line = plant::outcome(number, operation, log::Outcome::Unknown);
        self.lines.push(log::Entry { id, ..line });
        self.pending.push((self.lines.len() - 1, request));
    }

    /// Answers the oldest request.
    fn answer(&mut self, model: &mut Dashboard, chance: &Chance) {
        if self.pending.is_empty() {
            return;
        }
        let (line, request) = self.pending.remove(0);
        let replies = [
            (log::Reply::new(log::Outcome::Done), Ok(None)),
            (
                log::Reply::new(log::Outcome::Unknown),
                Err(failure(FailureKind::OutcomeUnknown)),
            ),
            (plant::refused(409), Err(failure(FailureKind::Service))),
            (plant::refused(500), Err(failure(FailureKind::Service))),
        ];
        let (reply, outcome) = replies[chance.below(replies.len())].clone();
        self.lines[line].reply = reply;
        send(model, Event::PlantLog(self.lines.clone()));
        send(model, Event::Plant { request, outcome });
    }
}

#[test]
fn no_keys_create_a_plant_that_may_exist_but_by_a_question_in_which_enter_cancels() {
    use crate::plant::state::State;
    // Single keys, and the forms of a create and of a delete filled in.
    const KEYS: [&str; 30] = [
        "3",
        "n",
        "\n",
        "\n",
        "\n",
        "\t",
        "1",
        "2",
        "y",
        "y",
        "U",
        "D",
        "o",
        "e",
        "a",
        "i",
        " ",
        "g",
        "G",
        "j",
        "k",
        "S",
        "s",
        "n\ta\n\n",
        "n\ta\n\n",
        "n1\ta\n\n",
        "n2\ta\n\n",
        "Dy",
        "oe",
        "Uy",
    ];
    let chance = Chance::new("creates");
    let mut creates = 0;
    for _ in 0..rounds(40, 2000) {
        let mut model = model(0);
        let mut service = Answers {
            lines: Vec::new(),
            pending: Vec::new(),
        };
        press(&mut model, KeyCode::Char('3'));
        let steps = (0..100).flat_map(|_| KEYS[chance.below(KEYS.len())].chars());
        for key in steps {
            let was_asked = matches!(model.dialogs.last(), Some(Dialog::Question(_)));
            let key = match key {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                key => KeyCode::Char(key),
            };
            for effect in press(&mut model, key) {
                match effect {
                    Effect::CreatePlant {
                        request,
                        draft,
                        again,
                    } => {
                        creates += 1;
                        let id = draft.id.to_string();
                        if matches!(service.state(&id), Some(State::Unknown | State::Sending)) {
                            assert!(was_asked && again.is_some(), "{id}");
                        }
                        service.sent(id, log::Operation::Create, request);
                    }
                    Effect::DeletePlant { request, id } => {
                        let id = id.as_str().to_owned();
                        service.sent(id, log::Operation::Delete, request);
                    }
                    Effect::ResolvePlant {
                        request, finding, ..
                    } => {
                        let reply = log::Reply::new(log::Outcome::Done);
                        service.lines.push(log::Entry { reply, ..*finding });
                        send(&mut model, Event::PlantLog(service.lines.clone()));
                        let outcome = Ok(None);
                        send(&mut model, Event::Plant { request, outcome });
                    }
                    _ => {}
                }
            }
            let is_asked = matches!(model.dialogs.last(), Some(Dialog::Question(_)));
            if is_asked && !was_asked {
                let now = model.now;
                seen(&mut model, now);
                send(&mut model, Event::Now(now + 1.0));
                assert_eq!(
                    press(&mut model.clone(), KeyCode::Enter),
                    [],
                    "Enter cancels"
                );
            }
            if chance.below(3) == 0 {
                service.answer(&mut model, &chance);
            }
        }
    }
    assert!(creates > 20, "{creates}");
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
fn a_plant_is_deleted_by_the_name_that_it_was_created_with() {
    use log::{Operation, Outcome};
    let mut model = model(0);
    let created = plant::outcome(1, Operation::Create, Outcome::Done);
    let refused = plant::line(2, Operation::Create, plant::refused(409));
    send(&mut model, Event::PlantLog(vec![created, refused]));
    press(&mut model, KeyCode::Char('3'));
    press(&mut model, KeyCode::Char('D'));
    let question = shown(&mut model);
    assert!(question.contains("named rose 1"), "{question}");
}

#[test]
fn keys_typed_ahead_of_the_question_delete_nothing() {
    let mut model = with_plant();
    assert!(type_text(&mut model, "Dy").is_empty());
    send(&mut model, Event::Paste("Dy\nDy".to_owned()));
    let [Dialog::Question(question)] = model.dialogs.as_slice() else {
        panic!("{:?}", model.dialogs);
    };
    assert!(question.error.contains("press it again"), "it says so");
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
                    .messages
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
        let mut lines: Vec<_> = (1..4)
            .map(|number| log::Entry {
                id: number.to_string(),
                ..plant::outcome(number, Operation::Create, Outcome::Done)
            })
            .collect();
        send(&mut model, Event::PlantLog(lines.clone()));
        type_text(&mut model, if turned { "3S" } else { "3" });
        let done = log::Reply::new(log::Outcome::Done);
        create(&mut model, &mut lines, done);
        assert_eq!(model.tabs.plants.selected().unwrap().id, "42", "{turned}");
    }
}

#[test]
fn a_line_of_another_service_is_not_shown() {
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
    assert_eq!(model.rows(), 0);
    assert!(shown(&mut model).contains("2 lines of other services"));
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
