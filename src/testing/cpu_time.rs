//! The processor time of a thread: other work on the machine adds nothing to it.

use std::time::Instant;

/// Seconds of processor time that this thread spends on `work`: the mean of as many
/// times as fill 0.1 s, since the system counts in steps of some milliseconds. Where
/// it does not have them, they are seconds of the clock.
pub(crate) fn spent_on<T>(work: impl Fn() -> T) -> f64 {
    let began = Instant::now();
    let now = || used().unwrap_or_else(|| began.elapsed().as_secs_f64());
    let before = now();
    let mut times = 0.0;
    loop {
        std::hint::black_box(work());
        times += 1.0;
        let spent = now() - before;
        if spent >= 0.1 {
            return spent / times;
        }
    }
}

/// Eight times as much takes eight times as long, and where it takes as long as all pairs, 64
/// times.
const TIMES: usize = 8;
const MOST: f64 = 48.0;

/// Checks that work on texts grows as they are long, by the seconds of work on a text of so many
/// parts.
pub(crate) fn grows_as_its_length(name: &str, few: usize, seconds: impl Fn(usize) -> f64) {
    // Other work on the machine may slow one of them down.
    let ratio = || seconds(TIMES * few) / seconds(few);
    let least = (0..5).map(|_| ratio()).find(|ratio| *ratio < MOST);
    assert!(least.is_some(), "{name}: {} times {few}", TIMES);
}

/// Seconds of processor time of this thread so far.
fn used() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
