//! A response of the service for one deployment, and what a refresh added.

use std::sync::Arc;

use super::agenda::Idle;
use super::listed::DeploymentList;
use crate::track::field::FieldChoice;
use crate::track::{Records, ServiceClock};

/// A response of the service for a deployment.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    /// The records, in the service's order; empty if nothing changed.
    pub records: Arc<Records>,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body, decompressed.
    pub bytes: u64,
    /// When the last byte was received, UNIX seconds.
    pub received_at: f64,
    /// How long it took from the request on, seconds.
    pub took_s: f64,
    /// Seconds that the service's clock is ahead of this computer's; `None` without a
    /// date.
    pub clock_ahead_s: Option<f64>,
    /// The base address of the service.
    pub source: String,
    /// The validators for a conditional request for it.
    pub validators: Validators,
    /// The fields to store of it; `None` for all.
    pub asked: Option<FieldChoice>,
    /// The times that it covers, UNIX seconds: nothing else becomes absent by it.
    pub span: Span,
    /// Sentences for the user about it.
    pub notes: Vec<String>,
    /// The number of records of other deployments, which were left out.
    pub others: usize,
    /// The records that the filter of a mapping left out.
    pub unmet: Unmet,
    /// The listed deployments, if these were requested.
    pub listed: DeploymentList,
}

/// The records that a filter left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Unmet {
    /// Their number.
    pub count: usize,
    /// The members and values of the filter, such as `class = "TPV"`.
    pub filter: String,
}

/// A time span, UNIX seconds; an end without bound is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub from: f64,
    pub to: f64,
}

impl Default for Span {
    fn default() -> Self {
        let from = f64::NEG_INFINITY;
        let to = f64::INFINITY;
        Self { from, to }
    }
}

impl Span {
    /// `true` if it has an end.
    pub(crate) fn is_bounded(self) -> bool {
        self != Self::default()
    }
}

impl Answer {
    /// A response without records, received from `source` (a base address) at
    /// `received_at` (UNIX seconds).
    pub(crate) fn new(status: u16, source: impl Into<String>, received_at: f64) -> Self {
        Self {
            status,
            received_at,
            source: source.into(),
            ..Self::default()
        }
    }

    pub(crate) fn clock(&self) -> ServiceClock {
        ServiceClock::new(self.clock_ahead_s, self.received_at)
    }

    /// When the request for it began, UNIX seconds.
    pub(crate) fn began(&self) -> f64 {
        self.received_at - self.took_s
    }

    /// `true` if the service confirmed that nothing changed since the response
    /// with these validators.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.status == 304
    }
}

impl FetchDelta {
    /// The same with the cost of the response, if it had nothing new.
    #[must_use]
    pub(crate) fn with_cost(self, answer: &Answer) -> Self {
        let is_idle = self.new == 0 && !answer.is_unchanged();
        let idle = is_idle.then_some(Idle {
            bytes: answer.bytes,
            took_s: answer.took_s,
            bytes_of_day: answer.bytes,
        });
        Self {
            idle: idle.unwrap_or_default(),
            ..self
        }
    }
}

/// The HTTP validators of a response (RFC 9110, section 8.8).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Validators {
    /// The entity tag, raw.
    pub etag: Option<String>,
    /// The date of the last modification, raw.
    pub modified: Option<String>,
}

impl Validators {
    /// `true` if no conditional request can be made.
    pub(crate) fn is_empty(&self) -> bool {
        self.etag.is_none() && self.modified.is_none()
    }
}

/// The data that a request for records builds on.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RequestBasis {
    /// The validators of the archived response to the same request; without them it is requested
    /// whether it changed or not.
    pub validators: Validators,
    /// The names of the fields in responses to the same request.
    pub known: Vec<String>,
    /// Fields with a limit: they are always requested.
    pub limited: Vec<String>,
    /// The time of the last archived fix that is not ahead of the clock, UNIX seconds.
    pub latest: Option<f64>,
}

/// The difference between a response and the archive before it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct FetchDelta {
    /// Transmissions that were not archived.
    pub new: usize,
    /// Of these, transmissions older than the latest archived one.
    pub backfilled: usize,
    /// Archived transmissions that are not in this response.
    pub absent: usize,
    /// Fields that were not archived, because the archive has its most fields.
    pub unstored_fields: usize,
    /// `true` if the archive has more than this response: then the track is read from it.
    pub is_part: bool,
    /// The cost of the response if it was complete and had nothing new.
    pub idle: Idle,
}
