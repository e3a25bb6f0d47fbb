//! The watch list: what the archive lists, then what the settings file adds.

use uuid::Uuid;

use super::store::Store;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::track::Deployment;

/// The watch list, in the order it was made.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn watched(
    settings: &Settings,
    store: &Store,
) -> Result<Vec<Deployment>, Failure> {
    Ok(with_configured(store.watched().await?, settings))
}

/// The deployment as the watch list has it. Where the archive cannot be read,
/// the settings file still counts.
pub(crate) async fn entry(uuid: Uuid, settings: &Settings, store: &Store) -> Option<Deployment> {
    let archived = store.watched().await.unwrap_or_default();
    let list = with_configured(archived, settings);
    list.into_iter().find(|one| one.uuid == uuid)
}

/// Whether the settings file lists a deployment.
pub(crate) fn is_configured(uuid: Uuid, settings: &Settings) -> bool {
    settings.deployments.iter().any(|one| one.uuid == uuid)
}

fn with_configured(mut list: Vec<Deployment>, settings: &Settings) -> Vec<Deployment> {
    for one in &settings.deployments {
        if list.iter().all(|known| known.uuid != one.uuid) {
            list.push(Deployment {
                label: one.label.clone(),
                platform: one.platform,
                ..Deployment::new(one.uuid)
            });
        }
    }
    list
}
