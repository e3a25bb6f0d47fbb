//! In scripts and beside other programs: prompts that nobody can answer,
//! interruptions, a verbose environment, ports, what a reader of the process
//! list and of the folder sees, a million records.

use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use rustix::process::Signal;

use crate::driver::chance::rounds;
use crate::driver::home::{Home, holds};
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::service::Service;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{TOKEN, TRACK, UUID, run, start};

#[test]
fn nothing_waits_for_an_answer_that_nobody_can_give() {
    let (home, service) = (Home::new(), Responder::json(200, "{}"));
    for line in [
        "\"$DRIFTLINE\" plants delete 7 </dev/null",
        "\"$DRIFTLINE\" plants delete 7 <&-",
        "echo y | \"$DRIFTLINE\" plants delete 7",
        "\"$DRIFTLINE\" auth login </dev/null",
        "\"$DRIFTLINE\" auth login <&-",
        "\"$DRIFTLINE\" </dev/null",
        "\"$DRIFTLINE\" demo </dev/null",
    ] {
        let answer = Run::shell(&home, line).at(service.base_url()).ends_with(2);
        assert!(answer.took < SOON, "{line} {answer:#?}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn an_interrupted_export_leaves_nothing_beside_what_was_there() {
    let home = Home::new();
    let half = TRACK[..TRACK.len() / 2].to_owned();
    let service = Responder::new(move |_, _| {
        Act::ThenSilence(
            format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{half}",
                TRACK.len()
            )
            .into_bytes(),
        )
    });
    home.write("track.csv", "what was there");
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let before = service.requests().len();
        let arguments = ["track", UUID, "--output", "track.csv"];
        let exporting = start(&home, &service, &arguments).start();
        until(PATIENCE, || {
            (service.requests().len() > before).then_some(())
        })
        .unwrap();
        std::thread::sleep(Duration::from_millis(100));
        exporting.signal(signal);
        let answer = exporting.end();
        assert_eq!(
            (answer.status, answer.stdout.as_str()),
            (status, ""),
            "{answer:#?}"
        );
        let names = std::fs::read_dir(home.path()).unwrap();
        let names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("csv") || name.ends_with(".tmp"))
            .collect();
        assert_eq!(names, ["track.csv"]);
    }
}

#[test]
fn a_talkative_environment_changes_no_data_and_tells_no_secret() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let plain = run(&home, &service, &["track", UUID]).ends_with(0);
    let loud = start(&home, &service, &["track", UUID])
        .env("RUST_BACKTRACE", "full")
        .env("RUST_LOG", "trace")
        .env("RUST_LIB_BACKTRACE", "1")
        .env("DRIFTLINE_LOG", "trace")
        .ends_with(0);
    assert_eq!(loud.stdout, plain.stdout);
    assert_eq!(loud.stderr, plain.stderr);
    let failing = start(&home, &service, &["track", UUID, "--output", "/no/such/x"])
        .env("RUST_BACKTRACE", "full")
        .env("RUST_LOG", "trace")
        .ends_with(1);
    assert!(!failing.stderr.contains(TOKEN), "{failing:#?}");
    assert!(!failing.stderr.contains(".rs:"), "{failing:#?}");
}

#[test]
fn a_port_is_free_taken_or_none() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    Run::driftline(&home, ["demo", "--serve", "--port", &port])
        .ends_with(1)
        .says(&port);
    for wrong in ["65536", "-1", "eighty", ""] {
        Run::driftline(&home, ["demo", "--serve", "--port", wrong]).ends_with(2);
    }
    let free = Service::with(&["--port", "0"]);
    assert!(TcpStream::connect(free.address()).is_ok());
}

#[test]
fn the_embedded_service_ends_with_its_dashboard_however_that_ends() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &["demo"], Setting::default());
    terminal.shows("ago");
    terminal.keys("4");
    // In the table a long address has a gap in its middle, perhaps in the port.
    let address_in = |screen: &str| {
        screen.split("http://").skip(1).find_map(|rest| {
            let end = rest.find(|one: char| one != '.' && one != ':' && !one.is_ascii_digit())?;
            let is_whole = rest[end..].starts_with('/');
            rest[..end]
                .parse::<std::net::SocketAddr>()
                .ok()
                .filter(|_| is_whole)
        })
    };
    let address = until(PATIENCE, || address_in(&terminal.screen()));
    let address = address.unwrap_or_else(|| panic!("no address: {}", terminal.screen()));
    assert!(TcpStream::connect(address).is_ok(), "{address}");
    // While it is asked by many at once that say nothing, it draws.
    let silent: Vec<_> = (0..300)
        .filter_map(|_| TcpStream::connect(address).ok())
        .collect();
    terminal.keys("?");
    terminal.shows("┏ Keys: ");
    drop(silent);
    terminal.signal(Signal::KILL);
    let gone = until(PATIENCE, || {
        TcpStream::connect(address).is_err().then_some(())
    });
    assert!(gone.is_some());
}

#[test]
fn a_temporary_file_is_made_anew_under_a_name_that_nobody_knows() {
    needs!("strace");
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let mut names = Vec::new();
    for _ in 0..2 {
        let line = format!(
            "strace -f -e trace=openat -o trace \"$DRIFTLINE\" track {UUID} --output track.csv"
        );
        Run::shell(&home, &line).at(service.base_url()).ends_with(0);
        let trace = std::fs::read_to_string(home.file("trace")).unwrap();
        let made: Vec<&str> = trace
            .lines()
            .filter(|line| line.contains("O_CREAT") && line.contains("track.csv"))
            .collect();
        assert_eq!(made.len(), 1, "{made:?}");
        assert!(made[0].contains("O_EXCL"), "{made:?}");
        names.push(made[0].split('"').nth(1).unwrap().to_owned());
    }
    assert_ne!(names[0], names[1]);
}

#[test]
fn what_is_written_before_created_is_said_is_on_the_disk() {
    needs!("strace");
    let home = Home::new();
    let service =
        Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)));
    let line = "strace -f -e trace=fdatasync,fsync,write,sendto,sendmsg,writev -s 200 -o trace \
        \"$DRIFTLINE\" plants create --id 7 --name n --tag t";
    Run::shell(&home, line).at(service.base_url()).ends_with(0);
    let trace = std::fs::read_to_string(home.file("trace")).unwrap();
    let place = |what: &str| trace.lines().position(|line| line.contains(what));
    let syncs = |range: &str| {
        range
            .lines()
            .filter(|line| line.contains("fdatasync(") || line.contains("fsync("))
            .count()
    };
    let sent = place("POST ").expect("no request is seen");
    let said = place("created plant 7").expect("nothing is said");
    let lines: Vec<&str> = trace.lines().collect();
    assert!(syncs(&lines[..sent].join("\n")) > 0, "before it is sent");
    assert!(
        syncs(&lines[sent..said].join("\n")) > 0,
        "before it is said"
    );
}

#[test]
fn of_many_records_a_table_is_written_in_little_memory() {
    let count = rounds(150_000, 10_000_000);
    // What the program itself takes depends on how it was built. So short a run may end between
    // two looks at it.
    let few = (0..4).map(|_| peak_of_a_table_kb(1_000));
    let program_kb = few.max().unwrap_or_default();
    let peak_kb = peak_of_a_table_kb(count);
    // The allocator keeps some of what was freed; it gives back what a dashboard frees of a
    // long track, which that of the system does not.
    let most_kb = program_kb + 12_000 + count * 150 / 1000;
    println!(
        "{count} records: {peak_kb} kB at the peak, {most_kb} allowed, {program_kb} with 1,000"
    );
    assert!(
        peak_kb < most_kb,
        "{peak_kb} kB, {program_kb} kB with 1,000"
    );
}

/// The most memory, in kB, that the program had while it wrote a table of `count` records.
fn peak_of_a_table_kb(count: usize) -> usize {
    let home = Home::new();
    let mut body = String::with_capacity(count * 72);
    body.push('[');
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        let (time, step) = (1_600_000_000 + number * 10, number % 1000);
        write!(
            body,
            r#"{comma}{{"time_stamp":{time},"latitude":80.{step:03},"longitude":2.5}}"#
        )
        .unwrap();
    }
    body.push(']');
    let service = Responder::json(200, &body);
    drop(body);
    let line = format!(
        "\"$DRIFTLINE\" track {UUID} --format csv --timeout 60s > track.csv & P=$!; M=0; \
         while kill -0 $P 2>/dev/null; do R=$(grep VmHWM /proc/$P/status 2>/dev/null | tr -dc 0-9); \
         [ -n \"$R\" ] && M=$R; sleep 0.005; done; wait $P || exit 9; echo $M; wc -l < track.csv"
    );
    let answer = Run::shell(&home, &line).at(service.base_url()).ends_with(0);
    let numbers: Vec<usize> = answer
        .stdout
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    assert_eq!(numbers[1], count + 1);
    numbers[0]
}

#[test]
fn nothing_of_the_token_is_in_the_environment_of_another_or_in_the_list_of_processes() {
    let (home, service) = (Home::new(), Responder::silent());
    let reading = start(&home, &service, &["track", UUID]).start();
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    let line = std::fs::read(format!("/proc/{}/cmdline", reading.id())).unwrap();
    assert!(!holds(&line, TOKEN));
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", reading.id()));
    assert_eq!(children.unwrap_or_default().trim(), "");
    reading.signal(Signal::TERM);
    assert_eq!(reading.end().status, 143);
}
