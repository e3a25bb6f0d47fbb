//! Real processes: one that runs, one that has ended, and one of another container.

use super::*;

#[test]
fn a_process_of_another_container_counts_as_alive_and_one_before_a_restart_does_not() {
    let own = run_id(std::process::id()).unwrap();
    let words: Vec<&str> = own.split(' ').collect();
    let alive = |start: &str, namespace: &str| {
        let run = format!("{start} {namespace} {}", words[2]);
        is_alive(i64::from(i32::MAX), Some(&run))
    };
    assert!(alive(words[0], "pid:[1]"));
    assert!(!alive(words[0], words[1]));
    assert!(!alive("another", words[1]) && !alive("another", "pid:[1]"));
}

#[test]
fn a_process_runs_until_it_has_ended_whether_or_not_its_parent_has_asked() {
    let mut child = std::process::Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id();
    let run = run_id(child.id());
    assert!(run.is_some());
    assert!(is_alive(id.into(), run.as_deref()));
    child.kill().unwrap();
    let ended = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        !is_alive(id.into(), run.as_deref())
    });
    assert!(ended);
    child.wait().unwrap();
    assert!(!is_alive(id.into(), run.as_deref()));
}
