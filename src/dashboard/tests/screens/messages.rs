//! Messages and the state of the connection if there is little room.

use super::frames::{can, with_track};
use crate::alarm::{Alarm, Kind};
use crate::dashboard::dialogs::Dialog;
use crate::dashboard::tests::FetchNews;
use crate::dashboard::tests::screens::*;
use crate::exchange::Progress;

const SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

fn header(shown: &str) -> &str {
    shown.lines().next().unwrap_or_default()
}

fn footer(shown: &str) -> &str {
    shown.lines().last().unwrap_or_default()
}

#[test]
fn the_key_that_undoes_a_change_is_read_at_every_size() {
    for (width, height) in SIZES {
        let mut model = model();
        let name = "Ice drifter, Arctic Ocean, of 2026 A";
        model.deployments.list[0].deployment.label = Some(name.to_owned());
        screen(&mut model, width, height, can());
        keys(&mut model, "gjj");
        let uuid = model.selected().unwrap().deployment.id.uuid;
        keys(&mut model, "D");
        screen(&mut model, width, height, can());
        seen(&mut model);
        update(&mut model, Event::Now(NOW + 3.0));
        keys(&mut model, "y");
        assert!(model.deployments.get(uuid).is_none(), "{width}");
        let shown = screen(&mut model, width, height, can());
        let has = shown.contains("U restore");
        assert!(has, "{width}x{height}: {shown}");
        // What was removed can be told from its neighbours.
        assert!(footer(&shown).contains("Ice") || shown.lines().nth(1).unwrap().contains("Ice"));
    }
}

#[test]
fn the_path_of_a_written_file_keeps_its_start_and_its_name() {
    for (width, height) in SIZES {
        let mut model = model();
        keys(&mut model, "gjj");
        screen(&mut model, width, height, can());
        keys(&mut model, "E");
        let asked = update(&mut model, Event::Key(Key::plain(KeyCode::Enter)));
        let request = asked.iter().find_map(|effect| match effect {
            Effect::Export { request, .. } => Some(*request),
            _ => None,
        });
        let written = crate::formats::WrittenFile {
            path: "/home/ana/cruises/PS142/exports/ice_7.csv".to_owned(),
            fixes: 1326,
            bytes: 120_000,
        };
        let event = Event::Exported {
            request: request.unwrap(),
            outcome: Ok(written),
        };
        update(&mut model, event);
        let shown = screen(&mut model, width, height, can());
        let start = match width {
            60 => "ice_7.csv: 1,326",
            _ => "/home",
        };
        let line = shown.lines().find(|line| line.contains("ice_7.csv"));
        let line = line.unwrap_or_else(|| panic!("no name of the file: {shown}"));
        assert!(line.contains(start), "{shown}");
    }
}

#[test]
fn a_refused_connection_is_told_before_the_host() {
    for (width, height) in SIZES {
        let mut model = model();
        let failure = Failure {
            short: "refused 127.0.0.1:8080".to_owned(),
            ..Failure::new(
                FailureKind::Unreachable,
                "127.0.0.1 refused the connection on port 8080",
                "",
            )
        };
        model.service.connection = Connection::Failing(failure, NOW);
        let shown = screen(&mut model, width, height, can());
        let told = match width {
            ..=100 => "✖ refused 127",
            _ => "✖ 127.0.0.1 refused the connection on port 8080",
        };
        assert!(header(&shown).contains(told), "{}", header(&shown));
    }
}

#[test]
fn the_share_of_a_running_download_is_in_the_header_at_every_size() {
    for (width, height) in SIZES {
        let mut model = model();
        for one in &mut model.deployments.list {
            one.track.loading = None;
        }
        let asked = update(&mut model, Event::Key(Key::plain(KeyCode::Char('r'))));
        let loading = model.deployments.loading();
        let others: Vec<Uuid> = loading
            .skip(1)
            .map(|(one, _)| one.deployment.id.uuid)
            .collect();
        for one in &mut model.deployments.list {
            if others.contains(&one.deployment.id.uuid) {
                one.track.loading = None;
            }
        }
        assert!(!asked.is_empty());
        let request = model.deployments.loading().next().unwrap().1.request;
        let exchange = Exchange {
            outcome: ExchangeOutcome::UnderWay,
            ..model.tabs.activity.all[0].exchange.clone()
        };
        let progress = Progress {
            exchange: exchange.id,
            bytes: 945_000,
            total: Some(2_100_000),
            ..Progress::default()
        };
        update(&mut model, Event::Exchange(exchange));
        update(&mut model, Event::Progress { request, progress });
        update(&mut model, Event::Now(NOW + 10.0));
        let shown = screen(&mut model, width, height, can());
        assert!(header(&shown).contains("45 %"), "{}", header(&shown));
    }
}

#[test]
fn the_tabs_keep_their_names_beside_an_alarm_at_100_columns() {
    for (width, height) in SIZES {
        let mut model = model();
        screen(&mut model, width, height, can());
        let uuid = model.deployments.list[0].deployment.id.uuid;
        let outside = crate::testing::dashboard::alarm("1", Some(uuid), Kind::Outside, NOW, 900.0);
        let seen_at = NOW + 1.0;
        update(
            &mut model,
            Event::Alarms(vec![Alarm { seen_at, ..outside }]),
        );
        let shown = screen(&mut model, width, height, can());
        let line = shown.lines().nth(1).unwrap();
        assert!(line.contains("4 Activity") || width != 100, "{line}");
        // The row has its kind.
        let words = if width < 80 {
            "A alarms  ice 7"
        } else {
            "A alarms  ice 7: outside"
        };
        assert!(line.contains(words), "{line}");
    }
}

/// What a refresh says, if the responses of this many deployments cannot be stored.
fn said_of_refresh(unstored: usize) -> String {
    let mut model = model();
    screen(&mut model, 160, 48, can());
    let asked = update(&mut model, Event::Key(Key::plain(KeyCode::Char('r'))));
    let mut ended = 0;
    for effect in asked {
        let Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { deployment, .. },
            ..
        }) = effect
        else {
            continue;
        };
        let row = model.deployments.get(deployment.uuid).unwrap();
        let loaded = row.track.loaded().cloned().unwrap();
        assert!(said(&model).starts_with("loading"));
        let mut event = updated((request, deployment.uuid), Ok(loaded));
        if ended < unstored
            && let Event::Fetch(_, FetchNews::Ended { outcome, .. }) = &mut event
        {
            let full = Failure::new(FailureKind::Other, "the disk is full", "");
            outcome.as_mut().unwrap().unstored = Some(full);
        }
        ended += 1;
        update(&mut model, event);
    }
    said(&model).to_owned()
}

#[test]
fn a_refresh_says_what_it_found_and_what_could_not_be_stored() {
    assert_eq!(said_of_refresh(0), "asked 3: none new");
    assert_eq!(
        said_of_refresh(2),
        "asked 3: 2 not stored: the disk is full"
    );
}

#[test]
fn every_message_of_a_key_is_whole_at_80_and_100_columns() {
    for (width, height) in [(80, 24), (100, 30)] {
        for tab in ["1", "2", "3", "4"] {
            let mut before = with_track();
            for (number, row) in (1..).zip(&mut before.deployments.list) {
                row.deployment.label =
                    Some(format!("Elephant seal {number} of the Kerguelen Plateau"));
            }
            screen(&mut before, width, height, can());
            keys(&mut before, tab);
            let keymap = before.screen.keymap.clone();
            let all = keymap.bindings().iter().flat_map(|binding| &binding.keys);
            // A key without an action, and one of another tab.
            let all = all.copied().chain([Key::plain(KeyCode::Char('\u{e4}'))]);
            for key in all {
                let mut model = before.clone();
                for _ in 0..2 {
                    update(&mut model, Event::Key(key));
                    model.dialogs.clear();
                    let Some(notice) = model.messages.notice.clone() else {
                        continue;
                    };
                    let shown = screen(&mut model, width, height, can());
                    let line = shown.lines().nth(1).unwrap();
                    let short = [&notice.text, &notice.short]
                        .into_iter()
                        .any(|words| !words.is_empty() && line.contains(words.trim()));
                    assert!(short, "{width} {tab} {}: {notice:?}\n{line}", key.name());
                }
            }
        }
    }
}

#[test]
fn a_message_with_a_short_form_shows_it_whole_and_the_rest_by_a_key() {
    use crate::dashboard::widgets::text::Text;
    let mut model = model();
    let long = "the end of it is far ".repeat(9);
    model.notify(Text::from(long.clone()).or("the short form of it"));
    let shown = screen(&mut model, 80, 24, can());
    let line = shown.lines().nth(1).unwrap();
    assert!(line.contains("the short form of it  ! more"), "{line}");
    keys(&mut model, "!");
    let Some(Dialog::Message(message)) = model.dialogs.last() else {
        panic!("no message");
    };
    assert_eq!(message.text, long);
}
