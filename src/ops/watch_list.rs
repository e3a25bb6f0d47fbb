//! The watch list: archived entries, then those of the settings file.

use uuid::Uuid;

use super::store::Store;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::track::Deployment;

/// The watch list, in the order in which entries were added.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn watched(
    settings: &Settings,
    store: &Store,
) -> Result<Vec<Deployment>, Failure> {
    Ok(with_configured(store.watched().await?, settings))
}

/// The watch list entry of a deployment. If the archive cannot be read, that of
/// the settings file is still used.
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
