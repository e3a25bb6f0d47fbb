//! The ids of deployments at services with a mapping, which may be any text. The rest of the
//! program uses a UUID made of the service and the id. Neither ever changes, so one table of
//! known ids serves the whole program.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use uuid::Uuid;

/// The name of a deployment at its service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remote {
    /// The service: its base address, or the profile of a command.
    pub service: Arc<str>,
    /// The name there.
    pub id: Arc<str>,
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

static KNOWN: RwLock<BTreeMap<Uuid, Remote>> = RwLock::new(BTreeMap::new());

impl Remote {
    /// The UUID of a deployment with this id at a service.
    pub(crate) fn uuid(service: &str, id: &str) -> Uuid {
        let name = format!("{service}\n{id}");
        let uuid = Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes());
        Self::know(uuid, service, id);
        uuid
    }

    /// Records the service and the id of a UUID.
    pub(crate) fn know(uuid: Uuid, service: &str, id: &str) {
        if Self::by_uuid(uuid).is_none() {
            let service = service.into();
            let id = id.into();
            let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
            known.insert(uuid, Self { service, id });
        }
    }

    /// The service and the id of a UUID; `None` if the service itself uses UUIDs.
    pub(crate) fn by_uuid(uuid: Uuid) -> Option<Self> {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&uuid).cloned()
    }

    /// The id for people and files.
    pub(crate) fn shown(uuid: Uuid) -> String {
        Self::by_uuid(uuid).map_or_else(|| uuid.to_string(), |remote| remote.id.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_at_two_services_is_two_deployments() {
        let [a, b] =
            ["https://a.example", "https://b.example"].map(|it| Remote::uuid(it, "SPOT-1"));
        assert_ne!(a, b);
        // By Python's `uuid.uuid5(uuid.NAMESPACE_URL, "https://a.example\nSPOT-1")`.
        assert_eq!(a.to_string(), "b70d9aa9-21cf-5fb1-aff4-1815ddc67fd2");
        assert_eq!(Remote::uuid("https://a.example", "SPOT-1"), a);
        assert_ne!(Remote::uuid("https://a.example", "spot-1"), a);
        assert_eq!(Remote::shown(b), "SPOT-1");
        let plain = Uuid::from_u128(7);
        assert_eq!(Remote::shown(plain), plain.to_string());
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
