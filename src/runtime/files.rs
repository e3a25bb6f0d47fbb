//! A track to a file, as the export dialog asks for it.

use std::path::PathBuf;

use crate::app::Failure;
use crate::ops::{self, Track};

/// What is to be written where.
pub(super) struct ExportJob {
    pub(super) deployment: String,
    pub(super) label: Option<String>,
    pub(super) format: ops::Format,
    pub(super) path: String,
    pub(super) replace: bool,
    pub(super) fetched_at: f64,
    pub(super) now: f64,
}

/// Writes it; the answer says what was written.
pub(super) fn export(order: &ExportJob, track: &Track) -> Result<String, Failure> {
    let path = match order.path.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None => PathBuf::from(&order.path),
    };
    let subject = ops::Subject {
        deployment: &order.deployment,
        label: order.label.as_deref(),
        fetched_at: order.fetched_at,
        now: order.now,
    };
    ops::export_file(&path, order.replace, order.format, &subject, track)
        .map(|bytes| {
            format!(
                "{} fixes written to {} ({bytes} bytes)",
                track.len(),
                path.display()
            )
        })
        .map_err(super::known::plain)
}
