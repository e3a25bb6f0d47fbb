//! The plant log belongs to a service: what was done at one is neither shown nor
//! done at another. And an import, which is judged before anything is sent.

use std::time::Duration;

use serde_json::Value;

use crate::driver::SOON;
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};

fn echo() -> Responder {
    Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)))
}

fn run(home: &Home, base: &str, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments).at(base).go()
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

/// (identifier, service) of each plant.
fn listed(home: &Home, base: &str, more: &[&str]) -> Vec<(String, Option<String>)> {
    let arguments = [&["plants", "list", "--json"], more].concat();
    let answer = run(home, base, &arguments).ends_with(0);
    let rows: Value = serde_json::from_str(&answer.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    rows.iter()
        .map(|row| {
            let service = row["service"].as_str().map(str::to_owned);
            (row["id"].to_string(), service)
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
    let all = [line("7", &second), line("42", &first), line("41", &first)];
    assert_eq!(listed(&home, &second.base_url(), &["--all"]), all);
    let text = run(&home, &second.base_url(), &["plants", "list", "--all"]);
    let log = run(&home, &second.base_url(), &["plants", "log", "--all"]);
    // The address of each request, and the service.
    for (listed, times) in [(&text, 2), (&log, 2 * 3)] {
        let heading = listed.stdout.lines().next().unwrap_or_default();
        assert!(heading.contains("service"), "{listed:?}");
        let of_first = listed.stdout.matches(&first.base_url()).count();
        assert_eq!(of_first, times, "{listed:?}");
    }
    let mut terminal =
        Terminal::driftline(&home, &[], Setting::size(140, 40).at(second.base_url()));
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
    terminal.shows(&second.base_url());
    terminal.keys("\r");
    terminal.keys("n");
    terminal.shows(&format!("The create goes to {}", second.base_url()));
    terminal.keys("\x1b");
    std::thread::sleep(Duration::from_millis(300));
    terminal.quits();
    assert_eq!(second.requests().len(), sent);
}

#[test]
fn another_port_or_path_of_loopback_is_another_service() {
    let (home, first, second) = (Home::new(), echo(), echo());
    let table = "id,name,tag\n42,rose,red\n";
    import(&home, &first, table).ends_with(0);
    let again = import(&home, &first, table).ends_with(0);
    assert_eq!(again.stdout, "42  exists\n");
    let other = import(&home, &second, table).ends_with(0);
    assert_eq!(other.stdout, "42  created\n");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
    // Another sandbox with the same base is another one, too.
    let create = ["plants", "list", "--json", "--sandbox-url"];
    let sandbox = format!("{}/sandbox", first.base_url());
    let answer = run(
        &home,
        &first.base_url(),
        &[&create[..], &[&sandbox]].concat(),
    );
    assert_eq!(answer.stdout, "[]\n");
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
            format!("id,name,tag\n1,\"a{}", "\nx".repeat(70_000)),
            "line 2",
        ),
    ] {
        let status = if part.contains("in the file") { 1 } else { 2 };
        let answer = import(&home, &service, &table).ends_with(status);
        answer.says(part);
        assert_eq!(service.requests().len(), 0, "{part}");
    }
    // A plant with another name is refused, and the import goes on only where it is told to.
    create(&home, &service, "3", "kelp");
    let table = "id,name,tag\n3,other,b\n1,a,b\n";
    let answer = import(&home, &service, table);
    assert_eq!(answer.status, 4, "{answer:#?}");
    let refused = "3  refused: plant 3 was left out: it exists as kelp (red)\n";
    assert_eq!(answer.stdout, refused);
    // By the log: the service was not asked.
    let sum = "1 left out, 1 not sent";
    answer.says(sum);
    let file = home.write("plants.csv", table);
    let keep_going = ["plants", "import", "--keep-going", file.to_str().unwrap()];
    let answer = run(&home, &service.base_url(), &keep_going);
    assert_eq!(answer.status, 4, "{answer:#?}");
    assert_eq!(answer.stdout, format!("{refused}1  created\n"));
    // An endless line ends.
    let endless = run(
        &home,
        &service.base_url(),
        &["plants", "import", "/dev/zero"],
    );
    assert_eq!(endless.status, 2, "{endless:?}");
    assert!(endless.took < SOON, "{endless:?}");
    assert_eq!(service.requests().len(), 2);
}
