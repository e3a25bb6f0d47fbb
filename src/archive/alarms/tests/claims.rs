//! Claims of what is to be told.

use super::*;

#[test]
fn a_claim_ends_with_the_program_that_made_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut one = Archive::open(&path).unwrap();
    let mut two = Archive::open(&path).unwrap();
    one.watch(&moored(), START).unwrap();
    received(&mut one, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let now = START + 3.2 * HOUR;
    assert!(one.has_to_notify(None, now).unwrap());
    let first = one.claim(None, now).unwrap();
    assert_eq!(first.len(), 1);
    assert!(!two.has_to_notify(None, now).unwrap());
    assert_eq!(two.claim(None, now).unwrap(), []);
    // One that looked at its clock before it waited for its turn.
    assert_eq!(two.claim(None, now - 1.0).unwrap(), []);
    // The first program is killed before it has told.
    let killed = "UPDATE alarm_event SET process = 2000000000";
    two.connection.execute(killed, ()).unwrap();
    assert_eq!(two.claim(None, now).unwrap(), first);
    // One that runs and tells no more loses its claim after a while.
    assert_eq!(one.claim(None, now + 60.0).unwrap(), []);
    assert_eq!(one.claim(None, now + 121.0).unwrap(), first);
    one.notified(&[first[0].number], now).unwrap();
    assert_eq!(two.claim(None, now + 10.0 * HOUR).unwrap(), []);
}

#[test]
fn all_claims_of_a_program_are_renewed_together_and_none_that_it_has_lost() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 12.0);
    let now = START + 12.1 * HOUR;
    assert_eq!(archive.renew(now).unwrap(), HashSet::new());
    let claimed = archive.claim(None, now).unwrap();
    let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
    assert_eq!(numbers.len(), 2);
    assert_eq!(
        archive.renew(now + 60.0).unwrap(),
        numbers.iter().copied().collect()
    );
    assert_eq!(archive.claim(None, now + 121.0).unwrap(), []);
    let lost = "UPDATE alarm_event SET process = 2000000000 WHERE id = ?1";
    archive.connection.execute(lost, [numbers[0]]).unwrap();
    let held = HashSet::from([numbers[1]]);
    assert_eq!(archive.renew(now + 122.0).unwrap(), held);
    archive.notified(&numbers[1..], now + 122.0).unwrap();
    assert_eq!(archive.renew(now + 122.0).unwrap(), HashSet::new());
}
