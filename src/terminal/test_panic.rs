//! Panics on demand, for tests of the state after a panic.

/// Panics if the environment names this part of the program.
#[allow(clippy::panic)]
pub(crate) fn provoke(place: &str) {
    if std::env::var_os("DRIFTLINE_TEST_PANIC").is_some_and(|wanted| wanted == place) {
        panic!("a requested panic in the {place}");
    }
}
