//! The dialog that writes a track to a file.

use uuid::Uuid;

use super::field::Field;
use crate::app::event::RequestId;
use crate::app::file_format::FileFormat;
use crate::export::Format;
use crate::track::Deployment;

/// Which fixes of a track are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scope {
    /// What they are called.
    pub name: &'static str,
    /// Their first and last time, UNIX seconds; `None` for the whole track.
    pub range: Option<(f64, f64)>,
    /// Number of fixes.
    pub fixes: usize,
}

/// A track to write to a file.
#[derive(Debug, Clone)]
pub(crate) struct ExportForm {
    /// The deployment.
    pub deployment: Uuid,
    /// Its name.
    pub name: String,
    /// The choices of fixes, the default first; never empty.
    pub scopes: Vec<Scope>,
    /// The index of the chosen one.
    pub scope: usize,
    /// The format.
    pub format: FileFormat,
    /// The path.
    pub path: Field,
    /// The folder that a relative path begins in.
    pub folder: String,
    /// Whether the file exists and a second Enter replaces it.
    pub confirm_replace: bool,
    /// The request that writes it.
    pub writing: Option<RequestId>,
}

impl ExportForm {
    pub(in crate::app) fn new(deployment: &Deployment, scopes: Vec<Scope>, folder: &str) -> Self {
        let format = FileFormat::Track(Format::Csv);
        Self {
            deployment: deployment.uuid,
            name: deployment.name(),
            scopes,
            scope: 0,
            format,
            path: Field::new(&format!("{}.{}", file_stem(deployment), format.extension())),
            folder: folder.to_owned(),
            confirm_replace: false,
            writing: None,
        }
    }

    /// The formats that this build writes, by name, and whether each is the
    /// chosen one.
    pub(crate) fn choices(&self) -> impl Iterator<Item = (&'static str, bool)> {
        FileFormat::all().map(|format| (format.name(), format == self.format))
    }

    /// The folder of the file, where the path does not name it.
    pub(crate) fn folder(&self) -> Option<&str> {
        let path = self.path.text().trim();
        let names_it = path.starts_with('/') || path.starts_with("~/");
        (!names_it && !self.folder.is_empty()).then_some(self.folder.as_str())
    }

    /// The fixes that are written; `None` for the whole track.
    pub(in crate::app) fn range(&self) -> Option<(f64, f64)> {
        self.scopes.get(self.scope)?.range
    }

    /// Chooses the format `by` steps further; the path's extension follows.
    pub(in crate::app) fn turn(&mut self, by: isize) {
        let all: Vec<FileFormat> = FileFormat::all().collect();
        let now = all.iter().position(|format| *format == self.format);
        let next = now.unwrap_or(0).cast_signed() + by;
        let next = next.rem_euclid(all.len().max(1).cast_signed());
        if let Some(format) = all.get(next.cast_unsigned()) {
            self.choose(*format);
        }
    }

    /// Chooses a format; the path's extension follows.
    pub(in crate::app) fn choose(&mut self, format: FileFormat) {
        let before = self.format.extension();
        self.format = format;
        if let Some(stem) = self.path.text().strip_suffix(&format!(".{before}")) {
            self.path = Field::new(&format!("{stem}.{}", self.format.extension()));
        }
        self.confirm_replace = false;
    }

    /// Chooses the fixes `by` steps further.
    pub(in crate::app) fn turn_scope(&mut self, by: isize) {
        let count = self.scopes.len().max(1).cast_signed();
        self.scope = (self.scope.cast_signed() + by)
            .rem_euclid(count)
            .cast_unsigned();
    }
}

/// A file name made from a label: letters, digits, `-` and single `_` stay.
fn file_stem(deployment: &Deployment) -> String {
    let mut stem = String::new();
    for character in deployment.name().chars().take(80) {
        if character.is_alphanumeric() || character == '-' {
            stem.push(character);
        } else if !stem.is_empty() && !stem.ends_with('_') {
            stem.push('_');
        }
    }
    let stem = stem.trim_end_matches('_');
    if stem.is_empty() {
        deployment.uuid.to_string()
    } else {
        stem.to_owned()
    }
}
