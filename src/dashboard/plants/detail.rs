//! The pane below the plants: the requests of the chosen one, newest first.

use super::PlantsTab;
use super::table::sign;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::times::Times;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::lines::flow;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::plant::log::{Entry, Outcome};
use crate::plant::state::{Plant, State};

/// Cells before the words of a request that have a line of their own.
const INDENT: u16 = 2;

/// Adds the chosen plant, for a pane of this height: what it is, and its requests.
pub(super) fn lines(
    tab: &PlantsTab,
    sheet: &mut Sheet,
    height: u16,
    shared: &Shared,
    theme: Theme,
) {
    let Some(plant) = tab.selected() else {
        return;
    };
    let state = tab.state(plant);
    let (mark, style) = sign(state, theme);
    let word: &str = state.into();
    let is_one = (tab.service.as_ref()).is_none_or(|service| service.has_one_address());
    let at = if is_one { "" } else { plant.address.as_str() };
    let since = shared.times().moment_in_zone(plant.since.floor());
    let items = [
        ("", format!("{mark} {word}"), style),
        ("at", at.to_owned(), theme.text()),
        ("logged", since, theme.text()),
        ("", tab.name_of(&plant.id), theme.heading()),
    ];
    sheet.pieces(flow(&items, sheet.width(), theme));
    if let Some(advice) = advice(tab, plant, shared).filter(|_| height > 2) {
        sheet.wrapped(0, &advice, theme.text());
    }
    for entry in tab.lines(plant) {
        request(sheet, entry, &shared.times(), theme);
    }
}

/// The ways on with a plant that is unknown, or is what a person said.
fn advice(tab: &PlantsTab, plant: &Plant, shared: &Shared) -> Option<String> {
    let state = tab.state(plant);
    let resolve = shared.key_of(Action::ResolvePlant);
    let delete = shared.key_of(Action::DeletePlant);
    if state == State::Unknown {
        // A delete goes to the base address, where another plant may have this id, and is about
        // all that are marked.
        let is_alone = tab.marked.iter().all(|id| *id == plant.id);
        let delete = if is_alone && plant.address == plant.service.base {
            format!("; {delete}: delete it")
        } else {
            String::new()
        };
        let sent = plant.named().filter(|named| !named.is_sure);
        let new = shared.key_of(Action::NewPlant);
        let sent = sent.map_or_else(String::new, |named| {
            let name = &named.name;
            format!(
                "; {new} with its id: may be refused if it exists. {name} was sent; ? marks the doubt."
            )
        });
        return Some(format!(
            "It is not known whether a request was done. {resolve}: say whether it exists{delete}{sent}"
        ));
    }
    if plant.is_said && state == plant.state {
        return Some(format!(
            "A person said so, not the service. {resolve}: correct it."
        ));
    }
    let is_unsure = plant.named().is_some_and(|named| !named.is_sure);
    match state {
        State::Exists if plant.is_of_another() => Some("Not by a create from here.".to_owned()),
        State::Exists if is_unsure => {
            Some("By a create whose answer was lost, or by another: ? marks the doubt.".to_owned())
        }
        _ => None,
    }
}

/// Adds a request, with what was said of it behind or below it.
fn request(sheet: &mut Sheet, entry: &Entry, times: &Times, theme: Theme) {
    let (mark, style) = theme.outcome(entry.outcome());
    let status = entry.reply.status.map(|status| status.to_string());
    let mut items = vec![
        ("", times.short_moment(entry.at.floor()), theme.dim()),
        ("", entry.operation.word().to_owned(), theme.text()),
        ("", format!("{mark} {}", entry.word()), style),
        ("", status.unwrap_or_default(), style),
    ];
    if entry.operation.is_request() {
        items.push(("to", entry.address.clone(), theme.dim()));
    }
    let pieces = flow(&items, sheet.width(), theme);
    let end = pieces
        .last()
        .map_or(0, |last| last.x + cells(&last.words) + 2);
    let words = said(entry);
    let has_room =
        !entry.operation.is_request() || pieces.iter().any(|piece| piece.words == entry.address);
    sheet.pieces(pieces);
    if !has_room {
        let address = format!("to {}", entry.address);
        sheet.wrapped(INDENT, &address, theme.dim());
        return sheet.wrapped(INDENT, &words, theme.text());
    }
    if end + cells(&words) <= sheet.width() {
        sheet.at(end, &words, theme.text());
    } else {
        sheet.wrapped(INDENT, &words, theme.text());
    }
}

/// The words of the service, and the note of the log.
fn said(entry: &Entry) -> String {
    let reply = &entry.reply;
    let error = reply.error.map(|error| format!("error {error}"));
    let is_unknown = reply.outcome == Outcome::Unknown;
    let unanswered = (is_unknown && reply.status.is_none()).then(|| "no answer".to_owned());
    let parts = [error, reply.message.clone(), entry.note()];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    match (said.is_empty(), unanswered) {
        (true, Some(words)) => words,
        _ => said.join(": "),
    }
}
