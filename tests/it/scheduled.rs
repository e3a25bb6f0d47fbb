//! The manual's lines for cron and systemd, run as they are on the page, with the program
//! where `cargo install` puts it and nothing of a shell in the environment.

use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::process::Signal;

use crate::driver::code_blocks::{CodeBlock, blocks, folder};
use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::run::{Answer, Run, Running};
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TOKEN, UUID};
use crate::typed::service;

const PAGE_URL: &str = "https://service.example/api";

/// The blocks of the page about collecting, with the address of `service`.
fn page(service: &Responder) -> Vec<CodeBlock> {
    let page = std::fs::read_to_string(folder().join("collecting.md")).unwrap();
    let page = page.replace(PAGE_URL, &service.base_url());
    blocks("collecting.md", &page)
}

fn block_with(blocks: &[CodeBlock], language: &str, words: &str) -> String {
    let mut found = blocks.iter();
    let block = found.find(|block| block.language == language && block.text.contains(words));
    block.unwrap().text.clone()
}

/// A home with the program, a watched deployment and a file with the token.
fn installed() -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.file(".cargo/bin")).unwrap();
    symlink(DRIFTLINE, home.file(".cargo/bin/driftline")).unwrap();
    let add = ["deployments", "add", UUID];
    Run::program(&home, DRIFTLINE, add).ends_with(0);
    home.write(".config/driftline/token", format!("{TOKEN}\n"));
    home
}

/// A shell command line with no variable but those given.
fn bare(home: &Home, variables: &[(&str, &str)], line: &str) -> Run {
    let home_folder = home.path().to_str().unwrap();
    let fixed = [
        ("HOME", home_folder),
        ("SHELL", "/bin/sh"),
        ("PATH", "/usr/bin:/bin"),
    ];
    let mut arguments = vec!["-i".to_owned()];
    let all = fixed.iter().chain(variables);
    arguments.extend(all.map(|(name, value)| format!("{name}={value}")));
    arguments.extend(["/bin/sh", "-c", line].map(str::to_owned));
    Run::program(home, "env", arguments)
}

fn was_asked_with_the_token(service: &Responder) {
    let asked = service.requests().pop().unwrap();
    let token = format!("Bearer {TOKEN}");
    assert_eq!(asked.header("authorization"), Some(token.as_str()));
    assert!(asked.target.ends_with(UUID), "{}", asked.target);
}

fn has_fixes(home: &Home) {
    let track = Run::driftline(home, ["track", UUID, "--offline"]).ends_with(0);
    assert!(track.stdout.lines().count() > 1, "{track:?}");
}

#[test]
fn the_crontab_of_the_manual_collects() {
    let (home, service) = (installed(), service());
    let table = block_with(&page(&service), "text", "collect --once");
    let (mut variables, mut ran) = (Vec::new(), 0);
    for line in table.lines() {
        // Minute, hour, day, month and weekday, then what the shell gets, unless the line
        // sets a variable.
        match line.strip_prefix("*/15 * * * * ") {
            None => variables.push(line.split_once('=').unwrap()),
            Some(command) => {
                ran += 1;
                let answer = bare(&home, &variables, command).ends_with(0);
                let log = std::fs::read_to_string(home.file("collect.log")).unwrap();
                assert!(answer.stderr.is_empty(), "{answer:?}");
                assert!(log.contains("fetched"), "{log}");
            }
        }
    }
    assert_eq!(ran, 1, "{table}");
    was_asked_with_the_token(&service);
    has_fixes(&home);
}

/// Does what the page says to install the units; returns the folder with them.
fn units(home: &Home, page: &[CodeBlock]) -> std::path::PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for block in page.iter().filter(|block| block.language == "console") {
        // No user manager runs here.
        let is_run =
            |line: &&str| !line.starts_with("systemctl") && !line.starts_with("journalctl");
        let lines: Vec<&str> = block.text.lines().filter(is_run).collect();
        let lines = format!("set -e\ncd '{}'\n{}", root.display(), lines.join("\n"));
        bare(home, &[], &lines).ends_with(0);
    }
    let units = home.file(".config/systemd/user");
    let drop_in = block_with(page, "ini", "LoadCredential");
    let of = |unit: &str| units.join(format!("{unit}.service.d/override.conf"));
    for unit in ["driftline-collect", "driftline-collect-once"] {
        home.write(of(unit).to_str().unwrap(), &drop_in);
    }
    units
}

/// Starts the command of a unit as systemd does by unit and drop-in.
fn started(home: &Home, unit: &Path, drop_in: &str) -> Running {
    let unit = std::fs::read_to_string(unit).unwrap();
    let value = |text: &str, key: &str| {
        let lines = text.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        values
            .next()
            .unwrap()
            .replace("%h", home.path().to_str().unwrap())
    };
    let credentials = home.file("credentials");
    std::fs::create_dir_all(&credentials).unwrap();
    let credential = value(drop_in, "LoadCredential");
    let (name, file) = credential.split_once(':').unwrap();
    std::fs::copy(file, credentials.join(name)).unwrap();
    let variable = value(drop_in, "Environment");
    let variables = [
        variable.split_once('=').unwrap(),
        ("CREDENTIALS_DIRECTORY", credentials.to_str().unwrap()),
    ];
    bare(
        home,
        &variables,
        &format!("exec {}", value(&unit, "ExecStart")),
    )
    .start()
}

#[test]
fn the_units_of_systemd_are_sound_and_their_commands_collect() {
    needs!("systemd");
    let (home, service) = (installed(), service());
    let page = page(&service);
    let units = units(&home, &page);
    let drop_in = block_with(&page, "ini", "LoadCredential");
    std::fs::create_dir_all(home.file(".run")).unwrap();
    let names = [
        "driftline-collect.service",
        "driftline-collect-once.service",
        "driftline-collect-once.timer",
    ];
    for name in names {
        // The manual pages are those of a package.
        let verify = [
            "verify",
            "--user",
            "--man=no",
            units.join(name).to_str().unwrap(),
        ]
        .map(str::to_owned);
        let found: Answer = Run::program(&home, "systemd-analyze", verify).ends_with(0);
        assert_eq!(
            (found.stdout.as_str(), found.stderr.as_str()),
            ("", ""),
            "{name}"
        );
    }
    let once = started(&home, &units.join(names[1]), &drop_in);
    once.end().ends_with(0);
    was_asked_with_the_token(&service);
    has_fixes(&home);
    home.let_a_day_pass();
    let before = service.requests().len();
    let running = started(&home, &units.join(names[0]), &drop_in);
    until(PATIENCE, || {
        (service.requests().len() > before).then_some(())
    })
    .unwrap();
    running.signal(Signal::TERM);
    running.end().ends_with(0);
    was_asked_with_the_token(&service);
}
