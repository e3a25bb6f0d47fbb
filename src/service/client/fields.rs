//! Requests for some fields of each record: of large records a fortieth of the data.

use reqwest::Url;
use strum::VariantArray;

use super::{Client, ReadRequest};
use crate::failure::Failure;
use crate::service::recording::ProgressSink;
use crate::service::room::Room;
use crate::token::Token;
use crate::track::Member;
use crate::track::field::FieldChoice;
use crate::watch::DeploymentId;
use crate::watch::{Answer, RequestBasis};

impl Client {
    /// The fields to request in addition to the three numbers; `None` requests whole
    /// records.
    pub(crate) fn asked_fields(&self) -> Option<&FieldChoice> {
        self.inner.connection.fields.as_ref()
    }

    /// A read that requests the fields of the settings, and those with a limit.
    pub(super) async fn read_fields(
        &self,
        token: &Token,
        deployment: &DeploymentId,
        basis: &RequestBasis,
        progress: Option<ProgressSink>,
        room: &Room,
    ) -> Result<Answer, Failure> {
        let asked = self.asked_fields().map(|set| set.with(&basis.limited));
        let mut address = self.inner.connection.base.deployment_data(deployment);
        if let Some(names) = asked.as_ref().and_then(|asked| asked.names(&basis.known)) {
            ask_for_fields(&mut address, names);
        }
        let request = ReadRequest {
            token,
            address,
            known: &basis.validators,
            fields: asked.as_ref(),
            mapped: None,
            limited: &basis.limited,
            progress: progress.as_ref(),
            what: format!("deployment {deployment} could not be fetched"),
            room,
        };
        let answer = self.read(&request).await?;
        Ok(Answer { asked, ..answer })
    }
}

/// Adds the three numbers and the fields with these names to the query, each once.
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
