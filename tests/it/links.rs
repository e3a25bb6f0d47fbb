//! Links at their worst, through the binary: what is sent, where it goes, how
//! often, and what is written down of it.

use std::net::TcpListener;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::proxy::{Fault, Proxy};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{TRACK, UUID, with_token};

pub(crate) fn run(home: &Home, base: &str, arguments: &[&str]) -> Run {
    with_token(home, base, arguments)
}

pub(crate) fn track(home: &Home, base: &str) -> Answer {
    run(
        home,
        base,
        &["track", UUID, "--format", "csv", "--timeout", "2s"],
    )
    .go()
}

fn states(home: &Home) -> Vec<(String, String)> {
    let listed = Run::driftline(home, ["plants", "list", "--json"]).ends_with(0);
    let rows: Value = serde_json::from_str(&listed.stdout).unwrap();
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| (text(&row["id"]), text(&row["state"])))
        .collect()
}

fn posts(service: &Responder) -> usize {
    service
        .requests()
        .iter()
        .filter(|one| one.method == "POST")
        .count()
}

const CREATE: [&str; 10] = [
    "plants",
    "create",
    "--id",
    "7",
    "--name",
    "n",
    "--tag",
    "t",
    "--timeout",
    "2s",
];

#[test]
fn every_redirect_of_every_method_keeps_the_token_at_home() {
    let elsewhere = Responder::json(200, TRACK);
    let port = elsewhere.address.port();
    for status in [301, 302, 303, 307, 308] {
        for place in [
            format!("http://127.0.0.1:{port}/x"),
            format!("http://localhost:{port}/x"),
            format!("//127.0.0.1:{port}/x"),
            "https://127.0.0.1:9/x".to_owned(),
            "javascript:alert(1)".to_owned(),
            "x".repeat(20_000),
        ] {
            let home = Home::new();
            let to = place.clone();
            let service = Responder::new(move |_, _| Act::with(status, &[("Location", &to)], ""));
            let read = track(&home, &service.base_url());
            assert!(
                [5, 6].contains(&read.status),
                "{status} {place:.60} {read:#?}"
            );
            run(&home, &service.base_url(), &CREATE).ends_with(4);
            run(
                &home,
                &service.base_url(),
                &["plants", "delete", "7", "--yes"],
            )
            .ends_with(4);
            assert_eq!(posts(&service), 1, "{status} {place:.60}");
        }
    }
    assert!(
        elsewhere.requests().is_empty(),
        "something followed a redirect elsewhere"
    );
}

#[test]
fn a_redirect_home_by_way_of_another_origin_is_not_followed_either() {
    let home = Home::new();
    let back = Responder::new(|_, _| Act::with(302, &[("Location", "http://127.0.0.1:9/2")], ""));
    let to = format!("http://localhost:{}/1", back.address.port());
    let service = Responder::new(move |_, _| Act::with(302, &[("Location", &to)], ""));
    track(&home, &service.base_url()).ends_with(5);
    assert!(back.requests().is_empty());
}

#[test]
fn base_and_sandbox_each_see_only_their_own_requests() {
    let home = Home::new();
    let (base, sandbox) = (Responder::json(200, TRACK), Responder::json(200, "{}"));
    let with = |arguments: &[&str]| {
        run(&home, &base.base_url(), arguments)
            .env("DRIFTLINE_SANDBOX_URL", sandbox.base_url())
            .ends_with(0)
    };
    with(&["track", UUID]);
    with(&CREATE);
    with(&["plants", "delete", "7", "--yes"]);
    let methods = |service: &Responder| -> Vec<String> {
        service
            .requests()
            .iter()
            .map(|one| one.method.clone())
            .collect()
    };
    assert_eq!(
        (methods(&base), methods(&sandbox)),
        (
            vec!["GET".to_owned(), "DELETE".to_owned()],
            vec!["POST".to_owned()]
        )
    );
}

#[test]
fn a_connection_that_is_never_accepted_is_5_in_time_and_a_create_knows_nothing_left() {
    // A listener whose waiting room is full: nobody answers the door.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let address = listener.local_addr().unwrap();
    let _waiting: Vec<_> = (0..4)
        .map(|_| std::net::TcpStream::connect_timeout(&address, Duration::from_millis(200)))
        .collect();
    let home = Home::new();
    let base = format!("http://{address}");
    let answer = track(&home, &base).ends_with(5);
    assert!(answer.took < SOON, "{answer:#?}");
    run(&home, &base, &CREATE).ends_with(5);
    assert!(
        states(&home)
            .iter()
            .all(|(_, state)| state != "unknown" && state != "exists"),
        "{:?}",
        states(&home)
    );
}

#[test]
fn a_create_cut_at_any_byte_of_request_or_answer_is_sent_once_and_never_lied_about() {
    let service =
        Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)));
    let proxy = Proxy::to(service.address);
    let home = Home::new();
    let mut number = 100;
    for fault in [0, 1, 20, 80, 150]
        .map(Fault::CutRequest)
        .into_iter()
        .chain([0, 1, 12, 60, 90, 110].map(Fault::CutAnswer))
        .chain([0, 15, 100].map(Fault::ResetAnswer))
        .chain([0, 30, 95].map(Fault::StallAnswer))
    {
        proxy.set(fault);
        number += 1;
        let id = number.to_string();
        let before = posts(&service);
        let answer = run(
            &home,
            &proxy.base_url(),
            &[
                "plants",
                "create",
                "--id",
                &id,
                "--name",
                "n",
                "--tag",
                "t",
                "--timeout",
                "1s",
            ],
        )
        .go();
        let came = posts(&service) - before;
        assert!(came <= 1, "{fault:?}: {came} creates");
        let state = states(&home)
            .into_iter()
            .find(|(known, _)| *known == id)
            .map(|(_, state)| state);
        match answer.status {
            0 => assert_eq!((came, state.as_deref()), (1, Some("exists")), "{fault:?}"),
            7 => assert_eq!(state.as_deref(), Some("unknown"), "{fault:?}"),
            status => panic!("{fault:?} {status} {state:?} {answer:#?}"),
        }
    }
}

#[test]
fn two_hundred_creates_on_a_service_that_closes_at_once_are_none_of_them_unknown() {
    let service =
        Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)));
    let home = Home::new();
    let rows: String = (0..200).map(|id| format!("{id},n,t\n")).collect();
    let table = home.write("plants.csv", format!("id,name,tag\n{rows}"));
    run(
        &home,
        &service.base_url(),
        &["plants", "import", table.to_str().unwrap()],
    )
    .ends_with(0);
    assert_eq!(posts(&service), 200);
    assert!(states(&home).iter().all(|(_, state)| state == "exists"));
}

#[test]
fn a_create_that_the_service_knows_already_is_its_error_and_the_first_stands() {
    let service = Responder::new(|request, number| match number {
        0 => Act::json(200, &String::from_utf8_lossy(&request.body)),
        _ => Act::json(409, r#"{"error":3,"message":"there is one"}"#),
    });
    let home = Home::new();
    run(&home, &service.base_url(), &CREATE).ends_with(0);
    let answer = run(&home, &service.base_url(), &CREATE).ends_with(4);
    answer.says("there is one");
    // A script is told by one line, and the service is asked all the same.
    let known = "driftline: Plant 7 exists by the plant log since ";
    assert_eq!(answer.stderr.matches(known).count(), 1, "{answer:#?}");
    assert_eq!(posts(&service), 2);
    assert!(
        states(&home)
            .iter()
            .any(|(id, state)| id == "7" && state == "exists")
    );
}

#[test]
fn an_interrupted_create_is_unknown_and_an_interrupted_read_is_over_at_once() {
    let service = Responder::silent();
    let home = Home::new();
    let reading = run(&home, &service.base_url(), &["track", UUID]).start();
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    reading.signal(Signal::INT);
    assert_eq!(reading.end().status, 130);
    let creating = run(
        &home,
        &service.base_url(),
        &["plants", "create", "--id", "7", "--name", "n", "--tag", "t"],
    )
    .start();
    until(PATIENCE, || (posts(&service) == 1).then_some(())).unwrap();
    creating.signal(Signal::INT);
    assert_eq!(creating.end().status, 130);
    assert_eq!(states(&home), [("7".to_owned(), "unknown".to_owned())]);
}

#[test]
fn a_read_that_broke_half_way_and_came_whole_then_has_each_row_once() {
    let service = Responder::json(200, TRACK);
    let proxy = Proxy::to(service.address);
    let home = Home::new();
    let whole = track(&home, &service.base_url()).ends_with(0);
    proxy.set(Fault::CutAnswer(140));
    let base = proxy.base_url();
    let mended = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The next connection is a good one.
            until(PATIENCE, || (!proxy.requests().is_empty()).then_some(())).unwrap();
            proxy.set(Fault::None);
        });
        track(&home, &base)
    });
    assert_eq!(mended.ends_with(0).stdout, whole.stdout);
    assert!(proxy.requests().len() >= 2);
}

#[test]
fn a_request_made_for_a_web_server_is_no_reason_to_trust_its_headers() {
    let home = Home::new();
    let service = Responder::json(200, TRACK);
    run(&home, &service.base_url(), &["track", UUID])
        .env("REQUEST_METHOD", "GET")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .ends_with(0);
    assert_eq!(service.requests().len(), 1);
}
