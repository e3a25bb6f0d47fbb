//! A track, or its map, written to the file of a dialog.

use std::sync::Arc;

use crate::dashboard::dialogs::file_format::FileFormat;
use crate::dashboard::effect::ExportJob;
use crate::dashboard::event::ExportOutcome;
use crate::ops::export::{self, TypedFile, WrittenFile};
use crate::ops::output::WriteError;
use crate::ops::own_files::OwnFiles;
use crate::ops::store::Store;

/// The outcome of an export.
pub(super) async fn written(store: &Store, own: &OwnFiles, job: ExportJob) -> ExportOutcome {
    let file = TypedFile {
        path: job.path,
        replace: job.replace,
        deployment: job.deployment,
        fetched_at: job.fetched_at,
        now: job.now,
        range: job.range,
    };
    let written = match job.format {
        FileFormat::Track(format) => {
            let track = Arc::clone(job.track.track());
            export::typed_path(store, own, file, format, track).await
        }
        FileFormat::Map(format) => {
            export::typed_picture(own, file, format, job.style, job.track).await
        }
    };
    match written {
        Ok(WrittenFile { path, fixes, bytes }) => ExportOutcome::Written { path, fixes, bytes },
        Err(WriteError::Exists(failure)) => ExportOutcome::Exists(failure),
        Err(WriteError::Failed(failure)) => ExportOutcome::Failed(failure),
    }
}
