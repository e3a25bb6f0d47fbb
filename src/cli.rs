//! The command line: one file for each command, its output and its exit status.

mod alarms;
mod archive;
mod args;
mod auth;
mod check;
mod collect;
mod config;
mod dashboard;
mod demo;
mod deployments;
mod fetch;
mod field_choice;
mod file;
mod latest;
mod log;
mod map;
mod names;
mod output;
mod packaging;
mod plants;
mod run;
mod screen;
mod signals;
mod subject;
mod threads;
mod track;
mod usage;
mod r#where;

#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::sync::mpsc::Sender;
use std::time::Duration;

use crate::app::overlay;
use crate::app::plants::change_is_in_progress;
use crate::failure::{Failure, FailureKind};
use crate::os::output::remove_unfinished;
use args::fleet::AlarmsArguments;
use args::typed::{asks_for, asks_for_json};
use args::{Arguments, AuthCommand, ColumnArguments, Command, help};
use signals::signal;

/// Maximum time that the program waits at its end for tasks that cannot be
/// cancelled, such as a keyring that hangs.
const LAST_WAIT: Duration = Duration::from_millis(50);

/// Runs the program: parses the arguments, runs the command, returns the exit
/// status.
pub fn main() -> ExitCode {
    report_panics();
    harden();
    let status = match threads::run_on_own(run) {
        // The panic has been reported.
        Ok(running) => running.join().unwrap_or_else(|_| {
            if asks_for("check") {
                check::unknown(&Failure::other("an internal fault"))
            } else {
                1
            }
        }),
        Err(failure) => end(&failure),
    };
    ExitCode::from(status)
}

/// The exit status of a program that could not begin: for a monitoring system bad usage
/// of `check` is 3, unknown.
fn end(failure: &Failure) -> u8 {
    if asks_for("check") {
        check::unknown(failure)
    } else {
        output::report(failure, asks_for_json())
    }
}

/// Reports panics without the tokens that the values of a backtrace could contain.
fn report_panics() {
    let hooks = color_eyre::config::HookBuilder::default()
        .display_env_section(false)
        // A report may go to a log.
        .theme(color_eyre::config::Theme::new())
        .try_into_hooks();
    let Ok((report, errors)) = hooks else { return };
    let _ = errors.install();
    std::panic::set_hook(Box::new(move |panic| {
        // Not by `eprintln`, which panics if standard error cannot be written: a panic within
        // a panic aborts.
        for line in report.panic_report(panic).to_string().lines() {
            output::note(line);
        }
    }));
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

/// Runs the program; `starting` is dropped once its threads run.
fn run(starting: Sender<()>) -> u8 {
    let arguments = match Arguments::parse_from(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            drop(starting);
            if !error.use_stderr() {
                return output::help(&error);
            }
            if usage::is_group_alone(&error) {
                for line in help::asked_for().to_string().trim_end().lines() {
                    output::note(line);
                }
            }
            return end(&usage::failure(&error));
        }
    };
    let started = threads::runtime();
    drop(starting);
    let runtime = match started {
        Ok(runtime) => runtime,
        Err(failure) => return end(&failure),
    };
    let json = arguments.json;
    // By the words, because it may be behind another word.
    let is_check = asks_for("check");
    let interactive = matches!(arguments.command, None | Some(Command::Demo(_)));
    // These commands end by themselves at a signal, with nothing half done.
    let ends_itself = match &arguments.command {
        Some(Command::Collect(_)) => true,
        Some(Command::Plants { command }) => plants::ends_itself(command),
        _ => false,
    };
    let outcome = runtime.block_on(async {
        signals::outlive_file_limit();
        if interactive || ends_itself {
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
    remove_unfinished();
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

/// The failure for names of columns without a file.
fn columns_of_no_file() -> Failure {
    Failure::usage("columns are named, and no file that has them")
        .with_hint("Give them with it: `driftline FILE --time-column NAME`.")
}

async fn dispatch(arguments: Arguments) -> Result<u8, Failure> {
    #[cfg(debug_assertions)]
    crate::terminal::provoke("command");
    let mut global = arguments.global;
    global.overlays = arguments.overlay;
    let is_dashboard = matches!(arguments.command, None | Some(Command::Demo(_)));
    if arguments.plain && !is_dashboard {
        return Err(Failure::usage("--plain is only for the dashboard"));
    }
    let columns = arguments.columns;
    let has_columns = columns != ColumnArguments::default();
    if arguments.command.is_some() && has_columns {
        return Err(columns_of_no_file());
    }
    match arguments.command {
        None => {
            overlay::are_there(&global.overlays)?;
            let words = arguments.words;
            if !words.is_empty() && file::all_are_meant(&global, &words).await? {
                return file::dashboard::run(&global, &words, &columns, arguments.plain).await;
            }
            if has_columns {
                return Err(columns_of_no_file());
            }
            if words.len() > 1 {
                return Err(usage::several_words(&words));
            }
            dashboard::run(&global, words.first().map(String::as_str), arguments.plain).await
        }
        Some(Command::Demo(mut demo)) => {
            demo.plain |= arguments.plain;
            global.overlays.append(&mut demo.overlay);
            overlay::are_there(&global.overlays)?;
            demo::run(&global, demo).await
        }
        Some(Command::Track(track)) => track::run(&global, track).await,
        Some(Command::Latest(latest)) => latest::run(&global, latest).await,
        Some(Command::Where(wanted)) => r#where::run(&global, wanted).await,
        Some(Command::Map(mut map)) => {
            global.overlays.append(&mut map.overlay);
            map::run(&global, map).await
        }
        Some(_) if !global.overlays.is_empty() => Err(Failure::usage(
            "--overlay is only for the dashboard and `driftline map`",
        )),
        Some(Command::Check(check)) => check::run(&global, check).await,
        Some(Command::Alarms(AlarmsArguments {
            command: Some(command),
            ..
        })) => alarms::reply(&global, command).await,
        Some(Command::Alarms(alarms)) => alarms::list(&global, alarms).await,
        Some(Command::Collect(collect)) => collect::run(&global, collect).await,
        Some(Command::Deployments { command }) => deployments::run(&global, command).await,
        Some(Command::Plants { command }) => plants::run(&global, command).await,
        Some(Command::Auth { command }) => match command {
            AuthCommand::Login => auth::login(&global).await,
            AuthCommand::Status { printed } => auth::status(&global, printed.form()).await,
            AuthCommand::Logout => auth::logout(&global).await,
        },
        Some(Command::Archive { command }) => archive::run(&global, command).await,
        Some(Command::Config { command }) => config::run(&global, command),
        Some(Command::Completions { shell }) => packaging::completions(shell),
        Some(Command::Man { output }) => packaging::man(output.as_deref()),
    }
}
