//! A track, or its map, to write to a file.

use std::sync::Arc;

use uuid::Uuid;

use super::{Component, Keys, Labels, Outcome, form};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::Effect;
use crate::dashboard::event::RequestId;
use crate::dashboard::footer::{FooterKey, dialog_keys};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shared::TrackSource;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::cyclic;
use crate::failure::Failure;
use crate::formats::image::Style;
use crate::formats::{ExportJob, FileFormat, Format};
use crate::map::{ColourBy, LineColour};
use crate::text;
use crate::track::Flag;
use crate::watch::Deployment;

/// Width and height of an image of the map, pixels, as in the command `map`.
const PICTURE: (u16, u16) = (1200, 800);
/// The label of the path.
const PATH: &str = "path   ";

/// Which fixes of a track are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scope {
    /// Their name.
    pub name: &'static str,
    /// Their first and last time, UNIX seconds; `None` for the whole track.
    pub range: Option<(f64, f64)>,
    /// `true` without those that failed.
    pub without_failed: bool,
    /// Number of fixes.
    pub fixes: usize,
}

/// A track to write to a file.
#[derive(Debug, Clone)]
pub(crate) struct ExportForm {
    pub deployment: Uuid,
    pub name: String,
    /// The index of the chosen fixes.
    pub scope: usize,
    pub format: FileFormat,
    pub path: Field,
    /// The folder that a relative path begins in.
    pub folder: String,
    /// `true` if the next Enter replaces a file that is there already: the user was asked.
    pub replaces: bool,
    /// The request that writes it.
    pub writing: Option<RequestId>,
}

impl ExportForm {
    /// The form for the track of a deployment.
    pub(in crate::dashboard) fn new(known: &DeploymentState, shell: &Shell) -> Self {
        let deployment = &known.deployment;
        let format = FileFormat::Track(Format::Csv);
        // The file that is open may have the other name, and is not replaced.
        let suffix = match shell.shared.service.source {
            TrackSource::Files => "_track",
            _ => "",
        };
        let stem = file_stem(deployment);
        Self {
            deployment: deployment.id.uuid,
            name: deployment.name(),
            scope: 0,
            format,
            path: Field::new(&format!("{stem}{suffix}.{}", format.extension())),
            folder: shell.shared.screen.host.folder.clone(),
            replaces: false,
            writing: None,
        }
    }

    /// The folder of the file, where the path does not name it.
    pub(in crate::dashboard) fn folder(&self) -> Option<&str> {
        let path = self.path.text().trim();
        let names_it = path.starts_with('/') || path.starts_with("~/");
        (!names_it && !self.folder.is_empty()).then_some(self.folder.as_str())
    }

    /// The choices of fixes, the default first; none while the track is being read.
    pub(in crate::dashboard) fn scopes(&self, shell: &Shell) -> Vec<Scope> {
        let known = shell.shared.deployments.get(self.deployment);
        known.map_or_else(Vec::new, |known| scopes(known, shell))
    }

    /// Chooses the format `by` steps further; the path's extension follows.
    fn turn(&mut self, by: isize) {
        let all: Vec<FileFormat> = FileFormat::all().collect();
        let now = all.iter().position(|format| *format == self.format);
        let next = cyclic(now.unwrap_or(0), by, all.len());
        if let Some(format) = all.get(next) {
            self.choose(*format);
        }
    }

    /// Chooses a format; the path's extension follows.
    pub(in crate::dashboard) fn choose(&mut self, format: FileFormat) {
        let before = self.format.extension();
        self.format = format;
        if let Some(stem) = self.path.text().strip_suffix(&format!(".{before}")) {
            self.path = Field::new(&format!("{stem}.{}", self.format.extension()));
        }
        self.replaces = false;
    }

    /// Takes the format of the extension that was typed; of another extension the format
    /// stays.
    fn follow_extension(&mut self) {
        self.replaces = false;
        let name = self.path.text().trim().to_lowercase();
        let typed = name.rsplit_once('.').map_or("", |(_, typed)| typed);
        if typed != self.format.extension()
            && let Some(format) = FileFormat::all().find(|format| format.extension() == typed)
        {
            self.format = format;
        }
    }

    /// Chooses the fixes `by` steps further.
    fn turn_scope(&mut self, by: isize, shell: &Shell) {
        self.scope = cyclic(self.scope, by, self.scopes(shell).len());
    }

    /// The file was not written, perhaps because it is there already: the next Enter replaces it.
    pub(in crate::dashboard) fn failed(&mut self, failure: &Failure, is_there: bool) {
        self.writing = None;
        self.replaces = is_there;
        self.path.error = failure.to_string();
    }

    /// The keys in its present state.
    fn keys(&self, shell: &Shell) -> Keys {
        match (self.writing, self.replaces) {
            (Some(_), _) => &[("Esc", "close")],
            (None, true) => &[("Enter", "replace the file"), ("Esc", "cancel")],
            (None, false) if self.scopes(shell).len() < 2 => &[
                ("Tab", "next format"),
                ("Enter", "write"),
                ("Esc", "cancel"),
            ],
            (None, false) => &[
                ("Tab", "next format"),
                ("Down", "which fixes"),
                ("Enter", "write"),
                ("Esc", "cancel"),
            ],
        }
    }

    /// The job that writes the file; `None` without a track.
    fn job(&self, shell: &Shell) -> Option<ExportJob> {
        let known = shell.shared.deployments.get(self.deployment)?;
        let loaded = known.track.loaded()?;
        let scope = self.scopes(shell).into_iter().nth(self.scope)?;
        Some(ExportJob {
            deployment: known.deployment.clone(),
            track: Arc::clone(&loaded.track),
            range: scope.range,
            without_failed: scope.without_failed,
            fetched_at: loaded.fetched_at,
            now: shell.shared.now,
            format: self.format,
            style: Style {
                size: PICTURE,
                // A picture has no fields: by time, where the map is coloured by one.
                colour: LineColour::By(shell.tabs.track.colour_by.unwrap_or(ColourBy::Time)),
                units: shell.shared.settings.units,
                overlays: shell.shared.map.overlays.clone(),
            },
            path: self.path.text().trim().to_owned(),
            replace: self.replaces,
        })
    }

    /// Writes the file.
    fn write(&mut self, shell: &mut Shell) {
        if self.path.text().trim().is_empty() {
            self.path.error = "type a path".to_owned();
            return;
        }
        let Some(job) = self.job(shell) else {
            self.path.error = "there is no track to export yet".to_owned();
            return;
        };
        let request = shell.shared.next_request();
        self.writing = Some(request);
        shell.shared.send(Effect::Export { request, job })
    }
}

impl Component for ExportForm {
    fn labels(&self) -> Labels {
        Labels::new("Export track", &[])
    }

    fn footer(&self, shell: &Shell) -> Vec<FooterKey> {
        dialog_keys(self.keys(shell))
    }

    fn about(&self) -> &str {
        &self.name
    }

    fn awaits(&self) -> Option<RequestId> {
        self.writing
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        if self.writing.is_some() {
            return Outcome::Stay;
        }
        match key.code {
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(-1),
            KeyCode::Down => self.turn_scope(1, shell),
            KeyCode::Up => self.turn_scope(-1, shell),
            KeyCode::Enter => self.write(shell),
            _ => {
                if self.path.key(key) {
                    self.follow_extension();
                }
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let formats =
            FileFormat::all().map(|format| (format.name().to_owned(), format == self.format));
        form::choices(sheet, "format ", formats, theme);
        let scopes = self.scopes(shell);
        if scopes.is_empty() && self.path.error.is_empty() {
            form::waiting(sheet, "reading the track", shell, theme);
        } else {
            let scopes = scopes.iter().enumerate().map(|(index, scope)| {
                let without = if scope.without_failed {
                    " without failed"
                } else {
                    ""
                };
                let words = format!("{}{without}: {}", scope.name, text::count(scope.fixes));
                (words, index == self.scope)
            });
            form::choices(sheet, "fixes  ", scopes, theme);
        }
        sheet.blank();
        let cursor = sheet.field(PATH, theme.accent(), &self.path, theme);
        if let Some(folder) = self.folder() {
            sheet.paragraph(cells(PATH), &format!("in {folder}"), theme.dim());
        }
        sheet.blank();
        if self.writing.is_some() {
            form::waiting(sheet, "writing", shell, theme);
            return;
        }
        sheet.set_cursor(cursor);
        form::keys(sheet, self.keys(shell), theme.dim());
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        if self.writing.is_none() {
            self.path.paste(text);
            // The user was asked about another file.
            self.follow_extension();
        }
    }

    fn is_question(&self) -> bool {
        self.replaces
    }
}

/// The shown time range, the fixes from mark to mark or cursor, and the whole track, as far as
/// they exist, each with the fixes that failed and without them.
fn scopes(known: &DeploymentState, shell: &Shell) -> Vec<Scope> {
    let Some(track) = known.track.get() else {
        return Vec::new();
    };
    let mut parts: Vec<(&str, Option<(f64, f64)>)> = Vec::new();
    let is_open = shell.shared.screen.tab == TabId::Track
        && shell.shared.deployments.open == Some(known.uuid());
    if is_open {
        if let Some(shown) = &shell.tabs.track.time_range {
            parts.push(("time range", Some(shown.range)));
        }
        if let Some((from, to)) = shell.tabs.track.marked_times(&shell.shared) {
            parts.push(("marked", Some((from.min(to), from.max(to)))));
        }
    }
    parts.push(("whole track", None));
    let scopes = parts.into_iter().flat_map(|(name, range)| {
        let fixes = range.map_or(0..track.len(), |(from, to)| {
            track.count_before(from)..track.count_until(to)
        });
        let of_part = track.flags().get(fixes.clone()).unwrap_or_default();
        let failed = of_part.iter().filter(|flag| **flag == Flag::Fail).count();
        let scope = Scope {
            name,
            range,
            without_failed: false,
            fixes: fixes.len(),
        };
        let good = Scope {
            without_failed: true,
            fixes: fixes.len().saturating_sub(failed),
            ..scope
        };
        std::iter::once(scope).chain((failed > 0).then_some(good))
    });
    scopes.collect()
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
        deployment.id.to_string()
    } else {
        stem.to_owned()
    }
}
