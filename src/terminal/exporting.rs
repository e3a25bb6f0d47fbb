//! A track, or its map, written to the file of a dialog.

use std::sync::Arc;

use crate::dashboard::dialogs::file_format::FileFormat;
use crate::dashboard::effect::ExportJob;
use crate::dashboard::event::ExportOutcome;
use crate::ops::export;
use crate::ops::output::WriteError;
use crate::ops::own_files::OwnFiles;
use crate::ops::store::Store;

/// The outcome of an export.
pub(super) async fn written(store: &Store, own: &OwnFiles, job: ExportJob) -> ExportOutcome {
    let times = (job.fetched_at, job.now);
    let (typed, replace) = (job.path, job.replace);
    let written = match job.format {
        FileFormat::Track(format) => {
            let track = (Arc::clone(job.track.track()), job.range);
            let to = (store, own);
            export::typed_path(to, typed, replace, format, job.deployment, times, track).await
        }
        FileFormat::Map(format) => {
            let drawn = (job.track, job.range);
            let form = (format, job.style);
            let typed = (typed, replace);
            export::typed_picture(own, typed, form, job.deployment, times, drawn).await
        }
    };
    match written {
        Ok((path, fixes, bytes)) => ExportOutcome::Written { path, fixes, bytes },
        Err(WriteError::Exists(failure)) => ExportOutcome::Exists(failure),
        Err(WriteError::Failed(failure)) => ExportOutcome::Failed(failure),
    }
}
