use super::*;

#[test]
fn a_clock_that_is_set_back_is_seen_and_a_pause_is_not() {
    let minute = Duration::from_secs(60);
    assert!(is_set_back(1e9, minute, 1e9 - 864_000.0));
    assert!(is_set_back(1e9, 2 * minute, 1e9));
    assert!(!is_set_back(1e9, minute, 1e9 + 60.0));
    assert!(!is_set_back(1e9, minute, 1e9 + 30.0));
    assert!(!is_set_back(1e9, minute, 1e9 + 864_000.0));
}
