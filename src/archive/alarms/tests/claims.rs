//! Claims of what is to be told.

use super::*;
use crate::archive::Transition;

/// Claims all that is to be notified at `now`, in a round that began at `round`.
pub(super) fn claim(archive: &mut Archive, round: Option<f64>, now: f64) -> Vec<Transition> {
    archive.settle_notifications(round, now).unwrap();
    let transitions = archive.to_notify(round, now).unwrap().transitions;
    let numbers: Vec<i64> = transitions.iter().map(|one| one.number).collect();
    assert!(archive.claim(&numbers, round, now).unwrap());
    transitions
}

/// The numbers of what is to be told at `now`.
fn free(archive: &Archive, now: f64) -> Vec<i64> {
    let found = archive.to_notify(None, now).unwrap();
    found.transitions.iter().map(|one| one.number).collect()
}

#[test]
fn of_two_programs_that_want_to_tell_the_same_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut one = Archive::open(&path).unwrap();
    let mut two = Archive::open(&path).unwrap();
    one.watch(&moored(), START).unwrap();
    received(&mut one, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let now = START + 3.2 * HOUR;
    let first = free(&one, now);
    assert_eq!((first.len(), &free(&two, now)), (1, &first));
    assert!(one.claim(&first, None, now).unwrap());
    assert!(free(&two, now).is_empty());
    assert!(!two.claim(&first, None, now).unwrap());
    // One that looked at its clock before it waited for its turn.
    assert!(!two.claim(&first, None, now - 5.0).unwrap());
    // The first is killed before it has told, or tells no more.
    assert!(!two.claim(&first, None, now + 29.0).unwrap());
    assert_eq!(free(&two, now + 31.0), first);
    assert!(two.claim(&first, None, now + 31.0).unwrap());
    assert!(!one.claim(&first, None, now + 32.0).unwrap());
    two.notified(&first, now + 33.0).unwrap();
    assert!(free(&one, now + 10.0 * HOUR).is_empty());
    assert!(!one.claim(&first, None, now + 10.0 * HOUR).unwrap());
}

#[test]
fn several_are_claimed_together_or_not_at_all() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 12.0);
    let now = START + 12.1 * HOUR;
    let both = free(&archive, now);
    assert_eq!(both.len(), 2);
    assert!(archive.claim(&both[1..], None, now).unwrap());
    assert!(!archive.claim(&both, None, now).unwrap());
    assert_eq!(free(&archive, now), both[..1]);
    // On a server its own clock counts.
    let passed = "UPDATE alarm_event SET claimed_until = claimed_until - 31";
    archive.connection.execute(passed, ()).unwrap();
    assert!(archive.claim(&both, None, now).unwrap());
}

#[test]
fn a_claim_of_a_clock_that_was_ahead_is_none() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let now = START + 3.2 * HOUR;
    let all = free(&archive, now);
    // On a server its own clock counts.
    let ahead = "UPDATE alarm_event SET claimed_until = claimed_until + 86400";
    assert!(archive.claim(&all, None, now).unwrap());
    archive.connection.execute(ahead, ()).unwrap();
    assert!(archive.claim(&all, None, now).unwrap());
}
