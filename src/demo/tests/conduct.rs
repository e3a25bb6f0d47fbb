//! Access control and limits of the service.

use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpStream;

use super::{Demo, raw, understood};
use crate::demo::start;

#[tokio::test]
async fn another_name_than_loopback_is_misdirected_and_no_page_is_let_in() {
    let demo = Demo::new().await;
    let path = demo.path();
    for (host, status) in [
        ("evil.example", 421),
        ("evil.example:80", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
        ("0.0.0.0", 421),
        ("127.0.0.1:", 200),
        ("localhost", 200),
        ("LOCALHOST:80", 200),
        ("demo.localhost:80", 200),
        ("[::1]:80", 200),
        ("127.0.0.1:8080", 200),
    ] {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\nConnection: close\r\n{}\r\n",
            demo.authorization()
        );
        let came = understood(raw(&demo.0.base_url, head.as_bytes()).await).unwrap();
        assert_eq!(came.status, status, "{host}");
        assert!(!came.head.contains("access-control"), "{}", came.head);
    }
    // No host, two hosts, and another host in the target.
    for (target, hosts) in [
        (path.clone(), ""),
        (path.clone(), "Host: localhost\r\nHost: evil.example\r\n"),
        (format!("http://evil.example{path}"), "Host: localhost\r\n"),
    ] {
        let head = format!(
            "GET {target} HTTP/1.1\r\n{hosts}Connection: close\r\n{}\r\n",
            demo.authorization()
        );
        let came = understood(raw(&demo.0.base_url, head.as_bytes()).await).unwrap();
        assert!([400, 421].contains(&came.status), "{hosts}: {came:?}");
    }
}

#[tokio::test]
async fn a_large_body_and_a_large_head_are_refused_and_the_service_lives_on() {
    let demo = Demo::new().await;
    let large = format!(r#"{{"name":"{}","id":1,"tag":"b"}}"#, "a".repeat(70_000));
    if let Some(came) = demo.create(&large).await {
        came.is_error(413);
    }
    let head = format!("X-Large: {}\r\n", "a".repeat(5_000_000));
    if let Some(came) = demo.read(&head).await {
        assert_eq!(came.status, 431);
    }
    assert!(demo.0.plants().is_empty());
    assert_eq!(demo.read("").await.unwrap().status, 200);
}

#[tokio::test]
async fn it_listens_on_loopback_at_two_ports_with_a_new_token_every_time_and_ends() {
    let (one, two) = (start(0).await.unwrap(), start(0).await.unwrap());
    for running in [&one, &two] {
        assert!(running.base_url.starts_with("http://127.0.0.1:"));
        assert!(running.sandbox_url.starts_with("http://127.0.0.1:"));
        assert_ne!(running.base_url, running.sandbox_url);
        assert!(
            running
                .token
                .bytes()
                .all(|byte| (0x21..=0x7e).contains(&byte))
        );
    }
    assert_ne!(one.token, two.token);
    let line: Value = serde_json::from_str(&one.announcement()).unwrap();
    assert_eq!(line["base_url"], one.base_url);
    assert_eq!(line["sandbox_url"], one.sandbox_url);
    assert_eq!(line["token"], one.token);
    assert_eq!(
        line["deployments"][0]["uuid"],
        one.deployments[0].id.uuid.to_string()
    );
    assert_eq!(line["deployments"][0]["label"], one.deployments[0].name());
    assert!(one.deployments.len() >= 6 && !one.announcement().contains('\n'));

    let port: u16 = one.base_url.rsplit(':').next().unwrap().parse().unwrap();
    let taken = start(port).await.unwrap_err();
    assert!(taken.to_string().contains(&port.to_string()), "{taken}");
    one.shutdown().await;
    let again = start(port).await.unwrap();
    assert!(again.base_url.ends_with(&format!(":{port}")));
    let address = two.base_url.trim_start_matches("http://").to_owned();
    drop(two);
    for _ in 0..200 {
        if TcpStream::connect(&address).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it still listens");
}
