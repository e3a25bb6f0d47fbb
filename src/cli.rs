//! The command line: one file a command, its output and its exit status.

mod archive;
mod args;
mod auth;
mod check;
mod config;
mod connect;
mod dashboard;
mod demo;
mod deployments;
mod log;
mod map;
mod output;
mod plants;
mod track;

use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};

use crate::ops::{self, Failure, FailureKind};
use args::{Arguments, AuthCommand, Command, Global};
use output::Out;

/// Bytes of the stack that the program runs on.
const STACK: usize = 8 << 20;

/// How long tasks that cannot be ended, such as a keyring that hangs, may hold
/// the end of the program up.
const LAST_WAIT: Duration = Duration::from_millis(50);

/// Everything from the arguments to the exit status.
pub fn main() -> ExitCode {
    // A report of a panic without the tokens that a backtrace's values could
    // hold; its exit status is 1, as of anything that has no other.
    let _ = color_eyre::config::HookBuilder::default()
        .display_env_section(false)
        // A report may go to a log.
        .theme(color_eyre::config::Theme::new())
        .install();
    harden();
    // A thread of its own: the first one's stack is as small as whoever started
    // the program makes it.
    let running = std::thread::Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(run);
    let status = match running {
        Ok(running) => running.join().unwrap_or(1),
        Err(error) => output::report(&no_threads(&error), false),
    };
    ExitCode::from(status)
}

fn no_threads(error: &std::io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("the program cannot start its threads: {error}"),
        "Raise the limit on processes, or end other programs.",
    )
}

/// No core is dumped and no other process of this user looks in: a token is in
/// memory. Where the system refuses, the program runs all the same.
#[cfg(target_os = "linux")]
fn harden() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

#[cfg(not(target_os = "linux"))]
fn harden() {}

fn run() -> u8 {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let status = output::clap_error(&error);
            // To a monitor, bad usage is one more reason not to know.
            if status == 2 && asks_for("check") {
                return check::unknown(&Failure::usage("the arguments are not understood"));
            }
            return status;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return output::report(&no_threads(&error), false),
    };
    let json = arguments.wants_json();
    let is_check = matches!(arguments.command, Some(Command::Check(_)));
    let interactive = matches!(arguments.command, None | Some(Command::Demo(_)));
    let outcome = runtime.block_on(async {
        if interactive {
            return dispatch(arguments).await;
        }
        tokio::select! {
            outcome = dispatch(arguments) => outcome,
            status = signal() => {
                if ops::change_is_under_way() {
                    output::report(&interrupted_change(), json);
                }
                Ok(status)
            }
        }
    });
    if interactive {
        // The terminal is given back: whatever is typed now belongs to the
        // shell, and the thread that reads keys ends only with the process.
        runtime.shutdown_background();
    } else {
        runtime.shutdown_timeout(LAST_WAIT);
    }
    match outcome {
        Ok(status) => status,
        Err(failure) if is_check => check::unknown(&failure),
        Err(failure) => output::report(&failure, json),
    }
}

/// What an interruption leaves of a create or delete that is under way.
fn interrupted_change() -> Failure {
    Failure::new(
        FailureKind::Interrupted,
        "interrupted while a create or delete was under way: it may or may not have been done",
        "`driftline plants list` tells what became of it; what it calls unknown, ask the service's operator about.",
    )
}

/// Whether the first argument that is neither a setting nor its value is this
/// command's name: what could not be parsed has no other command.
fn asks_for(command: &str) -> bool {
    let settings = Global::with_values();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if settings.iter().any(|setting| argument == **setting) {
            arguments.next();
        } else if !argument.to_string_lossy().starts_with('-') {
            return argument == command;
        }
    }
    false
}

async fn dispatch(arguments: Arguments) -> Result<u8, Failure> {
    let global = arguments.global;
    match arguments.command {
        None => dashboard::run(&global, arguments.deployment.as_deref()).await,
        Some(Command::Demo(demo)) => demo::run(&global, demo).await,
        Some(Command::Track(track)) => track::run(&global, track).await,
        Some(Command::Map(map)) => map::run(&global, map).await,
        Some(Command::Check(check)) => check::run(&global, check).await,
        Some(Command::Deployments { command }) => deployments::run(&global, command).await,
        Some(Command::Plants { command }) => plants::run(&global, command).await,
        Some(Command::Auth { command }) => match command {
            AuthCommand::Login => auth::login(&global).await,
            AuthCommand::Status => auth::status(&global).await,
            AuthCommand::Logout => auth::logout(&global).await,
        },
        Some(Command::Archive { command }) => archive::run(&global, command).await,
        Some(Command::Config { command }) => config::run(&global, command),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "driftline", &mut script);
            Out::new().bytes(&script)
        }
        Some(Command::Man) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command())
                .render(&mut page)
                .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))?;
            Out::new().bytes(&page)
        }
    }
}

/// The exit status of the signal that ends a command.
#[cfg(unix)]
async fn signal() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind, status| async move {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
                status
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        status = wait(SignalKind::interrupt(), 130) => status,
        status = wait(SignalKind::terminate(), 143) => status,
        status = wait(SignalKind::hangup(), 129) => status,
    }
}

#[cfg(not(unix))]
async fn signal() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 130,
        Err(_) => std::future::pending().await,
    }
}
