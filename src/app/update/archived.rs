//! The track of a deployment as the archive has it.

use std::sync::Arc;

use uuid::Uuid;

use super::keep::Assembled;
use super::prepare::assemble;
use crate::app::store::Store;
use crate::failure::Failure;
use crate::track::field::FieldChoice;
use crate::track::{FlagOverrides, TrackOptions};

/// Archived data of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct Archived {
    /// The flags that the user set.
    pub flags: FlagOverrides,
    /// The track; `None` if nothing is archived.
    pub track: Option<Assembled>,
}

/// The choice to read a track with or without the fields of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// With them.
    With,
    /// Without them, which takes less time.
    Without,
}

impl Fields {
    /// The fields for a file: with or without them, by its format, and by what the user
    /// chose of them.
    pub(crate) fn for_format(has_fields: bool, choice: Option<&FieldChoice>) -> Self {
        if has_fields && !choice.is_some_and(FieldChoice::is_none) {
            Self::With
        } else {
            Self::Without
        }
    }
}

/// The archived track of a deployment, assembled with the archived flags in addition to
/// those of `options`.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn archived(
    store: &Store,
    uuid: Uuid,
    options: TrackOptions,
    fields: Fields,
) -> Result<Archived, Failure> {
    let read = store.read_data(move |archive| {
        // The same UUID may be another instrument at another service.
        let stored = match fields {
            _ if archive.is_of_other_base(uuid)? => None,
            Fields::With => archive.stored_with_fields(uuid)?,
            Fields::Without => archive.stored(uuid)?,
        };
        Ok((archive.overrides(uuid)?, archive.clock(uuid)?, stored))
    });
    let (flags, clock, stored) = read.await?;
    let now = options.now;
    let options = TrackOptions {
        overrules: flags.merged_with(&options.overrules),
        ..options
    }
    .by_clock(clock, now);
    let track = match stored {
        None => None,
        Some(stored) => Some(Assembled {
            track: assemble(Arc::new(stored.records), options.clone(), None).await?,
            options: Box::new(options),
            fetched_at: stored.fetched_at,
        }),
    };
    Ok(Archived { flags, track })
}
