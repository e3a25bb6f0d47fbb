//! Explains errors below HTTP (names, connections, certificates) to a user at
//! sea.

use std::{
    error::Error as StdError,
    io::{self, ErrorKind as Io},
    time::Duration,
};

use reqwest::{RequestBuilder, Response, Url};
use rustls::{AlertDescription, CertificateError, InvalidMessage, OtherError};

use super::body::BodyFault;
use super::causes::{TransportError, chain, links};
use super::http_client::connect_timeout;
use super::proxy;
use super::resolve::{NotFound, NotLoopback};
use crate::failure::{Failure, FailureKind};
use crate::text;

/// Why a request has no response.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// No response came within the timeout.
    Silent,
    Failed(reqwest::Error),
}

/// Sends a request; waits for the head of the response as long as `silence`.
///
/// # Errors
/// [`Unanswered`], for [`no_answer`].
pub(super) async fn send(
    request: RequestBuilder,
    silence: Duration,
) -> Result<Response, Unanswered> {
    match tokio::time::timeout(silence, request.send()).await {
        Ok(sent) => sent.map_err(Unanswered::Failed),
        Err(_) => Err(Unanswered::Silent),
    }
}

/// Why sending to `url` failed, given the timeout of the client.
pub(super) fn no_answer(unanswered: &Unanswered, url: &Url, silence: Duration) -> TransportError {
    let host = url.host_str().unwrap_or("the host");
    let port = url.port_or_known_default().unwrap_or(0);
    let error = match unanswered {
        Unanswered::Failed(error) => error,
        Unanswered::Silent => {
            return TransportError::new(
                format!("{host} did not answer within {}", seconds(silence)),
                "Try again, or allow more time with --timeout.",
            )
            .sent()
            .in_short(format!("no answer from {host}:{port}"));
        }
    };
    if error.is_builder() {
        return TransportError::usage("the request cannot be made", "");
    }
    // A timeout during connecting matches both; nothing was sent then.
    if !error.is_connect() {
        return after_connecting(error, host, port);
    }
    let found = before_sending(error, host, port, connect_timeout(silence));
    match proxy::in_use(url) {
        Some(proxy) => proxy::explained(error, found, &proxy, host),
        None => found,
    }
}

fn before_sending(
    error: &reqwest::Error,
    host: &str,
    port: u16,
    connect: Duration,
) -> TransportError {
    for link in links(error) {
        if let Some(wrong) = link.downcast_ref::<NotLoopback>() {
            return TransportError::usage(
                wrong.to_string(),
                "A token is never sent over plain http to another machine; use https, or correct the hosts file.",
            );
        }
        if link.downcast_ref::<NotFound>().is_some() {
            return TransportError::new(
                format!("the name {host} cannot be found"),
                "Check the base address, and whether this machine is online.",
            )
            .transient()
            .in_short(format!("no host {host}"));
        }
        if let Some(tls) = link.downcast_ref::<rustls::Error>() {
            return explain_certificate_error(tls, host, port);
        }
        if let Some(io) = link.downcast_ref::<io::Error>() {
            let (why, hint, short) = match io.kind() {
                Io::ConnectionRefused => (
                    format!("{host} refused the connection on port {port}"),
                    "Check the base address, and whether the service is running.",
                    format!("no answer from {host}:{port}"),
                ),
                Io::NetworkUnreachable | Io::HostUnreachable => (
                    format!("no route to {host}"),
                    "Check whether this machine is online.",
                    format!("no route to {host}"),
                ),
                Io::ConnectionReset
                | Io::ConnectionAborted
                | Io::BrokenPipe
                | Io::UnexpectedEof => (
                    format!("{host} broke off while the connection was being made"),
                    "Try again; if it stays, check scheme and port of the base address.",
                    "connection closed".to_owned(),
                ),
                _ => continue,
            };
            return TransportError::new(why, hint).transient().in_short(short);
        }
    }
    if error.is_timeout() {
        return TransportError::new(
            format!(
                "no connection to {host} port {port} within {}",
                seconds(connect)
            ),
            "Check the network, or allow more time with --timeout.",
        )
        .transient()
        .in_short(format!("timed out {host}:{port}"));
    }
    let causes = chain(error.source());
    TransportError::new(
        format!(
            "no connection to {host} port {port} ({})",
            causes.last().map_or("no reason was given", String::as_str)
        ),
        "Check the base address and the network.",
    )
    .in_short(format!("no connection {host}:{port}"))
}

fn after_connecting(error: &reqwest::Error, host: &str, port: u16) -> TransportError {
    let causes = chain(error.source());
    let last = causes.last().map_or("no reason was given", String::as_str);
    let dropped = links(error).any(|link| {
        let closed = link.downcast_ref::<hyper::Error>();
        let broken = link.downcast_ref::<io::Error>();
        closed.is_some_and(|error| {
            error.is_incomplete_message() || error.is_canceled() || error.is_closed()
        }) || broken.is_some_and(|io| {
            matches!(
                io.kind(),
                Io::ConnectionReset
                    | Io::ConnectionAborted
                    | Io::BrokenPipe
                    | Io::UnexpectedEof
                    | Io::NotConnected
            )
        })
    });
    if dropped {
        TransportError::new(
            format!("{host} closed the connection without a whole answer ({last})"),
            "Try again.",
        )
        .sent()
        .transient()
        .in_short("connection closed".to_owned())
    } else {
        TransportError::new(
            format!("{host} does not speak HTTP on port {port} ({last})"),
            "Check the base address: scheme, host and port.",
        )
        .sent()
    }
}

/// Explains an error that rustls reports, with a hint.
fn explain_certificate_error(error: &rustls::Error, host: &str, port: u16) -> TransportError {
    let shown = || text::excerpt(&error.to_string(), 200);
    let (why, hint) = match error {
        rustls::Error::InvalidCertificate(wrong) => {
            certificate_fault(wrong, host).unwrap_or_else(|| not_trusted(host, &shown()))
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => (
            format!("{host} answers plain HTTP on port {port}, where TLS was expected"),
            "Is the base address http:// instead of https://?",
        ),
        rustls::Error::AlertReceived(AlertDescription::ProtocolVersion)
        | rustls::Error::PeerIncompatible(_) => (
            format!("{host} offers only a version of TLS that is no longer safe"),
            "The service must offer TLS 1.2 or 1.3.",
        ),
        rustls::Error::AlertReceived(
            AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity,
        ) => (
            format!(
                "{host} refused the secure connection: most often it has only ciphers that are no longer safe"
            ),
            "The service must offer TLS 1.2 or 1.3 with AES-GCM or ChaCha20.",
        ),
        _ => (
            format!("no secure connection to {host} ({})", shown()),
            "Check the base address; a firewall in between may interfere.",
        ),
    };
    TransportError::new(why, hint)
}

fn not_trusted(host: &str, why: &str) -> (String, &'static str) {
    (
        format!("the certificate of {host} is not trusted ({why})"),
        "Behind a company's or a ship's firewall that opens TLS, set SSL_CERT_FILE to its CA bundle.",
    )
}

/// The fault of a certificate, with a hint; `None` for what has no words of its own.
fn certificate_fault(wrong: &CertificateError, host: &str) -> Option<(String, &'static str)> {
    use CertificateError as Fault;
    // No one may trust it, whoever has signed it.
    let unfit = |why: &str| {
        (
            format!("the certificate of {host} cannot be used: {why}"),
            "The service's operator must renew it; no CA bundle makes it valid.",
        )
    };
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%MZ");
    let clock = format!("this machine's clock says {now}");
    const PURPOSE: &str = "it is made for another purpose than a server";
    Some(match wrong {
        Fault::UnknownIssuer => not_trusted(host, "unknown issuer"),
        Fault::Expired | Fault::ExpiredContext { .. } => (
            format!("the certificate of {host} has expired ({wrong}); {clock}"),
            "If this machine's clock is wrong, set it; else the service's operator must renew the certificate.",
        ),
        Fault::NotValidYet | Fault::NotValidYetContext { .. } => (
            format!("the certificate of {host} is not valid yet ({wrong}); {clock}"),
            "If this machine's clock is wrong, set it.",
        ),
        Fault::NotValidForName | Fault::NotValidForNameContext { .. } => {
            let wrong = text::excerpt(&wrong.to_string(), 200);
            let why = format!("the certificate is not for {host}: {wrong}");
            (why, "Check the host of the base address.")
        }
        Fault::UnsupportedSignatureAlgorithmContext { .. }
        | Fault::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            unfit("it is signed by an algorithm that is no longer safe, such as SHA-1")
        }
        Fault::InvalidPurpose | Fault::InvalidPurposeContext { .. } => unfit(PURPOSE),
        Fault::BadEncoding => unfit("it is of a form that is not valid"),
        // So is one that is signed by itself and is no authority.
        Fault::BadSignature => (
            unfit("its signature is not valid, or its key is too short to be safe").0,
            "Where it is signed by itself, set SSL_CERT_FILE to it; else the service's operator must renew it.",
        ),
        Fault::Other(OtherError(other)) => match other.downcast_ref() {
            Some(webpki::Error::CaUsedAsEndEntity) => not_trusted(host, "signed by itself"),
            Some(webpki::Error::UnsupportedCertVersion) => {
                unfit("it is of an old version of X.509")
            }
            // The verifier of the platform has no name for it.
            None if other.to_string().contains("invalid extensions") => unfit(PURPOSE),
            _ => return None,
        },
        _ => return None,
    })
}

/// The advice about an answer that takes too much memory.
pub(super) const READ_SHORTER: &str = "Report it to the service's operator, or ask for less: with a window in the table of the service, or with fewer fields.";

/// The error for a body that was not read to its end.
pub(super) fn body_error(fault: &BodyFault, what: &str, silence: Duration) -> Failure {
    let (kind, why, hint) = match fault {
        BodyFault::TooLarge(most) => (
            FailureKind::NotUnderstood,
            format!("the answer is larger than {}", text::bytes(*most)),
            "Raise max_response in the config if that is right.",
        ),
        BodyFault::Silent(so_far, total) => (
            FailureKind::Unreachable,
            {
                let total = total.map(|total| format!(" of {}", text::bytes(total)));
                format!(
                    "no byte for {} after {}{}",
                    seconds(silence),
                    text::bytes(*so_far),
                    total.unwrap_or_default()
                )
            },
            "Try again, or allow more time with --timeout.",
        ),
        BodyFault::Slow(rate) => (
            FailureKind::Unreachable,
            format!("too slow to finish: {rate:.1} B/s"),
            "Try again on a better link.",
        ),
        BodyFault::Broken(so_far, why) => (
            FailureKind::Unreachable,
            format!(
                "the connection broke after {} ({why})",
                text::bytes(*so_far)
            ),
            "Try again.",
        ),
        BodyFault::Unread { is_ending: true } => (
            FailureKind::Interrupted,
            "the program is ending".to_owned(),
            "Try again.",
        ),
        BodyFault::Unread { is_ending: false } => (
            FailureKind::NotUnderstood,
            "an internal fault while reading the answer".to_owned(),
            "Please report it.",
        ),
        BodyFault::Undecodable(why) => (
            FailureKind::NotUnderstood,
            format!("the answer cannot be unpacked: {why}"),
            "Report it to the service's operator.",
        ),
    };
    Failure {
        is_of_deployment: matches!(fault, BodyFault::Broken(..)),
        ..Failure::new(kind, why, hint).context(what)
    }
}

/// A duration in seconds, to a tenth.
fn seconds(duration: Duration) -> String {
    format!("{} s", (duration.as_secs_f64() * 10.0).round() / 10.0)
}
