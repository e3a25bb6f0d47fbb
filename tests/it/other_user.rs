//! Disks that refuse, as somebody who is not root meets them: a home that
//! cannot be written, an archive that cannot be changed, limits on everything.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::Responder;
use crate::exit_status::UUID;
use crate::typed::service;

const ARCHIVE: &str = ".local/share/driftline/archive.db";

/// Runs as nobody where the tests run as root; else as who they are.
fn nobody(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    let mut all: Vec<&str> = Vec::new();
    let root = rustix::process::getuid().is_root();
    if root {
        all.extend([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            DRIFTLINE,
        ]);
    }
    all.extend(arguments);
    let program = if root { "setpriv" } else { DRIFTLINE };
    Run::program(home, program, all).at(service.base_url()).go()
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// The program must be within nobody's reach.
fn reachable() -> bool {
    Path::new(DRIFTLINE).ancestors().skip(1).all(|folder| {
        std::fs::metadata(folder).is_ok_and(|it| it.permissions().mode() & 0o001 != 0)
    })
}

#[test]
fn in_a_home_that_cannot_be_written_a_track_comes_and_a_plant_is_not_sent() {
    needs!("setpriv");
    assert!(reachable(), "nobody can reach {DRIFTLINE}");
    let (home, service) = (Home::new(), service());
    mode(home.path(), 0o555);
    let answer = nobody(&home, &service, &["track", UUID, "--format", "csv"]).ends_with(0);
    assert!(answer.stdout.lines().count() > 1, "{answer:#?}");
    let before = service.requests().len();
    let answer = nobody(
        &home,
        &service,
        &["plants", "create", "--id", "1", "--name", "n", "--tag", "t"],
    )
    .ends_with(1);
    assert!(
        answer.stderr.contains("plant log") || answer.stderr.contains("archive"),
        "{answer:#?}"
    );
    nobody(&home, &service, &["plants", "delete", "1", "--yes"]).ends_with(1);
    assert_eq!(
        service.requests().len(),
        before,
        "a plant was sent without a plant log"
    );
    nobody(
        &home,
        &service,
        &["track", UUID, "--format", "csv", "--output", "track.csv"],
    )
    .ends_with(1);
    nobody(&home, &service, &["deployments", "add", UUID]).ends_with(1);
    mode(home.path(), 0o755);
}

#[test]
fn an_archive_that_cannot_be_changed_is_still_read() {
    needs!("setpriv");
    assert!(reachable(), "nobody can reach {DRIFTLINE}");
    let (home, service) = (Home::new(), service());
    mode(home.path(), 0o777);
    nobody(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    nobody(&home, &service, &["track", UUID]).ends_with(0);
    let archive = home.file(ARCHIVE);
    mode(&archive, 0o400);
    mode(archive.parent().unwrap(), 0o500);
    nobody(&home, &service, &["deployments", "list"]).ends_with(0);
    let answer = nobody(
        &home,
        &service,
        &["track", UUID, "--format", "csv", "--offline"],
    )
    .ends_with(0);
    assert!(answer.stdout.lines().count() > 1);
    nobody(&home, &service, &["track", UUID, "--format", "csv"])
        .ends_with(0)
        .says("archive");
    let before = service.requests().len();
    nobody(
        &home,
        &service,
        &["plants", "create", "--id", "1", "--name", "n", "--tag", "t"],
    )
    .ends_with(1);
    assert_eq!(service.requests().len(), before);
    mode(archive.parent().unwrap(), 0o700);
}

#[test]
fn in_a_folder_that_cannot_be_written_a_round_makes_no_archive_and_is_1() {
    needs!("setpriv");
    assert!(reachable(), "nobody can reach {DRIFTLINE}");
    let (home, service) = (Home::new(), service());
    mode(home.path(), 0o555);
    let answer = nobody(&home, &service, &["collect", "--once"]).ends_with(1);
    assert!(!answer.stderr.contains("new archive"), "{answer:#?}");
    answer.says("cannot be");
    mode(home.path(), 0o755);
}

#[test]
fn a_round_that_cannot_store_asks_for_each_deployment_and_says_so_of_each() {
    needs!("setpriv");
    assert!(reachable(), "nobody can reach {DRIFTLINE}");
    let (home, service) = (Home::new(), service());
    mode(home.path(), 0o777);
    for number in 0..4 {
        let uuid = format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e30{number}");
        nobody(&home, &service, &["deployments", "add", &uuid]).ends_with(0);
    }
    let archive = home.file(ARCHIVE);
    mode(&archive, 0o400);
    mode(archive.parent().unwrap(), 0o500);
    let round = ["collect", "--once", "--workers", "1"];
    let answer = nobody(&home, &service, &round).ends_with(1);
    let errors = answer.stderr.matches(" error deployment=").count();
    assert_eq!((errors, service.requests().len()), (4, 4), "{answer:#?}");
    assert!(!answer.stderr.contains("cannot be reached"), "{answer:#?}");
    mode(archive.parent().unwrap(), 0o700);
}

#[test]
fn files_are_the_owners_alone_from_birth_whatever_the_mask() {
    needs!("setpriv");
    let (home, service) = (Home::new(), service());
    let answer = Run::shell(
        &home,
        "umask 000; \"$DRIFTLINE\" deployments add 5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa && \
         DRIFTLINE_LOG=debug \"$DRIFTLINE\" track 5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa >track.csv",
    )
    .at(service.base_url())
    .go();
    assert_eq!(answer.status, 0, "{answer:#?}");
    let (mut folders, mut seen) = (vec![home.file(".local")], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let bits = entry.metadata().unwrap().permissions().mode() & 0o777;
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(bits, 0o600, "{:?}", entry.path());
                seen += 1;
            }
        }
    }
    assert!(seen >= 2, "archive and log");
    let folder = home.file(ARCHIVE);
    let bits = std::fs::metadata(folder.parent().unwrap())
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    assert_eq!(bits, 0o700);
}

#[test]
fn tight_limits_are_a_message_and_never_a_panic() {
    needs!("setpriv");
    let (home, service) = (Home::new(), service());
    for limit in [
        "--nofile=16",
        "--nofile=8",
        "--as=400000000",
        "--stack=262144",
        "--nproc=1",
    ] {
        let answer = Run::program(
            &home,
            "prlimit",
            [limit, DRIFTLINE, "track", UUID, "--timeout", "3s"],
        )
        .at(service.base_url())
        .go();
        assert!(
            ![101, 134, 139].contains(&answer.status),
            "{limit} {answer:#?}"
        );
        assert!(!answer.stderr.contains("panicked"), "{limit} {answer:#?}");
        if answer.status != 0 {
            assert_eq!(answer.stdout, "", "{limit} {answer:#?}");
        }
    }
}

#[test]
fn twenty_exports_to_one_file_leave_one_whole_file() {
    needs!("setpriv");
    let (home, service) = (Home::new(), service());
    let arguments = ["track", UUID, "--format", "csv", "--output", "one.csv"];
    let whole = {
        Run::driftline(&home, arguments)
            .at(service.base_url())
            .ends_with(0);
        std::fs::read(home.file("one.csv")).unwrap()
    };
    let running: Vec<_> = (0..20)
        .map(|_| {
            Run::driftline(&home, arguments)
                .at(service.base_url())
                .start()
        })
        .collect();
    for one in running {
        one.end().ends_with(0);
        assert_eq!(std::fs::read(home.file("one.csv")).unwrap(), whole);
    }
    let beside: Vec<_> = std::fs::read_dir(home.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("one.csv") && name != "one.csv")
        .collect();
    assert!(beside.is_empty(), "{beside:?}");
}

#[test]
fn a_file_that_is_a_link_a_pipe_a_device_or_a_folder_is_met_as_what_it_is() {
    needs!("setpriv");
    let (home, service) = (Home::new(), service());
    let export = |output: &str| {
        Run::driftline(
            &home,
            ["track", UUID, "--format", "csv", "--output", output],
        )
        .at(service.base_url())
        .go()
    };
    std::fs::write(home.file("target.csv"), "old").unwrap();
    mode(&home.file("target.csv"), 0o640);
    std::os::unix::fs::symlink("target.csv", home.file("link.csv")).unwrap();
    export("link.csv").ends_with(0);
    assert!(
        std::fs::symlink_metadata(home.file("link.csv"))
            .unwrap()
            .is_symlink()
    );
    let target = std::fs::metadata(home.file("target.csv")).unwrap();
    assert!(target.len() > 100 && target.permissions().mode() & 0o777 == 0o640);
    std::fs::create_dir(home.file("folder")).unwrap();
    // A folder gets a file that is named by the deployment.
    export("folder").ends_with(0);
    assert!(home.file(&format!("folder/{UUID}.csv")).exists());
    export("nowhere/track.csv").ends_with(1);
    export(&format!("{}.csv", "n".repeat(300))).ends_with(1);
    export("/dev/full").ends_with(1);
    export("/dev/null").ends_with(0);
    use std::os::unix::fs::FileTypeExt;
    assert!(
        std::fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    let answer = export("/dev/stdout").ends_with(0);
    assert!(answer.stdout.lines().count() > 1, "{answer:#?}");
    let piped = Run::shell(&home, "mkfifo pipe; cat pipe >got & \"$DRIFTLINE\" track 5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa --format csv --output pipe; wait; wc -l <got")
        .at(service.base_url())
        .go();
    assert!(
        piped
            .stdout
            .trim()
            .parse::<usize>()
            .is_ok_and(|lines| lines > 1),
        "{piped:#?}"
    );
}
