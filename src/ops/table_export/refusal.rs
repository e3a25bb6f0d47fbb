//! Failures made of a store's errors: what failed, why, and what to do next. No key
//! and no signature is in them.

use std::error::Error as _;

use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};

use super::address::{Service, TableAddress};
use crate::failure::{Failure, FailureKind};

/// The variables of the environment that say who the user is.
fn variables(service: &Service) -> &'static str {
    match service {
        Service::S3 => "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION",
        Service::Gcs => "GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS",
        Service::Azure => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        Service::Folder(_) => "the permissions of the folder",
    }
}

/// The failure of an endpoint that would get the requests over plain HTTP.
pub(super) fn plain_http(address: &TableAddress, variable: &str) -> Failure {
    Failure::new(
        FailureKind::Usage,
        format!("{address} cannot be opened: its endpoint is not encrypted"),
        format!("Name an https endpoint, or set {variable}=true if that is meant."),
    )
}

/// The failure of a store that cannot be opened: the environment does not say
/// enough.
pub(super) fn opening_failed(address: &TableAddress, error: &Error) -> Failure {
    let hint = format!("Set {}.", variables(&address.service));
    let reason = Answer::of(error).reason();
    Failure::new(
        FailureKind::Usage,
        format!("{address} cannot be opened: {reason}"),
        hint,
    )
}

/// The failure of a request: `doing` says what it was for.
pub(super) fn refusal(
    address: &TableAddress,
    has_credentials: bool,
    doing: &str,
    error: &Error,
) -> Failure {
    let variables = variables(&address.service);
    let answer = Answer::of(error);
    let has_no_bucket = matches!(answer.code(), Some("NoSuchBucket" | "ContainerNotFound"));
    let (kind, hint) = match error {
        // A list of what is nowhere is another error than a file that is nowhere.
        _ if has_no_bucket || matches!(error, Error::NotFound { .. }) => (
            FailureKind::Other,
            "The bucket is not there: make it, or correct its name.".to_owned(),
        ),
        Error::Unauthenticated { .. } | Error::PermissionDenied { .. } => (
            FailureKind::Forbidden,
            match &address.service {
                Service::Folder(_) => "Correct the permissions of the folder.".to_owned(),
                _ => format!("Set {variables} of a user who may list, read and write there."),
            },
        ),
        _ if !has_credentials => (
            FailureKind::NotAuthenticated,
            format!("The environment names no user: set {variables}."),
        ),
        _ if is_of_the_network(error) => (
            FailureKind::Unreachable,
            "Check the network and the endpoint, then export again: files are complete or not there."
                .to_owned(),
        ),
        _ => (
            FailureKind::Other,
            "Files are complete or as they were: export again when the cause is removed.".to_owned(),
        ),
    };
    let reason = answer.reason();
    Failure::new(
        kind,
        format!("the export to {address} failed while {doing}: {reason}"),
        hint,
    )
}

/// `true` if the store could not be reached, or the connection broke.
fn is_of_the_network(error: &Error) -> bool {
    let mut cause = error.source();
    while let Some(one) = cause {
        if let Some(error) = one.downcast_ref::<HttpError>() {
            return matches!(
                error.kind(),
                HttpErrorKind::Connect
                    | HttpErrorKind::Request
                    | HttpErrorKind::Timeout
                    | HttpErrorKind::Interrupted
            );
        }
        cause = one.source();
    }
    false
}

/// The response of a store to a failed request: XML with a code and a message, of
/// which the rest may repeat the request with its signature; or the innermost cause
/// of an error.
struct Answer(String);

impl Answer {
    fn of(error: &Error) -> Self {
        let mut innermost = error.to_string();
        let mut cause = error.source();
        while let Some(one) = cause {
            innermost = one.to_string();
            cause = one.source();
        }
        Self(innermost)
    }

    fn element(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.0.split_once(&format!("<{name}>"))?;
        rest.split_once("</").map(|(text, _)| text)
    }

    fn code(&self) -> Option<&str> {
        self.element("Code")
    }

    /// Why it failed, in the words of the store.
    fn reason(&self) -> String {
        let said = match (self.code(), self.element("Message")) {
            // Azure adds the number and the time of the request, on lines of their own.
            (Some(code), Some(message)) => {
                format!("{code}: {}", message.lines().next().unwrap_or_default())
            }
            (Some(only), None) | (None, Some(only)) => only.to_owned(),
            // Up to a body, which is not shown.
            (None, None) => match self.0.split_once('<') {
                Some((before, _)) => before.trim_end_matches([' ', ':']).to_owned(),
                None => self.0.clone(),
            },
        };
        crate::text::excerpt(said.trim(), 200)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of a store with a cause.
    fn generic(cause: &str) -> Error {
        Error::Generic {
            store: "S3",
            source: cause.into(),
        }
    }

    fn told(error: &Error, has_credentials: bool) -> Failure {
        let address = TableAddress::parse("s3://buoys/north").unwrap();
        refusal(&address, has_credentials, "writing x", error)
    }

    #[test]
    fn a_refusal_says_what_failed_why_and_what_next_and_no_secret() {
        let body = "403 Forbidden: <?xml version=\"1.0\"?><Error><Code>SignatureDoesNotMatch</Code><Message>The signature is wrong.</Message><AWSAccessKeyId>SECRET</AWSAccessKeyId></Error>";
        let failure = told(
            &Error::PermissionDenied {
                path: "x".to_owned(),
                source: body.into(),
            },
            true,
        );
        assert_eq!(failure.kind, FailureKind::Forbidden);
        let text = failure.to_string();
        for part in [
            "the export to s3://buoys/north failed while writing x",
            "SignatureDoesNotMatch: The signature is wrong.",
            "AWS_SECRET_ACCESS_KEY",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("SECRET<") && !text.contains("AWSAccessKeyId"));
        let lines = "400 Bad Request: <Error><Code>InvalidInput</Code><Message>One is wrong.\nRequestId:1\nTime:2026</Message></Error>";
        let first = told(&generic(lines), true).to_string();
        assert!(
            first.contains("InvalidInput: One is wrong. Files"),
            "{first}"
        );
        let page = told(&generic("500 Server Error: <html>SECRET</html>"), true);
        assert_eq!(page.kind, FailureKind::Other);
        assert!(
            page.to_string().contains("500 Server Error") && !page.to_string().contains("SECRET")
        );
    }

    #[test]
    fn a_network_that_fails_is_another_fault_than_a_user_who_is_not_known() {
        let network = |kind| Error::Generic {
            store: "S3",
            source: Box::new(HttpError::new(kind, std::io::Error::other("reset by peer"))),
        };
        for kind in [HttpErrorKind::Connect, HttpErrorKind::Timeout] {
            let failure = told(&network(kind), true);
            assert_eq!(failure.kind, FailureKind::Unreachable);
            assert!(failure.to_string().contains("reset by peer"), "{failure}");
            // Without any the address of the instance's own was asked.
            let failure = told(&network(kind), false);
            assert_eq!(failure.kind, FailureKind::NotAuthenticated);
        }
        let gone = Error::NotFound {
            path: "x".to_owned(),
            source: "no such bucket".into(),
        };
        assert!(told(&gone, true).hint.contains("bucket is not there"));
        for code in ["NoSuchBucket", "ContainerNotFound"] {
            let answer = format!("404 Not Found: <Error><Code>{code}</Code></Error>");
            let listed = told(&generic(&answer), true);
            assert!(listed.hint.contains("bucket is not there"), "{listed}");
        }
    }
}
