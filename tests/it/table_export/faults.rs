//! Buckets that are not there, refuse, or go away in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::driver::bucket::{Bucket, SECRET, refusal, run_at};
use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Request, Responder, nobody};
use crate::driver::{PATIENCE, signal, until};
use crate::exit_status::{TOKEN, UUID};

const TABLE: [&str; 5] = ["--timeout", "1s", "archive", "export", "s3://buoys/north"];

/// A home whose archive has a deployment with so many records, a minute apart from
/// the beginning of 2026.
fn home_with(records: u32) -> Home {
    let mut state = 20u64;
    let mut noise = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1u32 << 31)
    };
    let list: Vec<String> = (0..records)
        .map(|n| {
            let (latitude, longitude) = (60.0 + noise(), 5.0 + noise());
            let time = 1_767_225_600 + u64::from(n) * 10;
            format!(r#"{{"time_stamp":{time},"latitude":{latitude},"longitude":{longitude}}}"#)
        })
        .collect();
    let service = Responder::json(200, &format!("[{}]", list.join(",")));
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID])
        .go()
        .ends_with(0);
    Run::driftline(&home, ["track", UUID, "--output", "/dev/null"])
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .env("DRIFTLINE_TOKEN", TOKEN)
        .go()
        .ends_with(0);
    home
}

/// So many records that their file goes in parts.
const LARGE: u32 = 160_000;

/// Holds what a failed export says, and that it keeps the secret.
fn said(answer: Answer, status: i32, parts: &[&str]) {
    let answer = answer.ends_with(status);
    for part in parts {
        assert!(answer.stderr.contains(part), "{part}: {answer:#?}");
    }
    assert!(!format!("{answer:?}").contains(SECRET), "{answer:#?}");
    assert_eq!(answer.stderr.lines().count(), 1, "{answer:#?}");
}

fn is_of_the_table(key: &str) -> bool {
    key.starts_with("north/month=")
}

#[test]
fn a_bucket_that_is_not_there_or_refuses_is_told_apart() {
    let home = home_with(3);
    let bucket = Bucket::new();
    let elsewhere = ["archive", "export", "s3://others/north"];
    said(
        bucket.run(&home, &elsewhere).go(),
        1,
        &["s3://others/north", "NoSuchBucket", "make it"],
    );
    for (status, code) in [
        (403, "SignatureDoesNotMatch"),
        (403, "AccessDenied"),
        (401, "ExpiredToken"),
    ] {
        let bucket = Bucket::failing(move |_| Some(refusal(status, code)));
        let parts = ["s3://buoys/north", code, "AWS_SECRET_ACCESS_KEY"];
        said(bucket.run(&home, &TABLE).go(), 3, &parts);
        assert!(bucket.objects().is_empty());
    }
    // It may read and list, and not write.
    let bucket = Bucket::failing(|request| {
        (request.method == "PUT" && request.target.contains("month"))
            .then(|| refusal(403, "AccessDenied"))
    });
    let parts = [
        "writing month=2026-01/bucket=00/records.parquet",
        "AccessDenied",
    ];
    said(bucket.run(&home, &TABLE).go(), 3, &parts);
    assert!(bucket.objects().is_empty());
}

#[test]
fn an_endpoint_that_cannot_be_reached_is_5_and_one_in_the_clear_is_meant_or_refused() {
    let home = home_with(3);
    let parts = ["s3://buoys/north", "Check the network"];
    said(run_at(&home, &nobody(), &TABLE).go(), 5, &parts);
    let in_the_clear = run_at(&home, &nobody(), &TABLE).env("AWS_ALLOW_HTTP", "false");
    said(in_the_clear.go(), 2, &["not encrypted", "AWS_ALLOW_HTTP"]);
    // A token or a key is not sent in the clear unless that is meant.
    for (place, variables, allow) in [
        (
            "gs://buoys/north",
            &[
                ("GOOGLE_BASE_URL", nobody()),
                ("GOOGLE_BEARER_TOKEN", SECRET.to_owned()),
            ][..],
            "GOOGLE_ALLOW_HTTP",
        ),
        (
            "az://buoys/north",
            &[
                ("AZURE_STORAGE_ENDPOINT", nobody()),
                ("AZURE_STORAGE_ACCOUNT_NAME", "reader".to_owned()),
                ("AZURE_STORAGE_TOKEN", SECRET.to_owned()),
            ],
            "AZURE_ALLOW_HTTP",
        ),
    ] {
        let export = || {
            let arguments = ["--timeout", "1s", "archive", "export", place];
            let run = Run::driftline(&home, arguments);
            let with = |run: Run, (name, value): &(&str, String)| run.env(name, value);
            variables.iter().fold(run, with)
        };
        said(export().go(), 2, &[place, "not encrypted", allow]);
        let meant = export().env(allow, "true");
        said(meant.go(), 5, &[place, "Check the network"]);
    }
}

#[test]
fn where_the_environment_names_no_user_of_google_the_message_says_so() {
    let home = home_with(3);
    let place = "gs://buoys/north";
    // The computer is asked who its user is, and there is nobody to ask.
    let host = nobody().replace("http://", "");
    let answer = Run::driftline(&home, ["--timeout", "1s", "archive", "export", place])
        .env("GCE_METADATA_HOST", &host)
        .env("GCE_METADATA_IP", &host)
        .env("GOOGLE_BASE_URL", nobody())
        .env("GOOGLE_ALLOW_HTTP", "true")
        .go();
    let parts = [place, "names no user", "GOOGLE_SERVICE_ACCOUNT"];
    said(answer, 3, &parts);
}

#[test]
fn an_address_that_is_none_is_refused_before_anything_is_read() {
    let home = Home::new();
    for place in [
        "s3://",
        "s3://key:sesame@buoys/x",
        "ftp://host/x",
        "file://x",
    ] {
        let answer = Run::driftline(&home, ["archive", "export", place])
            .go()
            .ends_with(2);
        assert!(answer.stderr.contains("s3://BUCKET/PREFIX"), "{answer:?}");
        assert!(!answer.stderr.contains("sesame"), "{answer:?}");
    }
}

#[test]
fn an_archive_without_records_leaves_nothing_in_the_bucket() {
    let home = Home::new();
    let bucket = Bucket::new();
    let answer = bucket.run(&home, &TABLE).go().ends_with(0);
    assert!(answer.stderr.contains("nothing was written"), "{answer:?}");
    assert!(bucket.requests().is_empty());
}

#[test]
fn a_prefix_with_something_else_in_it_is_left_as_it_is() {
    let home = home_with(3);
    let bucket = Bucket::new();
    let sibling = ["archive", "export", "s3://buoys/northern"];
    bucket.run(&home, &sibling).go().ends_with(0);
    // What begins with the same letters is another prefix.
    bucket.run(&home, &TABLE).go().ends_with(0);
    let before = bucket.objects();
    let above = ["archive", "export", "s3://buoys"];
    let parts = [
        "s3://buoys has north",
        "which is no file of a table",
        "Name an empty prefix",
    ];
    said(bucket.run(&home, &above).go(), 2, &parts);
    assert_eq!(bucket.objects(), before);
}

#[test]
fn a_network_that_stops_in_the_middle_of_an_upload_leaves_no_part_of_it() {
    let home = home_with(LARGE);
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = Arc::clone(&broken);
    let of_a_part = |request: &Request| request.target.contains("partNumber=2");
    let bucket = Bucket::failing(move |request| {
        (of_a_part(request) && is_broken.load(Ordering::Relaxed)).then_some(Act::Reset)
    });
    let parts = ["writing month=2026-01", "Check the network"];
    said(bucket.run(&home, &TABLE).go(), 5, &parts);
    assert!(!bucket.objects().keys().any(|key| is_of_the_table(key)));
    assert_eq!(bucket.uploads(), (0, 1));
    // When it is back the next export does it.
    broken.store(false, Ordering::Relaxed);
    bucket.run(&home, &TABLE).go().ends_with(0);
    let objects = bucket.objects();
    let file = &objects["north/month=2026-01/bucket=00/records.parquet"];
    assert!(file.len() > 5 << 20 && file.ends_with(b"PAR1"));
    assert_eq!(objects.len(), 1, "{:?}", objects.keys());
}

#[test]
fn a_signal_in_the_middle_of_an_upload_gives_it_up_and_lets_the_next_one_in() {
    let home = home_with(LARGE);
    let halted = Arc::new(AtomicBool::new(true));
    let is_halted = Arc::clone(&halted);
    let bucket = Bucket::failing(move |request| {
        let is_part = request.target.contains("partNumber=");
        (is_part && is_halted.load(Ordering::Relaxed)).then(Act::silence)
    });
    let slowly = ["archive", "export", "s3://buoys/north"];
    let first = bucket.run(&home, &slowly).start();
    let begun = || {
        let all = bucket.requests();
        all.iter()
            .any(|one| one.target.contains("partNumber="))
            .then_some(())
    };
    until(PATIENCE, begun).expect("the upload begins");
    assert_eq!(bucket.uploads(), (1, 0));
    signal(first.id(), rustix::process::Signal::INT);
    let answer = first.end().ends_with(130);
    assert!(answer.stderr.contains("was interrupted"), "{answer:?}");
    assert_eq!(bucket.uploads(), (0, 1));
    halted.store(false, Ordering::Relaxed);
    bucket.run(&home, &slowly).go().ends_with(0);
    assert_eq!(bucket.objects().len(), 1);
}
