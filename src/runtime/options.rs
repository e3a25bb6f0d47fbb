//! The options and the data that the dashboard starts with.

use uuid::Uuid;

use crate::chart::GlyphSet;
use crate::geo::{CoordinateFormat, Units};
use crate::ops::session::Setup;
use crate::ops::store::Store;
use crate::palette::Look;
use crate::track::Deployment;

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
    /// A deployment to open on.
    pub open: Option<Uuid>,
    /// The units.
    pub units: Units,
    /// The coordinate format.
    pub coordinates: CoordinateFormat,
    /// The glyphs that maps are drawn with; `None` for the best that the
    /// terminal is likely to show.
    pub markers: Option<GlyphSet>,
    /// How the screen looks.
    pub look: Look,
    /// Seconds between refreshes of one deployment.
    pub refresh_s: f64,
}

/// The data that the dashboard needs, once settings and archive are read.
pub(crate) struct Ready {
    /// The options.
    pub options: StartupOptions,
    /// The parts of its session.
    pub setup: Setup,
    /// The archive.
    pub store: Store,
    /// What the user should know about the settings.
    pub warnings: Vec<String>,
}
