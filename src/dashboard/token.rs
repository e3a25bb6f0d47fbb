//! The state of the token by the responses so far, and when the user is asked for
//! another.

use crate::failure::{Failure, FailureKind};

/// How long no key was pressed before a dialog opens by itself, seconds.
const QUIET_S: f64 = 3.0;
/// How long the first refusal waits for other responses in progress, seconds.
const OTHERS_S: f64 = 5.0;

/// The state of the token, by the answers so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenState {
    /// `true` if there was an answer that was neither 401 nor 403.
    accepted: bool,
    /// The last refusal, if all responses so far were refusals, and when the first was
    /// received (UNIX seconds).
    refused: Option<(Failure, f64)>,
    /// `true` if there is no token, or an answer of 401 was among the refusals.
    about_the_token: bool,
    /// `true` if the user was asked: once is enough.
    asked: bool,
    /// When the user last pressed a key, UNIX seconds.
    last_key: Option<f64>,
}

impl TokenState {
    /// A response was neither 401 nor 403.
    pub(crate) fn accept(&mut self) {
        self.forget_answers();
        self.accepted = true;
    }

    /// A request was refused with 401 or 403, or there is no token. Returns `true` if
    /// all responses so far were refusals.
    pub(crate) fn refused(&mut self, failure: &Failure, now: f64) -> bool {
        if self.accepted {
            return false;
        }
        let since = self.refused.take().map_or(now, |(_, since)| since);
        self.refused = Some((failure.clone(), since));
        self.about_the_token |= failure.kind == FailureKind::NotAuthenticated;
        true
    }

    /// The token may have changed: earlier responses do not count.
    pub(in crate::dashboard) fn forget_answers(&mut self) {
        self.accepted = false;
        self.refused = None;
        self.about_the_token = false;
    }

    /// The user pressed a key or pasted text.
    pub(crate) fn key_pressed(&mut self, now: f64) {
        self.last_key = Some(now);
    }

    /// `true` if nothing is sent automatically until there is another token: there is
    /// none, or the service responded 401 and has accepted nothing.
    pub(crate) fn is_wanted(&self) -> bool {
        self.about_the_token
    }

    /// Why the user is asked for a token at `now` (UNIX seconds), once: all responses so far were
    /// 401 or 403, and no key was pressed lately. Where `is_busy`, other fetches are in progress,
    /// which may succeed.
    pub(crate) fn ask(&mut self, is_busy: bool, now: f64) -> Option<String> {
        let (failure, since) = self.refused.as_ref().filter(|_| !self.asked)?;
        let others_s = if is_busy { OTHERS_S } else { 0.0 };
        let is_quiet = self.last_key.is_none_or(|at| now >= at + QUIET_S);
        self.asked = is_quiet && now >= since + others_s;
        self.asked.then(|| failure.reason.clone())
    }
}
