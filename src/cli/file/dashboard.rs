//! The dashboard on files.

use std::time::Duration;

use super::Files;
use crate::cli::args::{ColumnArguments, Global};
use crate::cli::output::warn;
use crate::cli::run::settings_as_they_are;
use crate::cli::screen::{listing, needs_a_terminal, show_ready};
use crate::dashboard::shared::{TrackSource, Watched};
use crate::failure::Failure;
use crate::terminal::{Origin, Ready};

/// Opens the dashboard on the tracks of files. It uses the settings of the screen, and neither
/// keyring nor archive of the user.
pub(in crate::cli) async fn run(
    global: &Global,
    words: &[String],
    columns: &ColumnArguments,
    plain: bool,
) -> Result<u8, Failure> {
    // First of all: the keys are those of the terminal once standard input is read.
    let files = Files::read(words.to_vec(), &columns.chosen()).await?;
    if !plain {
        needs_a_terminal()?;
    }
    files.notes.iter().for_each(warn);
    // On the screen they cannot be seen any more.
    let warnings = match plain || files.notes.is_empty() {
        true => Vec::new(),
        false => vec![files.notes.join("; ")],
    };
    let list = files.deployments();
    // A single track is shown at once.
    let open = match list.as_slice() {
        [deployment] => Some(deployment.id.clone()),
        _ => None,
    };
    let store = listing(&list).await?;
    let mut settings = settings_as_they_are(global)?.of_screen();
    settings.profile = "files".to_owned();
    // Much sooner than a service is asked: a reading costs nobody else.
    settings.refresh = Duration::from_secs(10);
    let watched = Watched {
        // Files have neither.
        address: String::new(),
        sandbox: String::new(),
        remote: None,
        source: TrackSource::Files,
        list,
        unread: None,
        answers: Default::default(),
        namesakes: Default::default(),
        open,
    };
    let ready = Ready {
        settings,
        watched,
        origin: Origin::Files(Box::new(files)),
        store,
        settings_file: None,
        warnings,
    };
    show_ready(ready, plain).await
}
