//! The options and the data that the dashboard starts with.

use std::collections::HashMap;
use std::path::PathBuf;

use uuid::Uuid;

use crate::chart::{FirstView, GlyphSet};
use crate::failure::Failure;
use crate::geo::{CoordinateFormat, Units};
use crate::ops::first_run::NewService;
use crate::ops::own_files::OwnFiles;
use crate::ops::session::Setup;
use crate::ops::settings_file::SettingsFile;
use crate::ops::store::Store;
use crate::palette::Look;
use crate::settings::{ConfiguredList, Notify, SettingRow};
use crate::track::Deployment;
use crate::track::agenda::LastAnswer;

/// The options of the dashboard.
#[derive(Debug, Clone)]
pub(crate) struct StartupOptions {
    /// Name of the profile.
    pub profile: String,
    /// The base URL, as it is shown.
    pub address: String,
    /// The address at which plants are created, as the ledger has it.
    pub sandbox: String,
    /// Whether the service is the embedded one.
    pub demo: bool,
    /// The watch list.
    pub watched: Vec<Deployment>,
    /// The last answers for the deployments that the archive has.
    pub answers: HashMap<Uuid, LastAnswer>,
    /// Why that of the archive could not be read.
    pub unread: Option<Failure>,
    /// The deployments of it that the settings file names.
    pub configured: Vec<Uuid>,
    /// A deployment to open on.
    pub open: Option<Uuid>,
    /// The units.
    pub units: Units,
    /// The coordinate format.
    pub coordinates: CoordinateFormat,
    /// The glyphs that maps are drawn with; `None` for the best that the
    /// terminal is likely to show.
    pub markers: Option<GlyphSet>,
    /// How tables and maps look before anything is chosen.
    pub first_view: FirstView,
    /// How the screen looks.
    pub look: Look,
    /// Whether the mouse is taken; else the terminal has it.
    pub mouse: bool,
    /// How the terminal is notified of alarms.
    pub notify: Notify,
    /// The keys of actions that differ from the defaults.
    pub keys: Vec<ConfiguredList>,
    /// The columns of tables that differ from the usual ones.
    pub columns: Vec<ConfiguredList>,
    /// Seconds between refreshes of one deployment.
    pub refresh_s: f64,
    /// The settings in force.
    pub settings: Vec<SettingRow>,
}

/// What the startup found.
pub(crate) enum Opening {
    /// The dashboard can open.
    Ready(Box<Ready>),
    /// No service is set; the form of the first start can write it into this
    /// file.
    NoService(PathBuf),
}

/// How the dashboard ended.
pub(crate) enum Ended {
    /// With this exit status.
    Status(u8),
    /// In the form of the first start: the user wants this service.
    Service(NewService),
    /// In the form of the first start: the user wants the embedded service.
    Demo,
}

/// The data that the dashboard needs, once settings and archive are read.
pub(crate) struct Ready {
    /// The options.
    pub options: StartupOptions,
    /// The parts of its session.
    pub setup: Setup,
    /// The archive.
    pub store: Store,
    /// The program to run for each alarm, with its arguments; empty: none.
    pub on_alarm: Vec<String>,
    /// The files that no export replaces.
    pub own_files: OwnFiles,
    /// The settings file; `None` where there is none to write.
    pub settings_file: Option<SettingsFile>,
    /// What the user should know about the settings.
    pub warnings: Vec<String>,
}
