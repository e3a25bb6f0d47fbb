//! A folder of recorded answers, served as they are.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::world::Deployment;
use crate::track::Platform;

/// A recorded answer.
#[derive(Debug, Clone)]
pub struct File {
    pub(super) deployment: Deployment,
    pub(super) path: PathBuf,
}

/// Why a folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// It cannot be read.
    #[error("the folder {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// The system's word for it.
        source: std::io::Error,
    },
    /// It holds no JSON file.
    #[error("the folder {} holds no file that ends in .json", .0.display())]
    Empty(PathBuf),
}

/// The JSON files of a folder by name. A file named by a UUID is that
/// deployment; another gets a version 5 UUID (RFC 9562) from its name, of the
/// URL namespace, so that it is the same one every time.
pub(super) fn read_folder(folder: &Path) -> Result<Vec<File>, FilesError> {
    let unreadable = |source| FilesError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
            && path.is_file()
        {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(FilesError::Empty(folder.to_owned()));
    }
    Ok(paths
        .into_iter()
        .map(|path| {
            let label = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let uuid = Uuid::parse_str(&label).unwrap_or_else(|_| {
                Uuid::new_v5(
                    &Uuid::NAMESPACE_URL,
                    format!("urn:driftline:track:{label}").as_bytes(),
                )
            });
            File {
                deployment: Deployment {
                    uuid,
                    label,
                    platform: Platform::Generic,
                },
                path,
            }
        })
        .collect())
}
