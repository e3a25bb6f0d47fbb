//! The rows of the requests: in progress first, and the cursor on its own.

use super::*;
use crate::dashboard::event::RequestId;
use crate::dashboard::tabs::rows::{arrange, at_cursor};
use crate::exchange::{Attempt, ExchangeOutcome, Subject};
use crate::testing::chance::{Chance, rounds};
use crate::testing::dashboard::opened;
use crate::watch::Deployment;
use uuid::Uuid;

fn exchange(id: u64, outcome: ExchangeOutcome) -> Exchange {
    let started_at = id as f64;
    Exchange {
        id,
        started_at,
        method: if id.is_multiple_of(2) { "GET" } else { "POST" },
        url: format!("http://127.0.0.1:1/{id}"),
        status: None,
        duration_s: 10.0 - started_at,
        bytes: 0,
        outcome,
        retry_in_s: None,
        subject: None,
        attempt: Attempt { number: 1, most: 3 },
    }
}

fn tell(tab: &mut ActivityTab, event: &Event) {
    let chosen = at_cursor(tab);
    tab.event(event, &shared(Uuid::nil()));
    arrange(tab, chosen.as_deref());
}

fn report(tab: &mut ActivityTab, id: u64, outcome: ExchangeOutcome) {
    tell(tab, &Event::Exchange(exchange(id, outcome)));
}

fn ids(tab: &ActivityTab) -> Vec<u64> {
    let shown = tab.rows.order.iter();
    let shown = shown.filter_map(|row| tab.exchange(*row));
    shown.map(|exchange| exchange.id).collect()
}

/// With this deployment, called buoy, on the list.
fn shared(listed: Uuid) -> Shared {
    let buoy = Deployment {
        label: Some("buoy".to_owned()),
        ..Deployment::new(listed)
    };
    opened(vec![buoy], 100.0).shell.shared
}

#[test]
fn requests_in_progress_are_first_and_the_cursor_stays_on_its_request() {
    let mut tab = ActivityTab::default();
    report(&mut tab, 1, ExchangeOutcome::UnderWay);
    report(&mut tab, 2, ExchangeOutcome::UnderWay);
    report(&mut tab, 2, ExchangeOutcome::Done("3 records".to_owned()));
    assert_eq!(ids(&tab), [1, 2]);
    let progress = Progress {
        exchange: 1,
        bytes: 45_000,
        total: Some(2_000_000),
        ..Progress::default()
    };
    tell(
        &mut tab,
        &Event::Progress {
            request: RequestId(0),
            progress,
        },
    );
    let words = |tab: &ActivityTab, row: usize| tab.all[row].words(2.0);
    assert!(words(&tab, 0).starts_with("45.0 kB of 2.0 MB"));
    assert_eq!(words(&tab, 1), "3 records");
    tab.rows.table.cursor = 1;
    report(&mut tab, 3, ExchangeOutcome::UnderWay);
    assert_eq!((ids(&tab), tab.rows.table.cursor), (vec![3, 1, 2], 2));
    let unusable = ExchangeOutcome::Unusable("it broke off".to_owned());
    report(&mut tab, 1, unusable);
    report(&mut tab, 3, ExchangeOutcome::Cancelled);
    assert_eq!((ids(&tab), tab.rows.table.cursor), (vec![3, 1, 2], 2));
    assert!(!tab.is_busy());
    // On the first row it stays on the first row.
    tab.rows.table.cursor = 0;
    report(&mut tab, 4, ExchangeOutcome::UnderWay);
    assert_eq!((ids(&tab)[0], tab.rows.table.cursor), (4, 0));
}

#[test]
fn every_column_sorts_and_a_row_stays_chosen() {
    let mut tab = ActivityTab::default();
    for id in 1..6 {
        report(&mut tab, id, ExchangeOutcome::Done(String::new()));
    }
    assert_eq!(ids(&tab), [5, 4, 3, 2, 1]);
    let mut sort = |column, is_reversed| {
        tab.rows.table.cursor = 2;
        let chosen = at_cursor(&tab);
        (tab.rows.sort, tab.rows.is_reversed) = (column, is_reversed);
        arrange(&mut tab, chosen.as_deref());
        assert_eq!(
            at_cursor(&tab).unwrap_or_else(|| ids(&tab)[0].to_string()),
            chosen.unwrap()
        );
        ids(&tab)
    };
    assert_eq!(sort("time", true), [1, 2, 3, 4, 5]);
    assert_eq!(sort("took", false), [5, 4, 3, 2, 1]);
    assert_eq!(sort("took", true), [1, 2, 3, 4, 5]);
    assert_eq!(sort("method", false), [4, 2, 5, 3, 1]);
    assert_eq!(sort("address", false), [1, 2, 3, 4, 5]);
}

#[test]
fn a_create_and_a_delete_are_about_their_plant() {
    let request = Exchange {
        url: "http://127.0.0.1:1/plants".to_owned(),
        subject: Some(Subject::Plant("7".to_owned())),
        ..exchange(1, ExchangeOutcome::UnderWay)
    };
    assert_eq!(
        subject(&request, &shared(Uuid::nil()).deployments),
        "plant 7"
    );
}

#[test]
fn a_request_is_found_by_the_name_of_its_deployment() {
    let listed = Uuid::from_u128(7);
    let mut tab = ActivityTab::default();
    for (id, uuid) in [(1, listed), (2, Uuid::from_u128(8))] {
        let request = Exchange {
            subject: Some(Subject::Deployment(uuid)),
            ..exchange(id, ExchangeOutcome::UnderWay)
        };
        tab.event(&Event::Exchange(request), &shared(listed));
    }
    // Newest first.
    assert!(tab.has_word(1, "buoy") && !tab.has_word(0, "buoy"));
}

#[test]
fn a_request_opens_its_deployment_if_that_is_on_the_list() {
    let listed = Uuid::from_u128(7);
    let mut shared = shared(listed);
    for (uuid, is_listed) in [(listed, true), (Uuid::from_u128(8), false)] {
        let mut tab = ActivityTab::default();
        let request = Exchange {
            subject: Some(Subject::Deployment(uuid)),
            ..exchange(1, ExchangeOutcome::Done(String::new()))
        };
        tell(&mut tab, &Event::Exchange(request));
        let outcome = tab.key(Action::Open, &mut shared);
        let opened = matches!(outcome, Outcome::OpenTrack(opened) if opened == listed);
        assert_eq!(opened, is_listed);
    }
}

#[test]
fn any_news_keep_the_cursor_on_its_request_or_on_the_first_row() {
    let chance = Chance::new("news of requests");
    for _ in 0..rounds(100, 2000) {
        let mut tab = ActivityTab::default();
        for id in 0..40 {
            tab.rows.table.cursor = chance.below(tab.rows.order.len());
            let chosen = at_cursor(&tab);
            let under_way = tab.all.iter().filter(|line| line.progress.is_some());
            let begun = under_way.clone().nth(chance.below(under_way.count() * 2));
            match begun.map(|line| line.exchange.id) {
                Some(known) => report(&mut tab, known, ExchangeOutcome::Cancelled),
                None => report(&mut tab, id, ExchangeOutcome::UnderWay),
            }
            let here = ids(&tab)[tab.rows.table.cursor].to_string();
            match chosen {
                None => assert_eq!(tab.rows.table.cursor, 0),
                Some(chosen) => assert_eq!(here, chosen),
            }
        }
    }
}
