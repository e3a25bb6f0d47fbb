//! The token: test, store, status and removal.

use uuid::Uuid;

use super::session::Session;
use crate::auth::{KeyringError, Source, Token, TokenError, keyring};
use crate::failure::{Failure, FailureKind, ServiceError};
use crate::track::Validators;

/// The token status of a session, without the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenStatus {
    /// There is a token, from this source.
    Present(Source),
    /// `DRIFTLINE_TOKEN` is set to an invalid token, for this reason.
    Unusable(String),
    /// There is no token: `DRIFTLINE_TOKEN` is not set and the keyring has no
    /// entry.
    Absent,
    /// `DRIFTLINE_TOKEN` is not set and the keyring cannot be read.
    Unknown(KeyringError),
}

/// Where an accepted token is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKept {
    /// It is in the keyring.
    Stored,
    /// For this session only, because of this failure.
    ForThisSession(String),
}

/// The result of a successful token test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tried {
    /// Where the token is stored.
    pub kept: TokenKept,
    /// Whether `DRIFTLINE_TOKEN` is set, which the next start uses instead.
    pub environment_wins: bool,
}

/// The result of a logout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoggedOut {
    /// Whether the keyring held a token.
    pub removed: bool,
    /// Whether `DRIFTLINE_TOKEN` is still set.
    pub environment_still_set: bool,
}

/// Tests `token` with a read of `deployment` (without one, of the nil UUID);
/// uses and stores it only if the service accepts it. An error about the
/// deployment counts as accepted, because the service has checked the token
/// first.
///
/// # Errors
/// [`FailureKind::NotAuthenticated`] if the service rejects it; other kinds if
/// the test failed. Nothing is stored then.
pub(crate) async fn try_token(
    session: &Session,
    typed: &str,
    deployment: Option<Uuid>,
) -> Result<Tried, Failure> {
    let token = Token::new(typed.to_owned()).map_err(|error| Failure::usage(error.to_string()))?;
    let answer = session
        .client()
        .deployment_data(
            &token,
            deployment.unwrap_or(Uuid::nil()),
            &Validators::default(),
            None,
        )
        .await;
    match answer {
        Ok(_) => {}
        // The service accepted the token, but not the deployment.
        Err(failure)
            if failure.kind == FailureKind::Service && let_in(failure.service.as_deref()) => {}
        Err(failure) => return Err(failure.of("the token was not stored")),
    }
    let kept = if session.keeps_to_itself() {
        TokenKept::ForThisSession("the demo keeps nothing".to_owned())
    } else {
        match session
            .keyring(keyring::store(&session.account(), token.clone()))
            .await
        {
            Ok(()) => TokenKept::Stored,
            Err(error) => TokenKept::ForThisSession(format!("{error}. {}", error.hint())),
        }
    };
    let source = match kept {
        TokenKept::Stored => Source::Keyring,
        TokenKept::ForThisSession(_) => Source::Given,
    };
    session.adopt(token, source).await;
    Ok(Tried {
        kept,
        environment_wins: environment_is_set(),
    })
}

/// Whether an error is about the deployment, which means that the token was
/// accepted. The service's description declares only the error 400; its message
/// alone shows the cause.
fn let_in(answer: Option<&ServiceError>) -> bool {
    let Some(answer) = answer else {
        return false;
    };
    let words = answer.message.as_deref().unwrap_or_default().to_lowercase();
    let of_the_token = [
        "token",
        "auth",
        "credential",
        "permission",
        "forbidden",
        "api key",
    ]
    .iter()
    .any(|word| words.contains(word));
    matches!(answer.status, 200..=299 | 400 | 404 | 410 | 422) && !of_the_token
}

/// Stores a token in the keyring, without a request to the service. A trailing
/// line end is dropped. The input is wiped.
///
/// # Errors
/// [`FailureKind::Usage`] for input that is not a token;
/// [`FailureKind::NotAuthenticated`] if it could not be stored.
pub(crate) async fn login(session: &Session, input: Vec<u8>) -> Result<Tried, Failure> {
    let token = Token::from_input(input).map_err(|error: TokenError| {
        Failure::new(
            FailureKind::Usage,
            format!("this is not a token: {error}"),
            "Give the token alone, without quotes.",
        )
    })?;
    session
        .keyring(keyring::store(&session.account(), token.clone()))
        .await
        .map_err(|error| {
            Failure::new(
                FailureKind::NotAuthenticated,
                format!("nothing was stored: {error}"),
                error.hint(),
            )
        })?;
    session.adopt(token, Source::Keyring).await;
    Ok(Tried {
        kept: TokenKept::Stored,
        environment_wins: environment_is_set(),
    })
}

/// The status of the session's token. With `DRIFTLINE_TOKEN` set the keyring is
/// not read.
pub(crate) async fn token_status(session: &Session) -> TokenStatus {
    if session.keeps_to_itself() {
        return TokenStatus::Present(Source::Given);
    }
    match Token::from_environment() {
        Ok(Some(_)) => return TokenStatus::Present(Source::Environment),
        Err(error) => return TokenStatus::Unusable(error.to_string()),
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
    let removed = session
        .keyring(keyring::remove(&session.account()))
        .await
        .map_err(|error| {
            Failure::new(
                FailureKind::NotAuthenticated,
                format!("nothing was removed: {error}"),
                error.hint(),
            )
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
