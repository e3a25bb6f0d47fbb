//! Stores, finds and removes the token. It is never shown and never read from
//! the command line.

use std::io::{self, IsTerminal, Read};

use zeroize::Zeroizing;

use super::args::Global;
use super::output::{Out, note};
use super::run::Run;
use crate::app::session::Session;
use crate::app::session::login::{self, TokenStatus};
use crate::failure::{Failure, FailureKind};
use crate::formats::Format;
use crate::os::blocking::blocking;
use crate::text::json::object;

/// Maximum length of the input, bytes; a longer one is not a token.
const LONGEST: usize = 64 * 1024;

/// Bytes of the longest line that a terminal delivers (Linux, with its line end; others deliver
/// less). It drops the rest of a longer line without a sign.
const LINE: usize = 4096;

fn session(global: &Global) -> Result<Session, Failure> {
    Run::new(global)?.session()
}

pub(super) async fn login(global: &Global) -> Result<u8, Failure> {
    let session = session(global)?;
    if session.needs_no_token() {
        let needs = format!("profile '{}' needs no token", session.profile());
        return Err(Failure::usage(needs));
    }
    #[cfg(unix)]
    let _echo = Echo::off();
    let input = blocking(ask).await??;
    let environment_wins = login::login(&session, input).await?;
    let account = format!("profile '{}' at {}", session.profile(), session.base());
    note(&format!(
        "The token for {account} is stored in the OS keyring."
    ));
    if environment_wins {
        note("DRIFTLINE_TOKEN is set and is used instead of it.");
    }
    Ok(0)
}

/// The terminal's modes before the prompt, restored on drop: a signal drops
/// this while the prompt's own thread still waits.
#[cfg(unix)]
struct Echo(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Echo {
    /// Ends the echo of all but the line end, before the prompt is printed: a token that is
    /// pasted at that moment is not shown either.
    fn off() -> Self {
        use rustix::termios::{InputModes, LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let Ok(before) = tcgetattr(io::stdin()) else {
            return Self(None);
        };
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        let kept = LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        silent.local_modes.insert(kept);
        silent.input_modes.insert(InputModes::ICRNL);
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &silent);
        Self(Some(before))
    }
}

#[cfg(unix)]
impl Drop for Echo {
    fn drop(&mut self) {
        if let Some(modes) = &self.0 {
            use rustix::termios::{OptionalActions, tcsetattr};
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
        }
    }
}

/// Prompts, and reads the line that is typed, without its end.
#[cfg(unix)]
fn typed() -> io::Result<Zeroizing<Vec<u8>>> {
    use std::io::Write;

    let mut out: Box<dyn Write> = match std::fs::File::options().write(true).open("/dev/tty") {
        Ok(terminal) => Box::new(terminal),
        Err(_) => Box::new(io::stderr()),
    };
    out.write_all(b"Token: ")?;
    out.flush()?;
    // Without a buffer of the standard library, which would retain a copy.
    let mut line = Zeroizing::new(vec![0; LINE]);
    let mut length = 0;
    while let Some(rest) = line.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match rustix::io::read(io::stdin(), rest) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) if length == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => break,
            Ok(count) => {
                length += count;
                if line.get(length - 1) == Some(&b'\n') {
                    length -= 1;
                    break;
                }
            }
        }
    }
    line.truncate(length);
    Ok(line)
}

/// Prompts, and reads the line that is typed, without its end.
#[cfg(not(unix))]
fn typed() -> io::Result<Zeroizing<Vec<u8>>> {
    let typed = rpassword::prompt_password("Token: ")?;
    Ok(Zeroizing::new(typed.into_bytes()))
}

/// Prompts without echo, or reads standard input to its end.
fn ask() -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        let mut typed = typed().map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => Failure::new(
                FailureKind::Interrupted,
                "cancelled; nothing was stored",
                "",
            ),
            _ => Failure::other(format!("the prompt failed: {error}")),
        })?;
        if typed.len() + 1 >= LINE {
            return Err(too_long(&format!(
                "a terminal passes at most {LINE} bytes of a line, so the token may be cut"
            )));
        }
        return Ok(std::mem::take(&mut *typed));
    }
    // Allocated once in the largest size: a buffer that grows leaves copies in memory.
    let mut input = Zeroizing::new(Vec::with_capacity(LONGEST + 1));
    io::stdin()
        .take(LONGEST as u64 + 1)
        .read_to_end(&mut input)
        .map_err(|error| Failure::other(format!("standard input cannot be read: {error}")))?;
    if input.len() > LONGEST {
        return Err(too_long("standard input is longer than 64 KiB"));
    }
    Ok(std::mem::take(&mut *input))
}

/// The failure for a token that could only be stored incompletely.
fn too_long(why: &str) -> Failure {
    Failure::usage(format!("this is not a token: {why}"))
        .with_hint("Nothing was stored. Write the token alone to a file and pipe it in: `driftline auth login < FILE`.")
}

pub(super) async fn status(global: &Global, form: Format) -> Result<u8, Failure> {
    let session = session(global)?;
    let account = format!("profile '{}' at {}", session.profile(), session.base());
    let missing =
        |message: String, hint: &str| Failure::new(FailureKind::NotAuthenticated, message, hint);
    let source = match login::token_status(&session).await {
        TokenStatus::NotNeeded => None,
        TokenStatus::Present(source) => Some(source),
        TokenStatus::Unusable(why) => return Err(Failure::usage(why.to_string())),
        TokenStatus::Absent => {
            return Err(missing(
                format!(
                    "no token for {account}: DRIFTLINE_TOKEN is not set, and the OS keyring has no entry for it"
                ),
                "Run `driftline auth login`, or set DRIFTLINE_TOKEN.",
            ));
        }
        TokenStatus::Unknown(error) => {
            return Err(missing(
                format!("no token for {account}: DRIFTLINE_TOKEN is not set, and {error}"),
                error.hint(),
            ));
        }
    };
    if form == Format::Json {
        return Out::new().json(&object! {
            profile: session.profile(),
            // A program has a name alone.
            base_url: Some(session.service_name()).filter(|name| name.contains("://")),
            token_in: source.map_or("none", |source| source.name()),
            unencrypted: session.is_insecure(),
        });
    }
    let Some(source) = source else {
        let text = format!("Profile '{}' needs no token.\n", session.profile());
        return Out::new().text(&text);
    };
    let insecure = if session.is_insecure() {
        "It travels unencrypted: this profile allows plain http.\n"
    } else {
        ""
    };
    Out::new().text(&format!(
        "A token for {account} is in {}.\n{insecure}",
        source.words()
    ))
}

pub(super) async fn logout(global: &Global) -> Result<u8, Failure> {
    let session = session(global)?;
    let out = login::logout(&session).await?;
    note(if out.removed {
        "The token is removed from the OS keyring."
    } else {
        "No token was stored."
    });
    if out.environment_still_set {
        note("DRIFTLINE_TOKEN is still set.");
    }
    Ok(0)
}
