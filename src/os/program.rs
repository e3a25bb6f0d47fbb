//! Runs programs of the user, those of `on_alarm` and of a service: without a shell,
//! limited in time, ended with their children.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::text;

/// How long the program of `on_alarm` may run. After that it is ended with its children.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);
/// How long what a program has printed is read once it has ended: a child that it left may
/// keep its pipe open for ever.
const AFTER_END: Duration = Duration::from_secs(1);
/// The same of the first line of its standard error.
const COMPLAINT_AFTER_END: Duration = Duration::from_millis(100);

/// Ends the programs of `on_alarm` that run from elsewhere, and prevents the start of others; a
/// clone is about the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Running(Arc<watch::Sender<bool>>);

impl Running {
    pub(crate) fn end(&self) {
        self.0.send_replace(true);
    }
}

/// A program that runs. Dropped, it ends with its process group.
struct Program {
    child: Child,
    /// The first line of its standard error.
    complaint: JoinHandle<String>,
}

impl Program {
    fn start(words: &[String], input: Stdio, output: Stdio) -> io::Result<Self> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            // The token is for the service alone.
            .env_remove("DRIFTLINE_TOKEN")
            .env_remove("CREDENTIALS_DIRECTORY")
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // A group of its own: Ctrl-C is not for it, and it is ended as a whole.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        // To its end, though the program may have ended: a child that it left may go on writing.
        let complaint = tokio::spawn(async move {
            match stderr {
                Some(stderr) => first_line(stderr).await,
                None => String::new(),
            }
        });
        Ok(Self { child, complaint })
    }

    /// The first line of the standard error of a program that has ended; empty if there is none.
    async fn complaint(&mut self) -> String {
        let complaint = timeout(COMPLAINT_AFTER_END, &mut self.complaint).await;
        complaint.ok().and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.child.id()
            && let Ok(id) = i32::try_from(id)
            && let Some(program) = rustix::process::Pid::from_raw(id)
        {
            use rustix::process::{Signal, kill_process_group};
            let _ = kill_process_group(program, Signal::KILL);
        }
    }
}

/// Runs the program of `on_alarm` with a line on its standard input. Its output goes
/// nowhere: it could be a gigabyte. Returns `false` if [`Running::end`] ended it; dropping the
/// future ends it, too.
///
/// # Errors
/// Why it failed, with the first line of its standard error.
pub(crate) async fn run(words: &[String], line: &str, running: &Running) -> Result<bool, String> {
    let Some(program) = words.first() else {
        return Ok(true);
    };
    let shown = text::excerpt(program, 100);
    let mut ended = running.0.subscribe();
    if *ended.borrow() {
        return Ok(false);
    }
    let mut program = Program::start(words, Stdio::piped(), Stdio::null())
        .map_err(|error| format!("({shown}) could not be started: {error}"))?;
    // During the wait: the line may be longer than the buffer of a pipe, and a program need not
    // read it.
    if let Some(mut input) = program.child.stdin.take() {
        let line = line.to_owned();
        tokio::spawn(async move { input.write_all(line.as_bytes()).await });
    }
    let status = tokio::select! {
        status = timeout(LONGEST, program.child.wait()) => status,
        _ = ended.changed() => return Ok(false),
    };
    match status {
        Ok(Ok(status)) if status.success() => Ok(true),
        Ok(Ok(status)) => {
            let failed = format!("({shown}) failed: {status}");
            Err(match program.complaint().await {
                complaint if complaint.is_empty() => failed,
                complaint => format!("{failed}: {}", text::excerpt(&complaint, 200)),
            })
        }
        Ok(Err(error)) => Err(format!("({shown}) could not be waited for: {error}")),
        Err(_) => Err(format!(
            "({shown}) was ended: it ran for longer than {} s",
            LONGEST.as_secs()
        )),
    }
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
    /// Nobody reads what it prints any more.
    Unread,
}

/// Runs a program without input, for `longest` at most, and passes on up to `most` bytes of
/// what it prints, a piece at a time, while that is received. Dropping the future ends it.
///
/// # Errors
/// [`NoOutput`] if it fails, or prints more.
pub(crate) async fn output(
    words: &[String],
    longest: Duration,
    most: u64,
    pieces: Sender<Vec<u8>>,
) -> Result<Output, NoOutput> {
    let mut program =
        Program::start(words, Stdio::null(), Stdio::piped()).map_err(NoOutput::NotStarted)?;
    let mut printed = program.child.stdout.take();
    let (mut status, mut bytes) = (None, 0);
    let mut until = Instant::now() + longest;
    while status.is_none() || printed.is_some() {
        let mut piece = Vec::with_capacity(1 << 16);
        let read = async {
            match &mut printed {
                Some(printed) => printed.read_buf(&mut piece).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            read = read => match read {
                Ok(count @ 1..) => {
                    bytes += count as u64;
                    if bytes > most {
                        return Err(NoOutput::TooMuch);
                    }
                    if pieces.send(piece).await.is_err() {
                        return Err(NoOutput::Unread);
                    }
                }
                _ => printed = None,
            },
            ended = program.child.wait(), if status.is_none() => {
                status = Some(ended.map_err(NoOutput::NotStarted)?);
                until = Instant::now() + AFTER_END;
            }
            () = sleep_until(until) => match status {
                None => return Err(NoOutput::TooLong),
                Some(_) => printed = None,
            },
        }
    }
    Ok(Output {
        status: status.ok_or(NoOutput::TooLong)?,
        bytes,
        complaint: program.complaint().await,
    })
}

/// The first line that is not blank, up to 4 kB; the rest is read and discarded.
async fn first_line(from: impl AsyncRead + Unpin) -> String {
    let mut from = BufReader::new(from);
    let mut first = String::new();
    while first.trim().is_empty() {
        let mut line = Vec::new();
        match (&mut from).take(4096).read_until(b'\n', &mut line).await {
            Ok(1..) => first = String::from_utf8_lossy(&line).trim().to_owned(),
            _ => break,
        }
    }
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    first
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
