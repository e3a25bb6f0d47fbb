//! Redacts the token from service text: an error message that echoes a header
//! must not show the token on the screen, in the plant log or in a log.

use std::sync::Arc;

use crate::failure::Failure;
use crate::token::Token;
use crate::track::RecordFault;
use crate::watch::{Answer, Validators};

/// Redacts the token in an error.
pub(super) fn error(token: &Token, mut error: Failure) -> Failure {
    let withholding = token.withholding();
    let withhold = |text: &mut String| *text = withholding.from(std::mem::take(text));
    withhold(&mut error.what);
    withhold(&mut error.reason);
    withhold(&mut error.hint);
    let service = error.service.as_mut();
    if let Some(message) = service.and_then(|error| error.message.as_mut()) {
        withhold(message);
    }
    error
}

/// Redacts the token in the fields of records, in the reasons of invalid ones and in the
/// validators, which the archive stores and files have. A token that a field may have by
/// chance stays there.
pub(super) fn data(token: &Token, mut answer: Answer) -> Answer {
    let withholding = token.withholding();
    let Validators { etag, modified } = &mut answer.validators;
    for validator in [etag, modified] {
        // A changed validator would be useless.
        validator.take_if(|text| withholding.from(text.clone()) != *text);
    }
    for listed in &mut answer.listed.deployments {
        // The id stays: it is sent to the service again.
        let label = listed.label.take();
        listed.label = label.map(|label| withholding.from(label));
    }
    if !answer.records.fields.is_empty() {
        let fields = &mut Arc::make_mut(&mut answer.records).fields;
        let withhold = |text: &str| withholding.from(text.to_owned());
        fields.change(|text| withholding.is_in_data(text), withhold);
    }
    if answer.records.unusable.is_empty() {
        return answer;
    }
    for record in &mut Arc::make_mut(&mut answer.records).unusable {
        let reason = record.fault.to_string();
        let redacted = withholding.from(reason.clone());
        if redacted != reason {
            record.fault = RecordFault::Other(redacted.into());
        }
        record.excerpt = withholding.from(std::mem::take(&mut record.excerpt));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::field::{FieldRows, FieldTable, FieldValue};
    use crate::track::{InvalidRecord, Records};

    #[test]
    fn a_field_that_has_the_words_of_the_token_stays() {
        let token = Token::new("harbour-seal".to_owned()).unwrap();
        let mut table = FieldTable::default();
        table.begin();
        let species = FieldValue::Text("harbour-seal");
        table.add(0, "species", species, |_| true).unwrap();
        let records = Records {
            fields: FieldRows::new(table),
            unusable: vec![InvalidRecord {
                fault: RecordFault::Other("no number: harbour-seal".into()),
                excerpt: "{\"time_stamp\":\"harbour-seal\"}".to_owned(),
                index: 0,
                line: None,
            }],
            ..Records::default()
        };
        let answer = Answer {
            records: Arc::new(records),
            ..Answer::new(200, "https://service.example", 1.8e9)
        };
        let redacted = data(&token, answer.clone());
        assert_eq!(redacted.records.fields, answer.records.fields);
        let [invalid] = &redacted.records.unusable[..] else {
            panic!("{redacted:?}");
        };
        assert_eq!(invalid.fault.to_string(), "no number: [token]");
        assert_eq!(invalid.excerpt, "{\"time_stamp\":\"[token]\"}");
    }
}
