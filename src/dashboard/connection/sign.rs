//! How the header shows the connection.

use crate::dashboard::connection::Connection;
use crate::dashboard::deployments::fetch_state::Loading;
use crate::dashboard::keymap::Action;
use crate::dashboard::progress;
use crate::dashboard::shared::{Shared, TrackSource};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::text::Text;
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use crate::text;
use ratatui::style::Style;

/// Cells of a reason at most.
const REASON: usize = 60;

/// The sign of the connection, its label and its style.
pub(crate) fn sign(shared: &Shared, theme: Theme) -> (&'static str, Text, Style) {
    let bad = theme.glyph("✖", "x");
    // A request without a response yet changes nothing about a failing service.
    let fails = matches!(shared.service.connection, Connection::Failing(..));
    let waits = waiting(shared).filter(|_| !fails || has_brought(shared));
    let connected = || match shared.service.source {
        TrackSource::Files => files(shared),
        _ => "connected".into(),
    };
    match (&shared.service.connection, waits) {
        (Connection::Refused(_), _) => {
            let key = shared.key_of(Action::Login);
            (bad, format!("no valid token: {key}").into(), theme.bad())
        }
        (_, Some(label)) => (progress::spinner(shared.now, theme), label, theme.text()),
        (Connection::Untried, None) => {
            let label = Text::from("no answer yet").or("not yet");
            (theme.glyph("–", "-"), label, theme.dim())
        }
        (Connection::Good(_), None) => (theme.glyph("●", "+"), connected(), theme.good()),
        (Connection::Failing(failure, _), None) => (bad, failing(shared, failure), theme.bad()),
    }
}

/// The files that were read, their fixes, and how many of them failed where all tracks are known.
fn files(shared: &Shared) -> Text {
    let list = &shared.deployments.list;
    let files = text::counted(list.len(), "file", "files");
    let overviews = list.iter().filter_map(|file| file.overview());
    let fixes = overviews.map(|overview| overview.fixes).sum();
    let tracks = list
        .iter()
        .map(|file| Some(file.track.get()?.summary().fail));
    let failed: Option<usize> = tracks.sum();
    let failed = failed.map_or_else(String::new, |failed| {
        format!(", {} failed", text::count(failed))
    });
    let fixes = text::counted(fixes, "fix", "fixes");
    Text::from(format!("{files}, {fixes}{failed}")).or(files)
}

/// Why no request succeeds: of a service that responds, that it fails and how; where
/// deployments fail in several ways, how many do.
fn failing(shared: &Shared, failure: &Failure) -> Text {
    if let Some((failed, of)) = shared.deployments.agenda.service().mixed() {
        let failed = text::count(failed);
        let of = text::count(of);
        return format!("{failed} of {of} failed").into();
    }
    let status = failure.service.as_ref().map(|error| error.status);
    if let Some(status) = status.filter(|_| failure.is_refusal()) {
        // It may be the token, which the user can change.
        let key = shared.key_of(Action::Login);
        return Text::from(format!("service refuses ({status}); {key}: token"))
            .or(format!("refuses ({status}); {key}"));
    }
    let is_of_service = matches!(
        Refusal::from_failure(failure),
        Some(Refusal::Useless | Refusal::OfProgram)
    );
    let why = match status.filter(|_| failure.kind == FailureKind::Service) {
        Some(status) => status.to_string(),
        None if is_of_service => failure.reason.clone(),
        None => {
            let why = text::fit(&failure.reason, REASON);
            return match failure.short.as_str() {
                "" => why.into(),
                short if why == failure.reason => Text::from(why).or(text::fit(short, REASON)),
                short => text::fit(short, REASON).into(),
            };
        }
    };
    // The status must fit.
    Text::from(text::fit(&format!("service fails: {why}"), REASON))
        .or(text::fit(&format!("fails: {why}"), REASON))
}

/// `true` if any data have been received by the requests in progress.
fn has_brought(shared: &Shared) -> bool {
    let mut loading = shared.deployments.loading();
    loading.any(|(_, loading)| loading.progress.bytes > 0)
}

/// The transfers in progress and how much has come: one transfer by itself, several summed up.
fn waiting(shared: &Shared) -> Option<Text> {
    let loading = shared.deployments.loading();
    let loading: Vec<Loading> = loading.map(|(_, loading)| loading).collect();
    let bytes: u64 = loading.iter().map(|loading| loading.progress.bytes).sum();
    let total: Option<u64> = loading.iter().map(|loading| loading.progress.total).sum();
    let (what, long) = match loading.as_slice() {
        [] => return None,
        [single] => {
            let since = (shared.now - single.since).max(0.0);
            let long = progress::transfer(&single.progress, since);
            ("loading".to_owned(), long)
        }
        several => {
            let what = format!("loading {}:", several.len());
            (what, progress::received(bytes, total))
        }
    };
    Some(match percent(bytes, total) {
        _ if bytes == 0 => what.trim_end_matches(':').into(),
        Some(percent) => {
            Text::from(format!("{what} {percent} %, {long}")).or(format!("{percent} %"))
        }
        None => Text::from(format!("{what} {long}")).or(what.trim_end_matches(':')),
    })
}

/// How much of a transfer has come, percent; 100 only once all has.
fn percent(bytes: u64, total: Option<u64>) -> Option<u64> {
    let total = total.filter(|total| *total > 0)?;
    Some(bytes.min(total).saturating_mul(100) / total)
}
