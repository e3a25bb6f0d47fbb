//! The identity of a deployment, which carries its service.

use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

/// A deployment: its service, and its id there, which may be any text.
///
/// Two are equal if their `uuid` is.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeploymentId {
    /// The UUID of the program and of the archive: that of the service, or one made of the
    /// service and the id there.
    pub uuid: Uuid,
    /// Its service and its name there; `None` for a UUID whose service is not known.
    pub remote: Option<Arc<Remote>>,
}

/// The name of a deployment at its service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remote {
    /// The service: its base address, or the profile of a command.
    pub service: String,
    /// The name there.
    pub id: String,
}

/// The longest id, characters.
const LONGEST_ID: usize = 128;

/// `true` for what can be an id: 1 to 128 visible characters, with single blanks between
/// them; neither `.` nor `..`, which lead to another path.
pub(crate) fn is_id(text: &str) -> bool {
    let is_visible = |letter: char| !letter.is_control() && !letter.is_whitespace();
    !matches!(text, "." | "..")
        && text.chars().count() <= LONGEST_ID
        && text
            .split(' ')
            .all(|word| !word.is_empty() && word.chars().all(is_visible))
}

impl DeploymentId {
    /// The deployment that a service calls so, with a UUID made of both.
    pub(crate) fn new(service: &str, id: &str) -> Self {
        Self {
            uuid: named(&format!("{service}\n{id}")),
            remote: Some(Arc::new(Remote {
                service: service.to_owned(),
                id: id.to_owned(),
            })),
        }
    }

    /// The deployment of a service with UUIDs whose UUID one of another service has.
    pub(crate) fn namesake(service: &str, uuid: Uuid) -> Self {
        let id = uuid.to_string();
        Self {
            uuid: namesake(service, &id),
            ..Self::new(service, &id)
        }
    }
}

impl Remote {
    /// `true` for the deployment `uuid` of a service with UUIDs.
    pub(crate) fn has_uuids(&self, uuid: Uuid) -> bool {
        self.id == uuid.to_string() || namesake(&self.service, &self.id) == uuid
    }
}

fn named(name: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
}

/// No id has a line break: it is no deployment of a service with other ids.
fn namesake(service: &str, id: &str) -> Uuid {
    named(&format!("{service}\n{id}\n"))
}

impl DeploymentId {
    /// `true` if its UUID is that at its service.
    pub(crate) fn is_plain(&self) -> bool {
        let remote = self.remote.as_ref();
        remote.is_none_or(|remote| remote.id == self.uuid.to_string())
    }

    /// Its service, if that is known.
    pub(crate) fn service(&self) -> Option<&str> {
        self.remote.as_ref().map(|remote| &*remote.service)
    }
}

impl From<Uuid> for DeploymentId {
    /// A deployment of a service with UUIDs.
    fn from(uuid: Uuid) -> Self {
        Self { uuid, remote: None }
    }
}

impl PartialEq for DeploymentId {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}

impl Eq for DeploymentId {}

/// The id at its service, for people and files.
impl fmt::Display for DeploymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.remote {
            Some(remote) => f.write_str(&remote.id),
            None => self.uuid.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_at_two_services_is_two_deployments() {
        let [a, b] =
            ["https://a.example", "https://b.example"].map(|it| DeploymentId::new(it, "SPOT-1"));
        assert_ne!(a, b);
        // By Python's `uuid.uuid5(uuid.NAMESPACE_URL, "https://a.example\nSPOT-1")`.
        assert_eq!(a.uuid.to_string(), "b70d9aa9-21cf-5fb1-aff4-1815ddc67fd2");
        assert_eq!(DeploymentId::new("https://a.example", "SPOT-1"), a);
        assert_ne!(DeploymentId::new("https://a.example", "spot-1"), a);
        assert_eq!(b.to_string(), "SPOT-1");
        let uuid = Uuid::from_u128(7);
        let namesake = DeploymentId::namesake("https://a.example", uuid);
        assert_eq!(namesake.to_string(), uuid.to_string());
        // Neither is that which a service with other ids calls so.
        let other = DeploymentId::new("https://a.example", &uuid.to_string());
        assert_ne!(namesake, other);
        let has_uuids = |id: &DeploymentId| id.remote.as_ref().unwrap().has_uuids(id.uuid);
        assert!(has_uuids(&namesake) && !has_uuids(&other));
        let plain = Uuid::from_u128(7);
        assert_eq!(DeploymentId::from(plain).to_string(), plain.to_string());
    }

    #[test]
    fn an_id_is_visible_text_with_single_blanks() {
        let long = "a".repeat(LONGEST_ID);
        for id in ["SPOT-0222", "petrel 1", "ö:海", "...", &long] {
            assert!(is_id(id), "{id}");
        }
        let longer = "a".repeat(LONGEST_ID + 1);
        for id in [
            "", ".", "..", " a", "a ", "a  b", "a\tb", "a\u{a0}b", "a\u{7}", &longer,
        ] {
            assert!(!is_id(id), "{id:?}");
        }
    }
}
