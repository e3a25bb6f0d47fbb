//! The store that the system has for passwords, and the connection to it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use keyring::Error as Refusal;

/// Makes the connection to the store of the system, if there is none.
///
/// # Errors
/// The error of the store, if it cannot be reached.
pub(super) fn connect() -> Result<(), Refusal> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    if keyring::get_default_store().is_none() {
        keyring::set_default_store(open()?);
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "macos")))]
fn open() -> keyring::Result<std::sync::Arc<keyring::CredentialStore>> {
    Ok(dbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn open() -> keyring::Result<std::sync::Arc<keyring::CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn open() -> keyring::Result<std::sync::Arc<keyring::CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

/// Asks the store, and again over another connection where no answer came: its client
/// waits 2 s for one, a daemon that the system has to start first takes longer.
///
/// # Errors
/// The last answer, which may be none after `patience`.
pub(super) fn ask<T>(
    patience: Duration,
    mut question: impl FnMut() -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let begun = Instant::now();
    loop {
        match question() {
            Err(refusal) if is_unanswered(&refusal) && begun.elapsed() < patience => {
                drop(keyring::unset_default_store());
            }
            answer => return answer,
        }
    }
}

/// `true` if a store did not answer, and so did not refuse either.
pub(super) fn is_unanswered(refusal: &Refusal) -> bool {
    bus_error(refusal).is_some_and(|(name, _)| NO_ANSWER.contains(&name))
}

/// The names that D-Bus has for a wait that was in vain.
const NO_ANSWER: [&str; 3] = [
    "org.freedesktop.DBus.Error.NoReply",
    "org.freedesktop.DBus.Error.Timeout",
    "org.freedesktop.DBus.Error.TimedOut",
];

/// The name and the words of an error of the bus.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn bus_error(refusal: &Refusal) -> Option<(&str, &str)> {
    use dbus_secret_service::Error;

    let (Refusal::PlatformFailure(cause) | Refusal::NoStorageAccess(cause)) = refusal else {
        return None;
    };
    match cause.downcast_ref::<Error>()? {
        Error::Dbus(error) => Some((error.name()?, error.message().unwrap_or_default())),
        _ => None,
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(super) fn bus_error(_: &Refusal) -> Option<(&str, &str)> {
    None
}

/// `true` if there is no collection to store in: the service has none of the name
/// "default".
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn has_no_collection(refusal: &Refusal) -> bool {
    use dbus_secret_service::Error;

    matches!(refusal, Refusal::NoStorageAccess(cause)
        if matches!(cause.downcast_ref::<Error>(), Some(Error::NoResult)))
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(super) fn has_no_collection(_: &Refusal) -> bool {
    false
}
