//! The dialog that writes a track to a file.

use strum::VariantArray;
use uuid::Uuid;

use super::field::Field;
use crate::app::event::RequestId;
use crate::choice;
use crate::export::Format;
use crate::track::Deployment;

/// A track to write to a file.
#[derive(Debug, Clone)]
pub(crate) struct ExportForm {
    /// The deployment.
    pub deployment: Uuid,
    /// The format.
    pub format: Format,
    /// The path.
    pub path: Field,
    /// Whether the file exists and a second Enter replaces it.
    pub confirm_replace: bool,
    /// The request that writes it.
    pub writing: Option<RequestId>,
}

impl ExportForm {
    pub(in crate::app) fn new(deployment: &Deployment) -> Self {
        let format = Format::Csv;
        Self {
            deployment: deployment.uuid,
            format,
            path: Field::new(&format!("{}.{}", file_stem(deployment), format.extension())),
            confirm_replace: false,
            writing: None,
        }
    }

    /// The formats that this build writes, by name, and whether each is the
    /// chosen one.
    pub(crate) fn choices(&self) -> impl Iterator<Item = (&'static str, bool)> {
        Format::VARIANTS
            .iter()
            .filter(|format| format.is_built())
            .map(|format| (format.name(), *format == self.format))
    }

    /// Chooses the format `by` steps further; the path's extension follows.
    pub(in crate::app) fn turn(&mut self, by: isize) {
        let before = self.format.extension();
        self.format = choice::step(self.format, by);
        while !self.format.is_built() {
            self.format = choice::step(self.format, by);
        }
        if let Some(stem) = self.path.text().strip_suffix(&format!(".{before}")) {
            self.path = Field::new(&format!("{stem}.{}", self.format.extension()));
        }
        self.confirm_replace = false;
    }
}

/// A file name made from a label: letters, digits, `-` and `_` stay.
fn file_stem(deployment: &Deployment) -> String {
    let stem: String = deployment
        .name()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '_'
            }
        })
        .take(80)
        .collect();
    if stem.is_empty() {
        deployment.uuid.to_string()
    } else {
        stem
    }
}
