//! Events in, effects out: the dashboard's behaviour without a terminal.

#[cfg(test)]
mod screens;

mod alarms;
mod card;
mod columns;
mod computing;
mod copy;
mod days_and_values;
mod deployments;
mod export;
mod fetching;
mod fields;
mod limits;
mod listed;
mod many;
mod map;
mod moment;
mod moving;
mod palette;
mod passing_time;
mod plants;
mod schedule;
mod search;
mod service;
mod settings;
mod shared_archive;
mod time_range;
mod together;
mod token;
mod under_way;
mod undo;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use uuid::Uuid;

use super::connection::Connection;
use super::deployments::fetch_state::{FetchState, Held};
use super::dialogs::Dialog;
use super::effect::{Announcement, Effect, Fetch};
use super::event::{Event, FetchNews, RequestId};
use super::key::{Key, KeyCode};
use super::shared::{Shared, TrackSource, Watched};
use super::shell::Shell;
use super::tab::TabId;
use super::*;
use crate::alarm::AlarmReply;
use crate::dashboard::update::update;
use crate::exchange::AcceptedToken;
use crate::failure::{Failure, FailureKind, WriteError};
use crate::formats::{FileFormat, WrittenFile};
use crate::geo::Position;
use crate::map::{LoadedTrack, PreparedTrack};
use crate::plant::log;
use crate::settings::Settings;
use crate::testing::at;
use crate::testing::dashboard::{host, opened, seen, updated, watched};
use crate::track::{Platform, Records, Track, TrackOptions, Transmission};
use crate::watch::{Deployment, FetchRequest, Turn};

const NOW: f64 = 1_790_000_000.0;

/// The tests read what the panes show as a part of the dashboard.
impl Deref for Dashboard {
    type Target = Shell;

    fn deref(&self) -> &Shell {
        &self.shell
    }
}

impl DerefMut for Dashboard {
    fn deref_mut(&mut self) -> &mut Shell {
        &mut self.shell
    }
}

/// And what the tabs share as a part of the shell.
impl Deref for Shell {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl DerefMut for Shell {
    fn deref_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }
}

/// The text of the message on the screen; empty without one.
fn said(model: &Dashboard) -> &str {
    let notice = model.messages.notice.as_ref();
    notice.map_or("", |notice| &notice.text)
}

/// The track that the tab shows.
fn shown_track(model: &Dashboard) -> &PreparedTrack {
    model.tabs.track.shown_track(&model.shared).unwrap()
}

/// Gives the terminal a size.
fn resize(model: &mut Dashboard, width: u16, height: u16) {
    let cell_aspect = 2.0;
    let resized = Event::Resized {
        width,
        height,
        cell_aspect,
    };
    send(model, resized);
}

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(0x5b6a_c2a0_43c5_4d30_9f1b_3c06_a7f0_0000 + number)
}

fn model(watched: u128) -> Dashboard {
    let watched = (0..watched)
        .map(|number| Deployment {
            label: Some(format!("buoy {number}")),
            platform: Platform::Drifter,
            ..Deployment::new(uuid(number))
        })
        .collect();
    let mut model = opened(watched, NOW);
    resize(&mut model, 120, 40);
    model
}

fn send(model: &mut Dashboard, event: Event) -> Vec<Effect> {
    update(model, event)
}

fn press(model: &mut Dashboard, code: KeyCode) -> Vec<Effect> {
    send(model, Event::Key(Key::plain(code)))
}

fn type_text(model: &mut Dashboard, text: &str) -> Vec<Effect> {
    text.chars()
        .flat_map(|character| press(model, KeyCode::Char(character)))
        .collect()
}

fn records(fixes: u32) -> Records {
    let transmissions = (0..fixes)
        .map(|number| Transmission {
            time_stamp: NOW - 600.0 * f64::from(fixes - number),
            position: at(80.0 + 0.001 * f64::from(number), 10.0),
        })
        .collect();
    Records {
        transmissions,
        ..Records::default()
    }
}

/// A track of N fixes, assembled with these choices.
fn loaded_with(fixes: u32, options: TrackOptions) -> LoadedTrack {
    let track = Track::new(&records(fixes), &options);
    LoadedTrack {
        track: Arc::new(PreparedTrack::new(Arc::new(track))),
        options: Box::new(options),
        fetched_at: NOW,
    }
}

/// A track of N fixes, assembled with the initial choices of a drifter.
fn arrival(fixes: u32) -> LoadedTrack {
    loaded_with(fixes, TrackOptions::new(Platform::Drifter, NOW))
}

/// Does the jobs of these effects, and those that follow from them, as the runtime would.
fn carry_out(model: &mut Dashboard, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Compute(job) = effect {
            let effects = send(model, Event::Computed(job.request, job.run()));
            carry_out(model, effects);
        }
    }
}

/// Starts the fetches that are due; returns their requests.
fn fetches(effects: &[Effect]) -> Vec<(RequestId, Uuid)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Update(Fetch {
                request,
                of: FetchRequest { deployment, .. },
                ..
            }) => Some((*request, deployment.uuid)),
            _ => None,
        })
        .collect()
}

/// A fetch of a track ends with an outcome; returns the effects.
fn fetch_ends(
    model: &mut Dashboard,
    (request, deployment): (RequestId, Uuid),
    outcome: Result<LoadedTrack, Failure>,
) -> Vec<Effect> {
    let ended = updated((request, deployment), outcome);
    send(model, ended)
}

/// Starts the fetches that are due at [`NOW`], which end with what `outcome` makes of
/// each deployment.
fn fetched_at_start(model: &mut Dashboard, outcome: impl Fn(Uuid) -> Result<LoadedTrack, Failure>) {
    for asked in fetches(&send(model, Event::Now(NOW))) {
        fetch_ends(model, asked, outcome(asked.1));
    }
}

fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "it failed", "Try again.")
}

/// A dashboard with one deployment whose track of N fixes was loaded.
fn with_track(fixes: u32) -> Dashboard {
    let mut model = model(1);
    fetched_at_start(&mut model, |_| Ok(arrival(fixes)));
    press(&mut model, KeyCode::Char('2'));
    model
}

#[test]
fn at_most_four_deployments_are_asked_side_by_side_and_the_next_when_one_answers() {
    let mut model = model(10);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    assert_eq!(asked.len(), 4);
    assert!(fetches(&send(&mut model, Event::Now(NOW + 1.0))).is_empty());
    let next = fetches(&fetch_ends(&mut model, asked[0], Ok(arrival(3))));
    assert_eq!(next.len(), 1);
    assert_ne!(next[0].1, asked[0].1);
}

#[test]
fn an_answered_deployment_is_asked_again_after_about_the_interval() {
    let mut model = with_track(5);
    assert!(fetches(&send(&mut model, Event::Now(NOW + 50.0))).is_empty());
    assert_eq!(fetches(&send(&mut model, Event::Now(NOW + 70.0))).len(), 1);
}

#[test]
fn a_superseded_answer_changes_nothing() {
    let mut model = model(1);
    let (old, deployment) = fetches(&send(&mut model, Event::Now(NOW)))[0];
    press(&mut model, KeyCode::Char('2'));
    let effects = press(&mut model, KeyCode::Char('r'));
    assert!(effects.contains(&Effect::Cancel(old)));
    let new = fetches(&effects)[0].0;
    fetch_ends(&mut model, (old, deployment), Ok(arrival(1)));
    assert!(model.tabs.track.shown_track(&model.shared).is_none());
    fetch_ends(&mut model, (new, deployment), Ok(arrival(2)));
    assert_eq!(shown_track(&model).len(), 2);
}

#[test]
fn a_failed_refresh_keeps_the_data_and_is_tried_again_each_minute() {
    let mut model = with_track(5);
    let mut now = NOW;
    let mut waits = Vec::new();
    for _ in 0..4 {
        let began = now;
        let asked = loop {
            now += 1.0;
            let asked = fetches(&send(&mut model, Event::Now(now)));
            if let Some(asked) = asked.first() {
                break *asked;
            }
        };
        waits.push(now - began);
        fetch_ends(&mut model, asked, Err(failure(FailureKind::Unreachable)));
        assert_eq!(shown_track(&model).len(), 5, "the last good data stay");
        assert!(model.deployments.list[0].track.failure.is_some());
    }
    // The only one that is watched fails: so does the service.
    assert!(waits.iter().all(|wait| *wait == 60.0), "{waits:?}");
}

#[test]
fn a_refused_token_stops_all_asking_and_opens_the_dialog_once() {
    let mut model = model(3);
    fetched_at_start(&mut model, |_| Err(failure(FailureKind::NotAuthenticated)));
    assert_eq!(model.dialogs.len(), 1);
    assert!(matches!(model.dialogs[0], Dialog::Token(_)));
    assert!(fetches(&send(&mut model, Event::Now(NOW + 3600.0))).is_empty());
    // After an accepted token all fetches continue.
    type_text(&mut model, "s3cret");
    let effects = press(&mut model, KeyCode::Enter);
    let Some(Effect::TryToken { request, token, .. }) = effects.first() else {
        panic!("{effects:?}");
    };
    assert_eq!(token.0.as_str(), "s3cret");
    let again = send(
        &mut model,
        Event::Token {
            request: *request,
            outcome: Ok(AcceptedToken::InKeyring {
                environment_wins: false,
            }),
            answered: None,
        },
    );
    assert!(model.dialogs.is_empty());
    assert_eq!(fetches(&again).len(), 3);
}

#[test]
fn no_event_prints_a_token() {
    let mut model = model(1);
    send(&mut model, Event::Key(Key::plain(KeyCode::F(3))));
    send(&mut model, Event::Paste("s3cret-token\n".to_owned()));
    let effects = press(&mut model, KeyCode::Enter);
    assert!(!format!("{model:?}{effects:?}").contains("s3cret"));
}

#[test]
fn the_cursor_follows_the_latest_fix_until_it_is_moved() {
    let mut model = with_track(50);
    assert_eq!(model.tabs.track.cursor, 49);
    press(&mut model, KeyCode::Char('k'));
    assert_eq!(
        (model.tabs.track.cursor, model.tabs.track.follow),
        (48, false)
    );
    press(&mut model, KeyCode::Char('g'));
    assert_eq!(model.tabs.track.cursor, 0);
    press(&mut model, KeyCode::Char(']'));
    assert_eq!(model.tabs.track.cursor, 1);
    press(&mut model, KeyCode::Char('f'));
    assert_eq!(model.tabs.track.cursor, 49);
}

#[test]
fn turning_the_order_round_keeps_the_cursor_on_its_fix() {
    let mut model = with_track(50);
    let effects = press(&mut model, KeyCode::Char('S'));
    assert_eq!(model.tabs.track.table.cursor, 49, "the rows of before stay");
    carry_out(&mut model, effects);
    assert_eq!(model.tabs.track.cursor, 49);
    assert_eq!(model.tabs.track.table.cursor, 0);
    press(&mut model, KeyCode::Char('j'));
    assert_eq!(model.tabs.track.cursor, 48);
}

#[test]
fn esc_gives_up_a_request_and_never_quits() {
    let mut model = model(1);
    let (request, _) = fetches(&send(&mut model, Event::Now(NOW)))[0];
    assert_eq!(
        press(&mut model, KeyCode::Esc),
        vec![Effect::Cancel(request)]
    );
    for _ in 0..20 {
        assert!(!press(&mut model, KeyCode::Esc).contains(&Effect::Quit));
    }
}

#[test]
fn a_deployment_is_added_from_an_address_and_a_second_time_refused() {
    let mut model = model(1);
    press(&mut model, KeyCode::Char('a'));
    send(
        &mut model,
        Event::Paste(format!("https://x.example/data/{}\n", uuid(7))),
    );
    let effects = press(&mut model, KeyCode::Enter);
    assert!(
        matches!(&effects[0], Effect::Watch { before: None, after, listed: false } if after.id.uuid == uuid(7))
    );
    assert_eq!(fetches(&effects).len(), 1);
    press(&mut model, KeyCode::Char('a'));
    type_text(&mut model, &uuid(7).to_string());
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(!model.dialogs.is_empty());
}

#[test]
fn while_paused_r_asks_for_all_once_and_for_none_again() {
    let mut model = model(10);
    press(&mut model, KeyCode::Char('p'));
    let mut waiting = fetches(&press(&mut model, KeyCode::Char('r')));
    let mut asked = 0;
    while let Some((request, deployment)) = waiting.pop() {
        asked += 1;
        let outcome = Ok(arrival(3));
        waiting.extend(fetches(&send(
            &mut model,
            updated((request, deployment), outcome),
        )));
    }
    assert_eq!(asked, 10);
    assert!(fetches(&send(&mut model, Event::Now(NOW + 86_400.0))).is_empty());
}

#[test]
fn the_filter_narrows_as_it_is_typed_and_esc_takes_it_away() {
    let mut model = model(12);
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy age<1d");
    assert_eq!(model.tabs.deployments.order.len(), 0);
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy 1");
    // A number is a whole one: buoy 10, 11 and 12 are others.
    assert_eq!(model.tabs.deployments.order.len(), 1);
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.tabs.deployments.order.len(), 1);
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.tabs.deployments.order.len(), 12);
}

#[test]
fn an_idle_dashboard_is_drawn_once_a_second_and_more_often_only_while_something_turns() {
    let mut model = with_track(5);
    assert_eq!(model.tick().as_secs_f64(), 1.0);
    press(&mut model, KeyCode::Char('r'));
    assert!(model.deployments.loading().next().is_some());
    assert_eq!(model.tick().as_secs_f64(), 0.125);
}

proptest::proptest! {
    #[test]
    fn any_sequence_of_keys_keeps_the_dashboard_whole(
        keys in proptest::collection::vec(proptest::sample::select(vec![
            'j', 'k', 'g', 'G', 's', 'S', '/', '&', 'n', 'N', 'D', 'y', 'x', 'X', 'f', 'z', 'w', 'm', '+', '-', '0', 'H', 'J',
            'K', 'L', '1', '2', '3', '4', 'a', 'e', 'P', 'U', 'u', 'c', 't', 'E', ':', '?', ' ', '[', ']', '\n', '\t', '\x1b',
        ]), 0..120),
        width in 0u16..200,
        height in 0u16..60,
    ) {
        let mut model = with_track(30);
        resize(&mut model, width, height);
        for character in keys {
            let code = match character {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '\x1b' => KeyCode::Esc,
                other => KeyCode::Char(other),
            };
            let effects = press(&mut model, code);
            proptest::prop_assert!(!effects.contains(&Effect::Quit));
            carry_out(&mut model, effects);
            proptest::prop_assert!(model.tabs.deployments.order.iter().all(|uuid| model.deployments.get(*uuid).is_some()));
            if let Some(track) = model.tabs.track.shown_track(&model.shared) {
                proptest::prop_assert!(model.tabs.track.cursor < track.len());
                proptest::prop_assert!(model.tabs.track.table.cursor < model.tabs.track.rows(track).max(1));
            }
        }
    }
}

impl FetchState {
    /// The shown track, to change.
    pub(crate) fn loaded_mut(&mut self) -> Option<&mut LoadedTrack> {
        match &mut self.held {
            Some(Held::Track(loaded)) => Some(loaded),
            _ => None,
        }
    }
}
