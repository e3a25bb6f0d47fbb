//! Tracks of files: written, checked, drawn and opened, without a service, an archive or
//! a keyring.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::pty::{ENTER, Setting, Terminal};
use crate::driver::run::{Answer, Run};

const BUOY: &str = "time,lat,lon,battery\n\
    2026-11-20T00:00:00Z,60,5,12.5\n\
    2026-11-20T01:00:00Z,60.01,5,12.4\n\
    2026-11-20T02:00:00Z,60.02,5.01,12.3\n";
const TWO: &str = "id,time,lat,lon\nA,2026-11-20T00:00:00Z,60,5\nB,2026-11-20T00:00:00Z,61,5\n";

fn run(home: &Home, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments).go()
}

fn nothing_was_kept(home: &Home) {
    assert!(!home.file(".local/share/driftline").exists());
}

#[test]
fn a_file_is_written_in_any_format_checked_and_drawn_without_a_setting() {
    let home = Home::new();
    home.write("buoy 7.csv", BUOY);
    let file = home.file("buoy 7.csv").display().to_string();
    let json = run(&home, &["track", &file, "--format", "json"]).ends_with(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["deployment"], &json["fixes"][2]["fields"]["battery"]),
        (&"buoy 7".into(), &12.3.into())
    );
    assert_eq!(json["summary"]["fixes"], 3);
    let part = run(&home, &["track", &file, "--since", "2026-11-20T00:30:00Z"]).ends_with(0);
    assert_eq!(part.stdout.lines().count(), 3);
    let check = run(&home, &["check", &file, "--inside", "60,5,500m"]);
    assert_eq!(check.status, 2, "{check:?}");
    assert!(
        check.stdout.starts_with("DRIFTLINE CRITICAL - buoy 7: "),
        "{check:?}"
    );
    let picture = home.file("out.svg").display().to_string();
    run(&home, &["map", &file, "--output", &picture]).ends_with(0);
    assert!(
        std::fs::read_to_string(&picture)
            .unwrap()
            .contains("buoy 7")
    );
    nothing_was_kept(&home);
}

#[test]
fn no_output_replaces_the_file_that_is_read() {
    let home = Home::new();
    home.write("buoy.csv", BUOY);
    let file = home.file("buoy.csv").display().to_string();
    let folder = format!("{}/", home.path().display());
    for output in [&file, &folder] {
        let refused = run(&home, &["track", &file, "--output", output]).ends_with(2);
        let why = "buoy.csv cannot be written: that is the file that is read";
        refused.says(why);
    }
    let terminal = Terminal::driftline(&home, &[&file], Setting::default());
    terminal.shows("60.02");
    terminal.keys("E");
    terminal.shows("buoy_track.csv");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), BUOY);
}

#[test]
fn the_name_of_the_records_without_an_id_finds_them() {
    let home = Home::new();
    home.write("28.csv", format!("{TWO},2026-11-20T00:00:00Z,62,5\n"));
    let file = home.file("28.csv").display().to_string();
    let several = run(&home, &["track", &file]).ends_with(2).stderr;
    assert!(several.contains("3 deployments: A, B, 28."), "{several}");
    let none = run(&home, &["track", &file, "--id", "C"])
        .ends_with(2)
        .stderr;
    assert!(none.contains("It has A, B, 28."), "{none}");
    for (id, latitude) in [("A", "60"), ("28", "62")] {
        let track = run(&home, &["track", &file, "--id", id])
            .ends_with(0)
            .stdout;
        assert_eq!(track.lines().count(), 2, "{track}");
        assert!(track.contains(&format!(",{latitude},5,")), "{track}");
    }
}

#[test]
fn standard_input_is_a_file() {
    let home = Home::new();
    home.write("buoy.csv", BUOY);
    let answer = Run::driftline(&home, ["track", "-", "--format", "ndjson"])
        .stdin(BUOY)
        .ends_with(0);
    assert_eq!(answer.stdout.lines().count(), 3);
}

#[test]
fn a_pipe_is_read_to_its_end_and_keys_come_from_the_terminal() {
    let home = Home::new();
    home.write("buoy.csv", BUOY);
    let go_on = "cat buoy.csv; sleep 1; printf 2026-11-20T03:00:00Z,60.07,5.05,12";
    let line = format!("({go_on}) | {DRIFTLINE} -");
    let terminal = Terminal::program(&home, "sh", &["-c", &line], Setting::default());
    terminal.shows("60.07000°N 005.05000°E");
    terminal.keys("q");
    nothing_was_kept(&home);
}

#[test]
fn a_row_that_is_half_written_is_no_position_until_its_line_or_the_writing_ends() {
    let home = Home::new();
    home.write("buoy.csv", BUOY);
    let terminal = Terminal::driftline(&home, &["buoy.csv"], Setting::default());
    terminal.shows("60.02000°N");
    // A number that is cut is another one.
    home.write(
        "buoy.csv",
        format!("{BUOY}2026-11-20T03:00:00Z,60.07,5.0,12\n2026-11-20T04:00:00Z,60.0,6"),
    );
    terminal.shows("60.07000°N");
    let screen = terminal.screen();
    assert!(!screen.contains("006.00000°E"), "{screen}");
    home.write(
        "buoy.csv",
        format!("{BUOY}2026-11-20T04:00:00Z,60.09,5.1,12"),
    );
    terminal.shows("60.09000°N");
    terminal.keys("q");
}

#[test]
fn of_several_deployments_one_is_chosen_or_each_gets_a_file() {
    let home = Home::new();
    home.write("two.csv", TWO);
    let file = home.file("two.csv").display().to_string();
    let several = run(&home, &["track", &file]).ends_with(2);
    assert!(
        several.stderr.contains("A, B") && several.stderr.contains("--id"),
        "{several:?}"
    );
    run(&home, &["track", &file, "--id", "B"])
        .ends_with(0)
        .prints(",61,5,");
    run(&home, &["track", &file, "--id", "C"]).ends_with(2);
    let folder = format!("{}/", home.file("out").display());
    run(
        &home,
        &["track", &file, "--output", &folder, "--format", "gpx"],
    )
    .ends_with(0);
    assert!(home.file("out/A.gpx").exists() && home.file("out/B.gpx").exists());
}

#[test]
fn what_cannot_be_read_says_why_and_what_would_help() {
    let home = Home::new();
    for (name, text, status, words) in [
        ("none.csv", None, 2, "cannot be read"),
        ("a.csv", Some("time,lat\n1,2\n"), 6, "--longitude-column"),
        (
            "b.csv",
            Some("time,lat,latitude,lon\n1,2,3,4\n"),
            6,
            "'lat' and 'latitude'",
        ),
        (
            "c.csv",
            Some("time,lat,lon\nyesterday,2,3\n"),
            6,
            "line 2: 'yesterday' is no time",
        ),
        ("d.nmea.txt", Some("$GPGGA,\n"), 6, "gpsbabel -i nmea"),
    ] {
        if let Some(text) = text {
            home.write(name, text);
        }
        let file = home.file(name).display().to_string();
        let answer = run(&home, &["track", &file]).ends_with(status);
        assert!(answer.stderr.contains(words), "{name}: {answer:?}");
        assert_eq!(run(&home, &["check", &file]).status, 3, "{name}");
    }
}

#[test]
fn the_rows_of_a_file_that_cannot_be_used_are_named_and_counted() {
    let home = Home::new();
    let rows = "2026-11-20T03:00:00Z,95,5,1\n2026-11-20T04:00:00Z,60.02,,1\n\
        2026-11-20T05:00:00Z,70,5,1\n2026-11-20T06:00:00Z,60.03,5,1\n";
    home.write("buoy 7.csv", format!("{BUOY}{rows}"));
    let file = home.file("buoy 7.csv").display().to_string();
    let named = "2 records are invalid; the first is line 5: latitude 95 is outside -90 to 90";
    for format in ["csv", "geojson", "gpx"] {
        let answer = run(&home, &["track", &file, "--format", format]).ends_with(0);
        assert!(answer.stderr.contains(named), "{format}: {answer:?}");
    }
    let picture = run(&home, &["map", &file, "--output", "-"]).ends_with(0);
    picture.says(named);
    for words in ["read from a file", "1 failed", "2 invalid"] {
        assert!(picture.stdout.contains(words), "{words}: {picture:?}");
    }
    assert!(!picture.stdout.contains("fetched"), "{picture:?}");
}

#[test]
fn all_columns_that_are_not_there_are_named_at_once() {
    let home = Home::new();
    home.write("a.csv", "when,y1,x1\n1,2,3\n");
    let file = home.file("a.csv").display().to_string();
    let chosen = ["--time-column", "X", "--latitude-column", "Y"];
    let answer = run(&home, &[&["track", &file], &chosen[..]].concat()).ends_with(2);
    answer.says("'X', 'Y'; the columns are when, y1, x1");
    let answer = run(&home, &["track", &file]).ends_with(6);
    let flags = "--time-column, --latitude-column, --longitude-column";
    answer.says(flags);
}

#[test]
fn the_dashboard_on_a_file_takes_the_columns_that_are_named() {
    let home = Home::new();
    home.write("a.csv", "when,y1,x1\n2026-11-20,2,3\n");
    let file = home.file("a.csv").display().to_string();
    let chosen = |time| {
        let latitude = ["--latitude-column", "y1", "--longitude-column", "x1"];
        [&["--time-column", time], &latitude[..]].concat()
    };
    let opened = |time| run(&home, &[&[file.as_str()], &chosen(time)[..]].concat()).ends_with(2);
    opened("X").says("'X'; the columns are when, y1, x1");
    // It can be read, and there is no terminal here to show it on.
    opened("when").says("terminal");
    for words in [
        &["track", &file][..],
        &["11111111-1111-4111-8111-111111111111"],
    ] {
        let before = [&chosen("when")[..], words].concat();
        run(&home, &before)
            .ends_with(2)
            .says("no file that has them");
    }
}

#[test]
fn times_that_are_two_are_refused_and_a_format_settles_them() {
    let home = Home::new();
    home.write(
        "a.csv",
        "time,lat,lon\n03/04/2021 10:00,60,5\n05/04/2021 10:00,60,5\n",
    );
    let file = home.file("a.csv").display().to_string();
    let refused = run(&home, &["track", &file]).ends_with(6).stderr;
    let readings = "'03/04/2021 10:00' is 2021-04-03 or 2021-03-04";
    assert!(refused.contains(readings), "{refused}");
    assert!(refused.contains("choose with --time-format"), "{refused}");
    for (format, first) in [
        ("%d/%m/%Y %H:%M", "2021-04-03T10:00:00Z"),
        ("%m/%d/%Y %H:%M", "2021-03-04T10:00:00Z"),
    ] {
        run(&home, &["track", &file, "--time-format", format])
            .ends_with(0)
            .prints(first);
    }
    run(&home, &["track", &file, "--time-format", "soon"])
        .ends_with(2)
        .says("unix, unix_ms, iso, year_doy, excel");
    let gpx = "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-11-23T00:00:00Z</time></trkpt></trkseg></trk></gpx>";
    home.write("a.gpx", gpx);
    let gpx = home.file("a.gpx").display().to_string();
    run(&home, &["track", &gpx, "--time-format", "unix"]).ends_with(2);
}

#[test]
fn a_fix_that_its_source_marks_as_invalid_is_failed_in_files_the_dashboard_and_the_archive() {
    let home = Home::new();
    let rows = (0..6).map(|hour| {
        let valid = if hour == 5 { "No fix" } else { "SPS" };
        format!("2026-11-20T0{hour}:00:00Z,60.0{hour},5,{valid}\n")
    });
    home.write(
        "a.csv",
        format!("time,lat,lon,VALID\n{}", rows.collect::<String>()),
    );
    let file = home.file("a.csv").display().to_string();
    let reason = "4,marked invalid by its source";
    let track = run(&home, &["track", &file]).ends_with(0).stdout;
    assert_eq!(track.matches(reason).count(), 1, "{track}");
    let terminal = Terminal::driftline(&home, &[&file], Setting::default());
    terminal.shows("1 failed");
    drop(terminal);
    let uuid = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
    run(&home, &["deployments", "add", uuid]).ends_with(0);
    run(&home, &["archive", "import", &file, "--deployment", uuid]).ends_with(0);
    let track = run(&home, &["track", uuid, "--offline"])
        .ends_with(0)
        .stdout;
    assert_eq!(track.matches(reason).count(), 1, "{track}");
}

#[test]
fn the_dashboard_of_a_file_follows_the_settings_of_the_screen_alone() {
    let home = Home::new();
    home.write("buoy.csv", BUOY);
    let settings = "units = \"metric\"\ncoordinates = \"dms\"\nservice = { kind = \"traccar\" }\n";
    home.write(".config/driftline/config.toml", settings);
    let file = home.file("buoy.csv").display().to_string();
    let terminal = Terminal::driftline(&home, &[&file], Setting::default());
    terminal.shows("km/h");
    terminal.shows("60°01′12");
    nothing_was_kept(&home);
}

#[test]
fn a_file_without_an_extension_is_one_where_no_deployment_has_its_name() {
    let home = Home::new();
    home.write("buoy", BUOY);
    let answer = run(&home, &["track", "buoy"]).ends_with(0);
    assert_eq!(answer.stdout.lines().count(), 4);
    let uuid = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
    run(&home, &["deployments", "add", uuid, "--label", "Buoy"]).ends_with(0);
    let answer = run(&home, &["track", "buoy", "--offline"]).ends_with(1);
    answer.says(uuid);
    // `where` is about what drifts on now.
    run(&home, &["where", "./buoy"])
        .ends_with(2)
        .says("is a file, and this command reads no files");
}

#[test]
fn the_dashboard_opens_on_files_and_reads_a_changed_one_again() {
    let home = Home::new();
    home.write("buoy 7.csv", BUOY);
    let file = home.file("buoy 7.csv").display().to_string();
    let mut terminal = Terminal::driftline(&home, &[&file], Setting::default());
    terminal.shows("60.02");
    terminal.shows("fixes 3");
    home.write(
        "buoy 7.csv",
        format!("{BUOY}2026-11-20T03:00:00Z,60.03,5.02,12.2\n"),
    );
    terminal.shows("fixes 4");
    std::fs::remove_file(&file).unwrap();
    terminal.shows("buoy 7.csv' cannot be read");
    let row = "2026-11-20T04:00:00Z,60.04,5.02,12.2\n";
    home.write("buoy 7.csv", format!("{BUOY}{row}"));
    // The row that has gone is gone here, too.
    terminal.shows("fixes 4");
    terminal.hides("60.03");
    terminal.shows("● 1 file, 4 fixes, 0 failed");
    terminal.quits();
    nothing_was_kept(&home);
}

#[test]
fn a_file_that_was_not_written_any_more_is_followed_again_once_it_is() {
    let home = Home::new();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let rows = |hours: std::ops::Range<u64>| {
        let row = |hour: u64| format!("{},60.{hour:02},5\n", now - 3600 * (72 - hour));
        format!("time,lat,lon\n{}", hours.map(row).collect::<String>())
    };
    let path = home.write("buoy.csv", rows(0..4));
    let old = SystemTime::now() - Duration::from_secs(2 * 86_400);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(old).unwrap();
    let mut terminal = Terminal::driftline(&home, &["buoy.csv"], Setting::size(100, 30));
    terminal.shows("ended");
    home.write("buoy.csv", rows(0..73));
    // Its newer fixes count; it does not report, and is not on time.
    let shown = terminal.shows("fixes 73");
    assert!(!shown.contains("on time"), "{shown}");
    terminal.hides("ended");
    terminal.keys("4");
    terminal.shows("read");
    let shown = terminal.shows("buoy");
    assert!(!shown.contains("GET") && !shown.contains("http"), "{shown}");
    // A recording of long ago is over, whenever it was written.
    home.write("old.csv", "time,lat,lon\n2022-01-01,1,2\n2022-01-02,1,2\n");
    terminal.quits();
    let terminal = Terminal::driftline(&home, &["old.csv"], Setting::size(100, 30));
    let shown = terminal.shows("ended 2022-01-02");
    assert!(
        !shown.contains("overdue") && !shown.contains("lost"),
        "{shown}"
    );
}

#[test]
fn the_dashboard_lists_the_invalid_rows_of_a_file_by_place_with_their_reasons() {
    let home = Home::new();
    home.write(
        "buoy.csv",
        "time,lat,lon\nnoon,1,2\n2026-01-01T00:00:00Z,1,2\n2026-01-01T01:00:00Z,north,2\n",
    );
    let terminal = Terminal::driftline(&home, &["buoy.csv"], Setting::size(100, 30));
    terminal.shows("2 invalid");
    terminal.keys("wwz");
    let shown = terminal.shows("invalid records");
    let row = |start: &str| shown.lines().find(|line| line.trim().starts_with(start));
    assert!(row("0  'noon' is no time").is_some(), "{shown}");
    assert!(row("2  latitude 'north' is no number").is_some(), "{shown}");
}

#[test]
fn a_deployment_whose_first_row_comes_later_appears_in_the_list() {
    let home = Home::new();
    let rows = |id: &str, hours: std::ops::Range<u32>| {
        let row = |hour| format!("{id},2026-11-20T{hour:02}:00:00Z,60.{hour:02},5\n");
        hours.map(row).collect::<String>()
    };
    let mut text = format!(
        "id,time,lat,lon\n{}{}",
        rows("ice 1", 0..3),
        rows("ice 2", 0..3)
    );
    home.write("two.csv", &text);
    let file = home.file("two.csv").display().to_string();
    let mut terminal = Terminal::driftline(&home, &[&file], Setting::default());
    terminal.shows("ice 2");
    text += &rows("late 3", 4..8);
    home.write("two.csv", &text);
    terminal.shows("late 3");
    // Its fixes are there, and a search for the others finds them as before.
    terminal.keys("/late");
    terminal.keys(ENTER);
    terminal.keys(ENTER);
    terminal.shows("fixes 4");
    text += &rows("late 3", 8..10);
    home.write("two.csv", &text);
    terminal.shows("fixes 6");
    terminal.quits();
    nothing_was_kept(&home);
}

#[test]
fn a_named_pipe_is_read_to_its_end() {
    let home = Home::new();
    let pipe = home.file("pipe.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let written = pipe.clone();
    let writer = std::thread::spawn(move || std::fs::write(written, BUOY));
    let track = run(&home, &["track", &pipe.display().to_string()]).ends_with(0);
    writer.join().unwrap().unwrap();
    assert_eq!(track.stdout.lines().count(), 4, "{track:#?}");
}
