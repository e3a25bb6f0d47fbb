//! The records of a file, parted by deployments.

use std::collections::HashMap;

use super::cell::NUMBERED;
use super::ids::{self, IdColumn};
use super::names::IdRank;
use super::tracks::FileTrack;
use crate::track::{Records, Unusable};

/// The records of each deployment by these columns of ids, in the order of their first records;
/// `invalid` are the numbers of the invalid records, with their times.
pub(super) fn deployments(
    records: Records,
    invalid: &[(usize, Option<f64>)],
    columns: &[&IdColumn],
) -> Vec<FileTrack> {
    let Some(first) = columns.first() else {
        return vec![FileTrack { id: None, records }];
    };
    let ids = ids::of_records(columns, records.count());
    let only = ids.first().copied().unwrap_or_default();
    if ids.iter().all(|id| *id == only) {
        // The deployment of a single track is called as the file is.
        let is_named = first.rank != IdRank::OfTrack && !only.is_empty();
        let fixes: Vec<usize> = (0..records.transmissions.len()).collect();
        let fields = records.fields.part(&fixes, &first.name);
        return vec![FileTrack {
            id: is_named.then(|| only.to_owned()),
            records: Records { fields, ..records },
        }];
    }
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<(&str, Records, Vec<usize>)> = Vec::new();
    let mut fixes = records.transmissions.iter().enumerate();
    let mut invalid = invalid.iter().peekable();
    let mut kept = records.unusable.into_iter().peekable();
    for (record, id) in ids.into_iter().enumerate() {
        let place = *places.entry(id).or_insert(found.len());
        if place == found.len() {
            found.push((id, Records::default(), Vec::new()));
        }
        let (_, of_id, rows) = &mut found[place];
        match invalid.next_if(|(number, _)| *number == record) {
            Some((_, time_stamp)) => match kept.next_if(|known| known.index == record) {
                Some(known) => {
                    let fault = known.fault;
                    let time_stamp = *time_stamp;
                    let unusable = Unusable { time_stamp, fault };
                    of_id.add_unusable(of_id.count(), unusable, || known.excerpt);
                    if let Some(line) = known.line {
                        of_id.set_line(line);
                    }
                }
                None => of_id.unkept += 1,
            },
            None => {
                if let Some((row, transmission)) = fixes.next() {
                    rows.push(row);
                    of_id.transmissions.push(*transmission);
                }
            }
        }
    }
    let tracks = found.into_iter().map(|(id, of_id, rows)| {
        let fields = records.fields.part(&rows, &first.name);
        FileTrack {
            id: (!id.is_empty()).then(|| id.to_owned()),
            records: Records { fields, ..of_id },
        }
    });
    tracks.collect()
}

/// Names the deployments that have a number only, none as another is named.
pub(super) fn name_numbered(tracks: &mut [FileTrack]) {
    for place in 0..tracks.len() {
        let id = tracks[place].id.as_deref();
        let Some(name) = id.and_then(|id| id.strip_prefix(NUMBERED)) else {
            continue;
        };
        let mut name = name.to_owned();
        while tracks.iter().any(|track| track.id.as_ref() == Some(&name)) {
            name.push_str(" without a name");
        }
        tracks[place].id = Some(name);
    }
}
