//! How the header shows the connection.

use crate::dashboard::connection::Connection;
use crate::dashboard::deployments::fetch_state::Loading;
use crate::dashboard::keymap::Action;
use crate::dashboard::progress;
use crate::dashboard::shared::Shared;
use crate::dashboard::shared::TrackSource;
use crate::dashboard::theme::Theme;
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use crate::text;
use ratatui::style::Style;

/// Cells of a reason at most.
const REASON: usize = 60;

/// The sign of the connection, its labels from the longest to the shortest, and its
/// style.
pub(crate) fn sign(shared: &Shared, theme: Theme) -> (&'static str, Vec<String>, Style) {
    let bad = theme.glyph("✖", "x");
    // A request without a response yet changes nothing about a failing service.
    let fails = matches!(shared.service.connection, Connection::Failing(..));
    let waits = waiting(shared).filter(|_| !fails || has_brought(shared));
    let connected = match shared.service.source {
        TrackSource::Files => "read",
        _ => "connected",
    };
    match (&shared.service.connection, waits) {
        (Connection::Refused(_), _) => {
            let key = shared.key_of(Action::Login);
            (bad, vec![format!("no valid token: {key}")], theme.bad())
        }
        (_, Some(labels)) => (progress::spinner(shared.now, theme), labels, theme.text()),
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
            let labels = failing(shared, failure).into_iter();
            let labels = labels.map(|label| text::fit(&label, REASON));
            (bad, labels.collect(), theme.bad())
        }
    }
}

/// Why no request succeeds: of a service that responds, that it fails and how; where
/// deployments fail in several ways, how many do.
fn failing(shared: &Shared, failure: &Failure) -> Vec<String> {
    if let Some((failed, of)) = shared.deployments.agenda.service().mixed() {
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
        let key = shared.key_of(Action::Login);
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
fn has_brought(shared: &Shared) -> bool {
    let mut loading = shared.deployments.loading();
    loading.any(|(_, loading)| loading.progress.bytes > 0)
}

/// The loading labels, in full and in short: one transfer by itself, several summed up.
fn waiting(shared: &Shared) -> Option<Vec<String>> {
    let loading = shared.deployments.loading();
    let loading: Vec<Loading> = loading.map(|(_, loading)| loading).collect();
    let bytes: u64 = loading.iter().map(|loading| loading.progress.bytes).sum();
    let total: Option<u64> = loading.iter().map(|loading| loading.progress.total).sum();
    let of = progress::bytes_of(bytes, total);
    let (what, so_far, long) = match loading.as_slice() {
        [] => return None,
        [single] => {
            let since = (shared.now - single.since).max(0.0);
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
