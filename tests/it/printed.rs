//! What commands print: words in the units of a person, figures and JSON for programs,
//! and what was done on standard error.

use serde_json::{Value, json};

use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TOKEN, UUID};
use crate::typed::{run, service};

#[test]
fn words_follow_units_and_coordinates_and_figures_stay_si() {
    let (home, service) = (Home::new(), service());
    let add = [
        "deployments",
        "add",
        UUID,
        "--inside",
        "54°10.8′N 7°53.4′W, 1nm",
    ];
    let told = run(&home, &service, &add).ends_with(0).stderr;
    assert!(
        told.contains("inside 54.18000°N 007.89000°W, 1 nm"),
        "{told}"
    );
    let settings = home.write("si.toml", "units = \"si\"\ncoordinates = \"ddm\"\n");
    let of = |line: &[&str]| {
        let config = ["--config", settings.to_str().unwrap()];
        run(&home, &service, &[line, &config].concat())
    };
    let listed = of(&["deployments", "list"]).ends_with(0).stdout;
    assert!(
        listed.contains("54°10.800′N 007°53.400′W, 1852 m"),
        "{listed}"
    );
    let nautical = run(&home, &service, &["check", UUID]).stdout;
    let si = of(&["check", UUID]).stdout;
    assert!(nautical.contains(" nm from the centre"), "{nautical}");
    assert!(
        si.contains(" m from the centre") && si.contains("′N"),
        "{si}"
    );
    let figures = |line: &str| {
        let of_place = line.split(" distance=").nth(1).unwrap();
        of_place.split(';').next().unwrap().to_owned()
    };
    assert_eq!(figures(&si), figures(&nautical));
    let metres = figures(&si);
    assert!(
        si.contains(&format!(", {metres} m from the centre")),
        "{si}"
    );
    for (table, unit) in [(&["latest"], " m/s"), (&["track"], " m/s")] {
        let line = [table, &["--format", "table"][..]].concat();
        let line = match table[0] {
            "track" => [&line[..], &[UUID]].concat(),
            _ => line,
        };
        let shown = of(&line).ends_with(0).stdout;
        assert!(shown.contains("′N") && shown.contains(unit), "{shown}");
        assert!(!shown.contains(" kn"), "{shown}");
    }
    // Reasons of flags, too.
    let fast = "time,lat,lon\n2026-01-01,60,5\n2026-01-01T01:00:00Z,60.01,5\n\
        2026-01-01T02:00:00Z,65,5\n2026-01-01T03:00:00Z,60.02,5\n";
    let fast = home.write("fast.csv", fast).display().to_string();
    let shown = of(&["track", &fast, "--format", "table"])
        .ends_with(0)
        .stdout;
    assert!(
        shown.contains(" m/s, limit 16.7 m/s") && !shown.contains(" km in"),
        "{shown}"
    );
    let shown = run(&home, &service, &["track", &fast, "--format", "table"]).stdout;
    assert!(shown.contains(" kn, limit 32.4 kn"), "{shown}");
    let file = run(&home, &service, &["track", &fast]).stdout;
    assert!(
        file.contains(" km in 1 h") && file.contains(", limit 16.7 m/s"),
        "{file}"
    );
}

#[test]
fn json_is_a_form_of_every_command_that_prints_more_than_one_line() {
    let (home, service) = (Home::new(), service());
    let add = ["deployments", "add", UUID, "--label", "buoy 7"];
    run(&home, &service, &add).ends_with(0);
    run(&home, &service, &["track", UUID]).ends_with(0);
    for line in [
        &["deployments", "list"][..],
        &["alarms"],
        &["plants", "list"],
        &["config", "show"],
        &["archive", "info"],
        &["auth", "status"],
        &["latest"],
        &["check", "buoy 7"],
        &["check", "--all"],
        &["track", "buoy 7"],
    ] {
        let of = |form: &[&str]| {
            let answer = run(&home, &service, &[line, form].concat());
            serde_json::from_str::<Value>(&answer.stdout)
                .unwrap_or_else(|error| panic!("{line:?} {form:?}: {error}\n{answer:#?}"))
        };
        let members = |value: &Value| {
            let object = value
                .as_array()
                .and_then(|all| all.first())
                .unwrap_or(value);
            let object = object.as_object().cloned().unwrap_or_default();
            object.keys().cloned().collect::<Vec<String>>()
        };
        let json = of(&["--json"]);
        assert_eq!(
            members(&json),
            members(&of(&["--format", "json"])),
            "{line:?}"
        );
        assert_eq!(members(&json), members(&of(&["-f", "json"])), "{line:?}");
    }
    let checked = |line: &[&str]| {
        let answer = run(&home, &service, line);
        let value: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(value["code"], answer.status, "{answer:#?}");
        value
    };
    let one = checked(&["check", "buoy 7", "--max-age", "1h", "--json"]);
    assert_eq!(one["status"], "CRITICAL");
    assert_eq!(one["deployment"], UUID);
    assert_eq!(one["label"], "buoy 7");
    assert_eq!(one["limit"], 3600.0);
    assert_eq!(one["fix"]["latitude"], 85.51);
    assert!(one["age_s"].as_f64().unwrap() > 3600.0, "{one}");
    let text = one["text"].as_str().unwrap();
    assert!(text.contains(" m/s") && !text.contains(" kn"), "{text}");
    let all = checked(&["check", "--all", "--json", "--max-age", "1h"]);
    assert_eq!(all["deployments"][0]["deployment"], UUID);
    let none = checked(&["check", "buoy 9", "--json"]);
    assert_eq!(
        (&none["status"], &none["code"]),
        (&json!("UNKNOWN"), &json!(3))
    );
    let wrong = run(&home, &service, &["check", "--nosuch", "--json"]);
    assert_eq!(wrong.status, 3);
    let wrong: Value = serde_json::from_str(&wrong.stdout).unwrap();
    assert_eq!(wrong["status"], "UNKNOWN");
}

#[test]
fn several_deployments_go_into_a_folder_and_into_one_check() {
    let (home, service) = (Home::new(), service());
    let other = &format!("{}ff", &UUID[..34]);
    for (uuid, label) in [(UUID, "a"), (other, "b")] {
        let add = ["deployments", "add", uuid, "--label", label];
        run(&home, &service, &add).ends_with(0);
    }
    let told = run(&home, &service, &["track", "a", "b"])
        .ends_with(2)
        .stderr;
    assert!(told.contains("--output DIR/"), "{told}");
    let file = home.file("one.csv");
    let line = ["track", "a", "b", "--output", file.to_str().unwrap()];
    run(&home, &service, &line).ends_with(2);
    assert!(service.requests().is_empty());
    let folder = format!("{}/", home.file("tracks").display());
    let line = [
        "track", "a", "b", "a", "--output", &folder, "--format", "gpx",
    ];
    run(&home, &service, &line).ends_with(0);
    for uuid in [UUID, other] {
        let written = std::fs::read_to_string(format!("{folder}{uuid}.gpx")).unwrap();
        assert!(written.contains("<trkpt"), "{written}");
    }
    let latest = run(&home, &service, &["latest", "b"]).ends_with(0).stdout;
    assert_eq!(latest.lines().count(), 2, "{latest}");
    assert!(latest.contains(other.as_str()), "{latest}");
    let checked = run(&home, &service, &["check", "a", "b", "--max-age", "1h"]);
    assert_eq!(checked.status, 2);
    assert_eq!(checked.stdout.lines().count(), 3, "{checked:#?}");
    // What is not on the list leaves no trace.
    let foreign = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
    run(&home, &service, &["check", "a", foreign]);
    run(&home, &service, &["track", foreign, "--offline"]).ends_with(1);
}

#[test]
fn a_map_goes_to_standard_output_and_is_coloured_by_a_field() {
    let home = Home::new();
    let service = Responder::json(
        200,
        r#"[{"time_stamp":1700000000,"latitude":60,"longitude":5,"temp":1.5},
        {"time_stamp":1700003600,"latitude":60.01,"longitude":5.01,"temp":2.5},
        {"time_stamp":1700007200,"latitude":60.02,"longitude":5.01,"temp":4}]"#,
    );
    let map = |more: &[&str]| {
        run(
            &home,
            &service,
            &[&["map", UUID, "--output"], more].concat(),
        )
    };
    let plain = map(&["-"]).ends_with(0).stdout;
    assert!(plain.starts_with("<svg"), "{plain}");
    for flag in ["--colour", "--color"] {
        let coloured = map(&["-", "--format", "svg", flag, "temp"])
            .ends_with(0)
            .stdout;
        assert!(coloured.contains("temp 1.5 to 4.0"), "{coloured}");
    }
    let told = map(&["-", "--colour", "nosuch"]).ends_with(2).stderr;
    assert!(told.contains("temp") && told.contains("speed"), "{told}");
    let file = home.file("a.picture");
    map(&[file.to_str().unwrap()]).ends_with(2);
    map(&[file.to_str().unwrap(), "--format", "png"]).ends_with(0);
    assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn messages_say_what_why_and_what_to_do_once() {
    let home = Home::new();
    let service = Responder::new(|request, _| match request.target.as_str() {
        "/plants/7" => Act::json(404, "{}"),
        _ => Act::json(
            400,
            r#"{"error":400,"message":"there is no such deployment"}"#,
        ),
    });
    let told = run(&home, &service, &["track", UUID]).ends_with(4).stderr;
    assert!(
        told.contains("400 Bad Request: there is no such deployment."),
        "{told}"
    );
    assert_eq!(told.matches("400").count(), 1, "{told}");
    assert!(told.contains(&service.base_url()), "{told}");
    let told = run(&home, &service, &["plants", "delete", "7", "--yes"])
        .ends_with(4)
        .stderr;
    assert_eq!(told.matches("identifier").count(), 1, "{told}");
    let wrong = home.write("wrong.toml", "unit = \"si\"\n");
    let line = ["track", UUID, "--config", wrong.to_str().unwrap()];
    let told = run(&home, &service, &line).ends_with(2).stderr;
    assert_eq!(told.matches("wrong.toml").count(), 1, "{told}");
    assert!(told.trim_end().ends_with("did you mean 'units'?"), "{told}");
    let told = run(&home, &service, &["help", "trak"]).ends_with(2).stderr;
    assert!(told.contains("`driftline track`"), "{told}");
    let told = run(&home, &service, &["help", "nosuch"])
        .ends_with(2)
        .stderr;
    assert!(told.contains("`driftline --help`"), "{told}");
    let add = |uuid: &str| {
        run(
            &home,
            &service,
            &["deployments", "add", uuid, "--label", "x"],
        )
    };
    add(UUID).ends_with(0);
    let told = add(&format!("{}ff", &UUID[..34])).ends_with(0).stderr;
    assert!(told.contains("has the label 'x' too"), "{told}");
}

#[test]
fn the_token_of_a_unit_of_systemd_is_its_credential() {
    let (home, service) = (Home::new(), service());
    let folder = home.file("credentials");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("token"), format!("{TOKEN}\n")).unwrap();
    let of = |line: &[&str]| {
        Run::driftline(&home, line)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .env("CREDENTIALS_DIRECTORY", folder.to_str().unwrap())
            .go()
    };
    of(&["track", UUID]).ends_with(0);
    let sent = service.requests().pop().unwrap();
    assert_eq!(
        sent.header("authorization"),
        Some(format!("Bearer {TOKEN}").as_str())
    );
    let status = of(&["auth", "status"]).ends_with(0).stdout;
    assert!(
        status.contains("credential") && !status.contains(TOKEN),
        "{status}"
    );
    std::fs::write(folder.join("token"), "two words\n").unwrap();
    let told = of(&["track", UUID]).ends_with(2).stderr;
    assert!(
        told.contains("credential 'token'") && !told.contains("two words"),
        "{told}"
    );
}

#[test]
fn a_release_with_placeholders_is_refused() {
    let home = Home::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let check = root.join("assets/packaging/release-check");
    let told = Run::program(&home, check.to_str().unwrap(), [""; 0])
        .ends_with(1)
        .stderr;
    for name in ["repository", "maintainer", "security"] {
        assert!(told.contains(&format!("{name} is a placeholder")), "{told}");
    }
    let filled = std::fs::read_to_string(root.join("Cargo.toml"))
        .unwrap()
        .replace("example.invalid", "sea.example")
        .replacen(
            "[package]\n",
            "[package]\nrepository = \"https://sea.example/OWNER/driftline\"\n",
            1,
        );
    let filled = home.write("Cargo.toml", filled);
    Run::program(&home, check.to_str().unwrap(), [filled]).ends_with(0);
}
