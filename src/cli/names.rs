//! The deployment that a word names: by its id, or, of the watch list, by its label or the
//! first characters of its id.

use uuid::Uuid;

use super::file::word::is_file;
use super::run::Run;
use crate::app::session::connect;
use crate::app::store::Store;
use crate::app::watch_list;
use crate::archive::Archive;
use crate::failure::Failure;
use crate::mapping::Service;
use crate::settings::Settings;
use crate::text;
use crate::watch::Deployment;
use crate::watch::DeploymentId;
use crate::watch::deployment::{named, not_a_uuid};

impl Run {
    /// The deployment that a word names.
    ///
    /// # Errors
    /// As [`deployment()`].
    pub(super) async fn deployment(&self, typed: &str) -> Result<DeploymentId, Failure> {
        deployment(typed, &self.settings, &self.store).await
    }

    /// The deployments that words name, each once.
    ///
    /// # Errors
    /// As [`deployment()`], for the first word that names none.
    pub(super) async fn deployments(&self, typed: &[String]) -> Result<Vec<DeploymentId>, Failure> {
        let mut found = Vec::new();
        for word in typed {
            let deployment = self.deployment(word).await?;
            if !found.contains(&deployment) {
                found.push(deployment);
            }
        }
        Ok(found)
    }

    /// `true` for an id, and for a word that names deployments of the watch list.
    pub(super) async fn is_deployment(&self, typed: &str) -> bool {
        let is_listed = |list: Vec<Deployment>| !named(&list, typed).is_empty();
        Uuid::parse_str(typed.trim()).is_ok()
            || watch_list::watched(&self.settings, &self.store)
                .await
                .is_ok_and(is_listed)
    }
}

/// The deployment that a word names.
///
/// # Errors
/// `FailureKind::Usage` if it names none, or several; any if the watch list is needed and
/// cannot be read.
pub(super) async fn deployment(
    typed: &str,
    settings: &Settings,
    store: &Store,
) -> Result<DeploymentId, Failure> {
    if let Some(service) = connect::service(settings)? {
        let list = watch_list::watched(settings, store)
            .await
            .unwrap_or_default();
        return if named(&list, typed).is_empty() {
            remote(&service, typed)
        } else {
            one_named(&list, typed)
        };
    }
    match Uuid::parse_str(typed.trim()) {
        Ok(uuid) => Ok(plain(uuid, store).await),
        Err(_) => one_named(&watch_list::watched(settings, store).await?, typed),
    }
}

/// The deployment that has this UUID at the service in use, a service with UUIDs.
pub(super) async fn plain(uuid: Uuid, store: &Store) -> DeploymentId {
    // An archive that cannot be read is reported where it is needed.
    let mut namesakes = store.read(Archive::namesakes).await.unwrap_or_default();
    namesakes.remove(&uuid).unwrap_or_else(|| uuid.into())
}

/// The deployment with the id that another kind of service has for it.
///
/// # Errors
/// `FailureKind::Usage` for a text that cannot be an id.
pub(super) fn remote(service: &Service, typed: &str) -> Result<DeploymentId, Failure> {
    service.deployment(typed).map_err(|why| {
        let shown = text::excerpt(typed, 80);
        Failure::usage(format!("'{shown}' cannot be the id of a deployment: {why}"))
    })
}

/// The deployment of a list that a word names; a UUID names itself.
pub(super) fn one_named(list: &[Deployment], typed: &str) -> Result<DeploymentId, Failure> {
    let shown = text::excerpt(typed, 80);
    let parsed = Uuid::parse_str(typed.trim());
    let (failure, hint) = match (named(list, typed).as_slice(), parsed) {
        ([found], _) => return Ok(found.id.clone()),
        ([], Ok(uuid)) => return Ok(uuid.into()),
        ([], Err(error)) if is_like_uuid(typed) => {
            return Err(no_uuid(typed, &error.to_string()));
        }
        ([], _) if is_file(typed) => (
            format!("'{shown}' is a file, and this command reads no files"),
            "Name a deployment; `driftline track FILE`, `driftline map FILE` and `driftline check FILE` read files.".to_owned(),
        ),
        ([], _) => (
            format!("'{shown}' is no deployment of the watch list"),
            match near_label(list, typed) {
                Some(label) => format!(
                    "Did you mean \"{}\"? A label with blanks goes in quotation marks.",
                    text::excerpt(label, 60)
                ),
                None => "Name a deployment by its id, its label, or at least the first four \
                         characters of its id; `driftline deployments list` lists them."
                    .to_owned(),
            },
        ),
        (several, _) => {
            let each = several.iter().map(|entry| match &entry.label {
                Some(label) => {
                    format!("{} ({})", entry.id, text::excerpt(label, 60))
                }
                None => entry.id.to_string(),
            });
            (
                format!(
                    "'{shown}' names {} deployments: {}",
                    several.len(),
                    each.collect::<Vec<_>>().join(", ")
                ),
                "Give the id, or more of it.".to_owned(),
            )
        }
    };
    Err(Failure::usage(failure).with_hint(hint))
}

/// The deployment of a list that a word names; a UUID that is not in the list is refused.
pub(super) fn one_listed(list: &[Deployment], typed: &str) -> Result<DeploymentId, Failure> {
    let found = one_named(list, typed)?;
    let is_listed = list.iter().any(|entry| entry.id == found);
    is_listed.then_some(found).ok_or_else(|| {
        let shown = text::excerpt(typed, 80);
        let why = format!("'{shown}' is no deployment of the watch list");
        let hint = "`driftline deployments add` adds it by the id that the service has for it.";
        Failure::usage(why).with_hint(hint)
    })
}

/// A label that contains the typed word.
fn near_label<'a>(list: &'a [Deployment], typed: &str) -> Option<&'a str> {
    let typed = typed.trim().to_lowercase();
    let has_word = |label: &&str| {
        label
            .to_lowercase()
            .split_whitespace()
            .any(|word| word == typed)
    };
    let labels = list.iter().filter_map(|entry| entry.label.as_deref());
    labels.into_iter().find(has_word)
}

/// The failure for a word where a complete UUID is needed.
pub(super) fn no_uuid(typed: &str, why: &str) -> Failure {
    let shown = text::excerpt(typed, 80);
    let what = format!("'{shown}' is not a UUID: {why}");
    Failure::usage(what).with_hint(not_a_uuid(typed))
}

/// `true` for a word that looks like a mistyped UUID or another number of an instrument, and
/// not like a label or the beginning of a UUID.
fn is_like_uuid(typed: &str) -> bool {
    let typed = typed.trim();
    let is_digit = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    typed.len() >= 12
        && typed.bytes().filter(|byte| is_digit(*byte)).count() * 10 >= typed.len() * 9
}
