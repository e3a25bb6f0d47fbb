//! A service that is a program, which prints records.

use std::sync::Arc;
use std::time::Duration;

use super::answer::{AnswerFault, AnswerReader, Mapped, Wanted};
use super::connection::Connection;
use super::reading::{self, Reading};
use super::recording::Recording;
use super::redact;
use super::window::Window;
use crate::exchange::{ASK, Attempt, Subject};
use crate::failure::{Failure, FailureKind};
use crate::mapping::{Service, Use};
use crate::os::clock::unix_now;
use crate::os::program::{NoOutput, Output, output};
use crate::text;
use crate::token::Token;
use crate::track::field::FieldChoice;
use crate::watch::DeploymentId;
use crate::watch::{Answer, RequestBasis};

/// The longest run time of such a program.
const LONGEST: Duration = Duration::from_secs(60);

/// The note on a table that the program may not have printed to its end.
const OPEN: &str =
    "the last row of what the program printed has no line end: if it is cut, so is its last number";
/// Parts of the names of secrets.
const SECRET: [&str; 5] = ["token", "password", "passwd", "secret", "apikey"];

/// A service that is a program: for each deployment it is run, and prints the records.
pub(crate) struct Command {
    connection: Connection,
    service: Arc<Service>,
}

impl Command {
    /// The program of a connection; `None` if its service is asked over HTTP.
    pub(crate) fn new(connection: &Connection) -> Option<Self> {
        let service = connection.service.clone()?;
        (!service.mapping.command.is_empty()).then(|| Self {
            connection: connection.clone(),
            service,
        })
    }

    /// Runs the program for a deployment; its output is the response. Dropping the future ends
    /// the program.
    ///
    /// # Errors
    /// [`FailureKind::Unreachable`] if it cannot be started or takes too long,
    /// [`FailureKind::Service`] if it fails, [`FailureKind::NotUnderstood`] if what it prints are
    /// no records.
    pub(crate) async fn track(
        &self,
        deployment: &DeploymentId,
        basis: &RequestBasis,
    ) -> Result<Answer, Failure> {
        let mapping = &self.service.mapping;
        let chosen = self
            .connection
            .fields
            .as_ref()
            .map(|set| set.with(&basis.limited));
        let asked = chosen.as_ref();
        let window = Window::new(mapping, deployment, basis, asked);
        let mapped = Mapped {
            service: Arc::clone(&self.service),
            wanted: Wanted::Track(window.id.clone()),
        };
        let words = mapping
            .command
            .iter()
            .map(|word| mapping.fill(word, Use::Argument, window.asked()))
            .collect::<Result<Vec<String>, String>>()
            .map_err(Failure::usage)?;
        let secrets = secrets(&words);
        let what = format!("deployment {} could not be fetched", window.id);
        let program = words.first().map_or("", String::as_str).to_owned();
        let shown = format!("{program} {}", window.id);
        let observer = self.connection.observer.clone();
        let recording = Recording::new(observer, Token::none(), ASK, &shown, Attempt::ONLY);
        let about = Subject::Deployment(deployment.uuid);
        let mut recording = recording.about(about).begun();
        let reader = AnswerReader::new(Some(mapped), asked, &[]);
        let (send, reading) = reading::begin(reader, Arc::default());
        let ran = output(&words, LONGEST, self.connection.max_response, send).await;
        let answer = self.answer(&program, ran, reading, asked, &mut recording);
        match answer.await {
            Ok(answer) => {
                let count = answer.records.count();
                recording.done(text::counted(count, "record", "records"));
                let answer = secrets
                    .iter()
                    .fold(answer, |answer, token| redact::data(token, answer));
                Ok(window.spanned(answer))
            }
            Err(failure) => {
                let failure = failure.context(&what);
                let redacted = secrets
                    .iter()
                    .fold(failure, |failure, token| redact::error(token, failure));
                match redacted.kind {
                    FailureKind::NotUnderstood => recording.unusable(redacted.reason.clone()),
                    _ => recording.failed(redacted.reason.clone()),
                }
                Err(redacted)
            }
        }
    }

    /// The answer that a program has printed.
    async fn answer(
        &self,
        program: &str,
        ran: Result<Output, NoOutput>,
        reading: Reading,
        asked: Option<&FieldChoice>,
        recording: &mut Recording,
    ) -> Result<Answer, Failure> {
        let shown = text::excerpt(program, 100);
        let failed = |kind, why: String| Failure {
            is_of_deployment: true,
            ..Failure::new(kind, why, "Run the command of service by hand.")
        };
        let bytes = ran.as_ref().map_or(0, |output| output.bytes);
        let content = reading::finish(reading, bytes)
            .await
            .map_err(|_| Failure::new(FailureKind::Interrupted, "the program is ending", ""))?;
        let output = ran.map_err(|fault| match fault {
            NoOutput::NotStarted(error) => {
                let why = format!("the program {shown} could not be started: {error}");
                // The same for every deployment.
                Failure {
                    is_of_deployment: false,
                    ..failed(FailureKind::Unreachable, why)
                }
            }
            NoOutput::TooLong => {
                let seconds = LONGEST.as_secs();
                let why =
                    format!("the program {shown} was ended: it ran for longer than {seconds} s");
                failed(FailureKind::Unreachable, why)
            }
            NoOutput::TooMuch => {
                let most = text::bytes(self.connection.max_response);
                let why = format!("the program {shown} printed more than {most}");
                failed(FailureKind::NotUnderstood, why)
            }
            // The reading stopped before the end of the output: its fault is the reason.
            NoOutput::Unread => {
                let why = content.as_ref().err().map(AnswerFault::to_string);
                failed(FailureKind::NotUnderstood, why.unwrap_or_default())
            }
        })?;
        recording.exchange.bytes = output.bytes;
        let exit_code = output.status.code();
        if let Some(code) = exit_code.and_then(|code| u16::try_from(code).ok()) {
            recording.exchange.status = Some(code);
        }
        if !output.status.success() {
            let complaint = match output.complaint.as_str() {
                "" => "nothing on standard error".to_owned(),
                line => text::excerpt(line, 300),
            };
            let why = format!(
                "the program {shown} failed ({}): {complaint}",
                output.status
            );
            return Err(failed(FailureKind::Service, why));
        }
        let content = content.map_err(|found| match found {
            AnswerFault::Error(error) => {
                let words = error
                    .message
                    .unwrap_or_else(|| "without a message".to_owned());
                failed(
                    FailureKind::Service,
                    format!("the program {shown} printed an error: {words}"),
                )
            }
            found => failed(FailureKind::NotUnderstood, found.to_string()),
        })?;
        let mut notes = content.notes;
        // It has ended well: its output is not asked for again, as that of a connection is.
        if content.is_open {
            notes.push(OPEN.to_owned());
        }
        Ok(Answer {
            records: Arc::new(content.records),
            bytes: output.bytes,
            notes,
            others: content.others,
            unmet: content.unmet,
            asked: asked.cloned(),
            ..Answer::new(200, self.service.name.clone(), unix_now())
        })
    }
}

/// The secrets that a program may print: values of the environment and of arguments with
/// the name of a secret.
fn secrets(words: &[String]) -> Vec<Token> {
    let is_secret = |name: &str| {
        let name = name.to_lowercase().replace(['-', '_'], "");
        SECRET.iter().any(|part| name.contains(part))
    };
    let mut found: Vec<String> = Vec::new();
    for (name, value) in std::env::vars_os() {
        if is_secret(&name.to_string_lossy()) {
            found.extend(value.into_string());
        }
    }
    for (index, word) in words.iter().enumerate() {
        match word.split_once('=') {
            Some((name, value)) if is_secret(name) => found.push(value.to_owned()),
            None if word.starts_with('-') && is_secret(word) => {
                found.extend(words.get(index + 1).cloned());
            }
            _ => {}
        }
    }
    found
        .into_iter()
        .filter_map(|text| Token::new(text).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_whose_names_are_secret_are_kept_out_of_what_is_shown() {
        let words = [
            "fetch",
            "--api-key",
            "k1",
            "--password=p w",
            "--token=t=3",
            "-n",
            "12",
        ];
        let found = secrets(&words.map(str::to_owned));
        let shown = |token: &Token| token.plain().to_string();
        let found: Vec<String> = found.iter().map(shown).collect();
        assert!(
            found.contains(&"k1".to_owned()) && found.contains(&"t=3".to_owned()),
            "{found:?}"
        );
        assert!(!found.contains(&"12".to_owned()));
    }
}
