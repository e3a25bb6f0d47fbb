//! Rows, words, order and proposals of the plants.

use ratatui::buffer::Buffer;

use super::*;
use crate::dashboard::canvas::Memory;
use crate::dashboard::layout::Arrangement;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::rows::{answers, arrange};
use crate::dashboard::theme::Capabilities;
use crate::plant::log::Outcome as Came;
use crate::testing::dashboard::opened;
use crate::testing::plant;
use crate::track::query::{Query, Reading};

/// A line of a plant of another id.
fn line(sequence: i64, id: &str, operation: Operation, outcome: Came) -> Entry {
    Entry {
        id: id.to_owned(),
        ..plant::outcome(sequence, operation, outcome)
    }
}

/// Nine, ten and a text exist, 7 was deleted, 8 is unknown, 6 was refused.
fn tab() -> PlantsTab {
    let (create, delete) = (Operation::Create, Operation::Delete);
    let mut tab = PlantsTab::new(Some(plant::service()));
    let mut refused = plant::line(6, create, plant::refused(400));
    refused.id = "6".to_owned();
    let lines = [
        line(1, "9", create, Came::Done),
        line(2, "7", create, Came::Done),
        line(3, "7", delete, Came::Done),
        line(4, "10", create, Came::Done),
        line(5, "8", create, Came::Unknown),
        refused,
        line(7, "wild rose", delete, Came::Unknown),
    ];
    tab.event(&Event::PlantLog(lines.to_vec()), &shared());
    arrange(&mut tab, None);
    tab
}

fn ids(tab: &PlantsTab) -> Vec<&str> {
    let shown = tab.rows.order.iter();
    shown.map(|row| tab.plants[*row].id.as_str()).collect()
}

fn query(text: &str) -> Query {
    let reading = Reading {
        wording: crate::track::Wording::default(),
        now: 0.0,
        speed_unit: crate::geo::units::SpeedUnit::default(),
        fields: vec!["id"],
        texts: PlantsTab::default().texts(),
        times: &|_| None,
    };
    Query::new(text, reading)
}

fn shared() -> Shared {
    let mut shared = opened(Vec::new(), 1.8e9).shell.shared;
    shared.screen.tab = TabId::Plants;
    shared
}

#[test]
fn rows_are_plants_and_the_title_counts_them() {
    let tab = tab();
    assert_eq!(ids(&tab), ["wild rose", "6", "8", "10", "7", "9"]);
    let titles = tab.titles();
    assert_eq!(
        titles[0],
        "Plants: 2 exist · 1 deleted · 2 unknown · 1 refused"
    );
    assert_eq!(titles[1], "Plant wild rose");
    assert_eq!(PlantsTab::default().titles()[0], "Plants: none known");
}

#[test]
fn words_states_tags_names_and_ids_find_plants() {
    let tab = tab();
    let found = |text: &str| -> Vec<&str> {
        let query = query(text);
        assert_eq!(query.fault, "", "{text}");
        let rows = (0..tab.len()).filter(|row| answers(&tab, *row, &query));
        rows.map(|row| tab.plants[row].id.as_str()).collect()
    };
    assert_eq!(found("state:exists"), ["10", "9"]);
    assert_eq!(found("state:unk"), ["wild rose", "8"]);
    assert_eq!(found("state=unknown"), ["wild rose", "8"]);
    assert_eq!(found("name=rose state=exists"), ["10", "9"]);
    assert_eq!(found("id=1"), [""; 0]);
    assert_eq!(found("id=10"), ["10"]);
    assert_eq!(found("id>8"), ["10", "9"]);
    assert_eq!(found("id<8"), ["6", "7"]);
    assert_eq!(found("name:rose state:exists"), ["10", "9"]);
    assert_eq!(found("tag:blue"), [""; 0]);
    assert_eq!(found("wild"), ["wild rose"]);
    assert_eq!(found("deleted"), ["7"]);
}

#[test]
fn a_plant_is_found_by_the_requests_that_its_row_shows() {
    let mut tab = PlantsTab::new(Some(plant::service()));
    let mut refused = plant::line(2, Operation::Create, plant::refused(409));
    refused.id = "9".to_owned();
    let lines = [
        line(1, "9", Operation::Create, Came::Done),
        refused,
        line(3, "10", Operation::Create, Came::Done),
    ];
    tab.event(&Event::PlantLog(lines.to_vec()), &shared());
    let rows = (0..tab.len()).filter(|row| answers(&tab, *row, &query("refused")));
    let found: Vec<&str> = rows.map(|row| tab.plants[row].id.as_str()).collect();
    assert_eq!(found, ["9"]);
}

#[test]
fn every_column_sorts_the_ids_as_numbers_before_texts() {
    let mut tab = tab();
    let columns = tab.columns();
    for column in columns {
        for is_reversed in [false, true] {
            (tab.rows.sort, tab.rows.is_reversed) = (column, is_reversed);
            arrange(&mut tab, None);
            assert_eq!(tab.rows.order.len(), 6, "{column}");
            let order = tab.rows.order.clone();
            for pair in order.windows(2).filter(|_| column != "since") {
                let order = tab.compare(column, pair[0], pair[1]);
                let wrong = if is_reversed {
                    Ordering::Less
                } else {
                    Ordering::Greater
                };
                assert_ne!(order, wrong, "{column}");
            }
        }
    }
    (tab.rows.sort, tab.rows.is_reversed) = ("id", false);
    arrange(&mut tab, None);
    assert_eq!(ids(&tab), ["6", "7", "8", "9", "10", "wild rose"]);
}

#[test]
fn the_next_id_is_above_those_that_were_created_or_may_have_been() {
    let proposed = |lines: &[(&str, Came)]| {
        let mut tab = PlantsTab::new(Some(plant::service()));
        let lines = (1..).zip(lines);
        let lines = lines.map(|(number, (id, came))| line(number, id, Operation::Create, *came));
        tab.event(&Event::PlantLog(lines.collect()), &shared());
        tab.proposed_id()
    };
    assert_eq!(proposed(&[]), "1");
    assert_eq!(proposed(&[("7", Came::Done), ("3", Came::Done)]), "8");
    assert_eq!(proposed(&[("7", Came::Done), ("9", Came::Unknown)]), "10");
    assert_eq!(proposed(&[("7", Came::Done), ("9", Came::Refused)]), "8");
    // What is known to be there is not proposed.
    let mut tab = PlantsTab::new(Some(plant::service()));
    let taken = Entry {
        id: "8".to_owned(),
        ..plant::line(2, Operation::Create, plant::refused(409))
    };
    let done = line(1, "7", Operation::Create, Came::Done);
    tab.event(&Event::PlantLog(vec![done, taken]), &shared());
    assert_eq!(tab.proposed_id(), "9");
    assert_eq!(proposed(&[("9223372036854775807", Came::Done)]), "");
    assert_eq!(proposed(&[("-5", Came::Done)]), "-4");
}

#[test]
fn marks_are_deleted_together_and_only_unknown_plants_are_asked_about() {
    let mut tab = tab();
    let mut shared = shared();
    let mut press = |tab: &mut PlantsTab, action| {
        let outcome = tab.key(action, &mut shared);
        arrange(tab, None);
        outcome
    };
    let delete = |ids: &[&str]| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        Outcome::Ask(Ask::Delete(ids))
    };
    assert_eq!(press(&mut tab, Action::DeletePlant), delete(&["wild rose"]));
    // The cursor stays, so that a second one takes the mark off.
    let marked = |said: &str| Outcome::Say(said.to_owned());
    let on_one = [(); 3].map(|()| press(&mut tab, Action::Mark));
    let one = "D deletes  1 marked; * marks all";
    assert_eq!(on_one, [one, "none is marked", one].map(marked));
    tab.rows.wanted = Some("6".to_owned());
    arrange(&mut tab, None);
    let said = press(&mut tab, Action::Mark);
    assert_eq!(said, marked("D deletes  2 marked; * marks all"));
    assert_eq!(
        press(&mut tab, Action::DeletePlant),
        delete(&["wild rose", "6"])
    );
    assert!(tab.dismiss() && !tab.dismiss());
    let mut resolve = |id: &str| {
        tab.rows.wanted = Some(id.to_owned());
        arrange(&mut tab, None);
        tab.key(Action::ResolvePlant, &mut shared)
    };
    let asked = |id: &str| Outcome::Ask(Ask::Resolve(id.to_owned()));
    assert_eq!(resolve("8"), asked("8"));
    assert_ne!(resolve("9"), asked("9"));
}

#[test]
fn all_shown_that_may_exist_are_marked_with_one_key_and_unmarked_with_the_same() {
    let mut tab = tab();
    let mut shared = shared();
    let mut mark_all = |filter: &str| {
        tab.rows.filter = query(filter);
        arrange(&mut tab, None);
        let Outcome::Say(said) = tab.key(Action::MarkAll, &mut shared) else {
            panic!("it says nothing");
        };
        let marked: Vec<&str> = tab.marked.iter().map(String::as_str).collect();
        (marked.join(" "), said)
    };
    for (filter, marked, said) in [
        ("state:exists", "10 9", "D deletes  2 marked"),
        (
            "",
            "10 8 9 wild rose",
            "D deletes  4 marked; 2 do not exist",
        ),
        ("state:exists", "8 wild rose", "D deletes  2 marked"),
        (
            "",
            "10 8 9 wild rose",
            "D deletes  4 marked; 2 do not exist",
        ),
        ("", "", "none is marked"),
        // Where nothing else is shown those that do not exist are meant.
        ("state:deleted", "7", "D deletes  1 marked"),
        ("state:deleted", "", "none is marked"),
    ] {
        let expected = (marked.to_owned(), said.to_owned());
        assert_eq!(mark_all(filter), expected, "{filter}");
    }
}

#[test]
fn while_a_search_stands_the_key_marks_what_it_finds() {
    let mut tab = tab();
    let mut shell = opened(Vec::new(), 1.8e9).shell;
    shell.shared.screen.tab = TabId::Plants;
    shell.begin_search();
    shell.find("id<10");
    for (marked, said) in [
        ("8 9", "D deletes  2 marked; 2 do not exist"),
        ("", "none is marked"),
    ] {
        let outcome = tab.key(Action::MarkAll, &mut shell.shared);
        assert_eq!(outcome, Outcome::Say(said.to_owned()));
        let ids: Vec<&str> = tab.marked.iter().map(String::as_str).collect();
        assert_eq!(ids.join(" "), marked);
    }
}

#[test]
fn each_sign_of_a_row_has_one_meaning() {
    for unicode in [true, false] {
        let can = Capabilities {
            unicode,
            ..Capabilities::default()
        };
        let signs = tab().signs(Theme::new(can));
        let signs: BTreeSet<_> = signs.iter().map(|((sign, _), _)| *sign).collect();
        assert_eq!(signs.len(), State::VARIANTS.len() + 1, "{signs:?}");
    }
}

#[test]
fn rows_are_in_the_order_of_the_times_that_they_show() {
    let (create, done) = (Operation::Create, Came::Done);
    let refused = Entry {
        id: "1".to_owned(),
        ..plant::line(3, create, plant::refused(400))
    };
    let lines = [
        line(1, "1", create, done),
        line(2, "2", create, done),
        refused,
    ];
    let mut tab = PlantsTab::new(Some(plant::service()));
    tab.event(&Event::PlantLog(lines.to_vec()), &shared());
    arrange(&mut tab, None);
    // What is known of 1 is older, though it was asked for last.
    assert_eq!(ids(&tab), ["2", "1"]);
}

#[test]
fn a_mark_moves_no_cell_of_its_row() {
    let mut tab = tab();
    let shared = shared();
    let drawn = |tab: &PlantsTab| {
        let layout = shared.layout_at((90, 24), Arrangement::Rows);
        let mut buffer = Buffer::empty(layout.screen);
        let mut canvas = Canvas {
            buffer: &mut buffer,
            layout: &layout,
            theme: Theme::default(),
            memory: &mut Memory::default(),
        };
        table::draw(tab, &mut canvas, &shared);
        let cells = buffer.content.iter().map(|cell| cell.symbol());
        cells.collect::<String>()
    };
    let before = drawn(&tab);
    tab.marked.insert("8".to_owned());
    let after = drawn(&tab);
    let changed = before.chars().zip(after.chars());
    let changed: Vec<_> = changed.filter(|(before, after)| before != after).collect();
    assert_eq!(changed, [(' ', '■')]);
}

#[test]
fn without_a_service_nothing_is_created_or_deleted() {
    let mut tab = PlantsTab::default();
    for action in [Action::NewPlant, Action::DeletePlant] {
        let outcome = tab.key(action, &mut shared());
        assert_eq!(outcome, Outcome::Say(NEED_THE_SERVICE.to_owned()));
        assert!(!tab.offers(action));
    }
}
