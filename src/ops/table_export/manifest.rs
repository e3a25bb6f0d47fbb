//! What an export left behind in its target: how each month is divided, which files
//! there are, and what each deployment was like. The next one writes what differs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::partition::{Month, Partition};

/// The path of the manifest below the prefix. Readers of the table leave out names
/// that begin so.
pub(super) const PATH: &str = "_driftline/manifest.json";

/// The version of the manifest.
const VERSION: u32 = 1;
/// What every manifest says it is.
const KIND: &str = "driftline archive export";

/// What a deployment was like when it was exported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Exported {
    /// Number of records.
    pub(super) rows: u64,
    /// The sum of their hashes.
    pub(super) sum: u64,
    /// The number of the last batch of fields; none without fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fields: Option<i64>,
    /// The label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    /// The times of the first and the last record, whole UNIX seconds not after
    /// them.
    pub(super) first: i64,
    pub(super) last: i64,
    /// The number of the last fetch: records that came later have a higher one.
    pub(super) fetch: i64,
    /// The number of the last batch of fields.
    #[serde(default)]
    pub(super) batch: i64,
    /// A sum over the flags set by hand, of each month with some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) overrides: BTreeMap<Month, u64>,
}

/// A file of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileEntry {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// The state of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    kind: String,
    version: u32,
    /// When it was written, RFC 3339.
    pub(super) written_at: String,
    /// The number of buckets of each month.
    pub(super) months: BTreeMap<Month, u16>,
    /// The files by their path below the prefix.
    pub(super) files: BTreeMap<String, FileEntry>,
    /// The deployments by their UUID.
    pub(super) deployments: BTreeMap<String, Exported>,
}

impl Default for Manifest {
    /// Of an export that has not been done yet.
    fn default() -> Self {
        Self {
            kind: KIND.to_owned(),
            version: VERSION,
            written_at: String::new(),
            months: BTreeMap::new(),
            files: BTreeMap::new(),
            deployments: BTreeMap::new(),
        }
    }
}

/// Why a manifest cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ManifestError {
    /// It is not what driftline writes.
    #[error("its {PATH} is not what driftline writes")]
    Foreign,
    /// A newer driftline wrote it.
    #[error("it was made by a newer driftline")]
    Newer,
}

impl Manifest {
    /// Reads it.
    ///
    /// # Errors
    /// When the bytes are no manifest that this driftline knows.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Head {
            kind: String,
            version: u32,
        }
        let head: Head = serde_json::from_slice(bytes).map_err(|_| ManifestError::Foreign)?;
        if head.kind != KIND {
            return Err(ManifestError::Foreign);
        }
        if head.version > VERSION {
            return Err(ManifestError::Newer);
        }
        let read: Self = serde_json::from_slice(bytes).map_err(|_| ManifestError::Foreign)?;
        match read
            .months
            .values()
            .all(|buckets| (1..=256).contains(buckets))
        {
            true => Ok(read),
            false => Err(ManifestError::Foreign),
        }
    }

    /// As JSON.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// What a deployment was like.
    pub(super) fn of(&self, uuid: Uuid) -> Option<&Exported> {
        self.deployments.get(&uuid.to_string())
    }

    /// Whether a path is that of a file of the table.
    pub(super) fn may_hold(&self, path: &str) -> bool {
        path.parse::<Partition>().is_ok_and(|one| {
            let buckets = self.months.get(&one.month);
            buckets.is_some_and(|buckets| one.bucket < *buckets)
        })
    }

    /// Numbers of records and bytes of all files.
    pub(super) fn size(&self) -> (u64, u64) {
        let add = |(rows, bytes): (u64, u64), one: &FileEntry| (rows + one.rows, bytes + one.bytes);
        self.files.values().fold((0, 0), add)
    }

    /// Number of records in the files of a month.
    pub(super) fn rows_of(&self, month: Month) -> u64 {
        let prefix = format!("month={month}/");
        let files = self.files.range(prefix.clone()..);
        let files = files.take_while(|(path, _)| path.starts_with(&prefix));
        files.map(|(_, file)| file.rows).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let month: Month = "2026-01".parse().unwrap();
        let mut manifest = Manifest {
            written_at: "2026-02-01T00:00:00Z".to_owned(),
            ..Manifest::default()
        };
        manifest.months.insert(month, 4);
        let file = FileEntry {
            rows: 7,
            bytes: 900,
        };
        let path = Partition::of(month, 3, 4).to_string();
        manifest.files.insert(path.clone(), file);
        let exported = Exported {
            rows: 7,
            sum: u64::MAX - 1,
            fields: Some(i64::MIN),
            label: Some("buoy \"7\"".to_owned()),
            first: -5,
            last: 1_767_225_600,
            fetch: 12,
            batch: 3,
            overrides: [(month, 1 << 63)].into(),
        };
        let uuid = Uuid::from_u128(7);
        let deployments = &mut manifest.deployments;
        deployments.insert(uuid.to_string(), exported.clone());
        let read = Manifest::read(&manifest.bytes().unwrap()).unwrap();
        assert_eq!(read, manifest);
        assert_eq!(read.of(uuid), Some(&exported));
        assert_eq!((read.size(), read.rows_of(month)), ((7, 900), 7));
        assert_eq!(read.rows_of("2026-02".parse().unwrap()), 0);
        assert!(read.may_hold(&path));
        assert!(!read.may_hold("month=2026-01/bucket=04/records.parquet"));
        assert!(!read.may_hold("month=2026-02/bucket=00/records.parquet"));
    }

    #[test]
    fn what_is_no_manifest_of_this_driftline_is_refused() {
        let text = String::from_utf8(Manifest::default().bytes().unwrap()).unwrap();
        assert!(Manifest::read(text.as_bytes()).is_ok());
        for (from, to, expected) in [
            ("\"version\":1", "\"version\":2", ManifestError::Newer),
            (KIND, "another table", ManifestError::Foreign),
            (
                "\"months\":{}",
                "\"months\":{\"2026-01\":0}",
                ManifestError::Foreign,
            ),
            (
                "\"months\":{}",
                "\"months\":{\"2026\":1}",
                ManifestError::Foreign,
            ),
            ("}", "", ManifestError::Foreign),
        ] {
            let other = text.replace(from, to);
            assert_eq!(Manifest::read(other.as_bytes()), Err(expected), "{other}");
        }
    }
}
