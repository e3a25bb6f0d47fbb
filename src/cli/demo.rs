//! The dashboard on the embedded service, or that service alone.

use super::args::{DemoArguments, Global};
use super::connect;
use super::dashboard::{needs_a_terminal, show, suitable_markers};
use super::output::{Out, note};
use crate::demo::{self, DemoError, Options};
use crate::ops::{
    CoordinateFormat, Failure, FailureKind, Limits, Setup, Store, Token, TokenFrom, Units, Watched,
};
use crate::runtime::{Ready, Services, StartupOptions};

impl From<DemoError> for Failure {
    fn from(error: DemoError) -> Self {
        let kind = match &error {
            DemoError::Files(_) => FailureKind::Usage,
            DemoError::Listen { .. } => FailureKind::Other,
        };
        Self::new(kind, error.to_string(), format!("{}.", error.hint()))
    }
}

/// Runs the demonstration. It touches neither keyring nor settings nor archive
/// of the user.
pub(super) async fn run(global: &Global, arguments: DemoArguments) -> Result<u8, Failure> {
    let open = arguments
        .deployment
        .as_deref()
        .map(connect::deployment)
        .transpose()?;
    if !arguments.serve {
        needs_a_terminal()?;
    }
    let options = Options {
        seed: arguments.seed,
        port: arguments.port,
        tracks: arguments.tracks,
        ..Options::default()
    };
    let service = demo::start(options).await?;
    if arguments.serve {
        Out::new().text(&format!("{}\n", service.announcement()))?;
        if global.verbose {
            note("serving until Ctrl-C");
        }
        return Ok(match super::signal().await {
            // Ctrl-C is how it is meant to be ended.
            130 => 0,
            status => status,
        });
    }
    let address = |value: &str| connect::address("the embedded service", value);
    let mut setup = Setup::new(
        "demo",
        address(&service.base_url)?,
        address(&service.sandbox_url)?,
    );
    let token = Token::new(service.token.clone())
        .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))?;
    setup.token = TokenFrom::Given(token);
    let watched = service
        .deployments
        .iter()
        .map(|one| Watched {
            uuid: one.uuid,
            label: Some(one.label.clone()),
            platform: one.platform,
            limits: Limits::default(),
            notes: None,
        })
        .collect();
    let opening = StartupOptions {
        profile: "demo".to_owned(),
        address: service.base_url.clone(),
        demo: true,
        watched,
        open,
        units: Units::default(),
        coordinates: CoordinateFormat::default(),
        markers: suitable_markers(),
        // Often enough that the instruments are seen to move.
        refresh_s: 10.0,
    };
    let services = Services::new(setup, Store::in_memory())?;
    show(async {
        Ok(Ready {
            opening,
            services,
            warnings: Vec::new(),
        })
    })
    .await
}
