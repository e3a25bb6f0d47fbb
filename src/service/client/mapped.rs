//! Reads of a track and of a list, by the interface or by the mapping of the service.

use std::sync::Arc;

use reqwest::Url;
use strum::VariantArray;

use super::{Client, ReadRequest};
use crate::failure::Failure;
use crate::mapping::{Asked, Mapping, Use};
use crate::os::clock::unix_now;
use crate::service::answer::{Mapped, Wanted};
use crate::service::recording::ProgressSink;
use crate::service::window::{OVERLAP_S, Window};
use crate::token::Token;
use crate::track::Member;
use crate::track::field::FieldChoice;
use crate::watch::DeploymentId;
use crate::watch::{Answer, RequestBasis, Validators};

impl Client {
    /// The fields to request in addition to the three numbers; `None` requests whole
    /// records.
    pub(crate) fn asked_fields(&self) -> Option<&FieldChoice> {
        self.inner.connection.fields.as_ref()
    }

    /// A read of a track with the fields of the settings and those with a limit, as the mapping
    /// of the service says if it has one.
    pub(super) async fn read_track(
        &self,
        token: &Token,
        deployment: &DeploymentId,
        basis: &RequestBasis,
        progress: Option<ProgressSink>,
    ) -> Result<Answer, Failure> {
        let connection = &self.inner.connection;
        let asked = self.asked_fields().map(|set| set.with(&basis.limited));
        let none = Validators::default();
        let mut read = ReadRequest {
            deployment: Some(deployment.uuid),
            token,
            address: connection.base.deployment_data(deployment),
            known: &basis.validators,
            fields: asked.as_ref(),
            mapped: None,
            limited: &basis.limited,
            progress: progress.as_ref(),
            what: format!("deployment {deployment} could not be fetched"),
        };
        let answer = match &connection.service {
            None => {
                if let Some(names) = asked.as_ref().and_then(|asked| asked.names(&basis.known)) {
                    ask_for_fields(&mut read.address, names);
                }
                self.read(&read).await?
            }
            Some(service) => {
                let mapping = &service.mapping;
                let window = Window::new(mapping, deployment, basis, asked.as_ref());
                read.address = self.mapped_address(&mapping.url, mapping, window.asked())?;
                // Validators belong to one URL.
                if mapping.asks_since() {
                    read.known = &none;
                }
                read.mapped = Some(Mapped {
                    service: Arc::clone(service),
                    wanted: Wanted::Track(window.id.clone()),
                });
                window.spanned(self.read(&read).await?)
            }
        };
        Ok(Answer { asked, ..answer })
    }

    /// A read of the deployments that the service lists.
    pub(super) async fn read_list(&self, token: &Token) -> Result<Answer, Failure> {
        let service = self.inner.connection.service.as_ref();
        let listing = service.and_then(|service| Some((service, service.mapping.list.as_ref()?)));
        let Some((service, list)) = listing else {
            return Err(Failure::usage("this service has no list of deployments")
                .with_hint("A mapping has one by its member `list`; `driftline config service` prints the mapping in force."));
        };
        let mapping = &service.mapping;
        let wanted = Asked {
            id: "",
            since: mapping.start,
            until: unix_now() + OVERLAP_S,
            fields: &[],
        };
        self.read(&ReadRequest {
            deployment: None,
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
        let url = Url::parse(&filled.map_err(unusable)?)
            .map_err(|error| unusable(format!("the url of service is none: {error}")))?;
        if url.origin().ascii_serialization() != base.origin() {
            return Err(
                Failure::usage(format!("the url of service is not at {}", base.origin()))
                    .with_hint("Begin url with {base_url}, and set base_url."),
            );
        }
        Ok(url)
    }
}

/// Adds the three numbers and the fields with these names to the query, each once: of large records
/// that is a fortieth of the data.
fn ask_for_fields(url: &mut Url, names: Vec<String>) {
    let numbers = Member::VARIANTS.iter().map(ToString::to_string);
    let mut asked: Vec<String> = Vec::new();
    for field in numbers.chain(names) {
        if !asked.contains(&field) {
            asked.push(field);
        }
    }
    let pairs = asked.iter().map(|field| ("field", field));
    url.query_pairs_mut().extend_pairs(pairs);
}
