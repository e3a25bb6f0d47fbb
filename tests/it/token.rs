//! The token: taken from the environment or a real keyring, never found
//! anywhere else, and never waited for too long.

use rustix::process::Signal;

use crate::driver::SOON;
use crate::driver::home::Home;
use crate::driver::keyring::Bus;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::{TOKEN, TRACK, UUID};

fn on(bus: &Bus, home: &Home, service: &Responder, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments)
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("DRIFTLINE_BASE_URL", service.base_url())
}

fn bearer(service: &Responder) -> Vec<String> {
    let requests = service.requests();
    let all = requests
        .iter()
        .map(|request| request.header("authorization").unwrap().to_owned());
    all.collect()
}

#[test]
fn a_token_logged_in_once_is_used_by_the_next_process_and_gone_after_logout() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let service = Responder::json(200, TRACK);
    let login = on(&bus, &home, &service, &["auth", "login"]).stdin(format!("{TOKEN}\n"));
    let login = login.ends_with(0);
    assert!(!login.stderr.contains(TOKEN) && !login.stdout.contains(TOKEN));
    let before = service.requests().len();
    on(&bus, &home, &service, &["track", UUID]).ends_with(0);
    assert_eq!(bearer(&service)[before..], [format!("Bearer {TOKEN}")]);
    let status = on(&bus, &home, &service, &["auth", "status"]).ends_with(0);
    assert!(!format!("{status:?}").contains(TOKEN), "{status:#?}");
    on(&bus, &home, &service, &["auth", "logout"]).ends_with(0);
    on(&bus, &home, &service, &["track", UUID]).ends_with(3);
    on(&bus, &home, &service, &["auth", "logout"]).ends_with(0);
    assert_eq!(
        home.files_holding(TOKEN),
        [""; 0].map(std::path::PathBuf::from)
    );
}

#[test]
fn a_token_typed_at_the_prompt_is_stored_without_its_line_end_and_never_shown() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let service = Responder::json(200, TRACK);
    let setting = Setting::default()
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("DRIFTLINE_BASE_URL", service.base_url());
    let mut terminal = Terminal::driftline(&home, &["auth", "login"], setting);
    // Pasted the moment the prompt stands, with a letter too many that is taken back.
    terminal.shows("Token:");
    terminal.keys(&format!("{TOKEN}x\x7f\r"));
    assert_eq!(terminal.end(), 0, "{}", terminal.screen());
    let screen = terminal.screen();
    assert!(screen.contains("stored in the OS keyring"), "{screen}");
    assert!(!screen.contains(TOKEN), "{screen}");
    assert_eq!(terminal.insane(), [""; 0]);
    on(&bus, &home, &service, &["track", UUID]).ends_with(0);
    assert_eq!(bearer(&service).last().unwrap(), &format!("Bearer {TOKEN}"));
}

#[test]
fn the_environment_goes_before_the_keyring() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let service = Responder::json(200, TRACK);
    on(&bus, &home, &service, &["auth", "login"])
        .stdin("other-token")
        .ends_with(0);
    let run = on(&bus, &home, &service, &["track", UUID]).env("DRIFTLINE_TOKEN", TOKEN);
    run.ends_with(0);
    assert_eq!(bearer(&service).last().unwrap(), &format!("Bearer {TOKEN}"));
}

#[test]
fn a_token_belongs_to_the_address_it_was_given_for() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let (first, second) = (Responder::json(200, TRACK), Responder::json(200, TRACK));
    on(&bus, &home, &first, &["auth", "login"])
        .stdin(TOKEN)
        .ends_with(0);
    on(&bus, &home, &second, &["track", UUID]).ends_with(3);
    assert!(second.requests().is_empty());
}

#[test]
fn a_locked_keyring_is_3_at_once() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::locked(&home);
    let service = Responder::json(200, TRACK);
    let answer = on(&bus, &home, &service, &["track", UUID]).ends_with(3);
    assert!(answer.took < SOON, "{answer:#?}");
    answer.says("DRIFTLINE_TOKEN");
    assert!(service.requests().is_empty());
}

#[test]
fn a_keyring_that_hangs_is_given_up_and_with_the_environment_never_asked() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let service = Responder::json(200, TRACK);
    on(&bus, &home, &service, &["auth", "login"])
        .stdin(TOKEN)
        .ends_with(0);
    bus.signal_keyring(Signal::STOP);
    let answer = on(&bus, &home, &service, &["track", UUID]).ends_with(3);
    assert!(answer.took < SOON, "{answer:#?}");
    let given = on(&bus, &home, &service, &["track", UUID]).env("DRIFTLINE_TOKEN", TOKEN);
    let given = given.ends_with(0);
    assert!(given.took < SOON, "{given:#?}");
    bus.signal_keyring(Signal::CONT);
    on(&bus, &home, &service, &["track", UUID]).ends_with(0);
}

#[test]
fn a_keyring_that_is_not_there_is_3_and_says_which_was_tried() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::alone(&home);
    let service = Responder::json(200, TRACK);
    for (address, why) in [
        (bus.address.as_str(), ""),
        ("unix:path=/no/such/socket", "/no/such/socket"),
        ("nonsense", "DBUS_SESSION_BUS_ADDRESS is not the address"),
        ("", "no session bus"),
    ] {
        for arguments in [&["track", UUID][..], &["auth", "login"]] {
            let run = on(&bus, &home, &service, arguments).stdin(TOKEN);
            let answer = run.env("DBUS_SESSION_BUS_ADDRESS", address).ends_with(3);
            assert!(
                answer.stderr.contains("DRIFTLINE_TOKEN"),
                "{address:?} {answer:#?}"
            );
            assert!(
                answer.stderr.to_lowercase().contains("keyring") && answer.stderr.contains(why),
                "{address:?} {answer:#?}"
            );
            assert!(answer.took < SOON, "{address:?} {answer:#?}");
        }
    }
    assert_eq!(
        home.files_holding(TOKEN),
        [""; 0].map(std::path::PathBuf::from)
    );
    assert!(service.requests().is_empty());
}

#[test]
fn only_bytes_a_header_can_carry_are_a_token() {
    needs!("keyring");
    let home = Home::new();
    let service = Responder::json(200, TRACK);
    for bad in ["sp ace", "tab\tx", "café", "\u{202e}x", "line\nx"] {
        let run = Run::driftline(&home, ["track", UUID]).env("DRIFTLINE_TOKEN", bad);
        let answer = run
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .ends_with(2);
        assert!(!answer.stderr.contains(bad), "{answer:#?}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn a_token_on_the_command_line_is_refused_without_an_echo() {
    needs!("keyring");
    let home = Home::new();
    for arguments in [
        &["auth", "login", TOKEN][..],
        &["--profile", "x", "auth", "login", TOKEN],
    ] {
        let answer = Run::driftline(&home, arguments).ends_with(2);
        assert!(!answer.stderr.contains(TOKEN), "{answer:#?}");
    }
}
