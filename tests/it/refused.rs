//! A service that refuses one deployment and not the others, with a token from
//! the environment, from the keyring, and typed in.

use std::time::{Duration, Instant};

use crate::driver::home::Home;
use crate::driver::keyring::Bus;
use crate::driver::pty::{ENTER, ESC, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TOKEN, TRACK, UUID};

const PRIVATE: &str = "6f9619ff-8b86-4011-842d-00c04fc964ff";

/// One deployment can be read, the other cannot; whoever has another token is
/// answered the same.
fn service() -> Responder {
    Responder::new(|request, _| {
        let known = request.header("authorization") == Some(&format!("Bearer {TOKEN}"));
        if known && request.target.contains(UUID) {
            Act::json(200, TRACK)
        } else if known && !request.target.contains(PRIVATE) {
            Act::typed(500, "text/html", "<title>Server Error</title>")
        } else {
            Act::json(403, r#"{"detail":"You do not have permission"}"#)
        }
    })
}

fn watching(home: &Home) {
    for (uuid, label) in [(UUID, "open sea"), (PRIVATE, "not ours")] {
        Run::driftline(home, ["deployments", "add", uuid, "--label", label]).ends_with(0);
    }
}

/// Reads of a deployment with the token.
fn reads(service: &Responder, uuid: &str, token: &str) -> usize {
    let requests = service.requests();
    let bearer = format!("Bearer {token}");
    requests
        .iter()
        .filter(|one| one.target.contains(uuid) && one.header("authorization") == Some(&bearer))
        .count()
}

/// The refused row says so, no dialog comes up, and `r` reads the other again.
fn goes_on(terminal: &Terminal, service: &Responder) {
    terminal.shows("not readable with this");
    let before = reads(service, UUID, TOKEN);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(6) {
        let screen = terminal.screen();
        assert!(!screen.contains("Enter: test"), "{screen}");
        std::thread::sleep(Duration::from_millis(50));
    }
    terminal.keys("1r");
    let again = until(PATIENCE, || {
        (reads(service, UUID, TOKEN) > before).then_some(())
    });
    assert!(again.is_some(), "{}", terminal.screen());
    terminal.shows("open sea");
}

#[test]
fn one_refused_deployment_stops_nothing_with_a_token_of_the_environment() {
    needs!("keyring");
    let (home, service) = (Home::new(), service());
    watching(&home);
    let setting = Setting::default().at(service.base_url());
    goes_on(&Terminal::driftline(&home, &[], setting), &service);
}

#[test]
fn one_refused_deployment_stops_nothing_with_a_token_of_the_keyring() {
    needs!("keyring");
    let (home, service) = (Home::new(), service());
    let bus = Bus::unlocked(&home);
    watching(&home);
    Run::driftline(&home, ["auth", "login"])
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .stdin(TOKEN)
        .ends_with(0);
    let setting = Setting::default()
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("DRIFTLINE_BASE_URL", service.base_url());
    goes_on(&Terminal::driftline(&home, &[], setting), &service);
}

#[test]
fn a_typed_token_is_tested_once_used_and_kept_without_a_keyring() {
    let (home, service) = (Home::new(), service());
    watching(&home);
    let setting = Setting::default()
        .env("DRIFTLINE_TOKEN", "not-the-token")
        .env("DRIFTLINE_BASE_URL", service.base_url());
    let terminal = Terminal::driftline(&home, &[], setting);
    terminal.shows("Enter: test");
    terminal.keys(TOKEN);
    terminal.keys(ENTER);
    terminal.hides("Enter: test");
    terminal.shows("next request in");
    assert_eq!(
        reads(&service, UUID, TOKEN),
        1,
        "the answer to the test is used"
    );
    goes_on(&terminal, &service);
}

#[test]
fn a_token_is_taken_with_nothing_but_a_deployment_that_nobody_may_read() {
    let (home, service) = (Home::new(), service());
    let setting = Setting::default()
        .env("DRIFTLINE_TOKEN", "not-the-token")
        .env("DRIFTLINE_BASE_URL", service.base_url());
    let terminal = Terminal::driftline(&home, &[PRIVATE], setting);
    terminal.shows("Enter: test");
    terminal.keys(TOKEN);
    terminal.keys(ENTER);
    // The service's 500 tells nothing of the token.
    terminal.shows("for this session only");
    let with_it = until(PATIENCE, || {
        (reads(&service, PRIVATE, TOKEN) > 1).then_some(())
    });
    assert!(with_it.is_some(), "{}", terminal.screen());
}

#[test]
fn one_refused_deployment_of_ten_leaves_the_other_nine_refreshed() {
    /// The one that is refused, in the middle of the list.
    const REFUSED: usize = 5;
    let uuid = |n: usize| format!("00000000-0000-4000-8000-{n:012}");
    let refused = uuid(REFUSED);
    // One fix has no interval: each of the nine is asked for at every refresh.
    let service = Responder::new(move |request, _| {
        if request.target.contains(&refused) {
            Act::json(403, r#"{"detail":"You do not have permission"}"#)
        } else {
            Act::json(
                200,
                r#"[{"time_stamp":1700000000,"latitude":85.5,"longitude":10.25}]"#,
            )
        }
    });
    let home = Home::new();
    let mut settings = String::from("refresh = \"1s\"\n");
    for n in 0..10 {
        settings.push_str(&format!(
            "[[deployment]]\nuuid = \"{}\"\nlabel = \"buoy {n}\"\n",
            uuid(n)
        ));
    }
    home.write(".config/driftline/config.toml", settings);
    let terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    let counts = || -> Vec<usize> {
        let requests = service.requests();
        let of = |n| {
            let uuid = uuid(n);
            let asked = requests.iter().filter(|one| one.target.contains(&uuid));
            asked.count()
        };
        (0..10).map(of).collect()
    };
    let all_three_times = until(PATIENCE, || {
        let counts = counts();
        let mut others = counts.iter().enumerate().filter(|(n, _)| *n != REFUSED);
        others.all(|(_, count)| *count >= 3).then_some(counts)
    });
    let counts = all_three_times.unwrap_or_else(|| panic!("{:?}\n{}", counts(), terminal.screen()));
    assert_eq!(counts[REFUSED], 1, "asked again in an hour");
    let screen = terminal.shows("not readable with this");
    assert!(!screen.contains("Enter: test"), "{screen}");
}

#[test]
fn a_plant_that_may_not_be_changed_is_told_in_the_services_words_and_no_token_is_asked_for() {
    const WORDS: &str = "this garden is for readers";
    let service = Responder::new(|request, earlier| match request.method.as_str() {
        "POST" if earlier == 0 => Act::json(201, r#"{"id":"1","name":"rose","tag":"red"}"#),
        "POST" | "DELETE" => Act::json(403, &format!(r#"{{"detail":"{WORDS}"}}"#)),
        _ => Act::json(200, TRACK),
    });
    // With a deployment that answers, and with none: then every answer is 403.
    for watches in [true, false] {
        let home = Home::new();
        if watches {
            watching(&home);
        }
        let run = |arguments: &[&str]| Run::driftline(&home, arguments).at(service.base_url()).go();
        if watches {
            let plant = ["--id", "1", "--name", "rose", "--tag", "red"];
            run(&[&["plants", "create"], &plant[..]].concat()).ends_with(0);
        }
        let terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
        terminal.shows("Activity");
        terminal.keys("3");
        if watches {
            terminal.shows("rose");
        }
        terminal.keys("n");
        terminal.shows("New plant");
        terminal.keys("7\tn\tt\r");
        terminal.shows(WORDS);
        terminal.keys(ESC);
        terminal.hides("New plant");
        if watches {
            terminal.keys("jD");
            terminal.shows("rose");
            std::thread::sleep(Duration::from_millis(500));
            terminal.keys("y");
            let refused = until(PATIENCE, || {
                let all = service.requests();
                all.iter().any(|one| one.method == "DELETE").then_some(())
            });
            assert!(refused.is_some(), "{}", terminal.screen());
            terminal.shows(WORDS);
        }
        // Longer than a person is left in peace before a dialog opens.
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            let screen = terminal.screen();
            assert!(!screen.contains("Enter: test"), "{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_service_that_wants_a_token_and_is_set_up_without_says_which_setting() {
    let home = Home::new();
    let service = Responder::json(401, "{}");
    let members = "url = \"{base_url}/{id}\"\nauth = \"none\"";
    crate::mapped::add_profile(&home, "boat", &service.base_url(), members);
    let answer = Run::driftline(&home, ["--profile", "boat", "track", "7"]).go();
    assert_eq!(answer.status, 3, "{answer:#?}");
    answer.says("set `auth` to how");
    assert!(!answer.stderr.contains("DRIFTLINE_TOKEN"), "{answer:#?}");
}
