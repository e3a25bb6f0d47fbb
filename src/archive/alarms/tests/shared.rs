//! Alarms on a server: programs whose clocks differ tell each once.

use super::*;
use crate::archive::BUSY;
use crate::testing::database::{SERVER, new_database};
use crate::testing::postgres::place;

#[test]
fn a_program_whose_clock_is_wrong_takes_no_claim_of_another() {
    needs!("postgres");
    let place = place(&SERVER.url(&new_database(), true));
    let mut one = Archive::open_at(&place, BUSY).unwrap();
    let mut ahead = Archive::open_at(&place, BUSY).unwrap();
    one.watch(&moored(), START).unwrap();
    received(&mut one, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let now = START + 3.2 * HOUR;
    let claimed = claim(&mut one, None, now);
    assert_eq!(claimed.len(), 1);
    let numbers = [claimed[0].number];
    for difference in [180.0, -180.0] {
        assert!(!ahead.claim(&numbers, None, now + difference).unwrap());
    }
    // One that tells no more loses its claim by the time of the server.
    let passed = "UPDATE alarm_event SET claimed_until = claimed_until - 25";
    one.connection.execute(passed, ()).unwrap();
    assert!(!ahead.claim(&numbers, None, now).unwrap());
    one.connection.execute(passed, ()).unwrap();
    assert!(ahead.claim(&numbers, None, now).unwrap());
}
