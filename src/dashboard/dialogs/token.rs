//! A token: typed or pasted, tested on the service, never shown.

use super::{Component, Keys, Labels, Outcome, form};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::Effect;
use crate::dashboard::event::RequestId;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::SecretField;
use crate::dashboard::widgets::sheet::Sheet;
use crate::failure::{Failure, FailureKind};
use crate::text;
use crate::track::TrackOptions;
use crate::watch::DeploymentId;

/// Deployments that a token is tested on at most.
const TESTED_ON: usize = 4;

/// Takes a token, tests it, and shows the result.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenForm {
    /// The token, never shown.
    pub secret: SecretField,
    /// Why it has opened by itself; empty if a key has opened it.
    pub why: String,
    /// The request that tests it.
    pub trying: Option<RequestId>,
}

impl TokenForm {
    /// The dialog that opens by itself, and why.
    pub(in crate::dashboard) fn unasked(why: String) -> Self {
        Self {
            why,
            ..Self::default()
        }
    }

    /// The token was not accepted.
    pub(in crate::dashboard) fn refused(&mut self, failure: &Failure) {
        self.trying = None;
        self.secret.clear();
        self.secret.error = match failure.kind {
            // This dialog is the remedy.
            FailureKind::NotAuthenticated | FailureKind::Forbidden => {
                format!("{}; try another", failure.reason)
            }
            _ => failure.to_string(),
        };
    }

    /// The request that tests the token.
    fn test(&mut self, shell: &mut Shell) {
        if self.secret.count() == 0 {
            self.secret.error = "type or paste a token first".to_owned();
            return;
        }
        if self.secret.is_too_long() {
            return;
        }
        let request = shell.shared.next_request();
        self.trying = Some(request);
        shell.shared.send(Effect::TryToken {
            request,
            token: self.secret.secret(),
            deployments: tested_on(shell),
        })
    }
}

impl Component for TokenForm {
    fn labels(&self) -> Labels {
        let keys: Keys = match self.trying {
            Some(_) => &[("Esc", "cancel")],
            None => &[("Enter", "test"), ("Ctrl-U", "empty"), ("Esc", "cancel")],
        };
        Labels::new("Token", keys)
    }

    fn awaits(&self) -> Option<RequestId> {
        self.trying
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        if self.trying.is_some() {
            return Outcome::Stay;
        }
        if key.code == KeyCode::Enter {
            self.test(shell);
            return Outcome::Stay;
        }
        self.secret.key(key);
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        // What the test has found is newer than why the dialog has opened.
        if self.secret.error.is_empty() {
            sheet.paragraph(0, &self.why, theme.warning());
        }
        let address = text::clean(&shell.shared.service.address);
        sheet.line(&[("for ", theme.dim()), (&address, theme.text())]);
        let cursor = sheet.secret("token ", theme.accent(), &self.secret, theme);
        if self.trying.is_none() {
            sheet.set_cursor(cursor);
        }
        sheet.blank();
        if self.trying.is_some() {
            form::waiting(sheet, "testing it on the service", shell, theme);
        } else {
            let message = "Enter: test; saved only if the service accepts it";
            sheet.paragraph(0, message, theme.dim());
        }
    }

    /// Adds pasted text. In a dialog that opened by itself, a single character before it
    /// was a late key for the dashboard: a token is pasted whole.
    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        if !self.why.is_empty() && self.secret.count() == 1 {
            self.secret.clear();
        }
        self.secret.paste(text);
    }

    fn dismissed(&mut self, shell: &mut Shell) {
        shell.shared.cancel(self.trying);
    }
}

/// The deployments that a typed token is tested on: first those that have responded,
/// then those never requested, then failed ones; the open one first among equals.
fn tested_on(shell: &Shell) -> Vec<(DeploymentId, TrackOptions)> {
    let rank = |known: &DeploymentState| {
        let failed = known.track.failure.as_ref().is_some_and(|(failure, _)| {
            matches!(failure.kind, FailureKind::Forbidden | FailureKind::Service)
        });
        let is_open = Some(known.uuid()) == shell.shared.deployments.open;
        (failed, !known.track.has_data(), !is_open)
    };
    let mut all: Vec<&DeploymentState> = shell.shared.deployments.list.iter().collect();
    all.sort_by_key(|deployment| rank(deployment));
    let tested = all.into_iter().take(TESTED_ON);
    tested
        .map(|known| (known.deployment.id.clone(), known.options(shell.shared.now)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialog_sends_nobody_elsewhere_for_a_token_that_was_refused() {
        let said = |kind| {
            let mut form = TokenForm::default();
            let failure = Failure::new(kind, "refused the token (401)", "Log in elsewhere.");
            form.refused(&failure);
            form.secret.error
        };
        let refused = said(FailureKind::NotAuthenticated);
        assert_eq!(refused, "refused the token (401); try another");
        assert!(said(FailureKind::Service).ends_with("Log in elsewhere."));
    }
}
