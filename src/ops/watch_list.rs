//! The watch list: what the archive lists, then what the settings file adds.

use uuid::Uuid;

use super::store::Store;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::track::{Deployment, Platform};

/// The watch list, in the order it was made.
///
/// # Errors
/// When the archive cannot be read; [`Failure::usage`] for an unknown platform
/// in the settings file.
pub async fn watched(settings: &Settings, store: &Store) -> Result<Vec<Deployment>, Failure> {
    with_configured(store.watched().await?, settings)
}

/// The deployment as the watch list has it. Where the archive cannot be read,
/// the settings file still counts.
///
/// # Errors
/// [`Failure::usage`] for an unknown platform in the settings file.
pub async fn entry(
    uuid: Uuid,
    settings: &Settings,
    store: &Store,
) -> Result<Option<Deployment>, Failure> {
    let archived = store.watched().await.unwrap_or_default();
    let list = with_configured(archived, settings)?;
    Ok(list.into_iter().find(|one| one.uuid == uuid))
}

/// Whether the settings file lists a deployment.
pub fn is_configured(uuid: Uuid, settings: &Settings) -> bool {
    settings.deployments.iter().any(|one| one.uuid == uuid)
}

fn with_configured(
    mut list: Vec<Deployment>,
    settings: &Settings,
) -> Result<Vec<Deployment>, Failure> {
    for one in &settings.deployments {
        if list.iter().any(|known| known.uuid == one.uuid) {
            continue;
        }
        let platform = match &one.platform {
            Some(name) => name.parse().map_err(|error| {
                Failure::usage(format!(
                    "the platform of deployment {} in the configuration: {error}",
                    one.uuid
                ))
            })?,
            None => Platform::default(),
        };
        list.push(Deployment {
            label: one.label.clone(),
            platform,
            ..Deployment::new(one.uuid)
        });
    }
    Ok(list)
}
