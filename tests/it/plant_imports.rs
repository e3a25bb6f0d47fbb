//! Imports of plants, and that neither lost answers nor kills make a create twice or a state
//! that its lines do not show.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::driver::chance::{Chance, rounds};
use crate::driver::home::Home;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::run;
use crate::exit_status::with_token;
use crate::plants::{create, created, error_of, in_turn, json_of, missing, states, taken};

#[test]
fn an_import_waits_as_the_service_asks_and_sends_the_line_again() {
    let home = Home::new();
    let busy = || {
        Act::with(
            503,
            &[("Retry-After", "1")],
            r#"{"error":1,"message":"busy"}"#,
        )
    };
    let service = in_turn(vec![
        busy,
        || Act::with(429, &[("Retry-After", "0")], ""),
        created,
        created,
    ]);
    let file = home.write("plants.csv", "tag;name;id\nred;oak;7\nred;elm;8\n");
    let import = ["plants", "import", file.to_str().unwrap()];
    let began = Instant::now();
    let answer = run(&home, &service, &import).ends_with(0);
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(answer.stdout, "7  created\n8  created\n");
    let log = json_of(&run(&home, &service, &["plants", "log", "--json"]));
    let outcomes: Vec<&str> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["refused", "refused", "done", "done"]);
    // Thrice at most; one that asks for longer than a read waits is not waited for.
    for (wait, sent) in [("0", 4), ("31", 1)] {
        let home = Home::new();
        let file = home.write("plants.csv", "id,name,tag\n7,oak,red\n8,elm,red\n");
        let import = ["plants", "import", file.to_str().unwrap(), "--json"];
        let service = Responder::new(move |_, _| Act::with(429, &[("Retry-After", wait)], ""));
        let answer = run(&home, &service, &import);
        assert_eq!(answer.status, 4, "{answer:#?}");
        assert_eq!(service.requests().len(), sent);
        let lines = json_of(&answer);
        assert_eq!(
            (&lines[0]["outcome"], &lines[0]["status"]),
            (&json!("refused"), &json!(429))
        );
        assert_eq!(lines[1]["outcome"], "not_sent");
    }
}

#[test]
fn an_import_tells_each_line_and_ends_with_the_worst() {
    let home = Home::new();
    let service = Responder::new(|request, _| {
        let plant: Value = serde_json::from_slice(&request.body).unwrap();
        match plant["id"].as_i64().unwrap() {
            1 => Act::json(422, r#"{"error":9,"message":"not so"}"#),
            2 => Act::hang_up(),
            _ => created(),
        }
    });
    let rows = "id,name,tag\n3,a,t\n1,b,t\n2,c,t\n4,d,t\n";
    let file = home.write("plants.csv", rows);
    let file = file.to_str().unwrap();
    let dry = run(
        &home,
        &service,
        &["plants", "import", file, "--dry-run", "--json"],
    )
    .ends_with(0);
    assert!(
        json_of(&dry)
            .as_array()
            .unwrap()
            .iter()
            .all(|line| line["outcome"] == "not_sent")
    );
    assert!(service.requests().is_empty());
    let answer = run(
        &home,
        &service,
        &["plants", "import", file, "--keep-going", "--json"],
    );
    assert_eq!(answer.status, 7, "{answer:#?}");
    let outcome = |line: &Value| {
        format!(
            "{} {} {}",
            line["line"],
            line["id"],
            line["outcome"].as_str().unwrap()
        )
    };
    let lines = json_of(&answer);
    assert_eq!(
        lines
            .as_array()
            .unwrap()
            .iter()
            .map(outcome)
            .collect::<Vec<_>>(),
        ["2 3 created", "3 1 refused", "4 2 unknown", "5 4 created"]
    );
    assert_eq!(
        (&lines[1]["error"], &lines[1]["message"]),
        (&json!(9), &json!("not so"))
    );
    let error = error_of(&answer);
    assert_eq!(
        (&error["code"], &error["kind"]),
        (&json!(7), &json!("outcome_unknown"))
    );
    // From standard input, again: what is known is left out.
    let again = with_token(&home, &service.base_url(), &["plants", "import", "-"])
        .stdin(rows)
        .go();
    assert_eq!(again.status, 4, "{again:#?}");
    assert!(
        again.stdout.starts_with("3  exists\n1  refused"),
        "{again:#?}"
    );
}

#[test]
fn an_interrupted_import_says_what_was_done() {
    let home = Home::new();
    let service = Responder::new(|_, number| match number {
        0 => created(),
        _ => Act::silence(),
    });
    let file = home.write("plants.csv", "id,name,tag\n1,a,t\n2,b,t\n3,c,t\n");
    let import = ["plants", "import", file.to_str().unwrap(), "--json"];
    let importing = with_token(&home, &service.base_url(), &import).start();
    let is_waiting = || (service.requests().len() == 2).then_some(());
    until(PATIENCE, is_waiting).unwrap();
    importing.signal(Signal::INT);
    let answer = importing.end();
    assert_eq!(answer.status, 130, "{answer:#?}");
    let outcomes: Vec<Value> = json_of(&answer)
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["created", "unknown", "not_sent"]);
    let expected = [("2", "unknown"), ("1", "exists")];
    assert_eq!(
        states(&home, &service),
        expected.map(|(id, state)| (id.to_owned(), state.to_owned()))
    );
}

#[test]
fn what_is_exported_is_imported_as_it_was() {
    let home = Home::new();
    let service = in_turn(vec![
        created,
        created,
        created,
        created,
        Act::hang_up,
        created,
    ]);
    for (id, name) in [("7", "=1+1"), ("-8", "'quoted, \"so\""), ("9", "  blanks ")] {
        run(&home, &service, &create(id, name)).ends_with(0);
    }
    run(&home, &service, &["plants", "delete", "9", "--yes"]).ends_with(0);
    run(&home, &service, &create("10", "lost")).ends_with(7);
    let file = home.file("plants.csv");
    let said = run(
        &home,
        &service,
        &["plants", "export", file.to_str().unwrap()],
    )
    .ends_with(0);
    assert!(
        said.stderr.contains("left out: ") && said.stderr.contains("2 plants to"),
        "{said:#?}"
    );
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        text,
        "id,name,tag\n7,'=1+1,red\n-8,\"'quoted, \"\"so\"\"\",red\n"
    );
    assert_eq!(run(&home, &service, &["plants", "export"]).stdout, text);
    let again = run(
        &home,
        &service,
        &["plants", "import", file.to_str().unwrap()],
    )
    .ends_with(0);
    assert_eq!(again.stdout, "7  exists\n-8  exists\n");
    let other = Home::new();
    let echo = Responder::new(|_, _| created());
    run(&other, &echo, &["plants", "import", file.to_str().unwrap()]).ends_with(0);
    let names: Vec<Value> = json_of(&run(&other, &echo, &["plants", "list", "--json"]))
        .as_array()
        .unwrap()
        .iter()
        .map(|plant| plant["name"].clone())
        .collect();
    assert_eq!(names, ["'quoted, \"so\"", "=1+1"]);
}

/// The plants of a service that acts on every request and loses every second answer.
#[derive(Default)]
struct Store {
    plants: BTreeSet<i64>,
    creates: BTreeMap<i64, usize>,
}

/// The service of a store.
fn losing(store: &'static Mutex<Store>) -> Responder {
    Responder::new(move |request, number| {
        let mut store = store.lock().unwrap();
        let answer = match request.method.as_str() {
            "POST" => {
                let plant: Value = serde_json::from_slice(&request.body).unwrap();
                let id = plant["id"].as_i64().unwrap();
                *store.creates.entry(id).or_default() += 1;
                if store.plants.insert(id) {
                    created()
                } else {
                    taken()
                }
            }
            _ => {
                let id = request.target.rsplit('/').next().unwrap().parse().unwrap();
                if store.plants.remove(&id) {
                    Act::json(204, "")
                } else {
                    missing()
                }
            }
        };
        if number % 2 == 1 {
            Act::hang_up()
        } else {
            answer
        }
    })
}

#[test]
fn no_create_is_made_twice_and_no_state_is_untrue_whatever_is_lost_or_killed() {
    let store: &'static Mutex<Store> = Box::leak(Box::default());
    let (home, service) = (Home::new(), losing(store));
    let rows: String = (0..12).map(|id| format!("{id},rose {id},red\n")).collect();
    let file = home.write("plants.csv", format!("id,name,tag\n{rows}"));
    let import = ["plants", "import", "--keep-going", file.to_str().unwrap()];
    let chance = Chance::new("plants");
    let mut length = Duration::from_millis(300);
    for round in 0..rounds(40, 600) {
        let text = chance.below(12).to_string();
        let is_import = round % 2 == 0;
        let delete = ["plants", "delete", &text, "--yes"];
        let arguments: &[&str] = if is_import { &import } else { &delete };
        let (running, began) = (
            with_token(&home, &service.base_url(), arguments).start(),
            Instant::now(),
        );
        if round % 5 > 0 {
            std::thread::sleep(length * chance.below(120) as u32 / 100);
            running.signal(Signal::KILL);
            running.end();
            // What it sent last may still be on its way.
            std::thread::sleep(Duration::from_millis(100));
        } else {
            running.end();
            length = began.elapsed();
        }
        let known = states(&home, &service);
        let there = store.lock().unwrap().plants.clone();
        for (id, state) in &known {
            let id: i64 = id.parse().unwrap();
            match state.as_str() {
                "exists" => assert!(there.contains(&id), "round {round}: {id} {state}"),
                "deleted" | "absent" => {
                    assert!(!there.contains(&id), "round {round}: {id} {state}")
                }
                "unknown" => {}
                other => panic!("round {round}: {id} {other}"),
            }
            // Now and then somebody looks.
            if state == "unknown" && chance.below(3) == 0 {
                let finding = if there.contains(&id) {
                    "exists"
                } else {
                    "absent"
                };
                run(
                    &home,
                    &service,
                    &["plants", "resolve", &id.to_string(), finding],
                )
                .ends_with(0);
            }
        }
    }
    // A plant is created once, and again only after it was deleted or a person looked; and
    // whatever reached the service is a line.
    let log = json_of(&run(&home, &service, &["plants", "log", "--json"]));
    let (mut open, mut lines) = (BTreeSet::new(), BTreeMap::<i64, usize>::new());
    for line in log.as_array().unwrap() {
        let id = line["id"].as_i64().unwrap();
        match (
            line["operation"].as_str().unwrap(),
            line["outcome"].as_str().unwrap(),
        ) {
            ("create", outcome) => {
                assert!(
                    !open.contains(&id),
                    "plant {id} was created while it may exist"
                );
                *lines.entry(id).or_default() += 1;
                if matches!(outcome, "done" | "unknown") || line["status"] == 409 {
                    open.insert(id);
                }
            }
            ("delete", "unknown") => {
                open.insert(id);
            }
            ("delete", _) => {
                open.remove(&id);
            }
            _ if line["note"] == "absent" => {
                open.remove(&id);
            }
            _ => {
                open.insert(id);
            }
        }
    }
    for (id, count) in &store.lock().unwrap().creates {
        assert!(lines[id] >= *count, "plant {id} was sent {count} times");
    }
}
