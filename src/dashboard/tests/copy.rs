//! Copy, and its further forms.

use super::*;
use crate::exchange::{Exchange, ExchangeOutcome};

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
    // Another row, and another action, begin anew.
    press(&mut model, KeyCode::Char('k'));
    assert_eq!(copied(&mut model), "80°00.180′N 010°00.000′E");
    press(&mut model, KeyCode::Char('1'));
    assert_eq!(copied(&mut model), "80°00.240′N 010°00.000′E");
    assert!(copied(&mut model).ends_with(",80.004,10"));
    assert_eq!(copied(&mut model), uuid(0).to_string());
}

#[test]
fn the_rows_from_the_mark_to_the_cursor_are_copied_first() {
    let mut model = with_track(5);
    press(&mut model, KeyCode::Char(' '));
    // With one row marked there is no selection.
    assert!(copied(&mut model).starts_with("80.00400"));
    press(&mut model, KeyCode::Char('k'));
    press(&mut model, KeyCode::Char('k'));
    let rows = copied(&mut model);
    let latitudes: Vec<_> = rows
        .lines()
        .filter_map(|row| row.split(',').nth(1))
        .collect();
    assert_eq!(latitudes, ["80.002", "80.003", "80.004"], "{rows}");
    let said = model.messages.notice.as_ref().unwrap().text.clone();
    assert!(
        said.starts_with("y position  copied marked rows: 3"),
        "{said}"
    );
    assert!(copied(&mut model).starts_with("80.00200"));
}

#[test]
fn marked_rows_too_many_for_the_clipboard_are_said_to_be_for_the_export() {
    let mut model = with_track(1500);
    press(&mut model, KeyCode::Char(' '));
    press(&mut model, KeyCode::Home);
    assert_eq!(copied(&mut model).lines().count(), 1);
    let said = model.messages.notice.as_ref().unwrap().text.clone();
    let whole =
        "1500 marked rows exceed 50 kB, E: export them  y time and position  copied position:";
    assert!(said.starts_with(whole), "{said}");
    // Of another tab nothing is marked.
    press(&mut model, KeyCode::Char('1'));
    copied(&mut model);
    assert!(
        !model
            .messages
            .notice
            .as_ref()
            .unwrap()
            .text
            .contains("marked")
    );
}

#[test]
fn a_request_is_copied_as_curl_without_a_token() {
    let mut model = model(1);
    let exchange = Exchange {
        id: 1,
        started_at: NOW,
        method: "DELETE",
        url: "https://service.example/plants/it's".to_owned(),
        status: Some(404),
        duration_s: 0.1,
        bytes: 10,
        outcome: ExchangeOutcome::Failed("no".to_owned()),
        retry_in_s: None,
        plant: Some("it's".to_owned()),
        attempt: crate::exchange::Attempt::ONLY,
    };
    send(&mut model, Event::Exchange(exchange));
    press(&mut model, KeyCode::Char('4'));
    assert_eq!(
        copied(&mut model),
        "DELETE https://service.example/plants/it's 404"
    );
    assert_eq!(
        copied(&mut model),
        "curl -X DELETE -H \"Authorization: Bearer $DRIFTLINE_TOKEN\" 'https://service.example/plants/it%27s'"
    );
    assert_eq!(
        model
            .messages
            .notice
            .as_ref()
            .unwrap()
            .text
            .split("  ")
            .next(),
        Some("y URL")
    );
}

#[test]
fn where_there_is_no_row_that_is_said() {
    let mut model = model(0);
    assert_eq!(press(&mut model, KeyCode::Char('y')), vec![]);
    assert_eq!(
        model.messages.notice.as_ref().unwrap().text,
        "there is no row to copy"
    );
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
        one.set(Deployment {
            label: Some("z".to_owned()),
            ..one.deployment.clone()
        });
        model.arrange_deployments();
        let next = copied(&mut model);
        match is_chosen {
            // The cursor stays on the first row, which is another now.
            false => assert!(next.starts_with("80.00400°N"), "{next}"),
            true => assert!(next.starts_with("z,"), "{next}"),
        }
    }
}
