//! One frame of each tab at 160x48, and from a key to its frame.

use std::sync::{Arc, Mutex, PoisonError};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use uuid::Uuid;

use crate::app::key::{Key, KeyCode};
use crate::app::{Effect, Event, Model, Start, update};
use crate::chart::{GlyphSet, LoadedTrack, PreparedTrack};
use crate::geo::{CoordinateFormat, Position, Units};
use crate::track::{Deployment, Platform, Records, Track, TrackOptions, Transmission};
use crate::ui::{Capabilities, Memory, Theme, draw};

const NOW: f64 = 1.79e9;

/// The prepared track, created once.
fn prepared(fixes: u32) -> Arc<PreparedTrack> {
    static TRACKS: Mutex<Vec<(u32, Arc<PreparedTrack>)>> = Mutex::new(Vec::new());
    let mut tracks = TRACKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, track)) = tracks.iter().find(|one| one.0 == fixes) {
        return Arc::clone(track);
    }
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
    let made = Arc::new(PreparedTrack::new(Arc::new(track)));
    tracks.push((fixes, Arc::clone(&made)));
    made
}

/// The dashboard with one track of `fixes` fixes, on the tab of a key.
fn model(tab: char, fixes: u32) -> Model {
    let uuid = Uuid::from_u128(7);
    let mut model = Model::new(Start {
        profile: "default".to_owned(),
        address: "https://service.example".to_owned(),
        sandbox: "https://service.example".to_owned(),
        demo: false,
        warning: None,
        watched: vec![Deployment {
            label: Some("ice 7".to_owned()),
            platform: Platform::Tag,
            ..Deployment::new(uuid)
        }],
        configured: Vec::new(),
        open: None,
        zone: jiff::tz::TimeZone::UTC,
        units: Units::default(),
        coordinates: CoordinateFormat::default(),
        markers: GlyphSet::Braille,
        keymap: Default::default(),
        folder: "/home/user".to_owned(),
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
                options: Box::new(options),
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

/// Draws one frame of a tab, whose number is its key.
pub fn tab(number: char, fixes: u32) -> impl FnMut() {
    let model = model(number, fixes);
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    move || {
        let _ = terminal.draw(|frame| draw(frame, &model, theme, &mut Memory::default()));
    }
}

/// Presses a key that moves one row down on the Track tab, and draws the frame.
pub fn key_to_frame(fixes: u32) -> impl FnMut() {
    let mut model = model('2', fixes);
    update(&mut model, Event::Key(Key::char('g')));
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    let mut memory = Memory::default();
    move || {
        update(&mut model, Event::Key(Key::plain(KeyCode::Down)));
        let _ = terminal.draw(|frame| draw(frame, &model, theme, &mut memory));
    }
}
