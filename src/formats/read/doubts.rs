//! Signs that make it doubtful that a track of a file is of one instrument.

use super::ids::{self, IdColumn, Known};
use super::names::IdRank;
use super::tracks::FileTrack;
use crate::text;

/// The sentences about tracks that may be of several instruments: all about the first, and how
/// many others there are.
pub(super) fn doubts(tracks: &[FileTrack], columns: &[IdColumn]) -> Vec<String> {
    let is_track = |column: &IdColumn| column.rank == IdRank::OfTrack;
    let has_ids = tracks.iter().any(|track| track.id.is_some());
    let known = match has_ids || columns.iter().any(is_track) {
        true => Known::Id,
        false => Known::Nothing,
    };
    let doubts = tracks.iter().map(|track| {
        let single = match tracks {
            [only] => ids::single(columns, &only.records),
            _ => Vec::new(),
        };
        said(track, &single, &ids::in_turn(&track.records, known))
    });
    let mut said = doubts.filter(|said| !said.is_empty());
    let mut all = said.next().unwrap_or_default();
    let more = said.count();
    if more > 0 {
        let more = text::counted(more, "deployment", "deployments");
        all.push(format!("the same is so of {more} more"));
    }
    all
}

/// The sentences about a track: each row has a value of its own in the columns `single`, and the
/// fields `in_turn` take turns, with the number of their values.
fn said(track: &FileTrack, single: &[&str], in_turn: &[(&str, usize)]) -> Vec<String> {
    let start = match &track.id {
        Some(id) => format!("'{}' is taken as one track", text::excerpt(id, 60)),
        None => "all is taken as one track".to_owned(),
    };
    let by_column = |name: &str, why: String| {
        let shown = text::excerpt(name, 60);
        format!("{start}, though {why}: --id-column '{shown}' makes a deployment of each")
    };
    let single = single.iter().map(|name| {
        let why = format!("each row has another '{}'", text::excerpt(name, 60));
        by_column(name, why)
    });
    let in_turn = in_turn.iter().map(|(name, values)| {
        let shown = text::excerpt(name, 60);
        by_column(name, format!("the {values} values of '{shown}' take turns"))
    });
    single.chain(in_turn).collect()
}
