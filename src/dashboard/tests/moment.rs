//! The list and its map at a moment of the past.

use super::card::answered;
use super::screens::screen;
use super::together::fleet;
use super::*;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::theme::Capabilities;
use crate::watch::Overview;

/// The times of the last fixes that the list shows, hours before now.
fn hours_ago(model: &Dashboard) -> Vec<Option<f64>> {
    let past = model.past();
    let shown = past.as_ref().unwrap_or(&model.shell);
    let latest = |one: &DeploymentState| Some(one.overview()?.latest?.time_stamp);
    let hours = |time: f64| (NOW - time) / 3600.0;
    (shown.deployments.list.iter())
        .map(|one| latest(one).map(hours))
        .collect()
}

/// Two hourly tracks that began 100 h ago; one ended 51 h ago.
fn two() -> Dashboard {
    fleet(&[(100, 60.0), (50, 61.0)])
}

#[test]
fn every_instrument_stands_at_its_last_fix_before_the_moment() {
    let mut model = two();
    assert_eq!(hours_ago(&model), [Some(1.0), Some(51.0)]);
    // Steps of a 48th of the seven days of the lines: 3.5 h.
    press(&mut model, KeyCode::Char('['));
    assert_eq!(hours_ago(&model), [Some(4.0), Some(51.0)]);
    for _ in 0..19 {
        press(&mut model, KeyCode::Char('['));
    }
    assert_eq!(hours_ago(&model), [Some(70.0), Some(70.0)]);
    // Nothing is before the first fix of all.
    for _ in 0..40 {
        press(&mut model, KeyCode::Char('['));
    }
    assert_eq!(hours_ago(&model), [Some(100.0), Some(100.0)]);
    press(&mut model, KeyCode::Char(']'));
    assert_eq!(hours_ago(&model), [Some(97.0), Some(97.0)]);
    press(&mut model, KeyCode::Esc);
    assert_eq!(hours_ago(&model), [Some(1.0), Some(51.0)]);
    // A later moment than now is now.
    press(&mut model, KeyCode::Char(']'));
    assert!(model.past().is_none());
}

#[test]
fn the_map_names_the_moment_and_the_header_stays_that_of_now() {
    let mut model = two();
    let text = |model: &mut Dashboard| screen(model, 120, 40, Capabilities::default());
    let now = text(&mut model);
    let header = now.lines().next().unwrap().to_owned();
    assert!(
        header.contains("1 lost") || header.contains("overdue"),
        "{header}"
    );
    for _ in 0..20 {
        press(&mut model, KeyCode::Char('['));
    }
    let then = text(&mut model);
    // With a word, so that its counts are not taken for those of the list.
    let counts = |line: &str| line.split_once('✖').map(|(_, counts)| counts.to_owned());
    let of_then = then.lines().next().unwrap();
    assert!(of_then.contains(" now "), "{of_then}");
    assert_eq!(counts(&of_then.replace(" now ", " ")), counts(&header));
    let at = model.deployments.moment.as_ref().unwrap().at;
    let moment = model.times().short_moment(at);
    assert!(then.contains(&format!("◆ {moment}")), "{moment}: {then}");
    // Then both were on time.
    let rows = |screen: &str| screen.matches("on time").count();
    assert!(rows(&then) > rows(&now), "{then}");
}

#[test]
fn the_footer_names_the_way_back_to_now_and_the_search_area_is_that_of_the_moment() {
    let mut model = two();
    let footer = |model: &mut Dashboard| {
        let shown = screen(model, 60, 16, Capabilities::default());
        shown.lines().last().unwrap().to_owned()
    };
    assert!(!footer(&mut model).contains("now"));
    press(&mut model, KeyCode::Char('['));
    let then = footer(&mut model);
    assert!(then.contains("Esc now  [ earlier  ] later"), "{then}");
    let at = model.past_moment().unwrap();
    let effects = press(&mut model, KeyCode::Char('W'));
    let [Effect::LookFor(search)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!((search.moment.at, search.moment.known_until), (at, at));
    let deployment = search.deployment.id.uuid;
    answered(&mut model, &effects);
    let found = model.whereabouts(deployment).unwrap();
    assert!(found.fix.unwrap().time_stamp <= at);
    // It is of that moment alone.
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    assert!(model.past_moment().is_none());
    assert!(model.whereabouts(deployment).is_none());
    assert!(!footer(&mut model).contains("Esc now"));
    // An answer that comes after a later question is none to that.
    press(&mut model, KeyCode::Char('W'));
    answered(&mut model, &effects);
    assert!(model.whereabouts(deployment).is_none());
}

#[test]
fn the_steps_are_played_ten_a_second_up_to_now() {
    let mut model = two();
    press(&mut model, KeyCode::Char('.'));
    let begin = hours_ago(&model)[0].unwrap();
    assert_eq!(begin, 100.0, "the begin of the span, or the first fix");
    assert_eq!(model.tick().as_secs_f64(), 0.1);
    let mut now = NOW;
    let mut before = begin;
    for _ in 0..60 {
        now += 0.1001;
        send(&mut model, Event::Now(now));
        if model.past().is_none() {
            break;
        }
        let hours = hours_ago(&model)[0].unwrap();
        assert!(hours < before, "{hours} {before}");
        before = hours;
    }
    assert!(model.past().is_none(), "it ends at now");
    // A second press holds it.
    press(&mut model, KeyCode::Char('.'));
    press(&mut model, KeyCode::Char('.'));
    let held = hours_ago(&model);
    send(&mut model, Event::Now(now + 5.0));
    assert_eq!(hours_ago(&model), held);
}

#[test]
fn of_a_long_list_the_tracks_that_are_not_in_memory_are_read_at_the_moment() {
    let mut model = fleet(&[(100, 60.0); 40]);
    let effects = press(&mut model, KeyCode::Char('['));
    let [Effect::LoadPast { at, wanted }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let rows = |model: &mut Dashboard, words: &str| {
        let shown = screen(model, 120, 60, Capabilities::default());
        shown.matches(words).count()
    };
    assert_eq!(rows(&mut model, "reading …"), wanted.len());
    // The next step waits for the answer, which then asks for it.
    assert!(press(&mut model, KeyCode::Char('[')).is_empty());
    let held = model
        .deployments
        .list
        .iter()
        .find_map(|one| one.track.get());
    let overview = Overview::at(held.unwrap().track(), *at);
    let read = |at: f64, wanted: &[(Uuid, TrackOptions)]| Event::Past {
        at,
        overviews: (wanted.iter().skip(1))
            .map(|(uuid, _)| (*uuid, Arc::new(overview.clone())))
            .collect(),
    };
    let effects = send(&mut model, read(*at, wanted));
    let [Effect::LoadPast { at, wanted }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert!(send(&mut model, read(*at, wanted)).is_empty());
    assert_eq!(rows(&mut model, "reading …"), 0);
    // One that is damaged.
    assert_eq!(rows(&mut model, "not known then"), 1);
    let known = hours_ago(&model).into_iter().flatten().count();
    assert_eq!(known, 39);
    press(&mut model, KeyCode::Esc);
    assert!(send(&mut model, read(0.0, &[])).is_empty());
}
