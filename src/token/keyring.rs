//! The keyring of the operating system, called on a separate thread: a daemon
//! that hangs delays neither a key press nor the exit of the program.

use std::{fmt, thread, time::Duration};

use keyring::{Entry, Error as Refusal};
use tokio::{sync::oneshot, time::timeout};
use zeroize::Zeroizing;

use super::secret::Token;
use super::system_store;

/// The service name of the entries.
pub(crate) const SERVICE: &str = "driftline";

/// Longest wait for the keyring.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// Longest wait for a store: the system may prompt for a password.
const TIMEOUT_WITH_PROMPT: Duration = Duration::from_secs(60);

#[cfg(target_os = "macos")]
const STORE: &str = "Keychain";
#[cfg(windows)]
const STORE: &str = "Credential Manager";
#[cfg(not(any(target_os = "macos", windows)))]
const STORE: &str = "Secret Service over D-Bus";

/// The owner of a token: a profile at one base URL. A token is never used for
/// the same profile at another URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Account {
    user: String,
}

impl Account {
    /// The account of `profile` at `base`, a base URL in canonical form.
    pub(crate) fn new(profile: &str, base: &str) -> Self {
        Self {
            user: format!("{profile} {base}"),
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.user)
    }
}

/// Why a keyring operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyringError {
    /// No keyring is reachable.
    #[error("the OS keyring ({STORE}) cannot be reached: {0}")]
    Unreachable(String),
    /// The keyring is locked and no dialog could unlock it.
    #[error("the OS keyring ({STORE}) is locked, and no dialog to unlock it was answered: {0}")]
    Locked(String),
    /// The keyring has no collection to store in.
    #[error("the OS keyring ({STORE}) has no collection to store a token in: {0}")]
    NoCollection(String),
    /// The keyring did not reply in time.
    #[error("the OS keyring ({STORE}) did not answer in {} s", .0.as_secs())]
    Silent(Duration),
    /// The stored entry is not a valid token.
    #[error("the OS keyring ({STORE}) has an entry for this account that cannot be used: {0}")]
    InvalidRecord(String),
    /// The keyring refused for another reason.
    #[error("the OS keyring ({STORE}) refused: {0}")]
    Refused(String),
}

impl KeyringError {
    /// A hint to the user.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => {
                "Over ssh, in cron or in a container set DRIFTLINE_TOKEN instead."
            }
            Self::Locked(_) => "Unlock the keyring in a desktop session, or set DRIFTLINE_TOKEN.",
            Self::NoCollection(_) => {
                "Create a keyring in a desktop session (log in there once), or set DRIFTLINE_TOKEN."
            }
            Self::Silent(_) => {
                "The keyring's daemon may hang or wait for a password: restart or unlock it, or set DRIFTLINE_TOKEN."
            }
            Self::InvalidRecord(_) => {
                "Remove it with `driftline auth logout`, then run `driftline auth login`."
            }
            Self::Refused(_) => "Set DRIFTLINE_TOKEN instead.",
        }
    }
}

/// The token stored for `account`, if there is one.
///
/// # Errors
/// [`KeyringError`], after [`TIMEOUT`] at the latest.
pub(crate) async fn read(account: &Account) -> Result<Option<Token>, KeyringError> {
    let user = account.user.clone();
    ask(TIMEOUT, move || read_now(&user)).await
}

/// Stores `token` for `account` and reads it back to verify it.
///
/// # Errors
/// [`KeyringError`]; the token may not be stored then.
pub(crate) async fn store(account: &Account, token: Token) -> Result<(), KeyringError> {
    // The short timeout detects a daemon that hangs. The store itself may wait
    // for the user to enter a password, which takes longer.
    ask(TIMEOUT, reach).await?;
    let user = account.user.clone();
    ask(TIMEOUT_WITH_PROMPT, move || {
        with(&user, |entry| entry.set_password(token.secret()))?;
        match read_now(&user)? {
            Some(stored) if stored == token => Ok(()),
            _ => Err(KeyringError::Refused(
                "it stored the token but does not return it".to_owned(),
            )),
        }
    })
    .await
}

/// Removes the token stored for `account`. Returns whether there was one.
///
/// # Errors
/// [`KeyringError`].
pub(crate) async fn remove(account: &Account) -> Result<bool, KeyringError> {
    let user = account.user.clone();
    let removed = move |entry: &Entry| match entry.delete_credential() {
        Ok(()) => Ok(true),
        Err(Refusal::NoEntry) => Ok(false),
        Err(Refusal::Ambiguous(entries)) => {
            for entry in entries {
                entry.delete_credential()?;
            }
            Ok(true)
        }
        Err(refusal) => Err(refusal),
    };
    ask(TIMEOUT, move || with(&user, removed)).await
}

/// Runs `question` on a thread and waits at most `longest`.
async fn ask<T: Send + 'static>(
    longest: Duration,
    question: impl FnOnce() -> Result<T, KeyringError> + Send + 'static,
) -> Result<T, KeyringError> {
    let (sender, answer) = oneshot::channel();
    thread::Builder::new()
        .name("keyring".to_owned())
        .spawn(move || {
            // Fails if the caller has stopped waiting, which needs no handling.
            let _ = sender.send(question());
        })
        .map_err(|error| KeyringError::Refused(error.to_string()))?;
    match timeout(longest, answer).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(KeyringError::Refused(
            "it ended without an answer".to_owned(),
        )),
        Err(_) => Err(KeyringError::Silent(longest)),
    }
}

fn reach() -> Result<(), KeyringError> {
    system_store::ask(TIMEOUT, system_store::connect)
        .map_err(|refusal| KeyringError::Unreachable(no_connection(&refusal)))
}

/// Why there is no connection to the store. The words of libdbus are about its own
/// ways to find a bus.
fn no_connection(refusal: &Refusal) -> String {
    let reason = reason(refusal);
    match system_store::bus_error(refusal) {
        // No variable names a bus, and there is none at the usual address.
        Some(("org.freedesktop.DBus.Error.NotSupported", words))
            if words.contains("autolaunch") =>
        {
            "no session bus".to_owned()
        }
        // So the keyring itself answers where its sessions are plain.
        Some(("org.freedesktop.DBus.Error.NotSupported", _)) => {
            format!("it offers no encrypted session, and driftline takes no other ({reason})")
        }
        Some(("org.freedesktop.DBus.Error.BadAddress", _)) => {
            format!("DBUS_SESSION_BUS_ADDRESS is not the address of a bus: {reason}")
        }
        _ => reason,
    }
}

/// Does something with the entry of a user.
fn with<T>(
    user: &str,
    mut act: impl FnMut(&Entry) -> Result<T, Refusal>,
) -> Result<T, KeyringError> {
    reach()?;
    let done = system_store::ask(TIMEOUT, || {
        // The last question may have ended the connection.
        system_store::connect()?;
        act(&Entry::new(SERVICE, user)?)
    });
    done.map_err(explain)
}

fn read_now(user: &str) -> Result<Option<Token>, KeyringError> {
    let secret = with(user, |entry| match entry.get_password() {
        Ok(secret) => Ok(Some(secret)),
        Err(Refusal::NoEntry) => Ok(None),
        Err(refusal) => Err(refusal),
    })?;
    let token = secret.map(Token::new).transpose();
    token.map_err(KeyringError::InvalidRecord)
}

/// Maps an error of the keyring to a [`KeyringError`]. Some errors contain the
/// secret itself, so none is printed unchanged.
fn explain(refusal: Refusal) -> KeyringError {
    match refusal {
        Refusal::NoStorageAccess(_) => {
            let reason = reason(&refusal);
            if system_store::has_no_collection(&refusal) {
                KeyringError::NoCollection(reason)
            } else {
                KeyringError::Locked(reason)
            }
        }
        Refusal::NoDefaultStore => KeyringError::Unreachable("no store is set up".to_owned()),
        refusal if system_store::is_unanswered(&refusal) => KeyringError::Silent(TIMEOUT),
        Refusal::BadEncoding(bytes) => {
            drop(Zeroizing::new(bytes));
            KeyringError::InvalidRecord("it is not text".to_owned())
        }
        Refusal::BadDataFormat(bytes, _) => {
            drop(Zeroizing::new(bytes));
            KeyringError::InvalidRecord("its form is not known".to_owned())
        }
        Refusal::Ambiguous(entries) => {
            KeyringError::InvalidRecord(format!("{} entries match", entries.len()))
        }
        other => KeyringError::Refused(reason(&other)),
    }
}

/// The cause, without data of the entry.
fn reason(refusal: &Refusal) -> String {
    if let Some((name, words)) = system_store::bus_error(refusal) {
        let words = if words.is_empty() { name } else { words };
        return crate::text::excerpt(words, 200);
    }
    let cause = match refusal {
        Refusal::PlatformFailure(cause) | Refusal::NoStorageAccess(cause) => cause.to_string(),
        Refusal::NoEntry => "there is no such entry".to_owned(),
        Refusal::TooLong(name, most) => format!("its {name} may be at most {most} long"),
        Refusal::BadStoreFormat(cause) | Refusal::NotSupportedByStore(cause) => cause.clone(),
        Refusal::Invalid(what, cause) => format!("{what}: {cause}"),
        _ => "no reason was given".to_owned(),
    };
    crate::text::excerpt(&cause, 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "SECRET-TOKEN";

    #[test]
    fn no_refusal_repeats_what_the_entry_holds() {
        for refusal in [
            Refusal::BadEncoding(SECRET.as_bytes().to_vec()),
            Refusal::BadDataFormat(SECRET.as_bytes().to_vec(), "odd".into()),
            Refusal::NoStorageAccess("prompt dismissed".into()),
            Refusal::PlatformFailure("no such \u{1b}[31m service".into()),
            Refusal::TooLong("user".to_owned(), 7),
        ] {
            let error = explain(refusal);
            let said = format!("{error} {error:?} {}", error.hint());
            assert!(
                !said.contains("SECRET") && !said.contains("83, 69"),
                "{said}"
            );
            assert!(!said.chars().any(char::is_control), "{said}");
            assert!(error.hint().contains("DRIFTLINE_TOKEN") || error.hint().contains("auth"));
        }
    }

    #[test]
    fn the_states_of_a_keyring_have_different_words() {
        let said = [
            KeyringError::Unreachable("x".to_owned()),
            KeyringError::Locked("x".to_owned()),
            KeyringError::NoCollection("x".to_owned()),
            KeyringError::Silent(TIMEOUT),
            KeyringError::InvalidRecord("x".to_owned()),
            KeyringError::Refused("x".to_owned()),
        ]
        .map(|error| error.to_string());
        for (place, one) in said.iter().enumerate() {
            assert!(!said[..place].contains(one), "{one}");
        }
    }

    #[tokio::test]
    async fn a_keyring_that_hangs_is_given_up_without_waiting_for_its_thread() {
        let (release, hang) = std::sync::mpsc::channel::<()>();
        let longest = Duration::from_millis(50);
        let answer = ask(longest, move || {
            let _ = hang.recv();
            Ok(())
        })
        .await;
        assert_eq!(answer, Err(KeyringError::Silent(longest)));
        drop(release);
    }
}
