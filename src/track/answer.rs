//! A response of the service for one deployment, and what a refresh added.

use std::sync::Arc;

use super::Records;
use super::agenda::Idle;
use super::field::FieldChoice;
use super::listed::ListedDeployment;
use super::time;

/// A response of the service for a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The records, in the service's order; none where the service said that
    /// nothing changed.
    pub records: Arc<Records>,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body, decompressed.
    pub bytes: u64,
    /// When the last byte was received, UNIX seconds.
    pub received_at: f64,
    /// How long it took from the request on, seconds.
    pub took_s: f64,
    /// Seconds that the service's clock is ahead of this computer's; none
    /// where the response has no date.
    pub clock_ahead_s: Option<f64>,
    /// The base address of the service.
    pub source: String,
    /// The validators for a conditional request for it.
    pub validators: Validators,
    /// `true` if fields were asked for, no record had the three numbers then, and
    /// these are the answer to a request without.
    pub fields_failed: bool,
    /// The fields that are kept of it; none where all are.
    pub asked: Option<FieldChoice>,
    /// The times that it speaks of, UNIX seconds: it strikes nothing before and after.
    pub span: Span,
    /// Sentences for a person about it.
    pub notes: Vec<String>,
    /// The deployments that it lists, where these were asked for.
    pub listed: Vec<ListedDeployment>,
}

/// A time from and to which something reaches, UNIX seconds; neither end is without bound
/// where it is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub from: f64,
    pub to: f64,
}

impl Default for Span {
    fn default() -> Self {
        let (from, to) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { from, to }
    }
}

impl Span {
    /// `true` if it has an end.
    pub(crate) fn is_bounded(self) -> bool {
        self != Self::default()
    }
}

/// Difference between the two clocks, in seconds, above which the user is
/// notified.
const CLOCKS_DIFFER_S: f64 = 120.0;

/// A sentence on a service's clock that is so many seconds ahead of this computer's;
/// `None` where they hardly differ.
pub(crate) fn clocks_differ(ahead_s: Option<f64>) -> Option<String> {
    let ahead_s = ahead_s.filter(|ahead_s| ahead_s.abs() > CLOCKS_DIFFER_S)?;
    let side = if ahead_s > 0.0 { "ahead of" } else { "behind" };
    let by = time::duration(ahead_s);
    Some(format!(
        "the service's clock is {by} {side} this computer's"
    ))
}

impl Answer {
    /// A response without records, received from `source` (a base address) at
    /// `received_at` (UNIX seconds).
    pub(crate) fn new(status: u16, source: impl Into<String>, received_at: f64) -> Self {
        Self {
            records: Arc::default(),
            status,
            bytes: 0,
            received_at,
            took_s: 0.0,
            clock_ahead_s: None,
            source: source.into(),
            validators: Validators::default(),
            fields_failed: false,
            asked: None,
            span: Span::default(),
            notes: Vec::new(),
            listed: Vec::new(),
        }
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
    /// The same with what the response cost, where it brought nothing new.
    #[must_use]
    pub(crate) fn with_cost_of(self, answer: &Answer) -> Self {
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
    /// The names of the fields that have come by the same request.
    pub known: Vec<String>,
    /// Fields with a limit: they are requested whatever else is.
    pub limited: Vec<String>,
    /// The time of the last archived fix that is not ahead of the clock, UNIX seconds.
    pub latest: Option<f64>,
}

/// The difference between a response and the records that the archive held.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct FetchDelta {
    /// Transmissions that the archive did not hold.
    pub new: usize,
    /// Of these, transmissions older than the latest that it held.
    pub backfilled: usize,
    /// Transmissions that it holds and this response does not.
    pub absent: usize,
    /// Fields that it does not hold, because it holds as many others as it keeps.
    pub unkept_fields: usize,
    /// `true` if it holds more than this response: what is shown and written is read from
    /// it.
    pub is_part: bool,
    /// The cost of the response where it was whole and brought nothing new.
    pub idle: Idle,
}
