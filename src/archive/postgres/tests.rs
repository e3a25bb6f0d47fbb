//! Behaviour of an archive on a server alone: refusals, several programs at once, a
//! server that goes away.

use std::path::Path;
use std::time::Duration;

use uuid::Uuid;

use crate::archive::connection::Engine;
use crate::archive::location::ArchiveLocation;
use crate::archive::tests::answer;
use crate::archive::{Archive, ArchiveError, BUSY, BeginIf};
use crate::plant::log::{Entry, Operation, Outcome};
use crate::testing::database::{SERVER, Server, new_database};
use crate::testing::plant;
use crate::testing::postgres::place;
use crate::testing::track::records;
use crate::watch::Deployment;

const UUID: Uuid = Uuid::from_u128(7);

fn hourly(from: u32, count: u32) -> crate::track::Records {
    let fixes = (from..from + count).map(f64::from);
    records(fixes.map(|hour| (1.7e9 + 3600.0 * hour, 80.0, hour * 1e-4)))
}

/// A new archive, with PgBouncer between.
fn new_place() -> (String, ArchiveLocation) {
    let name = new_database();
    let place = place(&SERVER.url(&name, true));
    (name, place)
}

fn open(place: &ArchiveLocation) -> Archive {
    Archive::open_at(place, BUSY).unwrap()
}

#[test]
fn a_database_that_is_empty_is_read_as_no_archive_and_made_one_by_the_first_write() {
    needs!("postgres");
    let (_, place) = new_place();
    assert!(Archive::open_existing_at(&place, BUSY).unwrap().is_none());
    open(&place)
        .ingest(UUID, &answer(&hourly(0, 3), 1.0))
        .unwrap();
    let archive = Archive::open_existing_at(&place, BUSY).unwrap().unwrap();
    assert_eq!(
        archive
            .stored(UUID)
            .unwrap()
            .unwrap()
            .records
            .transmissions
            .len(),
        3
    );
    assert!(archive.check().unwrap().is_empty());
    archive.vacuum().unwrap();
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    needs!("postgres");
    let (name, place) = new_place();
    SERVER.run(&name, "CREATE TABLE bookmark (id INTEGER)");
    for opened in [
        Archive::open_at(&place, BUSY).map(|_| ()),
        Archive::open_existing_at(&place, BUSY).map(|_| ()),
    ] {
        assert!(
            matches!(opened, Err(ArchiveError::Foreign { .. })),
            "{opened:?}"
        );
    }
    let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    assert_eq!(SERVER.run(&name, tables), "1\n");
}

#[test]
fn tables_of_another_version_are_left_alone() {
    needs!("postgres");
    let (name, place) = new_place();
    drop(open(&place));
    for (version, words) in [
        (99, "made by a newer driftline"),
        (1, "earlier development"),
    ] {
        SERVER.run(&name, &format!("UPDATE driftline SET version = {version}"));
        for opened in [
            Archive::open_at(&place, BUSY).map(|_| ()),
            Archive::open_existing_at(&place, BUSY).map(|_| ()),
        ] {
            let refused = opened.unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
        let kept = SERVER.run(&name, "SELECT version FROM driftline");
        assert_eq!(kept, format!("{version}\n"));
    }
}

#[test]
fn a_wrong_password_a_lost_database_and_no_server_are_told_apart_without_the_password() {
    needs!("postgres");
    let port = SERVER.port;
    let (name, _) = new_place();
    let opened = |url: String| Archive::open_at(&place(&url), BUSY).map(|_| ());
    let right = opened(format!(
        "postgres://driftline:salt%20water@127.0.0.1:{port}/{name}"
    ));
    assert_eq!(right, Ok(()));
    for (url, is_refused) in [
        (
            format!("postgres://driftline:sweet@127.0.0.1:{port}/{name}"),
            true,
        ),
        (
            format!("postgres://driftline:salt%20water@127.0.0.1:{port}/nowhere"),
            true,
        ),
        (
            "postgres://driftline:sweet@127.0.0.1:9/archive".to_owned(),
            false,
        ),
        (
            "postgres://driftline:sweet@localhost:9/archive?sslmode=require".to_owned(),
            false,
        ),
        (
            "postgres://driftline:sweet@no-such-host.invalid/archive".to_owned(),
            false,
        ),
    ] {
        let error = opened(url.clone()).unwrap_err();
        match error {
            ArchiveError::Refused { .. } => assert!(is_refused, "{error}"),
            ArchiveError::Unreached { .. } => assert!(!is_refused, "{error}"),
            _ => panic!("{url}: {error}"),
        }
        let told = format!("{error} {error:?} {}", error.hint());
        assert!(!told.contains("sweet") && !told.contains("salt"), "{told}");
    }
}

#[test]
fn a_server_without_tls_is_refused_where_tls_is_asked_for() {
    needs!("postgres");
    let url = format!(
        "postgres://driftline:salt%20water@127.0.0.1:{}/postgres?sslmode=require",
        SERVER.port
    );
    let error = Archive::open_at(&place(&url), BUSY).unwrap_err();
    assert!(matches!(error, ArchiveError::Unreached { .. }), "{error}");
}

#[test]
fn a_certificate_is_verified_against_the_authorities_of_the_url_and_the_name_of_the_host() {
    needs!("postgres");
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

    let folder = tempfile::tempdir().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let write = |name: &str, text: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let root = write("root.crt", authority.self_signed(&key).unwrap().pem());
    let issuer = Issuer::new(authority, key);
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let key = KeyPair::generate().unwrap();
    write("server.crt", leaf.signed_by(&key, &issuer).unwrap().pem());
    write("server.key", key.serialize_pem());
    let server = Server::start(Some(folder.path()));
    let opened = |host: &str, parameters: String| {
        let (user, port) = ("driftline:salt%20water", server.port);
        let url = format!("postgres://{user}@{host}:{port}/postgres?{parameters}");
        Archive::open_at(&place(&url), BUSY).map(|_| ())
    };
    let root = root.display();
    for mode in ["require", "verify-full"] {
        let known = format!("sslmode={mode}&sslrootcert={root}");
        assert_eq!(opened("localhost", known), Ok(()));
        // No authority of this computer has signed it.
        let unknown = opened("localhost", format!("sslmode={mode}")).unwrap_err();
        assert!(matches!(unknown, ArchiveError::Unreached { .. }));
        assert!(unknown.to_string().contains("certificate"), "{unknown}");
        // It is for another host.
        let other = format!("sslmode={mode}&sslrootcert={root}");
        let other = opened("127.0.0.1", other).unwrap_err();
        assert!(other.to_string().contains("certificate"), "{other}");
    }
    assert_eq!(opened("localhost", "sslmode=disable".to_owned()), Ok(()));
    let missing = opened("localhost", "sslmode=require&sslrootcert=/nowhere".into());
    assert!(missing.is_err());
}

#[test]
fn a_full_disk_of_the_server_is_named_and_what_was_stored_stays() {
    needs!("postgres");
    let (name, place) = new_place();
    let mut archive = open(&place);
    archive.ingest(UUID, &answer(&hourly(0, 10), 1.0)).unwrap();
    // The server ends the statement as it does where it cannot extend a file.
    SERVER.run(
        &name,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100'', MESSAGE = ''could not extend file: No space left on device''; END';
         CREATE TRIGGER full_disk BEFORE INSERT ON transmission FOR EACH ROW EXECUTE FUNCTION full_disk()",
    );
    let more = answer(&hourly(0, 20), 2.0);
    let error = archive.ingest(UUID, &more).unwrap_err();
    let told = format!("{error}. {}", error.hint());
    for part in [
        "the archive postgres://",
        "the disk of the server is full (could not extend file",
        "Make room on the disk of the server",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(archive.check().unwrap(), [""; 0]);
    SERVER.run(&name, "DROP TRIGGER full_disk ON transmission");
    assert_eq!(archive.ingest(UUID, &more).unwrap().new, 10);
}

#[test]
fn what_is_stored_while_another_transaction_is_open_is_found_after_it() {
    needs!("postgres");
    let (_, place) = new_place();
    let (mut one, two, mut three) = (open(&place), open(&place), open(&place));
    let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
    for uuid in [first, second] {
        one.ingest(uuid, &answer(&hourly(0, 1), 1.0)).unwrap();
    }
    // A transaction that began earlier ends after the mark is read.
    let open = one.connection.begin(Some(&first)).unwrap();
    let id = "SELECT id FROM deployment WHERE uuid = ?1";
    let id: i64 = open.row(id, [first.to_string()], |row| row.get(0)).unwrap();
    let number = open.next_fetch().unwrap();
    let fetch = "INSERT INTO fetch (id, deployment, at, status, bytes, new, late)
        VALUES (?1, ?2, 1.0, 304, 0, 0, 0)";
    open.execute(fetch, [number, id]).unwrap();
    three.ingest(second, &answer(&hourly(0, 2), 2.0)).unwrap();
    let mark = two.received_mark().unwrap();
    open.commit().unwrap();
    let found = two.received_since(mark).unwrap();
    assert!(found.contains(&(first, 1.0)), "{found:?}");
}

#[test]
fn many_writers_that_start_at_once_lose_nothing() {
    needs!("postgres");
    let (_, place) = new_place();
    let (writers, rounds) = (6_u32, 8_u32);
    let start = std::sync::Barrier::new(writers as usize);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (place, start) = (&place, &start);
            scope.spawn(move || {
                start.wait();
                let mut archive = Archive::open_at(place, Duration::from_secs(60)).unwrap();
                for round in 0..rounds {
                    let line = plant::outcome(0, Operation::Create, Outcome::Sending);
                    let at = f64::from(round);
                    archive.begin(&Entry { at, ..line }).unwrap();
                    let sent = hourly(writer * rounds + round, 3);
                    archive.ingest(UUID, &answer(&sent, 1.0)).unwrap();
                }
            });
        }
    });
    let archive = open(&place);
    assert_eq!(
        archive.plant_log(1.0).unwrap().len(),
        (writers * rounds) as usize
    );
    let kept = archive.stored(UUID).unwrap().unwrap();
    assert_eq!(
        kept.records.transmissions.len(),
        (writers * rounds + 2) as usize
    );
    assert_eq!(archive.check().unwrap(), [""; 0]);
}

#[test]
fn of_two_programs_that_create_a_plant_one_does() {
    needs!("postgres");
    let (_, place) = new_place();
    let create = plant::outcome(0, Operation::Create, Outcome::Sending);
    drop(open(&place));
    let begun: Vec<bool> = std::thread::scope(|scope| {
        let run = || {
            open(&place)
                .begin_if(&create, BeginIf::Free)
                .unwrap()
                .is_some()
        };
        let both = [scope.spawn(run), scope.spawn(run), scope.spawn(run)];
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(begun.iter().filter(|begun| **begun).count(), 1);
}

#[test]
fn what_another_program_writes_changes_the_version_and_nothing_else_does() {
    needs!("postgres");
    let (_, place) = new_place();
    let (mut one, two) = (open(&place), open(&place));
    let before = two.data_version().unwrap();
    one.amend(&Deployment::new(UUID), |_| {}, 1.0).unwrap();
    assert_ne!(two.data_version().unwrap(), before);
    assert_eq!(two.watched().unwrap(), [Deployment::new(UUID)]);
}

#[test]
fn a_connection_that_the_server_ends_in_a_copy_loses_nothing_and_is_made_again() {
    needs!("postgres");
    let (name, place) = new_place();
    let mut archive = open(&place);
    archive.ingest(UUID, &answer(&hourly(0, 10), 1.0)).unwrap();
    // The server ends every connection that writes a transmission.
    SERVER.run(
        &name,
        "CREATE FUNCTION ends() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
         CREATE TRIGGER ends BEFORE INSERT ON transmission FOR EACH ROW EXECUTE FUNCTION ends()",
    );
    let more = answer(&hourly(0, 5000), 2.0);
    let error = archive.ingest(UUID, &more).unwrap_err();
    assert!(matches!(error, ArchiveError::Unreached { .. }), "{error}");
    SERVER.run(&name, "DROP TRIGGER ends ON transmission");
    let mut archive = open(&place);
    let kept = archive.stored(UUID).unwrap().unwrap();
    assert_eq!(
        (kept.records.transmissions.len(), kept.fetched_at),
        (10, 1.0)
    );
    assert_eq!(archive.ingest(UUID, &more).unwrap().new, 4990);
    assert_eq!(archive.check().unwrap(), [""; 0]);
}

#[test]
fn a_lock_of_another_program_is_waited_for_no_longer_than_the_lock_timeout() {
    needs!("postgres");
    let (_, place) = new_place();
    let (one, mut two) = (open(&place), open(&place));
    let held = one.connection.begin(None).unwrap();
    two.set_lock_timeout(Duration::from_millis(100)).unwrap();
    let began = std::time::Instant::now();
    let error = two.ingest(UUID, &answer(&hourly(0, 1), 1.0)).unwrap_err();
    assert_eq!(error, ArchiveError::Busy);
    assert!(began.elapsed() < Duration::from_secs(3));
    drop(held);
    two.ingest(UUID, &answer(&hourly(0, 1), 1.0)).unwrap();
}

/// A connection to a new archive, which waits so long for an answer of the server.
fn waiting(longest: Duration) -> super::Connection {
    let (_, ArchiveLocation::Server(url)) = new_place() else {
        panic!("the archive is on no server");
    };
    let mut engine = super::Connection::open(&url, BUSY).unwrap();
    engine.longest = longest;
    engine
}

#[test]
fn a_connection_without_an_answer_is_given_up_and_not_waited_for_again() {
    needs!("postgres");
    let engine = waiting(Duration::from_secs(1));
    engine.begin_reading().unwrap();
    let began = std::time::Instant::now();
    let error = engine.execute_batch("SELECT pg_sleep(10)").unwrap_err();
    assert!(
        error.to_string().ends_with("the server did not answer"),
        "{error}"
    );
    engine.roll_back();
    assert!(!engine.is_in_place());
    let again = engine.execute_batch("SELECT 1").unwrap_err();
    assert!(matches!(again, ArchiveError::Unreached { .. }), "{again}");
    let elapsed = began.elapsed();
    assert!(elapsed < Duration::from_millis(1900), "{elapsed:?}");
}

#[test]
fn a_vacuum_takes_as_long_as_it_needs() {
    needs!("postgres");
    let engine = waiting(Duration::from_millis(1));
    engine.vacuum().unwrap();
    assert!(engine.is_in_place());
}

#[test]
fn a_fault_of_the_server_is_no_damage_of_the_archive() {
    needs!("postgres");
    let (_, place) = new_place();
    let archive = open(&place);
    for (code, is_damage) in [("XX000", false), ("XX001", true), ("XX002", true)] {
        let raised = archive.connection.execute_batch(&format!(
            "DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''{code}''; END'"
        ));
        let error = raised.unwrap_err();
        let is_damaged = matches!(error, ArchiveError::Damaged { .. });
        assert_eq!(is_damaged, is_damage, "{code}: {error}");
    }
}

#[test]
fn rows_come_in_pages_each_within_the_limit_of_time() {
    needs!("postgres");
    let (_, place) = new_place();
    let archive = open(&place);
    // Two seconds in all, and half a second a page.
    let slow = "SELECT CAST(n AS BIGINT) FROM generate_series(1, 40) n
        WHERE CAST(pg_sleep(0.05) AS TEXT) = ''";
    let one = archive.connection.begin_reading().unwrap().unwrap();
    one.execute_batch("SET LOCAL statement_timeout = 1000")
        .unwrap();
    for page in [10, 9] {
        let mut all = Vec::new();
        one.each_row_by_pages(slow, page, &mut |row| {
            all.push(row.get::<i64>(0)?);
            Ok(())
        })
        .unwrap();
        assert_eq!(all, (1..=40).collect::<Vec<_>>(), "{page}");
    }
    one.commit().unwrap();
}

#[test]
fn the_name_of_an_archive_is_a_file_unless_it_is_a_url() {
    let file = ArchiveLocation::parse(
        Path::new("postgres.db"),
        crate::archive::location::Password::Refused,
    );
    assert_eq!(file.unwrap().file(), Some(Path::new("postgres.db")));
}

#[test]
fn a_line_is_being_sent_until_its_claim_runs_out() {
    needs!("postgres");
    let (_, place) = new_place();
    let (mut archive, other) = (open(&place), open(&place));
    let line = plant::outcome(0, Operation::Create, Outcome::Sending);
    let written = archive.begin(&line).unwrap();
    let outcome = || other.plant_log(1.0).unwrap()[0].outcome();
    assert_eq!(outcome(), Outcome::Sending);
    // As if half a minute had gone by.
    let age = "UPDATE plant_log SET claimed_until = claimed_until - 31";
    archive.connection.execute(age, ()).unwrap();
    assert_eq!(outcome(), Outcome::Unknown);
    archive.renew_claim(written.entry()).unwrap();
    assert_eq!(outcome(), Outcome::Sending);
}
