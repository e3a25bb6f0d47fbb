//! A dashboard beside another program on one archive and one settings file.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::{TRACK, UUID};

const OTHER: &str = "6f9619ff-8b86-4011-842d-00c04fc964ff";

fn deployments(home: &Home, arguments: &[&str]) {
    Run::driftline(home, [&["deployments"], arguments].concat()).ends_with(0);
}

fn dashboard(home: &Home, service: &Responder, arguments: &[&str]) -> Terminal {
    let setting = Setting::default().at(service.base_url());
    Terminal::driftline(home, arguments, setting)
}

#[test]
fn an_open_dashboard_takes_over_what_another_program_changed() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    deployments(&home, &["add", UUID, "--label", "ice seven"]);
    let terminal = dashboard(&home, &service, &[]);
    terminal.shows("ice seven");
    deployments(&home, &["add", OTHER, "--label", "ice eight"]);
    terminal.keys("r");
    terminal.shows("ice eight");
    // Its track comes, too: the archive of the dashboard is open by now.
    deployments(&home, &["add", OTHER, "--label", "ice nine"]);
    terminal.keys("4");
    terminal.keys("1");
    terminal.shows("ice nine");
    terminal.hides("ice eight");
    deployments(&home, &["remove", OTHER]);
    terminal.keys("r");
    // A message may still name it.
    terminal.shows("1 of 1");
    terminal.shows("ice seven");
    // What the dashboard changes is not undone by it.
    deployments(&home, &["add", UUID, "--notes", "off Svalbard"]);
    terminal.keys("e\t\td\r");
    terminal.keys("r");
    terminal.keys("4");
    terminal.keys("1");
    terminal.shows("ice seven");
    let listed = crate::driver::until(crate::driver::PATIENCE, || {
        let list = Run::driftline(&home, ["deployments", "list", "--json"])
            .ends_with(0)
            .stdout;
        list.contains("\"platform\":\"drifter\"").then_some(list)
    });
    let listed = listed.unwrap();
    assert!(listed.contains("off Svalbard"), "{listed}");
    assert!(listed.contains("ice seven"), "{listed}");
}

#[test]
fn an_open_dashboard_shows_another_programs_changes_without_a_key() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    deployments(&home, &["add", UUID, "--label", "ice seven"]);
    let terminal = dashboard(&home, &service, &[]);
    terminal.shows("ice seven");
    deployments(&home, &["add", UUID, "--label", "ice nine"]);
    terminal.shows("ice nine");
}

#[test]
fn an_edit_a_removal_and_its_undo_keep_what_another_program_set() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    deployments(&home, &["add", UUID, "--label", "ice seven"]);
    let terminal = dashboard(&home, &service, &[]);
    terminal.shows("ice seven");
    let list = || {
        let list = Run::driftline(&home, ["deployments", "list", "--json"]).go();
        list.ends_with(0).stdout
    };
    // The field was empty when the dashboard read it.
    terminal.keys("e");
    terminal.shows("Enter save");
    terminal.keys(&"\t".repeat(10));
    deployments(
        &home,
        &["add", UUID, "--notes", "theirs", "--max-age", "6h"],
    );
    terminal.keys("ours\r");
    terminal.shows("another program changed notes of ice seven");
    assert!(list().contains("theirs"), "{}", list());
    deployments(&home, &["add", UUID, "--notes", "theirs again"]);
    terminal.shows("theirs again");
    terminal.keys("D");
    terminal.shows("Remove deployment");
    // A key right after the dialog opened may have been meant for the list.
    std::thread::sleep(std::time::Duration::from_millis(700));
    terminal.keys("y");
    terminal.shows("removed from the list");
    terminal.keys("U");
    terminal.shows("is on the list again");
    let listed = list();
    assert!(listed.contains("theirs again"), "{listed}");
    assert!(listed.contains("21600"), "{listed}");
}

#[test]
fn a_deployment_of_the_settings_file_stays_and_an_edit_of_an_unlisted_one_is_told() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    home.write(
        ".config/driftline/config.toml",
        format!("[[deployment]]\nuuid = \"{UUID}\"\nlabel = \"ice seven\"\n"),
    );
    let terminal = dashboard(&home, &service, &[]);
    terminal.shows("ice seven");
    terminal.keys("D");
    terminal.shows("is named in the settings file");
    terminal.keys("r");
    terminal.shows("ice seven");
    drop(terminal);
    let terminal = dashboard(&home, &service, &[OTHER]);
    terminal.shows("85.51");
    terminal.keys("1");
    terminal.shows("6f9619ff");
    let list = || {
        let answer = Run::driftline(&home, ["deployments", "list"]).go();
        answer.ends_with(0).stdout
    };
    assert!(!list().contains(OTHER));
    terminal.keys("e\t\td\r");
    terminal.shows("it is on the watch list now");
    let listed = crate::driver::until(crate::driver::PATIENCE, || {
        list().contains(OTHER).then_some(())
    });
    assert!(listed.is_some(), "{}", list());
}
