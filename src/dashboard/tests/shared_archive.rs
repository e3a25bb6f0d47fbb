//! A dashboard next to other programs on one archive: what they fetch is shown and
//! counts as fetched.

use super::*;
use crate::testing::dashboard::archived;

fn stored(model: &mut Dashboard, loaded: LoadedTrack) -> Vec<Effect> {
    send(
        model,
        Event::Stored {
            deployment: uuid(0),
            overrides: crate::track::FlagOverrides::default(),
            loaded: Some(loaded),
        },
    )
}

fn fetched_at(fixes: u32, at: f64) -> LoadedTrack {
    LoadedTrack {
        fetched_at: at,
        ..arrival(fixes)
    }
}

/// A dashboard with one deployment that it has fetched at `NOW`.
fn fetched() -> Dashboard {
    let mut model = model(1);
    fetched_at_start(&mut model, |_| Ok(fetched_at(5, NOW)));
    model
}

fn due(model: &Shell) -> f64 {
    model.shared.deployments.agenda.next(uuid(0)).unwrap().at
}

fn loads(effects: &[Effect]) -> usize {
    let load = |effect: &&Effect| matches!(effect, Effect::LoadStored { .. });
    effects.iter().filter(load).count()
}

#[test]
fn what_another_program_stored_is_loaded_and_what_this_one_did_is_not() {
    let mut model = fetched();
    let received = |at| Event::Received(vec![(uuid(0), at), (uuid(9), at)]);
    assert_eq!(loads(&send(&mut model, received(NOW))), 0);
    assert_eq!(loads(&send(&mut model, received(NOW + 50.0))), 1);
    // Its clock may be behind.
    assert_eq!(loads(&send(&mut model, received(NOW - 50.0))), 1);
}

#[test]
fn what_another_program_fetched_is_shown_and_counts_as_fetched() {
    let mut model = fetched();
    send(&mut model, Event::Now(NOW + 100.0));
    stored(&mut model, fetched_at(7, NOW + 90.0));
    let one = &model.deployments.list[0];
    assert_eq!(one.track.get().map(|track| track.len()), Some(7));
    assert_eq!(one.delta.map(|delta| delta.new), Some(2));
    let wait = due(&model) - (NOW + 90.0);
    assert!(wait >= model.refresh_s(), "{wait}");
    // What was loaded earlier and arrives later changes nothing.
    stored(&mut model, fetched_at(5, NOW - 10.0));
    let one = &model.deployments.list[0];
    assert_eq!(one.track.get().map(|track| track.len()), Some(7));
}

#[test]
fn a_fetch_takes_turns_unless_a_person_asks_and_waits_where_it_is_not_its_turn() {
    let turn = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Update(Fetch { request, of, .. }) => Some((*request, of.turn)),
            _ => None,
        })
    };
    let mut model = model(1);
    let (request, first) = turn(&send(&mut model, Event::Now(NOW))).unwrap();
    let refresh_s = model.refresh_s();
    let is_retry = false;
    let in_turn = Turn::Leased {
        refresh_s,
        is_retry,
    };
    assert_eq!(first, in_turn);
    let not_due = |request| Event::Fetch(request, FetchNews::NotDue { wait_s: 40.0 });
    send(&mut model, not_due(request));
    let loading = model.deployments.list[0].track.loading;
    assert_eq!((loading, due(&model)), (None, NOW + 40.0));
    assert!(turn(&send(&mut model, Event::Now(NOW + 39.0))).is_none());
    assert!(turn(&send(&mut model, Event::Now(NOW + 40.0))).is_some());
    // The reply to a request that is superseded says nothing.
    press(&mut model, KeyCode::Char('2'));
    let (_, turn) = turn(&press(&mut model, KeyCode::Char('r'))).unwrap();
    assert_eq!(turn, Turn::Now);
    send(&mut model, not_due(request));
    assert!(model.deployments.list[0].track.loading.is_some());
}

#[test]
fn what_another_program_took_off_the_list_goes_unless_its_track_was_on_the_screen() {
    let of = |model: &Dashboard, numbers: &[usize]| {
        let entry = |number: &usize| model.deployments.list[*number].deployment.clone();
        archived(numbers.iter().map(entry).collect())
    };
    let uuids = |model: &Dashboard| -> Vec<Uuid> {
        let list = model.deployments.list.iter();
        list.map(|one| one.deployment.id.uuid).collect()
    };
    // The first of the list is the open one from the start.
    let mut first = model(3);
    assert_eq!(first.deployments.open, Some(uuid(0)));
    let event = of(&first, &[1, 2]);
    send(&mut first, event);
    assert_eq!(uuids(&first), [uuid(1), uuid(2)]);
    // Another one is opened, and a key finds it.
    press(&mut first, KeyCode::Char('2'));
    assert_eq!(first.deployments.open, Some(uuid(1)));
    let event = of(&first, &[0]);
    send(&mut first, event);
    assert_eq!(uuids(&first), [uuid(1)]);
    send(&mut first, archived(Vec::new()));
    assert_eq!(uuids(&first), [uuid(1)]);
    assert_eq!(first.deployments.open, Some(uuid(1)));
}
