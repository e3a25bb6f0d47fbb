//! Text that means to do something to a terminal, through every way out of
//! the program: no sequence of it arrives as one, and what is invisible shows.

use crate::driver::chance::rounds;
use crate::driver::home::{Home, holds};
use crate::driver::pty::{ENTER, ESC, Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::{HOURLY_TRACK, TRACK, UUID};

const NOTHING: [&str; 0] = [];

/// What terminals act on: titles, links, the clipboard, questions, modes,
/// colours, the cursor, strings that never end, the eight-bit forms of all of
/// them, and characters that hide or turn round what stands beside them. None
/// is one that the dashboard itself writes.
pub(crate) const SEQUENCES: [&str; 37] = [
    "\x1b]0;PWN\x07",
    "\x1b]8;;http://PWN\x1b\\",
    "\x1b]52;c;UFdO\x07",
    "\x1b]1337;PWN\x07",
    "\x1b]9;PWN\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x1b_GPWN\x1b\\",
    "\x1b^PWN\x1b\\",
    "\x1bXPWN\x1b\\",
    "\x1b[6n",
    "\x1b[c",
    "\x1b[5n",
    "\x1b[?9h",
    "\x1b[?47l",
    "\x1b[?5h",
    "\x1b[3J",
    "\x1b[8;41m",
    "\x1b[1;1HPWN",
    "\x1bc",
    "\x1b(0",
    "\x1b#8",
    "\u{9b}6n",
    "\u{9d}0;PWN\u{9c}",
    "\u{90}PWN\u{9c}",
    "\x07\x08\x0d\x0b\x0c\x0e\x0f",
    "\x7f\x00\x1a\x04",
    "\u{202e}\u{202d}\u{202a}\u{202b}\u{202c}",
    "\u{2066}\u{2067}\u{2068}\u{2069}",
    "\u{200e}\u{200f}\u{61c}",
    "\u{200b}\u{200c}\u{2060}\u{feff}",
    "\u{e0001}\u{e0041}\u{e007f}",
    "\u{ad}\u{180e}\u{3164}",
    "n\u{200d}n\u{fe00}\u{fe0e}\u{fe0f}",
    "\u{845b}\u{e0100}\u{e01ef}\u{e0fff}",
    "n\u{34f}\u{180b}\u{180d}\u{180f}",
    "\u{1d173}\u{1d17a}\u{1bca0}",
    "\u{fff0}\u{fff8}\u{fff9}\u{ffa0}",
];

/// Characters that never leave the program in text for a person.
pub(crate) fn unfit(character: char) -> bool {
    acts(character)
        || matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that a terminal acts on: they leave the program in nothing, not
/// in a file for another program either.
pub(crate) fn acts(character: char) -> bool {
    matches!(character, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}')
}

#[track_caller]
pub(crate) fn is_harmless(answer: &Answer) {
    for text in [&answer.stdout, &answer.stderr] {
        let found = text.chars().find(|character| unfit(*character));
        assert_eq!(found, None, "{answer:#?}");
    }
}

pub(crate) fn run(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments)
        .at(service.base_url())
        .env("DRIFTLINE_LOG", "debug")
        .go()
}

/// A service in whose every word a sequence stands.
fn hostile(sequence: String) -> Responder {
    let text = |body: serde_json::Value| body.to_string();
    Responder::new(move |request, number| {
        let sequence = sequence.as_str();
        match (request.method.as_str(), number % 4) {
            ("GET", 0) => Act::json(
                400,
                &text(serde_json::json!({"error": 7, "message": sequence})),
            ),
            ("GET", 1) => Act::typed(
                200,
                "text/html",
                &format!("<html><title>{sequence}</title>"),
            ),
            ("GET", 2) => Act::json(200, &text(serde_json::json!({sequence: 1}))),
            ("GET", _) => Act::json(
                200,
                &text(serde_json::json!([
                    {"time_stamp": 1e9, "latitude": sequence, "longitude": 2},
                    {"time_stamp": 1e9, "latitude": 1, "longitude": 2, sequence: sequence},
                    sequence,
                ])),
            ),
            _ => Act::json(
                200,
                &text(serde_json::json!({"id": 1, "name": sequence, "tag": sequence, sequence: 2})),
            ),
        }
    })
}

#[test]
fn no_sequence_leaves_through_a_pipe_whoever_said_it() {
    // Three at a time are as much as one in the longest run.
    for sequences in SEQUENCES.chunks(rounds(3, 1)) {
        let sequence = sequences.concat();
        let (home, service) = (Home::new(), hostile(sequence.clone()));
        for _ in 0..4 {
            is_harmless(&run(
                &home,
                &service,
                &["track", UUID, "--format", "table", "-v"],
            ));
        }
        // As an argument: without the byte that no argument can hold.
        let typed = sequence.replace('\0', "");
        let typed = typed.as_str();
        for arguments in [
            &["track", typed][..],
            &["track", UUID, "--format", typed],
            &["track", UUID, "--since", typed],
            &["track", UUID, "--output", &format!("{typed}/x.csv")],
            &["track", UUID, "--profile", typed],
            &["track", UUID, "--config", &format!("/{typed}")],
            &["track", UUID, "--base-url", &format!("http://{typed}/")],
            &["--archive", &format!("/{typed}/x"), "archive", "info"],
            &["deployments", "add", UUID, "--label", typed],
            &["deployments", "list"],
            &["check", UUID],
            &[
                "plants", "create", "--id", typed, "--name", "n", "--tag", "t",
            ],
            &[
                "plants", "create", "--id", "1", "--name", typed, "--tag", typed,
            ],
            &["plants", "create", "--id", "1", "--name", "n", "--tag", "t"],
            &["plants", "delete", typed, "--yes"],
            &["plants", "list"],
            &["auth", "status"],
            &["config", "show"],
            &[typed],
        ] {
            is_harmless(&run(&home, &service, arguments));
        }
        let table = home.write(
            "plants.csv",
            format!("id,name,tag\n{sequence},n,t\n1,\"{sequence}\",t\n"),
        );
        is_harmless(&run(
            &home,
            &service,
            &["plants", "import", table.to_str().unwrap()],
        ));
        let log =
            std::fs::read_to_string(home.file(".local/state/driftline/driftline.log")).unwrap();
        assert_eq!(log.chars().find(|one| unfit(*one)), None, "{log}");
    }
}

/// Puts `text` into every field of the archive that holds words.
fn poison(home: &Home, text: &str) {
    let archive =
        rusqlite::Connection::open(home.file(".local/share/driftline/archive.db")).unwrap();
    for (table, column) in [
        ("deployment", "label"),
        ("deployment", "notes"),
        ("invalid", "excerpt"),
        ("plant_log", "name"),
        ("plant_log", "tag"),
        ("plant_log", "message"),
        ("plant_log", "note"),
    ] {
        let changed = archive
            .execute(&format!("UPDATE {table} SET {column} = ?1"), [text])
            .unwrap();
        assert!(changed > 0, "{table}.{column}");
    }
}

/// An archive with a deployment, an unusable record and a plant, in each of
/// whose words `text` stands.
pub(crate) fn poisoned(text: &str) -> (Home, Responder) {
    let (home, service) = (
        Home::new(),
        Responder::new(|request, _| match request.method.as_str() {
            "GET" => Act::json(200, &TRACK.replacen('[', "[7,", 1)),
            _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
        }),
    );
    for arguments in [
        &["deployments", "add", UUID, "--label", "x"][..],
        &["track", UUID],
        &["plants", "create", "--id", "7", "--name", "n", "--tag", "t"],
    ] {
        run(&home, &service, arguments).ends_with(0);
    }
    poison(&home, text);
    (home, service)
}

#[test]
fn what_stands_in_the_archive_is_harmless_when_it_is_read() {
    let all = SEQUENCES.concat();
    let (home, service) = poisoned(&all);
    for arguments in [
        &["deployments", "list"][..],
        &["plants", "list"],
        &["plants", "log"],
        &["track", UUID, "--offline", "--format", "table"],
        &["track", UUID, "--offline", "--format", "csv"],
        &["check", UUID],
        &["archive", "info"],
    ] {
        is_harmless(&run(&home, &service, arguments));
    }
    // A name is a value to the archive, whatever it spells.
    let label = "'); DROP TABLE deployment; --";
    run(
        &home,
        &service,
        &["deployments", "add", UUID, "--label", label],
    )
    .ends_with(0);
    run(&home, &service, &["deployments", "list", "--json"])
        .ends_with(0)
        .prints(label);
    let plain = run(&home, &service, &["archive", "check"]);
    assert_eq!(plain.status, 0, "{plain:#?}");
}

#[test]
fn no_sequence_reaches_the_screen_from_the_archive_the_service_or_a_question() {
    for part in SEQUENCES.chunks(4) {
        let text = part.concat();
        let (home, service) = poisoned(&text);
        let mut terminal =
            Terminal::driftline(&home, &[UUID], Setting::default().at(service.base_url()));
        terminal.shows("UTC");
        for keys in [
            "1", "2", "3", "D", ESC, "4", ":", "x", ESC, "1", "N", ESC, "?", ESC,
        ] {
            terminal.keys(keys);
            std::thread::sleep(std::time::Duration::from_millis(70));
        }
        // Behind an Escape, a key at once would be one with Alt.
        std::thread::sleep(std::time::Duration::from_secs(1));
        terminal.quits();
        assert_eq!(terminal.insane(), NOTHING);
        let bytes = terminal.bytes();
        for sequence in part {
            assert!(!holds(&bytes, sequence), "{sequence:?}");
        }
        let shown = String::from_utf8_lossy(&bytes);
        let hidden = |one: char| unfit(one) && !one.is_ascii();
        assert_eq!(shown.chars().find(|one| hidden(*one)), None);
    }
}

#[test]
fn a_delete_names_the_plant_with_its_invisible_characters_shown() {
    let (home, service) = poisoned("evil\u{202e}gnp\u{200b}");
    let terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    terminal.shows("UTC");
    terminal.keys("3");
    terminal.shows("Plants");
    std::thread::sleep(std::time::Duration::from_millis(300));
    terminal.keys("D");
    let screen = terminal.shows("Delete");
    assert!(screen.contains("evil<U+202E>gnp<U+200B>"), "{screen}");
}

#[test]
fn what_is_copied_is_clean_short_enough_and_goes_to_the_terminal() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let mut terminal =
        Terminal::driftline(&home, &[UUID], Setting::default().at(service.base_url()));
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    terminal.shows("UTC");
    std::thread::sleep(std::time::Duration::from_millis(400));
    terminal.keys("y");
    let copied = until(PATIENCE, || {
        let bytes = terminal.bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (_, rest) = text.split_once("\x1b]52;c;")?;
        let end = rest.find(['\x07', '\x1b'])?;
        Some(rest[..end].to_owned())
    })
    .expect("nothing was put on the clipboard");
    assert!(copied.len() <= 74_000);
    let text = Run::shell(&home, "printf %s \"$COPIED\" | base64 -d").env("COPIED", copied);
    let text = text.ends_with(0).stdout;
    assert!(!text.is_empty() && !text.chars().any(unfit), "{text:?}");
    terminal.quits();
}

#[test]
fn a_plants_name_is_sent_as_typed_where_it_can_be_and_refused_where_it_hides_a_control() {
    let (home, service) = (
        Home::new(),
        Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body))),
    );
    let create = |name: &str| {
        run(
            &home,
            &service,
            &[
                "plants", "create", "--id", "7", "--name", name, "--tag", "t",
            ],
        )
    };
    for name in [
        "北極星",
        "Ærøskøbing",
        "مرساة",
        "עוגן",
        "👩‍🔬",
        "🇳🇴",
        "e\u{301}",
        &format!("z{}", "\u{301}".repeat(100)),
        "=1+1",
        "'; DROP TABLE plant_log; --",
    ] {
        create(name).ends_with(0);
        let sent = service.requests().last().unwrap().body.clone();
        let sent: serde_json::Value = serde_json::from_slice(&sent).unwrap();
        assert_eq!(sent["name"], name);
    }
    let before = service.requests().len();
    for name in ["", "a\u{1b}[2J", "a\nb", "a\tb", "\u{7f}", "\u{9b}x"] {
        create(name).ends_with(2);
    }
    assert_eq!(service.requests().len(), before);
}

#[test]
fn files_whose_names_are_no_text_are_named_harmlessly() {
    use std::os::unix::ffi::OsStrExt;
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let name = std::ffi::OsStr::from_bytes(b"no\xff\x1b[2J/x.csv");
    let answer = Run::driftline(
        &home,
        ["track", UUID, "--output"]
            .map(std::ffi::OsStr::new)
            .into_iter()
            .chain([name]),
    )
    .at(service.base_url())
    .ends_with(1);
    is_harmless(&answer);
}

#[test]
fn columns_stay_straight_whatever_their_cells_hold() {
    let names = [
        "plain",
        "北極星",
        "👩‍🔬👩‍🔬",
        "🇳🇴🇳🇴",
        "e\u{301}e\u{301}",
        "مرساة",
        "☁\u{fe0f}",
        "z\u{301}\u{302}\u{303}",
        "ﷺ",
        "\u{202e}abc",
    ];
    let (home, service) = (Home::new(), Responder::json(200, HOURLY_TRACK));
    for (place, name) in names.iter().enumerate() {
        let uuid = format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1{place:02}");
        run(
            &home,
            &service,
            &["deployments", "add", &uuid, "--label", name],
        )
        .ends_with(0);
    }
    for (columns, rows) in [(160, 48), (100, 30), (60, 16)] {
        let setting = Setting::size(columns, rows).at(service.base_url());
        let terminal = Terminal::driftline(&home, &[], setting);
        terminal.shows("plain");
        // The border to the right of every row stands in one column. A frame comes in pieces.
        terminal.wait("straight rows", |screen| {
            let signs = screen.matches(['✖', '⚑']).count();
            let borders: Vec<usize> = screen
                .lines()
                .filter(|line| line.contains(['✖', '⚑']) && line.ends_with(['┃', '█']))
                // This screen shows a joined emoji as its parts.
                .filter(|line| !line.contains('\u{200d}'))
                .map(unicode_width::UnicodeWidthStr::width)
                .collect();
            let is_straight = borders.windows(2).all(|two| two[0] == two[1]);
            // The smallest screen has no frame.
            signs > names.len().min(4) && is_straight && borders.is_empty() == (columns < 100)
        });
    }
}

#[test]
fn every_key_of_a_form_takes_text_and_the_last_enter_sends_it() {
    let (home, service) = poisoned("x");
    let mut terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    terminal.shows("UTC");
    terminal.keys("3n");
    terminal.shows("name");
    terminal.keys("12\tq?/:rD 北極\tx\u{202e}y");
    std::thread::sleep(std::time::Duration::from_millis(300));
    terminal.keys(ENTER);
    let sent = until(PATIENCE, || {
        let requests = service.requests();
        let found = requests
            .iter()
            .find(|one| one.method == "POST" && String::from_utf8_lossy(&one.body).contains("12"));
        found.map(|one| one.body.clone())
    });
    let screen = terminal.screen();
    let sent: serde_json::Value = serde_json::from_slice(&sent.expect(&screen)).unwrap();
    assert_eq!(sent["name"], "q?/:rD 北極");
    // The form takes q until the reply has closed it.
    terminal.wait("the form to close", |screen| !screen.contains("New plant"));
    terminal.quits();
}
