//! The archive on a PostgreSQL server under the real program, with PgBouncer in
//! transaction mode between.

#[cfg(feature = "postgres")]
mod collectors;
#[cfg(feature = "postgres")]
mod full_disk;
#[cfg(feature = "postgres")]
mod shared;

use crate::driver::home::Home;
use crate::driver::run::Run;

#[test]
fn a_password_in_a_flag_or_in_the_settings_is_refused_and_never_shown() {
    let home = Home::new();
    let url = "postgres://an:sweet@127.0.0.1:9/buoys";
    let flag = Run::driftline(&home, ["archive", "info", "--archive", url]).go();
    home.write(
        ".config/driftline/config.toml",
        format!("archive = \"{url}\"\n"),
    );
    let file = Run::driftline(&home, ["archive", "info"]).go();
    for answer in [flag, file] {
        assert_eq!(answer.status, 2, "{answer:#?}");
        answer.says("archive");
        assert!(!format!("{answer:?}").contains("sweet"), "{answer:#?}");
    }
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_build_without_the_engine_says_so() {
    let home = Home::new();
    for flag in [true, false] {
        let mut run = Run::driftline(&home, ["archive", "info"]);
        if flag {
            let url = "postgres://an@127.0.0.1/buoys";
            run = Run::driftline(&home, ["archive", "info", "--archive", url]);
        } else {
            run = run.env("DRIFTLINE_ARCHIVE", "postgres://an:sweet@127.0.0.1/buoys");
        }
        let answer = run.go();
        assert_eq!(answer.status, 2, "{answer:#?}");
        answer.says("--features postgres");
        assert!(!format!("{answer:?}").contains("sweet"), "{answer:#?}");
    }
    assert!(!home.file("postgres:").exists());
}

#[cfg(all(feature = "postgres", unix))]
#[test]
fn a_password_file_that_others_may_read_is_named_with_what_to_do() {
    needs!("postgres");
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use crate::driver::database::{SERVER, new_database};

    let home = Home::new();
    home.write("passwords", "*:*:*:*:salt water\n");
    let file = home.file("passwords");
    let url = format!(
        "postgres://driftline@127.0.0.1:{}/{}",
        SERVER.port,
        new_database()
    );
    let list = || {
        Run::driftline(&home, ["deployments", "list", "--archive", &url])
            .env("PGPASSFILE", file.to_str().unwrap())
            .go()
    };
    for (mode, status, said) in [
        (0o640, 1, "was ignored, because others may read it"),
        (0o600, 0, ""),
    ] {
        set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let answer = list();
        assert_eq!(answer.status == 0, status == 0, "{answer:#?}");
        answer.says(said);
        let named = file.to_str().unwrap();
        for part in [named, "password authentication failed", "chmod 600"] {
            assert_eq!(answer.stderr.contains(part), status != 0, "{answer:#?}");
        }
    }
    // Without any password the server still says why it refuses.
    std::fs::remove_file(&file).unwrap();
    list().says("PGPASSWORD or ~/.pgpass");
    // A collector with a wrong one would wait for ever.
    let collect = [
        "collect",
        "--archive",
        &url,
        "--base-url",
        "http://127.0.0.1:9",
    ];
    let collector = Run::driftline(&home, collect).env("PGPASSWORD", "fresh water");
    collector
        .go()
        .ends_with(1)
        .says("password authentication failed");
}
