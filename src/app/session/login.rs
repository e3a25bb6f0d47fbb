//! The token: test, store, status and removal; the form of the first start.

use std::path::Path;

use uuid::Uuid;

use crate::app::session::Session;
use crate::app::settings_file::rewrite;
use crate::exchange::AcceptedToken;
use crate::failure::{Failure, FailureKind, ServiceError};
use crate::service::Address;
use crate::settings::with_base_url;
use crate::token::{KeyringError, Source, Token, UnusableToken, keyring};
use crate::watch::DeploymentId;
use crate::watch::{Answer, RequestBasis};

/// The token status of a session, without the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenStatus {
    /// The service takes none.
    NotNeeded,
    /// There is a token, from this source.
    Present(Source),
    /// The environment has a token that cannot be used.
    Unusable(UnusableToken),
    /// There is no token: `DRIFTLINE_TOKEN` is not set and the keyring has no
    /// entry.
    Absent,
    /// `DRIFTLINE_TOKEN` is not set and the keyring cannot be read.
    Unknown(KeyringError),
}

/// The result of a logout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoggedOut {
    /// `true` if the keyring had a token.
    pub removed: bool,
    /// `true` if `DRIFTLINE_TOKEN` is still set.
    pub environment_still_set: bool,
}

/// A token that is used from now on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TriedToken {
    /// The storage of the token.
    pub kept: AcceptedToken,
    /// The deployment that it was tested on with its response, if that holds
    /// records.
    pub answer: Option<(DeploymentId, Answer)>,
}

/// Tests a typed token by requests for the deployments in sequence, until a
/// response decides: the service accepted it (records, or an error about the
/// deployment), or rejected it (401). A 403 and a 5xx decide nothing. The nil
/// UUID is tried last. An accepted token is used and stored; after a 5xx the token
/// is used for this session only.
///
/// # Errors
/// [`FailureKind::NotAuthenticated`] if the service rejects it,
/// [`FailureKind::Forbidden`] if every response was 403; other kinds if the test
/// failed. Nothing is stored then, and the previous token remains in use.
pub(crate) async fn try_token(
    session: &Session,
    typed: &str,
    deployments: Vec<DeploymentId>,
) -> Result<TriedToken, Failure> {
    let token = Token::new(typed.to_owned()).map_err(|error| Failure::usage(error.to_string()))?;
    let none = RequestBasis::default();
    let mut forbidden = None;
    let mut broken = None;
    for deployment in deployments.into_iter().chain([Uuid::nil().into()]) {
        let answer = session
            .client()
            .deployment_data(&token, &deployment, &none, None)
            .await;
        let failure = match answer {
            Ok(answer) => {
                let answer = (!deployment.uuid.is_nil()).then_some((deployment, answer));
                let kept = keep(session, token).await;
                return Ok(TriedToken { kept, answer });
            }
            Err(failure) => failure,
        };
        match failure.service.as_deref() {
            // The service accepted the token, but not the deployment.
            Some(error) if failure.kind == FailureKind::Service && is_accepted(error) => {
                let kept = keep(session, token).await;
                return Ok(TriedToken { kept, answer: None });
            }
            Some(error) if (500..600).contains(&error.status) => broken = Some(failure),
            Some(_) if failure.kind == FailureKind::Forbidden => forbidden = Some(failure),
            _ => return Err(not_stored(failure)),
        }
    }
    match (broken, forbidden) {
        (None, Some(failure)) => Err(not_stored(failure)),
        (broken, _) => {
            session.adopt(token, Source::Given).await;
            let why = broken.map_or_else(String::new, |failure| failure.reason);
            let kept = AcceptedToken::ForThisSession(format!("it could not be tested: {why}"));
            Ok(TriedToken { kept, answer: None })
        }
    }
}

/// The failure of a test: it is about the token, whatever deployment it was tested on.
fn not_stored(failure: Failure) -> Failure {
    Failure {
        what: "the token was not stored".to_owned(),
        ..failure
    }
}

/// Stores a token that the service accepted, and uses it from now on.
async fn keep(session: &Session, token: Token) -> AcceptedToken {
    let kept = if session.keeps_to_itself() {
        AcceptedToken::ForThisSession("the demo keeps nothing".to_owned())
    } else {
        match session
            .keyring(keyring::store(&session.account(), token.clone()))
            .await
        {
            Ok(()) => AcceptedToken::InKeyring {
                environment_wins: environment_is_set(),
            },
            Err(error) => AcceptedToken::ForThisSession(format!("{error}. {}", error.hint())),
        }
    };
    let source = match kept {
        AcceptedToken::InKeyring { .. } => Source::Keyring,
        AcceptedToken::ForThisSession(_) => Source::Given,
    };
    session.adopt(token, source).await;
    kept
}

/// `true` if an error is about the deployment, which means that the token was
/// accepted. The service's description declares only the error 400; its message
/// alone shows the cause.
fn is_accepted(error: &ServiceError) -> bool {
    let message = error.message.as_deref().unwrap_or_default().to_lowercase();
    let of_the_token = [
        "token",
        "auth",
        "credential",
        "permission",
        "forbidden",
        "api key",
    ]
    .iter()
    .any(|word| message.contains(word));
    matches!(error.status, 200..=299 | 400 | 404 | 410 | 422) && !of_the_token
}

/// Stores a token in the keyring, without a request to the service. A trailing
/// line end is dropped. The input is wiped. Returns whether `DRIFTLINE_TOKEN` is
/// set, which is used instead.
///
/// # Errors
/// [`FailureKind::Usage`] for input that is not a token;
/// [`FailureKind::NotAuthenticated`] if it could not be stored.
pub(crate) async fn login(session: &Session, input: Vec<u8>) -> Result<bool, Failure> {
    let token = Token::from_input(input).map_err(|error| {
        Failure::usage(format!("this is not a token: {error}"))
            .with_hint("Give the token alone, without quotes.")
    })?;
    let account = session.account();
    let stored = session.keyring(keyring::store(&account, token.clone()));
    stored.await.map_err(|error| {
        let reason = format!("nothing was stored: {error}");
        Failure::new(FailureKind::NotAuthenticated, reason, error.hint())
    })?;
    session.adopt(token, Source::Keyring).await;
    Ok(environment_is_set())
}

/// The status of the session's token. With `DRIFTLINE_TOKEN` set the keyring is
/// not read.
pub(crate) async fn token_status(session: &Session) -> TokenStatus {
    if session.needs_no_token() {
        return TokenStatus::NotNeeded;
    }
    if session.keeps_to_itself() {
        return TokenStatus::Present(Source::Given);
    }
    match Token::from_environment() {
        Ok(Some((_, source))) => return TokenStatus::Present(source),
        Err(error) => return TokenStatus::Unusable(error),
        Ok(None) => {}
    }
    match session.keyring(keyring::read(&session.account())).await {
        Ok(Some(_)) => TokenStatus::Present(Source::Keyring),
        Ok(None) => TokenStatus::Absent,
        Err(error) => TokenStatus::Unknown(error),
    }
}

/// Removes the session's token from the keyring; a missing one is not an error.
///
/// # Errors
/// [`FailureKind::NotAuthenticated`] if the keyring failed.
pub(crate) async fn logout(session: &Session) -> Result<LoggedOut, Failure> {
    let account = session.account();
    let removal = session.keyring(keyring::remove(&account));
    let removed = removal.await.map_err(|error| {
        let reason = format!("nothing was removed: {error}");
        let hint = "A token in DRIFTLINE_TOKEN ends with `unset DRIFTLINE_TOKEN`; one in the keyring stays until the keyring can be reached.";
        Failure::new(FailureKind::NotAuthenticated, reason, hint)
    })?;
    session.forget_token().await;
    Ok(LoggedOut {
        removed,
        environment_still_set: environment_is_set(),
    })
}

fn environment_is_set() -> bool {
    !matches!(Token::from_environment(), Ok(None))
}

/// A description of the fault in the address of a service; empty if there is none.
pub(crate) fn address_fault(typed: &str) -> String {
    let address = typed
        .parse::<Address>()
        .and_then(|address| address.may_carry_token(false));
    address.err().map_or_else(String::new, |e| e.to_string())
}

/// Writes the address into the configuration file, which is made if it is not there; the
/// rest of the file stays as it is.
///
/// # Errors
/// [`FailureKind::Other`] if the file cannot be read or written.
pub(crate) fn save_address(file: &Path, address: &str) -> Result<(), Failure> {
    let hint = "DRIFTLINE_BASE_URL sets the address without a file.";
    rewrite(file, hint, |text| Ok(with_base_url(text, address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_what_is_wrong_with_it() {
        assert_eq!(address_fault("https://a.example"), "");
        assert_eq!(address_fault("http://127.0.0.1:8080/x"), "");
        assert!(address_fault("service.example").contains("https://"));
        assert!(address_fault("http://a.example").contains("plain http"));
    }

    #[test]
    fn the_file_is_made_and_what_it_had_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("driftline").join("config.toml");
        save_address(&file, "https://a.example").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "base_url = \"https://a.example\"\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&file), 0o600);
            assert_eq!(mode(file.parent().unwrap()), 0o700);
        }
        std::fs::write(&file, "# mine\nunits = \"si\"\n").unwrap();
        save_address(&file, "https://b.example").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "base_url = \"https://b.example\"\n# mine\nunits = \"si\"\n"
        );
    }
}
