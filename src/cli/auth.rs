//! The token: stored, looked for, removed. It is never shown and never taken
//! from the command line.

use std::io::{self, IsTerminal, Read};

use zeroize::Zeroizing;

use super::args::Global;
use super::connect;
use super::output::{Out, note};
use crate::failure::{Failure, FailureKind};
use crate::ops::login::{self, TokenStatus};
use crate::ops::session::Session;

/// A longer input is no token.
const LONGEST: u64 = 64 * 1024;

fn session(global: &Global) -> Result<Session, Failure> {
    connect::session(global, &connect::settings(global)?)
}

pub(super) async fn login(global: &Global) -> Result<u8, Failure> {
    let session = session(global)?;
    #[cfg(unix)]
    let _echo = Echo::now();
    let input = tokio::task::spawn_blocking(ask)
        .await
        .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))??;
    let environment_wins = login::login(&session, input).await?;
    let place = format!("profile '{}' at {}", session.profile(), session.base());
    note(&format!(
        "The token for {place} is stored in the OS keyring."
    ));
    if environment_wins {
        note("DRIFTLINE_TOKEN is set and is used instead of it.");
    }
    Ok(0)
}

/// The terminal's modes as they were before the prompt, put back when this is
/// dropped: a signal drops it while the prompt's own thread still waits.
#[cfg(unix)]
struct Echo(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Echo {
    fn now() -> Self {
        Self(rustix::termios::tcgetattr(io::stdin()).ok())
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

/// Prompts without echo, or reads standard input to its end.
fn ask() -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        let typed = rpassword::prompt_password("Token: ").map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => Failure::new(
                FailureKind::Interrupted,
                "cancelled; nothing was stored",
                "",
            ),
            _ => Failure::new(
                FailureKind::Other,
                format!("the prompt failed: {error}"),
                "",
            ),
        })?;
        let typed = Zeroizing::new(typed);
        return Ok(typed.as_bytes().to_vec());
    }
    let mut input = Vec::with_capacity(4096);
    io::stdin()
        .take(LONGEST)
        .read_to_end(&mut input)
        .map_err(|error| {
            Failure::new(
                FailureKind::Other,
                format!("standard input cannot be read: {error}"),
                "",
            )
        })?;
    Ok(input)
}

pub(super) async fn status(global: &Global) -> Result<u8, Failure> {
    let session = session(global)?;
    let place = format!("profile '{}' at {}", session.profile(), session.base());
    let missing =
        |message: String, hint: &str| Failure::new(FailureKind::NotAuthenticated, message, hint);
    let words = match login::token_status(&session).await {
        TokenStatus::Present(source) => format!("A token for {place} is in {}.\n", source.words()),
        TokenStatus::Unusable(reason) => {
            return Err(Failure::usage(format!(
                "DRIFTLINE_TOKEN cannot be used: {reason}"
            )));
        }
        TokenStatus::Absent => {
            return Err(missing(
                format!(
                    "no token for {place}: looked in DRIFTLINE_TOKEN (not set) and the OS keyring (no entry)"
                ),
                "Run `driftline auth login`, or set DRIFTLINE_TOKEN.",
            ));
        }
        TokenStatus::Unknown(error) => {
            return Err(missing(
                format!("no token for {place}: DRIFTLINE_TOKEN is not set, and {error}"),
                error.hint(),
            ));
        }
    };
    let insecure = if session.is_insecure() {
        "It travels unencrypted: this profile allows plain http.\n"
    } else {
        ""
    };
    Out::new().text(&format!("{words}{insecure}"))
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
