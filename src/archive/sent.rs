//! The transmissions of a response without duplicates, as they are stored.

use crate::track::{Records, Transmission};

/// A transmission with its index among those of the same time and its number of
/// duplicates.
pub(super) struct Sent<'a> {
    pub(super) one: &'a Transmission,
    pub(super) place: i64,
    pub(super) times: i64,
}

/// The transmissions of a response without duplicates, in the order of the key,
/// so that SQLite writes each page once.
pub(super) fn each_once(records: &Records) -> Vec<Sent<'_>> {
    let mut sent: Vec<Sent<'_>> = records
        .transmissions
        .iter()
        .map(|one| Sent {
            one,
            place: 0,
            times: 1,
        })
        .collect();
    // Stable: transmissions of one time stay in the order of the response.
    sent.sort_by(|a, b| a.one.time_stamp.total_cmp(&b.one.time_stamp));
    for group in sent.chunk_by_mut(|a, b| a.one.time_stamp == b.one.time_stamp) {
        if group.len() == 1 {
            continue;
        }
        for (place, sent) in (0..).zip(group.iter_mut()) {
            sent.place = place;
        }
        // Of equal ones the first remains, with their number.
        group.sort_by(|a, b| {
            let (a, b) = (a.one.position, b.one.position);
            a.latitude
                .total_cmp(&b.latitude)
                .then(a.longitude.total_cmp(&b.longitude))
        });
        for equals in group.chunk_by_mut(|a, b| a.one == b.one) {
            let count = i64::try_from(equals.len()).unwrap_or(i64::MAX);
            if let Some((first, rest)) = equals.split_first_mut() {
                first.times = count;
                rest.iter_mut().for_each(|repeat| repeat.times = 0);
            }
        }
    }
    sent.retain(|sent| sent.times > 0);
    sent
}
