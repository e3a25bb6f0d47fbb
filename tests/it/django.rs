//! The whole program against a service with the ways of a Django backend: 301
//! before the token, 403 for what may not be read, pages for what is not known.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::service::Service;

fn service() -> Service {
    Service::with(&["--like", "django"])
}

fn named(service: &Service, label: &str) -> String {
    let mut all = service.deployments.iter();
    all.find(|(_, name)| name == label).unwrap().0.clone()
}

fn run(home: &Home, service: &Service, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments)
        .env("DRIFTLINE_TOKEN", &service.token)
        .env("DRIFTLINE_BASE_URL", &service.base_url)
        .go()
}

#[test]
fn every_command_says_what_such_a_service_means() {
    let (home, service) = (Home::new(), service());
    let sound = service.deployments[0].0.clone();
    let track = run(&home, &service, &["track", &sound, "--format", "csv"]).ends_with(0);
    assert!(track.stdout.lines().count() > 100, "{track:#?}");
    // It goes out in lower case, which is the only way it is found.
    let typed = sound.to_uppercase();
    let same = run(&home, &service, &["track", &typed, "--format", "csv"]).ends_with(0);
    assert!(same.stdout.lines().count() >= track.stdout.lines().count());

    let private = named(&service, "of another user");
    let refused = run(&home, &service, &["track", &private]).ends_with(3);
    assert!(refused.stderr.contains("403"), "{refused:#?}");
    let broken = named(&service, "with a NaN in it");
    run(&home, &service, &["track", &broken]).ends_with(4);
    let unknown = "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01";
    let unknown = run(&home, &service, &["track", unknown]).ends_with(4);
    assert!(unknown.stderr.contains("500"), "{unknown:#?}");
    let plant = ["plants", "create", "--id", "7", "--name", "n", "--tag", "t"];
    run(&home, &service, &plant).ends_with(4);
    Run::driftline(&home, ["track", &sound])
        .env("DRIFTLINE_TOKEN", "not-the-token")
        .env("DRIFTLINE_BASE_URL", &service.base_url)
        .go()
        .ends_with(3);
}

#[test]
fn the_dashboard_goes_on_beside_what_it_may_not_read() {
    let (home, service) = (Home::new(), service());
    let sound = service.deployments[0].0.clone();
    for (uuid, label) in [
        (sound, "sound"),
        (named(&service, "of another user"), "private"),
        (named(&service, "with a NaN in it"), "broken"),
    ] {
        run(
            &home,
            &service,
            &["deployments", "add", &uuid, "--label", label],
        )
        .ends_with(0);
    }
    let setting = Setting::default()
        .env("DRIFTLINE_TOKEN", &service.token)
        .env("DRIFTLINE_BASE_URL", &service.base_url);
    let terminal = Terminal::driftline(&home, &[], setting);
    terminal.shows("not readable with this token");
    let screen = terminal.wait("the sound one", |screen| {
        let row = screen.lines().find(|line| line.contains("sound"));
        row.is_some_and(|row| row.contains(" ago "))
    });
    assert!(!screen.contains("Enter: test"), "{screen}");
}
