//! Real programs: their children, their output and their end.

use super::*;

#[test]
fn a_child_with_a_session_of_its_own_ends_with_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("setsid sleep 300 & echo $! > '{}'; wait", file.display());
    let words = ["sh", "-c", &script].map(str::to_owned);
    let running = Running::default();
    let shared = running.clone();
    let run = std::thread::spawn(move || run(&words, "{}", &shared));
    let until = |is_done: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_done() {
            assert!(began.elapsed() < Duration::from_secs(8));
            std::thread::sleep(LOOK);
        }
    };
    let pid = || std::fs::read_to_string(&file).unwrap_or_default();
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid().trim()));
        stat.unwrap_or_default()
    };
    until(&|| state().contains("(sleep)"));
    running.end();
    assert_eq!(run.join().unwrap(), Ok(false));
    // Whoever took it over may not have buried it yet.
    until(&|| !state().contains("(sleep)") || state().contains(") Z "));
}

#[test]
fn what_a_program_printed_counts_though_its_child_keeps_the_pipe_open() {
    let words = ["sh", "-c", "echo 1; sleep 20 & echo 2"].map(str::to_owned);
    let began = Instant::now();
    let longest = Duration::from_secs(15);
    let mut bytes = Vec::new();
    let take = |piece: Vec<u8>| bytes.extend(piece);
    let printed = output(&words, longest, 1000, &Running::default(), take).unwrap();
    assert!(printed.status.success());
    assert_eq!((printed.bytes, bytes.as_slice()), (4, b"1\n2\n".as_slice()));
    assert!(began.elapsed() < Duration::from_secs(8));
}

#[test]
fn a_program_that_hangs_is_ended_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after");
    let script = format!("echo 1; (sleep 2; touch '{}') & wait", after.display());
    let words = ["sh", "-c", &script].map(str::to_owned);
    let began = Instant::now();
    let longest = Duration::from_millis(300);
    let ended = output(&words, longest, 1000, &Running::default(), drop);
    assert!(matches!(ended, Err(NoOutput::TooLong)));
    assert!(began.elapsed() < Duration::from_secs(2));
    std::thread::sleep(Duration::from_secs(3));
    assert!(!after.exists());
}
