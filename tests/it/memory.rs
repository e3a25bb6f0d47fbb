//! A dashboard and `collect`, which run for weeks, start with an allocator that gives
//! large blocks back.

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::run::Run;

/// What the program was started as, again and again, without a terminal.
fn starts(home: &Home, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    let trace = home.path().join("trace");
    let options = ["-f", "-qq", "-v", "-s", "4000", "-e", "trace=execve", "-o"];
    let words = (options.iter().map(std::ffi::OsString::from))
        .chain([trace.clone().into(), "--".into(), DRIFTLINE.into()])
        .chain(arguments.iter().map(std::ffi::OsString::from));
    let mut run = Run::program(home, "strace", words);
    for (name, value) in environment {
        run = run.env(name, value);
    }
    run.go();
    let told = std::fs::read_to_string(&trace).unwrap();
    let lines = told.lines().filter(|line| line.contains("execve("));
    lines.map(str::to_owned).collect()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn what_runs_for_weeks_starts_again_once_with_a_size_from_which_blocks_go_back() {
    let home = Home::new();
    // A dashboard without a terminal ends at once: it has begun by then.
    let uuid = crate::exit_status::UUID;
    for arguments in [&["demo"][..], &[uuid, "--plain"], &["collect", "--once"]] {
        let starts = starts(&home, arguments, &[]);
        let [first, second] = starts.as_slice() else {
            panic!("{arguments:?}: {starts:?}");
        };
        assert!(!first.contains("MALLOC_MMAP_THRESHOLD_="), "{first}");
        assert!(
            second.contains("MALLOC_MMAP_THRESHOLD_=1048576"),
            "{second}"
        );
        // The same program with the same arguments.
        let words = |line: &str| {
            line.split_once(", [")
                .unwrap()
                .1
                .split_once(']')
                .unwrap()
                .0
                .to_owned()
        };
        assert_eq!(words(first), words(second));
    }
}

#[test]
fn what_ends_soon_and_what_the_user_set_is_left_as_it_is() {
    let home = Home::new();
    assert_eq!(starts(&home, &["latest"], &[]).len(), 1);
    let set = [("MALLOC_MMAP_THRESHOLD_", "65536")];
    let left = starts(&home, &["demo"], &set);
    assert_eq!(left.len(), 1);
    assert!(left[0].contains("MALLOC_MMAP_THRESHOLD_=65536"));
    let tuned = [("GLIBC_TUNABLES", "glibc.malloc.arena_max=1")];
    assert_eq!(starts(&home, &["demo"], &tuned).len(), 1);
}
