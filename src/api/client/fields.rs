//! Asking for some fields of each record: forty times less to transfer where
//! records are large.

use std::sync::PoisonError;

use reqwest::Url;
use strum::VariantArray;

use super::Client;
use crate::api::recording::ProgressSink;
use crate::auth::Token;
use crate::failure::Failure;
use crate::track::{Answer, Member, Validators};

impl Client {
    /// The names of the fields that are asked for besides the three numbers; none
    /// where whole records are.
    pub(crate) fn asked_fields(&self) -> Option<Vec<String>> {
        self.inner.connection.fields.clone()
    }

    /// A read that asks for the fields that are set. Where the records have no
    /// numbers then, it asks for whole records, now and from now on.
    pub(super) async fn read_fields(
        &self,
        token: &Token,
        deployment: uuid::Uuid,
        known: &Validators,
        progress: Option<ProgressSink>,
    ) -> Result<Answer, Failure> {
        let lock = || {
            let without = &self.inner.without_fields;
            without.lock().unwrap_or_else(PoisonError::into_inner)
        };
        let is_set = self.inner.connection.fields.is_some();
        let mut address = self.inner.connection.base.deployment_data(deployment);
        let mut failed = is_set && lock().contains(&deployment);
        if is_set && !failed {
            let mut asking = address.clone();
            self.ask_for_fields(&mut asking);
            let answer = self
                .read(token, deployment, asking, known, progress.as_ref())
                .await?;
            if !answer.records.lack_fields() {
                return Ok(Answer {
                    asked: self.asked_fields(),
                    ..answer
                });
            }
            failed = true;
            lock().insert(deployment);
        }
        address.set_query(None);
        let answer = self
            .read(token, deployment, address, known, progress.as_ref())
            .await?;
        Ok(Answer {
            fields_failed: failed,
            asked: self.asked_fields(),
            ..answer
        })
    }

    fn ask_for_fields(&self, url: &mut Url) {
        let more = self.inner.connection.fields.iter().flatten();
        let numbers = Member::VARIANTS.iter().map(ToString::to_string);
        let mut asked: Vec<String> = Vec::new();
        for field in numbers.chain(more.cloned()) {
            if !asked.contains(&field) {
                asked.push(field);
            }
        }
        let pairs = asked.iter().map(|field| ("field", field));
        url.query_pairs_mut().extend_pairs(pairs);
    }
}
