//! Panics on demand, for the tests of what a panic leaves behind.

/// Panics if the environment names this part of the program.
#[allow(clippy::panic)]
pub(crate) fn provoke(place: &str) {
    if std::env::var_os("DRIFTLINE_TEST_PANIC").is_some_and(|wanted| wanted == place) {
        panic!("a panic in the {place}, as asked for");
    }
}
