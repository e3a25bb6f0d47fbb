//! The files of driftline itself and those that it reads, which no output replaces.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::os::files::{end_of_links, identity};
use crate::settings::Settings;
use crate::text;

/// The files that no output replaces, and what each is.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnFiles(Vec<(PathBuf, &'static str)>);

impl OwnFiles {
    /// The archive with its log and journal, and the settings file.
    pub(crate) fn new(settings: &Settings) -> Self {
        let mut files = Vec::new();
        let archive = settings.archive.as_ref();
        if let Some(archive) = archive.and_then(|archive| archive.file()) {
            // Its log is in the folder of the file, not of a link to it.
            let file = link_end(archive);
            for suffix in ["", "-wal", "-shm", "-journal"] {
                let mut path = file.clone().into_os_string();
                path.push(suffix);
                files.push((PathBuf::from(path), "driftline's own archive"));
            }
        }
        if let Some(config) = &settings.config {
            files.push((link_end(config), "driftline's own settings file"));
        }
        Self(files)
    }

    /// Adds files that tracks are read from: they may be the only copy.
    pub(crate) fn add_read(&mut self, files: Vec<PathBuf>) {
        let read = files
            .iter()
            .map(|file| (link_end(file), "the file that is read"));
        self.0.extend(read);
    }

    /// An archive at a path alone.
    #[cfg(test)]
    pub(crate) fn archive_at(path: PathBuf) -> Self {
        Self(vec![(path, "driftline's own archive")])
    }

    /// Refuses an output that is one of these files, by whatever path or link.
    ///
    /// # Errors
    /// [`FailureKind::Usage`](crate::failure::FailureKind::Usage) for one of them.
    pub(crate) fn refuse(&self, output: &Path) -> Result<(), Failure> {
        let file = link_end(output);
        let is_same = |own: &Path| own == file || is_one_file(own, output);
        match self.0.iter().find(|(own, _)| is_same(own)) {
            None => Ok(()),
            Some((_, what)) => Err(Failure::usage(format!(
                "{} cannot be written: that is {what}",
                text::path(output)
            ))
            .with_hint("Name another file.")),
        }
    }
}

/// The absolute path of a file behind links, whether it exists or not.
fn link_end(path: &Path) -> PathBuf {
    let target = end_of_links(path);
    let end = std::path::absolute(&target).unwrap_or(target);
    let folder = end.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, end.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => end,
    }
}

fn is_one_file(path: &Path, other: &Path) -> bool {
    match (std::fs::metadata(path), std::fs::metadata(other)) {
        (Ok(file), Ok(other)) => identity(&file).is_some_and(|id| Some(id) == identity(&other)),
        _ => false,
    }
}
