//! Fuzz tests of parsers: bodies, settings, lists of plants, keys and typed
//! text, mutated from a small corpus.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use proptest::test_runner::RngSeed;

use crate::app::plants::table;
use crate::dashboard::Dashboard;
use crate::dashboard::draw::{Memory, draw};
use crate::dashboard::event::Event;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shared::Watched;
use crate::dashboard::theme::{Capabilities, Theme};
use crate::dashboard::update::update;
use crate::plant::{Draft, PlantId};
use crate::service::{Address, answer};
use crate::settings::{Flags, Settings};
use crate::track::{Platform, Track, TrackOptions, time};
use crate::{text, token};

use super::chance::{Chance, rounds};
use super::dashboard::{host, watched};
use super::json_rules;

/// Byte sequences that often break parsers.
const MORSELS: [&[u8]; 34] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"null",
    b"1e999",
    b"-0",
    b"01",
    b"1e-400",
    b"9007199254740993",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\0",
    b"\n",
    b"\r\n",
    b"\"time_stamp\":",
    b"\"latitude\":91",
    b"\"longitude\":360",
    b"[[[[[[",
    b"]]]]",
    b"{}{}",
    b"=",
    b"'''",
    b"\"\"\"",
    b"\x1b",
    b"\xe2\x80\xae",
    b"99999999999999999999",
    b"../",
];

fn mutate(seed: &[u8], other: &[u8], chance: &Chance) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len() + 1);
        match chance.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 if at < bytes.len() => bytes[at] = u8::try_from(chance.below(256)).unwrap(),
            2 => bytes.truncate(at),
            3 => {
                let to = (at + chance.below(20)).min(bytes.len());
                bytes.drain(at..to);
            }
            4 => {
                let morsel = MORSELS[chance.below(MORSELS.len())];
                bytes.splice(at..at, morsel.iter().copied());
            }
            5 => {
                let to = (at + chance.below(40)).min(bytes.len());
                let piece = bytes[at..to].to_vec();
                let place = chance.below(bytes.len() + 1);
                bytes.splice(place..place, piece);
            }
            6 => {
                let from = chance.below(other.len() + 1);
                let to = (from + chance.below(60)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let to = (at + 1 + chance.below(6)).min(bytes.len());
                bytes[at..to].reverse();
            }
        }
    }
    // Long inputs find no more than short ones.
    bytes.truncate(4096);
    bytes
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name);
    let mut all: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let mut bytes = fs::read(&path).unwrap();
                bytes.truncate(4096);
                all.insert(path, bytes);
            }
        }
    }
    let mut seeds: Vec<Vec<u8>> = all.into_values().collect();
    if name == "body" {
        let rules = [json_rules::cases(), json_rules::test_suite()].concat();
        seeds.extend(rules.into_iter().map(|(_, _, mut body)| {
            body.truncate(4096);
            body
        }));
    }
    seeds
}

/// Runs `try_one` on the corpus, then on mutations of it; prints the input that
/// fails.
fn fuzz(name: &str, share: usize, mut try_one: impl FnMut(&[u8])) {
    let seeds = corpus(name);
    assert!(!seeds.is_empty());
    let chance = Chance::new(name);
    let count = (rounds(60_000, 6_000_000) / share).max(seeds.len());
    for turn in 0..count {
        let input = match seeds.get(turn) {
            Some(seed) => seed.clone(),
            None => {
                let (one, other) = (chance.below(seeds.len()), chance.below(seeds.len()));
                mutate(&seeds[one], &seeds[other], &chance)
            }
        };
        let tried = catch_unwind(AssertUnwindSafe(|| try_one(&input)));
        assert!(
            tried.is_ok(),
            "{name}, turn {turn}: {:?}",
            String::from_utf8_lossy(&input)
        );
    }
    println!("{name}: {count} executions");
}

#[test]
fn random_tests_are_the_same_each_time_and_leave_no_file() {
    // By `.cargo/config.toml`; `tests/run --long` sets another seed.
    let config = proptest::test_runner::Config::default();
    assert!(config.failure_persistence.is_none());
    assert!(matches!(config.rng_seed, RngSeed::Fixed(_)));
}

#[test]
fn any_body_is_read_the_same_whole_and_in_pieces_and_makes_a_track() {
    let mut turn = 0;
    fuzz("body", 2, |bytes| {
        turn += 1;
        let whole = answer::parse(bytes, bytes.len());
        let pieces = answer::parse(bytes, 1 + turn % 97);
        match (&whole, &pieces) {
            (Ok(one), Ok(other)) => assert_eq!(one, other),
            (Err(_), Err(_)) => {}
            _ => panic!("{whole:?} and {pieces:?}"),
        }
        // An array inside a record invalidates only that record.
        let inside = [
            &b"[{\"time_stamp\":1,\"latitude\":2,\"longitude\":3},{\"x\":"[..],
            bytes,
            b"}]",
        ]
        .concat();
        let _ = answer::parse(&inside, inside.len());
        if let Ok(records) = whole {
            let came = records.transmissions.len();
            let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, 2e9));
            assert!(track.len() <= came);
            assert!(track.summary().length_m.is_finite());
        }
    });
}

#[test]
fn any_settings_are_taken_or_refused_and_a_refusal_quotes_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fuzz("config", 12, |bytes| {
        fs::write(&path, bytes).unwrap();
        let flags = Flags::from([("--config", path.clone().into())]);
        match Settings::load(&flags, &|_| None) {
            Ok(settings) => assert!(!settings.rows().is_empty()),
            Err(error) => assert!(!error.to_string().contains("service.example"), "{error}"),
        }
    });
}

#[test]
fn any_table_of_plants_is_taken_or_refused_with_its_line() {
    fuzz("plants", 6, |bytes| match table::drafts(bytes) {
        Ok(drafts) => assert!(drafts.iter().all(|row| !row.draft.name.contains('\u{7}'))),
        Err(error) => assert!(!error.to_string().is_empty()),
    });
}

#[test]
fn whatever_is_typed_is_text_an_address_a_time_or_refused() {
    fuzz("text", 6, |bytes| {
        let typed = String::from_utf8_lossy(bytes);
        let clean = text::clean(&typed);
        assert_eq!(text::clean(&clean), clean, "cleaning twice changes it");
        assert!(
            !clean
                .chars()
                .any(|c| c.is_control() && c != '\n' && c != '\t'),
            "{clean:?}"
        );
        assert!(text::width(&text::fit(&clean, 20)) <= 20);
        let _ = text::find_uuid(&typed);
        if let Ok(address) = typed.parse::<Address>() {
            let shown = address.to_string();
            assert_eq!(
                shown.parse::<Address>().map(|again| again.to_string()),
                Ok(shown)
            );
        }
        let _ = (time::parse(&typed, 2e9), time::parse_duration(&typed));
        let _ = (PlantId::parse(&typed), Draft::parse(&typed, &typed, &typed));
        let _ = token::Token::new(typed.into_owned());
    });
}

fn key(byte: u8) -> Event {
    let code = match byte {
        b'\r' => KeyCode::Enter,
        b'\t' => KeyCode::Tab,
        0x1b => KeyCode::Esc,
        0x7f => KeyCode::Backspace,
        0x80..=0x89 => KeyCode::F(byte - 0x7f),
        0x8a => KeyCode::Up,
        0x8b => KeyCode::Down,
        0x8c => KeyCode::PageDown,
        0x8d => KeyCode::Delete,
        1..=26 => return Event::Key(Key::ctrl(char::from(b'a' + byte - 1))),
        other => KeyCode::Char(char::from(other)),
    };
    Event::Key(Key::plain(code))
}

#[test]
fn any_keys_leave_a_dashboard_that_can_be_drawn() {
    let mut turn = 0u16;
    fuzz("keys", 60, |bytes| {
        let watched = Watched {
            open: text::find_uuid("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa").map(Into::into),
            ..watched(Vec::new())
        };
        let mut model = Dashboard::new(Settings::default(), watched, host(2e9));
        turn = turn.wrapping_add(7919);
        let (width, height) = (turn % 200, turn % 61);
        update(
            &mut model,
            Event::Resized {
                width,
                height,
                cell_aspect: 2.0,
            },
        );
        for byte in bytes.iter().take(300) {
            update(&mut model, key(*byte));
        }
        if width > 0 && height > 0 {
            let backend = ratatui::backend::TestBackend::new(width, height);
            let mut terminal = ratatui::Terminal::new(backend).unwrap();
            let theme = Theme::new(Capabilities::default());
            terminal
                .draw(|frame| {
                    draw(frame.buffer_mut(), &model, theme, &mut Memory::default());
                })
                .unwrap();
        }
    });
}
