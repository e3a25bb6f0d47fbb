//! The pane below the requests: the selected one in full.

use super::Line;
use super::table::took;
use crate::dashboard::tabs::times::Times;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::lines::flow;
use crate::dashboard::widgets::sheet::Sheet;
use crate::exchange::{ExchangeOutcome, READ};
use crate::text;

/// Adds the chosen request in full, for a pane of this height.
pub(super) fn lines(sheet: &mut Sheet, height: u16, chosen: &Line, times: &Times, theme: Theme) {
    let exchange = &chosen.exchange;
    let status = exchange.status.map(|status| format!(" {status}"));
    let method = format!("{}{}", exchange.method, status.unwrap_or_default());
    let begun = match exchange.method {
        READ => READ,
        _ => "sent",
    };
    let sent = times.moment_in_zone(exchange.started_at.floor());
    let mut items = vec![
        ("", method, theme.heading()),
        ("", chosen.subject.clone(), theme.text()),
        (begun, sent.clone(), theme.text()),
    ];
    if exchange.attempt.number > 1 || exchange.retry_in_s.is_some() {
        items.push(("attempt", exchange.attempt.to_string(), theme.text()));
    }
    if chosen.progress.is_none() {
        items.push(("took", took(exchange.duration_s), theme.text()));
        items.push(("size", text::bytes(exchange.bytes), theme.text()));
    }
    let mut words = chosen.words(times.now);
    // On two lines the outcome comes before the subject.
    if height > 2 {
        sheet.pieces(flow(&items, sheet.width(), theme));
    } else {
        words.push_str(&format!("; {begun} {sent}"));
    }
    let style = match exchange.outcome {
        ExchangeOutcome::Unusable(_) => theme.bad(),
        ExchangeOutcome::UnderWay => theme.text(),
        _ if exchange.outcome.is_failure() => theme.warning(),
        _ => theme.text(),
    };
    sheet.wrapped(0, &words, style);
    // On a single line the middle of a long URL is cut.
    let url = if sheet.height() + 1 < height {
        exchange.url.clone()
    } else {
        text::fit_ends(&exchange.url, usize::from(sheet.width()))
    };
    sheet.wrapped(0, &url, theme.dim());
}
