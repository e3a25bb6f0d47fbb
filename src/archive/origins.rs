//! The ids of deployments at services with a different interface. A deployment belongs to the service
//! that it was added under; a deployment without an origin to each service with UUIDs.

use uuid::Uuid;

use super::Archive;
use super::connection::Connection;
use super::sql::{Result, params};
use crate::track::Deployment;
use crate::track::remote::Remote;

/// The deployments that are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Listed {
    /// Deployments without an origin.
    #[default]
    Plain,
    /// Deployments of this service, which has a different interface.
    Of(String),
    /// All.
    All,
}

impl Listed {
    fn has(&self, uuid: Uuid) -> bool {
        let service = Remote::of(uuid).map(|remote| remote.service);
        match self {
            Self::Plain => service.is_none(),
            Self::Of(name) => service.is_some_and(|service| *service == **name),
            Self::All => true,
        }
    }
}

impl Archive {
    /// Sets which deployments are listed from now on.
    pub(crate) fn list_only(&mut self, listed: Listed) {
        self.listed = listed;
        // A failure is reported when the ids are needed.
        let _ = read(&self.connection);
    }

    pub(super) fn lists(&self, deployment: Option<&Deployment>) -> bool {
        // A deployment whose UUID cannot be read may be of any service.
        deployment.is_none_or(|deployment| self.listed.has(deployment.uuid))
    }
}

/// Stores the id of a deployment at its service, if it is not stored.
pub(super) fn write(connection: &Connection, uuid: Uuid) -> Result<()> {
    let Some(Remote { service, id }) = Remote::of(uuid) else {
        return Ok(());
    };
    connection.execute(
        "INSERT INTO origin (uuid, service, id) VALUES (?1, ?2, ?3) ON CONFLICT (uuid) DO NOTHING",
        params![uuid.to_string(), &*service, &*id],
    )?;
    Ok(())
}

/// Makes the ids of the stored deployments at their services known to this program.
pub(super) fn read(connection: &Connection) -> Result<()> {
    connection.each_row("SELECT uuid, service, id FROM origin", (), |row| {
        let uuid = row.uuid(0);
        if let (Some(uuid), Some(service), Some(id)) = (uuid, row.text(1), row.text(2)) {
            Remote::know(uuid, &service, &id);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_without_an_origin_belongs_to_every_service_with_uuids() {
        let mut archive = Archive::in_memory().unwrap();
        let old = Deployment::new(Uuid::from_u128(7));
        archive.amend(&old, |_| {}, 1.0).unwrap();
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        archive.list_only(Listed::Of("https://a.example".to_owned()));
        assert_eq!(archive.watched().unwrap(), []);
        let new = Deployment::new(Remote::uuid("https://a.example", "SPOT-1"));
        archive.amend(&new, |_| {}, 2.0).unwrap();
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&new));
        let id = "SELECT id FROM origin WHERE service = 'https://a.example'";
        let id: String = archive.connection.row(id, (), |row| row.get(0)).unwrap();
        assert_eq!(id, "SPOT-1");
        archive.list_only(Listed::Plain);
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        archive.list_only(Listed::All);
        assert_eq!(archive.watched().unwrap(), [old, new]);
    }
}
