//! The ledger belongs to a service: what was done at one is neither shown nor
//! done at another. And an import, which is judged before anything is sent.

use std::time::Duration;

use rusqlite::Connection;
use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::TOKEN;

fn echo() -> Responder {
    Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)))
}

fn run(home: &Home, base: &str, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments)
        .env("DRIFTLINE_BASE_URL", base)
        .env("DRIFTLINE_TOKEN", TOKEN)
        .go()
}

fn create(home: &Home, service: &Responder, id: &str, name: &str) {
    let arguments = [
        "plants", "create", "--id", id, "--name", name, "--tag", "red",
    ];
    run(home, &service.base_url(), &arguments).ends_with(0);
}

fn import(home: &Home, service: &Responder, table: &str) -> Answer {
    let file = home.write("plants.csv", table);
    let arguments = ["plants", "import", file.to_str().unwrap()];
    run(home, &service.base_url(), &arguments)
}

/// (identifier, service) of each line.
fn listed(home: &Home, base: &str, more: &[&str]) -> Vec<(String, Option<String>)> {
    let arguments = [&["plants", "list", "--json"], more].concat();
    let answer = run(home, base, &arguments).ends_with(0);
    let rows: Value = serde_json::from_str(&answer.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    rows.iter()
        .map(|row| {
            let service = row["service"].as_str().map(str::to_owned);
            (row["id"].as_str().unwrap().to_owned(), service)
        })
        .collect()
}

#[test]
fn a_plant_of_one_service_is_neither_shown_nor_deleted_at_another() {
    let (home, first, second) = (Home::new(), echo(), echo());
    create(&home, &first, "41", "kelp");
    run(
        &home,
        &first.base_url(),
        &["plants", "delete", "41", "--yes"],
    )
    .ends_with(0);
    create(&home, &first, "42", "rose");
    create(&home, &second, "7", "fern");
    let sent = second.requests().len();
    let line = |id: &str, service: &Responder| (id.to_owned(), Some(service.base_url()));
    assert_eq!(listed(&home, &second.base_url(), &[]), [line("7", &second)]);
    let all = [
        line("41", &first),
        line("41", &first),
        line("42", &first),
        line("7", &second),
    ];
    assert_eq!(listed(&home, &second.base_url(), &["--all"]), all);
    let text = run(&home, &second.base_url(), &["plants", "list", "--all"]);
    assert_eq!(
        text.stdout.matches(&first.base_url()).count(),
        3,
        "{text:?}"
    );
    let setting = Setting::size(140, 40)
        .env("DRIFTLINE_BASE_URL", second.base_url())
        .env("DRIFTLINE_TOKEN", TOKEN);
    let mut terminal = Terminal::driftline(&home, &[], setting);
    terminal.shows("Deployments");
    terminal.keys("3");
    terminal.shows("fern");
    let screen = terminal.shows(&second.base_url());
    assert!(
        !screen.contains("rose") && !screen.contains("kelp"),
        "{screen}"
    );
    // The last deleted one is the other service's: nothing is created here.
    terminal.keys("U");
    terminal.shows("nothing to undo");
    terminal.keys("D");
    terminal.shows(&format!("service {}", second.base_url()));
    terminal.keys("\r");
    terminal.keys("n");
    terminal.shows(&format!("The create goes to {}", second.base_url()));
    terminal.keys("\x1b");
    std::thread::sleep(Duration::from_millis(300));
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(second.requests().len(), sent);
}

#[test]
fn an_import_through_another_tunnel_names_what_was_created_and_sends_nothing_of_it() {
    let (home, first, second) = (Home::new(), echo(), echo());
    let table = "id,name,tag\n42,rose,red\n";
    import(&home, &first, table).ends_with(0);
    let again = import(&home, &first, table).ends_with(0);
    assert!(again.stdout.contains("created before"), "{again:?}");
    let other = import(&home, &second, table);
    assert_eq!(other.status, 4, "{other:?}");
    assert!(other.stderr.contains(&first.base_url()), "{other:?}");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 0));
    // A path apart is apart, too, and what is not in question goes on.
    let both = import(&home, &second, "id,name,tag\n42,rose,red\n43,fern,red\n");
    assert_eq!((both.status, second.requests().len()), (4, 1), "{both:?}");
}

#[test]
fn a_line_without_a_service_is_shown_and_named_and_not_taken_for_granted() {
    let (home, service) = (Home::new(), echo());
    let archive = home.file("old.db");
    let named = ["--archive", archive.to_str().unwrap()];
    let add = [
        "deployments",
        "add",
        crate::exit_status::UUID,
        named[0],
        named[1],
    ];
    run(&home, &service.base_url(), &add).ends_with(0);
    Connection::open(&archive)
        .unwrap()
        .execute_batch(
            "INSERT INTO ledger (at, operation, plant, name, tag, outcome, process)
             VALUES (1.7e9, 'create', '42', 'rose', 'red', 'done', 1),
                    (1.7e9, 'create', '42', 'rose', 'red', 'refused', 1)",
        )
        .unwrap();
    let line = || ("42".to_owned(), None);
    for more in [&named[..], &["--all", named[0], named[1]]] {
        let shown = listed(&home, &service.base_url(), more);
        assert_eq!(shown, [line(), line()]);
    }
    let file = home.write("plants.csv", "id,name,tag\n42,rose,red\n");
    let import = [&["plants", "import", file.to_str().unwrap()], &named[..]].concat();
    let answer = run(&home, &service.base_url(), &import);
    assert_eq!(answer.status, 4, "{answer:?}");
    assert!(answer.stderr.contains("was not recorded"), "{answer:?}");
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn an_import_is_judged_before_anything_is_sent() {
    let (home, service) = (Home::new(), echo());
    for (table, part) in [
        ("id,name,tag,ID\n1,a,b,2\n".to_owned(), "twice"),
        (
            "id,name,tag\n7,a,b\n8,c,d\n7,e,f\n".to_owned(),
            "twice in the file",
        ),
        (
            format!("id,name,tag\n1,a,b\n2,{},b\n", "x".repeat(70_000)),
            "line 3",
        ),
        (
            format!("id,name,tag\n1,\"a{}", "\nx".repeat(70_000)),
            "line 2",
        ),
    ] {
        let status = if part.contains("in the file") { 1 } else { 2 };
        let answer = import(&home, &service, &table).ends_with(status);
        assert!(answer.stderr.contains(part), "{answer:?}");
        assert_eq!(service.requests().len(), 0, "{part}");
    }
    // What the ledger says against a plant is told before the first create.
    create(&home, &service, "3", "kelp");
    let answer = import(&home, &service, "id,name,tag\n1,a,b\n3,other,b\n");
    assert_eq!(answer.status, 4, "{answer:?}");
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].starts_with("3  failed"), "{answer:?}");
    assert_eq!(lines[1], "1  created");
    // An endless line ends.
    let endless = run(
        &home,
        &service.base_url(),
        &["plants", "import", "/dev/zero"],
    );
    assert_eq!(endless.status, 2, "{endless:?}");
    assert!(endless.took < Duration::from_secs(5), "{endless:?}");
    assert_eq!(service.requests().len(), 2);
}
