//! Finds out whether the process that stored a response still runs, so that the others that share
//! the file let it ask first. A process id alone is not enough, because the system reuses ids, and
//! each container has its own.

/// The identity of a run of a process: the boot id of the system, the namespace of process
/// ids and the start of the process; `None` if the system does not report them.
#[cfg(target_os = "linux")]
pub(super) fn run_id(process: u32) -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold anything, a parenthesis too. Behind it the
    // start is the 20th word (proc_pid_stat(5), field 22).
    let start = state.rsplit(") ").next()?.split(' ').nth(19)?;
    Some(format!("{} {} {start}", boot.trim(), namespace.display()))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn run_id(_process: u32) -> Option<String> {
    None
}

/// `true` if a process may still run; `run` is its [`run_id`]. A process in a different namespace
/// since the same boot, such as in a container, is not visible, and counts as alive: whoever waits
/// for it does so for a limited time.
pub(super) fn is_alive(process: i64, run: Option<&str>) -> bool {
    let own = run_id(std::process::id());
    let there = words(run);
    let here = words(own.as_deref());
    let is_elsewhere = there.start == here.start && there.namespace != here.namespace;
    if run.is_some() && is_elsewhere {
        return true;
    }
    let has_number = is_there(process) && !has_ended(process);
    match (run, u32::try_from(process)) {
        (Some(run), Ok(process)) if has_number => run_id(process).is_none_or(|now| now == run),
        _ => has_number,
    }
}

/// Parts of a [`run_id`].
#[derive(Debug, Clone, Copy, Default)]
struct Words<'r> {
    /// The start of the system.
    start: Option<&'r str>,
    /// The namespace of process numbers.
    namespace: Option<&'r str>,
}

fn words(run: Option<&str>) -> Words<'_> {
    let mut words = run.unwrap_or_default().split(' ');
    Words {
        start: words.next(),
        namespace: words.next(),
    }
}

/// `true` if a process has ended and its parent has not waited for it: its id is
/// not reused until then.
#[cfg(target_os = "linux")]
fn has_ended(process: i64) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat"));
    let state = line
        .as_deref()
        .ok()
        .and_then(|line| line.rsplit(") ").next());
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

#[cfg(not(target_os = "linux"))]
fn has_ended(_process: i64) -> bool {
    false
}

#[cfg(unix)]
fn is_there(process: i64) -> bool {
    i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_there(process: i64) -> bool {
    i64::from(std::process::id()) == process
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
