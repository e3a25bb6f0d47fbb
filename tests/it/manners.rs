//! How the program behaves in a pipe: closed readers, full disks, closed
//! standard streams, and links that break anywhere.

use crate::driver::home::Home;
use crate::driver::proxy::{Fault, Proxy};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::{TRACK, UUID, with_token};

/// A track too long for any pipe's buffer.
fn long_track() -> String {
    let records = (0..30_000).map(|number| {
        let (time, longitude) = (1_700_000_000 + number * 600, f64::from(number) / 1000.0);
        format!(r#"{{"time_stamp":{time},"latitude":80.5,"longitude":{longitude}}}"#)
    });
    format!("[{}]", records.collect::<Vec<_>>().join(","))
}

fn shell(home: &Home, service: &Responder, line: &str) -> Run {
    Run::shell(home, line)
        .at(service.base_url())
        .env("UUID", UUID)
}

#[test]
fn a_reader_that_closes_the_pipe_ends_it_quietly() {
    let (long, short) = (
        Responder::json(200, &long_track()),
        Responder::json(200, TRACK),
    );
    for format in ["csv", "ndjson", "table", "json", "geojson", "gpx", "kml"] {
        for service in [&long, &short] {
            let home = Home::new();
            let line = format!(
                "\"$DRIFTLINE\" track $UUID --format {format} | head -c 20 >/dev/null; exit ${{PIPESTATUS[0]}}"
            );
            let answer = shell(&home, service, &line).go();
            assert_eq!((answer.status, answer.stderr.as_str()), (0, ""), "{format}");
        }
    }
}

#[test]
fn a_full_disk_is_said_and_is_1() {
    let service = Responder::json(200, TRACK);
    for line in [
        "\"$DRIFTLINE\" track $UUID >/dev/full",
        "\"$DRIFTLINE\" track $UUID --format json >/dev/full",
        "\"$DRIFTLINE\" track $UUID --output /dev/full",
        "\"$DRIFTLINE\" --version >/dev/full",
        "\"$DRIFTLINE\" completions bash >/dev/full",
    ] {
        let home = Home::new();
        let answer = shell(&home, &service, line).go();
        assert_eq!(answer.status, 1, "{line} {answer:#?}");
        assert!(
            answer.stderr.contains("No space left"),
            "{line} {answer:#?}"
        );
    }
    // The change was made all the same: a script must not make it again.
    let plants = Responder::json(201, "");
    for (command, done) in [
        (
            "create --id 7 --name oak --tag q",
            "created plant 7: oak (q)",
        ),
        ("delete 7 --yes", "deleted plant 7"),
    ] {
        let line = format!("\"$DRIFTLINE\" plants {command} --json >/dev/full");
        let home = Home::new();
        let run = shell(&home, &plants, &line);
        let answer = run.env("DRIFTLINE_SANDBOX_URL", plants.base_url()).go();
        assert_eq!(answer.status, 1, "{answer:#?}");
        answer.says(done);
    }
    for format in [
        "table", "csv", "json", "ndjson", "geojson", "gpx", "kml", "netcdf",
    ] {
        let home = Home::new();
        let line = format!("\"$DRIFTLINE\" track $UUID --format {format} --output /dev/full");
        let answer = shell(&home, &service, &line).go();
        assert_eq!(answer.status, 1, "{line} {answer:#?}");
        let said = "the disk is full (No space left on device (os error 28))";
        assert!(answer.stderr.contains(said), "{line} {answer:#?}");
        assert!(!answer.stderr.contains("serializ"), "{line} {answer:#?}");
    }
    let kind = std::fs::metadata("/dev/full").unwrap().file_type();
    assert!(!kind.is_file(), "the device was replaced by a file");
}

#[test]
fn closed_streams_change_no_status() {
    let service = Responder::json(200, TRACK);
    for (line, status) in [
        (
            "\"$DRIFTLINE\" track $UUID <&- 2>&- | wc -l; exit ${PIPESTATUS[0]}",
            0,
        ),
        ("\"$DRIFTLINE\" track nonsense 2>&-", 2),
        ("\"$DRIFTLINE\" track nonsense 2> >(true); sleep 0.1", 2),
        ("\"$DRIFTLINE\" track nonsense 2>/dev/full", 2),
        (
            "\"$DRIFTLINE\" track $UUID --output t.csv <&- >&- 2>&-; s=$?; test -s t.csv && exit $s",
            0,
        ),
    ] {
        let home = Home::new();
        let line = line.replace("; sleep 0.1", "; s=$?; sleep 0.1; exit $s");
        let answer = shell(&home, &service, &line).go();
        assert_eq!(answer.status, status, "{line} {answer:#?}");
    }
}

#[test]
fn a_failed_export_leaves_what_was_there() {
    let home = Home::new();
    home.write("track.csv", "what was there");
    let service = Responder::json(200, "{}");
    let arguments = ["track", UUID, "--output", "track.csv"];
    with_token(&home, &service.base_url(), &arguments).ends_with(6);
    let kept = std::fs::read_to_string(home.file("track.csv")).unwrap();
    assert_eq!(kept, "what was there");
    let strangers: Vec<_> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("csv"))
        .collect();
    assert_eq!(strangers, ["track.csv"]);
}

#[test]
fn a_link_that_breaks_at_any_byte_of_the_answer_never_gives_half_a_track() {
    let service = Responder::json(200, TRACK);
    let proxy = Proxy::to(service.address);
    let home = Home::new();
    let arguments = ["track", UUID, "--timeout", "1s"];
    let whole = with_token(&home, &proxy.base_url(), &arguments).ends_with(0);
    // The head is about 90 bytes; each try is asked for again by the program.
    for cut in [0, 40, 95, 180] {
        for fault in [Fault::CutAnswer(cut), Fault::ResetAnswer(cut)] {
            proxy.set(fault);
            with_token(&home, &proxy.base_url(), &arguments).ends_with(5);
        }
    }
    proxy.set(Fault::None);
    let again = with_token(&home, &proxy.base_url(), &arguments).ends_with(0);
    assert_eq!(again.stdout, whole.stdout);
}
