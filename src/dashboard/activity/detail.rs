//! The pane below the requests: the selected one in full.

use ratatui::buffer::Buffer;

use super::Line;
use super::table::took;
use crate::dashboard::layout::Area;
use crate::dashboard::tabs::times::Times;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::lines::{flow, paragraph};
use crate::exchange::ExchangeOutcome;
use crate::text;

/// The chosen request in full.
pub(super) fn draw(buffer: &mut Buffer, area: Area, chosen: &Line, times: &Times, theme: Theme) {
    let exchange = &chosen.exchange;
    let status = exchange.status.map(|status| format!(" {status}"));
    let method = format!("{}{}", exchange.method, status.unwrap_or_default());
    let sent = times.moment_in_zone(exchange.started_at.floor());
    let mut items = vec![
        ("", method, theme.heading()),
        ("", chosen.subject.clone(), theme.text()),
        ("sent", sent.clone(), theme.text()),
    ];
    if exchange.attempt.number > 1 || exchange.retry_in_s.is_some() {
        items.push(("attempt", exchange.attempt.to_string(), theme.text()));
    }
    if chosen.progress.is_none() {
        let took = took(exchange.duration_s);
        items.push(("took", took, theme.text()));
        let size = text::bytes(exchange.bytes);
        items.push(("size", size, theme.text()));
    }
    let mut line = 0;
    // On two lines the outcome comes before the subject.
    if area.height > 2 {
        flow(buffer, area, line, &items, theme);
        line += 1;
    }
    let style = match exchange.outcome {
        ExchangeOutcome::Unusable(_) => theme.bad(),
        ExchangeOutcome::UnderWay => theme.text(),
        _ if exchange.outcome.is_failure() => theme.warning(),
        _ => theme.text(),
    };
    let words = chosen.words(times.now);
    let words = match line {
        0 => format!("{words}; sent {sent}"),
        _ => words,
    };
    line = paragraph(buffer, area, line, &words, style);
    // A long URL gets a second line for its last part, which says most; on a single line
    // its middle is cut.
    let width = usize::from(area.width);
    if text::width(&exchange.url) > width
        && line + 1 < area.height
        && let Some(last) = exchange.url.rfind('/')
    {
        let (before, last) = exchange.url.split_at(last + 1);
        line = paragraph(buffer, area, line, before, theme.dim());
        paragraph(buffer, area, line, last, theme.dim());
    } else {
        let url = text::fit_ends(&exchange.url, width);
        paragraph(buffer, area, line, &url, theme.dim());
    }
}
