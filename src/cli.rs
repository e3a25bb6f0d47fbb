//! The command line: one file for each command, its output and its exit status.

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
mod signals;
mod track;

use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};

use crate::failure::{Failure, FailureKind};
use crate::ops::plants::change_is_in_progress;
use args::{Arguments, AuthCommand, Command, asks_for};
use output::Out;
use signals::signal;

/// Stack size of the main thread, bytes.
const STACK: usize = 8 << 20;

/// Maximum time that the program waits at its end for tasks that cannot be
/// cancelled, such as a keyring that hangs.
const LAST_WAIT: Duration = Duration::from_millis(50);

/// Runs the program: parses the arguments, runs the command, returns the exit
/// status.
pub fn main() -> ExitCode {
    // A panic report omits environment values, which could contain a token. Its
    // exit status is 1.
    let _ = color_eyre::config::HookBuilder::default()
        .display_env_section(false)
        // No colours: a report may go to a log.
        .theme(color_eyre::config::Theme::new())
        .install();
    harden();
    // The program runs on its own thread: the stack size of the first one
    // depends on the limits of the parent process.
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

/// Disables core dumps and memory access by other processes of this user: a
/// token is in memory. If the system refuses, the program runs without this
/// protection.
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
            // For a monitoring system bad usage is status 3, unknown.
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
                if change_is_in_progress() {
                    output::report(&interrupted_change(), json);
                }
                Ok(status)
            }
        }
    });
    if interactive {
        // The terminal has been restored: keys typed now belong to the shell,
        // and the thread that reads keys ends only with the process.
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

/// The failure of an interruption while a create or delete is in progress.
fn interrupted_change() -> Failure {
    Failure::new(
        FailureKind::Interrupted,
        "interrupted while a create or delete was in progress: it may or may not have been done",
        "Run `driftline plants list`; if the outcome is unknown, ask the service's operator.",
    )
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
