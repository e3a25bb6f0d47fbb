//! An HTTP request or a run of the program of `on_alarm` with its outcome, and
//! the progress of a download, as plain data. None contains the token.

use std::fmt;

use uuid::Uuid;

/// The method of a run of the program of `on_alarm`.
pub(crate) const RUN: &str = "RUN";

/// The method of a run of the program that a service is.
pub(crate) const ASK: &str = "ASK";

/// The method of reading a file.
pub(crate) const READ: &str = "read";

/// The storage of a token that the service has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AcceptedToken {
    /// In the OS keyring.
    InKeyring {
        /// `true` if `DRIFTLINE_TOKEN` is set, which the next start uses instead.
        environment_wins: bool,
    },
    /// In memory until the program ends, for this reason.
    ForThisSession(String),
}

/// An HTTP request, or a run of the program of `on_alarm`, and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Exchange {
    /// Its number: it is reported when it begins and when it has ended.
    pub id: u64,
    /// When it was sent, UNIX seconds.
    pub started_at: f64,
    /// `GET`, `POST`, `DELETE`, [`RUN`], [`ASK`] or [`READ`].
    pub method: &'static str,
    /// The URL without its query, or the program with its arguments, sanitized; of
    /// [`ASK`] with the id alone, of [`READ`] the name of the file.
    pub url: String,
    /// What it is about; `None` of a list or of the program of `on_alarm`.
    pub subject: Option<Subject>,
    /// The HTTP status, if a response arrived, or that of the program.
    pub status: Option<u16>,
    /// Seconds from sending to the last byte, or to the error.
    pub duration_s: f64,
    /// Bytes of the response body, decompressed.
    pub bytes: u64,
    /// How it ended.
    pub outcome: ExchangeOutcome,
    /// Seconds after which the same request is sent again, if it is.
    pub retry_in_s: Option<f64>,
    /// Which attempt it was.
    pub attempt: Attempt,
}

/// What a request is about. Its URL does not always show that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    Deployment(Uuid),
    /// The plant with this id, which it creates or deletes.
    Plant(String),
}

/// An attempt of those that there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// Its number, counted from 1.
    pub number: u32,
    /// How many attempts there may be.
    pub most: u32,
}

impl Attempt {
    /// The only attempt.
    pub(crate) const ONLY: Self = Self { number: 1, most: 1 };
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.most)
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExchangeOutcome {
    /// The request succeeded. The text describes the content of the response:
    /// "196 records", "not modified"; it may be empty.
    Done(String),
    /// The service rejected it, or there was no usable response: the reason.
    Failed(String),
    /// The body broke off, or was a web page: why.
    Unusable(String),
    /// It has begun and not ended.
    UnderWay,
    /// The user cancelled it, or the program ended.
    Cancelled,
}

impl ExchangeOutcome {
    /// `true` if the request failed.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Unusable(_))
    }
}

impl fmt::Display for ExchangeOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(text) if text.is_empty() => f.write_str("OK"),
            Self::Done(text) | Self::Failed(text) | Self::Unusable(text) => f.write_str(text),
            Self::UnderWay => f.write_str("under way"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl Exchange {
    /// `true` if it has begun and not ended.
    pub(crate) fn is_under_way(&self) -> bool {
        self.outcome == ExchangeOutcome::UnderWay
    }

    /// Seconds since it was sent.
    pub(crate) fn since(&self, now: f64) -> f64 {
        (now - self.started_at).max(0.0)
    }

    /// `true` if it contains the lower-case text in its URL, method, status or
    /// outcome; an empty text is in all.
    pub(crate) fn contains(&self, text: &str) -> bool {
        text.is_empty()
            || self.url.to_lowercase().contains(text)
            || self.method.to_lowercase().contains(text)
            || self.detail().to_lowercase().contains(text)
            || self
                .status
                .is_some_and(|status| status.to_string().contains(text))
    }

    /// The outcome as text, with the wait before the next attempt: "the
    /// connection was reset; again in 0.8 s".
    pub(crate) fn detail(&self) -> String {
        match self.retry_in_s {
            // The wait is shown in tenths of a second.
            Some(wait) if wait < 0.05 => format!("{}; again at once", self.outcome),
            Some(wait) => format!("{}; again in {wait:.1} s", self.outcome),
            None => self.outcome.to_string(),
        }
    }
}

/// Formats the exchange as a line for a log.
impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.method, self.url)?;
        if let Some(status) = self.status {
            write!(f, "{status}, ")?;
        }
        write!(
            f,
            "{}, {} bytes in {:.3} s",
            self.detail(),
            self.bytes,
            self.duration_s
        )?;
        match self.attempt {
            Attempt { most: 0 | 1, .. } => Ok(()),
            attempt => write!(f, " (attempt {attempt})"),
        }
    }
}

/// The progress of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// The number of the exchange.
    pub exchange: u64,
    /// Bytes of the body so far, decompressed.
    pub bytes: u64,
    /// Complete records so far.
    pub records: u64,
    /// Size of the whole body in bytes, if the service sends it and the body is
    /// uncompressed.
    pub total: Option<u64>,
    /// Which attempt this is, counted from 1.
    pub attempt: u32,
    /// `true` if less than 1 kB/s arrived in the last 10 s, including waits for a response and
    /// for the next attempt: no other request need wait for this one.
    pub is_slow: bool,
}
