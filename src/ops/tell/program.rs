//! Runs the program of `on_alarm`: without a shell, limited in time, ended with its
//! children.

use std::io::Write;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::text;

/// How long the program may run. After that it is ended with its children.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);
/// How often is looked whether it has ended.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// A program that runs, or will; a clone shares it.
#[derive(Debug, Clone, Default)]
pub(super) struct Running(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    child: Option<Child>,
    is_ended: bool,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it with its process group, or keeps it from starting.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        if let Some(mut child) = state.child.take() {
            let _ = kill(&mut child);
        }
    }
}

/// Ends a program that nobody waits for any more.
pub(super) struct EndOnDrop(pub(super) Running);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs the program with a line on its standard input. Its output goes
/// nowhere: it could be a gigabyte. Returns `false` where it was ended from
/// elsewhere.
pub(super) fn run(words: &[String], line: &str, running: &Running) -> Result<bool, String> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(true);
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        // The token is for the service alone.
        .env_remove("DRIFTLINE_TOKEN")
        .env_remove("CREDENTIALS_DIRECTORY")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A group of its own: Ctrl-C is not for it, and it is ended as a whole.
        command.process_group(0);
    }
    let shown = text::excerpt(program, 100);
    let input = {
        let mut state = running.state();
        if state.is_ended {
            return Ok(false);
        }
        let mut child = command
            .spawn()
            .map_err(|error| format!("({shown}) could not be started: {error}"))?;
        let input = child.stdin.take();
        state.child = Some(child);
        input
    };
    // Beside the wait for its end: the line may be longer than what a pipe holds, and a
    // program need not read it. This thread ends when the program is ended.
    if let Some(mut input) = input {
        let line = line.to_owned();
        let write = move || {
            let _ = input.write_all(line.as_bytes());
        };
        if let Err(error) = std::thread::Builder::new().spawn(write) {
            running.end();
            return Err(format!("({shown}) could not be told: {error}"));
        }
    }
    match end_of(running) {
        Ok(End::Status(status)) if status.success() => Ok(true),
        Ok(End::Status(status)) => Err(format!("({shown}) failed: {status}")),
        Ok(End::TooLong) => Err(format!(
            "({shown}) was ended: it ran for longer than {} s",
            LONGEST.as_secs()
        )),
        Ok(End::FromElsewhere) => Ok(false),
        Err(error) => Err(format!("({shown}) could not be waited for: {error}")),
    }
}

/// How a program ended.
enum End {
    Status(ExitStatus),
    TooLong,
    FromElsewhere,
}

/// Waits for a program; after [`LONGEST`] ends it with its process group.
fn end_of(running: &Running) -> std::io::Result<End> {
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        {
            let mut state = running.state();
            let Some(child) = &mut state.child else {
                return Ok(End::FromElsewhere);
            };
            if let Some(status) = child.try_wait()? {
                state.child = None;
                return Ok(End::Status(status));
            }
        }
        std::thread::sleep(LOOK);
    }
    match running.state().child.take() {
        Some(mut child) => kill(&mut child).map(|()| End::TooLong),
        None => Ok(End::FromElsewhere),
    }
}

/// The processes that descend from one, by the parents that the system names. One whose
/// parent has ended is not among them: it has become a child of the system's first process.
#[cfg(target_os = "linux")]
fn descendants(of: i32) -> Vec<i32> {
    let parent = |pid: i32| -> Option<i32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name before it may have blanks and brackets.
        let (_, after) = stat.rsplit_once(')')?;
        after.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<(i32, i32)> = pids.filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![of];
    let mut looked_at = 0;
    while let Some(here) = found.get(looked_at).copied() {
        let own = all.iter().filter(|(_, parent)| *parent == here);
        found.extend(own.map(|(pid, _)| *pid));
        looked_at += 1;
    }
    found.split_off(1)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn descendants(_of: i32) -> Vec<i32> {
    Vec::new()
}

/// Ends a program with its process group and its descendants in other groups.
fn kill(child: &mut Child) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process, kill_process_group};
        let program = Pid::from_child(child);
        let descendants = descendants(program.as_raw_nonzero().get());
        let _ = kill_process_group(program, Signal::KILL);
        for pid in descendants.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    let _ = child.kill();
    child.wait().map(|_| ())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
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
}
