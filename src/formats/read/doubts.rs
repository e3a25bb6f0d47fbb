//! Signs that make it doubtful that a track of a file is of one instrument.

use super::ids::{self, IdColumn};
use super::names::IdRank;
use super::tracks::FileTrack;
use crate::text;
use crate::track::quality::TWICE_M;

/// The sentences about tracks that may be of several instruments: all about the first, and how
/// many others there are.
pub(super) fn doubts(tracks: &[FileTrack], columns: &[IdColumn]) -> Vec<String> {
    let is_track = |column: &IdColumn| column.rank == IdRank::OfTrack;
    let has_ids = tracks.iter().any(|track| track.id.is_some());
    let is_known = has_ids || columns.iter().any(is_track);
    let doubts = tracks.iter().map(|track| {
        let single = match tracks {
            [only] => ids::single(columns, &only.records),
            _ => Vec::new(),
        };
        of_track(track, is_known, single)
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

/// The sentences about a track, whose instrument `is_known` or not, and each row of which has a value
/// of its own in the columns `single`: those that name a column before all others.
fn of_track(track: &FileTrack, is_known: bool, single: Vec<&str>) -> Vec<String> {
    let start = match &track.id {
        Some(id) => format!("'{}' is taken as one track", text::excerpt(id, 60)),
        None => "all is taken as one track".to_owned(),
    };
    let by_column = |name: &str, why: String| {
        let shown = text::excerpt(name, 60);
        format!("{start}, though {why}: --id-column '{shown}' makes a deployment of each")
    };
    let single = single.into_iter().map(|name| {
        let why = format!("each row has another '{}'", text::excerpt(name, 60));
        by_column(name, why)
    });
    let taking_turns = ids::in_turn(&track.records, is_known);
    let in_turn = taking_turns.into_iter().map(|(name, values)| {
        let shown = text::excerpt(name, 60);
        by_column(name, format!("the {values} values of '{shown}' take turns"))
    });
    let named: Vec<String> = single.chain(in_turn).collect();
    if !named.is_empty() {
        return named;
    }
    let said = ids::at_one_time(&track.records).map(|count| {
            format!(
                "{start}, though {count} fixes share their time with another over {TWICE_M:.0} m away: if they are of several instruments, a column of their ids is missing"
            )
        });
    said.into_iter().collect()
}
