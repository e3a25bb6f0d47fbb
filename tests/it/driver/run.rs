//! Runs the program without a terminal, as a script does.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::chance::rounds;
use super::clock::Clock;
use super::home::{DRIFTLINE, Home};
use crate::exit_status::TOKEN;

/// A run that is being configured.
pub(crate) struct Run {
    command: Command,
    stdin: Option<Vec<u8>>,
    patience: Duration,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The exit status, or 128 plus the signal that ended the run.
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Run {
    /// A run of the program with the home folder `home`.
    pub(crate) fn driftline<S: AsRef<OsStr>>(
        home: &Home,
        arguments: impl IntoIterator<Item = S>,
    ) -> Run {
        Run::program(home, DRIFTLINE, arguments)
    }

    /// A run of another program in the same environment.
    pub(crate) fn program<S: AsRef<OsStr>>(
        home: &Home,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Run {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(home.environment())
            .current_dir(home.path());
        Run {
            command,
            stdin: None,
            patience: Duration::from_secs(rounds(300, 3600) as u64),
        }
    }

    /// A run of a bash command line in which `$DRIFTLINE` is the program.
    pub(crate) fn shell(home: &Home, line: &str) -> Run {
        Run::program(home, "bash", ["--norc", "-c", line]).env("DRIFTLINE", DRIFTLINE)
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Run {
        self.command.env(name, value.into());
        self
    }

    /// Gives the program the address of a service and the token of the tests.
    pub(crate) fn at(self, base_url: impl Into<OsString>) -> Run {
        self.env("DRIFTLINE_BASE_URL", base_url)
            .env("DRIFTLINE_TOKEN", TOKEN)
    }

    /// Gives the program this clock.
    pub(crate) fn clock(mut self, clock: Clock) -> Run {
        self.command.envs(clock.environment());
        self
    }

    /// Sets the standard input of the program; the default is empty.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Run {
        self.stdin = Some(bytes.into());
        self
    }

    pub(crate) fn start(mut self) -> Running {
        self.command
            .stdin(match self.stdin {
                Some(_) => Stdio::piped(),
                None => Stdio::null(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = self.command.spawn().unwrap_or_else(|error| {
            panic!("{:?} does not start: {error}", self.command.get_program())
        });
        if let Some(bytes) = self.stdin {
            let mut pipe = child.stdin.take().unwrap();
            // The program may end before it has read all input.
            std::thread::spawn(move || pipe.write_all(&bytes));
        }
        Running {
            stdout: collect(child.stdout.take().unwrap()),
            stderr: collect(child.stderr.take().unwrap()),
            child: Killed(child),
            started,
            patience: self.patience,
        }
    }

    /// Runs to the end.
    pub(crate) fn go(self) -> Answer {
        self.start().end()
    }

    /// Runs to the end, which is [`Answer::ends_with`] this status.
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Answer {
        self.go().ends_with(status)
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).ok();
        bytes
    })
}

/// A process that is killed on drop.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A run in progress. It is killed on drop.
pub(crate) struct Running {
    child: Killed,
    stdout: JoinHandle<Vec<u8>>,
    stderr: JoinHandle<Vec<u8>>,
    started: Instant,
    patience: Duration,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.child.0.id()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        super::signal(self.child.0.id(), signal);
    }

    /// Waits for the end; after a timeout kills the run and fails the test.
    pub(crate) fn end(mut self) -> Answer {
        let ended = super::until(self.patience, || self.child.0.try_wait().unwrap());
        let took = self.started.elapsed();
        if ended.is_none() {
            self.child.0.kill().ok();
            self.child.0.wait().ok();
        }
        let stdout = self.stdout.join().unwrap();
        let stderr = String::from_utf8_lossy(&self.stderr.join().unwrap()).into_owned();
        let Some(ended) = ended else {
            panic!("no end after {took:?}; standard error so far:\n{stderr}");
        };
        let status = ended
            .code()
            .or_else(|| ended.signal().map(|signal| 128 + signal))
            .unwrap();
        Answer {
            status,
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr,
            took,
        }
    }
}

impl Answer {
    /// Fails unless the run ended with `status` and, if that is not 0, wrote a
    /// message to standard error and nothing to standard output.
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Answer {
        assert_eq!(self.status, status, "{self:#?}");
        if status != 0 {
            assert_eq!(self.stdout, "", "data beside an error: {self:#?}");
            assert_ne!(self.stderr.trim(), "", "no word of why: {self:#?}");
        }
        self
    }

    /// Fails unless the words are on standard error.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        assert!(self.stderr.contains(words), "no {words:?}: {self:#?}");
    }

    /// Fails unless the words are on standard output.
    #[track_caller]
    pub(crate) fn prints(&self, words: &str) {
        assert!(self.stdout.contains(words), "no {words:?}: {self:#?}");
    }
}

#[test]
fn a_run_has_its_pipes_its_status_and_only_its_own_environment() {
    let home = Home::new();
    let answer = Run::shell(
        &home,
        "cat; echo why >&2; echo \"[$GREETING$CARGO]\"; exit 7",
    )
    .env("GREETING", "ahoy")
    .stdin("in ")
    .go();
    assert_eq!((answer.status, answer.stdout.as_str()), (7, "in [ahoy]\n"));
    assert_eq!(answer.stderr, "why\n");
}

#[test]
fn a_run_ended_by_a_signal_says_which() {
    let home = Home::new();
    let running = Run::shell(&home, "sleep 30").start();
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.end().status, 143);
}
