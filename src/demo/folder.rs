//! A folder of recorded responses, served unchanged.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::watch::Deployment;

/// Why a folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    /// It cannot be read.
    #[error("the folder '{}' cannot be read: {source}", crate::text::excerpt(&path.to_string_lossy(), 200))]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It contains no file to serve.
    #[error("the folder '{}' holds no file that ends in .json", crate::text::excerpt(&.0.to_string_lossy(), 200))]
    Empty(PathBuf),
}

/// The files of a folder, each with its deployment.
#[derive(Debug)]
pub(super) struct Folder(Vec<(PathBuf, Deployment)>);

impl Folder {
    pub(super) fn deployments(&self) -> Vec<Deployment> {
        let deployments = self.0.iter().map(|(_, deployment)| deployment.clone());
        deployments.collect()
    }

    /// The response for a deployment; `None` if it is unknown.
    pub(super) fn body(&self, uuid: Uuid) -> Option<io::Result<Vec<u8>>> {
        let (path, _) = self.0.iter().find(|(_, entry)| entry.id.uuid == uuid)?;
        let why = |_| io::Error::other("the recorded answer cannot be read");
        Some(std::fs::read(path).map_err(why))
    }
}

/// The JSON files of a folder, by name. A file named by a UUID is of that
/// deployment. Any other gets the version 5 UUID (RFC 9562) of
/// `urn:driftline:track:NAME` in the URL namespace, where NAME is its name
/// without `.json`: the same file is the same deployment on every computer. Its
/// label is that name.
///
/// # Errors
/// When the folder cannot be read or has no such file.
pub(super) fn recorded(folder: &Path) -> Result<Folder, FolderError> {
    let unreadable = |source| FolderError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut found: Vec<(PathBuf, Deployment)> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_json = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        // A link is followed; reading a pipe would block.
        if !is_json || !path.is_file() {
            continue;
        }
        let label = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let uuid = Uuid::parse_str(&label).unwrap_or_else(|_| {
            let name = format!("urn:driftline:track:{label}");
            Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
        });
        let deployment = Deployment {
            label: Some(label),
            ..Deployment::new(uuid)
        };
        found.push((path, deployment));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    // Two spellings of the same UUID are the same deployment; the first file counts.
    let mut known = HashSet::new();
    found.retain(|(_, deployment)| known.insert(deployment.id.uuid));
    if found.is_empty() {
        return Err(FolderError::Empty(folder.to_owned()));
    }
    Ok(Folder(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_uuid_or_get_one_from_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "[]").unwrap();
        write("argo_5903248.json");
        write("6F9619FF-8B86-D011-B42D-00C04FC964FF.JSON");
        write("notes.txt");
        std::fs::create_dir(folder.path().join("folder.json")).unwrap();
        let found = recorded(folder.path()).unwrap().deployments();
        let named: Vec<_> = found
            .iter()
            .map(|entry| (entry.id.uuid.to_string(), entry.name()))
            .collect();
        assert_eq!(named.len(), 2, "{named:?}");
        assert_eq!(named[0].0, "6f9619ff-8b86-d011-b42d-00c04fc964ff");
        // Computed with Python's uuid.uuid5.
        assert_eq!(
            named[1],
            (
                "83dd4c3b-1de4-5df0-9015-578ea328d728".to_owned(),
                "argo_5903248".to_owned()
            )
        );
    }

    #[test]
    fn a_folder_that_cannot_be_served_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let empty = recorded(folder.path()).unwrap_err().to_string();
        assert!(empty.contains("no file that ends in .json"), "{empty}");
        let missing = recorded(&folder.path().join("x\x1b[31m"))
            .unwrap_err()
            .to_string();
        assert!(
            missing.contains("cannot be read") && !missing.contains('\x1b'),
            "{missing}"
        );
    }
}
