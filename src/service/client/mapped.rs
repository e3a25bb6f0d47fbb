//! Reads of a service with a mapping.

use std::sync::Arc;

use reqwest::Url;

use super::{Client, ReadRequest};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::mapping::{Asked, Mapping, Service, Use};
use crate::service::mapped::{Mapped, Wanted};
use crate::service::recording::ProgressSink;
use crate::token::Token;
use crate::track::answer::Span;
use crate::track::remote::Remote;
use crate::track::{Answer, Records, RequestBasis, Validators};

/// A request begins this long before the last archived fix, for fixes that arrived late,
/// and ends this long after now, since clocks differ, seconds.
const OVERLAP_S: f64 = 86_400.0;

impl Client {
    /// A read as the mapping of the service says.
    pub(super) async fn read_mapped(
        &self,
        service: &Arc<Service>,
        token: &Token,
        deployment: uuid::Uuid,
        basis: &RequestBasis,
        progress: Option<ProgressSink>,
    ) -> Result<Answer, Failure> {
        let mapping = &service.mapping;
        let id = Remote::shown(deployment);
        let from = basis
            .latest
            .map_or(mapping.start, |latest| latest - OVERLAP_S);
        let wanted = Asked {
            id: &id,
            since: from.max(mapping.start),
            until: unix_now() + OVERLAP_S,
        };
        let asked = self.asked_fields().map(|set| set.with(&basis.limited));
        let span = Span {
            from: if mapping.asks_since() {
                wanted.since
            } else {
                f64::NEG_INFINITY
            },
            ..Span::default()
        };
        let mapped = Mapped {
            service: Arc::clone(service),
            wanted: Wanted::Track(id.clone()),
        };
        if !mapping.command.is_empty() {
            let answer = self.ask_program(mapped, wanted, asked.as_ref()).await?;
            return Ok(spanned(answer, mapping, span));
        }
        let none = Validators::default();
        let read = ReadRequest {
            limited: &basis.limited,
            token,
            address: self.mapped_address(&mapping.url, mapping, wanted)?,
            // Validators belong to one URL.
            known: if mapping.asks_since() {
                &none
            } else {
                &basis.validators
            },
            fields: asked.as_ref(),
            mapped: Some(mapped),
            progress: progress.as_ref(),
            what: format!("deployment {id} could not be fetched"),
        };
        let answer = self.read(&read).await?;
        let answer = Answer { asked, ..answer };
        Ok(spanned(answer, mapping, span))
    }

    /// A read of the deployments that the service lists.
    pub(super) async fn read_list(&self, token: &Token) -> Result<Answer, Failure> {
        let service = self.inner.connection.service.as_ref();
        let listing = service.and_then(|service| Some((service, service.mapping.list.as_ref()?)));
        let Some((service, list)) = listing else {
            return Err(Failure::new(
                FailureKind::Usage,
                "this service has no list of deployments",
                "A mapping has one by its member `list`; `driftline config service` prints the mapping in force.",
            ));
        };
        let mapping = &service.mapping;
        let wanted = Asked {
            id: "",
            since: mapping.start,
            until: unix_now() + OVERLAP_S,
        };
        self.read(&ReadRequest {
            limited: &[],
            token,
            address: self.mapped_address(&list.url, mapping, wanted)?,
            known: &Validators::default(),
            fields: None,
            mapped: Some(Mapped {
                service: Arc::clone(service),
                wanted: Wanted::List(Box::new(list.clone())),
            }),
            progress: None,
            what: "the list of deployments could not be fetched".to_owned(),
        })
        .await
    }

    /// The URL of a track or of the list. It has the origin that the token is for.
    fn mapped_address(
        &self,
        text: &str,
        mapping: &Mapping,
        wanted: Asked<'_>,
    ) -> Result<Url, Failure> {
        let base = &self.inner.connection.base;
        let unusable = |why: String| {
            let id = crate::text::excerpt(wanted.id, 60);
            Failure::usage(format!("deployment '{id}' cannot be asked for: {why}"))
        };
        let filled = mapping.fill(text, Use::Address(&base.to_string()), wanted);
        let url = Url::parse(&filled.map_err(unusable)?);
        let url = url.map_err(|error| unusable(format!("the url of service is none: {error}")))?;
        if url.origin().ascii_serialization() != base.origin() {
            return Err(Failure::new(
                FailureKind::Usage,
                format!("the url of service is not at {}", base.origin()),
                "Begin url with {base_url}, and set base_url.",
            ));
        }
        Ok(url)
    }
}

/// An answer with the span that it covers.
fn spanned(answer: Answer, mapping: &Mapping, span: Span) -> Answer {
    let span = match mapping.window_s {
        // A record with a wrong clock is no earlier begin of the answer: it has what the window
        // before its newest fix has.
        Some(window_s) => {
            let times = answer.records.transmissions.iter();
            let times = times.map(|fix| fix.time_stamp);
            let times = times.filter(|time| *time <= answer.received_at);
            let newest = times.fold(f64::NEG_INFINITY, f64::max);
            let from = span.from.max(newest - window_s);
            within(Span { from, ..span }, &answer.records)
        }
        None => span,
    };
    Answer { span, ..answer }
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
