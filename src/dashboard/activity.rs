//! The Activity tab: the requests in progress, then all that were made.

mod table;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::canvas::Canvas;
use super::deployments::list::Deployments;
use super::event::Event;
use super::keymap::Action;
use super::progress;
use super::shared::Shared;
use super::tabs::rows::Rows;
use super::tabs::{Form, Outcome, RowsTab, TabAction, actions};
use super::theme::Theme;
use super::widgets::sheet::Sheet;
use super::widgets::table::names;
use crate::exchange::{Exchange, Progress, READ, RUN, Subject};
use crate::text::has_word;

/// Maximum number of requests.
const EXCHANGES_MAX: usize = 1000;

actions! {
    Open, "enter", "Open the deployment of the request", "open" of row;
}

/// The tab.
#[derive(Debug, Clone)]
pub(crate) struct ActivityTab {
    rows: Rows,
    /// All requests: those in progress, then those that have ended, newest first. Beyond a limit
    /// the oldest are dropped.
    pub(in crate::dashboard) all: VecDeque<Line>,
}

impl Default for ActivityTab {
    fn default() -> Self {
        Self {
            rows: Rows::new("time"),
            all: VecDeque::new(),
        }
    }
}

/// A request as a line of the table.
#[derive(Debug, Clone)]
pub(in crate::dashboard) struct Line {
    pub(in crate::dashboard) exchange: Exchange,
    /// What it is about, by the name of its time.
    subject: String,
    /// `None` once it has ended.
    progress: Option<Progress>,
}

impl Line {
    /// How far it is, or how it has ended.
    fn words(&self, now: f64) -> String {
        match &self.progress {
            Some(progress) => progress::transfer(progress, self.exchange.since(now)),
            None => self.exchange.detail(),
        }
    }
}

impl ActivityTab {
    /// A request, by its index among all.
    fn exchange(&self, row: usize) -> Option<&Exchange> {
        self.all.get(row).map(|line| &line.exchange)
    }
}

impl RowsTab for ActivityTab {
    fn rows(&self) -> &Rows {
        &self.rows
    }

    fn rows_mut(&mut self) -> &mut Rows {
        &mut self.rows
    }

    fn len(&self) -> usize {
        self.all.len()
    }

    fn subject(&self, row: usize) -> Option<String> {
        Some(self.exchange(row)?.id.to_string())
    }

    fn has_word(&self, row: usize, word: &str) -> bool {
        let has_it = |line: &Line| {
            line.exchange.contains(word) || has_word(&line.subject.to_lowercase(), word)
        };
        self.all.get(row).is_some_and(has_it)
    }

    fn compare(&self, column: &str, row: usize, other: usize) -> Ordering {
        let (Some(line), Some(other_line)) = (self.all.get(row), self.all.get(other)) else {
            return Ordering::Equal;
        };
        let (one, other) = (&line.exchange, &other_line.exchange);
        match column {
            "subject" => line.subject.cmp(&other_line.subject),
            "method" => one.method.cmp(other.method),
            "status" => one.status.cmp(&other.status),
            "took" => one.duration_s.total_cmp(&other.duration_s),
            "size" => one.bytes.cmp(&other.bytes),
            "outcome" => one.detail().cmp(&other.detail()),
            "time" => one.started_at.total_cmp(&other.started_at),
            "address" => one.url.cmp(&other.url),
            _ => Ordering::Equal,
        }
    }

    fn columns(&self) -> Vec<&'static str> {
        names(table::COLUMNS)
    }

    fn forms(&self, row: usize) -> Vec<Form> {
        let Some(exchange) = self.exchange(row) else {
            return Vec::new();
        };
        let method = exchange.method;
        let url = &exchange.url;
        let status = exchange
            .status
            .map_or_else(|| "-".to_owned(), |status| status.to_string());
        vec![
            ("request", format!("{method} {url} {status}")),
            ("URL", url.clone()),
        ]
    }

    fn hint(&self) -> &'static str {
        "words of name, URL, method, status, outcome"
    }

    fn titles(&self) -> [String; 2] {
        ["Activity".to_owned(), "Request".to_owned()]
    }

    fn actions(&self) -> &'static [TabAction] {
        ACTIONS
    }

    fn key(&mut self, action: Action, shared: &mut Shared) -> Outcome {
        if action != Action::Open {
            return Outcome::Done;
        }
        let Some(exchange) = self.rows.selected().and_then(|row| self.exchange(row)) else {
            return Outcome::Say("there is no request to open".to_owned());
        };
        match exchange.subject {
            Some(Subject::Deployment(uuid)) if shared.deployments.get(uuid).is_some() => {
                Outcome::OpenTrack(uuid)
            }
            _ => Outcome::Say("this request is about no deployment on the list".to_owned()),
        }
    }

    fn event(&mut self, event: &Event, shared: &Shared) -> bool {
        match event {
            Event::Exchange(exchange) => {
                let is_under_way = exchange.is_under_way();
                let line = Line {
                    exchange: exchange.clone(),
                    subject: subject(exchange, &shared.deployments),
                    progress: is_under_way.then(Progress::default),
                };
                self.all.retain(|known| known.exchange.id != exchange.id);
                let first_ended = self.all.partition_point(|known| known.progress.is_some());
                let place = if is_under_way { 0 } else { first_ended };
                self.all.insert(place, line);
                self.all.truncate(EXCHANGES_MAX);
            }
            Event::Progress { progress, .. } => {
                let mut known = self.all.iter_mut();
                let of_it = known.find(|line| line.exchange.id == progress.exchange);
                if let Some(known) = of_it.and_then(|line| line.progress.as_mut()) {
                    *known = *progress;
                }
            }
            _ => return false,
        }
        true
    }

    fn is_busy(&self) -> bool {
        self.all.front().is_some_and(|line| line.progress.is_some())
    }

    fn draw_table(&self, canvas: &mut Canvas<'_>, shared: &Shared) {
        table::draw(self, canvas, shared);
    }

    fn detail(&self, sheet: &mut Sheet, height: u16, shared: &Shared, theme: Theme) {
        if let Some(line) = self.rows.selected().and_then(|row| self.all.get(row)) {
            table::detail(sheet, height, line, &shared.times(), theme);
        }
    }
}

/// The subject of a request: the name of its deployment, its plant, or for a run of the
/// alarm program the setting.
pub(in crate::dashboard) fn subject(exchange: &Exchange, deployments: &Deployments) -> String {
    if exchange.method == RUN {
        return "on_alarm".to_owned();
    }
    if exchange.method == READ {
        return exchange.url.clone();
    }
    match &exchange.subject {
        Some(Subject::Deployment(uuid)) => {
            let name = deployments.name_by_id(*uuid);
            name.unwrap_or_else(|| uuid.to_string())
        }
        Some(Subject::Plant(id)) => format!("plant {id}"),
        None => String::new(),
    }
}
