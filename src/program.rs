//! Runs programs of the user, those of `on_alarm` and of a service: without a shell,
//! limited in time, ended with their children.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::text;

/// How long the program of `on_alarm` may run. After that it is ended with its children.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);
/// How long what a program has printed is read once it has ended: a child that it left may
/// keep its pipe open for ever.
const AFTER_END: Duration = Duration::from_secs(1);
/// Bytes of the stack of a thread that waits for a program or its output.
const STACK: usize = 256 << 10;
/// The interval of checks whether it has ended.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// A program that runs, or will; a clone shares it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Running(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    child: Option<Child>,
    is_ended: bool,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it with its process group, or prevents its start.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        if let Some(mut child) = state.child.take() {
            let _ = kill(&mut child);
        }
    }
}

/// Ends a program that nobody waits for any more.
pub(crate) struct EndOnDrop(pub(crate) Running);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The result of work that waits for a program, on a thread of its own: programs that hang hold
/// up neither other programs nor work on the threads that wait for disks.
///
/// # Errors
/// When the system gives no thread.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (reply, outcome) = tokio::sync::oneshot::channel();
    thread().spawn(move || {
        let _ = reply.send(work());
    })?;
    let gone = |_| io::Error::other("the thread that waits for it has ended");
    outcome.await.map_err(gone)
}

fn thread() -> thread::Builder {
    thread::Builder::new().stack_size(STACK)
}

/// Runs the program of `on_alarm` with a line on its standard input. Its output goes
/// nowhere: it could be a gigabyte. Returns `false` if [`Running::end`] ended it.
///
/// # Errors
/// Why it failed, with the first line of its standard error.
pub(crate) fn run(words: &[String], line: &str, running: &Running) -> Result<bool, String> {
    let Some(program) = words.first() else {
        return Ok(true);
    };
    let shown = text::excerpt(program, 100);
    let pipes = start(words, Stdio::piped(), Stdio::null(), running)
        .map_err(|error| format!("({shown}) could not be started: {error}"))?;
    let Some(pipes) = pipes else {
        return Ok(false);
    };
    // On a separate thread: the line may be longer than the buffer of a pipe, and a
    // program need not read it. The thread ends with the program.
    if let Some(mut input) = pipes.input {
        let line = line.to_owned();
        let write = move || {
            let _ = input.write_all(line.as_bytes());
        };
        if let Err(error) = thread().spawn(write) {
            running.end();
            return Err(format!("({shown}) could not be notified: {error}"));
        }
    }
    match wait_for_end(running, LONGEST, || thread::sleep(LOOK)) {
        Ok(End::Status(status)) if status.success() => Ok(true),
        Ok(End::Status(status)) => {
            let failed = format!("({shown}) failed: {status}");
            Err(match first_complaint(pipes.complaint) {
                complaint if complaint.is_empty() => failed,
                complaint => format!("{failed}: {}", text::excerpt(&complaint, 200)),
            })
        }
        Ok(End::TooLong) => Err(format!(
            "({shown}) was ended: it ran for longer than {} s",
            LONGEST.as_secs()
        )),
        Ok(End::FromElsewhere) => Ok(false),
        Err(error) => Err(format!("({shown}) could not be waited for: {error}")),
    }
}

/// The pipes to a program that runs.
struct Pipes {
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    /// Receives the first line of its standard error.
    complaint: Option<Receiver<String>>,
}

/// Starts a program; `None` if it was ended before.
fn start(
    words: &[String],
    input: Stdio,
    output: Stdio,
    running: &Running,
) -> io::Result<Option<Pipes>> {
    let mut state = running.state();
    let Some((program, arguments)) = words.split_first().filter(|_| !state.is_ended) else {
        return Ok(None);
    };
    let mut command = command(program, arguments);
    command.stdin(input).stdout(output).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let input = child.stdin.take();
    let output = child.stdout.take();
    let complaint = child.stderr.take();
    state.child = Some(child);
    Ok(Some(Pipes {
        input,
        output,
        complaint: on_thread(move || complaint.map(first_line).unwrap_or_default()),
    }))
}

/// The first line of the standard error of a program that has ended; empty if there is none.
fn first_complaint(complaint: Option<Receiver<String>>) -> String {
    let complaint = complaint.and_then(|complaint| complaint.recv_timeout(LOOK * 10).ok());
    complaint.unwrap_or_default()
}

/// A program that is not started yet.
fn command(program: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        // The token is for the service alone.
        .env_remove("DRIFTLINE_TOKEN")
        .env_remove("CREDENTIALS_DIRECTORY");
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A group of its own: Ctrl-C is not for it, and it is ended as a whole.
        command.process_group(0);
    }
    command
}

/// The output of a program that has ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    /// The number of bytes on its standard output.
    pub(crate) bytes: u64,
    /// The first line of its standard error.
    pub(crate) complaint: String,
}

/// Why a program has no output.
#[derive(Debug)]
pub(crate) enum NoOutput {
    /// It could not be started.
    NotStarted(io::Error),
    /// It ran for longer than it may.
    TooLong,
    /// It printed more than it may.
    TooMuch,
    /// It was ended from elsewhere.
    Ended,
}

/// Runs a program without input, for `longest` at most, and passes on up to `most` bytes of
/// what it prints, a piece at a time.
///
/// # Errors
/// [`NoOutput`] if it fails, or prints more.
pub(crate) fn output(
    words: &[String],
    longest: Duration,
    most: u64,
    running: &Running,
    mut pass_on: impl FnMut(Vec<u8>),
) -> Result<Output, NoOutput> {
    let pipes = start(words, Stdio::null(), Stdio::piped(), running)
        .map_err(NoOutput::NotStarted)?
        .ok_or(NoOutput::Ended)?;
    let printed = stream(pipes.output, most, running).map_err(|error| {
        running.end();
        NoOutput::NotStarted(error)
    })?;
    let mut bytes = 0;
    let mut take = |longest: Duration| {
        let piece = printed.recv_timeout(longest)?;
        bytes += piece.len() as u64;
        pass_on(piece);
        Ok(())
    };
    let look = || {
        if let Err(RecvTimeoutError::Disconnected) = take(LOOK) {
            thread::sleep(LOOK);
        }
    };
    let end = wait_for_end(running, longest, look).map_err(NoOutput::NotStarted)?;
    let until = Instant::now() + AFTER_END;
    while take(until.saturating_duration_since(Instant::now())).is_ok() {}
    if bytes > most {
        return Err(NoOutput::TooMuch);
    }
    let status = match end {
        End::Status(status) => status,
        End::FromElsewhere => return Err(NoOutput::Ended),
        End::TooLong => return Err(NoOutput::TooLong),
    };
    Ok(Output {
        status,
        bytes,
        complaint: first_complaint(pipes.complaint),
    })
}

/// The output of a program, piece by piece, up to a byte more than `most`: then it is ended,
/// however long it would go on.
fn stream(
    stdout: Option<ChildStdout>,
    most: u64,
    running: &Running,
) -> io::Result<Receiver<Vec<u8>>> {
    // A program that prints faster than its output is read waits.
    let (send, receive) = sync_channel(1);
    let running = running.clone();
    let read = move || {
        let Some(stdout) = stdout else { return };
        let mut left = BufReader::with_capacity(1 << 16, stdout.take(most.saturating_add(1)));
        while let Ok(piece @ [_, ..]) = left.fill_buf() {
            let count = piece.len();
            // Nobody waits for it any more.
            if send.send(piece.to_vec()).is_err() {
                return;
            }
            left.consume(count);
        }
        if left.get_ref().limit() == 0 {
            running.end();
        }
    };
    thread().spawn(read)?;
    Ok(receive)
}

/// The result of work on a separate thread; `None` if it could not be started.
fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<Receiver<T>> {
    let (send, receive) = channel();
    let work = move || {
        let _ = send.send(work());
    };
    thread().spawn(work).ok()?;
    Some(receive)
}

/// The first line that is not blank, up to 4 kB; the rest is read and discarded.
fn first_line(from: impl Read) -> String {
    let mut from = BufReader::new(from);
    let mut first = String::new();
    while first.trim().is_empty() {
        let mut line = Vec::new();
        match (&mut from).take(4096).read_until(b'\n', &mut line) {
            Ok(1..) => first = String::from_utf8_lossy(&line).trim().to_owned(),
            _ => break,
        }
    }
    let _ = io::copy(&mut from, &mut io::sink());
    first
}

/// How a program ended.
enum End {
    Status(ExitStatus),
    TooLong,
    FromElsewhere,
}

/// Waits for a program, with `wait` between two looks; after `longest` ends it with its process
/// group.
fn wait_for_end(running: &Running, longest: Duration, mut wait: impl FnMut()) -> io::Result<End> {
    let began = Instant::now();
    while began.elapsed() < longest {
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
        wait();
    }
    match running.state().child.take() {
        Some(mut child) => kill(&mut child).map(|()| End::TooLong),
        None => Ok(End::FromElsewhere),
    }
}

/// The descendants of a process, by the parents that the system reports, without those whose
/// parent has ended: they have become children of the system's first process.
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
fn kill(child: &mut Child) -> io::Result<()> {
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
mod tests;
