//! Certificates and proxies: a token goes only where it can be trusted to
//! arrive, and what stands in the way is said in words.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::driver::home::Home;
use crate::driver::proxy::{Fault, Proxy};
use crate::driver::run::{Answer, Run};
use crate::driver::tls::{Leaf, Secured};
use crate::exit_status::{TOKEN, TRACK, UUID};

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn track(home: &Home, base: &str) -> Run {
    Run::driftline(home, ["track", UUID, "--format", "csv", "--timeout", "3s"]).at(base)
}

#[track_caller]
fn says(answer: &Answer, words: &[&str]) {
    for word in words {
        assert!(answer.stderr.contains(word), "no '{word}' in {answer:#?}");
    }
    assert!(!answer.stderr.contains(TOKEN), "{answer:#?}");
}

#[test]
fn a_bundle_from_the_environment_makes_a_private_service_work() {
    let home = Home::new();
    let service = Secured::new(&home, Leaf::Good, &ok(TRACK));
    let answer = track(&home, &service.base_url())
        .env("SSL_CERT_FILE", service.authority.as_os_str())
        .ends_with(0);
    assert!(answer.stdout.lines().count() > 1, "{answer:#?}");
    let asked = service.requests();
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(asked[0].header("authorization"), Some(bearer.as_str()));
}

#[test]
fn a_certificate_that_cannot_be_trusted_is_5_with_the_reason_and_no_token_leaves() {
    for (leaf, trusted, words) in [
        (
            Leaf::Good,
            false,
            &["not trusted", "unknown issuer", "SSL_CERT_FILE"][..],
        ),
        (Leaf::SelfSigned, false, &["not trusted"][..]),
        (Leaf::Expired, true, &["has expired", "clock says"][..]),
        (Leaf::NotYet, true, &["not valid yet", "clock says"][..]),
        (
            Leaf::OtherHost,
            true,
            &["not for localhost", "other.example"][..],
        ),
    ] {
        let home = Home::new();
        let service = Secured::new(&home, leaf, &ok(TRACK));
        let trusting = |run: Run| match trusted {
            true => run.env("SSL_CERT_FILE", service.authority.as_os_str()),
            false => run,
        };
        let answer = trusting(track(&home, &service.base_url())).ends_with(5);
        says(&answer, words);
        assert!(service.requests().is_empty(), "{leaf:?}");
        // A create that never left is known not to have.
        let create = Run::driftline(
            &home,
            [
                "plants",
                "create",
                "--id",
                "7",
                "--name",
                "n",
                "--tag",
                "t",
                "--timeout",
                "3s",
            ],
        )
        .at(service.base_url());
        let created = trusting(create).ends_with(5);
        says(&created, words);
    }
}

#[test]
fn what_speaks_no_tls_is_5_and_says_what_it_seems_to_be() {
    let home = Home::new();
    for (name, greeting, words) in [
        (
            "plain http",
            &b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"[..],
            "plain HTTP",
        ),
        ("closes", &b""[..], "localhost"),
        ("ssh", &b"SSH-2.0-OpenSSH_9.2\r\n"[..], "localhost"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let greeting = greeting.to_vec();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut hello = [0; 4096];
                let _ = stream.read(&mut hello);
                let _ = stream.write_all(&greeting);
            }
        });
        let answer = track(&home, &format!("https://localhost:{port}")).go();
        assert_eq!(answer.status, 5, "{name}: {answer:#?}");
        says(&answer, &[words]);
    }
    // TLS behind an address that says http.
    let service = Secured::new(&home, Leaf::Good, &ok(TRACK));
    let answer = track(
        &home,
        &format!("http://localhost:{}", service.address.port()),
    )
    .go();
    assert_eq!(answer.status, 5, "{answer:#?}");
    // A handshake that never comes.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let answer = track(&home, &format!("https://localhost:{port}")).go();
    assert_eq!(answer.status, 5, "{answer:#?}");
    assert!(answer.took < Duration::from_secs(20));
}

/// A proxy that answers a CONNECT in one way.
struct Between {
    port: u16,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Between {
    fn new(answer: &'static [u8], stays: bool) -> Between {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let ears = Arc::clone(&ears);
                std::thread::spawn(move || listen(&mut stream, answer, stays, &ears));
            }
        });
        Between { port, heard }
    }

    fn heard(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().unwrap()).into_owned()
    }
}

fn listen(stream: &mut TcpStream, answer: &[u8], stays: bool, heard: &Mutex<Vec<u8>>) {
    stream
        .set_read_timeout(Some(Duration::from_secs(15)))
        .unwrap();
    let mut buffer = [0; 4096];
    let Ok(count) = stream.read(&mut buffer) else {
        return;
    };
    heard.lock().unwrap().extend_from_slice(&buffer[..count]);
    let _ = stream.write_all(answer);
    loop {
        if !stays {
            return;
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => heard.lock().unwrap().extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
}

#[test]
fn a_proxy_is_asked_to_connect_never_sees_the_token_and_is_named_when_it_fails() {
    let home = Home::new();
    for (name, answer, stays) in [
        (
            "wants a password",
            &b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"[..],
            false,
        ),
        (
            "refuses",
            &b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"[..],
            false,
        ),
        ("answers half", &b"HTTP/1.1 2"[..], false),
        ("says nothing", &b""[..], true),
        (
            "connects to nothing",
            &b"HTTP/1.1 200 Connection established\r\n\r\n"[..],
            true,
        ),
    ] {
        let between = Between::new(answer, stays);
        let answer = track(&home, "https://service.invalid")
            .env(
                "HTTPS_PROXY",
                format!("http://me:s3cret@127.0.0.1:{}", between.port),
            )
            .go();
        assert_eq!(answer.status, 5, "{name}: {answer:#?}");
        says(
            &answer,
            &[&format!("127.0.0.1:{}", between.port), "HTTPS_PROXY"],
        );
        assert!(!answer.stderr.contains("s3cret"), "{name}: {answer:#?}");
        let heard = between.heard();
        assert!(
            heard.starts_with("CONNECT service.invalid:443 "),
            "{name}: {heard}"
        );
        assert!(
            !heard.contains(TOKEN) && !heard.to_lowercase().contains("\nauthorization"),
            "{name}: {heard}"
        );
    }
}

#[test]
fn a_proxy_that_is_none_is_said_instead_of_a_way_around_it() {
    let home = Home::new();
    let request = || track(&home, "https://service.invalid").env("HTTPS_PROXY", "::s3cret::");
    let answer = request().ends_with(2);
    says(&answer, &["HTTPS_PROXY is no address of a proxy"]);
    assert!(!answer.stderr.contains("s3cret"), "{answer:#?}");
    // Where the host needs none, the connection itself fails.
    request().env("NO_PROXY", "service.invalid").ends_with(5);
}

#[test]
fn a_token_never_goes_through_a_proxy_in_the_clear() {
    // Plain http to another machine is refused; where the profile allows it, no
    // proxy stands in between.
    let home = Home::new();
    let between = Between::new(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", false);
    let proxy = format!("http://127.0.0.1:{}", between.port);
    let answer = track(&home, "http://192.0.2.1:9")
        .env("HTTP_PROXY", &proxy)
        .env("ALL_PROXY", &proxy)
        .ends_with(2);
    says(&answer, &["allow_insecure_http"]);
    home.write(
        ".config/driftline/config.toml",
        "allow_insecure_http = true\n",
    );
    let answer = track(&home, "http://192.0.2.1:9")
        .env("HTTP_PROXY", &proxy)
        .env("http_proxy", &proxy)
        .env("ALL_PROXY", &proxy)
        .ends_with(5);
    assert_eq!(between.heard(), "", "{answer:#?}");
}

#[test]
fn a_secured_connection_that_is_cut_or_stalls_at_any_stage_is_5_and_ends() {
    // From the first byte of the handshake to the middle of the response.
    let places = [0, 3, 60, 200, 600, 800];
    let faults = places.into_iter().flat_map(|bytes| {
        [
            Fault::CutAnswer(bytes),
            Fault::ResetAnswer(bytes),
            Fault::StallAnswer(bytes),
            Fault::CutRequest(bytes),
        ]
    });
    std::thread::scope(|scope| {
        for fault in faults {
            scope.spawn(move || {
                let home = Home::new();
                // Longer than the last place, so that no fault is beyond its end.
                let record = r#"{"time_stamp":1700000000,"latitude":1,"longitude":2}"#;
                let body = format!("[{}]", [record; 40].join(","));
                let service = Secured::new(&home, Leaf::Good, &ok(&body));
                let link = Proxy::to(service.address);
                link.set(fault);
                let base = format!("https://localhost:{}", link.address.port());
                let answer = track(&home, &base)
                    .env("SSL_CERT_FILE", service.authority.as_os_str())
                    .go();
                let whole = matches!(fault, Fault::CutRequest(bytes) if bytes >= 600);
                if whole && answer.status == 0 {
                    // The request was sent in fewer bytes.
                    return;
                }
                assert_eq!(answer.status, 5, "{fault:?}: {answer:#?}");
                assert_eq!(answer.stdout, "", "{fault:?}");
                assert!(
                    answer.took < Duration::from_secs(40),
                    "{fault:?}: {answer:#?}"
                );
                says(&answer, &[]);
            });
        }
    });
}
