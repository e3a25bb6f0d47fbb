//! The files that `track` writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Got;
use crate::cli::args::TrackArguments;
use crate::cli::field_choice::missing_fields;
use crate::cli::file;
use crate::cli::output::{Out, note, waits, written};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::formats::{Format, Subject, cut_texts};
use crate::geo::Notation;
use crate::ops::blocking::blocking;
use crate::ops::export;
use crate::ops::output::Destination;
use crate::text;
use crate::track::Track;
use crate::track::field::{FieldChoice, FieldColumn};

/// The folder that gets a file for each deployment.
pub(super) fn folder(arguments: &TrackArguments) -> Option<&Path> {
    arguments.output.as_deref().filter(|output| {
        let typed = output.as_os_str().to_string_lossy();
        output.is_dir() || typed.ends_with(std::path::is_separator)
    })
}

/// The output of each track: the one that was given, or a file each in a folder.
pub(super) fn outputs(
    arguments: &TrackArguments,
    format: Format,
    all: &[Got],
) -> Result<Vec<Option<PathBuf>>, Failure> {
    let Some(folder) = folder(arguments) else {
        if all.len() > 1 {
            let names: Vec<String> = all
                .iter()
                .map(|got| text::excerpt(&got.deployment, 60))
                .collect();
            let typed = arguments.deployments.join(" ");
            return Err(file::several(&typed, &names));
        }
        return Ok(vec![arguments.output.clone()]);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        let failure = format!(
            "--output {}: {error}",
            text::excerpt(&folder.to_string_lossy(), 200)
        );
        Failure::new(FailureKind::Other, failure, "")
    })?;
    let mut taken = std::collections::HashSet::new();
    let file = |got: &Got| {
        let mut name = file::name_of(&got.deployment);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        Some(folder.join(format!("{name}.{}", format.extension())))
    };
    Ok(all.iter().map(file).collect())
}

/// How tracks are written.
pub(super) struct Writing {
    pub(super) exclude_failed: bool,
    pub(super) fields: Option<FieldChoice>,
    pub(super) format: Format,
    pub(super) notation: Notation,
}

impl Writing {
    /// Writes one track.
    pub(super) async fn write(&self, got: Got, output: Option<PathBuf>) -> Result<u8, Failure> {
        let mut track = got.track;
        if self.exclude_failed {
            track = Arc::new(track.without_failed());
        }
        if let Some(choice) = &self.fields {
            let names = || track.fields().columns().map(FieldColumn::name);
            let has_fields = self.format.has_fields();
            if let Some(told) = missing_fields(names, choice).filter(|_| has_fields) {
                note(&told);
            }
            track = Arc::new(track.with_fields_of(choice));
        }
        if let Some(told) = cut_texts(self.format, &track) {
            note(&format!("driftline: {told}"));
        }
        let written = Written {
            deployment: got.deployment,
            label: got.label,
            fetched_at: got.fetched_at,
            now: unix_now(),
            notation: self.notation,
            format: self.format,
            output,
        };
        // A write to a pipe that nobody reads blocks: it must not block the thread that
        // listens for Ctrl-C.
        blocking(move || written.write(&track)).await?
    }
}

/// The track's metadata, the format and the output path.
struct Written {
    deployment: String,
    label: Option<String>,
    fetched_at: f64,
    now: f64,
    notation: Notation,
    format: Format,
    output: Option<PathBuf>,
}

impl Written {
    fn write(&self, track: &Track) -> Result<u8, Failure> {
        let subject = Subject {
            deployment: &self.deployment,
            label: self.label.as_deref(),
            fetched_at: self.fetched_at,
            now: self.now,
            notation: self.notation,
        };
        match &self.output {
            Some(path) if path.as_os_str() != "-" => {
                // A file named by the user is replaced without a question.
                let target = Destination::that_waits(path, &waits);
                export::export_file(&target, self.format, &subject, track)?;
                written(&text::counted(track.len(), "fix", "fixes"), path);
                Ok(0)
            }
            _ => Out::new().with(|out| export::write_track(self.format, &subject, track, out)),
        }
    }
}
