//! The requests in progress, then all that were made. No column shows the token.

pub(super) mod detail;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::connection::spinner;
use super::event::RequestId;
use super::format;
use super::layout::{Area, Parts};
use super::model::{Model, TrackSource};
use super::tab::TabId;
use super::theme::Theme;
use super::widgets::table::{Cell, Column, Look, Table, Take, Wider, chosen, explain};
use crate::exchange::{ASK, Exchange, ExchangeOutcome, Progress, READ, RUN};
use crate::text;
use crate::track::remote::Remote;

/// Maximum number of requests on the Activity tab.
const EXCHANGES_MAX: usize = 1000;

impl Model {
    /// Shows how far a request is. When it turns slow, the next one begins.
    pub(crate) fn progressed(&mut self, request: RequestId, progress: Progress) {
        let under_way = self.under_way.iter_mut();
        for (_, known) in under_way.filter(|(exchange, _)| exchange.id == progress.exchange) {
            *known = progress;
        }
        let loading = self
            .deployments
            .with_request(request)
            .and_then(|uuid| self.deployments.get_mut(uuid))
            .and_then(|deployment| deployment.track.loading.as_mut());
        let Some(loading) = loading else {
            return;
        };
        let turned_slow = progress.is_slow && !loading.progress.is_slow;
        loading.progress = progress;
        if turned_slow {
            self.refresh_due();
        }
    }

    /// A request has begun or ended. The cursor stays on its request; on the
    /// first row it stays on the first row.
    pub(crate) fn exchange_reported(&mut self, mut exchange: Exchange) {
        if self.source == TrackSource::Files {
            // That its track comes by HTTP, from this program itself, is no concern of the user.
            exchange.url = subject(self, &exchange);
            exchange.method = READ;
            exchange.status = None;
        }
        let chosen = match self.activity.cursor {
            0 => None,
            cursor => self
                .shown_exchanges()
                .nth(cursor)
                .map(|exchange| exchange.id),
        };
        if exchange.is_under_way() {
            self.under_way.push((exchange, Progress::default()));
        } else {
            self.under_way.retain(|(known, _)| known.id != exchange.id);
            self.exchanges.push_back(exchange);
            if self.exchanges.len() > EXCHANGES_MAX {
                self.exchanges.pop_front();
            }
        }
        let row = chosen.and_then(|id| {
            self.shown_exchanges()
                .position(|exchange| exchange.id == id)
        });
        if let Some(row) = row {
            self.activity.cursor = row;
        }
    }
}

/// The columns of the requests, in their usual order. Method, status and the end of
/// the address, which differs, are there at any width.
pub(crate) const COLUMNS: &[Column<Exchange>] = &[
    Column {
        name: "time",
        title: Some(|look| format::time_title(look.model)),
        // On a narrow screen the day is in the pane below.
        width: |visible| if visible.look.width < 96 { 8 } else { 14 },
        rank: 50,
        cell: |exchange, look| {
            let model = look.model;
            let at = exchange.started_at.floor();
            let moment = format::short_moment(model, at);
            Cell::new(moment, look.theme.dim()).or(format::clock(model, at))
        },
        ..Column::LEFT
    },
    Column {
        name: "subject",
        width: |visible| visible.longest().clamp(18, 28),
        // A name is worth more than the address, which is in the pane below.
        wider: &[Wider {
            rank: 35,
            cells: |visible| visible.longest().min(36),
            take: Take::Part,
        }],
        rank: 10,
        cut: text::fit_name,
        cell: |exchange, look| Cell::new(subject(look.model, exchange), look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "method",
        width: |_| 6,
        rank: 20,
        cell: |exchange, look| Cell::new(exchange.method, look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "status",
        width: |_| 6,
        rank: 0,
        cell: |exchange, look| {
            let status = match (exchange.status, look.model.progress_of(exchange)) {
                (Some(status), _) => status.to_string(),
                (None, Some(_)) => spinner(look.model, look.theme).to_owned(),
                (None, None) => look.theme.glyph("–", "-").to_owned(),
            };
            Cell::new(status, outcome_style(exchange, look.theme))
        },
        ..Column::RIGHT
    },
    Column {
        name: "took",
        width: |_| 8,
        rank: 60,
        cell: |exchange, look| {
            let seconds = match look.model.progress_of(exchange) {
                // Whole seconds: it would turn with every frame.
                Some(_) => since(exchange, look.model).floor(),
                None => exchange.duration_s,
            };
            Cell::new(took(seconds), look.theme.text())
        },
        ..Column::RIGHT
    },
    Column {
        name: "size",
        width: |_| 9,
        rank: 70,
        cell: |exchange, look| {
            let progress = look.model.progress_of(exchange);
            let bytes = progress.map_or(exchange.bytes, |progress| progress.bytes);
            Cell::new(text::bytes(bytes), look.theme.text())
        },
        ..Column::RIGHT
    },
    Column {
        name: "outcome",
        // That of a request that has succeeded is whole; more is in the pane below.
        width: |_| 14,
        wider: &[
            Wider {
                rank: 72,
                cells: |_| 24,
                take: Take::Part,
            },
            Wider::REST,
        ],
        is_text: true,
        rank: 30,
        cell: |exchange, look| {
            let words = match look.model.progress_of(exchange) {
                Some(progress) => format::transfer(progress, since(exchange, look.model)),
                None => exchange.detail(),
            };
            Cell::new(words, outcome_style(exchange, look.theme))
        },
        ..Column::LEFT
    },
    Column {
        name: "address",
        width: |_| 8,
        // Its start, and a UUID at its end.
        wider: &[Wider {
            rank: 75,
            cells: |_| 54,
            take: Take::Part,
        }],
        is_text: true,
        rank: 40,
        cut: text::fit_ends,
        cell: |exchange, look| Cell::new(&exchange.url, look.theme.dim()),
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

/// Seconds since a request was made.
fn since(exchange: &Exchange, model: &Model) -> f64 {
    (model.now - exchange.started_at).max(0.0)
}

/// Draws the requests in progress, then those that have ended, newest first.
pub(crate) fn draw(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    let rows = area.split_top(1).1;
    let state = model.activity;
    let visible = model.shown_exchanges().skip(state.top);
    let table = Table {
        columns: chosen(COLUMNS, model.columns.of(TabId::Activity)),
        rows: visible.take(usize::from(rows.height)).collect(),
        cursor: state.cursor.checked_sub(state.top),
        sorted: None,
    };
    table
        .laid(&Look::new(model, theme, area.width))
        .draw(buffer, area);
    if table.rows.is_empty() {
        let why = if model.exchanges.is_empty() && model.under_way.is_empty() {
            "This program has made no request yet."
        } else {
            "No request matches the filter; Esc clears it."
        };
        explain(buffer, rows.split_left(1).1, &[(why, theme.dim())]);
    }
}

/// The subject of a request: the name of its deployment, its plant, or for a run of the
/// alarm program the setting.
pub(crate) fn subject(model: &Model, exchange: &Exchange) -> String {
    if exchange.method == RUN {
        return "on_alarm".to_owned();
    }
    if exchange.method == READ {
        return exchange.url.clone();
    }
    if exchange.method == ASK {
        let (_, id) = exchange.url.split_once(' ').unwrap_or_default();
        return id.to_owned();
    }
    if let Some(uuid) = text::find_uuid(&exchange.url) {
        let known = model.deployments.get(uuid);
        return known.map_or_else(|| Remote::shown(uuid), |deployment| deployment.name());
    }
    let last = exchange.url.trim_end_matches('/').rsplit('/').next();
    match (exchange.method, last) {
        ("POST", _) => "new plant".to_owned(),
        ("DELETE", Some(id)) => format!("plant {id}"),
        _ => String::new(),
    }
}

/// `12 ms`, `1.84 s`.
pub(crate) fn took(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}
