//! The part of a track that a request to a service with a mapping is about.

use crate::mapping::{Asked, Mapping};
use crate::os::clock::unix_now;
use crate::track::Records;
use crate::track::field::FieldChoice;
use crate::watch::DeploymentId;
use crate::watch::answer::Span;
use crate::watch::{Answer, RequestBasis};

/// A request begins this long before the last archived fix, for fixes that arrived late,
/// and ends this long after now, since clocks differ, seconds.
pub(super) const OVERLAP_S: f64 = 86_400.0;

/// The deployment and the times that are requested.
pub(super) struct Window<'a> {
    mapping: &'a Mapping,
    /// The id that the service has for the deployment.
    pub(super) id: String,
    /// UNIX seconds.
    since: f64,
    until: f64,
    /// The fields of the settings, and those with a limit.
    fields: Vec<String>,
}

impl<'a> Window<'a> {
    /// The window from the last archived fix on, with the fields `asked` for; without such a
    /// choice, or while no name is known that is like its patterns, only those with a limit.
    pub(super) fn new(
        mapping: &'a Mapping,
        deployment: &DeploymentId,
        basis: &RequestBasis,
        asked: Option<&FieldChoice>,
    ) -> Self {
        let names = asked.and_then(|asked| asked.names(&basis.known));
        let from = basis
            .latest
            .map_or(mapping.start, |latest| latest - OVERLAP_S);
        Self {
            mapping,
            id: deployment.to_string(),
            since: from.max(mapping.start),
            until: unix_now() + OVERLAP_S,
            fields: names.unwrap_or_else(|| basis.limited.clone()),
        }
    }

    /// The values of the placeholders.
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            id: &self.id,
            since: self.since,
            until: self.until,
            fields: &self.fields,
        }
    }

    /// An answer with the span that it covers.
    pub(super) fn spanned(&self, answer: Answer) -> Answer {
        let mut span = Span::default();
        if self.mapping.asks_since() {
            span.from = self.since;
        }
        if let Some(window_s) = self.mapping.window_s {
            // A record with a wrong clock is no earlier begin of the answer: it has what the
            // window before its newest fix has.
            let transmissions = answer.records.transmissions.iter();
            let times = transmissions
                .map(|fix| fix.time_stamp)
                .filter(|time| *time <= answer.received_at);
            let newest = times.fold(f64::NEG_INFINITY, f64::max);
            span.from = span.from.max(newest - window_s);
            span = within(span, &answer.records);
        }
        Answer { span, ..answer }
    }
}

/// The part of a span between the first and the last fix of an answer; empty without a
/// fix.
fn within(span: Span, records: &Records) -> Span {
    let mut found = Span {
        from: f64::INFINITY,
        to: f64::NEG_INFINITY,
    };
    for fix in records.transmissions.iter() {
        found.from = found.from.min(fix.time_stamp);
        found.to = found.to.max(fix.time_stamp);
    }
    Span {
        from: found.from.max(span.from),
        to: found.to.min(span.to),
    }
}
