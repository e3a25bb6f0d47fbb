//! Shows where the settings are, and the source of each value.

use super::args::{ConfigCommand, Global};
use super::output::Out;
use super::run::settings_as_they_are;
use crate::app::session::connect::canonical_address;
use crate::failure::Failure;
use crate::formats::Format;
use crate::text;

pub(super) fn run(global: &Global, command: ConfigCommand) -> Result<u8, Failure> {
    match command {
        ConfigCommand::Path => {
            // This works also if the file does not parse: that is when the user
            // needs its path.
            let environment = |name: &str| std::env::var_os(name);
            let path = global
                .config
                .clone()
                .or_else(|| {
                    environment("DRIFTLINE_CONFIG")
                        .filter(|path| !path.is_empty())
                        .map(Into::into)
                })
                .or_else(|| crate::settings::Places::new(&environment).config())
                .ok_or_else(|| {
                    Failure::other("there is no settings file: HOME is unset, empty or relative")
                        .with_hint("Set HOME to an absolute path, or specify a file with --config.")
                })?;
            Out::new().text(&format!("{}\n", text::path(&path)))
        }
        ConfigCommand::Service => {
            let settings = settings_as_they_are(global)?;
            let service = settings.service.as_ref().ok_or_else(|| {
                Failure::usage(
                    "the profile has no service: it is asked as the page on the service says",
                )
                .with_hint("The page on services of the manual says what the setting service is.")
            })?;
            Out::new().text(&service.in_force(settings.base_url.as_deref()))
        }
        ConfigCommand::Show { printed } => {
            let settings = settings_as_they_are(global)?;
            // Refused here as the dashboard would refuse them.
            crate::terminal::check_tables(&settings)?;
            let mut rows = settings.rows();
            let service = settings.service.as_ref();
            let usual = service.and_then(|service| service.usual_base());
            for row in &mut rows {
                if let Some(base) = usual
                    .as_ref()
                    .filter(|_| row.name == "base_url" && row.value.is_empty())
                {
                    row.value.clone_from(base);
                    row.source = "service".to_owned();
                }
                if row.name.ends_with("_url") && !row.value.is_empty() {
                    // Shown in the form that is used; an invalid one is
                    // rejected.
                    row.value = canonical_address(&row.name, &row.value)?;
                }
            }
            if printed.form() == Format::Json {
                return Out::new().json(&rows);
            }
            let rows = rows.iter().map(|row| {
                let cells = [&row.name, &row.value, &row.source];
                cells.map(|cell| text::clean(cell).into_owned()).to_vec()
            });
            Out::new().text(&text::table(&["setting", "value", "source"], rows, &[]))
        }
    }
}
