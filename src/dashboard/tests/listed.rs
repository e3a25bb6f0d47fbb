//! The deployments that the service lists, for the watch list.

use super::*;
use crate::dashboard::theme::Capabilities;
use crate::mapping::{Mapping, Service};
use crate::testing::at;
use crate::watch::DeploymentId;
use crate::watch::listed::{DeploymentList, ListedDeployment};

/// The text of a frame.
fn screen(model: &Dashboard, width: u16, height: u16) -> String {
    super::screens::screen(&mut model.clone(), width, height, Capabilities::default())
}

const SERVICE: &str = "https://service.example/listed";

fn listed(id: &str, label: Option<&str>, hours: f64) -> ListedDeployment {
    ListedDeployment {
        id: id.to_owned(),
        label: label.map(str::to_owned),
        time_stamp: Some(NOW - 3600.0 * hours),
        position: Some(at(55.0 + hours / 100.0, 16.0)),
    }
}

fn all() -> DeploymentList {
    let deployments = vec![
        listed("b9", Some("Snow petrel"), 2.0),
        listed("b2", None, 100.0),
        listed("b3", Some("x\x1b[1m3"), 1.0),
    ];
    DeploymentList {
        deployments,
        without_id: 2,
    }
}

fn service(url: &str) -> Option<Service> {
    let mapping = Mapping {
        url: url.to_owned(),
        ..Mapping::default()
    };
    let name = SERVICE.to_owned();
    Some(Service { name, mapping })
}

/// A dashboard on a service of another shape, which has been asked for its list.
fn asked(key: KeyCode) -> (Dashboard, RequestId) {
    let mut model = model(0);
    model.service.remote = service("");
    if key == KeyCode::Char('a') {
        press(&mut model, key);
    }
    let effects = press(&mut model, KeyCode::F(4));
    let [Effect::ReadList(request)] = effects[..] else {
        panic!("{effects:?}")
    };
    (model, request)
}

fn answered(outcome: Result<DeploymentList, Failure>) -> Dashboard {
    let (mut model, request) = asked(KeyCode::F(4));
    send(&mut model, Event::Listed { request, outcome });
    model
}

/// The entries that were stored.
fn added(effects: &[Effect]) -> Vec<&Deployment> {
    let added = effects.iter().filter_map(|effect| match effect {
        Effect::Watch { after, .. } => Some(after),
        _ => None,
    });
    added.collect()
}

fn on_list(model: &Dashboard) -> bool {
    matches!(model.dialogs[..], [Dialog::Listed(_)])
}

#[test]
fn the_list_is_asked_for_from_the_tab_and_from_the_form_of_a_deployment() {
    for key in [KeyCode::F(4), KeyCode::Char('a')] {
        let (mut model, request) = asked(key);
        assert!(on_list(&model));
        assert!(screen(&model, 80, 24).contains("asking the service"));
        let effects = press(&mut model, KeyCode::Esc);
        assert_eq!(effects, [Effect::Cancel(request)]);
        // What comes too late opens nothing.
        let outcome = Ok(all());
        send(&mut model, Event::Listed { request, outcome });
        assert!(model.dialogs.is_empty());
        // Every answer counts.
        assert!(screen(&model, 80, 24).contains("● connected"));
    }
    let mut model = model(0);
    model.service.remote = service("");
    assert!(screen(&model, 80, 24).contains("or F4 for what the service lists"));
    press(&mut model, KeyCode::Char('a'));
    assert!(screen(&model, 80, 24).contains("F4 what the service lists"));
}

#[test]
fn the_prompt_refuses_an_id_that_the_address_cannot_have() {
    let mut model = model(0);
    model.service.remote = service("{base_url}/q?q='{id}'");
    press(&mut model, KeyCode::Char('a'));
    for letter in "x'y".chars() {
        press(&mut model, KeyCode::Char(letter));
    }
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    let shown = screen(&model, 100, 30);
    assert!(shown.contains("no id: "), "{shown}");
    press(&mut model, KeyCode::Backspace);
    press(&mut model, KeyCode::Backspace);
    assert_ne!(press(&mut model, KeyCode::Enter), []);
}

#[test]
fn a_service_without_a_list_says_so() {
    let mut model = model(1);
    assert!(press(&mut model, KeyCode::F(4)).is_empty());
    assert!(model.messages.last.contains("no list of deployments"));
    assert!(model.dialogs.is_empty());
    let refused = Failure::new(FailureKind::Usage, "no list", "Give it one by `list`.");
    let model = answered(Err(refused));
    let shown = screen(&model, 80, 24);
    assert!(shown.contains("Give it one by `list`."), "{shown}");
}

#[test]
fn what_the_service_lists_is_found_by_name() {
    let mut model = answered(Ok(all()));
    let shown = screen(&model, 100, 24);
    for words in [
        "3 deployments, 2 without an id",
        "Snow petrel  b9",
        "55.02000°N",
        "b2",
        "2 h",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains('\x1b'), "{shown}");
    type_text(&mut model, "petrel");
    let shown = screen(&model, 100, 24);
    assert!(
        shown.contains("1 of 3 deployments, 2 without an id") && !shown.contains("b2"),
        "{shown}"
    );
}

#[test]
fn marked_deployments_are_added_and_without_a_mark_the_one_under_the_cursor() {
    let mut model = answered(Ok(all()));
    // b2, Snow petrel, x3: the first and the last.
    press(&mut model, KeyCode::Tab);
    press(&mut model, KeyCode::Tab);
    press(&mut model, KeyCode::Up);
    press(&mut model, KeyCode::Tab);
    press(&mut model, KeyCode::Tab);
    // Marked ones are added whether or not they are found.
    type_text(&mut model, "nobody");
    assert!(screen(&model, 100, 24).contains("0 of 3 deployments, 2 without an id, 2 marked"));
    let effects = press(&mut model, KeyCode::Enter);
    assert!(model.dialogs.is_empty());
    let uuids = ["b2", "b3"].map(|id| DeploymentId::new(SERVICE, id).uuid);
    let entries = added(&effects);
    assert_eq!(
        entries
            .iter()
            .map(|entry| entry.id.uuid)
            .collect::<Vec<_>>(),
        uuids
    );
    assert_eq!(entries[0].label, None);
    assert_eq!(entries[1].label.as_deref(), Some("x\u{1b}[1m3"));
    let mut asked: Vec<Uuid> = fetches(&effects).iter().map(|(_, uuid)| *uuid).collect();
    asked.sort_by_key(|uuid| *uuid != uuids[0]);
    assert_eq!(asked, uuids);
    assert_eq!(model.messages.last, "2 deployments added");
    // They are on the list now: neither marked nor added again.
    let [Effect::ReadList(request)] = press(&mut model, KeyCode::F(4))[..] else {
        panic!()
    };
    let outcome = Ok(all());
    send(&mut model, Event::Listed { request, outcome });
    assert_eq!(screen(&model, 100, 24).matches("on the list").count(), 2);
    press(&mut model, KeyCode::Tab);
    assert!(!screen(&model, 100, 24).contains("marked"));
    let effects = press(&mut model, KeyCode::Enter);
    let id = DeploymentId::new(SERVICE, "b9").uuid;
    assert_eq!(
        added(&effects)
            .iter()
            .map(|entry| entry.id.uuid)
            .collect::<Vec<_>>(),
        [id]
    );
}

#[test]
fn a_thousand_marked_deployments_are_asked_for_a_few_at_a_time() {
    let many = (0..1000).map(|number| listed(&number.to_string(), None, 1.0));
    let mut model = answered(Ok(DeploymentList {
        deployments: many.collect(),
        ..DeploymentList::default()
    }));
    for _ in 0..1000 {
        press(&mut model, KeyCode::Tab);
    }
    let effects = press(&mut model, KeyCode::Enter);
    assert_eq!((added(&effects).len(), fetches(&effects).len()), (1000, 4));
}
