//! Frames, titles, positions, footer, messages and the width of dialogs.

use crate::dashboard::tab::{Pane, TabId};
use crate::dashboard::tests::screens::*;
use crate::failure::FailureKind;
use crate::track::Flag;

pub(super) fn can() -> Capabilities {
    Capabilities::default()
}

/// Words of a screen without its frames, each separated by one blank.
pub(super) fn words(shown: &str) -> String {
    let letters: String = shown
        .chars()
        .map(|c| {
            if "┃│┏┓┗┛━─╭╮╰╯\"".contains(c) {
                ' '
            } else {
                c
            }
        })
        .collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words within the frame of a dialog.
pub(super) fn of_dialog(shown: &str) -> String {
    let inside = shown.lines().filter_map(|line| line.rsplit('┃').nth(1));
    words(&inside.collect::<Vec<_>>().join(" "))
}

pub(super) fn with_track() -> Dashboard {
    let mut model = model();
    press(&mut model, KeyCode::Enter);
    model
}

#[test]
fn a_title_tells_sort_order_and_position_and_how_much_a_filter_hides() {
    let mut model = model();
    keys(&mut model, "gj");
    let shown = screen(&mut model, 100, 30, can());
    assert!(shown.contains("by status ▾  2 of 3 ━┓"), "{shown}");
    keys(&mut model, "s&buoy");
    press(&mut model, KeyCode::Enter);
    let shown = screen(&mut model, 100, 30, can());
    assert!(
        shown.contains("by deployment ▴  1 of 1, 3 in all"),
        "{shown}"
    );
}

#[test]
fn a_track_opened_from_the_list_fills_its_table_and_shows_the_cursor() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        screen(&mut model, width, height, can());
        press(&mut model, KeyCode::Enter);
        let (table, rows) = (model.table(), usize::from(model.layout().rows.height));
        assert!(
            table.top + rows >= model.rows(),
            "{width}x{height}: {table:?}"
        );
        assert!(
            (table.top..table.top + rows).contains(&table.cursor),
            "{width}x{height}: {table:?}"
        );
    }
}

#[test]
fn a_bar_on_the_frame_shows_which_part_of_a_long_table_is_visible() {
    let mut model = with_track();
    let bar = |model: &mut Dashboard| -> Vec<usize> {
        let shown = screen(model, 100, 30, can());
        let rows = model.layout().rows;
        let frame = model.layout().frame(crate::dashboard::tab::Pane::Table);
        let column = usize::from(frame.x + frame.width);
        let lines = shown.lines().enumerate().skip(usize::from(rows.y));
        lines
            .take(usize::from(rows.height))
            // A quotation mark is before each line.
            .filter(|(_, line)| line.chars().nth(column) == Some('█'))
            .map(|(line, _)| line - usize::from(rows.y))
            .collect()
    };
    let last = bar(&mut model);
    assert_eq!(
        last.last(),
        Some(&(usize::from(model.layout().rows.height) - 1))
    );
    keys(&mut model, "g");
    assert_eq!(bar(&mut model).first(), Some(&0));
    // A table that is shown as a whole needs none.
    keys(&mut model, "1");
    assert!(!screen(&mut model, 100, 30, can()).contains('█'));
}

/// `true` if the pane with this title, behind a name or not, has heavy lines.
pub(super) fn has_heavy_frame(shown: &str, title: &str) -> bool {
    let mut lines = shown.lines();
    let before = lines.find_map(|line| Some(line.split_once(&format!(" {title} "))?.0));
    let stroke = before.and_then(|before| before.chars().rev().find(|it| "━─".contains(*it)));
    stroke == Some('━')
}

#[test]
fn the_name_of_the_instrument_is_in_its_panes_whatever_the_message_and_the_size() {
    let mut model = with_track();
    let name = model.open_deployment().unwrap().name();
    for (width, height) in [(60, 16), (80, 24), (100, 30), (160, 48)] {
        for pane in [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary] {
            for full in [false, true] {
                for message in [
                    "",
                    "a message that is longer than any screen is wide "
                        .repeat(9)
                        .as_str(),
                ] {
                    model.messages.notice = None;
                    if !message.is_empty() {
                        model.warn(message);
                    }
                    (model.screen.pane, model.screen.full) = (pane, full);
                    let shown = screen(&mut model, width, height, can());
                    let titles = shown.lines().skip(2);
                    let named =
                        titles.filter(|line| line.contains(&name) && line.contains(['━', '─']));
                    assert!(named.count() > 0, "{width} {pane:?} {full}: {shown}");
                }
            }
        }
    }
}

#[test]
fn the_focus_shows_by_weight_and_the_footer_follows_it() {
    let mut model = with_track();
    let mut seen = std::collections::HashSet::new();
    for title in ["Fixes", "Map", "Speed over ground", "Summary"] {
        for size in [(100, 30), (80, 24)] {
            let shown = screen(&mut model, size.0, size.1, can());
            let shown = shown.replace("SOG kn", "Speed over ground");
            for other in ["Fixes", "Map", "Speed over ground", "Summary"] {
                let heavy = has_heavy_frame(&shown, other);
                assert_eq!(heavy, other == title, "{other} while {title}: {shown}");
            }
        }
        let shown = screen(&mut model, 100, 30, can());
        seen.insert(shown.lines().last().map(str::to_owned));
        keys(&mut model, "w");
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn a_dialog_has_its_own_keys_in_the_footer() {
    for (opened, footer) in [
        ("1a", "Enter add  Ctrl-U empty  Esc cancel"),
        ("2E", "Tab next format  Down which fixes  Enter write"),
        ("3n", "Enter next field  Esc cancel"),
        ("?", "Esc close"),
        ("1&x", "Enter keep  Esc clear"),
        ("1/x", "Enter go  Esc back"),
    ] {
        let mut model = model();
        keys(&mut model, opened);
        let shown = screen(&mut model, 80, 24, can());
        let last = shown.lines().last().unwrap_or_default();
        assert!(last.contains(footer), "{opened}: {last}");
        assert!(!last.contains("quit"), "{opened}: {last}");
    }
}

#[test]
fn no_word_of_a_dialog_is_cut() {
    let question = "50.1,-144.5,5km; or 300m alone: around the latest fix";
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        keys(&mut model, "e");
        for _ in 0..3 {
            press(&mut model, KeyCode::Down);
        }
        let shown = screen(&mut model, width, height, can());
        let inside: String = shown
            .lines()
            .filter_map(|line| {
                let (_, line) = line.split_once("┃ ")?;
                let line = line.rsplit_once(" ┃")?.0;
                Some(format!("{line} "))
            })
            .collect();
        let whole = words(&inside).contains(question) || words(&shown).contains(question);
        assert!(whole, "{width}x{height}: {shown}");
        if width == 160 {
            assert!(shown.contains(question), "it has room on one line: {shown}");
        }
    }
}

#[test]
fn help_begins_with_the_keys_of_its_tab() {
    for (tab, first) in [("1", "Deployments"), ("2", "Track"), ("3", "Plants")] {
        let mut model = model();
        keys(&mut model, tab);
        keys(&mut model, "?");
        let shown = words(&screen(&mut model, 80, 24, can()));
        let rest = shown.split_once(" search ").map_or("", |(_, rest)| rest);
        let place = |word: &str| rest.find(word).unwrap_or(usize::MAX);
        assert!(place(first) < place("Everywhere"), "{tab}: {shown}");
    }
}

#[test]
fn help_on_the_list_of_alarms_begins_with_its_keys() {
    let mut model = model();
    keys(&mut model, "A?");
    let shown = words(&screen(&mut model, 80, 24, can()));
    let (_, rest) = shown.split_once(" search ").unwrap();
    let place = |word: &str| rest.find(word).unwrap_or(usize::MAX);
    assert!(
        place("Acknowledge the alarm") < place("Deployments"),
        "{shown}"
    );
}

#[test]
fn a_message_leaves_the_footer_and_ends_with_the_next_action() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        keys(&mut model, "u");
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains("units: "), "{shown}");
        assert!(
            shown
                .lines()
                .last()
                .is_some_and(|line| line.contains("q quit"))
        );
        keys(&mut model, "j");
        let shown = screen(&mut model, width, height, can());
        assert!(!shown.contains("units: "), "{width}x{height}: {shown}");
        keys(&mut model, "u");
        update(&mut model, Event::Now(NOW + 4.1));
        let shown = screen(&mut model, width, height, can());
        assert!(!shown.contains("units: "), "{width}x{height}: {shown}");
    }
}

#[test]
fn a_long_warning_is_cut_stays_while_the_cursor_moves_and_is_whole_by_a_key() {
    let reason = "the archive cannot be written: there is no space left on the device that holds it; free some and press r to fetch again";
    let mut model = model();
    let failure = Failure::new(FailureKind::Other, reason, "");
    update(&mut model, Event::Warning(failure));
    keys(&mut model, "jk");
    for (width, height) in [(100, 30), (60, 16)] {
        let shown = screen(&mut model, width, height, can());
        let line = shown.lines().nth(1).unwrap_or_default();
        assert!(line.contains("the archive cannot"), "{line}");
        assert!(line.contains("…  ! "), "{line}");
    }
    keys(&mut model, "!");
    for (width, height) in [(100, 30), (60, 16)] {
        let shown = of_dialog(&screen(&mut model, width, height, can()));
        assert!(shown.contains(reason), "{width}x{height}: {shown}");
    }
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Esc);
    assert!(!words(&screen(&mut model, 60, 16, can())).contains("the archive"));
    // It can be read again when it is gone.
    keys(&mut model, "!");
    assert!(of_dialog(&screen(&mut model, 60, 16, can())).contains(reason));
}

#[test]
fn on_the_narrowest_screen_the_name_and_the_found_rows_stand_in_titles() {
    let mut model = with_track();
    let name = model.deployments.get(model.deployments.open.unwrap());
    let name = name.unwrap().name();
    let shown = screen(&mut model, 60, 16, can());
    let title = format!(" {} ", crate::text::clean(&name));
    assert!(shown.contains(&title), "{shown}");
    keys(&mut model, "1/buoy");
    press(&mut model, KeyCode::Enter);
    // The message of the search ends, what was found stays.
    update(&mut model, Event::Now(NOW + 60.0));
    let shown = screen(&mut model, 60, 16, can());
    assert!(shown.contains("match 1 of 1"), "{shown}");
}

#[test]
fn help_cuts_no_label_on_any_screen() {
    for (width, height) in [(60, 16), (80, 24), (160, 48)] {
        let mut model = model();
        keys(&mut model, "?");
        let labels: Vec<_> = model.screen.keymap.bindings().to_vec();
        for binding in labels {
            keys(&mut model, binding.label);
            let shown = screen(&mut model, width, height, can());
            assert!(shown.contains(binding.label), "{shown}");
            update(&mut model, Event::Key(Key::ctrl('u')));
        }
    }
}

#[test]
fn messages_name_the_keys_of_the_settings() {
    let changed = [
        ("deployments.undo", vec!["Q".to_owned()]),
        ("deployments.add-deployment", vec!["f9".to_owned()]),
    ];
    let keymap = crate::dashboard::keymap::Keymap::with_keys(
        changed.iter().map(|(name, keys)| (*name, keys.as_slice())),
    );
    let keymap = Arc::new(keymap.unwrap());
    let mut model = model();
    model.screen.keymap = Arc::clone(&keymap);
    keys(&mut model, "D");
    let shown = words(&screen(&mut model, 100, 30, can()));
    assert!(shown.contains("Q restores it"), "{shown}");
    let mut model = opened(Vec::new(), NOW);
    model.screen.keymap = keymap;
    let shown = screen(&mut model, 100, 30, can());
    assert!(shown.contains("Press F9 and paste"), "{shown}");
}

#[test]
fn of_a_recovered_deployment_no_report_is_missed() {
    let mut model = model();
    let missed = |model: &mut Dashboard| screen(model, 160, 48, can()).contains('▯');
    assert!(missed(&mut model));
    for one in &mut model.deployments.list {
        one.deployment.state = crate::track::DeclaredState::Recovered;
    }
    assert!(!missed(&mut model));
}

#[test]
fn a_tiny_screen_tells_status_name_and_age() {
    for (width, height) in [(20, 5), (40, 10), (59, 15)] {
        // The worst is the first until another is chosen.
        let mut model = model();
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("✖ lost"), "{shown}");
        assert!(
            shown.contains("buoy") && shown.contains("11 d 13 h ago"),
            "{shown}"
        );
        press(&mut model, KeyCode::Enter);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("✖ lost"), "{shown}");
    }
    let mut model = model();
    let shown = words(&screen(&mut model, 40, 10, can()));
    assert!(
        shown.contains("driftline needs 60x16; this is 40x10"),
        "{shown}"
    );
}

#[test]
fn an_open_tracks_name_is_whole_where_the_tabs_leave_no_room() {
    let mut model = model();
    let uuid = model.deployments.list[0].deployment.id.uuid;
    keys(&mut model, "e");
    press(&mut model, KeyCode::Esc);
    let name = "Survey launch, Plymouth";
    for one in &mut model.deployments.list {
        if one.deployment.id.uuid == uuid {
            one.deployment.label = Some(name.to_owned());
        }
    }
    keys(&mut model, "sg");
    while model.selected().unwrap().deployment.id.uuid != uuid {
        press(&mut model, KeyCode::Down);
    }
    press(&mut model, KeyCode::Enter);
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let shown = screen(&mut model, width, height, can());
        assert!(shown.contains(name), "{width}x{height}: {shown}");
    }
}

#[test]
fn a_request_names_its_deployment_and_its_detail_is_printed_once() {
    let url = format!(
        "https://service.example/api/public/deployment/data/{}",
        Uuid::from_u128(0)
    );
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut model = model();
        let exchange = Exchange {
            id: 9,
            started_at: NOW - 1.0,
            method: "GET",
            url: url.clone(),
            status: Some(401),
            duration_s: 0.044,
            bytes: 42,
            outcome: ExchangeOutcome::Failed(
                "401 Unauthorized: error 17, token expired".to_owned(),
            ),
            retry_in_s: None,
            subject: Some(crate::exchange::Subject::Deployment(Uuid::from_u128(0))),
            attempt: crate::exchange::Attempt { number: 1, most: 3 },
        };
        update(&mut model, Event::Exchange(exchange));
        keys(&mut model, "4");
        let shown = screen(&mut model, width, height, can());
        let row = shown.lines().find(|line| line.contains("401")).unwrap();
        assert!(row.contains("ice 7"), "{width}x{height}: {shown}");
        let plain = words(&shown);
        assert!(
            plain.contains("401 Unauthorized: error 17, token expired"),
            "{shown}"
        );
        if width == 160 {
            // The end of the address tells deployments apart.
            assert!(row.contains("00000000000"), "{row}");
            assert!(row.contains("https://"), "{row}");
        }
        if height > 16 {
            let joined: String = plain.split(' ').collect();
            assert!(joined.contains(&url), "{width}x{height}: {shown}");
        }
    }
}

#[test]
fn the_columns_of_the_settings_are_shown_in_their_order_and_pairs_whole() {
    let mut model = with_track();
    let mut show = |tab, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let columns = model.screen.columns.named(tab, &names).unwrap();
        model.screen.columns.show(tab, columns);
    };
    show(TabId::Deployments, &["position", "deployment", "fixes"]);
    show(TabId::Track, &["SOG COG", "position", "time"]);
    let shown = words(&screen(&mut model, 100, 30, can()));
    let order = "SOG COG latitude longitude time UTC";
    assert!(shown.contains(order), "{shown}");
    keys(&mut model, "1");
    let shown = words(&screen(&mut model, 100, 30, can()));
    assert!(shown.contains("position deployment fixes"), "{shown}");
    // The column of the status is not shown, and its mark neither.
    assert!(!shown.contains("last fix SOG"), "{shown}");
}

#[test]
fn latitude_and_longitude_and_speed_and_course_are_shown_together_or_not_at_all() {
    for width in 60..=170 {
        let mut model = with_track();
        let shown = screen(&mut model, width, 24, can());
        let heading = shown.lines().find(|line| line.contains("time UTC"));
        let heading = heading.unwrap_or_default();
        for (one, other) in [("latitude", "longitude"), (" SOG", " COG")] {
            assert_eq!(heading.contains(one), heading.contains(other), "{shown}");
        }
    }
}

#[test]
fn the_header_counts_what_needs_attention_on_every_tab() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        for tab in "1234".chars() {
            let mut model = model();
            keys(&mut model, &tab.to_string());
            let shown = screen(&mut model, width, height, can());
            let header = shown.lines().next().unwrap_or_default();
            let words = "✖ 1 lost";
            let of = match width {
                60 => "● 1 of 3 ",
                _ => "● 1 of 3 on time",
            };
            assert!(header.contains(of), "{width} {tab}: {header}");
            assert!(header.contains(words), "{width} {tab}: {header}");
            assert!(header.contains("UTC"), "{width} {tab}: {header}");
            let connection = Failure::new(
                FailureKind::Unreachable,
                "the service at service.example cannot be reached: connection refused",
                "",
            );
            model.service.connection = Connection::Failing(connection, NOW);
            let shown = screen(&mut model, width, height, can());
            let header = shown.lines().next().unwrap_or_default();
            assert!(header.contains(words), "{header}");
            assert!(header.contains("✖ the ser"), "{header}");
        }
        let mut model = model();
        model
            .deployments
            .list
            .retain(|one| one.name() != "北海 buoy");
        let shown = screen(&mut model, width, height, can());
        let header = shown.lines().next().unwrap_or_default();
        assert!(!header.contains('✖'), "{header}");
    }
}

#[test]
fn the_reason_of_a_flag_is_whole_beside_its_time() {
    for (width, height) in [(100, 30), (80, 24), (60, 16)] {
        let mut model = with_track();
        let track = shown_track(&model);
        let failed = (0..track.len()).find(|&n| track.fix(n).unwrap().flag == Flag::Fail);
        let reason = track
            .reason_in(failed.unwrap(), model.settings.units)
            .into_owned();
        model.tabs.track.follow = false;
        model.tabs.track.cursor = failed.unwrap();
        let shown = screen(&mut model, width, height, can());
        let line = shown.lines().find(|line| line.contains("cursor "));
        let line = line.unwrap_or_default();
        assert!(line.contains(&format!("✗ {reason}")), "{width}: {shown}");
    }
}
