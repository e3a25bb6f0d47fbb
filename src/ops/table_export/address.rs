//! The address of a table: a bucket or container with a prefix, or a folder.

use std::fmt;
use std::path::PathBuf;

use crate::failure::{Failure, FailureKind};

/// The address of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableAddress {
    pub(super) service: Service,
    /// The bucket or container; empty for a folder.
    pub(super) bucket: String,
    /// The path in the bucket, without a slash at its ends; empty for a folder.
    pub(super) prefix: String,
}

/// The storage that holds a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Service {
    /// Amazon S3, or another that speaks its language.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
    /// A folder of this computer.
    Folder(PathBuf),
}

const FORMS: &str = "An address is s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER.";

/// The failure of what is no address of a table. No part of the address is in it:
/// it may hold a key.
fn refused(why: &str) -> Failure {
    Failure::new(
        FailureKind::Usage,
        format!("the address of the table cannot be used: {why}"),
        FORMS,
    )
}

impl TableAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// [`FailureKind::Usage`] for what is none.
    pub(super) fn parse(given: &str) -> Result<Self, Failure> {
        let (scheme, rest) = given
            .split_once("://")
            .ok_or_else(|| refused("it has no scheme"))?;
        if given.chars().any(char::is_control) {
            return Err(refused("it has a control character"));
        }
        if scheme == "file" {
            return Self::folder(rest);
        }
        let service = match scheme {
            "s3" => Service::S3,
            "gs" => Service::Gcs,
            "az" => Service::Azure,
            _ => return Err(refused("its scheme is another")),
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.contains('@') {
            return Err(refused(
                "it holds a key, which is read from the environment",
            ));
        }
        if rest.contains(['?', '#']) {
            return Err(refused("it has a query"));
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if bucket.is_empty() || !bucket.bytes().all(is_name) {
            return Err(refused("it names no bucket"));
        }
        let prefix = prefix.trim_end_matches('/');
        let is_part = |part: &str| !matches!(part, "" | "." | "..");
        if !prefix.is_empty() && !prefix.split('/').all(is_part) {
            return Err(refused("its prefix has an empty part, `.` or `..`"));
        }
        Ok(Self {
            service,
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
        })
    }

    fn folder(rest: &str) -> Result<Self, Failure> {
        let path = percent_encoding::percent_decode_str(rest).decode_utf8();
        let path = path.map_err(|_| refused("it is no text"))?;
        if !path.starts_with('/') || path.trim_end_matches('/').is_empty() {
            return Err(refused("it names no folder"));
        }
        // `file:///C:/table` is C:/table.
        let path = if cfg!(windows) {
            path.trim_start_matches('/')
        } else {
            path.as_ref()
        };
        Ok(Self {
            service: Service::Folder(PathBuf::from(path)),
            bucket: String::new(),
            prefix: String::new(),
        })
    }
}

impl fmt::Display for TableAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match &self.service {
            Service::S3 => "s3",
            Service::Gcs => "gs",
            Service::Azure => "az",
            Service::Folder(path) => {
                let path = path.display().to_string();
                return f.write_str(&crate::text::excerpt(&path, 200));
            }
        };
        write!(f, "{scheme}://{}", self.bucket)?;
        match self.prefix.as_str() {
            "" => Ok(()),
            prefix => write!(f, "/{}", crate::text::excerpt(prefix, 200)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_bucket_and_a_prefix_or_a_folder() {
        for (given, shown) in [
            ("s3://buoys/north/sea/", "s3://buoys/north/sea"),
            ("s3://buoys", "s3://buoys"),
            ("gs://a.b-c_d/x", "gs://a.b-c_d/x"),
            ("az://container/x y", "az://container/x y"),
        ] {
            assert_eq!(TableAddress::parse(given).unwrap().to_string(), shown);
        }
        #[cfg(unix)]
        {
            let folder = TableAddress::parse("file:///tmp/a%20b").unwrap();
            assert_eq!(folder.service, Service::Folder("/tmp/a b".into()));
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_a_word_of_it() {
        for given in [
            "s3://",
            "s3:///secret",
            "s3://secret:key@bucket/x",
            "s3://secret/x?key=secret",
            "s3://secret/x#secret",
            "s3://secret/../x",
            "s3://secret//x",
            "s3://sec ret/x",
            "s3://secret/\u{1b}[2J",
            "http://secret/x",
            "hdfs://secret/x",
            "file://secret/x",
            "file:///",
            "file:///%ff",
        ] {
            let failure = TableAddress::parse(given).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Usage, "{given}");
            assert!(!failure.to_string().contains("secret"), "{failure}");
            assert!(failure.to_string().contains("s3://BUCKET/PREFIX"));
        }
    }
}
