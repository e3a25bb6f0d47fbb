//! The watch list: archived entries, then those of the settings file.

pub(crate) mod import;
pub(crate) mod table;

use std::collections::HashSet;

use uuid::Uuid;

use super::store::Store;
use crate::app::session::connect;
use crate::archive::{Archive, ReadEntry};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::text;
use crate::track::FlagOverrides;
use crate::track::field::FieldChoice;
use crate::watch::Deployment;
use crate::watch::DeploymentId;
use crate::watch::deployment::change::EntryChange;

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

/// The watch list with what is wrong with each entry, such as a limit that cannot
/// be read: a deployment without damage is whole.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn listed(settings: &Settings, store: &Store) -> Result<Vec<ReadEntry>, Failure> {
    let mut list = store.read(Archive::read_entries).await?;
    let entries = list.iter().filter_map(|entry| entry.deployment.as_ref());
    let known: HashSet<Uuid> = entries.map(|entry| entry.id.uuid).collect();
    let configured = all_configured(settings)
        .into_iter()
        .filter(|entry| !known.contains(&entry.id.uuid));
    list.extend(configured.map(|entry| ReadEntry {
        deployment: Some(entry),
        damage: None,
        origin: None,
    }));
    Ok(list)
}

/// The message that no deployment is on the watch list: it may be that of another profile, or in
/// a damaged archive that was renamed.
pub(crate) fn empty(settings: &Settings, store: &Store) -> String {
    let all = settings.profiles.iter();
    let others: Vec<&str> = all
        .map(|(name, _)| name.as_str())
        .filter(|name| *name != settings.profile)
        .collect();
    let profiles = match others.as_slice() {
        [] => String::new(),
        [one] => format!("; another profile of the settings file is {one} (`--profile`)"),
        all => format!(
            "; other profiles of the settings file are {} (`--profile`)",
            all.join(", ")
        ),
    };
    let aside = store.set_aside().map_or_else(String::new, |aside| {
        format!(
            "; the archive was damaged and set aside as {}, with what could not be read of its list",
            text::excerpt(&aside.display().to_string(), 300)
        )
    });
    format!(
        "the watch list is empty; `driftline deployments add UUID` adds a deployment{}{aside}",
        text::excerpt(&profiles, 300)
    )
}

/// The message that deployments of the archive belong to other services, if no profile of the
/// settings file uses those: after a change of `base_url` the list would be empty without a
/// word.
pub(crate) async fn elsewhere(settings: &Settings, store: &Store) -> Option<String> {
    // If the archive cannot be read, reading the list reports it.
    let mut others = store.read(Archive::other_services).await.ok()?;
    let used = connect::services_of_other_profiles(settings);
    others.retain(|(service, _)| !used.contains(service));
    /// Most names of a service.
    const NAMED: usize = 4;
    let words = |(base, names): &(String, Vec<String>)| {
        let count = text::counted(names.len(), "deployment", "deployments");
        let short = names.iter().map(|name| text::excerpt(name, 40));
        let named = text::first_of(short, NAMED);
        format!("{count} added under {} ({named})", text::excerpt(base, 200))
    };
    let counted: Vec<String> = others.iter().map(words).collect();
    (!counted.is_empty()).then(|| {
        format!(
            "not on this list: {}; `driftline deployments list --all-services` shows them, and \
             `driftline deployments add` {}",
            counted.join(", "),
            match settings.service {
                // Its id has another UUID here, and a track of its own.
                Some(_) => "adds one to the service in use",
                None => "moves one to the service in use (`remove --base-url OLD` takes one off)",
            }
        )
    })
}

/// The entry and the flags that the user set for a deployment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Its entry on the watch list.
    pub entry: Option<Deployment>,
    /// The flags set by hand.
    pub overrides: FlagOverrides,
}

/// Reads the entry and the flags of a deployment from the archive and the settings file.
///
/// # Errors
/// When the archive cannot be read, or the entry in it is damaged: this
/// must not be taken for an entry without limits.
pub(crate) async fn known(
    uuid: Uuid,
    settings: &Settings,
    store: &Store,
) -> Result<Known, Failure> {
    let read = store.read(move |archive| {
        Ok(Known {
            entry: archive.entry(uuid)?,
            overrides: archive.overrides(uuid)?,
        })
    });
    let known = read.await?;
    Ok(Known {
        entry: known.entry.or_else(|| configured(uuid, settings)),
        ..known
    })
}

/// The deployments that the settings file lists.
pub(crate) fn all_configured(settings: &Settings) -> Vec<Deployment> {
    with_configured(Vec::new(), settings)
}

/// The deployment as the settings file lists it.
pub(crate) fn configured(uuid: Uuid, settings: &Settings) -> Option<Deployment> {
    all_configured(settings)
        .into_iter()
        .find(|entry| entry.id.uuid == uuid)
}

/// `true` if the settings file lists a deployment.
pub(crate) fn is_configured(uuid: Uuid, settings: &Settings) -> bool {
    configured(uuid, settings).is_some()
}

/// The failure for a deployment that is not on the archive's part of the watch
/// list, which commands change.
pub(crate) fn not_listed(id: &DeploymentId, settings: &Settings) -> Failure {
    let message = if is_configured(id.uuid, settings) {
        format!("{id} is named in the settings file, which this command does not change")
    } else {
        format!("{id} is not on the watch list")
    };
    Failure::other(message).with_hint("`driftline deployments list` shows the watch list.")
}

/// Changes the entry of a deployment on the watch list. A deployment of the settings file
/// is added to the archive's part of the list, which has precedence from then on;
/// returns whether it was.
///
/// # Errors
/// `FailureKind::Usage` for a window that would end before it starts;
/// `FailureKind::Other` when the deployment is not on the list, or the archive
/// cannot be written.
pub(crate) async fn set(
    id: &DeploymentId,
    change: EntryChange,
    settings: &Settings,
    store: &Store,
) -> Result<bool, Failure> {
    let uuid = id.uuid;
    let Some(entry) = store.entry(uuid).await? else {
        let Some(entry) = configured(uuid, settings) else {
            return Err(not_listed(id, settings));
        };
        change.check(&entry).map_err(Failure::usage)?;
        return store.amend(entry, move |entry| change.apply(entry)).await;
    };
    change.check(&entry).map_err(Failure::usage)?;
    let mut after = entry.clone();
    change.apply(&mut after);
    if store.change(Some(entry), after, true).await? {
        Ok(false)
    } else {
        Err(
            Failure::other("another program has changed or removed the entry meanwhile")
                .with_hint("Try again."),
        )
    }
}

/// Notes on limits for fields that no stored record has: they raise no alarm. There are
/// none where no record with fields is stored yet, nor of a field that was not requested
/// so far.
pub(crate) async fn unknown_fields(
    id: &DeploymentId,
    change: &EntryChange,
    settings: &Settings,
    store: &Store,
) -> Vec<String> {
    let requested = settings.fields.clone().map(FieldChoice::new);
    let is_requested = |field: &&str| requested.as_ref().is_none_or(|all| all.takes(field));
    /// This many fields are named.
    const NAMED: usize = 12;
    if !change.limited_fields().any(|field| is_requested(&field)) {
        return Vec::new();
    }
    // If the archive cannot be read, the change itself reports it.
    let uuid = id.uuid;
    let stored = store
        .read(move |archive| archive.fields(uuid))
        .await
        .unwrap_or_default();
    let names: Vec<&str> = stored.names().collect();
    if names.is_empty() {
        return Vec::new();
    }
    let known = text::first_of(names.iter(), NAMED);
    change
        .limited_fields()
        .filter(|field| !names.contains(field) && is_requested(field))
        .map(|field| format!("no record of {id} has a field '{field}' so far; there are {known}"))
        .collect()
}

fn with_configured(mut list: Vec<Deployment>, settings: &Settings) -> Vec<Deployment> {
    let mut known: HashSet<Uuid> = list.iter().map(|entry| entry.id.uuid).collect();
    for entry in &settings.deployments {
        if known.insert(entry.id.uuid) {
            list.push(entry.clone());
        }
    }
    list
}
