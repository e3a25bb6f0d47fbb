//! The store of a table: objects below a prefix, each written as a whole or not at
//! all.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientConfigKey, Error, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::address::{Service, TableAddress};
use super::refusal::{opening_failed, plain_http, refusal};
use crate::failure::{Failure, FailureKind};
use crate::formats::table_file::TableFileState;
use crate::ops::blocking::blocking;

/// The user agent of the requests.
const AGENT: &str = concat!("driftline/", env!("CARGO_PKG_VERSION"));
/// Bytes of a part of an upload; what is smaller is sent at once. S3 takes 10,000,
/// of which only the last may be smaller than this.
const PART: usize = 5 << 20;
/// Parts that are sent at the same time.
const AT_ONCE: usize = 4;
/// Bytes at the end of a file that are read at first: of most they have all it says of
/// itself.
const END: u64 = 64 << 10;
/// Longest wait for the end of an upload that is given up.
const GIVING_UP: Duration = Duration::from_secs(10);

/// An object below the prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The path below the prefix.
    pub(super) path: String,
    pub(super) bytes: u64,
}

/// The limits of the connections to a store.
struct Connections {
    client: [(ClientConfigKey, String); 4],
    retry: RetryConfig,
}

impl Connections {
    /// Connections that are given up after `silence` without a byte.
    fn new(silence: Duration) -> Self {
        let milliseconds = |time: Duration| format!("{} ms", time.as_millis());
        let connect = (silence / 2).min(Duration::from_secs(10));
        Self {
            client: [
                (ClientConfigKey::UserAgent, AGENT.to_owned()),
                (ClientConfigKey::ConnectTimeout, milliseconds(connect)),
                (ClientConfigKey::ReadTimeout, milliseconds(silence)),
                // Of a request with all its bytes, also if the server reads none.
                (ClientConfigKey::Timeout, milliseconds(silence * 4)),
            ],
            retry: RetryConfig {
                max_retries: 4,
                retry_timeout: silence * 4,
                ..RetryConfig::default()
            },
        }
    }
}

/// A store at the service of an address.
struct Reached {
    inner: Arc<dyn ObjectStore>,
    has_credentials: bool,
}

fn reached(
    address: &TableAddress,
    built: object_store::Result<impl ObjectStore>,
    has_credentials: bool,
) -> Result<Reached, Failure> {
    let inner = built.map_err(|error| opening_failed(address, &error))?;
    Ok(Reached {
        inner: Arc::new(inner),
        has_credentials,
    })
}

fn s3(address: &TableAddress, connections: Connections) -> Result<Reached, Failure> {
    let builder = AmazonS3Builder::from_env()
        .with_bucket_name(&address.bucket)
        .with_retry(connections.retry);
    let builder = connections
        .client
        .into_iter()
        .fold(builder, |builder, (key, value)| {
            builder.with_config(AmazonS3ConfigKey::Client(key), value)
        });
    let known = [
        AmazonS3ConfigKey::AccessKeyId,
        AmazonS3ConfigKey::WebIdentityTokenFile,
        AmazonS3ConfigKey::ContainerCredentialsRelativeUri,
        AmazonS3ConfigKey::ContainerCredentialsFullUri,
    ];
    let is_set = |key: &AmazonS3ConfigKey| builder.get_config_value(key).is_some();
    let is_on = |key: &AmazonS3ConfigKey| is_on(builder.get_config_value(key));
    let has_credentials = known.iter().any(is_set) || is_on(&AmazonS3ConfigKey::SkipSignature);
    let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
    if is_plain(endpoint) && !is_on(&AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp)) {
        return Err(plain_http(address, "AWS_ALLOW_HTTP"));
    }
    reached(address, builder.build(), has_credentials)
}

fn gcs(address: &TableAddress, connections: Connections) -> Result<Reached, Failure> {
    let builder = GoogleCloudStorageBuilder::from_env()
        .with_bucket_name(&address.bucket)
        .with_retry(connections.retry);
    let builder = connections
        .client
        .into_iter()
        .fold(builder, |builder, (key, value)| {
            builder.with_config(GoogleConfigKey::Client(key), value)
        });
    let known = [
        GoogleConfigKey::ServiceAccount,
        GoogleConfigKey::ServiceAccountKey,
        GoogleConfigKey::ApplicationCredentials,
        GoogleConfigKey::BearerToken,
    ];
    let is_set = |key: &GoogleConfigKey| builder.get_config_value(key).is_some();
    // Without a signature a write still needs a token.
    let has_credentials = known.iter().any(is_set);
    let endpoint = builder.get_config_value(&GoogleConfigKey::BaseUrl);
    // The builder allows it whatever is set: an instance asks over plain
    // HTTP who its user is.
    if is_plain(endpoint) && !is_on(std::env::var("GOOGLE_ALLOW_HTTP").ok()) {
        return Err(plain_http(address, "GOOGLE_ALLOW_HTTP"));
    }
    reached(address, builder.build(), has_credentials)
}

fn azure(address: &TableAddress, connections: Connections) -> Result<Reached, Failure> {
    let builder = MicrosoftAzureBuilder::from_env()
        .with_container_name(&address.bucket)
        .with_retry(connections.retry);
    let builder = connections
        .client
        .into_iter()
        .fold(builder, |builder, (key, value)| {
            builder.with_config(AzureConfigKey::Client(key), value)
        });
    let known = [
        AzureConfigKey::AccessKey,
        AzureConfigKey::ClientSecret,
        AzureConfigKey::SasKey,
        AzureConfigKey::Token,
        AzureConfigKey::FederatedTokenFile,
        AzureConfigKey::MsiEndpoint,
    ];
    let stand_ins = [
        AzureConfigKey::UseEmulator,
        AzureConfigKey::UseAzureCli,
        AzureConfigKey::SkipSignature,
    ];
    let is_set = |key: &AzureConfigKey| builder.get_config_value(key).is_some();
    let is_on = |key: &AzureConfigKey| is_on(builder.get_config_value(key));
    let has_credentials = known.iter().any(is_set) || stand_ins.iter().any(is_on);
    let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
    if is_plain(endpoint) && !is_on(&AzureConfigKey::Client(ClientConfigKey::AllowHttp)) {
        return Err(plain_http(address, "AZURE_ALLOW_HTTP"));
    }
    reached(address, builder.build(), has_credentials)
}

fn local(address: &TableAddress, folder: &std::path::Path) -> Result<Reached, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("the folder {address} cannot be made: {error}"),
            "Name another folder, or correct its permissions.",
        )
    })?;
    let folder = LocalFileSystem::new_with_prefix(folder);
    reached(address, folder.map(|folder| folder.with_fsync(true)), true)
}

/// The store of a table.
pub(super) struct TableStore {
    inner: Arc<dyn ObjectStore>,
    prefix: Path,
    address: TableAddress,
    /// `true` if the environment says who the user is.
    has_credentials: bool,
    /// The upload in progress.
    upload: Mutex<Option<Box<dyn MultipartUpload>>>,
}

impl TableStore {
    /// The store at an address, with the credentials and the endpoint of the
    /// environment. Nothing is sent yet. After `silence` without a byte a
    /// connection is given up.
    ///
    /// # Errors
    /// [`FailureKind::Usage`] when the environment does not say enough;
    /// [`FailureKind::Other`] when a folder cannot be made.
    pub(super) fn open(address: TableAddress, silence: Duration) -> Result<Self, Failure> {
        let prefix = Path::parse(&address.prefix)
            .map_err(|error| opening_failed(&address, &error.into()))?;
        // Fails only if a provider is already installed, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let connections = Connections::new(silence);
        let Reached {
            inner,
            has_credentials,
        } = match &address.service {
            Service::S3 => s3(&address, connections)?,
            Service::Gcs => gcs(&address, connections)?,
            Service::Azure => azure(&address, connections)?,
            Service::Folder(folder) => local(&address, folder)?,
        };
        Ok(Self {
            inner,
            prefix,
            address,
            has_credentials,
            upload: Mutex::new(None),
        })
    }

    /// The address, as messages show it.
    pub(super) fn address(&self) -> &TableAddress {
        &self.address
    }

    fn place(&self, path: &str) -> Result<Path, Failure> {
        let path = match self.prefix.as_ref() {
            "" => path.to_owned(),
            prefix => format!("{prefix}/{path}"),
        };
        Path::parse(path).map_err(|error| opening_failed(&self.address, &error.into()))
    }

    fn failed(&self, doing: &str, error: &Error) -> Failure {
        refusal(&self.address, self.has_credentials, doing, error)
    }

    /// All objects below the prefix.
    ///
    /// # Errors
    /// When the store refuses or cannot be reached.
    pub(super) async fn list(&self) -> Result<Vec<Found>, Failure> {
        let of = |meta: object_store::ObjectMeta| Found {
            path: self.path_below(&meta.location),
            bytes: meta.size,
        };
        let listed = self.inner.list(Some(&self.prefix)).map_ok(of);
        let listed: Result<Vec<Found>, Error> = listed.try_collect().await;
        let error = match listed {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        // A list has one error for all refusals. An object that is asked for has one for
        // a user who may not, whether it is there or not.
        let asked = self.inner.get(&self.place("month")?).await;
        Err(match asked {
            Err(denied @ (Error::PermissionDenied { .. } | Error::Unauthenticated { .. })) => {
                self.failed("listing", &denied)
            }
            _ => self.failed("listing", &error),
        })
    }

    fn path_below(&self, location: &Path) -> String {
        let whole = location.as_ref();
        let rest = whole.strip_prefix(self.prefix.as_ref()).unwrap_or(whole);
        rest.trim_start_matches('/').to_owned()
    }

    /// Reads the state of a file of the table; `None` if it is not such a file.
    ///
    /// # Errors
    /// When the store refuses or cannot be reached.
    pub(super) async fn state(&self, file: &Found) -> Result<Option<TableFileState>, Failure> {
        let end = self.end(file, END).await?;
        match TableFileState::bytes(&end) {
            Some(bytes) if bytes <= END => Ok(TableFileState::read(&end)),
            Some(bytes) => Ok(TableFileState::read(&self.end(file, bytes).await?)),
            None => Ok(None),
        }
    }

    /// So many of the last bytes of an object, or all of them.
    async fn end(&self, file: &Found, bytes: u64) -> Result<Vec<u8>, Failure> {
        let range = file.bytes.saturating_sub(bytes)..file.bytes;
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let place = self.place(&file.path)?;
        let read = self.inner.get_range(&place, range).await;
        let read = read.map_err(|error| self.failed(&format!("reading {}", file.path), &error))?;
        Ok(read.to_vec())
    }

    /// Writes a file of this many bytes from its current position; an existing object is
    /// replaced: readers see the old one until the new one is complete.
    ///
    /// # Errors
    /// When the file cannot be read, or the store refuses or cannot be reached.
    /// No part of it is visible then.
    pub(super) async fn upload(&self, path: &str, file: File, bytes: u64) -> Result<(), Failure> {
        let place = self.place(path)?;
        let failed = |error: Error| self.failed(&format!("writing {path}"), &error);
        if bytes <= PART as u64 {
            let (_, all) = part(file).await?;
            let put = self.inner.put(&place, PutPayload::from(all)).await;
            return put.map(drop).map_err(failed);
        }
        let begun = self.inner.put_multipart(&place).await.map_err(failed)?;
        *self.upload.lock().await = Some(begun);
        let sent = self.send(file, failed).await;
        if sent.is_err() {
            self.give_up().await;
        }
        sent
    }

    /// Sends a file as the parts of the upload in progress, and completes that.
    async fn send(&self, mut file: File, failed: impl Fn(Error) -> Failure) -> Result<(), Failure> {
        let mut sending = JoinSet::new();
        loop {
            let (rest, bytes) = part(file).await?;
            file = rest;
            let is_end = bytes.is_empty();
            if let (false, Some(upload)) = (is_end, self.upload.lock().await.as_mut()) {
                sending.spawn(upload.put_part(PutPayload::from(bytes)));
            }
            let most = if is_end { 0 } else { AT_ONCE - 1 };
            while sending.len() > most
                && let Some(sent) = sending.join_next().await
            {
                sent.map_err(Error::from).flatten().map_err(&failed)?;
            }
            if is_end {
                break;
            }
        }
        let mut upload = self.upload.lock().await;
        if let Some(begun) = upload.as_mut() {
            begun.complete().await.map_err(failed)?;
        }
        *upload = None;
        Ok(())
    }

    /// Gives up the upload in progress, if there is one: the store forgets its
    /// parts.
    pub(super) async fn give_up(&self) {
        if let Some(mut upload) = self.upload.lock().await.take() {
            // Where the store cannot be reached it forgets them by its own rules.
            let _ = tokio::time::timeout(GIVING_UP, upload.abort()).await;
        }
    }
}

/// `true` if a value of the environment says yes, as `object_store` reads it.
fn is_on(value: Option<String>) -> bool {
    let value = value.unwrap_or_default().to_ascii_lowercase();
    matches!(value.as_str(), "1" | "true" | "on" | "yes" | "y")
}

/// `true` if an endpoint gets the requests over plain HTTP.
fn is_plain(endpoint: Option<String>) -> bool {
    endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"))
}

/// The next part of a file, read on a blocking thread; empty at its end.
async fn part(mut file: File) -> Result<(File, Vec<u8>), Failure> {
    let failed = |reason: String| {
        Failure::new(
            FailureKind::Other,
            format!("the temporary file cannot be read: {reason}"),
            "Try again.",
        )
    };
    let read = blocking(move || {
        let mut bytes = Vec::new();
        let read = (&mut file).take(PART as u64).read_to_end(&mut bytes);
        read.map(|_| (file, bytes))
    });
    read.await
        .map_err(|error| failed(error.to_string()))?
        .map_err(|error| failed(error.to_string()))
}
