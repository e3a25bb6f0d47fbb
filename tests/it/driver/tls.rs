//! A service with TLS, with certificates made for the test: a test authority,
//! and server certificates that are valid, expired, or for another host.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::home::Home;
use super::wire::Request;

/// The validity of a server certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Good,
    Expired,
    NotYet,
    OtherHost,
    SelfSigned,
}

/// An authority, and a service with a certificate from it.
pub(crate) struct Secured {
    pub address: SocketAddr,
    /// The authority's certificate.
    pub authority: PathBuf,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Secured {
    /// Sends `answer` unchanged to every request.
    pub(crate) fn new(home: &Home, leaf: Leaf, answer: &str) -> Secured {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_key = KeyPair::generate().unwrap();
        let authority_certificate = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);

        let name = match leaf {
            Leaf::OtherHost => "other.example",
            _ => "localhost",
        };
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        match leaf {
            Leaf::Expired => params.not_after = date_time_ymd(2020, 1, 1),
            Leaf::NotYet => params.not_before = date_time_ymd(2090, 1, 1),
            _ => {}
        }
        let key = KeyPair::generate().unwrap();
        let certificate = if leaf == Leaf::SelfSigned {
            params.self_signed(&key).unwrap()
        } else {
            params.signed_by(&key, &issuer).unwrap()
        };
        let chain = vec![CertificateDer::from(certificate.der().to_vec())];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let trusted = if leaf == Leaf::SelfSigned {
            certificate.pem()
        } else {
            authority_certificate.pem()
        };

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (config, seen) = (Arc::new(config), Arc::clone(&requests));
        let answer = answer.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (config, seen) = (Arc::clone(&config), Arc::clone(&seen));
                let answer = answer.clone();
                std::thread::spawn(move || serve(stream, config, &seen, &answer));
            }
        });
        Secured {
            address,
            authority: home.write("authority.pem", trusted),
            requests,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    seen: &Mutex<Vec<Request>>,
    answer: &str,
) -> Option<()> {
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .ok()?;
    let mut stream = StreamOwned::new(ServerConnection::new(config).ok()?, stream);
    let mut bytes = Vec::new();
    let mut buffer = [0; 16384];
    loop {
        if let Some(request) = Request::read_all(&bytes).pop() {
            seen.lock().unwrap().push(request);
            break;
        }
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
    }
    stream.write_all(answer.as_bytes()).ok()?;
    stream.conn.send_close_notify();
    stream.flush().ok()
}
