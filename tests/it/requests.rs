//! The three requests exactly as the interface shows them.

use serde_json::{Value, json};

use crate::driver::home::Home;
use crate::driver::wire::{Act, Request, Responder};
use crate::exit_status::{TOKEN, TRACK, UUID, with_token};

fn sent(service: &Responder) -> Request {
    let requests = service.requests();
    assert_eq!(requests.len(), 1, "{requests:#?}");
    let request = requests[0].clone();
    assert_eq!(
        request.header("authorization"),
        Some(format!("Bearer {TOKEN}").as_str())
    );
    assert_eq!(request.header("referer"), None);
    request
}

#[test]
fn a_track_is_asked_for_by_its_uuid_in_lower_case() {
    for written in [UUID.to_owned(), UUID.to_uppercase(), UUID.replace('-', "")] {
        let (home, service) = (Home::new(), Responder::json(200, TRACK));
        with_token(&home, &service.base_url(), &["track", &written]).ends_with(0);
        let request = sent(&service);
        assert_eq!(request.method, "GET");
        assert_eq!(request.target, format!("/public/deployment/data/{UUID}"));
        assert_eq!(request.body, b"");
        assert_eq!(request.header("accept-encoding").unwrap(), "gzip");
    }
}

#[test]
fn a_profile_without_a_service_sends_byte_for_byte_what_it_sent() {
    let home = Home::new();
    let service = Responder::new(|_, number| match number {
        0 => Act::with(200, &[("ETag", "\"7\"")], TRACK),
        _ => Act::json(200, TRACK),
    });
    let base = service.base_url();
    let go = |arguments: &[&str], fields: &str| {
        let run = with_token(&home, &base, arguments);
        run.env("DRIFTLINE_FIELDS", fields).ends_with(0);
    };
    go(&["deployments", "add", UUID], "");
    go(&["track", UUID], "");
    go(&["track", UUID], "");
    go(&["track", UUID], "battery");
    // As they were sent before there were services of another shape.
    let request = |query: &str, condition: &str| {
        let (host, version) = (service.address, env!("CARGO_PKG_VERSION"));
        format!(
            "GET /public/deployment/data/{UUID}{query} HTTP/1.1\r\n{condition}\
             authorization: Bearer {TOKEN}\r\naccept: application/json\r\n\
             accept-encoding: gzip\r\nuser-agent: driftline/{version}\r\nhost: {host}\r\n\r\n"
        )
    };
    let fields = "?field=time_stamp&field=latitude&field=longitude&field=battery";
    assert_eq!(
        service.sent(),
        [
            request("", ""),
            request("", "if-none-match: \"7\"\r\n"),
            request(fields, "")
        ]
    );
}

#[test]
fn an_address_may_have_a_prefix_and_a_trailing_slash() {
    for suffix in ["/sea/v1", "/sea/v1/"] {
        let (home, service) = (Home::new(), Responder::json(200, TRACK));
        let base = service.base_url() + suffix;
        with_token(&home, &base, &["track", UUID]).ends_with(0);
        assert_eq!(
            sent(&service).target,
            format!("/sea/v1/public/deployment/data/{UUID}")
        );
    }
}

#[test]
fn a_plant_is_created_at_the_sandbox_and_deleted_at_the_base() {
    let home = Home::new();
    let (base, sandbox) = (
        Responder::json(200, ""),
        Responder::json(201, r#"{"name":"Boje Süd","tag":"ice"}"#),
    );
    let create = [
        "plants",
        "create",
        "--id",
        "9007199254740993",
        "--name",
        "Boje Süd",
        "--tag",
        "ice",
    ];
    let run = with_token(&home, &base.base_url(), &create);
    run.env("DRIFTLINE_SANDBOX_URL", sandbox.base_url())
        .ends_with(0);
    let request = sent(&sandbox);
    assert_eq!(
        (request.method.as_str(), request.target.as_str()),
        ("POST", "/plants")
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(
        body,
        json!({"name": "Boje Süd", "id": 9_007_199_254_740_993_i64, "tag": "ice"})
    );
    assert!(base.requests().is_empty());

    let delete = ["plants", "delete", "9007199254740993", "--yes"];
    let run = with_token(&home, &base.base_url(), &delete);
    run.env("DRIFTLINE_SANDBOX_URL", sandbox.base_url())
        .ends_with(0);
    let request = sent(&base);
    assert_eq!(
        (request.method.as_str(), request.target.as_str()),
        ("DELETE", "/plants/9007199254740993")
    );
    assert_eq!(request.body, b"");
    assert_eq!(sandbox.requests().len(), 1);
}

#[test]
fn an_id_is_one_segment_whatever_it_holds() {
    for (id, segment) in [
        ("a/b", "a%2Fb"),
        ("../x", "..%2Fx"),
        ("a b", "a%20b"),
        ("50%", "50%25"),
        ("?q#f", "%3Fq%23f"),
        ("海", "%E6%B5%B7"),
    ] {
        let (home, service) = (Home::new(), Responder::json(204, ""));
        with_token(
            &home,
            &service.base_url(),
            &["plants", "delete", id, "--yes"],
        )
        .ends_with(0);
        assert_eq!(sent(&service).target, format!("/plants/{segment}"));
    }
}

#[test]
fn loopback_is_never_reached_through_a_proxy() {
    let (home, service, proxy) = (
        Home::new(),
        Responder::json(200, TRACK),
        Responder::json(200, "[]"),
    );
    let mut run = with_token(&home, &service.base_url(), &["track", UUID]);
    for name in [
        "http_proxy",
        "HTTP_PROXY",
        "ALL_PROXY",
        "all_proxy",
        "HTTPS_PROXY",
    ] {
        run = run.env(name, proxy.base_url());
    }
    run.ends_with(0);
    assert!(proxy.requests().is_empty());
    assert_eq!(service.requests().len(), 1);
}
