//! The whole program against a service with the ways of a Django backend: 301
//! before the token, 403 for what may not be read, pages for what is not known.

use crate::driver::backend::{Access, Backend, Instrument};
use crate::driver::clock::Clock;
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::exit_status::TOKEN;

const SOUND: &str = "9b1d3c54-70e2-4f0a-8d57-1f0c6f2e0000";
/// No token may read it.
const PRIVATE: &str = "9b1d3c54-70e2-4f0a-8d57-1f0c6f2e0001";
/// One of its records holds a NaN.
const BROKEN: &str = "9b1d3c54-70e2-4f0a-8d57-1f0c6f2e0002";

fn service() -> Backend {
    let clock = Clock::times(1);
    let service = Backend::start(clock, TOKEN);
    for uuid in [SOUND, PRIVATE, BROKEN] {
        let instrument = Instrument {
            fields: 70,
            ..Instrument::reporting(3600.0, 200, clock.now())
        };
        service.put(uuid, instrument);
    }
    service.set_access(PRIVATE, Access::Forbidden);
    service.set_access(BROKEN, Access::Broken);
    service
}

fn run(home: &Home, service: &Backend, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments).at(service.base_url()).go()
}

#[test]
fn every_command_says_what_such_a_service_means() {
    let (home, service) = (Home::new(), service());
    let track = run(&home, &service, &["track", SOUND, "--format", "csv"]).ends_with(0);
    assert!(track.stdout.lines().count() > 100, "{track:#?}");
    // It goes out in lower case, which is the only way it is found.
    let typed = SOUND.to_uppercase();
    let same = run(&home, &service, &["track", &typed, "--format", "csv"]).ends_with(0);
    assert!(same.stdout.lines().count() >= track.stdout.lines().count());

    run(&home, &service, &["track", PRIVATE])
        .ends_with(3)
        .says("403");
    run(&home, &service, &["track", BROKEN]).ends_with(4);
    let unknown = "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01";
    run(&home, &service, &["track", unknown])
        .ends_with(4)
        .says("500");
    let plant = ["plants", "create", "--id", "7", "--name", "n", "--tag", "t"];
    run(&home, &service, &plant).ends_with(4);
    Run::driftline(&home, ["track", SOUND])
        .env("DRIFTLINE_TOKEN", "not-the-token")
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .ends_with(3);
}

#[test]
fn the_dashboard_goes_on_beside_what_it_may_not_read() {
    let (home, service) = (Home::new(), service());
    for (uuid, label) in [(SOUND, "sound"), (PRIVATE, "private"), (BROKEN, "broken")] {
        run(
            &home,
            &service,
            &["deployments", "add", uuid, "--label", label],
        )
        .ends_with(0);
    }
    let terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    terminal.shows("not readable with this token");
    let screen = terminal.wait("the sound one", |screen| {
        let row = screen.lines().find(|line| line.contains("sound"));
        row.is_some_and(|row| row.contains(" ago "))
    });
    assert!(!screen.contains("Enter: test"), "{screen}");
}
