//! Settings where there is no home, and addresses that are given for one run.

use serde_json::Value;

use crate::driver::SOON;
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TOKEN, TRACK, UUID};
use crate::mapped::{add_profile, go};

const CREATE: [&str; 8] = ["plants", "create", "--id", "7", "--name", "a", "--tag", "b"];

fn echo() -> Responder {
    Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)))
}

/// A run without the folders that `home` stands for.
fn homeless(home: &Home, value: Option<&str>, arguments: &[&str]) -> Run {
    let mut words = vec![
        "-u",
        "XDG_CONFIG_HOME",
        "-u",
        "XDG_DATA_HOME",
        "-u",
        "XDG_STATE_HOME",
        "-u",
        "HOME",
    ];
    let set = value.map(|value| format!("HOME={value}"));
    words.extend(set.as_deref());
    words.push(crate::driver::home::DRIFTLINE);
    words.extend(arguments);
    Run::program(home, "env", words).env("DRIFTLINE_TOKEN", TOKEN)
}

#[test]
fn without_a_home_nothing_is_read_from_the_present_folder_and_that_is_said() {
    let (evil, service) = (echo(), Responder::json(200, TRACK));
    for value in [None, Some(""), Some("."), Some("relative")] {
        let home = Home::new();
        let settings = format!("base_url = \"{}\"\n", evil.base_url());
        for folder in [".driftline", ".config", "relative/.config"] {
            home.write(&format!("{folder}/driftline/config.toml"), &settings);
        }
        homeless(&home, value, &["track", UUID]).ends_with(2);
        homeless(&home, value, &["config", "path"])
            .ends_with(1)
            .says("HOME");
        let base = service.base_url();
        let track = homeless(&home, value, &["track", UUID, "--base-url", &base]).go();
        assert_eq!(track.status, 0, "{track:?}");
        for part in ["no settings file", "no archive"] {
            track.says(part);
        }
        // Limits may be set in an archive that is not found.
        let check = homeless(&home, value, &["check", UUID, "--base-url", &base]).go();
        assert_eq!(check.status, 3, "{check:?}");
        let create = [&CREATE[..], &["--base-url", &base]].concat();
        homeless(&home, value, &create).ends_with(1);
        // One that is named is used.
        let named = ["--base-url", &base, "--archive", "named.db"];
        let create = [&CREATE[..], &named].concat();
        homeless(&home, value, &create).ends_with(0);
        assert!(home.file("named.db").is_file());
        assert!(!home.file(".driftline/driftline/archive.db").exists());
    }
    assert_eq!(evil.requests().len(), 0);
    let posts = service.requests();
    let posts = posts.iter().filter(|request| request.method == "POST");
    assert_eq!(posts.count(), 4);
}

#[test]
fn a_base_address_of_one_run_moves_creates_too() {
    let (production, sandbox, staging) = (echo(), echo(), echo());
    let home = Home::new();
    home.write(
        ".config/driftline/config.toml",
        format!(
            "base_url = \"{}\"\nsandbox_url = \"{}\"\n",
            production.base_url(),
            sandbox.base_url()
        ),
    );
    let run = |more: &[&str]| {
        let arguments = [&CREATE[..], more].concat();
        Run::driftline(&home, arguments).env("DRIFTLINE_TOKEN", TOKEN)
    };
    let sent = || [&production, &sandbox, &staging].map(|one| one.requests().len());
    run(&["--base-url", &staging.base_url()]).ends_with(0);
    assert_eq!(sent(), [0, 0, 1]);
    run(&[])
        .env("DRIFTLINE_BASE_URL", staging.base_url())
        .ends_with(0);
    assert_eq!(sent(), [0, 0, 2]);
    run(&[]).ends_with(0);
    assert_eq!(sent(), [0, 1, 2]);
    // A sandbox that is given counts in any case.
    run(&["--base-url", &staging.base_url()])
        .env("DRIFTLINE_SANDBOX_URL", sandbox.base_url())
        .ends_with(0);
    assert_eq!(sent(), [0, 2, 2]);
}

#[test]
fn an_archive_in_the_settings_is_one_from_every_folder() {
    let home = Home::new();
    for (written, place) in [
        ("drift.db", ".config/driftline/drift.db"),
        ("../other.db", ".config/other.db"),
        ("~/ledger.db", "ledger.db"),
    ] {
        home.write(
            ".config/driftline/config.toml",
            format!("archive = \"{written}\"\n"),
        );
        std::fs::create_dir_all(home.file("elsewhere")).unwrap();
        for folder in [".", "elsewhere"] {
            let line = format!("cd {folder} && \"$DRIFTLINE\" deployments add {UUID}");
            let answer = Run::shell(&home, &line).ends_with(0);
            let known = answer.stderr.contains("was on the watch list");
            assert_eq!(known, folder == "elsewhere", "{written}: {answer:?}");
        }
        assert!(home.file(place).is_file(), "{written}");
    }
}

#[test]
fn an_archive_in_the_settings_that_cannot_be_used_blocks_only_what_needs_it() {
    let home = Home::new();
    let wrong =
        "\narchive = \"postgres://ann:sesame@sea/buoys\"\n[profile.b]\narchive = \"b.db\"\n";
    home.write(".config/driftline/config.toml", wrong);
    let list = ["deployments", "list"];
    let refused = Run::driftline(&home, list).ends_with(2);
    refused.says("config.toml:2: archive: ");
    let shown = Run::driftline(&home, ["config", "show"]).ends_with(0);
    let row = shown
        .stdout
        .lines()
        .find(|line| line.starts_with("archive "));
    assert!(row.unwrap().contains("not usable: "), "{shown:#?}");
    assert!(!format!("{refused:?}{shown:?}").contains("sesame"));
    for replaced in [["--archive", "a.db"], ["--profile", "b"]] {
        Run::driftline(&home, [&list[..], &replaced].concat()).ends_with(0);
    }
    let by_variable = Run::driftline(&home, list).env("DRIFTLINE_ARCHIVE", "a.db");
    by_variable.ends_with(0);
}

#[test]
fn a_wrong_setting_is_bad_usage_wherever_it_stands_and_is_said_once() {
    let home = Home::new();
    let show = |home: &Home| Run::driftline(home, ["config", "show"]);
    let levels = "must be one of off, error, warn, info, debug, trace";
    for command in [&["config", "show"][..], &["track", UUID], &["alarms"]] {
        let answer = Run::driftline(&home, command).env("DRIFTLINE_LOG", "nosuch");
        let answer = answer.ends_with(2);
        assert_eq!(
            answer.stderr,
            format!("driftline: DRIFTLINE_LOG {levels}.\n")
        );
    }
    let file = home.write(".config/driftline/config.toml", "\nunit = \"si\"\n");
    let answer = show(&home).ends_with(2);
    let said = format!(
        "driftline: {}:2:1: unknown setting 'unit': did you mean 'units'?\n",
        file.display()
    );
    assert_eq!(answer.stderr, said);
    home.write(".config/driftline/config.toml", "log = \"debug\"\n");
    let answer = show(&home).env("DRIFTLINE_LOG", "").ends_with(0);
    let log = answer.stdout.lines().find(|line| line.starts_with("log "));
    assert!(log.is_some_and(|line| line.contains("debug")), "{answer:?}");
}

/// A terminal would send its replies to the shell.
#[test]
fn wrong_settings_are_said_before_anything_is_written_to_the_terminal() {
    for wrong in ["unit = \"si\"\n", "[keys]\nnosuch = \"x\"\n"] {
        let home = Home::new();
        home.write(".config/driftline/config.toml", wrong);
        let mut terminal = Terminal::driftline(&home, &[], Setting::default());
        assert_eq!(terminal.end(), 2, "{wrong}");
        let bytes = terminal.bytes();
        assert!(bytes.starts_with(b"driftline: "), "{wrong}");
        assert!(!bytes.contains(&0x1b), "{wrong}");
    }
}

#[test]
fn a_zone_that_is_a_device_keeps_nobody_waiting() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let setting = Setting::default()
        .env("TZ", ":/dev/zero")
        .at(service.base_url());
    let mut terminal = Terminal::driftline(&home, &[], setting);
    terminal.shows("Deployments");
    terminal.quits();
    let track = Run::driftline(&home, ["track", UUID])
        .env("TZ", ":/dev/zero")
        .at(service.base_url())
        .ends_with(0);
    assert!(track.took < SOON);
}

#[test]
fn a_program_needs_no_address_and_no_token() {
    let home = Home::new();
    let top = "base_url = \"https://healthy.example\"\n";
    home.write(".config/driftline/config.toml", top);
    add_profile(&home, "sea", "", "command = [\"~/fetch\"]");
    let shown = go(&home, &["config", "show", "--json"]).ends_with(0).stdout;
    assert!(!shown.contains("healthy.example"), "{shown}");
    let fetch = home.file("fetch").display().to_string();
    assert!(shown.contains(&fetch), "{shown}");
    let status = go(&home, &["auth", "status"]).ends_with(0).stdout;
    assert_eq!(status, "Profile 'sea' needs no token.\n");
    let status = go(&home, &["auth", "status", "--json"]).ends_with(0).stdout;
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(
        (&status["base_url"], &status["token_in"]),
        (&Value::Null, &"none".into())
    );
    let login = go(&home, &["auth", "login"]).ends_with(2).stderr;
    assert!(login.contains("needs no token"), "{login}");
}
