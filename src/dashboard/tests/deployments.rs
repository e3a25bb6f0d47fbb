//! The watch list on its tab: its order, its entries, and what changes them.

use super::*;
use crate::alarm::Kind;
use crate::testing::dashboard::alarm;
use crate::watch::DeploymentId;

/// The names of the rows, as they are shown.
fn rows(model: &Dashboard) -> Vec<String> {
    model
        .tabs
        .deployments
        .shown(&model.shared.deployments)
        .map(|one| one.name())
        .collect()
}

fn stored(model: &mut Dashboard, number: u128, fixes: u32) {
    let event = Event::Stored {
        deployment: uuid(number),
        overrides: Default::default(),
        loaded: Some(arrival(fixes)),
    };
    send(model, event);
}

/// Chooses another platform for the selected deployment: the next of the list, after the
/// last one the first.
pub(super) fn next_platform(model: &mut Dashboard) -> Vec<Effect> {
    press(model, KeyCode::Char('e'));
    super::limits::go_to(model, "platform");
    press(model, KeyCode::Right);
    press(model, KeyCode::Enter)
}

#[test]
fn of_many_tracks_that_arrive_the_list_is_sorted_once_before_the_next_frame() {
    let mut model = model(3);
    press(&mut model, KeyCode::Char('j'));
    let before = rows(&model);
    // On time, which is last: the worst stands first.
    stored(&mut model, 0, 9);
    stored(&mut model, 2, 9);
    assert_eq!(rows(&model), before, "a key acts on the row that is seen");
    model.before_frame();
    assert_eq!(rows(&model), ["buoy 1", "buoy 0", "buoy 2"]);
    let selected = model.selected().unwrap();
    assert_eq!(selected.name(), "buoy 1", "the cursor stays on its row");
}

#[test]
fn rows_are_ordered_by_harm_and_then_by_name_as_people_count() {
    let mut model = model(12);
    let mut expected: Vec<String> = (0..12).map(|number| format!("buoy {number}")).collect();
    let mut known = alarm("b", Some(uuid(3)), Kind::Outside, NOW, 900.0);
    known.acknowledged_at = Some(NOW - 60.0);
    let alarms = vec![
        alarm("a", Some(uuid(7)), Kind::Overdue, NOW, 900.0),
        known,
        alarm("c", Some(uuid(11)), Kind::PickedUp, NOW, 900.0),
        alarm("d", Some(uuid(5)), Kind::Stationary, NOW, 900.0),
    ];
    send(&mut model, Event::Alarms(alarms));
    model.before_frame();
    // Nobody has acknowledged the first three: 4.1 of 1.5 m/s is more than 240 of 200 m,
    // and both are more than a late fix.
    let first = ["buoy 11", "buoy 5", "buoy 7", "buoy 3"].map(str::to_owned);
    expected.retain(|name| !first.contains(name));
    assert_eq!(rows(&model), [first.to_vec(), expected].concat());
}

/// The watch list as the archive has it after `model(watched)`.
fn archived(watched: u128) -> Vec<Deployment> {
    let model = model(watched);
    let list = model.deployments.list.iter();
    list.map(|one| one.deployment.clone()).collect()
}

fn changed(model: &mut Dashboard, edits: u64, watched: Vec<Deployment>) -> Vec<Effect> {
    let event = Event::Archived {
        edits,
        watched,
        overrides: Default::default(),
        plant_log: Vec::new(),
    };
    send(model, event)
}

#[test]
fn the_cursor_is_on_the_worst_until_the_user_moves_it() {
    let mut model = model(3);
    // What the archive has is read at the start and now and then, before and
    // after tracks arrive.
    changed(&mut model, 0, archived(3));
    stored(&mut model, 0, 9);
    model.before_frame();
    changed(&mut model, 0, archived(3));
    stored(&mut model, 2, 9);
    model.before_frame();
    assert_eq!(rows(&model), ["buoy 1", "buoy 0", "buoy 2"]);
    assert_eq!(model.tabs.deployments.table.cursor, 0);
    // Where the user has put it, it stays.
    press(&mut model, KeyCode::Char('G'));
    changed(&mut model, 0, archived(3));
    stored(&mut model, 1, 9);
    model.before_frame();
    let selected = model.selected().map(|one| one.name());
    assert_eq!(selected.as_deref(), Some("buoy 2"));
}

#[test]
fn one_of_the_settings_file_is_not_removed_and_that_is_said() {
    let mut settings = Settings::default();
    settings.deployments = vec![Deployment::new(uuid(0))];
    let mut model = Dashboard::new(settings, watched(archived(2)), host(NOW));
    assert_eq!(press(&mut model, KeyCode::Char('D')), Vec::new());
    assert!(said(&model).contains("is named in the settings file"));
    assert_eq!(model.deployments.list.len(), 2);
}

#[test]
fn one_that_is_only_shown_is_listed_by_an_edit_and_that_is_said() {
    let watched = Watched {
        open: Some(uuid(7).into()),
        ..watched(archived(1))
    };
    let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
    press(&mut model, KeyCode::Char('1'));
    let effects = next_platform(&mut model);
    assert!(matches!(effects[0], Effect::Watch { .. }), "{effects:?}");
    assert!(said(&model).contains("it is on the watch list now"));
    next_platform(&mut model);
    assert!(!said(&model).contains("watch list"));
}

#[test]
fn one_that_is_only_shown_is_closed_and_not_called_removed() {
    let watched = Watched {
        open: Some(uuid(7).into()),
        ..watched(archived(1))
    };
    let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
    press(&mut model, KeyCode::Char('1'));
    press(&mut model, KeyCode::Char('D'));
    seen(&mut model);
    send(&mut model, Event::Now(NOW + 1.0));
    let effects = press(&mut model, KeyCode::Char('y'));
    assert!(!effects.contains(&Effect::Unwatch(uuid(7))));
    assert!(said(&model).contains("was not on the watch list"));
    // There is nothing to restore.
    press(&mut model, KeyCode::Char('U'));
    assert_eq!(model.deployments.list.len(), 1);
}

#[test]
fn one_that_is_added_under_a_filter_is_not_hidden() {
    let mut model = model(3);
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy 1");
    press(&mut model, KeyCode::Enter);
    press(&mut model, KeyCode::Char('a'));
    type_text(&mut model, &uuid(9).to_string());
    press(&mut model, KeyCode::Enter);
    let selected = model.selected().unwrap();
    assert_eq!(selected.deployment.id.uuid, uuid(9));
    assert_eq!(model.tabs.deployments.order.len(), 4);
    assert!(said(&model).contains("the filter is cleared"));
}

#[test]
fn a_uuid_that_another_profile_has_is_added_as_one_of_this_service() {
    let own = DeploymentId::namesake("https://service.example/api", uuid(9));
    let watched = Watched {
        namesakes: [(uuid(9), own.clone())].into(),
        ..watched(archived(1))
    };
    let mut model = Dashboard::new(Settings::default(), watched, host(NOW));
    press(&mut model, KeyCode::Char('a'));
    type_text(&mut model, &uuid(9).to_string());
    let effects = press(&mut model, KeyCode::Enter);
    let added = effects.iter().find_map(|effect| match effect {
        Effect::Watch { after, .. } => Some(&after.id),
        _ => None,
    });
    assert_eq!(added, Some(&own));
    // It is asked for, and known again, by its UUID.
    assert_eq!(own.to_string(), uuid(9).to_string());
    press(&mut model, KeyCode::Char('a'));
    type_text(&mut model, &uuid(9).to_string());
    let again = press(&mut model, KeyCode::Enter);
    assert!(
        !again
            .iter()
            .any(|effect| matches!(effect, Effect::Watch { .. }))
    );
}

#[test]
fn what_another_program_changed_is_looked_for_at_r_and_at_another_tab() {
    let looks = |effects: &[Effect]| {
        let look = |effect: &&Effect| matches!(effect, Effect::LookForChanges { .. });
        effects.iter().filter(look).count()
    };
    let mut model = model(2);
    assert_eq!(looks(&send(&mut model, Event::Started)), 1);
    assert_eq!(looks(&press(&mut model, KeyCode::Char('r'))), 1);
    assert_eq!(looks(&press(&mut model, KeyCode::Char('3'))), 1);
    assert_eq!(looks(&press(&mut model, KeyCode::Char('3'))), 0);
    // By itself the dashboard does not look.
    let mut model = super::model(0);
    send(&mut model, Event::Started);
    assert_eq!(looks(&send(&mut model, Event::Now(NOW + 500.0))), 0);
    assert_eq!(looks(&send(&mut model, Event::ArchiveWritten)), 1);
}

#[test]
fn what_another_program_changed_is_taken_over() {
    let mut model = model(3);
    press(&mut model, KeyCode::Char('2'));
    press(&mut model, KeyCode::Char('1'));
    let mut list = archived(4);
    // The second is gone, the third has another name, a fourth is new; the open
    // first one was taken off and stays, shown only.
    list.remove(1);
    list.remove(0);
    list[0].label = Some("new name".to_owned());
    let effects = changed(&mut model, 0, list);
    let mut names = rows(&model);
    names.sort();
    assert_eq!(names, ["buoy 0", "buoy 3", "new name"]);
    let loads = |effect: &Effect| matches!(effect, Effect::LoadStored { deployment, .. } if *deployment == uuid(3));
    assert!(effects.iter().any(loads), "{effects:?}");
    assert_eq!(model.deployments.open, Some(uuid(0)));
}

#[test]
fn what_was_read_before_an_edit_is_read_again_and_the_edit_stays() {
    let mut model = model(2);
    let before = archived(2);
    next_platform(&mut model);
    let platform = model.deployments.list[0].deployment.platform;
    let effects = changed(&mut model, 0, before);
    assert_eq!(
        effects,
        [Effect::LookForChanges {
            edits: 1,
            again: true
        }]
    );
    assert_eq!(model.deployments.list[0].deployment.platform, platform);
}

#[test]
fn a_question_that_the_screen_has_no_room_for_is_not_answered_unseen() {
    let mut model = model(2);
    press(&mut model, KeyCode::Char('D'));
    seen(&mut model);
    send(&mut model, Event::Now(NOW + 1.0));
    let resized = |width, height| Event::Resized {
        width,
        height,
        cell_aspect: 2.0,
    };
    send(&mut model, resized(40, 12));
    assert_eq!(press(&mut model, KeyCode::Char('y')), []);
    assert_eq!((model.deployments.list.len(), model.dialogs.len()), (2, 1));
    send(&mut model, resized(80, 24));
    press(&mut model, KeyCode::Char('y'));
    assert_eq!((model.deployments.list.len(), model.dialogs.len()), (1, 0));
    // Esc closes it at any size.
    press(&mut model, KeyCode::Char('D'));
    send(&mut model, resized(40, 12));
    press(&mut model, KeyCode::Esc);
    assert!(model.dialogs.is_empty());
}
