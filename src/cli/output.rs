//! The output of commands: data on standard output, everything else on standard
//! error, without control characters.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use super::args::{asks_for, help};
use crate::failure::{Failure, FailureKind, sentence};
use crate::ops::output::{Waiting, why};
use crate::text;

/// Standard output; every failed write is reported. A reader that closes the
/// pipe ends the command with status 0.
pub(super) struct Out {
    stdout: io::BufWriter<Waiting<io::Stdout>>,
}

impl Out {
    pub(super) fn new() -> Self {
        Self {
            stdout: io::BufWriter::with_capacity(1 << 16, Waiting(io::stdout())),
        }
    }

    /// Writes bytes and flushes; returns the exit status.
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Result<u8, Failure> {
        let written = self.stdout.write_all(bytes);
        self.end(written)
    }

    /// Writes a text and flushes; returns the exit status.
    pub(super) fn text(self, text: &str) -> Result<u8, Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes a JSON value as a line and flushes; returns the exit status.
    pub(super) fn json(self, value: &impl Serialize) -> Result<u8, Failure> {
        let line = serde_json::to_string(value)
            .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))?;
        self.text(&format!("{}\n", text::json::escaped(&line)))
    }

    /// Runs a writer on standard output and flushes; returns the exit status.
    pub(super) fn with(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<u8, Failure> {
        let mut watched = Watched {
            out: &mut self.stdout,
            closed: false,
        };
        let written = write(&mut watched);
        if watched.closed {
            return Ok(0);
        }
        written?;
        self.end(Ok(()))
    }

    fn end(mut self, written: io::Result<()>) -> Result<u8, Failure> {
        match written.and_then(|()| self.stdout.flush()) {
            Ok(()) => Ok(0),
            Err(error) => {
                // A failed write is not repeated.
                let _ = self.stdout.into_parts();
                if error.kind() == io::ErrorKind::BrokenPipe {
                    return Ok(0);
                }
                Err(Failure::new(
                    FailureKind::Other,
                    format!("the output cannot be written: {}", why(&error)),
                    "Free some disk space, or write to another disk.",
                ))
            }
        }
    }
}

/// Detects a closed pipe below writers that wrap their errors.
struct Watched<'a> {
    out: &'a mut dyn Write,
    closed: bool,
}

impl Watched<'_> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            self.closed = true;
        }
        result
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.note(result)
    }
}

/// Prints a line on standard error. A failed write is ignored: there is no
/// other place to report it.
pub(super) fn note(message: &str) {
    let mut line = text::clean(message).into_owned();
    line.push('\n');
    let _ = Waiting(io::stderr()).write_all(line.as_bytes());
}

/// Says that a pipe has no reader yet: the command waits for one.
pub(super) fn waits(pipe: &Path) {
    note(&format!(
        "driftline: waiting until a program reads from {}; Ctrl-C ends the wait",
        pipe.display()
    ));
}

/// Says that a pipe has not been written to its end yet: the command waits for it.
pub(super) fn waits_to_read(pipe: &Path) {
    note(&format!(
        "driftline: waiting until a program has written into {}; Ctrl-C ends the wait",
        pipe.display()
    ));
}

/// Prints a failure as a paragraph and, with `json`, also as an object; returns
/// its exit status.
pub(super) fn report(failure: &Failure, json: bool) -> u8 {
    let status = status(failure.kind);
    let message = failure.message();
    let mut told = message.clone();
    if let Some(service) = &failure.service {
        // The output always contains the service's own message.
        if let Some(said) = service
            .message
            .as_ref()
            .filter(|said| !message.contains(*said))
        {
            told = format!("{}: {said}", told.trim_end_matches('.'));
        }
        if let Some(error) = service
            .error
            .filter(|error| !message.contains(&error.to_string()))
        {
            told = format!("{} (error {error})", told.trim_end_matches('.'));
        }
    }
    let mut paragraph = format!("driftline: {}", sentence(&told));
    if !failure.hint.is_empty() {
        paragraph.push_str(&format!(" {}", sentence(&failure.hint)));
    }
    note(&paragraph);
    if json {
        object(failure);
    }
    status
}

/// Reports a failure as an object on a line of standard error.
pub(super) fn object(failure: &Failure) {
    #[derive(Serialize)]
    struct Object<'a> {
        error: Inner<'a>,
    }
    #[derive(Serialize)]
    struct Inner<'a> {
        kind: &'static str,
        code: u8,
        message: &'a str,
        status: Option<u16>,
    }
    let inner = Inner {
        kind: failure.kind.name(),
        code: status(failure.kind),
        message: &failure.message(),
        status: failure.service.as_ref().map(|service| service.status),
    };
    if let Ok(line) = serde_json::to_string(&Object { error: inner }) {
        note(&text::json::escaped(&line));
    }
}

/// The exit status of a kind of failure.
pub(super) fn status(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::Other => 1,
        FailureKind::Usage => 2,
        FailureKind::NotAuthenticated | FailureKind::Forbidden => 3,
        FailureKind::Service => 4,
        FailureKind::Unreachable => 5,
        FailureKind::NotUnderstood => 6,
        FailureKind::OutcomeUnknown => 7,
        FailureKind::Interrupted => 130,
    }
}

/// Prints clap's message and returns the exit status: help and version are
/// data, everything else is bad usage, with `json` an error object too.
pub(super) fn clap_error(error: &clap::Error, json: bool) -> u8 {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let colour = io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            let rendered = match error.kind() {
                ErrorKind::DisplayHelp => help::asked_for(),
                _ => error.render(),
            };
            let message = if colour {
                rendered.ansi().to_string()
            } else {
                rendered.to_string()
            };
            Out::new()
                .text(&message)
                .unwrap_or_else(|failure| report(&failure, false))
        }
        _ => {
            let rendered = match error.kind() {
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => help::asked_for(),
                _ => error.render(),
            };
            let rendered = rendered.to_string();
            let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
            let reason = if asks_for("auth") && !is_help {
                // Any argument typed there may be a token.
                note(
                    "driftline: `auth` does not accept this argument. A token is never given on the command line, where others can read it: run `driftline auth login` and paste it, or pipe it in.",
                );
                "`auth` takes no such argument"
            } else {
                // clap's text contains line ends: it is sanitized line by line.
                let typed = std::env::args_os().map(|one| one.to_string_lossy().into_owned());
                let file = file_like_a_flag(error, typed);
                for line in rendered.trim_end().lines() {
                    match (line.trim_start().starts_with("tip: to pass '"), &file) {
                        (true, Some(file)) => note(&format!("  tip: for the file, use './{file}'")),
                        (true, None) => {}
                        (false, _) => note(line),
                    }
                }
                if let Some(step) = next_step(error) {
                    note(&format!("driftline: {step}"));
                }
                match error.kind() {
                    ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a command is missing",
                    _ => &first_line(error),
                }
            };
            let failure = Failure::usage(reason);
            if json {
                object(&failure);
            }
            status(failure.kind)
        }
    }
}

/// The first line of clap's message: what is wrong.
pub(super) fn first_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let missing: Vec<&str> = rendered
        .lines()
        .skip(1)
        .map_while(|line| line.strip_prefix("  "))
        .map(str::trim)
        .collect();
    let first = rendered.lines().next().unwrap_or_default();
    let first = first.trim_start_matches("error: ");
    match error.kind() {
        clap::error::ErrorKind::MissingRequiredArgument => {
            format!("{first} {}", missing.join(", "))
        }
        _ => first.to_owned(),
    }
}

/// The place to find what is missing.
fn next_step(error: &clap::Error) -> Option<&'static str> {
    let missing = match error.kind() {
        clap::error::ErrorKind::MissingRequiredArgument => first_line(error),
        _ => return None,
    };
    let is_alarm = ["alarms", "ack", "snooze"].into_iter().any(asks_for);
    if missing.contains("<ID>") && is_alarm {
        Some("`driftline alarms` lists the alarms with their ids.")
    } else if missing.contains("<ID>") && asks_for("plants") {
        Some("`driftline plants list` lists the plants that were created from here.")
    } else if missing.contains("<DEPLOYMENT") {
        Some("`driftline deployments list` lists the watch list.")
    } else {
        None
    }
}

/// The argument that is the name of a file, such as `-rf.csv`, and that was taken for flags.
fn file_like_a_flag(
    error: &clap::Error,
    arguments: impl Iterator<Item = String>,
) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_file = |one: &String| {
        let path = Path::new(one);
        one.starts_with(flag.as_str()) && !one.contains('=') && path.extension().is_some()
    };
    arguments.skip(1).find(is_file)
}

/// Says on a terminal what was written to a file: "340 fixes to buoy.csv".
pub(super) fn written(what: &str, path: &Path) {
    if is_watched() && path.as_os_str() != "-" {
        note(&format!("{what} to {}", path.display()));
    }
}

/// `true` if standard error is a terminal.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Arguments;

    #[test]
    fn a_file_that_was_taken_for_flags_is_known_by_its_extension() {
        let of = |arguments: &[&str]| {
            let all = ["driftline"].iter().chain(arguments).copied();
            let all: Vec<&str> = all.collect();
            let error = Arguments::try_parse_from(&all).err().unwrap();
            file_like_a_flag(&error, all.iter().map(ToString::to_string))
        };
        let import = ["deployments", "import", "-rf.csv"];
        assert_eq!(of(&import).as_deref(), Some("-rf.csv"));
        assert_eq!(
            of(&["track", "x", "--output", "-rf.csv"]).as_deref(),
            Some("-rf.csv")
        );
        assert_eq!(of(&["track", "-x"]), None);
        assert_eq!(of(&["track", "--nosuch=1.5"]), None);
    }
}
