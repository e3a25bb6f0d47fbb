//! Faults that the service simulates on request, for tests and to demonstrate a
//! bad link.

use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, Uri};
use uuid::Uuid;

use crate::api::wire::ErrorBody;

/// The requests to which a fault applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// All requests.
    Any,
    /// Every read.
    Read,
    /// Reads of one deployment.
    Deployment(Uuid),
    /// Creates.
    Create,
    /// Deletes.
    Delete,
}

/// What the service does instead of, or before, its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultAction {
    /// It delays the response; another fault may apply as well.
    Delay(Duration),
    /// It neither acts nor responds, and leaves the connection open.
    Hang,
    /// It closes the connection without acting or responding.
    Close,
    /// It acts on the request, but does not respond.
    ActAndHang,
    /// It acts on the request, then closes the connection.
    ActAndClose,
    /// It sends this response without acting.
    Answer(Answer),
    /// It sends the correct response, truncated.
    Cut {
        /// Number of bytes after which the body is cut, as transferred.
        after: usize,
        /// Whether the body is chunked, without a `Content-Length`.
        chunked: bool,
    },
    /// It sends an array of this many bytes of blanks, compressed a
    /// thousandfold.
    GzipBomb(u64),
}

/// A made-up response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status, 100 to 999.
    pub status: u16,
    /// The headers; those that are not valid in HTTP are left out.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl FaultAction {
    /// A response with an Error object.
    pub(crate) fn error(status: u16, error: i32, message: &str) -> Self {
        let object = ErrorBody {
            error,
            message: message.to_owned(),
        };
        // A number and a string always serialize.
        let body = serde_json::to_vec(&object).unwrap_or_default();
        Self::body(status, "application/json", body)
    }

    /// A response with a body of the given content type.
    pub(crate) fn body(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Answer(Answer {
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: body.into(),
        })
    }

    /// A response without a body.
    pub(crate) fn bare(status: u16) -> Self {
        Self::Answer(Answer {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        })
    }

    /// A redirect to another URL.
    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::bare(status).with_header("location", to)
    }

    /// Adds a header, if the action is a response.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Answer(answer) = &mut self {
            answer.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

/// A fault of the service for some requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The requests to which it applies.
    pub target: Target,
    /// The action.
    pub action: FaultAction,
    /// For how many requests; `None`: for all.
    pub times: Option<u32>,
}

impl Fault {
    /// A fault without a limit.
    #[cfg(test)]
    pub(crate) fn always(target: Target, action: FaultAction) -> Self {
        Self {
            target,
            action,
            times: None,
        }
    }

    /// A fault for the next `times` requests.
    #[cfg(test)]
    pub(crate) fn times(target: Target, action: FaultAction, times: u32) -> Self {
        Self {
            target,
            action,
            times: Some(times),
        }
    }
}

/// The text is not a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no such fault; one is WHAT=DEED or WHAT*TIMES=DEED, WHAT being any, read, create, delete or a UUID, \
     DEED delay:SECONDS, hang, close, act-hang, act-close, status:CODE, bare:CODE, retry-after:CODE:VALUE, \
     redirect:URL, cut:BYTES, cut-chunked:BYTES or bomb:MEBIBYTES"
)]
pub(crate) struct UnknownFault;

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (what, action) = text.split_once('=').ok_or(UnknownFault)?;
        let (what, times) = match what.split_once('*') {
            Some((what, times)) => (what, Some(number(times)?)),
            None => (what, None),
        };
        let target = match what {
            "any" => Target::Any,
            "read" => Target::Read,
            "create" => Target::Create,
            "delete" => Target::Delete,
            uuid => Target::Deployment(Uuid::parse_str(uuid).map_err(|_| UnknownFault)?),
        };
        Ok(Self {
            target,
            action: action.parse()?,
            times,
        })
    }
}

impl FromStr for FaultAction {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const PURPOSE: &str = "this goes wrong on purpose";
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        Ok(match name {
            "hang" | "close" | "act-hang" | "act-close" if !value.is_empty() => {
                return Err(UnknownFault);
            }
            "hang" => Self::Hang,
            "close" => Self::Close,
            "act-hang" => Self::ActAndHang,
            "act-close" => Self::ActAndClose,
            "delay" => {
                let seconds = number(value)?;
                Self::Delay(Duration::try_from_secs_f64(seconds).map_err(|_| UnknownFault)?)
            }
            "status" => {
                let status = status(value)?;
                Self::error(status, i32::from(status), PURPOSE)
            }
            "bare" => Self::bare(status(value)?),
            "retry-after" => {
                let (code, wait) = value.split_once(':').ok_or(UnknownFault)?;
                let status = status(code)?;
                Self::error(status, i32::from(status), PURPOSE).with_header("retry-after", wait)
            }
            "redirect" if !value.is_empty() => Self::redirect(302, value),
            "cut" | "cut-chunked" => Self::Cut {
                after: number(value)?,
                chunked: name == "cut-chunked",
            },
            "bomb" => Self::GzipBomb(number::<u64>(value)?.saturating_mul(1 << 20)),
            _ => return Err(UnknownFault),
        })
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, UnknownFault> {
    text.parse().map_err(|_| UnknownFault)
}

fn status(text: &str) -> Result<u16, UnknownFault> {
    number(text)
        .ok()
        .filter(|code| (200..=999).contains(code))
        .ok_or(UnknownFault)
}

/// The active faults.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    pub(super) fn new(faults: Vec<Fault>) -> Self {
        Self(Mutex::new(faults))
    }

    #[cfg(test)]
    pub(super) fn add(&self, fault: Fault) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(fault);
    }

    #[cfg(test)]
    pub(super) fn clear(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The actions for a request: delays, and at most one other, the first that
    /// applies. Each counts as used once.
    pub(super) fn for_request(&self, method: &Method, uri: &Uri) -> Vec<FaultAction> {
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut actions = Vec::new();
        for fault in faults.iter_mut() {
            if fault.times == Some(0) || !is_for(fault.target, method, uri) {
                continue;
            }
            if let Some(times) = &mut fault.times {
                *times -= 1;
            }
            actions.push(fault.action.clone());
            if !matches!(fault.action, FaultAction::Delay(_)) {
                break;
            }
        }
        faults.retain(|fault| fault.times != Some(0));
        actions
    }
}

fn is_for(target: Target, method: &Method, uri: &Uri) -> bool {
    match target {
        Target::Any => true,
        Target::Read => method == Method::GET,
        Target::Deployment(uuid) => {
            let last = uri.path().rsplit('/').next().unwrap_or_default();
            method == Method::GET && Uuid::parse_str(last) == Ok(uuid)
        }
        Target::Create => method == Method::POST,
        Target::Delete => method == Method::DELETE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_can_be_written_on_a_command_line() {
        let fault = |text: &str| text.parse::<Fault>().unwrap();
        assert_eq!(
            fault("any=hang"),
            Fault::always(Target::Any, FaultAction::Hang)
        );
        assert_eq!(
            fault("create*2=act-close"),
            Fault::times(Target::Create, FaultAction::ActAndClose, 2)
        );
        assert_eq!(
            fault("read=delay:0.5").action,
            FaultAction::Delay(Duration::from_millis(500))
        );
        assert_eq!(
            fault("read=redirect:http://10.0.0.1:80/x").action,
            FaultAction::redirect(302, "http://10.0.0.1:80/x")
        );
        assert_eq!(
            fault("delete=retry-after:503:7").action,
            FaultAction::error(503, 503, "this goes wrong on purpose")
                .with_header("retry-after", "7")
        );
        let one = "6f9619ff-8b86-d011-b42d-00c04fc964ff";
        assert_eq!(
            fault(&format!("{one}=cut:100")),
            Fault::always(
                Target::Deployment(Uuid::parse_str(one).unwrap()),
                FaultAction::Cut {
                    after: 100,
                    chunked: false
                }
            )
        );
        for wrong in [
            "",
            "hang",
            "any=",
            "any=hang:3",
            "all=hang",
            "any=status:99",
            "any=delay:-1",
            "any=delay:nan",
            "any*x=hang",
            "any=cut:-1",
            "any=redirect:",
        ] {
            assert!(wrong.parse::<Fault>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_fault_is_over_after_its_times_and_a_delay_leaves_room_for_another() {
        let faults = Faults::new(vec![
            Fault::always(Target::Any, FaultAction::Delay(Duration::ZERO)),
            Fault::times(Target::Read, FaultAction::Hang, 1),
            Fault::always(Target::Read, FaultAction::Close),
        ]);
        let uri = Uri::from_static("/public/deployment/data/x");
        let wait = FaultAction::Delay(Duration::ZERO);
        let read = || faults.for_request(&Method::GET, &uri);
        assert_eq!(read(), [wait.clone(), FaultAction::Hang]);
        assert_eq!(read(), [wait.clone(), FaultAction::Close]);
        assert_eq!(faults.for_request(&Method::POST, &uri), [wait]);
        faults.clear();
        assert_eq!(read(), []);
    }
}
