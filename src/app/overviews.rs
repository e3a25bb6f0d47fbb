//! Overviews of deployments for lists: read from the archive in one step, or made
//! of the stored fixes if those are not valid.

use std::sync::Arc;

use uuid::Uuid;

use crate::app::store::Store;
use crate::app::update::prepare::{assemble, overview};
use crate::archive::MadeOverview;
use crate::failure::Failure;
use crate::track::TrackOptions;
use crate::watch::overview::ReadOverview;

/// The number of overviews made of stored fixes that are stored and sent together.
const TOGETHER: usize = 64;

/// Sends the overviews of those of these deployments that have stored data, each
/// with the options of its track: the stored overviews in one step, then those to be
/// made of the fixes, some at a time. They are stored for the next time.
///
/// # Errors
/// When the archive cannot be read. What cannot be stored is made again next time.
pub(crate) async fn load(
    store: &Store,
    wanted: Vec<(Uuid, TrackOptions)>,
    mut send: impl FnMut(Vec<ReadOverview>),
) -> Result<(), Failure> {
    let read = store
        .read_data(move |archive| archive.overviews(wanted))
        .await?;
    let missing: Vec<ReadOverview> = read
        .iter()
        .filter(|read| read.overview.is_none())
        .cloned()
        .collect();
    send(read);
    for some in missing.chunks(TOGETHER) {
        let mut all = Vec::new();
        let mut read = Vec::new();
        for missing in some {
            // Damage is reported when the track is opened.
            let uuid = missing.uuid;
            let stored = store.read_data(move |archive| archive.stored(uuid));
            let Ok(Some(stored)) = stored.await else {
                continue;
            };
            let options = (*missing.options).clone();
            let track = assemble(Arc::new(stored.records), options.clone(), None).await?;
            let overview = overview(Arc::clone(&track)).await?;
            let revision = Some(stored.revision);
            let made = MadeOverview::new(uuid, revision, overview, &track, options);
            read.push(ReadOverview {
                overview: Some(Arc::clone(&made.overview)),
                fetched_at: stored.fetched_at,
                ..missing.clone()
            });
            all.push(made);
        }
        let _ = store
            .write(move |archive| archive.store_overviews(&all))
            .await;
        send(read);
    }
    Ok(())
}
