//! The export of a track: what is offered, what is written, how it ended.

use std::sync::Arc;

use uuid::Uuid;

use crate::app::effect::{Effect, ExportJob};
use crate::app::event::{ExportOutcome, RequestId};
use crate::app::file_format::FileFormat;
use crate::app::state::Model;
use crate::app::state::deployment::DeploymentState;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::export::{ExportForm, Scope};
use crate::app::state::notice::{Loads, Message, Short};
use crate::app::state::tab::Tab;
use crate::chart::ColourBy;
use crate::export::image::Style;
use crate::text;

/// Width and height of a picture of the map, pixels: those of the command `map`.
const PICTURE: (u16, u16) = (1200, 800);

impl Model {
    /// Opens the dialog that writes the open track, or that of the selected
    /// deployment, to a file.
    pub(super) fn ask_to_export(&mut self, format: Option<FileFormat>) -> Vec<Effect> {
        let one = match self.tab {
            Tab::Deployments => self.deployments.selected(),
            _ => self.track.open.and_then(|uuid| self.deployments.get(uuid)),
        };
        let Some(one) = one.filter(|one| one.track.has_data()) else {
            self.warn("there is no track to export yet");
            return Vec::new();
        };
        let uuid = one.deployment.uuid;
        if one.track.value.is_some() {
            self.export_form(uuid, format);
            return Vec::new();
        }
        // The dialog needs the track: it opens once that is read.
        let name = one.name();
        self.say_loading(format!("loading {name}"), Loads::ToExport);
        self.deployments.to_export = Some((uuid, format));
        self.load_stored(uuid).into_iter().collect()
    }

    /// Opens the dialog that writes the track of a deployment to a file.
    pub(super) fn export_form(&mut self, uuid: Uuid, format: Option<FileFormat>) {
        let Some(one) = self.deployments.get(uuid) else {
            return;
        };
        let scopes = self.export_scopes(one);
        let mut form = ExportForm::new(&one.deployment, scopes, &self.folder);
        if let Some(format) = format {
            form.choose(format);
        }
        self.dialogs.push(Dialog::Export(form));
    }

    /// The formats that the open track, or that of the selected deployment, can be
    /// written in; none without a track.
    pub(super) fn offered_formats(&self) -> Vec<FileFormat> {
        let one = match self.tab {
            Tab::Deployments => self.deployments.selected(),
            Tab::Track => self.track.open.and_then(|uuid| self.deployments.get(uuid)),
            Tab::Plants | Tab::Activity => None,
        };
        match one.is_some_and(|one| one.track.has_data()) {
            true => FileFormat::all().collect(),
            false => Vec::new(),
        }
    }

    /// The time range that is shown, the fixes from mark to mark or cursor, and
    /// the whole track: those that there are.
    fn export_scopes(&self, one: &DeploymentState) -> Vec<Scope> {
        let Some(track) = one.track.get() else {
            return Vec::new();
        };
        let mut scopes = Vec::new();
        let mut within = |name, from: f64, to: f64| {
            let times = track.time_stamps();
            let (from, to) = (from.min(to), from.max(to));
            let first = times.partition_point(|&time| time < from);
            let last = times.partition_point(|&time| time <= to);
            scopes.push(Scope {
                name,
                range: Some((from, to)),
                fixes: last.saturating_sub(first),
            });
        };
        let is_open = self.tab == Tab::Track && self.track.open == Some(one.deployment.uuid);
        if is_open {
            if let Some(shown) = &self.track.time_range {
                within("time range", shown.range.0, shown.range.1);
            }
            if let Some((from, to)) = self.marked_times() {
                within("marked", from, to);
            }
        }
        scopes.push(Scope {
            name: "whole track",
            range: None,
            fixes: track.len(),
        });
        scopes
    }

    /// The first and last time from mark to mark or cursor, UNIX seconds; none without
    /// a mark.
    pub(super) fn marked_times(&self) -> Option<(f64, f64)> {
        self.track.marks.0?;
        let (from, to) = self.track.mark_times;
        let cursor = || Some(self.open_one()?.fix(self.track.cursor)?.time_stamp);
        let (from, to) = (from?, to.or_else(cursor)?);
        Some((from.min(to), from.max(to)))
    }

    /// What an export form asks for; none where its track is gone.
    pub(super) fn export_job(&self, form: &ExportForm) -> Option<ExportJob> {
        let one = self.deployments.get(form.deployment)?;
        let loaded = one.track.value.as_ref()?;
        Some(ExportJob {
            deployment: one.deployment.clone(),
            track: Arc::clone(&loaded.track),
            range: form.range(),
            fetched_at: loaded.fetched_at,
            now: self.now,
            format: form.format,
            style: Style {
                size: PICTURE,
                // A picture has no fields: by time, where the map is coloured by one.
                colour_by: self.track.colour_by.unwrap_or(ColourBy::Time),
                units: self.units,
                limits: one.deployment.limits.clone(),
            },
            path: form.path.text().trim().to_owned(),
            replace: form.confirm_replace,
        })
    }

    /// Asks for the file of a form.
    pub(super) fn export(&mut self, form: &mut ExportForm) -> Vec<Effect> {
        if form.path.text().trim().is_empty() {
            form.path.error = "type a path".to_owned();
            return Vec::new();
        }
        let Some(job) = self.export_job(form) else {
            form.path.error = "there is no track to export".to_owned();
            return Vec::new();
        };
        let request = self.next_request();
        form.writing = Some(request);
        vec![Effect::Export { request, job }]
    }

    /// An export has ended.
    pub(super) fn exported(&mut self, request: RequestId, outcome: ExportOutcome) {
        let form = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::Export(form) if form.writing == Some(request)),
        );
        let (failure, exists) = match outcome {
            ExportOutcome::Written { path, fixes, bytes } => {
                let form = form.map(|form| self.dialogs.remove(form));
                let is_map = matches!(
                    form,
                    Some(Dialog::Export(ExportForm {
                        format: FileFormat::Map(_),
                        ..
                    }))
                );
                let size = text::bytes(bytes);
                let mut count = text::counted(fixes, "fix", "fixes");
                if is_map {
                    count.insert_str(0, "map of ");
                }
                self.notify(Message {
                    text: format!("{count} written to {path} ({size})"),
                    short: Some(Short::of_path(format!("{count} to "), &path)),
                });
                return;
            }
            ExportOutcome::Exists(failure) => (failure, true),
            ExportOutcome::Failed(failure) => (failure, false),
        };
        match form.and_then(|form| self.dialogs.get_mut(form)) {
            Some(Dialog::Export(form)) => {
                form.writing = None;
                form.confirm_replace = exists;
                form.path.error = failure.to_string();
            }
            _ => self.warn(failure.to_string()),
        }
    }
}
