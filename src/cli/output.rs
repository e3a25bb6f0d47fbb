//! What reaches a person or a script: data on standard output, everything else
//! on standard error, and nothing that can act on a terminal.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::args::asks_for;
use crate::failure::{Failure, FailureKind};
use crate::text;

/// Standard output, checked to its end. A reader that closes the pipe ends the
/// command quietly.
pub(super) struct Out {
    stdout: io::BufWriter<io::Stdout>,
}

impl Out {
    pub(super) fn new() -> Self {
        Self {
            stdout: io::BufWriter::with_capacity(1 << 16, io::stdout()),
        }
    }

    /// Writes bytes and ends.
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Result<u8, Failure> {
        let written = self.stdout.write_all(bytes);
        self.end(written)
    }

    /// Writes a text and ends.
    pub(super) fn text(self, text: &str) -> Result<u8, Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes a JSON value on a line and ends.
    pub(super) fn json(self, value: &impl Serialize) -> Result<u8, Failure> {
        let mut line = serde_json::to_vec(value)
            .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))?;
        line.push(b'\n');
        self.bytes(&line)
    }

    /// Lets something write, and ends.
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
                // What could not be written is not tried again.
                let _ = self.stdout.into_parts();
                if error.kind() == io::ErrorKind::BrokenPipe {
                    return Ok(0);
                }
                Err(Failure::new(
                    FailureKind::Other,
                    format!("the output cannot be written: {error}"),
                    "Make room, or write to another place.",
                ))
            }
        }
    }
}

/// Notices a closed pipe beneath writers that wrap their errors.
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

/// A line on standard error. Where that is closed there is nobody to tell.
pub(super) fn note(words: &str) {
    let mut line = text::clean(words).into_owned();
    line.push('\n');
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Tells a failure in a paragraph, and as an object where that is wanted; the
/// answer is its exit status.
pub(super) fn report(failure: &Failure, json: bool) -> u8 {
    let status = status(failure.kind);
    let message = failure.message();
    let mut words = format!("driftline: {}", message.trim_end_matches('.'));
    if let Some(service) = &failure.service {
        // The service's own words stand in the output, whatever else is said.
        if let Some(said) = service
            .message
            .as_ref()
            .filter(|said| !message.contains(*said))
        {
            words.push_str(&format!(": {said}"));
        }
        if let Some(error) = service
            .error
            .filter(|error| !message.contains(&error.to_string()))
        {
            words.push_str(&format!(" (error {error})"));
        }
    }
    words.push('.');
    if !failure.hint.is_empty() {
        words.push_str(&format!(" {}", failure.hint.trim_end_matches('.')));
        words.push('.');
    }
    note(&words);
    if json {
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
            code: status,
            message: &message,
            status: failure.service.as_ref().map(|service| service.status),
        };
        if let Ok(line) = serde_json::to_string(&Object { error: inner }) {
            note(&line);
        }
    }
    status
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

/// What clap has to say: help and version are data, all else is bad usage.
pub(super) fn clap_error(error: &clap::Error) -> u8 {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let colour = io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            let rendered = error.render();
            let words = if colour {
                rendered.ansi().to_string()
            } else {
                rendered.to_string()
            };
            Out::new()
                .text(&words)
                .unwrap_or_else(|failure| report(&failure, false))
        }
        _ => {
            let on_auth = asks_for("auth");
            if on_auth {
                // Whatever was typed there may be a token.
                note(
                    "driftline: `auth` takes no such argument. A token is never given on the command line, where others can read it: run `driftline auth login` and paste it, or pipe it in.",
                );
            } else {
                // clap's text has line ends of its own: cleaned line by line.
                for line in error.render().to_string().trim_end().lines() {
                    note(line);
                }
            }
            2
        }
    }
}

/// Whether there is a person at standard error.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}
