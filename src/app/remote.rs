//! Something the service holds: the last good value, kept through loading and
//! failure.

use super::event::{Failure, RequestId};

/// A value from the service with what is going on about it.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchState<T> {
    /// The last good value and when it was fetched, UNIX seconds.
    pub value: Option<(T, f64)>,
    /// The request under way.
    pub loading: Option<Loading>,
    /// Why the last attempt failed and when, UNIX seconds; none after a good
    /// one.
    pub failure: Option<(Failure, f64)>,
}

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loading {
    /// Its number: a reply with another number is ignored.
    pub request: RequestId,
    /// When it began, UNIX seconds.
    pub since: f64,
    /// Bytes of the body that have come.
    pub bytes: u64,
}

impl<T> Default for FetchState<T> {
    fn default() -> Self {
        Self {
            value: None,
            loading: None,
            failure: None,
        }
    }
}

impl<T> FetchState<T> {
    /// The last good value.
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref().map(|(value, _)| value)
    }

    /// When the last good value was fetched, UNIX seconds.
    pub fn fetched_at(&self) -> Option<f64> {
        self.value.as_ref().map(|(_, at)| *at)
    }

    /// A request began; it supersedes one that is still under way.
    pub fn begin(&mut self, request: RequestId, now: f64) {
        self.loading = Some(Loading {
            request,
            since: now,
            bytes: 0,
        });
    }

    /// Whether `request` is the one waited for.
    pub fn awaits(&self, request: RequestId) -> bool {
        self.loading
            .is_some_and(|loading| loading.request == request)
    }

    /// The request is over, one way or the other. A reply to a superseded
    /// request changes nothing; the answer says whether this one counted.
    pub fn settle(&mut self, request: RequestId, outcome: Result<T, Failure>, now: f64) -> bool {
        if !self.awaits(request) {
            return false;
        }
        self.loading = None;
        match outcome {
            Ok(value) => {
                self.value = Some((value, now));
                self.failure = None;
            }
            Err(failure) => self.failure = Some((failure, now)),
        }
        true
    }

    /// The request under way was given up.
    pub fn cancel(&mut self) -> Option<RequestId> {
        self.loading.take().map(|loading| loading.request)
    }
}
