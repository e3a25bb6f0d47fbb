//! One frame of each tab at 160x48, and from a key to its frame, for tracks of
//! a thousand, a million and ten million fixes: `cargo bench --bench frame`.

use std::sync::{Arc, OnceLock};

use divan::Bencher;
use driftline::app::key::{Key, KeyCode};
use driftline::app::{Effect, Event, Model, Start, update};
use driftline::chart::{GlyphSet, LoadedTrack, PreparedTrack};
use driftline::geo::{CoordinateFormat, Position, Units};
use driftline::track::{Deployment, Platform, Records, Track, TrackOptions, Transmission};
use driftline::ui::{Capabilities, Memory, Theme, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use uuid::Uuid;

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [1_000, 1_000_000, 10_000_000];
const NOW: f64 = 1.79e9;

fn prepared(fixes: u32) -> Arc<PreparedTrack> {
    static TRACKS: [OnceLock<Arc<PreparedTrack>>; 3] = [const { OnceLock::new() }; 3];
    let place = SIZES.iter().position(|size| *size == fixes).unwrap_or(0);
    let make = || {
        let transmissions = (0..fixes)
            .map(|n| {
                let along = f64::from(n) / f64::from(fixes);
                Transmission {
                    time_stamp: NOW - 60.0 * f64::from(fixes - n),
                    position: Position {
                        latitude: 66.0 + 2.0 * along + 0.3 * (along * 40.0).sin(),
                        longitude: 2.0 + 4.0 * along + 0.6 * (along * 31.0).cos(),
                    },
                }
            })
            .collect();
        let records = Records {
            transmissions,
            ..Records::default()
        };
        let track = Track::assemble(records, &TrackOptions::new(Platform::Tag, 1e12));
        Arc::new(PreparedTrack::new(Arc::new(track)))
    };
    Arc::clone(TRACKS[place].get_or_init(make))
}

/// The dashboard with one track of so many fixes, on the tab of a key.
fn model(tab: char, fixes: u32) -> Model {
    let uuid = Uuid::from_u128(7);
    let mut model = Model::new(Start {
        profile: "default".to_owned(),
        address: "https://service.example".to_owned(),
        demo: false,
        warning: None,
        watched: vec![Deployment {
            label: Some("ice 7".to_owned()),
            platform: Platform::Tag,
            ..Deployment::new(uuid)
        }],
        open: None,
        zone: jiff::tz::TimeZone::UTC,
        units: Units::default(),
        coordinates: CoordinateFormat::default(),
        markers: GlyphSet::Braille,
        refresh_s: 60.0,
        now: NOW,
    });
    update(
        &mut model,
        Event::Resized {
            width: 160,
            height: 48,
            cell_aspect: 2.0,
        },
    );
    for effect in update(&mut model, Event::Now(NOW)) {
        if let Effect::FetchTrack {
            request,
            deployment,
            options,
        } = effect
        {
            let arrival = LoadedTrack {
                track: prepared(fixes),
                options,
                fetched_at: NOW,
                notes: Vec::new(),
                delta: None,
            };
            update(
                &mut model,
                Event::Track {
                    request,
                    deployment,
                    outcome: Ok(arrival),
                },
            );
        }
    }
    update(&mut model, Event::Key(Key::char(tab)));
    model
}

fn terminal() -> Terminal<TestBackend> {
    match Terminal::new(TestBackend::new(160, 48)) {
        Ok(terminal) => terminal,
        Err(error) => match error {},
    }
}

#[divan::bench(args = SIZES, consts = [1, 2, 3, 4], sample_count = 50)]
fn tab<const NUMBER: u32>(bencher: Bencher<'_, '_>, fixes: u32) {
    let model = model(char::from_digit(NUMBER, 10).unwrap_or('2'), fixes);
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    bencher.bench_local(|| {
        let _ = terminal.draw(|frame| draw(frame, &model, theme, &mut Memory::default()));
    });
}

/// The key that is pressed most, held down: a row of the table, and with it map
/// and strip.
#[divan::bench(args = SIZES, sample_count = 50)]
fn key_to_frame(bencher: Bencher<'_, '_>, fixes: u32) {
    let mut model = model('2', fixes);
    update(&mut model, Event::Key(Key::char('g')));
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    let mut memory = Memory::default();
    bencher.bench_local(|| {
        update(&mut model, Event::Key(Key::plain(KeyCode::Down)));
        let _ = terminal.draw(|frame| draw(frame, &model, theme, &mut memory));
    });
}
