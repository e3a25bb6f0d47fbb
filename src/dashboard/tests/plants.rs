//! Plants by keyboard.

use super::*;
use crate::dashboard::dialogs::question::{Deed, Question};
use crate::dashboard::tabs::RowsTab;
use crate::dashboard::theme::Capabilities;
use crate::plant::Draft;
use crate::plant::log::{AnswerBody, Entry, Operation, Outcome, Reply};
use crate::plant::state::State;
use crate::testing::chance::{Chance, rounds};
use crate::testing::plant;
use proptest::prelude::*;

/// The tab with these lines in the plant log.
fn with_log(lines: &[Entry]) -> Dashboard {
    let mut model = model(0);
    send(&mut model, Event::PlantLog(lines.to_vec()));
    press(&mut model, KeyCode::Char('3'));
    model
}

/// A line of another plant than 42.
fn line_of(id: impl ToString, line: Entry) -> Entry {
    let id = id.to_string();
    Entry { id, ..line }
}

/// The creates of the plants 1 to this one, all done.
fn created(last: i64) -> Vec<Entry> {
    let line = |number| plant::outcome(number, Operation::Create, Outcome::Done);
    (1..=last)
        .map(|number| line_of(number, line(number)))
        .collect()
}

/// The tab with the plant 42, "rose" (red), that exists.
fn with_plant() -> Dashboard {
    let created = Entry {
        at: NOW,
        name: Some("rose".to_owned()),
        tag: Some("red".to_owned()),
        ..plant::outcome(1, Operation::Create, Outcome::Done)
    };
    with_log(&[created])
}

/// Types keys, with `\n` for Enter, `\t` for Tab and `<` for Esc.
fn keys(model: &mut Dashboard, typed: &str) -> Vec<Effect> {
    let key = |key: char| match key {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '<' => KeyCode::Esc,
        key => KeyCode::Char(key),
    };
    let effects = typed.chars().flat_map(|typed| press(model, key(typed)));
    effects.collect()
}

/// Presses `y` on a question that is on the screen.
fn confirm(model: &mut Dashboard) -> Vec<Effect> {
    assert!(matches!(model.dialogs.last(), Some(Dialog::Question(_))));
    seen(model);
    keys(model, "y")
}

fn shown(model: &mut Dashboard) -> String {
    super::screens::screen(model, 100, 30, Capabilities::default())
}

/// Fails unless the screen has these words.
#[track_caller]
fn shows(model: &mut Dashboard, words: &str) {
    let shown = shown(model);
    assert!(shown.contains(words), "no {words:?}: {shown}");
}

/// The footer of a wide screen.
fn footer(model: &mut Dashboard) -> String {
    let shown = super::screens::screen(model, 160, 30, Capabilities::default());
    shown.lines().last().unwrap_or_default().to_owned()
}

/// The only effect, a create: its request, its plant, and the last line of one that is created
/// again.
fn create_of(effects: Vec<Effect>) -> (RequestId, Draft, Option<i64>) {
    match &effects[..] {
        [
            Effect::CreatePlant {
                request,
                draft,
                again,
            },
        ] => (*request, draft.clone(), *again),
        other => panic!("{other:?}"),
    }
}

/// The only effect, a delete: its request and its id.
fn delete_of(effects: Vec<Effect>) -> (RequestId, String) {
    match &effects[..] {
        [Effect::DeletePlant { request, id }] => (*request, id.as_str().to_owned()),
        other => panic!("{other:?}"),
    }
}

/// The only effect, a request for a file.
fn file_of(effects: Vec<Effect>) -> (RequestId, String) {
    match &effects[..] {
        [Effect::ImportPlants { request, path } | Effect::ExportPlants { request, path, .. }] => {
            (*request, path.clone())
        }
        other => panic!("{other:?}"),
    }
}

fn answer(
    model: &mut Dashboard,
    request: RequestId,
    outcome: Result<Option<String>, FailureKind>,
) -> Vec<Effect> {
    let outcome = outcome.map_err(failure);
    send(model, Event::Plant { request, outcome })
}

/// The form of a new plant on top.
fn form(model: &Dashboard) -> &crate::dashboard::dialogs::plant::PlantForm {
    match model.dialogs.last() {
        Some(Dialog::PlantForm(form)) => form,
        other => panic!("{other:?}"),
    }
}

/// Creates the plant 42 by keyboard, with this answer, which the log has, too.
fn create(model: &mut Dashboard, lines: &mut Vec<Entry>, reply: Reply) {
    let (request, ..) = create_of(keys(model, "n42\nrose\n\n"));
    let number = i64::try_from(lines.len()).unwrap() + 1;
    let outcome = match reply.outcome {
        Outcome::Done => Ok(None),
        Outcome::Unknown => Err(FailureKind::OutcomeUnknown),
        _ => Err(FailureKind::Service),
    };
    lines.push(plant::line(number, Operation::Create, reply));
    send(model, Event::PlantLog(lines.clone()));
    answer(model, request, outcome);
}

#[test]
fn the_form_takes_id_name_and_tag_and_sends_once() {
    let mut model = with_log(&[]);
    // Every printable key is text here, also those that are commands elsewhere.
    let (request, draft, _) = create_of(keys(&mut model, "n42\tq?: rose\tred\n"));
    let fields = (draft.id, draft.name.as_str(), draft.tag.as_str());
    assert_eq!(fields, (42, "q?: rose", "red"));
    assert_eq!(keys(&mut model, &"\n".repeat(200)), []);
    answer(&mut model, request, Ok(None));
    assert!(model.dialogs.is_empty());
}

#[test]
fn a_refused_create_keeps_what_was_typed_and_says_why() {
    let mut model = with_log(&[]);
    let (request, ..) = create_of(keys(&mut model, "n42\nrose\n\n"));
    answer(&mut model, request, Err(FailureKind::Service));
    let form = form(&model);
    assert_eq!(form.fields[1].text(), "rose");
    assert!(form.failure.contains("it failed"));
    assert!(form.sending.is_none());
}

#[test]
fn an_id_that_is_no_number_is_told_under_its_field_and_nothing_is_sent() {
    let mut model = with_log(&[]);
    assert_eq!(keys(&mut model, "n4.5\trose\t\n"), []);
    assert!(!form(&model).fields[0].error.is_empty());
    assert_eq!(form(&model).focus, 0);
}

#[test]
fn enter_alone_cancels_a_delete_and_y_deletes() {
    let mut model = with_plant();
    for key in ["\n", "n", "<"] {
        assert_eq!(keys(&mut model, &format!("D{key}")), []);
        assert!(model.dialogs.is_empty());
        assert_eq!(said(&model), "nothing deleted");
        keys(&mut model, "<");
    }
    keys(&mut model, "D");
    // Typed ahead: nobody has seen the question.
    assert_eq!(keys(&mut model, "y"), []);
    seen(&mut model);
    let (_, id) = delete_of(keys(&mut model, "y"));
    assert_eq!(id, "42");
    // Asked for once more while the answer is awaited, it is not sent again.
    keys(&mut model, "D");
    assert_eq!(confirm(&mut model), []);
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
        let created = Entry {
            address: sandbox.to_owned(),
            service: log::PlantService::new("https://base.example/api", sandbox),
            ..plant::outcome(1, Operation::Create, Outcome::Done)
        };
        send(&mut model, Event::PlantLog(vec![created]));
        press(&mut model, KeyCode::Char('3'));
        let is_one = sandbox.ends_with("api");
        for (key, to) in [
            ("n", format!("The create goes to {sandbox}")),
            (
                "D",
                "The delete goes to https://base.example/api".to_owned(),
            ),
        ] {
            keys(&mut model, key);
            let shown = shown(&mut model);
            assert!(shown.contains(&to), "{shown}");
            assert_eq!(shown.contains("another store"), !is_one, "{shown}");
            assert!(!shown.contains("go to http"), "{shown}");
            // A name is said only of the address at which the plant was created.
            let named = shown.contains("named rose 1");
            assert_eq!(named, is_one && key == "D", "{shown}");
            let elsewhere = shown.contains("at https://sandbox.example it is rose 1");
            assert_eq!(elsewhere, !is_one && key == "D", "{shown}");
            keys(&mut model, "<");
        }
    }
}

#[test]
fn a_plant_that_may_exist_is_created_again_once_and_only_after_a_question() {
    let mut model = with_log(&[plant::outcome(1, Operation::Create, Outcome::Unknown)]);
    keys(&mut model, "n42");
    let form = shown(&mut model);
    let known = "plant 42 may exist: rose 1? (red 1)";
    assert!(form.contains(known), "{form}");
    assert_eq!(keys(&mut model, "\noak\n\n"), [], "it is a question");
    assert_eq!(keys(&mut model, "\n"), [], "Enter cancels");
    assert!(model.dialogs.is_empty());
    assert_eq!(keys(&mut model, "n42\noak\n\n"), []);
    let (_, draft, again) = create_of(confirm(&mut model));
    assert_eq!((draft.name.as_str(), again), ("oak", Some(1)));
}

#[test]
fn the_form_proposes_the_next_id_and_the_tag_and_the_message_the_next_plant() {
    let mut model = with_plant();
    keys(&mut model, "n");
    let fields = form(&model).fields.each_ref();
    assert_eq!(fields.map(|field| field.text()), ["43", "", "red"]);
    // What is typed replaces the proposal.
    let (request, draft, _) = create_of(keys(&mut model, "\nfern\ngreen\n"));
    assert_eq!((draft.id, draft.tag.as_str()), (43, "green"));
    answer(&mut model, request, Ok(None));
    assert!(model.dialogs.is_empty());
    assert_eq!(model.messages.last, "n next  plant 43 created");
}

#[test]
fn an_id_that_is_taken_is_told_at_its_field_with_what_the_log_knows() {
    let mut model = with_log(&[]);
    create(&mut model, &mut Vec::new(), plant::refused(409));
    let other = "a plant has this id already";
    assert_eq!(form(&model).focus, 0);
    assert_eq!(form(&model).fields[0].error, other);
    // With the same id there is nothing to go on to.
    keys(&mut model, "\n");
    let taken = shown(&mut model);
    assert!(taken.contains(other) && taken.contains("Type another id"));
    // It ends with the first change.
    keys(&mut model, "4");
    let changed = shown(&mut model);
    assert!(!changed.contains(other) && !changed.contains("Type another id"));
    let (_, draft, _) = create_of(keys(&mut model, "3\n\n\n"));
    assert_eq!(draft.id, 43);
    let (mut model, mut lines) = (with_log(&[]), Vec::new());
    create(&mut model, &mut lines, Reply::new(Outcome::Done));
    create(&mut model, &mut lines, plant::refused(409));
    let error = &form(&model).fields[0].error;
    assert!(error.starts_with("created from here") && error.ends_with("as rose 1 (red 1)"));
    // A person may have been wrong about one whose answer was lost.
    let (mut model, mut lines) = (with_log(&[]), Vec::new());
    create(&mut model, &mut lines, Reply::new(Outcome::Unknown));
    keys(&mut model, "\n");
    lines.push(line_of(
        42,
        plant::outcome(2, Operation::FoundAbsent, Outcome::Done),
    ));
    send(&mut model, Event::PlantLog(lines.clone()));
    create(&mut model, &mut lines, plant::refused(409));
    let error = &form(&model).fields[0].error;
    assert!(
        error.contains("perhaps by the create whose answer was lost"),
        "{error}"
    );
}

#[test]
fn the_last_change_of_this_run_is_taken_back_after_a_question() {
    let mut model = with_plant();
    // What was there before is not of this run.
    keys(&mut model, "U");
    assert!(model.dialogs.is_empty());
    keys(&mut model, "D");
    let (request, _) = delete_of(confirm(&mut model));
    let created = plant::outcome(1, Operation::Create, Outcome::Done);
    let deleted = plant::outcome(2, Operation::Delete, Outcome::Done);
    let mut lines = vec![created, deleted];
    send(&mut model, Event::PlantLog(lines.clone()));
    answer(&mut model, request, Ok(None));
    keys(&mut model, "D");
    shows(&mut model, "of use only if the service has it all the same");
    keys(&mut model, "\nU");
    shows(&mut model, "It was deleted.");
    shows(&mut model, "named rose 1 (red 1)");
    assert_eq!(keys(&mut model, "\n"), [], "Enter cancels");
    keys(&mut model, "U");
    let (request, draft, again) = create_of(confirm(&mut model));
    assert_eq!((draft.id, again), (42, Some(2)));
    // What takes a change back is the last one from then on.
    lines.push(plant::outcome(3, Operation::Create, Outcome::Done));
    send(&mut model, Event::PlantLog(lines.clone()));
    answer(&mut model, request, Ok(None));
    keys(&mut model, "U");
    shows(&mut model, "Delete plant 42");
    keys(&mut model, "\n");
    // What is not there any more is not deleted again.
    lines.push(plant::line(4, Operation::Delete, plant::refused(404)));
    send(&mut model, Event::PlantLog(lines));
    assert!(!footer(&mut model).contains("U undo"));
    keys(&mut model, "U");
    assert!(model.dialogs.is_empty());
    assert_eq!(
        model.messages.last,
        "no undo: 42 does not exist by a create from here"
    );
}

/// Answers the deletes or creates of one question, the first of which was sent, and writes
/// their lines.
fn answered(
    model: &mut Dashboard,
    lines: &mut Vec<Entry>,
    mut effects: Vec<Effect>,
    answers: &[Result<(), FailureKind>],
) {
    for came in answers {
        let (request, id, operation) = match &effects[..] {
            [Effect::DeletePlant { request, id }] => {
                (*request, id.as_str().to_owned(), Operation::Delete)
            }
            _ => {
                let (request, draft, _) = create_of(effects);
                (request, draft.id.to_string(), Operation::Create)
            }
        };
        let outcome = match came {
            Ok(()) => Outcome::Done,
            Err(FailureKind::OutcomeUnknown) => Outcome::Unknown,
            Err(_) => Outcome::Refused,
        };
        let number = i64::try_from(lines.len()).unwrap() + 1;
        lines.push(line_of(id, plant::outcome(number, operation, outcome)));
        send(model, Event::PlantLog(lines.clone()));
        effects = answer(model, request, came.map(|()| None));
    }
    assert_eq!(effects, [], "nothing more is sent");
}

#[test]
fn deletes_of_several_plants_end_with_a_sum_and_are_taken_back_together() {
    let refused = Err(FailureKind::Service);
    let unknown = Err(FailureKind::OutcomeUnknown);
    for (answers, said, taken_back) in [
        (
            vec![Ok(()); 5],
            "U undo  5 of 5 deleted",
            "5 rose 5, 4 rose 4, 3 rose 3, 2 rose 2, 1 rose 1",
        ),
        (
            vec![Ok(()), refused, Ok(()), Ok(()), refused],
            "U undo  3 of 5 deleted; refused: 4, 1 (it failed",
            "5 rose 5, 3 rose 3, 2 rose 2",
        ),
        (
            vec![Ok(()), unknown],
            "D delete again  1 of 5 deleted; 3 not sent, still marked. ",
            "5 rose 5, 4 rose 4",
        ),
        (vec![refused; 5], "0 of 5 deleted; refused: 5, 4, 3, …", ""),
    ] {
        let mut lines = created(5);
        let mut model = with_log(&lines);
        let marked = keys(&mut model, "*D");
        assert_eq!(marked, []);
        let first = confirm(&mut model);
        answered(&mut model, &mut lines, first, &answers);
        let last = &model.messages.last;
        assert!(last.starts_with(said), "{last}");
        keys(&mut model, "<U");
        let question = shown(&mut model);
        assert!(question.contains(taken_back), "{question}");
        if taken_back.is_empty() {
            assert!(model.dialogs.is_empty(), "there is nothing to take back");
            continue;
        }
        assert_eq!(keys(&mut model, "\n"), [], "Enter cancels");
        keys(&mut model, "U");
        let effects = confirm(&mut model);
        let count = taken_back.split(", ").count();
        answered(&mut model, &mut lines, effects, &vec![Ok(()); count]);
        let said = format!("U undo  {count} of {count} created");
        assert_eq!(model.messages.last, said);
        // What takes them back is taken back in one question, too.
        keys(&mut model, "U");
        shows(&mut model, &format!("Delete {count} plants"));
        shows(&mut model, "This takes your last create back");
    }
}

#[test]
fn what_cannot_be_created_again_is_said_and_nothing_is_asked_without_any() {
    let mut lines = created(2);
    // Created elsewhere: its name is not known.
    lines.push(line_of(
        "9",
        plant::outcome(3, Operation::FoundExisting, Outcome::Done),
    ));
    let mut model = with_log(&lines);
    keys(&mut model, "*D");
    let first = confirm(&mut model);
    answered(&mut model, &mut lines, first, &[Ok(()); 3]);
    keys(&mut model, "U");
    shows(&mut model, "Create 2 plants again");
    shows(&mut model, "Not again: 9 (no name known).");
    keys(&mut model, "<Diwild rose\n");
    let first = confirm(&mut model);
    answered(&mut model, &mut lines, first, &[Ok(())]);
    assert_eq!(model.messages.last, "plant wild rose deleted");
    assert!(!footer(&mut model).contains("undo"));
    keys(&mut model, "U");
    assert!(model.dialogs.is_empty());
    assert_eq!(model.messages.last, "no undo: wild rose (no name known)");
}

#[test]
fn the_requests_of_a_plant_are_scrolled_at_full_size() {
    let refused = |number| plant::outcome(number, Operation::Delete, Outcome::Refused);
    let mut model = with_log(&(1..41).map(refused).collect::<Vec<_>>());
    for (key, lines) in [
        ("\n", "lines 1–24 of 41"),
        ("j", "lines 2–25 of 41"),
        ("G", "lines 18–41 of 41"),
        ("k", "lines 17–40 of 41"),
        // Opened again it begins at its first line.
        ("\n\n", "lines 1–24 of 41"),
    ] {
        keys(&mut model, key);
        let shown = shown(&mut model);
        assert!(shown.contains(lines), "{lines}: {shown}");
    }
}

#[test]
fn on_the_page_of_a_plant_no_key_acts_on_the_rows_that_it_hides() {
    let mut lines = created(5);
    let mut model = with_log(&lines);
    keys(&mut model, "jj &exists\n");
    let before = model.tabs.plants.titles();
    keys(&mut model, "\n");
    let page = shown(&mut model);
    assert!(
        page.contains("Plant 3 rose 3") && !page.contains("5 rose 5"),
        "{page}"
    );
    let footer = footer(&mut model);
    for word in ["mark", "find", "filter"] {
        assert!(!footer.contains(word), "{word}: {footer}");
    }
    assert!(footer.contains("Enter list"), "{footer}");
    for key in " */&sSjkgG".chars() {
        assert_eq!(keys(&mut model, &key.to_string()), []);
        assert!(model.dialogs.is_empty(), "{key}");
        assert_eq!(model.tabs.plants.titles(), before, "{key}");
    }
    // The delete is about the plant that is read, whatever is marked.
    keys(&mut model, "<j\nD");
    shows(&mut model, "Delete plant 2");
    // Esc leads back before it takes back what is not seen.
    keys(&mut model, "<<");
    let list = shown(&mut model);
    assert!(
        list.contains("1 marked") && list.contains("&exists"),
        "{list}"
    );
    // A new row does not change what is read, though it was the first.
    keys(&mut model, "g\n");
    lines.push(line_of(
        6,
        plant::outcome(6, Operation::Create, Outcome::Done),
    ));
    send(&mut model, Event::PlantLog(lines));
    shows(&mut model, "Plant 5 rose 5");
}

#[test]
fn a_delete_takes_another_id_and_marked_plants_go_one_after_the_other() {
    let mut model = with_log(&[]);
    // Without a row it begins with the id.
    keys(&mut model, "D");
    assert!(matches!(model.dialogs.last(), Some(Dialog::Prompt(_))));
    keys(&mut model, "<");
    send(&mut model, Event::PlantLog(created(3)));
    // Every printable key is text, and the proposal is replaced.
    keys(&mut model, "Diiy 9\n");
    let question = shown(&mut model);
    assert!(question.contains("Delete plant iy 9"), "{question}");
    let unknown = "No request for it is known here.";
    assert!(question.contains(unknown), "{question}");
    assert_eq!(keys(&mut model, "\ng j D"), []);
    shows(&mut model, "Delete 2 plants");
    shows(&mut model, "3 rose 3");
    let (request, id) = delete_of(confirm(&mut model));
    assert_eq!(id, "3");
    // The next follows after a refusal, none after an unknown outcome.
    let after = |kind| answer(&mut model.clone(), request, Err(kind)).len();
    assert_eq!(after(FailureKind::Service), 1);
    assert_eq!(after(FailureKind::OutcomeUnknown), 0);
}

#[test]
fn an_unknown_plant_is_counted_on_every_tab() {
    let mut model = with_log(&[plant::outcome(1, Operation::Create, Outcome::Unknown)]);
    for tab in ["1", "2", "3", "4"] {
        keys(&mut model, tab);
        assert!(shown(&mut model).contains("? 1 plant unknown"), "{tab}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(100, 2000) as u32))]

    /// Whatever was requested and said of a plant: `o` asks only where no answer of the service
    /// has told; there `y` records that it exists, `a` that it does not, and no other key does
    /// anything, nor does one that was typed before the question could be read.
    #[test]
    fn y_and_a_say_whether_a_plant_exists_and_nothing_else_does(
        came in proptest::collection::vec((0usize..4, 0usize..3), 1..7),
        key in proptest::sample::select("yneaoUDjqx1? \n\t<".chars().collect::<Vec<_>>()),
        is_read in proptest::bool::ANY,
    ) {
        let lines: Vec<Entry> = (1..).zip(&came).map(|(number, (operation, outcome))| {
            use Operation::{Create, Delete, FoundAbsent, FoundExisting};
            let operation = [Create, Delete, FoundExisting, FoundAbsent][*operation];
            let reply = [
                Reply::new(Outcome::Done),
                Reply::new(Outcome::Unknown),
                plant::refused(if operation == Create { 409 } else { 404 }),
            ][*outcome].clone();
            let reply = if operation.is_request() { reply } else { Reply::new(Outcome::Done) };
            plant::line(number, operation, reply)
        }).collect();
        let state = |lines: &[Entry]| crate::plant::state::plant(lines, &plant::service(), "42");
        let known = state(&lines).unwrap();
        let is_open = known.state == State::Unknown || known.is_said;
        let mut model = with_log(&lines);
        keys(&mut model, "o");
        prop_assert_eq!(matches!(model.dialogs.last(), Some(Dialog::Question(_))), is_open);
        if !is_open {
            let why = model.messages.last.as_str();
            prop_assert!(why.starts_with("nothing to ask: plant 42 ") && why.ends_with(", as answered"), "{}", why);
            return Ok(());
        }
        if is_read {
            seen(&mut model);
        }
        let effects = keys(&mut model, &key.to_string());
        let found = match key {
            _ if !is_read => None,
            'y' | 'e' => Some((Operation::FoundExisting, State::Exists)),
            'a' => Some((Operation::FoundAbsent, State::Absent)),
            _ => None,
        };
        let Some((operation, found)) = found else {
            prop_assert_eq!(effects, []);
            let closes = matches!(key, '\n' | '<' | 'q' | 'n');
            prop_assert_eq!(model.dialogs.is_empty(), closes);
            return Ok(());
        };
        let [Effect::ResolvePlant { request, finding, last_line }] = &effects[..] else {
            panic!("{effects:?}");
        };
        prop_assert_eq!(finding.operation, operation);
        prop_assert_eq!(*last_line, known.last_line(&lines), "nothing came of it meanwhile");
        let reply = Reply::new(Outcome::Done);
        let line = Entry { sequence: last_line + 1, reply, ..(**finding).clone() };
        let lines = [lines, vec![line]].concat();
        send(&mut model, Event::PlantLog(lines.clone()));
        answer(&mut model, *request, Ok(None));
        prop_assert!(model.dialogs.is_empty());
        let known = state(&lines).unwrap();
        prop_assert_eq!((known.state, known.is_said), (found, true));
        // The other answer corrects it, by `o` and by `U`.
        let said = format!("A person said \"{found}\"");
        for key in ["o", "U"] {
            keys(&mut model, key);
            shows(&mut model, &said);
            keys(&mut model, "<");
        }
        let taken = plant::line(last_line + 2, Operation::Create, plant::refused(409));
        send(&mut model, Event::PlantLog([lines, vec![taken]].concat()));
        // What the service confirms is settled.
        for key in ["o", "U"] {
            keys(&mut model, key);
            prop_assert!(model.dialogs.is_empty());
        }
    }
}

#[test]
fn a_question_whether_a_plant_exists_says_what_is_known_of_it() {
    let mut model = with_log(&[plant::outcome(1, Operation::Delete, Outcome::Unknown)]);
    let id = "42".to_owned();
    model
        .dialogs
        .push(Question::new(Deed::ResolvePlant { id }).into());
    let asked = shown(&mut model);
    assert!(
        asked.contains("whether a request to https://service.example/api was"),
        "{asked}"
    );
    assert!(
        asked.contains("y  Exists") && asked.contains("a  Absent"),
        "{asked}"
    );
}

#[test]
fn esc_ends_an_import_before_its_next_plant_and_the_footer_says_so() {
    let mut model = with_log(&[]);
    let (request, _) = file_of(keys(&mut model, "Iplants.csv\n"));
    send(&mut model, Event::PlantsRead(request, Vec::new()));
    shows(&mut model, "Esc stop import");
    assert_eq!(keys(&mut model, "<"), [Effect::Cancel(request)]);
    let told = shown(&mut model);
    assert!(told.contains("the import ends after the plant") && !told.contains("stop import"));
    assert_eq!(keys(&mut model, "<"), [], "it is told once");
    let said = "import stopped: 2 created, 1 not sent".to_owned();
    answer(&mut model, request, Ok(Some(said)));
    shows(&mut model, "2 created, 1 not sent");
}

#[test]
fn a_path_that_cannot_be_read_or_written_stays_with_the_error_below_it() {
    for key in ["I", "E"] {
        let mut model = with_plant();
        let (request, _) = file_of(keys(&mut model, &format!("{key}/no/plants.csv\n")));
        answer(&mut model, request, Err(FailureKind::Other));
        let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
            panic!("the prompt is gone");
        };
        assert_eq!(prompt.field.text(), "/no/plants.csv");
        assert!(prompt.field.error.contains("it failed"), "{prompt:?}");
        // Put right, it is asked for again.
        let (request, path) = file_of(keys(&mut model, "x\n"));
        assert_eq!(path, "/no/plants.csvx");
        answer(&mut model, request, Ok(Some("1 plant".to_owned())));
        assert!(model.dialogs.is_empty(), "{key}");
    }
}

#[test]
fn an_import_goes_on_without_its_form_and_is_taken_back_as_a_whole() {
    let mut model = with_plant();
    let (request, _) = file_of(keys(&mut model, "Iplants.csv\n"));
    let mut ended = model.clone();
    assert_eq!(keys(&mut ended, "<"), [Effect::Cancel(request)]);
    assert!(ended.dialogs.is_empty());
    let ids = ["43", "44", "45"].map(str::to_owned).to_vec();
    send(&mut model, Event::PlantsRead(request, ids));
    assert!(model.dialogs.is_empty());
    let at = model.now;
    let (done, refused) = (Reply::new(Outcome::Done), plant::refused(400));
    // 50 is of another program, at the same time.
    let lines = [
        ("43", &done),
        ("50", &done),
        ("44", &done),
        ("45", &refused),
    ];
    let lines = (2..).zip(lines).map(|(number, (id, reply))| Entry {
        at,
        ..line_of(id, plant::line(number, Operation::Create, reply.clone()))
    });
    send(&mut model, Event::PlantLog(lines.collect()));
    answer(&mut model, request, Err(FailureKind::Service));
    assert!(model.dialogs.is_empty() && model.messages.last.contains("it failed"));
    keys(&mut model, "<U");
    shows(&mut model, "Delete 2 plants");
    shows(&mut model, "43 rose 2, 44 rose 4");
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
        "Mark all shown or found",
        "✓ exists",
        "■ marked",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(!help.contains("declared lost"), "{help}");
}

#[test]
fn an_answer_that_proves_nothing_says_so_below_its_request() {
    for (operation, status, body, says_so) in [
        (Operation::Delete, 404, AnswerBody::Other, true),
        (Operation::Delete, 404, AnswerBody::Error, false),
        (Operation::Delete, 404, AnswerBody::Empty, false),
        (Operation::Create, 409, AnswerBody::Other, true),
        (Operation::Create, 404, AnswerBody::Other, false),
    ] {
        let reply = Reply {
            body: Some(body),
            ..plant::refused(status)
        };
        let mut model = with_log(&[plant::line(1, operation, reply)]);
        let pane = shown(&mut model);
        let said = pane.contains("no Error of the service");
        assert_eq!(said, says_so, "{operation} {status}: {pane}");
    }
}

#[test]
fn the_footer_names_only_keys_that_do_something_to_the_chosen_plant() {
    let unknown = line_of("7", plant::outcome(1, Operation::Create, Outcome::Unknown));
    let exists = plant::outcome(2, Operation::Create, Outcome::Done);
    let logs = [vec![], vec![unknown.clone()], vec![unknown, exists]];
    let footers = logs.map(|lines| footer(&mut with_log(&lines)));
    for (word, is_there) in [
        ("n new", [true, true, true]),
        ("D delete", [true, true, true]),
        ("o found out", [false, true, false]),
        ("Space mark", [false, true, true]),
        ("E export", [false, false, true]),
        ("U undo", [false, false, false]),
    ] {
        let found = footers.each_ref().map(|footer| footer.contains(word));
        assert_eq!(found, is_there, "{word}: {footers:?}");
    }
}

#[test]
fn a_refused_token_is_told_with_the_key_for_another() {
    let mut model = with_plant();
    keys(&mut model, "D");
    let (request, _) = delete_of(confirm(&mut model));
    let hint = "Log in with `driftline auth login`.";
    let outcome = Err(Failure::new(FailureKind::Forbidden, "not allowed", hint));
    send(&mut model, Event::Plant { request, outcome });
    let told = shown(&mut model);
    assert!(told.contains("F3 token  not allowed"), "{told}");
    assert!(!told.contains("auth login"), "{told}");
}

/// A service with plants, of which any answer may come, at any time.
struct Answers {
    lines: Vec<Entry>,
    /// Requests without an answer: their line, which of the lines it is, and the number.
    pending: Vec<(usize, RequestId)>,
}

impl Answers {
    fn state(&self, id: &str) -> Option<State> {
        let plant = crate::plant::state::plant(&self.lines, &plant::service(), id);
        plant.map(|plant| plant.state)
    }

    fn sent(&mut self, id: String, operation: Operation, request: RequestId) {
        let number = i64::try_from(self.lines.len()).unwrap() + 1;
        let line = plant::outcome(number, operation, Outcome::Unknown);
        self.lines.push(Entry { id, ..line });
        self.pending.push((self.lines.len() - 1, request));
    }

    /// Answers the oldest request.
    fn answer(&mut self, model: &mut Dashboard, chance: &Chance) {
        if self.pending.is_empty() {
            return;
        }
        let (line, request) = self.pending.remove(0);
        let replies = [
            (Reply::new(Outcome::Done), Ok(None)),
            (
                Reply::new(Outcome::Unknown),
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
    // Single keys, and the forms of a create and of a delete filled in.
    const SINGLE: &str = "3n\n\n\n\t12yyUDoeai gGjkSs*";
    const FORMS: &str = "n\ta\n\n|n\ta\n\n|n1\ta\n\n|n2\ta\n\n|Dy|oe|Uy|*Dy";
    let single = SINGLE.chars().map(String::from);
    let typed: Vec<String> = single.chain(FORMS.split('|').map(str::to_owned)).collect();
    let chance = Chance::new("creates");
    let mut creates = 0;
    for _ in 0..rounds(40, 2000) {
        let mut model = model(0);
        let mut service = Answers {
            lines: Vec::new(),
            pending: Vec::new(),
        };
        press(&mut model, KeyCode::Char('3'));
        let steps = (0..100).flat_map(|_| typed[chance.below(typed.len())].chars());
        for key in steps {
            let was_asked = matches!(model.dialogs.last(), Some(Dialog::Question(_)));
            for effect in keys(&mut model, &key.to_string()) {
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
                        service.sent(id, Operation::Create, request);
                    }
                    Effect::DeletePlant { request, id } => {
                        let id = id.as_str().to_owned();
                        service.sent(id, Operation::Delete, request);
                    }
                    Effect::ResolvePlant {
                        request, finding, ..
                    } => {
                        let reply = Reply::new(Outcome::Done);
                        service.lines.push(Entry { reply, ..*finding });
                        send(&mut model, Event::PlantLog(service.lines.clone()));
                        let outcome = Ok(None);
                        send(&mut model, Event::Plant { request, outcome });
                    }
                    _ => {}
                }
            }
            let is_asked = matches!(model.dialogs.last(), Some(Dialog::Question(_)));
            if is_asked && !was_asked {
                seen(&mut model);
                assert_eq!(keys(&mut model.clone(), "\n"), [], "Enter cancels");
            }
            if chance.below(3) == 0 {
                service.answer(&mut model, &chance);
            }
        }
    }
    assert!(creates > 20, "{creates}");
}

/// Sends a create of a new plant by keyboard; returns its request.
fn create_a_fern(model: &mut Dashboard) -> RequestId {
    create_of(keys(model, "n7\tfern\t\n")).0
}

#[test]
fn enter_on_the_notice_of_an_unknown_create_sends_nothing() {
    let mut model = with_plant();
    let request = create_a_fern(&mut model);
    let unknown = Err(FailureKind::OutcomeUnknown);
    assert_eq!(answer(&mut model, request, unknown), []);
    assert!(matches!(model.dialogs.as_slice(), [Dialog::Message(_)]));
    assert_eq!(keys(&mut model, "\n\n\n"), []);
    assert!(model.dialogs.is_empty());
}

#[test]
fn the_keys_that_the_notice_of_an_unknown_create_names_work_in_it() {
    let mut model = with_log(&[]);
    create(&mut model, &mut Vec::new(), Reply::new(Outcome::Unknown));
    shows(&mut model, "n create it again");
    for (key, question) in [
        ("o", "Does it exist?"),
        ("D", "It may exist"),
        ("n", "Create plant again"),
    ] {
        let mut model = model.clone();
        assert!(matches!(model.dialogs.as_slice(), [Dialog::Message(_)]));
        assert_eq!(keys(&mut model, key), []);
        shows(&mut model, question);
    }
}

#[test]
fn after_deletes_that_stopped_at_an_unknown_one_the_next_question_is_about_it_too() {
    let mut lines = created(4);
    let mut model = with_log(&lines);
    keys(&mut model, "*D");
    let first = confirm(&mut model);
    let unknown = Err(FailureKind::OutcomeUnknown);
    answered(&mut model, &mut lines, first, &[Ok(()), unknown]);
    keys(&mut model, "D");
    shows(&mut model, "Delete 3 plants");
    shows(&mut model, "Of these: 1 unknown");
}

#[test]
fn what_the_service_answers_to_an_import_is_a_connection() {
    let mut model = with_log(&[]);
    let (request, _) = file_of(keys(&mut model, "Iplants.csv\n"));
    shows(&mut model, "no answer yet");
    let line = Entry {
        at: model.now,
        ..line_of(1, plant::line(1, Operation::Create, plant::refused(400)))
    };
    send(&mut model, Event::PlantLog(vec![line]));
    assert!(!shown(&mut model).contains("no answer yet"));
    answer(&mut model, request, Err(FailureKind::OutcomeUnknown));
    assert!(!shown(&mut model).contains("no answer yet"));
}

#[test]
fn a_new_plant_ends_the_search_so_that_the_key_for_the_next_is_free() {
    let mut model = with_plant();
    keys(&mut model, "/rose\n");
    assert!(model.shell.shared.searched().is_some());
    let (request, ..) = create_of(keys(&mut model, "a7\tfern\t\n"));
    answer(&mut model, request, Ok(None));
    keys(&mut model, "n");
    form(&model);
}

#[test]
fn a_held_enter_sends_no_second_create_after_a_failure_of_the_service() {
    let mut model = with_plant();
    let request = create_a_fern(&mut model);
    let status = crate::failure::ServiceError {
        status: 500,
        error: None,
        message: None,
        retry_after_s: None,
    };
    let outcome = Err(Failure {
        service: Some(Box::new(status)),
        ..failure(FailureKind::Service)
    });
    send(&mut model, Event::Plant { request, outcome });
    // A keyboard waits, and then repeats the key.
    for wait_s in [0.66, 0.03, 0.03, 0.25] {
        model.shell.shared.now += wait_s;
        assert_eq!(keys(&mut model, "\n"), [], "{wait_s}");
    }
    // Pressed again after a while it is meant.
    model.shell.shared.now += 1.1;
    create_of(keys(&mut model, "\n"));
}

#[test]
fn the_key_for_another_token_works_in_the_form_which_keeps_what_was_typed() {
    let mut model = with_plant();
    let request = create_a_fern(&mut model);
    let refused = Err(FailureKind::NotAuthenticated);
    answer(&mut model, request, refused);
    assert!(form(&model).failure.starts_with("F3"), "{:?}", form(&model));
    press(&mut model, KeyCode::F(3));
    assert!(matches!(model.dialogs.last(), Some(Dialog::Token(_))));
    press(&mut model, KeyCode::Esc);
    assert_eq!(form(&model).fields[1].text(), "fern");
}

#[test]
fn the_key_that_the_end_of_several_offers_is_for_the_one_that_is_unknown() {
    let mut lines = created(3);
    let mut model = with_log(&lines);
    let marked = keys(&mut model, "*D");
    assert_eq!(marked, []);
    let first = confirm(&mut model);
    answered(&mut model, &mut lines, first, &[Ok(()); 3]);
    keys(&mut model, "GU");
    let first = confirm(&mut model);
    let unknown = Err(FailureKind::OutcomeUnknown);
    answered(&mut model, &mut lines, first, &[Ok(()), unknown]);
    let last = &model.messages.last;
    assert!(last.starts_with("o found out"), "{last}");
    let selected = model.tabs.plants.selected();
    assert_eq!(selected.map(|plant| plant.state), Some(State::Unknown));
}

#[test]
fn an_unknown_create_is_a_count_in_the_header_and_not_the_connection() {
    let mut model = with_log(&[]);
    let request = create_a_fern(&mut model);
    let unknown = line_of(7, plant::outcome(1, Operation::Create, Outcome::Unknown));
    send(&mut model, Event::PlantLog(vec![unknown]));
    answer(&mut model, request, Err(FailureKind::OutcomeUnknown));
    keys(&mut model, "\n");
    let header = |model: &mut Dashboard| shown(model).lines().next().unwrap_or_default().to_owned();
    let told = header(&mut model);
    assert!(
        told.contains("? 1 plant unknown") && !told.contains("it failed"),
        "{told}"
    );
    // An answer shows that the service works.
    let (request, ..) = create_of(keys(&mut model, "n8\tash\t\n"));
    answer(&mut model, request, Err(FailureKind::Unreachable));
    keys(&mut model, "<");
    let (request, ..) = create_of(keys(&mut model, "n8\tash\t\n"));
    answer(&mut model, request, Ok(None));
    let told = header(&mut model);
    assert!(told.contains("connected"), "{told}");
}

#[test]
fn a_plant_that_another_created_is_named_so_before_it_is_deleted() {
    let taken = |id: i64| line_of(id, plant::line(id, Operation::Create, plant::refused(409)));
    let mut model = with_log(&[taken(1), taken(2)]);
    keys(&mut model, "D");
    shows(&mut model, "It exists, and not by a create from here.");
    keys(&mut model, "<*D");
    shows(&mut model, "2 not created from here");
}

#[test]
fn a_plant_is_deleted_by_the_name_that_it_was_created_with() {
    let created = plant::outcome(1, Operation::Create, Outcome::Done);
    let refused = plant::line(2, Operation::Create, plant::refused(409));
    let mut model = with_log(&[created, refused]);
    keys(&mut model, "D");
    shows(&mut model, "named rose 1");
}

#[test]
fn keys_typed_ahead_of_the_question_delete_nothing() {
    let mut model = with_plant();
    assert_eq!(keys(&mut model, "Dy"), []);
    send(&mut model, Event::Paste("Dy\nDy".to_owned()));
    let [Dialog::Question(question)] = model.dialogs.as_slice() else {
        panic!("{:?}", model.dialogs);
    };
    assert!(question.error.contains("press it again"), "it says so");
}

#[test]
fn leaving_asks_while_a_create_is_under_way_and_waits_if_told() {
    let mut model = with_plant();
    let request = create_a_fern(&mut model);
    assert!(send(&mut model, Event::Key(Key::ctrl('c'))).is_empty());
    assert!(matches!(model.dialogs.last(), Some(Dialog::Quit(_))));
    keys(&mut model, "w");
    assert_eq!(answer(&mut model, request, Ok(None)), [Effect::Quit]);
}

#[test]
fn who_waits_for_a_create_before_leaving_stays_where_it_is_refused() {
    for closes_form in [false, true] {
        let mut model = with_plant();
        let request = create_a_fern(&mut model);
        if closes_form {
            keys(&mut model, "<");
        }
        send(&mut model, Event::Key(Key::ctrl('c')));
        keys(&mut model, "w");
        let refused = Err(FailureKind::Service);
        assert_eq!(answer(&mut model, request, refused), []);
        if closes_form {
            assert!(model.dialogs.is_empty());
            let notice = model.messages.notice.as_ref();
            assert!(notice.is_some_and(|notice| notice.is_warning));
        } else {
            assert!(form(&model).failure.contains("it failed"));
        }
    }
}

#[test]
fn after_an_answer_the_cursor_is_on_its_plant_in_either_order() {
    for sorted in ["", "S"] {
        let mut lines = created(3);
        let mut model = with_log(&lines);
        keys(&mut model, sorted);
        create(&mut model, &mut lines, Reply::new(Outcome::Done));
        assert_eq!(model.tabs.plants.selected().unwrap().id, "42", "{sorted}");
    }
}

#[test]
fn a_line_of_another_service_is_not_shown() {
    let here = plant::service();
    let other = "https://service.example/other";
    let services = [
        log::PlantService::new(&here.base, other),
        log::PlantService::new(other, &here.sandbox),
    ];
    let gone = plant::outcome(1, Operation::Delete, Outcome::Done);
    let mut model = with_log(&services.map(|service| Entry {
        service,
        ..gone.clone()
    }));
    assert_eq!(model.rows(), 0);
    shows(&mut model, "2 lines of other services");
}

#[test]
fn with_files_there_are_no_plants_and_no_request_for_any() {
    let watched = Watched {
        source: TrackSource::Files,
        ..watched(Vec::new())
    };
    let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
    keys(&mut model, "3");
    for key in ["n", "D", "a"] {
        assert_eq!(keys(&mut model, key), []);
        assert!(model.dialogs.is_empty(), "{key}");
    }
    shows(&mut model, "Plants need the service");
}

#[test]
fn the_key_that_adds_adds_a_plant_on_plants() {
    let mut model = with_log(&[]);
    keys(&mut model, "a");
    form(&model);
}
