//! Reports every exchange to an observer when it begins and when it has ended,
//! including one whose future was dropped.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use crate::exchange::{Attempt, Exchange, ExchangeOutcome, Progress, Subject};
use crate::os::clock::unix_now;
use crate::token::Token;

/// A callback that receives every exchange when it begins, and again when it has
/// ended.
pub(crate) type Observer = Arc<dyn Fn(Exchange) + Send + Sync>;

/// A callback that receives the progress of a download at intervals.
pub(crate) type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// The number of the next exchange.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// An exchange in progress. Dropping it reports the exchange, as cancelled if
/// no outcome was set.
pub(crate) struct Recording {
    observer: Option<Observer>,
    /// Redacted from what is reported.
    token: Token,
    pub(crate) exchange: Exchange,
    started: Instant,
    ended: bool,
}

impl Recording {
    /// A recording that is not reported yet.
    pub(crate) fn new(
        observer: Option<Observer>,
        token: Token,
        method: &'static str,
        url: &str,
        attempt: Attempt,
    ) -> Self {
        Self {
            observer,
            token,
            exchange: Exchange {
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                started_at: unix_now(),
                method,
                url: crate::text::excerpt(url, 300),
                subject: None,
                status: None,
                duration_s: 0.0,
                bytes: 0,
                outcome: ExchangeOutcome::UnderWay,
                retry_in_s: None,
                attempt,
            },
            started: Instant::now(),
            ended: false,
        }
    }

    /// The same, of a request about something.
    pub(crate) fn about(mut self, subject: impl Into<Option<Subject>>) -> Self {
        self.exchange.subject = subject.into();
        self
    }

    /// Reports that it begins.
    pub(crate) fn begun(self) -> Self {
        self.report(self.exchange.clone());
        self
    }

    /// Records success; `content` describes the response.
    pub(crate) fn done(&mut self, content: impl Into<String>) {
        self.end(ExchangeOutcome::Done(content.into()));
    }

    /// Records failure and its reason.
    pub(crate) fn failed(&mut self, why: impl Into<String>) {
        self.end(ExchangeOutcome::Failed(why.into()));
    }

    /// The body was incomplete, or a web page.
    pub(super) fn unusable(&mut self, why: impl Into<String>) {
        self.end(ExchangeOutcome::Unusable(why.into()));
    }

    /// Fixes the end time, so that the wait before the next attempt is not part
    /// of the duration.
    fn end(&mut self, outcome: ExchangeOutcome) {
        self.exchange.outcome = outcome;
        self.exchange.duration_s = self.started.elapsed().as_secs_f64();
        self.ended = true;
    }

    fn report(&self, mut exchange: Exchange) {
        let Some(observer) = &self.observer else {
            return;
        };
        let withholding = self.token.withholding();
        exchange.url = withholding.from(exchange.url);
        match &mut exchange.outcome {
            ExchangeOutcome::Done(text)
            | ExchangeOutcome::Failed(text)
            | ExchangeOutcome::Unusable(text) => {
                *text = withholding.from(std::mem::take(text));
            }
            ExchangeOutcome::Cancelled | ExchangeOutcome::UnderWay => {}
        }
        observer(exchange);
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let mut exchange = self.exchange.clone();
        if !self.ended {
            exchange.outcome = ExchangeOutcome::Cancelled;
            exchange.duration_s = self.started.elapsed().as_secs_f64();
        }
        self.report(exchange);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::service::{Reply, Responder, client, http, token};
    use crate::watch::RequestBasis;

    #[tokio::test]
    async fn a_body_that_broke_off_or_was_a_web_page_is_marked_whatever_its_status() {
        for (reply, marked) in [
            (
                http("404 Not Found", "", b"<html><title>Gone</title>"),
                true,
            ),
            (http("200 OK", "", b"<html>"), true),
            (
                Reply::Send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 90\r\n\r\n{".to_vec()),
                true,
            ),
            (http("404 Not Found", "", b"{}"), false),
            (http("200 OK", "", b"[]"), false),
        ] {
            let service = Responder::start(move |_, _| reply.clone());
            let (client, seen) = client(&service.address, &service.address, Duration::from_secs(4));
            let known = RequestBasis::default();
            let _ = client
                .deployment_data(&token(), &uuid::Uuid::nil().into(), &known, None)
                .await;
            let seen = seen.lock().unwrap();
            let last = &seen.last().unwrap().outcome;
            assert_eq!(
                matches!(last, ExchangeOutcome::Unusable(_)),
                marked,
                "{last}"
            );
        }
    }
}
