//! The retrieval card.

use super::screens::screen;
use super::*;
use crate::dashboard::theme::Capabilities;
use crate::geo::geodesic;
use crate::testing::at;
use crate::track::forecast::Ship;
use crate::watch::Whereabouts;

/// The answer to the effect of `W` on a track of hourly fixes that drift north.
pub(super) fn answered(model: &mut Dashboard, effects: &[Effect]) {
    let [Effect::LookFor(search)] = effects else {
        panic!("{effects:?}");
    };
    let track = search.track.clone().unwrap();
    let found = Whereabouts::new(search.deployment.clone(), track, Vec::new(), search.moment);
    let deployment = search.deployment.id.uuid;
    let outcome = Ok(Box::new(found));
    send(
        model,
        Event::Whereabouts {
            deployment,
            outcome,
        },
    );
}

fn shown(model: &Dashboard, ship: bool) -> Vec<(&'static str, String)> {
    let found = model.whereabouts(uuid(0)).unwrap();
    let course = model.map.sought.course(NOW).filter(|_| ship);
    found.facts(
        model.settings.notation(),
        <crate::geo::CoordinateFormat as strum::VariantArray>::VARIANTS,
        course,
    )
}

#[test]
fn the_card_has_the_position_in_three_forms_and_is_copied_with_a_key() {
    let mut model = with_track(40);
    let effects = press(&mut model, KeyCode::Char('W'));
    assert!(matches!(model.dialogs.as_slice(), [Dialog::Card(_)]));
    assert!(model.whereabouts(uuid(0)).is_none());
    // Nothing is known yet: nothing is copied.
    assert!(press(&mut model, KeyCode::Char('y')).is_empty());
    answered(&mut model, &effects);
    let facts = shown(&model, false);
    let effects = press(&mut model, KeyCode::Char('y'));
    let [Effect::Copy(all)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert!(all.starts_with("buoy 0, "), "{all}");
    assert!(facts.iter().all(|(_, words)| all.contains(words)), "{all}");
    assert!(all.contains("drift of 6 h"), "{all}");
    assert!(facts[0].1.contains('°') && facts[1].1.contains('′') && facts[2].1.contains('″'));
    press(&mut model, KeyCode::Char('W'));
    assert!(model.dialogs.is_empty());
    assert!(model.whereabouts(uuid(0)).is_none());
}

/// The picture of a search, with a ship some way off.
fn picture(model: &mut Dashboard) {
    let effects = press(model, KeyCode::Char('W'));
    answered(model, &effects);
    press(model, KeyCode::Char('s'));
    type_text(model, "80.03,9.97 10kn");
    press(model, KeyCode::Enter);
}

#[test]
fn the_card_lies_beside_a_map_of_the_circles_the_ship_its_way_and_the_meeting_point() {
    let mut model = with_track(40);
    picture(&mut model);
    let found = model.whereabouts(uuid(0)).unwrap().found.clone().unwrap();
    let meeting = model.map.sought.course(NOW).unwrap().intercept.unwrap();
    let ship = model.map.sought.ship(NOW).unwrap().position;
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let shown = screen(&mut model, width, height, Capabilities::default());
        let view = model.view().unwrap();
        for course in [0.0, 90.0, 180.0, 270.0] {
            let edge = geodesic::direct(found.position, course, found.r90_m);
            assert!(view.shows(edge), "{course}: {found:?}");
        }
        assert!(view.shows(meeting.position) && view.shows(ship));
        for mark in [
            "◈",
            "own ship",
            "meets",
            "last fix",
            "90 % ",
            "from the ship",
        ] {
            assert!(shown.contains(mark), "{width}: {mark}\n{shown}");
        }
        // Where it has no cell of its own, its label is at the mark that hides it.
        assert!(
            shown.contains('✚') || shown.contains("now · meets"),
            "{shown}"
        );
        let layout = model.layout();
        assert!(!layout.map.intersects(layout.summary) && !layout.map.is_empty());
    }
    // On a narrow screen the card, then the map.
    let shown = screen(&mut model, 60, 16, Capabilities::default());
    assert!(
        shown.contains("forecast") && !shown.contains('◈'),
        "{shown}"
    );
    press(&mut model, KeyCode::Char('w'));
    let shown = screen(&mut model, 60, 16, Capabilities::default());
    assert!(
        !shown.contains("forecast") && shown.contains('◈'),
        "{shown}"
    );
}

#[test]
fn the_picture_leads_back_to_what_was_shown_before_it() {
    for tab in ['1', '2'] {
        let mut model = with_track(40);
        press(&mut model, KeyCode::Char('2'));
        press(&mut model, KeyCode::Char('+'));
        press(&mut model, KeyCode::Char(tab));
        let before = screen(&mut model, 100, 30, Capabilities::default());
        picture(&mut model);
        let fitted = model.view();
        press(&mut model, KeyCode::Char('+'));
        assert_ne!(model.view(), fitted);
        let shown = screen(&mut model, 100, 30, Capabilities::default());
        assert!(shown.contains("Where to look"), "{shown}");
        press(&mut model, KeyCode::Esc);
        let after = screen(&mut model, 100, 30, Capabilities::default());
        assert_eq!(after, before);
    }
}

#[test]
fn help_opens_over_the_picture_and_leads_back_to_it() {
    let mut model = with_track(40);
    picture(&mut model);
    press(&mut model, KeyCode::Char('?'));
    let shown = screen(&mut model, 100, 30, Capabilities::default());
    assert!(shown.contains("where it meets"), "{shown}");
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.dialogs.len(), 1);
}

#[test]
fn the_way_of_the_own_ship_follows_what_is_typed() {
    let mut model = with_track(40);
    let effects = press(&mut model, KeyCode::Char('W'));
    answered(&mut model, &effects);
    press(&mut model, KeyCode::Char('s'));
    type_text(&mut model, "abc");
    press(&mut model, KeyCode::Enter);
    // What is no position is said, and the prompt stays.
    assert!(matches!(model.dialogs.last(), Some(Dialog::Prompt(_))));
    send(&mut model, Event::Key(Key::ctrl('u')));
    type_text(&mut model, "79.9,10 10kn");
    press(&mut model, KeyCode::Enter);
    assert!(matches!(model.dialogs.as_slice(), [Dialog::Card(_)]));
    let facts = shown(&model, true);
    let of = |label: &str| facts.iter().find(|(known, _)| *known == label).unwrap();
    assert!(
        of("from the ship").1.starts_with("bearing 000°T"),
        "{facts:?}"
    );
    assert!(of("meets it").1.contains("80.0"), "{facts:?}");
    // An empty line takes the ship away.
    press(&mut model, KeyCode::Char('s'));
    send(&mut model, Event::Key(Key::ctrl('u')));
    press(&mut model, KeyCode::Enter);
    assert!(model.map.sought.ship(NOW).is_none());
}

#[test]
fn after_the_next_fix_the_picture_is_computed_again() {
    let mut model = model(1);
    fetched_at_start(&mut model, |_| Ok(arrival(40)));
    let effects = press(&mut model, KeyCode::Char('W'));
    answered(&mut model, &effects);
    let shown = model.whereabouts(uuid(0)).unwrap().fix;
    let later = send(&mut model, Event::Now(NOW + 7200.0));
    let request = fetches(&later)[0];
    // The same fixes, moved on: the last one is later than that of the answer.
    let mut records = records(40);
    for fix in records.transmissions.iter_mut() {
        fix.time_stamp += 300.0;
    }
    let options = TrackOptions::new(Platform::Drifter, NOW);
    let track = Track::new(&records, &options);
    let loaded = LoadedTrack {
        track: Arc::new(PreparedTrack::new(Arc::new(track))),
        options: Box::new(options),
        fetched_at: NOW,
    };
    let effects = fetch_ends(&mut model, request, Ok(loaded));
    let again = effects
        .iter()
        .find(|effect| matches!(effect, Effect::LookFor(_)));
    assert!(again.is_some(), "{effects:?}");
    // The last answer stays until the next one.
    assert_eq!(model.whereabouts(uuid(0)).unwrap().fix, shown);
}

#[test]
fn the_ship_of_gpsd_is_used_until_a_position_is_typed_and_its_loss_leaves_the_last() {
    let mut model = with_track(40);
    let effects = press(&mut model, KeyCode::Char('W'));
    answered(&mut model, &effects);
    let ship = |latitude: f64, speed_m_s| Ship {
        position: at(latitude, 10.0),
        speed_m_s,
    };
    let words = |model: &Dashboard| {
        model
            .map
            .sought
            .ship_words(model.now, model.settings.notation())
    };
    assert!(words(&model).starts_with("s: type"));
    send(
        &mut model,
        Event::OwnShip(Err("gpsd has no position".to_owned())),
    );
    assert!(words(&model).starts_with("gpsd has no position; s: type"));
    send(&mut model, Event::OwnShip(Ok((ship(79.0, Some(5.0)), NOW))));
    assert_eq!(model.map.sought.ship(NOW), Some(ship(79.0, Some(5.0))));
    let notice = model.messages.notice.clone();
    send(&mut model, Event::OwnShip(Err("gpsd is silent".to_owned())));
    // The last position stays, with the reason, and nothing else is said.
    assert_eq!(model.map.sought.ship(NOW), Some(ship(79.0, Some(5.0))));
    assert!(
        words(&model).ends_with("; gpsd is silent"),
        "{}",
        words(&model)
    );
    assert_eq!(model.messages.notice, notice);
    send(&mut model, Event::OwnShip(Ok((ship(79.1, None), NOW))));
    // A speed alone is that at which the ship is to go.
    press(&mut model, KeyCode::Char('s'));
    type_text(&mut model, "5m/s");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.map.sought.ship(NOW), Some(ship(79.1, Some(5.0))));
    // A typed position has no speed but its own.
    press(&mut model, KeyCode::Char('s'));
    send(&mut model, Event::Key(Key::ctrl('u')));
    type_text(&mut model, "70,10");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.map.sought.ship(NOW), Some(ship(70.0, None)));
}

#[test]
fn a_ship_without_a_speed_is_asked_for_it() {
    let mut model = with_track(40);
    press(&mut model, KeyCode::Char('W'));
    for (typed, asks) in [("57.9,2.1", true), ("57.9,2.1 10kn", false)] {
        press(&mut model, KeyCode::Char('s'));
        send(&mut model, Event::Key(Key::ctrl('u')));
        type_text(&mut model, typed);
        press(&mut model, KeyCode::Enter);
        let words = model.map.sought.ship_words(NOW, model.settings.notation());
        assert!(words.contains("57.9"), "{words}");
        assert_eq!(words.contains("; s: add its speed"), asks, "{words}");
    }
}

#[test]
fn a_position_of_gpsd_is_as_old_as_its_time_and_none_after_an_hour() {
    let mut model = with_track(40);
    let effects = press(&mut model, KeyCode::Char('W'));
    answered(&mut model, &effects);
    let ship = Ship {
        position: at(79.0, 10.0),
        speed_m_s: Some(5.0),
    };
    // Seconds before now, negative after it, and what is said; `None` of one that is none.
    for (age_s, said) in [
        (0.0, Some("by gpsd 0 s ago")),
        (-30.0, Some("by gpsd 0 s ago")),
        (300.0, Some("by gpsd 5 min ago")),
        (3600.0, Some("by gpsd 1 h ago")),
        (-900.0, Some("by gpsd in 15 min: clock?")),
        (7200.0, None),
        (7168.0 * 86_400.0, None),
        (-9000.0, None),
    ] {
        send(&mut model, Event::OwnShip(Ok((ship, NOW - age_s))));
        let words = model.map.sought.ship_words(NOW, model.settings.notation());
        let is_ship = (
            model.map.sought.ship(NOW).is_some(),
            model.map.sought.course(NOW).is_some(),
        );
        assert_eq!(
            is_ship,
            (said.is_some(), said.is_some()),
            "{age_s}: {words}"
        );
        let said = said.unwrap_or("gpsd has no position of this hour");
        assert!(words.contains(said), "{age_s}: {words}");
    }
    // One that stays becomes none as time passes.
    send(&mut model, Event::OwnShip(Ok((ship, NOW))));
    send(&mut model, Event::OwnShip(Err("gpsd is silent".to_owned())));
    assert!(model.map.sought.course(NOW + 3599.0).is_some());
    assert!(model.map.sought.course(NOW + 3601.0).is_none());
}
