//! The service that each deployment was added under, with its id there. A deployment without an
//! origin belongs to every service with UUIDs.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::connection::Connection;
use super::sql::{Result, Row, params};
use super::{Archive, ArchiveError};
use crate::watch::DeploymentId;
use crate::watch::id::Remote;

/// The deployments that are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Deployments without an origin, and those of the service with UUIDs at this base URL;
    /// without one, those of all such services.
    Plain {
        base: Option<String>,
        /// The base URLs of other profiles: what was added under one of them stays there.
        others: Vec<String>,
    },
    /// Deployments of this service, which has a different interface.
    Of(String),
    All,
}

impl Default for Listed {
    fn default() -> Self {
        Self::Plain {
            base: None,
            others: Vec::new(),
        }
    }
}

impl Listed {
    pub(super) fn has(&self, uuid: Uuid, origin: Option<&Remote>) -> bool {
        let other = origin.filter(|origin| !origin.has_uuids(uuid));
        match self {
            Self::Plain {
                base: Some(base), ..
            } => other.is_none() && origin.is_none_or(|own| own.service == *base),
            Self::Plain { base: None, .. } => other.is_none(),
            Self::Of(name) => other.is_some_and(|other| other.service == *name),
            Self::All => true,
        }
    }

    /// The base URL of the service with UUIDs that is in use.
    pub(super) fn base(&self) -> Option<&str> {
        match self {
            Self::Plain { base, .. } => base.as_deref(),
            Self::Of(_) | Self::All => None,
        }
    }

    /// `true` for the base URL of another profile.
    fn is_in_use_elsewhere(&self, service: &str) -> bool {
        matches!(self, Self::Plain { others, .. } if others.iter().any(|other| other == service))
    }
}

impl Archive {
    /// Sets which deployments are listed from now on.
    pub(crate) fn list_only(&mut self, listed: Listed) {
        self.listed = listed;
    }

    /// The deployments of the service with UUIDs in use whose UUID there is that of a deployment
    /// of another profile's service, by that UUID: two services may have one UUID, and they
    /// are two deployments.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn namesakes(&self) -> Result<HashMap<Uuid, DeploymentId>> {
        let mut namesakes = HashMap::new();
        let Some(base) = self.listed.base() else {
            return Ok(namesakes);
        };
        let select = "SELECT uuid, service, id FROM origin";
        self.connection.each_row(select, (), |row| {
            let (Some(uuid), Some(origin)) = (row.uuid(0), from_row(row, 1)) else {
                return Ok(());
            };
            let Ok(there) = Uuid::parse_str(&origin.id) else {
                return Ok(());
            };
            // One that was distinguished once stays so, whatever profiles there are.
            let is_own = origin.service == base && there != uuid && origin.has_uuids(uuid);
            let is_others = there == uuid && origin.service != base;
            if is_own || is_others && self.listed.is_in_use_elsewhere(&origin.service) {
                namesakes.insert(there, DeploymentId::namesake(base, there));
            }
            Ok(())
        })?;
        Ok(namesakes)
    }

    /// `true` for a deployment of the service with UUIDs at another base URL than that in use.
    ///
    /// # Errors
    /// When that cannot be read.
    pub(crate) fn is_of_other_base(&self, uuid: Uuid) -> Result<bool> {
        is_of_other(&self.connection, uuid, self.listed.base())
    }
}

/// Stores the service of a deployment and its id there, if they are known and not stored.
pub(super) fn write(connection: &Connection, deployment: &DeploymentId) -> Result<()> {
    let Some(Remote { service, id }) = deployment.remote.as_deref() else {
        return Ok(());
    };
    connection.execute(
        "INSERT INTO origin (uuid, service, id) VALUES (?1, ?2, ?3) ON CONFLICT (uuid) DO NOTHING",
        params![deployment.uuid.to_string(), service, id],
    )?;
    Ok(())
}

/// Stores the service of a deployment that a user adds or edits with the service with UUIDs at
/// a base URL in use; returns whether it was of another. One on the list that has no origin
/// gets none.
///
/// # Errors
/// [`ArchiveError::Elsewhere`] if it is of the service of another profile.
pub(super) fn claim(
    connection: &Connection,
    deployment: &DeploymentId,
    listed: &Listed,
    is_new: bool,
) -> Result<bool> {
    write(connection, deployment)?;
    let (true, Some(base)) = (deployment.is_plain(), listed.base()) else {
        return Ok(false);
    };
    let uuid = deployment.uuid;
    let before = known_base(connection, uuid)?;
    if before.as_ref().map_or(!is_new, |own| own == base) {
        return Ok(false);
    }
    if let Some(known) = before
        .as_ref()
        .filter(|own| listed.is_in_use_elsewhere(own))
    {
        let known = known.clone();
        return Err(ArchiveError::Elsewhere { known });
    }
    let text = uuid.to_string();
    connection.execute(
        "INSERT INTO origin (uuid, service, id) VALUES (?1, ?2, ?1)
         ON CONFLICT (uuid) DO UPDATE SET service = excluded.service",
        params![text, base],
    )?;
    forget_source(connection, uuid)?;
    Ok(before.is_some())
}

/// The next response of a deployment may be of any service, and is requested without validators.
pub(super) fn forget_source(connection: &Connection, uuid: Uuid) -> Result<()> {
    connection.execute(
        "UPDATE fetch SET source = NULL, etag = NULL, modified = NULL
         WHERE deployment = (SELECT id FROM deployment WHERE uuid = ?1)",
        [uuid.to_string()],
    )?;
    Ok(())
}

/// `true` for a deployment of the service with UUIDs at another base URL than this.
pub(super) fn is_of_other(connection: &Connection, uuid: Uuid, base: Option<&str>) -> Result<bool> {
    let Some(base) = base else {
        return Ok(false);
    };
    Ok(known_base(connection, uuid)?.is_some_and(|own| own != base))
}

/// The base URL of the service with UUIDs that a deployment was added under, if that is known.
pub(super) fn known_base(connection: &Connection, uuid: Uuid) -> Result<Option<String>> {
    let own = "SELECT service FROM origin WHERE uuid = ?1 AND id = uuid";
    let base = connection.optional_row(own, [uuid.to_string()], |row| Ok(row.text(0)))?;
    Ok(base.flatten())
}

/// The SQL expressions of the service and the id there of a deployment `d`.
pub(super) const COLUMNS: &str =
    "(SELECT o.service FROM origin o WHERE o.uuid = d.uuid) AS service,
    (SELECT o.id FROM origin o WHERE o.uuid = d.uuid) AS id_there";

/// The origin in two columns of a row.
pub(super) fn from_row(row: &Row, column: usize) -> Option<Remote> {
    Some(Remote {
        service: row.text(column)?,
        id: row.text(column + 1)?,
    })
}

/// The deployment with this origin.
pub(super) fn identified(uuid: Uuid, origin: Option<Remote>) -> DeploymentId {
    DeploymentId {
        uuid,
        remote: origin.map(Arc::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Deployment;

    #[test]
    fn a_deployment_without_an_origin_belongs_to_every_service_with_uuids() {
        let mut archive = Archive::in_memory().unwrap();
        let old = Deployment::new(Uuid::from_u128(7));
        archive.amend(&old, |_| {}, 1.0).unwrap();
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        archive.list_only(Listed::Of("https://a.example".to_owned()));
        assert_eq!(archive.watched().unwrap(), []);
        let new = Deployment::new(DeploymentId::new("https://a.example", "SPOT-1"));
        archive.amend(&new, |_| {}, 2.0).unwrap();
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&new));
        let id = "SELECT id FROM origin WHERE service = 'https://a.example'";
        let id: String = archive.connection.row(id, (), |row| row.get(0)).unwrap();
        assert_eq!(id, "SPOT-1");
        archive.list_only(Listed::default());
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        archive.list_only(Listed::All);
        assert_eq!(archive.watched().unwrap(), [old, new]);
    }

    #[test]
    fn a_uuid_of_another_profile_is_another_deployment_unless_that_has_the_same_address() {
        let mut archive = Archive::in_memory().unwrap();
        let [a, b] = ["https://a.example", "https://b.example"].map(str::to_owned);
        let of = |base: &String| Listed::Plain {
            base: Some(base.clone()),
            others: vec![a.clone(), b.clone()],
        };
        let uuid = Uuid::from_u128(7);
        archive.list_only(of(&a));
        let first = Deployment::new(uuid);
        assert!(archive.amend(&first, |_| {}, 1.0).unwrap());
        assert_eq!(archive.namesakes().unwrap(), HashMap::new());
        assert!(!archive.amend(&first, |_| {}, 2.0).unwrap());
        archive.list_only(of(&b));
        let refused = archive.amend(&first, |_| {}, 3.0).unwrap_err();
        assert!(matches!(refused, ArchiveError::Elsewhere { .. }));
        let own = archive.namesakes().unwrap()[&uuid].clone();
        assert!(
            archive
                .amend(&Deployment::new(own.clone()), |_| {}, 4.0)
                .unwrap()
        );
        assert_eq!(archive.watched().unwrap()[0].id, own);
        assert_eq!(archive.namesakes().unwrap()[&uuid], own);
        archive.list_only(of(&a));
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&first));
        // A service with other ids at the same address has deployments of its own.
        archive.list_only(Listed::Of(a.clone()));
        assert_eq!(archive.watched().unwrap(), []);
        let other = Deployment::new(DeploymentId::new(&a, &uuid.to_string()));
        assert!(archive.amend(&other, |_| {}, 5.0).unwrap());
        assert_eq!(archive.watched().unwrap(), [other]);
        archive.list_only(of(&a));
        assert_eq!(archive.watched().unwrap(), [first]);
    }

    #[test]
    fn a_deployment_belongs_to_the_base_url_that_it_was_added_under() {
        let mut archive = Archive::in_memory().unwrap();
        let [old, new] = [7, 8].map(|number| Deployment::new(Uuid::from_u128(number)));
        archive.amend(&old, |_| {}, 1.0).unwrap();
        let at = |name: &str| Listed::Plain {
            base: Some(format!("https://{name}.example")),
            others: Vec::new(),
        };
        archive.list_only(at("a"));
        let label = |entry: &mut Deployment| entry.label = Some("Kara".to_owned());
        assert!(archive.amend(&new, label, 2.0).unwrap());
        assert_eq!(archive.watched().unwrap().len(), 2);
        // What was stored before stays without an origin, also when it is edited.
        assert!(!archive.amend(&old, |_| {}, 2.0).unwrap());

        archive.list_only(at("b"));
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        assert_eq!(archive.entry(new.id.uuid).unwrap(), None);
        assert!(!archive.is_watched(new.id.uuid).unwrap());
        let of_a = [("https://a.example".to_owned(), vec!["Kara".to_owned()])];
        assert_eq!(archive.other_services().unwrap(), of_a);
        let answer = crate::archive::tests::answer(&crate::track::Records::default(), 3.0);
        let refused = archive.ingest(new.id.uuid, &answer).unwrap_err();
        assert!(
            refused.to_string().contains("https://a.example"),
            "{refused}"
        );

        // Adding it moves it, with its settings.
        assert!(archive.amend(&new, |_| {}, 4.0).unwrap());
        let moved = archive.entry(new.id.uuid).unwrap().unwrap();
        assert_eq!(moved.label.as_deref(), Some("Kara"));
        assert_eq!(archive.other_services().unwrap(), []);
        archive.list_only(at("a"));
        assert_eq!(archive.watched().unwrap(), [old]);
        // An edit of a program that still shows it does not move it back.
        assert!(!archive.change(Some(&moved), &new, true, 5.0).unwrap());
        assert_eq!(archive.other_services().unwrap().len(), 1);
    }
}
