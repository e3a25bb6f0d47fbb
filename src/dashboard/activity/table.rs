//! The table of the requests, and the pane below it with the selected one in full. No column shows the token.

use ratatui::style::Style;

use super::{ActivityTab, Line};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::layout::Parts;
use crate::dashboard::progress::spinner;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::times::Times;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::lines::flow;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table::{Cell, Column, chosen, explain};
use crate::exchange::{Exchange, ExchangeOutcome, READ};
use crate::text;

/// The columns of the requests, in their usual order. Method, status and the end of
/// the address, which differs, are there at any width.
pub(crate) const COLUMNS: &[Column<Line, Times>] = &[
    Column {
        name: "time",
        title: Some(|look| look.model.title()),
        // On a narrow screen the day is in the pane below.
        cells: |visible| [if visible.look.width < 96 { 8 } else { 14 }; 2],
        rank: 50,
        sort: Heading::Column("time"),
        cell: |line, look| {
            let at = line.exchange.started_at.floor();
            let moment = look.model.short_moment(at);
            Cell::new(moment, look.theme.dim()).or(look.model.clock(at))
        },
        ..Column::LEFT
    },
    Column {
        name: "subject",
        heading: Some("for"),
        // A name is worth more than the address, which is in the pane below.
        cells: |visible| [28, 36].map(|most| visible.longest().clamp(18, most)),
        is_text: true,
        rank: 10,
        long_rank: 35,
        cut: text::fit_name,
        sort: Heading::Column("subject"),
        cell: |line, look| Cell::new(&line.subject, look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "method",
        cells: |_| [6, 6],
        rank: 20,
        sort: Heading::Column("method"),
        cell: |line, look| Cell::new(line.exchange.method, look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "status",
        cells: |_| [6, 6],
        rank: 0,
        sort: Heading::Column("status"),
        cell: |line, look| {
            let status = match (line.exchange.status, &line.progress) {
                (Some(status), _) => status.to_string(),
                (None, Some(_)) => spinner(look.model.now, look.theme).to_owned(),
                (None, None) => look.theme.glyph("–", "-").to_owned(),
            };
            Cell::new(status, outcome_style(&line.exchange, look.theme))
        },
        ..Column::RIGHT
    },
    Column {
        name: "took",
        cells: |_| [8, 8],
        rank: 60,
        sort: Heading::Column("took"),
        cell: |line, look| {
            let seconds = match &line.progress {
                // Whole seconds: it would turn with every frame.
                Some(_) => line.exchange.since(look.model.now).floor(),
                None => line.exchange.duration_s,
            };
            Cell::new(took(seconds), look.theme.text())
        },
        ..Column::RIGHT
    },
    Column {
        name: "size",
        cells: |_| [9, 9],
        rank: 70,
        sort: Heading::Column("size"),
        cell: |line, look| {
            let progress = line.progress.as_ref();
            let bytes = progress.map_or(line.exchange.bytes, |progress| progress.bytes);
            Cell::new(text::bytes(bytes), look.theme.text())
        },
        ..Column::RIGHT
    },
    Column {
        name: "outcome",
        // That of a request that has succeeded is whole; more is in the pane below.
        cells: |_| [14, 24],
        is_text: true,
        rank: 30,
        long_rank: 72,
        fills: true,
        sort: Heading::Column("outcome"),
        cell: |line, look| {
            let words = line.words(look.model.now);
            Cell::new(words, outcome_style(&line.exchange, look.theme))
        },
        ..Column::LEFT
    },
    Column {
        name: "address",
        // Its start, and a UUID at its end.
        cells: |_| [8, 54],
        is_text: true,
        rank: 40,
        long_rank: 75,
        cut: text::fit_ends,
        sort: Heading::Column("address"),
        cell: |line, look| Cell::new(&line.exchange.url, look.theme.dim()),
        ..Column::LEFT
    },
];

fn outcome_style(exchange: &Exchange, theme: Theme) -> Style {
    match &exchange.outcome {
        ExchangeOutcome::UnderWay => theme.text(),
        ExchangeOutcome::Done(_) => theme.good(),
        ExchangeOutcome::Failed(_) if exchange.status.is_some() => theme.warning(),
        ExchangeOutcome::Failed(_) | ExchangeOutcome::Unusable(_) | ExchangeOutcome::Cancelled => {
            theme.bad()
        }
    }
}

/// Draws the shown requests.
pub(super) fn draw(tab: &ActivityTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let area = canvas.layout.table;
    let visible = tab.rows.visible(area);
    let lines = visible.filter_map(|row| tab.all.get(row).cloned());
    let lines: Vec<Line> = lines.collect();
    let columns = chosen(COLUMNS, shared.screen.columns.shown(TabId::Activity));
    tab.rows.draw(canvas, shared, columns, &lines);
    if lines.is_empty() {
        let why = if tab.all.is_empty() {
            "This program has made no request yet."
        } else {
            "No request matches the filter; Esc clears it."
        };
        let below = area.split_top(1).1.split_left(1).1;
        explain(canvas.buffer, below, &[(why, canvas.theme.dim())]);
    }
}

/// `12 ms`, `1.84 s`.
fn took(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}

/// Adds the chosen request in full, for a pane of this height.
pub(super) fn detail(sheet: &mut Sheet, height: u16, chosen: &Line, times: &Times, theme: Theme) {
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
