//! What services of another shape call the deployments. A deployment belongs to the service
//! that it was added under; one without an origin to each that has UUIDs.

use uuid::Uuid;

use super::Archive;
use super::connection::Connection;
use super::sql::{self, params, text};
use crate::track::Deployment;
use crate::track::remote::Remote;

/// The deployments that are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Listed {
    /// Deployments without an origin.
    #[default]
    Plain,
    /// Deployments of a service of another shape.
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
        // What cannot be read now is told by what needs it.
        let _ = read(&self.connection);
    }

    pub(super) fn lists(&self, deployment: Option<&Deployment>) -> bool {
        // One whose UUID cannot be read may be of any service.
        deployment.is_none_or(|one| self.listed.has(one.uuid))
    }
}

/// Stores what the service calls a deployment, where it is not stored.
pub(super) fn write(connection: &Connection, uuid: Uuid) -> sql::Result<()> {
    let Some(Remote { service, id }) = Remote::of(uuid) else {
        return Ok(());
    };
    connection.execute(
        "INSERT INTO origin (uuid, service, id) VALUES (?1, ?2, ?3) ON CONFLICT (uuid) DO NOTHING",
        params![uuid.to_string(), &*service, &*id],
    )?;
    Ok(())
}

/// Takes note of what services call the deployments that are stored.
pub(super) fn read(connection: &Connection) -> sql::Result<()> {
    let has_origins: bool =
        connection.query_row(connection.has_table(), ["origin"], |row| row.get(0))?;
    if !has_origins {
        return Ok(());
    }
    let mut statement = connection.prepare("SELECT uuid, service, id FROM origin")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let uuid = text(row, 0)?.and_then(|uuid| Uuid::parse_str(&uuid).ok());
        if let (Some(uuid), Some(service), Some(id)) = (uuid, text(row, 1)?, text(row, 2)?) {
            Remote::know(uuid, &service, &id);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;
    use crate::archive::sql::OptionalExtension;

    #[test]
    fn an_archive_of_before_belongs_to_every_service_with_uuids() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let old = Deployment::new(Uuid::from_u128(7));
        let mut archive = Archive::open(&path).unwrap();
        archive.watch(&old, 1.0).unwrap();
        archive
            .connection
            .execute_batch("DROP TABLE origin")
            .unwrap();
        drop(archive);
        let mut archive = Archive::open_existing(&path).unwrap().unwrap();
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        archive.list_only(Listed::Of("https://a.example".to_owned()));
        assert_eq!(archive.watched().unwrap(), []);
        // It can be copied as it is, and has the table when it is written to.
        archive
            .copy_into(&mut Archive::in_memory().unwrap())
            .unwrap();
        archive.make_writable().unwrap();
        let new = Deployment::new(Remote::uuid("https://a.example", "SPOT-1"));
        archive.watch(&new, 2.0).unwrap();
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&new));
        let id = "SELECT id FROM origin WHERE service = 'https://a.example'";
        let id: Option<String> = archive
            .connection
            .query_row(id, [], |row| row.get(0))
            .optional()
            .unwrap();
        assert_eq!(id.as_deref(), Some("SPOT-1"));
        archive.list_only(Listed::Plain);
        assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&old));
        archive.list_only(Listed::All);
        assert_eq!(archive.watched().unwrap(), [old, new]);
    }
}
