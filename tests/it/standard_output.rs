//! Standard output as a shell hands it over: appended to, not blocking, shared
//! with what is written before and after.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::{TOKEN, TRACK, UUID};

/// A track that no pipe takes at once.
fn long_track(count: u32) -> String {
    let records: Vec<String> = (0..count)
        .map(|n| {
            let (time, east) = (1_700_000_000 + 600 * n, f64::from(n) * 1e-4);
            format!("{{\"time_stamp\":{time},\"latitude\":60.5,\"longitude\":{east}}}")
        })
        .collect();
    format!("[{}]", records.join(","))
}

#[test]
fn a_reader_that_closes_ends_it_quietly_by_whatever_name() {
    let (home, service) = (Home::new(), Responder::json(200, &long_track(20_000)));
    for output in ["-", "/dev/stdout", "/dev/fd/1", ">(head -1)"] {
        let line = format!(
            "set -o pipefail; \"$DRIFTLINE\" track {UUID} --format csv --output {output} | head -1"
        );
        let answer = Run::shell(&home, &line).at(service.base_url()).ends_with(0);
        assert!(answer.stderr.is_empty(), "{output}: {answer:?}");
    }
}

#[test]
fn a_standard_output_that_does_not_block_loses_nothing() {
    const FIXES: u32 = 20_000;
    let (home, service) = (Home::new(), Responder::json(200, &long_track(FIXES)));
    for (format, more) in [
        ("csv", &[][..]),
        ("ndjson", &[]),
        ("csv", &["--output", "/dev/stdout"]),
    ] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        let mut child = Command::new(DRIFTLINE)
            .args(["track", UUID, "--format", format])
            .args(more)
            .env_clear()
            .envs(home.environment())
            .env("DRIFTLINE_TOKEN", TOKEN)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A reader that takes its time: the pipe is full meanwhile.
        std::thread::sleep(Duration::from_secs(2));
        let mut written = String::new();
        reader.read_to_string(&mut written).unwrap();
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(child.wait().unwrap().success(), "{format}: {said}");
        let heading = usize::from(format == "csv");
        assert_eq!(
            written.lines().count(),
            FIXES as usize + heading,
            "{format}: {said}"
        );
        assert!(written.ends_with('\n'));
    }
}

#[test]
fn an_output_that_is_an_open_file_is_written_where_the_shell_left_it() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    std::os::unix::fs::symlink("/dev/stdout", home.file("link")).unwrap();
    let run = |line: &str| {
        home.write("f", "before\n");
        let line = line.replace(
            "TRACK",
            &format!("\"$DRIFTLINE\" track {UUID} --format csv --output"),
        );
        let answer = Run::shell(&home, &line).at(service.base_url()).go();
        assert_eq!(answer.status, 0, "{line}: {answer:#?}");
        (
            std::fs::read_to_string(home.file("f")).unwrap(),
            answer.stdout,
        )
    };
    for path in [
        "/dev/stdout",
        "/dev/fd/1",
        "/proc/self/fd/1",
        "/proc/thread-self/fd/1",
        "link",
    ] {
        let (file, _) = run(&format!("TRACK {path} >> f; echo after >> f"));
        assert!(file.starts_with("before\ntime,"), "{path}: {file}");
        assert_eq!(file.lines().count(), 5, "{path}: {file}");
        // One open file for all three.
        let (file, _) = run(&format!("{{ echo first; TRACK {path}; echo after; }} > f"));
        assert!(file.starts_with("first\ntime,"), "{path}: {file}");
        assert!(file.ends_with("\nafter\n"), "{path}: {file}");
        assert_eq!(file.lines().count(), 5, "{path}: {file}");
        let (file, piped) = run(&format!("TRACK {path} | cat"));
        assert_eq!(
            (file.as_str(), piped.lines().count()),
            ("before\n", 3),
            "{path}"
        );
    }
    for path in ["/dev/fd/7", "/proc/self/fd/7"] {
        let (file, _) = run(&format!("exec 7>>f; TRACK {path}; echo after >&7"));
        assert!(file.starts_with("before\ntime,"), "{path}: {file}");
        assert!(file.ends_with("\nafter\n"), "{path}: {file}");
        assert_eq!(file.lines().count(), 5, "{path}: {file}");
    }
    let (file, _) = run("TRACK /dev/stderr 2>> f");
    assert!(file.starts_with("before\ntime,"), "{file}");
    // One that is not open is an error, and nothing is made or replaced.
    let closed = format!("\"$DRIFTLINE\" track {UUID} --format csv --output /dev/fd/9");
    Run::shell(&home, &closed)
        .at(service.base_url())
        .ends_with(1);
}
