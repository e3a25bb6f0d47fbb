//! The dashboard on the configured service.

use uuid::Uuid;

use super::args::Global;
use super::connect;
use crate::chart::GlyphSet;
use crate::ops::{Failure, FailureKind};
use crate::runtime::{self, Capabilities, Ready, Services, StartupOptions};

/// Opens the dashboard. Its first frame waits for nothing: settings and archive
/// are read behind it.
pub(super) async fn run(global: &Global, deployment: Option<&str>) -> Result<u8, Failure> {
    let open = deployment.map(connect::deployment).transpose()?;
    needs_a_terminal()?;
    show(ready(global.clone(), open)).await
}

/// What the dashboard works on, from settings and archive.
async fn ready(global: Global, open: Option<Uuid>) -> Result<Ready, Failure> {
    // A disk may take its time, and the thread that draws waits for none.
    let (settings, warnings) = tokio::task::spawn_blocking(move || connect::read_settings(&global))
        .await
        .map_err(|_| Failure::new(FailureKind::Interrupted, "the program is ending", ""))??;
    let mut setup = connect::setup(&settings)?;
    connect::logged(&mut setup);
    let store = connect::silent_store(&settings);
    // A list that cannot be read is no reason not to open: it is told inside.
    let watched = connect::watched(&settings, &store)
        .await
        .unwrap_or_default();
    let opening = StartupOptions {
        profile: settings.profile.value.clone(),
        address: setup.base.to_string(),
        demo: false,
        watched,
        open,
        units: settings.units.value,
        coordinates: settings.coordinates.value,
        markers: settings.markers.value.unwrap_or_else(suitable_markers),
        refresh_s: settings.refresh.value.as_secs_f64().max(1.0),
    };
    Ok(Ready {
        opening,
        services: Services::new(setup, store)?,
        warnings,
    })
}

/// The dashboard needs a terminal, and says so before anything is sent.
pub(super) fn needs_a_terminal() -> Result<(), Failure> {
    if runtime::is_usable() {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::Usage,
        "the dashboard needs a terminal on standard input and output, and one that can move its cursor",
        "`driftline track UUID` and `driftline check UUID` work without.",
    ))
}

/// Shows the dashboard until it is left.
pub(super) async fn show(
    ready: impl Future<Output = Result<Ready, Failure>>,
) -> Result<u8, Failure> {
    runtime::run(ready, capabilities()).await.map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("{error:#}"),
            "Resize or restart the terminal and try again.",
        )
    })?
}

/// What the terminal can show, as far as its environment tells: asking it would
/// keep the first frame waiting.
fn capabilities() -> Capabilities {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let true_colour = matches!(variable("COLORTERM").as_str(), "truecolor" | "24bit");
    Capabilities {
        colour: !no_colour,
        true_colour,
        unicode: shows_utf8() && variable("TERM") != "linux",
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn shows_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .map(variable)
        .find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// What the map is drawn in where the settings leave that open: the finest
/// markers that the terminal is likely to show. Octants are young: only
/// terminals that draw them themselves, without a font, are trusted with them.
/// The console of Linux has no braille, but has had half blocks since it had a
/// font.
pub(super) fn suitable_markers() -> GlyphSet {
    let draws_octants = ["xterm-kitty", "xterm-ghostty"].contains(&variable("TERM").as_str())
        || variable("TERM_PROGRAM") == "ghostty";
    if !shows_utf8() {
        GlyphSet::Ascii
    } else if variable("TERM") == "linux" {
        GlyphSet::HalfBlock
    } else if draws_octants {
        GlyphSet::Octant
    } else {
        GlyphSet::Braille
    }
}
