//! The data that the dashboard starts with, and how it ended.

use std::path::PathBuf;

use crate::dashboard::model::Watched;
use crate::ops::first_run::NewService;
use crate::ops::session::Setup;
use crate::ops::settings_file::SettingsFile;
use crate::ops::store::Store;
use crate::settings::Settings;

/// The result of the startup.
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
    /// The settings in force.
    pub settings: Settings,
    /// The service and the watch list.
    pub watched: Watched,
    /// The parts of its session.
    pub setup: Setup,
    /// The archive.
    pub store: Store,
    /// The settings file; `None` if none can be written.
    pub settings_file: Option<SettingsFile>,
    /// Warnings for the user about the settings.
    pub warnings: Vec<String>,
}
