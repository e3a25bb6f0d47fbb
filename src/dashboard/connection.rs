//! The connection to the service: its state, and how the header shows it.

use ratatui::style::Style;
use uuid::Uuid;

use super::deployments::fetch_state::Loading;
use super::keymap::Action;
use super::model::{Model, TrackSource};
use super::progress;
use super::theme::Theme;
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use crate::text;

/// Cells of a reason at most.
const REASON: usize = 60;

/// The state of the connection to the service.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Connection {
    /// No request was sent yet.
    #[default]
    Untried,
    /// The last request succeeded, at this time (UNIX seconds); before the first, that of another
    /// program on the archive.
    Good(f64),
    /// The last request failed, at this time; for a service that responds, the requests
    /// of all deployments failed.
    Failing(Failure, f64),
    /// Every response so far was 401 or 403, or there is no token.
    Refused(Failure),
}

impl Model {
    /// A request for a deployment failed: updates the state of the service.
    pub(crate) fn failed(&mut self, uuid: Uuid, failure: Failure) {
        self.deployments.count_active(self.now);
        self.deployments.agenda.failed(uuid, &failure, self.now);
        match failure.kind {
            FailureKind::NotAuthenticated | FailureKind::Forbidden => {
                return self.refused(failure);
            }
            FailureKind::Service | FailureKind::NotUnderstood => self.token.accept(),
            _ => {}
        }
        // A service that responds works where its other answers say so.
        let works = !self.deployments.agenda.service().fails()
            && match Refusal::from_failure(&failure) {
                Some(Refusal::OfDeployment | Refusal::Withdrawn | Refusal::AmongAnswers) => true,
                Some(Refusal::Useless | Refusal::OfProgram) => {
                    let mut all = self.deployments.list.iter();
                    all.any(|deployment| deployment.track.is_answered)
                }
                Some(Refusal::Unreached) | None => false,
            };
        self.connection = if works {
            Connection::Good(self.now)
        } else {
            Connection::Failing(failure, self.now)
        };
    }

    /// A request was answered with 401 or 403, or there is no token.
    pub(crate) fn refused(&mut self, failure: Failure) {
        self.connection = if self.token.refused(&failure, self.now) {
            Connection::Refused(failure)
        } else if failure.kind == FailureKind::Forbidden
            && !self.deployments.agenda.service().fails()
        {
            // It is about the request: the service works.
            Connection::Good(self.now)
        } else {
            Connection::Failing(failure, self.now)
        };
    }
}

/// The sign of the connection, its labels from the longest to the shortest, and its
/// style.
pub(crate) fn sign(model: &Model, theme: Theme) -> (&'static str, Vec<String>, Style) {
    let bad = theme.glyph("✖", "x");
    // A request without a response yet changes nothing about a failing service.
    let fails = matches!(model.connection, Connection::Failing(..));
    let waits = waiting(model).filter(|_| !fails || has_brought(model));
    let connected = match model.source {
        TrackSource::Files => "read",
        _ => "connected",
    };
    match (&model.connection, waits) {
        (Connection::Refused(_), _) => {
            let key = model.key_of(Action::Login);
            (bad, vec![format!("no valid token: {key}")], theme.bad())
        }
        (_, Some(labels)) => (progress::spinner(model.now, theme), labels, theme.text()),
        (Connection::Untried, None) => (
            theme.glyph("–", "-"),
            ["no answer yet", "no answer"].map(str::to_owned).to_vec(),
            theme.dim(),
        ),
        (Connection::Good(_), None) => (
            theme.glyph("●", "+"),
            vec![connected.to_owned()],
            theme.good(),
        ),
        (Connection::Failing(failure, _), None) => {
            let labels = failing(model, failure).into_iter();
            let labels = labels.map(|label| text::fit(&label, REASON));
            (bad, labels.collect(), theme.bad())
        }
    }
}

/// Why no request succeeds: of a service that responds, that it fails and how; where
/// deployments fail in several ways, how many do.
fn failing(model: &Model, failure: &Failure) -> Vec<String> {
    if let Some((failed, of)) = model.deployments.agenda.service().mixed() {
        let failed = text::count(failed);
        let of = text::count(of);
        return vec![format!("{failed} of {of} failed")];
    }
    let of_service = |why: String| {
        // The status must fit.
        vec![format!("service fails: {why}"), format!("fails: {why}")]
    };
    let status = failure.service.as_ref().map(|error| error.status);
    if let Some(status) = status.filter(|_| failure.is_refusal()) {
        // It may be the token, which the user can change.
        let key = model.key_of(Action::Login);
        return vec![
            format!("service refuses ({status}); {key}: token"),
            format!("refuses ({status}); {key}"),
        ];
    }
    match status.filter(|_| failure.kind == FailureKind::Service) {
        Some(status) => of_service(status.to_string()),
        None if matches!(
            Refusal::from_failure(failure),
            Some(Refusal::Useless | Refusal::OfProgram)
        ) =>
        {
            of_service(failure.reason.clone())
        }
        None => {
            let short = Some(&failure.short).filter(|short| !short.is_empty());
            [&failure.reason]
                .into_iter()
                .chain(short)
                .cloned()
                .collect()
        }
    }
}

/// `true` if any data have been received by the requests in progress.
fn has_brought(model: &Model) -> bool {
    let mut loading = model.deployments.loading();
    loading.any(|(_, loading)| loading.progress.bytes > 0)
}

/// The loading labels, in full and in short: one transfer by itself, several summed up.
fn waiting(model: &Model) -> Option<Vec<String>> {
    let loading = model.deployments.loading();
    let loading: Vec<Loading> = loading.map(|(_, loading)| loading).collect();
    let bytes: u64 = loading.iter().map(|loading| loading.progress.bytes).sum();
    let total: Option<u64> = loading.iter().map(|loading| loading.progress.total).sum();
    let of = progress::bytes_of(bytes, total);
    let (what, so_far, long) = match loading.as_slice() {
        [] => return None,
        [single] => {
            let since = (model.now - single.since).max(0.0);
            let long = progress::transfer(&single.progress, since);
            ("loading".to_owned(), "loading ".to_owned(), long)
        }
        several => {
            let what = format!("loading {}", several.len());
            let so_far = format!("{what}: ");
            (what, so_far, of.clone())
        }
    };
    if bytes == 0 {
        return Some(vec![what]);
    }
    Some(match percent(bytes, total) {
        Some(percent) => vec![
            format!("{so_far}{percent} %, {long}"),
            format!("{so_far}{percent} %, {of}"),
            format!("{so_far}{percent} %"),
            format!("{percent} %"),
        ],
        None => vec![format!("{so_far}{long}"), format!("{so_far}{of}"), what],
    })
}

/// How much of a transfer has come, percent; 100 only once all has.
fn percent(bytes: u64, total: Option<u64>) -> Option<u64> {
    let total = total.filter(|total| *total > 0)?;
    Some(bytes.min(total).saturating_mul(100) / total)
}
