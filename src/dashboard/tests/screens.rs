//! Snapshots of the screen at usual terminal sizes.

mod alarms;
mod clicks;
mod columns;
mod failing;
mod fields;
mod frames;
mod many;
mod messages;
mod narrow;
mod pictures;
mod plain;
mod settings;
mod small;
mod titles;

use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use uuid::Uuid;

use crate::dashboard::Dashboard;
use crate::dashboard::connection::Connection;
use crate::dashboard::draw::{Memory, draw};
use crate::dashboard::effect::{Effect, Fetch};
use crate::dashboard::event::Event;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::tests::{carry_out, resize, said, shown_track};
use crate::dashboard::theme::{Capabilities, Theme};
use crate::dashboard::update::update;
use crate::exchange::{Exchange, ExchangeOutcome};
use crate::failure::{Failure, FailureKind};
use crate::map::{GlyphSet, LoadedTrack, PreparedTrack};
use crate::plant::log;
use crate::testing::chance::rounds;
use crate::testing::dashboard::{opened, seen, updated};
use crate::testing::plant;
use crate::track::{
    InvalidRecord, JsonKind, Member, Platform, RecordFault, Records, Track, TrackOptions,
    Transmission,
};
use crate::watch::Deployment;

/// 2026-09-21T13:33:20Z.
const NOW: f64 = 1_790_000_000.0;

/// An hourly track of N fixes that ended `ended_s` seconds before now, drifting
/// from a position.
fn track(latitude: f64, longitude: f64, fixes: u32, ended_s: f64) -> Arc<PreparedTrack> {
    let transmissions = (0..fixes)
        .map(|n| {
            let turn = f64::from(n) * 0.6;
            let time_stamp = NOW - ended_s - 3600.0 * f64::from(fixes - 1 - n);
            let latitude = latitude + 0.004 * f64::from(n) + 0.01 * turn.sin();
            let longitude = longitude + 0.02 * f64::from(n) + 0.02 * turn.cos();
            Transmission::new(time_stamp, latitude, longitude).unwrap()
        })
        .chain([Transmission {
            time_stamp: NOW - ended_s - 5400.0,
            position: crate::testing::at(0.0, 0.0),
        }])
        .collect();
    let unusable = vec![InvalidRecord {
        index: 3,
        line: None,
        fault: RecordFault::NotNumber(Member::Latitude, JsonKind::Null),
        excerpt: "{\"latitude\":null}".to_owned(),
    }];
    let records = Records {
        transmissions,
        unusable,
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, NOW));
    Arc::new(PreparedTrack::new(Arc::new(track)))
}

fn model() -> Dashboard {
    let names = [
        ("ice 7", 84.2, 20.0, 1200.0),
        ("Fiji\u{202e}\x1b[31m", -17.9, 179.6, 9000.0),
        ("北海 buoy", 57.9, 2.1, 1e6),
    ];
    let watched = names
        .iter()
        .zip(0u128..)
        .map(|(name, n)| Deployment {
            label: Some(name.0.to_owned()),
            platform: Platform::Drifter,
            ..Deployment::new(Uuid::from_u128(n))
        })
        .collect();
    let mut model = opened(watched, NOW);
    let entry = log::Entry {
        at: NOW - 60.0,
        name: Some("rose".to_owned()),
        tag: Some("red".to_owned()),
        reply: log::Reply {
            note: Some("no answer came".to_owned()),
            ..log::Reply::new(log::Outcome::Unknown)
        },
        ..plant::outcome(1, log::Operation::Create, log::Outcome::Unknown)
    };
    update(&mut model, Event::PlantLog(vec![entry]));
    let mut asked = update(&mut model, Event::Now(NOW));
    for (name, n) in names.iter().zip(0u128..) {
        let wanted = asked.iter().find_map(|effect| match effect {
            Effect::Update(Fetch {
                request,
                of: crate::watch::FetchRequest { deployment, .. },
                ..
            }) if *deployment == Uuid::from_u128(n).into() => Some(*request),
            _ => None,
        });
        let arrival = LoadedTrack {
            track: track(name.1, name.2, 60, name.3),
            options: Box::new(TrackOptions::new(Platform::Drifter, NOW)),
            fetched_at: NOW,
        };
        let event = updated((wanted.unwrap(), Uuid::from_u128(n)), Ok(arrival));
        asked.extend(update(&mut model, event));
    }
    update(
        &mut model,
        Event::Exchange(Exchange {
            id: 0,
            started_at: NOW - 2.0,
            method: "GET",
            url: "https://service.example/api/public/deployment/data/0".to_owned(),
            status: Some(200),
            duration_s: 0.41,
            bytes: 4812,
            outcome: ExchangeOutcome::Done("61 records".to_owned()),
            retry_in_s: None,
            subject: None,
            attempt: crate::exchange::Attempt { number: 1, most: 3 },
        }),
    );
    model
}

pub(super) fn screen(model: &mut Dashboard, width: u16, height: u16, can: Capabilities) -> String {
    resize(model, width, height);
    model.before_frame();
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            draw(
                frame.buffer_mut(),
                model,
                Theme::new(can),
                &mut Memory::default(),
            );
        })
        .unwrap();
    if width == 0 || height == 0 {
        // No text of it can be read back from the buffer.
        return String::new();
    }
    terminal.backend().to_string()
}

fn press(model: &mut Dashboard, code: KeyCode) {
    update(model, Event::Key(Key::plain(code)));
}

fn keys(model: &mut Dashboard, keys: &str) -> Vec<Effect> {
    let keys = keys.chars();
    keys.flat_map(|key| update(model, Event::Key(Key::plain(KeyCode::Char(key)))))
        .collect()
}

const SIZES: [(u16, u16); 3] = [(160, 48), (100, 30), (60, 16)];

#[test]
fn the_watch_list_at_three_sizes() {
    for (width, height) in SIZES {
        let shown = screen(&mut model(), width, height, Capabilities::default());
        insta::assert_snapshot!(format!("deployments_{width}x{height}"), shown);
    }
}

#[test]
fn a_track_in_the_ice_and_one_over_the_antimeridian_at_three_sizes() {
    for (row, name) in [(0, "ice"), (1, "antimeridian")] {
        for (width, height) in SIZES {
            let mut model = model();
            press(&mut model, KeyCode::Char('s'));
            press(&mut model, KeyCode::Char('g'));
            let wanted = Uuid::from_u128(row);
            while model.selected().unwrap().deployment.id.uuid != wanted {
                press(&mut model, KeyCode::Down);
            }
            press(&mut model, KeyCode::Enter);
            let shown = screen(&mut model, width, height, Capabilities::default());
            insta::assert_snapshot!(format!("track_{name}_{width}x{height}"), shown);
        }
    }
}

#[test]
fn plants_their_form_and_the_question_before_a_delete() {
    let mut model = model();
    keys(&mut model, "3");
    insta::assert_snapshot!(
        "plants",
        screen(&mut model, 100, 30, Capabilities::default())
    );
    keys(&mut model, "n4.5");
    press(&mut model, KeyCode::Tab);
    keys(&mut model, "fern");
    insta::assert_snapshot!(
        "plant_form",
        screen(&mut model, 60, 16, Capabilities::default())
    );
    press(&mut model, KeyCode::Esc);
    keys(&mut model, "D");
    insta::assert_snapshot!(
        "plant_delete",
        screen(&mut model, 60, 16, Capabilities::default())
    );
}

#[test]
fn activity_and_help() {
    let mut model = model();
    keys(&mut model, "4");
    insta::assert_snapshot!(
        "activity",
        screen(&mut model, 100, 30, Capabilities::default())
    );
    keys(&mut model, "?");
    insta::assert_snapshot!("help", screen(&mut model, 100, 30, Capabilities::default()));
}

#[test]
fn a_failure_stands_where_the_data_would() {
    let mut model = model();
    press(&mut model, KeyCode::Char('a'));
    keys(&mut model, "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa");
    let effects = update(&mut model, Event::Key(Key::plain(KeyCode::Enter)));
    let request = effects.iter().find_map(|effect| match effect {
        Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { deployment, .. },
            ..
        }) => Some((*request, deployment.uuid)),
        _ => None,
    });
    let (request, deployment) = request.unwrap();
    let failure = Failure::new(
        FailureKind::Unreachable,
        "the service at service.example cannot be reached: connection refused",
        "Check the address and the link.",
    );
    update(&mut model, updated((request, deployment), Err(failure)));
    press(&mut model, KeyCode::Enter);
    insta::assert_snapshot!(
        "failure",
        screen(&mut model, 100, 30, Capabilities::default())
    );
}

#[test]
fn the_form_of_a_deployment_names_it_and_its_keys_and_fits_every_screen() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        keys(&mut model, "Ge");
        let shown = screen(&mut model, width, height, Capabilities::default());
        let name = model.selected().unwrap().name();
        assert!(shown.contains(&format!("Edit: {name}")), "{shown}");
        for words in ["label", "watch circle", "notes", "Enter save", "Esc cancel"] {
            assert!(shown.contains(words), "{width}: {words}: {shown}");
        }
    }
}

#[test]
fn a_measurement_hides_no_line_of_the_summary_and_one_position_has_no_course() {
    let mut model = model();
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char(' '));
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(shown.contains("mark to cursor"), "{shown}");
    assert!(!shown.contains("initial course"), "{shown}");
    assert!(
        shown.contains("displacement") && shown.contains("highest speed"),
        "{shown}"
    );
    press(&mut model, KeyCode::Char('['));
    let shown = screen(&mut model, 160, 48, Capabilities::default());
    assert!(
        shown.contains("initial course") && shown.contains("highest speed"),
        "{shown}"
    );
}

#[test]
fn without_colour_and_in_ascii_every_state_still_has_its_mark() {
    let can = Capabilities {
        colour: false,
        true_colour: false,
        indexed: false,
        unicode: false,
    };
    let mut model = model();
    model.settings.markers = Some(GlyphSet::Ascii);
    let shown = screen(&mut model, 100, 30, can);
    insta::assert_snapshot!("deployments_ascii", shown);
    update(&mut model, Event::Key(Key::plain(KeyCode::Enter)));
    insta::assert_snapshot!("track_ascii", screen(&mut model, 100, 30, can));
}

#[test]
fn no_name_reaches_the_screen_as_a_control_character() {
    for (width, height) in SIZES {
        let mut model = model();
        for tab in "1234".chars() {
            press(&mut model, KeyCode::Char(tab));
            let shown = screen(&mut model, width, height, Capabilities::default());
            assert!(
                !shown
                    .chars()
                    .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
                "{shown}"
            );
        }
    }
}

#[test]
fn every_size_is_drawn_on_every_tab_and_under_every_dialog() {
    for opened in ["1", "2", "3", "4", "1?", "1:", "3n", "3D", "2E", "1a", "1/"] {
        let mut model = model();
        keys(&mut model, opened);
        for width in (0..=70).step_by(5).chain([59, 61, 130, 200]) {
            for height in (0..=30).step_by(3).chain([15, 17, 60]) {
                screen(&mut model, width, height, Capabilities::default());
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(rounds(12, 200) as u32))]
    #[test]
    fn a_frame_is_the_same_with_what_is_kept_from_the_last_and_without(
        typed in proptest::collection::vec(proptest::sample::select("123jkGg+-fmMRoCXw[]{}hlT9".chars().collect::<Vec<_>>()), 1..30),
        sizes in proptest::collection::vec((60u16..170, 16u16..50), 1..3),
    ) {
        let (mut model, mut memory) = (model(), Memory::default());
        keys(&mut model, "2");
        for (turn, key) in typed.into_iter().enumerate() {
            let (width, height) = sizes[turn / 10 % sizes.len()];
            press(&mut model, KeyCode::Char(key));
            let fresh = screen(&mut model, width, height, Capabilities::default());
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            let theme = Theme::new(Capabilities::default());
            terminal.draw(|frame| {
 draw(frame.buffer_mut(), &model, theme, &mut memory);
 }).unwrap();
            proptest::prop_assert_eq!(terminal.backend().to_string(), fresh, "after {}", key);
        }
    }
}
