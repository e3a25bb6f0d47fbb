//! Reports every exchange to an observer, including one whose future was
//! dropped.

use std::{sync::Arc, time::Instant};

use reqwest::Url;

use crate::auth::Token;
use crate::clock::unix_now;
use crate::exchange::{Exchange, ExchangeOutcome, Progress};

/// A callback that receives every completed exchange.
pub(crate) type Observer = Arc<dyn Fn(Exchange) + Send + Sync>;

/// A callback that receives the progress of a download at intervals.
pub(crate) type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// An exchange in progress. Dropping it reports the exchange, as cancelled if
/// no outcome was set.
pub(super) struct Recording {
    observer: Option<Observer>,
    /// Redacted from what is reported.
    token: Token,
    exchange: Exchange,
    started: Instant,
    ended: bool,
}

impl Recording {
    pub(super) fn start(
        observer: Option<Observer>,
        token: Token,
        method: &'static str,
        url: &Url,
        attempt: (u32, u32),
    ) -> Self {
        let url = format!("{}{}", url.origin().ascii_serialization(), url.path());
        Self {
            observer,
            token,
            exchange: Exchange {
                started_at: unix_now(),
                method,
                url: crate::text::excerpt(&url, 300),
                status: None,
                duration_s: 0.0,
                bytes: 0,
                outcome: ExchangeOutcome::Cancelled,
                retry_in_s: None,
                attempt,
            },
            started: Instant::now(),
            ended: false,
        }
    }

    pub(super) fn status(&mut self, status: u16) {
        self.exchange.status = Some(status);
    }

    pub(super) fn bytes(&mut self, bytes: usize) {
        self.exchange.bytes = bytes as u64;
    }

    /// Records success; `held` describes the content of the response.
    pub(super) fn done(&mut self, held: impl Into<String>) {
        self.end(ExchangeOutcome::Done(held.into()));
    }

    /// Records failure and its reason.
    pub(super) fn failed(&mut self, why: impl Into<String>) {
        self.end(ExchangeOutcome::Failed(why.into()));
    }

    /// Fixes the end time, so that the wait before the next attempt is not part
    /// of the duration.
    fn end(&mut self, outcome: ExchangeOutcome) {
        self.exchange.outcome = outcome;
        self.exchange.duration_s = self.started.elapsed().as_secs_f64();
        self.ended = true;
    }

    /// Records that the request is sent again after `wait_s` seconds.
    pub(super) fn again_in(&mut self, wait_s: f64) {
        self.exchange.retry_in_s = Some(wait_s);
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let Some(observer) = &self.observer else {
            return;
        };
        let mut exchange = self.exchange.clone();
        if !self.ended {
            exchange.duration_s = self.started.elapsed().as_secs_f64();
        }
        let withholding = self.token.withholding();
        exchange.url = withholding.from(exchange.url);
        match &mut exchange.outcome {
            ExchangeOutcome::Done(text) | ExchangeOutcome::Failed(text) => {
                *text = withholding.from(std::mem::take(text));
            }
            ExchangeOutcome::Cancelled => {}
        }
        observer(exchange);
    }
}
