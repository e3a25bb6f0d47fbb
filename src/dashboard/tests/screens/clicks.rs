//! Clicks on headings, on the keys of the footer and next to a dialog.

use crate::alarm::Kind;
use crate::dashboard::dialogs::Dialog;
use crate::dashboard::key::{Mouse, MouseKind};
use crate::dashboard::tab::TabId;
use crate::dashboard::tests;
use crate::dashboard::tests::screens::*;
use crate::mapping::{Mapping, Service};
use crate::track::{DeploymentSort, TrackSort};
use crate::watch::DeploymentId;
use crate::watch::listed::{DeploymentList, ListedDeployment};

/// Draws a frame of 100x30 and presses the mouse at the first cell of these
/// words on it.
fn click(model: &mut Dashboard, words: &str) -> Vec<Effect> {
    let shown = drawn(model);
    let (row, line) = (0u16..)
        .zip(shown.lines())
        .find(|(_, line)| line.contains(words))
        .unwrap_or_else(|| panic!("{words:?} is not on\n{shown}"));
    let before = line.split(words).next().unwrap().chars().count();
    // A quotation mark is before each line.
    click_at(model, u16::try_from(before).unwrap() - 1, row)
}

fn click_at(model: &mut Dashboard, column: u16, row: u16) -> Vec<Effect> {
    let kind = MouseKind::Press;
    let press = Mouse { kind, column, row };
    update(model, Event::Mouse(press))
}

/// Draws a frame and tells the model what a click hits on it.
fn drawn(model: &mut Dashboard) -> String {
    let shown = screen(model, 100, 30, Capabilities::default());
    let (mut memory, theme) = (Memory::default(), Theme::new(Capabilities::default()));
    let mut terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
    terminal
        .draw(|frame| {
            draw(frame.buffer_mut(), model, theme, &mut memory);
        })
        .unwrap();
    model.frame_shown(std::mem::take(&mut memory.targets));
    shown
}

#[test]
fn a_click_on_a_heading_sorts_by_it_and_a_second_one_reverses() {
    let mut model = model();
    click(&mut model, "last fix");
    assert_eq!(model.tabs.deployments.sort.column, DeploymentSort::Age);
    assert!(!model.tabs.deployments.is_descending());
    click(&mut model, "last fix▴");
    assert_eq!(model.tabs.deployments.sort.column, DeploymentSort::Age);
    assert!(model.tabs.deployments.is_descending());
    click(&mut model, "SOG   COG");
    assert_eq!(model.tabs.deployments.sort.column, DeploymentSort::Speed);
    click(&mut model, "reports");
    assert_eq!(model.tabs.deployments.sort.column, DeploymentSort::Speed);
    assert!(said(&model).contains("cannot"));

    keys(&mut model, "2www");
    click(&mut model, "latitude");
    assert_eq!(model.tabs.track.arrangement.sort, TrackSort::Latitude);
    assert!(!model.tabs.track.arrangement.descending);
    click(&mut model, "latitude▴");
    assert!(model.tabs.track.arrangement.descending);
}

#[test]
fn a_click_on_the_count_of_failed_fixes_shows_them() {
    let mut model = super::alarms::with_alarms();
    keys(&mut model, "A");
    press(&mut model, KeyCode::Enter);
    let all = model.rows();
    let effects = click(&mut model, "1 failed");
    crate::dashboard::tests::carry_out(&mut model, effects);
    assert_eq!(model.filter(), "flag:fail");
    assert_eq!((all, model.rows()), (61, 1));
}

#[test]
fn a_click_on_a_count_of_the_header_shows_what_it_counts() {
    let mut model = model();
    click(&mut model, "✖ 1 lost");
    assert_eq!(model.filter(), "status:lost");
    assert_eq!(model.tabs.deployments.order.len(), 1);
    keys(&mut model, "4");
    click(&mut model, "◐ 1 late");
    assert_eq!(model.screen.tab, TabId::Deployments);
    assert_eq!(model.filter(), "status:late");
    // Of those that are on time the whole list, with the others above them.
    click(&mut model, "● 1 of 3 on time");
    assert_eq!(model.filter(), "");
    assert_eq!(model.tabs.deployments.order.len(), 3);
    let uuid = model.deployments.list[0].deployment.id.uuid;
    let overdue = crate::testing::dashboard::alarm("2b8d1z", Some(uuid), Kind::Overdue, NOW, 900.0);
    update(&mut model, Event::Alarms(vec![overdue]));
    click(&mut model, "⚑ 1 alarm");
    assert!(matches!(model.dialogs.last(), Some(Dialog::Alarms(_))));
}

#[test]
fn a_click_on_a_key_of_the_footer_does_what_it_says() {
    let mut model = model();
    click(&mut model, "help  q quit");
    assert_eq!(model.dialogs.len(), 1);
    click(&mut model, "Esc close");
    assert!(model.dialogs.is_empty());
    click(&mut model, "Enter open");
    assert_eq!(model.screen.tab, TabId::Track);
    assert_eq!(click(&mut model, "quit"), [Effect::Quit]);
}

#[test]
fn a_click_on_a_row_of_what_the_service_lists_moves_the_cursor_there() {
    let mut model = model();
    let service = "https://service.example/clicked";
    model.service.remote = Some(Service {
        name: service.to_owned(),
        mapping: Mapping::default(),
    });
    let effects = tests::press(&mut model, KeyCode::F(4));
    let [Effect::ReadList(request)] = effects[..] else {
        panic!("{effects:?}")
    };
    let listed = |id: &str| ListedDeployment {
        id: id.to_owned(),
        ..ListedDeployment::default()
    };
    let outcome = Ok(DeploymentList {
        deployments: ["b1", "b2", "b3"].map(listed).to_vec(),
        ..DeploymentList::default()
    });
    update(&mut model, Event::Listed { request, outcome });
    // A click on the search moves nothing.
    for words in ["b3", "find "] {
        assert_eq!(click(&mut model, words), []);
    }
    let effects = tests::press(&mut model, KeyCode::Enter);
    let added = effects.iter().find_map(|effect| match effect {
        Effect::Watch { after, .. } => Some(after.id.uuid),
        _ => None,
    });
    assert_eq!(added, Some(DeploymentId::new(service, "b3").uuid));
}

#[test]
fn a_click_beside_a_dialog_closes_it_and_confirms_nothing() {
    let mut model = model();
    for key in ["D", "e", "?", ":", "a"] {
        keys(&mut model, key);
        drawn(&mut model);
        assert_eq!(click_at(&mut model, 50, 14), []);
        assert_eq!(model.dialogs.len(), 1, "{key}: a click within it");
        drawn(&mut model);
        assert_eq!(click_at(&mut model, 1, 1), []);
        assert!(model.dialogs.is_empty(), "{key}: a click beside it");
        assert_eq!(model.screen.tab, TabId::Deployments);
    }
    keys(&mut model, "D");
    seen(&mut model);
    update(&mut model, Event::Now(NOW + 5.0));
    assert_eq!(click(&mut model, "y remove"), []);
    assert_eq!(model.dialogs.len(), 1, "a click does not remove");
    assert_eq!(model.deployments.list.len(), 3);
}
