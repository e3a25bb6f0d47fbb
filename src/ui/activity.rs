//! Every request under way, then every request that was made; the token never.

use ratatui::buffer::Buffer;

use super::columns::{Fitted, column, flexible};
use super::connection::spinner;
use super::format;
use super::paint::{highlight_matches, put, set_row_style};
use super::theme::Theme;
use crate::app::Model;
use crate::app::layout::Area;
use crate::exchange::{Exchange, ExchangeOutcome, RUN};
use crate::text;

const TIME: usize = 0;
const SUBJECT: usize = 1;
const METHOD: usize = 2;
const STATUS: usize = 3;
const DURATION: usize = 4;
const SIZE: usize = 5;
const OUTCOME: usize = 6;
const ADDRESS: usize = 7;

/// Most cells that a column gives way for, so that an outcome is whole.
const LONGEST_OUTCOME: usize = 16;

/// The widest name that other columns give way to, cells.
const WIDEST_SUBJECT: u16 = 36;

/// Cells of the progress of a transfer with its rate and the time left.
const PROGRESS: u16 = 44;

/// Width from which the address gets what the outcome leaves.
const WIDE: u16 = 130;

/// The widths of columns, so that method, status and the end of the address, which
/// differs, are there at any width.
struct Widths {
    time: u16,
    subject: u16,
    outcome: u16,
    address: u16,
}

impl Widths {
    fn at(width: u16) -> Self {
        let (time, subject, outcome, address) = match width {
            0..72 => (8, 24, 11, 8),
            72..96 => (8, 26, 11, 9),
            96..130 => (14, 28, 14, 12),
            _ => (14, 36, 24, 36),
        };
        Self {
            time,
            subject,
            outcome,
            address,
        }
    }
}

/// The requests under way, then those that have ended, newest first.
pub(super) fn table(buffer: &mut Buffer, area: Area, rows: Area, model: &Model, theme: Theme) {
    let time = if model.shown_zone().is_some() {
        "time"
    } else {
        "time UTC"
    };
    let widths = Widths::at(area.width);
    let longest = widths.subject;
    let visible = || {
        let from = model.shown_exchanges().skip(model.activity.top);
        from.take(usize::from(rows.height))
    };
    // Those that went well have few words, which are whole; the words of an error are
    // in the pane below.
    let done = visible().filter(|one| matches!(one.outcome, ExchangeOutcome::Done(_)));
    let outcomes = done
        .map(|one| text::width(&one.detail()))
        .max()
        .unwrap_or(0);
    let outcomes = u16::try_from(outcomes.min(LONGEST_OUTCOME)).unwrap_or(0);
    let subjects = visible().map(|one| text::width(&subject(model, one)));
    let subjects = u16::try_from(subjects.max().unwrap_or(0)).unwrap_or(longest);
    let mut outcome = widths.outcome.max(outcomes);
    let named = subjects.clamp(longest.min(18), longest);
    if area.width >= WIDE {
        // Outcome and address share what the others leave: the address is whole first.
        let longest = |part: fn(&Exchange) -> String| {
            let all = visible().map(|one| text::width(&part(one))).max();
            u16::try_from(all.unwrap_or(0)).unwrap_or(u16::MAX)
        };
        let others = widths.time + named + 6 + 6 + 8 + 9 + 7;
        let room = area.width.saturating_sub(others);
        let rest = room.saturating_sub(longest(|one| one.url.clone()));
        let is_under_way = |one: &Exchange| matches!(one.outcome, ExchangeOutcome::UnderWay);
        let words = match visible().any(is_under_way) {
            true => longest(Exchange::detail).max(PROGRESS),
            false => longest(Exchange::detail),
        };
        outcome = words.clamp(outcome, rest.max(outcome));
    }
    // On a narrow screen a name is worth more than the address, which is in the pane
    // below: method, status and outcome stay.
    let beside = 6 + 6 + outcome + 3;
    let most = match area.width {
        ..96 => area
            .width
            .saturating_sub(beside)
            .clamp(longest, WIDEST_SUBJECT),
        _ => longest,
    };
    let mut columns = [
        column(time, widths.time, false, 5),
        column("subject", subjects.clamp(longest.min(18), most), false, 1),
        column("method", 6, false, 2),
        column("status", 6, true, 0),
        column("took", 8, true, 6),
        column("size", 9, true, 7),
        flexible("outcome", outcome, 3),
        match area.width >= WIDE {
            true => flexible("address", widths.address, 4),
            false => column("address", widths.address, false, 4),
        },
    ];
    let fitted = Fitted::chosen(&mut columns, &model.columns.activity, area.width);
    fitted.heading(buffer, area, theme.heading(), None);
    fitted.zone_heading(buffer, area, (TIME, ""), model, theme.heading());
    if model.exchanges.is_empty() && model.under_way.is_empty() {
        put(
            buffer,
            rows.at(2, 1),
            "No request has been made yet.",
            theme.dim(),
        );
        return;
    }
    if model.shown_exchanges().next().is_none() {
        let message = "No request matches the filter; Esc clears it.";
        put(buffer, rows.at(2, 1), message, theme.dim());
        return;
    }
    let table = model.activity;
    let seen = model
        .shown_exchanges()
        .enumerate()
        .skip(table.top)
        .take(usize::from(rows.height));
    for (line, (place, exchange)) in (0u16..).zip(seen) {
        let style = match &exchange.outcome {
            ExchangeOutcome::UnderWay => theme.accent(),
            ExchangeOutcome::Done(_) => theme.good(),
            ExchangeOutcome::Failed(_) if exchange.status.is_some() => theme.warning(),
            ExchangeOutcome::Failed(_)
            | ExchangeOutcome::Unusable(_)
            | ExchangeOutcome::Cancelled => theme.bad(),
        };
        let progress = model.progress_of(exchange);
        let status = match (exchange.status, progress) {
            (Some(status), _) => status.to_string(),
            (None, Some(_)) => spinner(model, theme).to_owned(),
            (None, None) => theme.glyph("–", "-").to_owned(),
        };
        let (duration_s, bytes, words) = match progress {
            Some(progress) => {
                let since = (model.now - exchange.started_at).max(0.0);
                // Whole seconds: it would turn with every frame.
                (
                    since.floor(),
                    progress.bytes,
                    format::transfer(progress, since),
                )
            }
            None => (exchange.duration_s, exchange.bytes, exchange.detail()),
        };
        let mut cell = |column: usize, content: &str, style| {
            fitted.cell(buffer, rows, line, column, content, style)
        };
        let moment = format::short_moment(model, exchange.started_at.floor());
        let moment = match fitted.width(TIME) {
            // The day is in the pane below.
            Some(..14) => moment.split_once(' ').map_or("", |(_, clock)| clock),
            _ => &moment,
        };
        cell(TIME, moment, theme.dim());
        cell(METHOD, exchange.method, theme.text());
        cell(STATUS, &status, style);
        cell(DURATION, &took(duration_s), theme.text());
        cell(SIZE, &text::bytes(bytes), theme.text());
        let room = fitted.width(SUBJECT).map_or(0, usize::from);
        let name = text::fit_name(&subject(model, exchange), room);
        cell(SUBJECT, &name, theme.text());
        cell(OUTCOME, &words, style);
        let room = fitted.width(ADDRESS).map_or(0, usize::from);
        cell(ADDRESS, &text::fit_ends(&exchange.url, room), theme.dim());
        if place == table.cursor {
            set_row_style(buffer, rows.at(0, line), theme.chosen());
        }
        if let Some(search) = &model.search {
            highlight_matches(buffer, rows.at(0, line), &search.text, theme.accent());
        }
    }
}

/// What a request is about: the name of its deployment, or its plant; of a run of
/// the program that is told of alarms, its setting.
pub(super) fn subject(model: &Model, exchange: &Exchange) -> String {
    if exchange.method == RUN {
        return "on_alarm".to_owned();
    }
    if let Some(uuid) = text::find_uuid(&exchange.url) {
        let known = model.deployments.get(uuid);
        return known.map_or_else(|| uuid.to_string(), |one| one.name());
    }
    let last = exchange.url.trim_end_matches('/').rsplit('/').next();
    match (exchange.method, last) {
        ("POST", _) => "new plant".to_owned(),
        ("DELETE", Some(id)) => format!("plant {id}"),
        _ => String::new(),
    }
}

/// `12 ms`, `1.84 s`.
pub(super) fn took(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}
