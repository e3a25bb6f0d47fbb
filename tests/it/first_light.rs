//! First light: from a fresh machine to a track on the screen, and a plant
//! created and deleted by keyboard, in a real terminal against a service.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::home::{Home, holds};
use crate::driver::keyring::Bus;
use crate::driver::proxy::{Fault, Proxy};
use crate::driver::pty::{BACKSPACE, ENTER, ESC, Setting, TAB, Terminal};
use crate::driver::run::Run;
use crate::driver::service::Service;
use crate::driver::wire::{Act, Request, Responder};
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{TOKEN, TRACK, UUID};

const NOTHING: [&str; 0] = [];

/// The embedded service behind a link that writes down what passes.
struct Deployment {
    service: Service,
    link: Proxy,
}

impl Deployment {
    fn new() -> Deployment {
        let service = Service::start();
        let link = Proxy::to(service.address());
        Deployment { service, link }
    }

    fn setting(&self) -> Setting {
        Setting::default()
            .env("DRIFTLINE_TOKEN", &self.service.token)
            .env("DRIFTLINE_BASE_URL", self.link.base_url())
    }

    fn open(&self, home: &Home) -> Terminal {
        let uuid = self.service.deployments[0].0.as_str();
        let terminal = Terminal::driftline(home, &[uuid], self.setting());
        terminal.shows("UTC");
        terminal
    }

    fn sent(&self, method: &str) -> Vec<Request> {
        let mut requests = self.link.requests();
        requests.retain(|request| request.method == method);
        requests
    }

    #[track_caller]
    fn waits_for(&self, method: &str, count: usize) -> Request {
        let found = until(PATIENCE, || self.sent(method).get(count - 1).cloned());
        found.unwrap_or_else(|| panic!("no {method} number {count}"))
    }
}

#[test]
fn the_first_frame_stands_while_the_archive_does_not_answer_and_q_leaves_it() {
    let home = Home::new();
    let service = Service::start();
    let base = format!("http://{}", service.address());
    let setting = || {
        Setting::default()
            .env("DRIFTLINE_TOKEN", &service.token)
            .env("DRIFTLINE_BASE_URL", &base)
    };
    let added = Run::driftline(&home, ["deployments", "add", UUID]).go();
    assert_eq!(added.status, 0, "{added:?}");
    let archive =
        rusqlite::Connection::open(home.file(".local/share/driftline/archive.db")).unwrap();
    archive
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
        .unwrap();
    let started = Instant::now();
    let terminal = Terminal::driftline(&home, &[], setting());
    terminal.shows("reading settings and archive");
    assert!(started.elapsed() < SOON);
    leave(terminal);
    assert!(started.elapsed() < SOON);
    // With the archive back, the list stands there.
    let terminal = Terminal::driftline(&home, &[], setting());
    terminal.shows("reading settings and archive");
    drop(archive);
    terminal.shows(&UUID[..8]);
    leave(terminal);
}

fn leave(mut terminal: Terminal) {
    terminal.quits();
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
fn the_demo_opens_on_moving_instruments_and_every_tab_by_its_number() {
    let home = Home::new();
    let service = Service::start();
    assert!(service.deployments.len() >= 5, "{:?}", service.deployments);
    let terminal = Terminal::driftline(&home, &["demo"], Setting::default());
    for (_, label) in &service.deployments {
        let start: String = label.chars().take(12).collect();
        terminal.shows(&start);
    }
    // Each has been fetched: ages stand in the table.
    terminal.shows("ago");
    for (key, words) in [
        ("2", "COG"),
        ("4", "GET"),
        ("3", "Plants"),
        ("1", "Deployments"),
    ] {
        terminal.keys(key);
        terminal.shows(words);
    }
    leave(terminal);
}

#[test]
fn the_demo_leaves_no_trace_in_the_home() {
    let home = Home::new();
    home.write(".config/driftline/config.toml", "this does not parse");
    let terminal = Terminal::driftline(&home, &["demo"], Setting::default());
    terminal.shows("ago");
    leave(terminal);
    assert!(!home.file(".local/share/driftline").exists());
}

#[test]
fn a_track_named_on_the_command_line_is_fetched_and_shown() {
    let (home, deployment) = (Home::new(), Deployment::new());
    let terminal = deployment.open(&home);
    terminal.shows("fixes");
    let uuid = &deployment.service.deployments[0].0;
    let request = deployment.waits_for("GET", 1);
    assert_eq!(request.target, format!("/public/deployment/data/{uuid}"));
    let bearer = format!("Bearer {}", deployment.service.token);
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    let so_far = deployment.sent("GET").len();
    terminal.keys("r");
    deployment.waits_for("GET", so_far + 1);
    leave(terminal);
}

#[test]
fn help_opens_and_escape_closes_it_and_never_quits() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &["demo"], Setting::default());
    terminal.shows("ago");
    for key in ["?", "\x1bOP"] {
        terminal.keys(key);
        terminal.shows("Up Down scroll");
        terminal.keys(ESC);
        terminal.hides("Up Down scroll");
    }
    for _ in 0..5 {
        terminal.keys(ESC);
        std::thread::sleep(Duration::from_millis(60));
    }
    // Read together with the next key it would be another key.
    std::thread::sleep(Duration::from_millis(500));
    terminal.shows("Deployments");
    leave(terminal);
}

#[test]
fn a_plant_is_created_and_deleted_by_keyboard() {
    let (home, deployment) = (Home::new(), Deployment::new());
    let terminal = deployment.open(&home);
    terminal.keys("3");
    std::thread::sleep(Duration::from_millis(100));
    terminal.keys("n");
    terminal.shows("New plant");
    terminal.keys("4711");
    terminal.keys(TAB);
    terminal.keys("Boje qSüd");
    terminal.keys(TAB);
    terminal.keys("icex");
    terminal.keys(BACKSPACE);
    terminal.keys(ENTER);
    let create = deployment.waits_for("POST", 1);
    assert_eq!(create.target, "/plants");
    assert_eq!(create.header("content-type"), Some("application/json"));
    let bearer = format!("Bearer {}", deployment.service.token);
    assert_eq!(create.header("authorization"), Some(bearer.as_str()));
    let body: Value = serde_json::from_slice(&create.body).unwrap();
    assert_eq!(body, json!({"id": 4711, "name": "Boje qSüd", "tag": "ice"}));
    terminal.hides("New plant");
    terminal.shows("Boje qSüd");

    // Enter alone cancels.
    terminal.keys("D");
    terminal.shows("Delete plant");
    std::thread::sleep(Duration::from_millis(400));
    terminal.keys(ENTER);
    terminal.hides("Delete plant");
    std::thread::sleep(Duration::from_millis(300));
    assert!(deployment.sent("DELETE").is_empty());

    terminal.keys("D");
    assert!(terminal.shows("Delete plant").contains("4711"));
    std::thread::sleep(Duration::from_millis(400));
    terminal.keys("y");
    let delete = deployment.waits_for("DELETE", 1);
    assert_eq!(
        (delete.target.as_str(), delete.body.len()),
        ("/plants/4711", 0)
    );
    assert_eq!(delete.header("authorization"), Some(bearer.as_str()));
    terminal.shows("deleted");
    leave(terminal);
    assert_eq!(
        (
            deployment.sent("POST").len(),
            deployment.sent("DELETE").len()
        ),
        (1, 1)
    );

    // The plant log tells it to the next process, without a terminal.
    let list = Run::driftline(&home, ["plants", "log", "--json"])
        .env("DRIFTLINE_BASE_URL", deployment.link.base_url())
        .ends_with(0);
    assert!(
        list.stdout.contains("4711") && list.stdout.contains("Boje qSüd"),
        "{list:#?}"
    );
}

#[test]
fn a_flood_of_enters_sends_one_create() {
    let (home, deployment) = (Home::new(), Deployment::new());
    let terminal = deployment.open(&home);
    deployment.link.set(Fault::Late(Duration::from_millis(500)));
    terminal.keys("3n");
    terminal.shows("New plant");
    terminal.keys("7\tBoje\tice");
    terminal.keys(&ENTER.repeat(200));
    deployment.waits_for("POST", 1);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(deployment.sent("POST").len(), 1);
}

#[test]
fn a_paste_is_text_and_never_a_key() {
    let (home, deployment) = (Home::new(), Deployment::new());
    let terminal = deployment.open(&home);
    terminal.keys("\x1b[200~3n7\t\r\x1b[201~");
    terminal.keys("3n");
    terminal.shows("New plant");
    terminal.keys("7\t");
    terminal.keys("\x1b[200~Boje\rSüd\r\x1b[201~");
    terminal.shows("Boje");
    terminal.keys("\t\x1b[200~ice\r\n\x1b[201~");
    terminal.shows("ice");
    std::thread::sleep(Duration::from_millis(500));
    assert!(deployment.sent("POST").is_empty());
    // Without the brackets a delete in one breath is no answer to the question.
    terminal.keys(ESC);
    terminal.hides("New plant");
    terminal.keys("Dy");
    std::thread::sleep(Duration::from_millis(500));
    assert!(deployment.sent("DELETE").is_empty());
}

#[test]
fn a_missing_token_is_asked_for_masked_tried_and_kept_in_the_keyring() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let expected = format!("Bearer {TOKEN}");
    let service = Responder::new(move |request, _| {
        if request.header("authorization") == Some(expected.as_str()) {
            Act::json(200, TRACK)
        } else {
            Act::json(401, r#"{"error":401,"message":"who are you"}"#)
        }
    });
    let setting = Setting::default()
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("DRIFTLINE_BASE_URL", service.base_url());
    let terminal = Terminal::driftline(&home, &[UUID], setting);
    terminal.shows("Token");
    assert!(service.requests().is_empty(), "sent without a token");
    // A wrong one is refused and not kept.
    terminal.keys("wrong-token\r");
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).expect("not tried");
    std::thread::sleep(Duration::from_millis(500));
    let track = |home: &Home| {
        Run::driftline(home, ["track", UUID])
            .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .go()
    };
    track(&home).ends_with(3);
    terminal.keys(&BACKSPACE.repeat(20));
    terminal.keys(TOKEN);
    terminal.keys(ENTER);
    terminal.shows("85.5");
    let bytes = terminal.bytes();
    assert!(
        !holds(&bytes, TOKEN) && !holds(&bytes, "wrong-token"),
        "it was shown"
    );
    leave(terminal);
    track(&home).ends_with(0);
    assert_eq!(
        home.files_holding(TOKEN),
        [""; 0].map(std::path::PathBuf::from)
    );
}

#[test]
fn what_a_service_says_never_reaches_the_terminal_as_a_command() {
    let home = Home::new();
    let body =
        "{\"error\":7,\"message\":\"\\u001b]0;owned\\u0007\\u001b[31mred \\u202egnol\\u009b2J\"}";
    let service = Responder::json(400, body);
    let terminal = Terminal::driftline(&home, &[UUID], Setting::default().at(service.base_url()));
    terminal.shows("owned");
    terminal.keys("4");
    std::thread::sleep(Duration::from_millis(300));
    let bytes = terminal.bytes();
    for hostile in [
        "\x1b]0;owned",
        "\x1b[31mred",
        "\u{202e}",
        "\u{9b}2J",
        "\x07",
    ] {
        assert!(!holds(&bytes, hostile), "{hostile:?} reached the terminal");
    }
    leave(terminal);
}

#[test]
fn escape_cancels_a_running_request_and_the_screen_says_so() {
    let home = Home::new();
    let service = Responder::silent();
    let terminal = Terminal::driftline(&home, &[UUID], Setting::default().at(service.base_url()));
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).expect("no request");
    terminal.keys(ESC);
    terminal.wait("cancelled", |screen| screen.contains("request cancelled"));
    leave(terminal);
}

#[test]
fn the_smallest_screen_shows_every_tab() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &["demo"], Setting::size(60, 16));
    terminal.shows(" kn");
    for key in ["1", "2", "3", "4"] {
        terminal.keys(key);
        std::thread::sleep(Duration::from_millis(200));
        let screen = terminal.screen();
        assert!(screen.lines().count() >= 10, "{screen}");
    }
    leave(terminal);
}
