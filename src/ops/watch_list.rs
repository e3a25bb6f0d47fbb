//! The watch list: archived entries, then those of the settings file.

use std::collections::HashSet;

use uuid::Uuid;

use super::store::Store;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::track::{Deployment, FlagOverrides};

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

/// The watch list as far as it can be read, and why the archive's part cannot.
pub(crate) async fn watched_as_known(
    settings: &Settings,
    store: &Store,
) -> (Vec<Deployment>, Option<Failure>) {
    match watched(settings, store).await {
        Ok(list) => (list, None),
        Err(failure) => (with_configured(Vec::new(), settings), Some(failure)),
    }
}

/// What the user set for a deployment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Its entry on the watch list.
    pub entry: Option<Deployment>,
    /// The flags set by hand.
    pub overrides: FlagOverrides,
}

/// What the user set for a deployment, in the archive and in the settings file.
///
/// # Errors
/// When the archive cannot be read, or the entry in it is damaged: this
/// must not be taken for an entry without limits.
pub(crate) async fn known(
    uuid: Uuid,
    settings: &Settings,
    store: &Store,
) -> Result<Known, Failure> {
    let archived = store.entry(uuid).await?;
    Ok(Known {
        entry: archived.or_else(|| configured(uuid, settings)),
        overrides: store.overrides(uuid).await?,
    })
}

/// The deployment as the settings file lists it.
pub(crate) fn configured(uuid: Uuid, settings: &Settings) -> Option<Deployment> {
    with_configured(Vec::new(), settings)
        .into_iter()
        .find(|one| one.uuid == uuid)
}

/// Whether the settings file lists a deployment.
pub(crate) fn is_configured(uuid: Uuid, settings: &Settings) -> bool {
    settings.deployments.iter().any(|one| one.uuid == uuid)
}

fn with_configured(mut list: Vec<Deployment>, settings: &Settings) -> Vec<Deployment> {
    let mut known: HashSet<Uuid> = list.iter().map(|one| one.uuid).collect();
    for one in &settings.deployments {
        if known.insert(one.uuid) {
            list.push(Deployment {
                label: one.label.clone(),
                platform: one.platform,
                ..Deployment::new(one.uuid)
            });
        }
    }
    list
}
