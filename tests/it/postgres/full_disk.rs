//! A server whose disk is full: it refuses what it has no room for, and takes the
//! rest.

use std::time::Duration;

use rustix::process::Signal;

use super::collectors::{asked, body, listed, run};
use crate::driver::database::{SERVER, new_database};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};

/// What a server says that cannot make a file longer. The trigger is where the room
/// ends: the error is that of the server itself.
const FULL: &str = "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION USING ERRCODE = 'disk_full',
             MESSAGE = 'could not extend file \"base/5/16384\": No space left on device';
     END $$;
     CREATE TRIGGER no_room BEFORE INSERT ON transmission FOR EACH ROW EXECUTE FUNCTION no_room()";

#[test]
fn a_full_disk_of_the_server_is_named_with_what_to_do_and_little_is_asked_for_until_there_is_room()
{
    needs!("postgres");
    const COUNT: usize = 24;
    let (database, body) = (new_database(), body());
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let base = service.base_url();
    listed(&database, &base, COUNT);
    SERVER.run(&database, FULL);
    let (_home, collect) = run(&database, &base, &["collect"]);
    let collector = collect.start();
    let requests = || service.requests().len();
    let begun = until(PATIENCE, || (requests() >= 2).then_some(()));
    assert!(begun.is_some());
    std::thread::sleep(Duration::from_secs(15));
    // Two at once, and then after 5 to 10 s again.
    let while_full = requests();
    assert!((2..=10).contains(&while_full), "{while_full}");
    let stored = || {
        let count = "SELECT count(DISTINCT deployment) FROM transmission";
        let count = SERVER.run(&database, count);
        count.trim().parse::<usize>().unwrap()
    };
    assert_eq!(stored(), 0);
    SERVER.run(&database, "DROP TRIGGER no_room ON transmission");
    // All that had not been asked for; what could not be stored follows in minutes.
    let rest = COUNT - while_full - 2;
    let goes_on = until(Duration::from_secs(60), || (stored() >= rest).then_some(()));
    assert!(goes_on.is_some(), "{} of {rest}", stored());
    collector.signal(Signal::TERM);
    let log = collector.end().ends_with(0).stderr;
    let said = log.lines().find(|line| line.contains(" error ")).unwrap();
    for part in [
        "fetched and not stored: the archive postgres://driftline@",
        "the disk of the server is full",
        "No space left on device",
        "Make room on the disk of the server.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // When they are due all are there, and nothing is there in part.
    SERVER.run(&database, "UPDATE lease SET until = 0, due = 0");
    let (_home, again) = run(&database, &base, &["collect", "--once"]);
    again.ends_with(0);
    assert_eq!(stored(), COUNT);
    let (_home, check) = run(&database, &base, &["archive", "check"]);
    check.ends_with(0);
    assert!(asked(&service.requests()).len() == COUNT);
}

#[test]
fn a_round_on_a_full_disk_ends_with_1_and_an_edit_says_why_it_was_not_made() {
    needs!("postgres");
    let (database, body) = (new_database(), body());
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let base = service.base_url();
    listed(&database, &base, 3);
    SERVER.run(&database, FULL);
    let (_home, round) = run(&database, &base, &["collect", "--once"]);
    let answer = round.ends_with(1);
    assert_eq!(
        answer.stderr.matches("disk of the server is full").count(),
        3
    );
    assert_eq!(asked(&service.requests()).len(), 3);
    // A table of its own has no room for one more row.
    SERVER.run(
        &database,
        "CREATE TRIGGER no_room BEFORE INSERT ON deployment FOR EACH ROW EXECUTE FUNCTION no_room()",
    );
    let added = ["deployments", "add", crate::exit_status::UUID];
    let (_home, add) = run(&database, &base, &added);
    add.ends_with(1)
        .says("Make room on the disk of the server.");
}
