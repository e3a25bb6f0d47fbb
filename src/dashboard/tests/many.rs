//! Ten thousand deployments on the list: what arrives costs no walk over it, and
//! tracks are read where they are opened.

use super::deployments::next_platform;
use super::*;
use crate::alarm::Kind;
use crate::dashboard::deployments::list::MOST_HELD;
use crate::testing::dashboard::{alarm, archived};
use crate::track::{DeploymentSort, FlagOverrides, State};
use crate::watch::overview::ReadOverview;
use crate::watch::{FetchDelta, Overview, Update};

const MANY: u128 = 10_000;

fn overview(fixes: u32, options: &TrackOptions) -> Arc<Overview> {
    Arc::new(Overview::new(&Track::new(&records(fixes), options)))
}

/// The archived overviews of the requested deployments.
fn read(wanted: &[(Uuid, TrackOptions)]) -> Vec<ReadOverview> {
    let shown = overview(20, &TrackOptions::new(Platform::Drifter, NOW));
    let one = |(uuid, options): &(Uuid, TrackOptions)| ReadOverview {
        uuid: *uuid,
        overrides: FlagOverrides::default(),
        options: Box::new(options.clone()),
        overview: Some(Arc::clone(&shown)),
        fetched_at: NOW - 60.0,
    };
    wanted.iter().map(one).collect()
}

fn wanted(effects: &[Effect]) -> Vec<(Uuid, TrackOptions)> {
    let wanted = effects.iter().filter_map(|effect| match effect {
        Effect::LoadOverviews(wanted) => Some(wanted.clone()),
        _ => None,
    });
    wanted.flatten().collect()
}

fn loads(effects: &[Effect]) -> Vec<Uuid> {
    let loads = effects.iter().filter_map(|effect| match effect {
        Effect::LoadStored { deployment, .. } => Some(*deployment),
        _ => None,
    });
    loads.collect()
}

/// A dashboard whose list is known from the archive.
fn fleet() -> Dashboard {
    let mut model = model(MANY);
    let effects = send(&mut model, Event::Started);
    let asked = wanted(&effects);
    assert_eq!(asked.len(), 10_000);
    // Only the open track is read.
    assert_eq!(loads(&effects), [uuid(0)]);
    send(&mut model, Event::Overviews(read(&asked)));
    model.before_frame();
    model
}

fn refreshed(
    model: &mut Dashboard,
    (request, deployment): (RequestId, Uuid),
    fixes: u32,
) -> Vec<Effect> {
    let options = model.deployments.get(deployment).unwrap().options(NOW);
    let update = Update {
        track: None,
        overview: overview(fixes, &options),
        options: Box::new(options),
        fetched_at: NOW,
        took_s: 1.0,
        delta: Some(FetchDelta {
            new: 1,
            ..FetchDelta::default()
        }),
        notes: Vec::new(),
        unstored: None,
        unjudged: None,
    };
    let news = FetchNews::Ended {
        outcome: Ok(Box::new(update)),
        track: None,
    };
    send(model, Event::Fetch(request, news))
}

#[test]
fn ten_thousand_answers_are_taken_in_and_the_rows_sorted_once_for_each_frame() {
    let mut model = fleet();
    let sorted = |model: &Dashboard| model.tabs.deployments.sorted;
    let before = sorted(&model);
    let mut asked = fetches(&send(&mut model, Event::Now(NOW)));
    let mut answered = 0;
    while let Some(next) = asked.pop() {
        // The first one on the list is open: its track is fetched.
        let more = if next.1 == uuid(0) {
            fetch_ends(&mut model, next, Ok(arrival(21)))
        } else {
            refreshed(&mut model, next, 21)
        };
        asked.extend(fetches(&more));
        answered += 1;
        assert!(asked.len() <= 4);
    }
    assert_eq!(answered, 10_000);
    assert_eq!(sorted(&model), before);
    model.before_frame();
    assert_eq!(sorted(&model), before + 1);
    model.before_frame();
    assert_eq!(sorted(&model), before + 1);
    let held = model
        .deployments
        .list
        .iter()
        .filter(|one| one.track.loaded().is_some());
    assert_eq!(held.count(), 1);
    assert!(
        model
            .deployments
            .list
            .iter()
            .all(|one| one.overview().unwrap().fixes == 21)
    );
    assert!(fetches(&send(&mut model, Event::Now(NOW + 1.0))).is_empty());
}

#[test]
fn another_order_of_the_rows_does_not_fit_the_map_anew_and_other_positions_do() {
    let mut model = fleet();
    let placed = |model: &Dashboard| model.deployments.placed;
    let before = placed(&model);
    let first = model.tabs.deployments.order.clone();
    for key in ['s', 'S', 's'] {
        press(&mut model, KeyCode::Char(key));
    }
    model.before_frame();
    assert_eq!(placed(&model), before);
    assert_ne!(model.tabs.deployments.order, first);
    let asked = [(uuid(3), model.deployments.list[3].options(NOW))];
    send(&mut model, Event::Overviews(read(&asked)));
    model.before_frame();
    assert_eq!(placed(&model), before + 1);
    let all = model.deployments.list.iter().skip(1);
    let watched = all.map(|one| one.deployment.clone()).collect();
    send(&mut model, archived(watched));
    assert_eq!(model.deployments.list.len(), 9_999);
    assert!(placed(&model) > before + 1);
}

#[test]
fn a_track_is_read_when_it_is_opened_and_the_one_shown_longest_ago_is_let_go() {
    let mut model = fleet();
    for number in 1..40 {
        press(&mut model, KeyCode::Char('j'));
        let effects = press(&mut model, KeyCode::Enter);
        assert_eq!(loads(&effects).len(), 1);
        let uuid = loads(&effects)[0];
        let options = model.deployments.get(uuid).unwrap().options(NOW);
        let stored = Event::Stored {
            deployment: uuid,
            overrides: FlagOverrides::default(),
            loaded: Some(loaded_with(20, options)),
        };
        send(&mut model, stored);
        assert_eq!(
            model
                .tabs
                .track
                .shown_track(&model.shared)
                .map(|track| track.len()),
            Some(20)
        );
        let held = model.deployments.list.iter();
        let held = held.filter(|one| one.track.loaded().is_some()).count();
        assert_eq!(held, MOST_HELD.min(number));
        press(&mut model, KeyCode::Char('1'));
    }
    // What lists show stays.
    assert!(
        model
            .deployments
            .list
            .iter()
            .all(|one| one.overview().is_some())
    );
}

#[test]
fn other_choices_are_asked_for_in_one_effect_and_an_edit_for_its_deployment_alone() {
    let mut model = fleet();
    press(&mut model, KeyCode::Char('2'));
    let effects = press(&mut model, KeyCode::Char('X'));
    let effects = effects.into_iter();
    let effects = effects.filter(|effect| matches!(effect, Effect::LoadOverviews(_)));
    let effects: Vec<Effect> = effects.collect();
    assert_eq!(effects.len(), 1);
    let asked = wanted(&effects);
    assert_eq!(asked.len(), 10_000);
    assert!(asked.iter().all(|(_, options)| !options.exclude_failed));
    send(&mut model, Event::Overviews(read(&asked)));
    press(&mut model, KeyCode::Char('1'));
    press(&mut model, KeyCode::Char('j'));
    let effects = next_platform(&mut model);
    assert_eq!(wanted(&effects).len(), 1);
}

#[test]
fn the_list_is_sorted_and_filtered_by_group_and_by_status() {
    let mut model = model(6);
    let groups = [
        None,
        Some("South"),
        Some("arctic"),
        Some("South"),
        None,
        Some("arctic"),
    ];
    let watched = groups
        .iter()
        .zip(0u128..)
        .map(|(group, number)| Deployment {
            label: Some(format!("buoy {number}")),
            platform: Platform::Drifter,
            group: group.map(str::to_owned),
            ..Deployment::new(uuid(number))
        });
    send(&mut model, archived(watched.collect()));
    // Number 3 is lost, and number 5 is on time.
    for (number, ago) in [(3, 30.0 * 86_400.0), (5, 300.0)] {
        let options = model.deployments.list[number].options(NOW);
        let mut records = records(20);
        for one in records.transmissions.iter_mut() {
            one.time_stamp -= ago;
        }
        let shown = Arc::new(Overview::new(&Track::new(&records, &options)));
        let read = ReadOverview {
            uuid: uuid(u128::try_from(number).unwrap()),
            overrides: FlagOverrides::default(),
            options: Box::new(options),
            overview: Some(shown),
            fetched_at: NOW,
        };
        send(&mut model, Event::Overviews(vec![read]));
    }
    let overdue = alarm("a", Some(uuid(3)), Kind::Overdue, NOW, 60.0);
    model.deployments.list[3].alarms.push(overdue);
    let rows = |model: &Dashboard| -> Vec<u128> {
        let shown = model.tabs.deployments.shown(&model.shared.deployments);
        shown
            .map(|one| one.deployment.id.uuid.as_u128() - uuid(0).as_u128())
            .collect()
    };
    press(&mut model, KeyCode::Char('s'));
    assert_eq!(model.tabs.deployments.sort.column, DeploymentSort::Group);
    assert_eq!(rows(&model), [2, 5, 3, 1, 0, 4]);
    press(&mut model, KeyCode::Char('S'));
    assert_eq!(rows(&model), [0, 4, 3, 1, 2, 5]);
    for (filter, expected) in [
        ("group: south", &[3, 1][..]),
        ("status:lost", &[3]),
        // Its alarm is of the same silence: the header counts it once.
        ("status:overdue", &[]),
        ("ARCTIC", &[2, 5]),
        ("group:lost", &[]),
        // All words are required, in any order.
        ("group:south status:lost", &[3]),
        ("lost BUOY group:south", &[3]),
        ("group:arctic status:lost", &[]),
        ("group:arctic status:\"on time\"", &[5]),
        ("\"buoy 1\"", &[1]),
        ("\"1 buoy\"", &[]),
    ] {
        press(&mut model, KeyCode::Char('&'));
        for _ in 0..20 {
            press(&mut model, KeyCode::Backspace);
        }
        type_text(&mut model, filter);
        press(&mut model, KeyCode::Enter);
        assert_eq!(rows(&model), expected, "{filter}");
    }
    let lost = &model.deployments.get(uuid(3)).unwrap();
    assert_eq!(lost.health(NOW).state, State::Lost);
}

#[test]
fn what_another_program_fetched_of_many_is_read_in_one_effect_and_counts_as_fetched() {
    let mut model = fleet();
    let received = |at: f64| (1..200).map(|number| (uuid(number), at)).collect();
    let effects = send(&mut model, Event::Received(received(NOW - 60.0)));
    assert_eq!(wanted(&effects), []);
    let effects = send(&mut model, Event::Received(received(NOW - 5.0)));
    assert_eq!((wanted(&effects).len(), loads(&effects).len()), (199, 0));
    let mut read = read(&wanted(&effects));
    for one in &mut read {
        one.fetched_at = NOW - 5.0;
        one.overview = Some(overview(22, &one.options));
    }
    send(&mut model, Event::Overviews(read));
    let one = model.deployments.get(uuid(7)).unwrap();
    assert_eq!(one.delta.map(|delta| delta.new), Some(2));
    let next = model.deployments.agenda.next(uuid(7)).unwrap();
    assert!(next.at > NOW, "{next:?}");
}

#[test]
fn an_overview_that_was_read_before_a_newer_answer_arrived_is_not_shown() {
    let mut model = fleet();
    let shown = |model: &Dashboard| {
        let one = model.deployments.get(uuid(7)).unwrap();
        one.overview().unwrap().fixes
    };
    let options = model.deployments.get(uuid(7)).unwrap().options(NOW);
    let read_at = |fetched_at: f64, fixes: u32| {
        let mut read = read(&[(uuid(7), options.clone())]);
        read[0].fetched_at = fetched_at;
        read[0].overview = Some(overview(fixes, &options));
        Event::Overviews(read)
    };
    send(&mut model, read_at(NOW, 22));
    assert_eq!(shown(&model), 22);
    send(&mut model, read_at(NOW - 60.0, 20));
    assert_eq!(shown(&model), 22);
}
