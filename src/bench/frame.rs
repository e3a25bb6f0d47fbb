//! Benchmarks of a frame of each tab at 160x48, and from a key to its frame.

use std::sync::{Arc, Mutex, PoisonError};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use uuid::Uuid;

use crate::dashboard::Dashboard;
use crate::dashboard::draw::{Memory, draw};
use crate::dashboard::effect::{Effect, Fetch};
use crate::dashboard::event::{Event, FetchNews};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shared::{Host, TrackSource, Watched};
use crate::dashboard::theme::{Capabilities, Theme};
use crate::dashboard::update::update;
use crate::geo::Position;
use crate::map::{FieldCharts, GlyphSet, PreparedTrack};
use crate::settings::Settings;
use crate::track::field::{FieldRows, FieldTable, FieldValue};
use crate::track::{FlagOverrides, Platform, Records, Track, TrackOptions, Transmission};
use crate::watch::overview::ReadOverview;
use crate::watch::{Deployment, Overview, Update};

const NOW: f64 = 1.79e9;

/// A prepared track with its numbers of fixes, of fields and of values of a
/// profile.
type Prepared = ((u32, u32, u32), Arc<PreparedTrack>);

/// The prepared track with this many fixes, fields and values of a profile, created
/// once.
fn prepared(of: (u32, u32, u32)) -> Arc<PreparedTrack> {
    static TRACKS: Mutex<Vec<Prepared>> = Mutex::new(Vec::new());
    let (fixes, fields, profile) = of;
    let mut tracks = TRACKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, track)) = tracks.iter().find(|one| one.0 == of) {
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
    let mut table = FieldTable::default();
    let names: Vec<String> = (0..fields)
        .map(|field| format!("field {field}"))
        .chain((0..profile).map(|number| format!("string_{number}")))
        .collect();
    for row in 0..fixes {
        table.begin();
        for (place, name) in (0u32..).zip(&names) {
            let value = f64::from((row.wrapping_mul(7) + place * 13) % 1009) / 16.0 - 20.0;
            // A name is there once.
            let _ = table.add(row, name, FieldValue::Number(value), |_| true);
        }
    }
    let records = Records {
        transmissions,
        fields: FieldRows::new(table),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Tag, 1e12));
    let made = Arc::new(PreparedTrack::new(Arc::new(track)));
    tracks.push((of, Arc::clone(&made)));
    made
}

/// A usual terminal.
const SIZE: Event = Event::Resized {
    width: 160,
    height: 48,
    cell_aspect: 2.0,
};

/// A dashboard of these deployments.
fn opened(list: Vec<Deployment>) -> Dashboard {
    let watched = Watched {
        remote: None,
        address: "https://service.example".to_owned(),
        sandbox: "https://service.example".to_owned(),
        source: TrackSource::Service,
        list,
        unread: None,
        answers: Default::default(),
        namesakes: Default::default(),
        open: None,
    };
    let host = Host {
        zone: jiff::tz::TimeZone::UTC,
        best_markers: GlyphSet::Braille,
        folder: "/home/user".to_owned(),
        now: NOW,
    };
    Dashboard::new(Settings::default(), watched, host)
}

/// The dashboard with one track of this many fixes, on the tab of a key.
fn model(tab: char, fixes: u32) -> Dashboard {
    model_of(tab, &prepared((fixes, 0, 0)))
}

/// The dashboard with one track, on the tab of a key.
fn model_of(tab: char, track: &Arc<PreparedTrack>) -> Dashboard {
    let mut model = with_tracks(track, 1);
    open(&mut model, Key::char(tab));
    model
}

/// Presses a key, and reads the fields that are asked for then.
fn open(model: &mut Dashboard, key: Key) {
    for effect in update(model, Event::Key(key)) {
        if let Effect::ReadFields { track, .. } = effect {
            let whole = Arc::clone(track.track());
            let rows = whole.fields().clone();
            let outcome = Ok(Arc::new(FieldCharts::new(whole, rows)));
            update(model, Event::FieldsRead { track, outcome });
        }
    }
}

/// The dashboard with so many deployments, all of which have this track.
fn with_tracks(track: &Arc<PreparedTrack>, count: u32) -> Dashboard {
    let list = (0..count).map(|number| Deployment {
        label: Some(format!("ice {}", number + 7)),
        platform: Platform::Tag,
        ..Deployment::new(Uuid::from_u128(u128::from(number) + 7))
    });
    let mut model = opened(list.collect());
    update(&mut model, SIZE);
    let mut effects = update(&mut model, Event::Now(NOW));
    while let Some(effect) = effects.pop() {
        if let Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { options, .. },
            ..
        }) = effect
        {
            let arrival = Update {
                track: None,
                overview: Arc::clone(track.overview()),
                options: Box::new(options),
                fetched_at: NOW,
                took_s: 1.0,
                delta: None,
                notes: Vec::new(),
                unstored: None,
                unjudged: None,
            };
            let news = FetchNews::Ended {
                outcome: Ok(Box::new(arrival)),
                track: Some(Arc::clone(track)),
            };
            effects.extend(update(&mut model, Event::Fetch(request, news)));
        }
    }
    model
}

/// The Track tab with so many tracks of so many fixes on one map.
fn marked(count: u32, fixes: u32) -> Dashboard {
    let mut model = with_tracks(&prepared((fixes, 0, 0)), count);
    model.before_frame();
    for _ in 0..count {
        update(&mut model, Event::Key(Key::char(' ')));
        update(&mut model, Event::Key(Key::plain(KeyCode::Down)));
    }
    open(&mut model, Key::plain(KeyCode::Enter));
    assert_eq!(
        Ok(model.shell.tabs.track.drawn(&model.shell.shared).len()),
        usize::try_from(count)
    );
    model
}

/// Moves one row down in the table next to the map of so many tracks of so many fixes, and
/// draws the frame.
pub fn several_key_to_frame(count: u32, fixes: u32) -> impl FnMut() {
    let mut model = marked(count, fixes);
    update(&mut model, Event::Key(Key::char('g')));
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    let mut memory = Memory::default();
    move || {
        update(&mut model, Event::Key(Key::plain(KeyCode::Down)));
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut memory);
        });
    }
}

/// Draws one frame of the map of so many tracks of so many fixes; nothing of an earlier
/// frame is known.
pub fn several(count: u32, fixes: u32) -> impl FnMut() {
    let model = marked(count, fixes);
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    move || {
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut Memory::default());
        });
    }
}

/// The dashboard of this many deployments all over the world, one in a hundred of them
/// lost, on the first tab.
fn fleet(count: u32) -> Dashboard {
    let watched = (0..count).map(|number| Deployment {
        label: Some(format!("buoy {number:05}")),
        platform: Platform::Drifter,
        ..Deployment::new(Uuid::from_u128(u128::from(number)))
    });
    let mut model = opened(watched.collect());
    let read = (0..count).map(|number| {
        let options = TrackOptions::new(Platform::Drifter, NOW);
        let place = f64::from(number);
        let ago = match number % 100 {
            99 => 30.0 * 86_400.0,
            _ => 600.0 + place % 3000.0,
        };
        let latitude = (place * 0.61) % 120.0 - 60.0;
        let longitude = (place * 7.77) % 360.0 - 180.0;
        let transmissions = (0..30u32).map(|back| Transmission {
            time_stamp: NOW - ago - 3600.0 * f64::from(29 - back),
            position: Position {
                latitude: latitude + 0.01 * f64::from(back),
                longitude,
            },
        });
        let records = Records {
            transmissions: transmissions.collect(),
            ..Records::default()
        };
        let track = Track::new(&records, &options);
        ReadOverview {
            uuid: Uuid::from_u128(u128::from(number)),
            overrides: FlagOverrides::default(),
            options: Box::new(options),
            overview: Some(Arc::new(Overview::new(&track))),
            fetched_at: NOW - 60.0,
        }
    });
    let read = read.collect();
    update(&mut model, Event::Overviews(read));
    update(&mut model, SIZE);
    model.before_frame();
    model
}

/// Draws one frame of the list and the world map of this many deployments; nothing of
/// an earlier frame is known, or, where it `keeps`, all of it.
pub fn world(count: u32, keeps: bool) -> impl FnMut() {
    let model = fleet(count);
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    let mut memory = Memory::default();
    move || {
        if !keeps {
            memory = Memory::default();
        }
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut memory);
        });
    }
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
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut Memory::default());
        });
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
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut memory);
        });
    }
}

/// Draws one frame of the Track tab of a track with this many fixes, fields and
/// values of a profile, after these keys; nothing of an earlier frame is known.
pub fn field(of: (u32, u32, u32), keys: &str) -> impl FnMut() {
    let mut model = model_of('2', &prepared(of));
    for key in keys.chars() {
        update(&mut model, Event::Key(Key::char(key)));
    }
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    move || {
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut Memory::default());
        });
    }
}

/// Moves one row down on the Track tab of such a track, after these keys, and
/// draws the frame.
pub fn field_key_to_frame(of: (u32, u32, u32), keys: &str) -> impl FnMut() {
    let mut model = model_of('2', &prepared(of));
    for key in keys.chars().chain(['g']) {
        update(&mut model, Event::Key(Key::char(key)));
    }
    let (mut terminal, theme) = (terminal(), Theme::new(Capabilities::default()));
    let mut memory = Memory::default();
    move || {
        update(&mut model, Event::Key(Key::plain(KeyCode::Down)));
        let _ = terminal.draw(|frame| {
            draw(frame.buffer_mut(), &model, theme, &mut memory);
        });
    }
}

/// Prepares the fields of such a track, which happens off the thread that draws.
pub fn field_charts(of: (u32, u32, u32)) -> impl FnMut() {
    let track = prepared(of);
    move || {
        let rows = track.fields().clone();
        std::hint::black_box(FieldCharts::new(Arc::clone(track.track()), rows));
    }
}
