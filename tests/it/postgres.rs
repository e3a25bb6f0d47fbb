//! The archive on a PostgreSQL server under the real program, with PgBouncer in
//! transaction mode between.

#[cfg(feature = "postgres")]
mod collectors;
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
        assert!(answer.stderr.contains("archive"), "{answer:#?}");
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
        assert!(answer.stderr.contains("--features postgres"), "{answer:#?}");
        assert!(!format!("{answer:?}").contains("sweet"), "{answer:#?}");
    }
    assert!(!home.file("postgres:").exists());
}
