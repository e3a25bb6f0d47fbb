//! The output of commands: data on standard output, everything else on standard
//! error, without control characters.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use super::args::help;
use crate::failure::{Failure, FailureKind, sentence};
use crate::formats::ExportError;
use crate::os::output::{Waiting, why};
use crate::text::clean;
use crate::text::json::{self, object};

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
        let line = json::line(value).map_err(|error| Failure::other(error.to_string()))?;
        self.text(&format!("{line}\n"))
    }

    /// Runs a writer on standard output and flushes; returns the exit status.
    pub(super) fn with(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<u8, Failure> {
        match write(&mut self.stdout) {
            Ok(()) => self.end(Ok(())),
            Err(ExportError::Io(error)) => self.end(Err(error)),
            Err(other) => Err(other.into()),
        }
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
                Err(
                    Failure::other(format!("the output cannot be written: {}", why(&error)))
                        .with_hint("Free some disk space, or write to another disk."),
                )
            }
        }
    }
}

/// Prints a line on standard error. A failed write is ignored: it cannot be reported.
pub(super) fn note(message: &str) {
    let mut line = clean(message).into_owned();
    line.push('\n');
    let _ = Waiting(io::stderr()).write_all(line.as_bytes());
}

/// Prints a warning on standard error.
pub(super) fn warn(message: impl Display) {
    note(&format!("driftline: {message}"));
}

/// Prints a failure as a paragraph and, with `as_json`, also as an object; returns its exit
/// status.
pub(super) fn report(failure: &Failure, as_json: bool) -> u8 {
    let status = status(failure.kind);
    let message = failure.message();
    let mut text = message.clone();
    if let Some(service) = &failure.service {
        // The output always contains the service's own message.
        let words = service.message.as_ref();
        if let Some(words) = words.filter(|words| !message.contains(*words)) {
            text = format!("{}: {words}", text.trim_end_matches('.'));
        }
        if let Some(error) = service
            .error
            .filter(|error| !message.contains(&error.to_string()))
        {
            text = format!("{} (error {error})", text.trim_end_matches('.'));
        }
    }
    let mut paragraph = format!("driftline: {}", sentence(&text));
    if !failure.hint.is_empty() {
        paragraph.push_str(&format!(" {}", sentence(&failure.hint)));
    }
    note(&paragraph);
    if as_json {
        note_object(failure);
    }
    status
}

/// Reports all failures but the last, which is that of the command; `None` without any.
pub(super) fn last(mut failures: Vec<Failure>) -> Option<Failure> {
    let last = failures.pop();
    for failure in failures {
        report(&failure, false);
    }
    last
}

/// Reports a failure as an object on a line of standard error.
pub(super) fn note_object(failure: &Failure) {
    let service = failure.service.as_ref();
    let sent = service.filter(|sent| sent.error.is_some() || sent.message.is_some());
    let error = object! {
        kind: failure.kind.name(),
        code: status(failure.kind),
        message: failure.message(),
        status: service.map(|service| service.status),
        // The members of the service's Error.
        service: sent.map(|sent| object! { error: sent.error, message: &sent.message }),
    };
    if let Ok(line) = json::line(&object! { error: error }) {
        note(&line);
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

/// Prints the help or the version that was asked for; returns the exit status.
pub(super) fn help(error: &clap::Error) -> u8 {
    let colour = io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let rendered = match error.kind() {
        clap::error::ErrorKind::DisplayHelp => help::asked_for(),
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

/// Prints on a terminal what was written to a file: "340 fixes to buoy.csv".
pub(super) fn written(what: &str, path: &Path) {
    if is_watched() && path.as_os_str() != "-" {
        note(&format!("{what} to {}", path.display()));
    }
}

/// `true` if standard error is a terminal.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}
