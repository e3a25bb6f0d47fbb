//! Reads with hardly any data: reported as slow, and waited for no longer
//! than their answer counts.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::{LONG, read_within};
use crate::failure::FailureKind;
use crate::service::reading::tests::occupied;
use crate::testing::service::{Reply, Responder, client, http, token};
use crate::watch::DeploymentId;
use crate::watch::RequestBasis;

#[tokio::test]
async fn a_read_that_brings_next_to_nothing_is_told_to_be_slow_while_it_goes_on() {
    // Forty bytes a second, and a service that says nothing at all.
    let head = b"HTTP/1.1 200 OK\r\n\r\n[".to_vec();
    let drip = Reply::Drip(head, vec![b' '; 10_000], Duration::from_millis(25));
    for reply in [drip, Reply::ThenSilence(Vec::new())] {
        let service = Responder::start(move |_, _| reply.clone());
        let (client, _) = client(&service.address, &service.address, LONG);
        let (told, slow) = tokio::sync::oneshot::channel();
        let told = Mutex::new(Some(told));
        let sink = Arc::new(move |progress: crate::exchange::Progress| {
            if progress.is_slow
                && let Some(told) = told.lock().unwrap().take()
            {
                told.send(progress).unwrap();
            }
        });
        let began = Instant::now();
        let (token, known) = (token(), RequestBasis::default());
        let id = DeploymentId::default();
        let reading = client.deployment_data(&token, &id, &known, Some(sink));
        tokio::select! {
            ended = reading => panic!("{ended:?}"),
            progress = slow => assert!(progress.unwrap().bytes < 1000),
        }
        let took = began.elapsed().as_secs_f64();
        assert!((9.5..13.0).contains(&took), "{took}");
    }
}

#[tokio::test]
async fn the_words_of_a_refusal_are_waited_for_no_longer_than_the_time_out() {
    let head = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 9000\r\n\r\n".to_vec();
    let reply = Reply::Drip(head, vec![b' '; 9000], Duration::from_millis(100));
    let service = Responder::start(move |_, _| reply.clone());
    let began = Instant::now();
    let error = read_within(&service, Duration::from_millis(500)).await;
    assert_eq!(error.unwrap_err().kind, FailureKind::NotAuthenticated);
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn silence_is_given_up_after_the_time_out_and_not_tried_again() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 45\r\n\r\n[{".to_vec();
    for reply in [Vec::new(), b"HTTP/1.1 2".to_vec(), head] {
        let service = Responder::start(move |_, _| Reply::ThenSilence(reply.clone()));
        let started = Instant::now();
        let error = read_within(&service, Duration::from_millis(500))
            .await
            .unwrap_err();
        assert_eq!(error.kind, FailureKind::Unreachable, "{error}");
        assert!(started.elapsed() < Duration::from_secs(3), "{error}");
        assert_eq!(service.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_read_that_hangs_on_a_kept_connection_is_tried_once_more_on_a_new_one() {
    let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]";
    // On the new connection it is answered, or hangs again.
    for (last, is_answered) in [(whole.to_vec(), true), (Vec::new(), false)] {
        let service = Responder::start(move |number, _| match number {
            0 => Reply::Keep(whole.to_vec()),
            1 => Reply::ThenSilence(Vec::new()),
            _ => Reply::ThenSilence(last.clone()),
        });
        let timeout = Duration::from_millis(500);
        let (client, _) = client(&service.address, &service.address, timeout);
        let (token, known) = (token(), RequestBasis::default());
        let id = DeploymentId::default();
        let read = || client.deployment_data(&token, &id, &known, None);
        read().await.unwrap();
        let again = read().await;
        assert_eq!(again.is_ok(), is_answered, "{again:?}");
        assert_eq!(service.requests().len(), 3);
    }
}

#[tokio::test]
async fn an_answer_that_waits_for_memory_is_no_silent_service() {
    let record = r#"{"time_stamp":1,"latitude":2,"longitude":3}"#;
    let body = format!("[{}{record}]", format!("{record},").repeat(20_000));
    let service = Responder::start(move |_, _| http("200 OK", "", body.as_bytes()));
    let timeout = Duration::from_millis(300);
    let (client, _) = client(&service.address, &service.address, timeout);
    let (token, known) = (token(), RequestBasis::default());
    let other = occupied().await;
    let free = async move {
        tokio::time::sleep(4 * timeout).await;
        drop(other);
    };
    let id = DeploymentId::default();
    let read = client.deployment_data(&token, &id, &known, None);
    let (read, ()) = tokio::join!(read, free);
    assert_eq!(read.unwrap().records.transmissions.len(), 20_001);
}
