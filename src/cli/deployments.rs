//! Commands on the watch list.

use serde::Serialize;

use super::args::{DeploymentsCommand, Global};
use super::check::watch_circle;
use super::connect;
use super::output::{Out, note};
use crate::failure::{Failure, FailureKind};
use crate::ops::watch_list;
use crate::text;
use crate::track::Deployment;

pub(super) async fn run(global: &Global, command: DeploymentsCommand) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    match command {
        DeploymentsCommand::Add {
            deployment,
            label,
            platform,
            max_age,
            inside,
            notes,
        } => {
            let uuid = match text::find_uuid(&deployment) {
                Some(uuid) => uuid,
                None => connect::deployment(&deployment)?,
            };
            // For a deployment on the list, values without a flag stay as they
            // are.
            let listed = store.is_watched(uuid).await?;
            let known = watch_list::watched(&settings, &store).await?;
            let known = known.into_iter().find(|one| one.uuid == uuid);
            let mut entry = known.unwrap_or_else(|| Deployment::new(uuid));
            if let Some(platform) = platform {
                entry.platform = platform;
            }
            match max_age.as_deref() {
                Some("none") => entry.limits.max_age_s = None,
                Some(age) => {
                    entry.limits.max_age_s = Some(connect::duration("--max-age", age)?);
                }
                None => {}
            }
            match inside.as_deref() {
                Some("none") => entry.limits.circle = None,
                Some(circle) => entry.limits.circle = Some(watch_circle(circle)?),
                None => {}
            }
            entry.label = label.or(entry.label);
            entry.notes = notes.or(entry.notes);
            let new = store.watch(entry).await?;
            if listed {
                // Adding it again accepts the data of the service in use now.
                store.accept_any_source(uuid).await?;
            }
            note(&format!(
                "{uuid} {}",
                if new {
                    "is on the watch list"
                } else {
                    "was on the watch list; its entry is changed"
                }
            ));
            Ok(0)
        }
        DeploymentsCommand::Remove { deployment } => {
            let uuid = connect::deployment(&deployment)?;
            let configured = watch_list::is_configured(uuid, &settings);
            if store.unwatch(uuid).await? {
                note(&if configured {
                    format!(
                        "{uuid} stays listed (named in the configuration file); its local settings were removed"
                    )
                } else {
                    format!("{uuid} is off the watch list; its archived data stay")
                });
                return Ok(0);
            }
            let message = if configured {
                format!(
                    "{uuid} is named in the configuration file, which this command does not change"
                )
            } else {
                format!("{uuid} is not on the watch list")
            };
            Err(Failure::new(
                FailureKind::Other,
                message,
                "`driftline deployments list` shows the watch list.",
            ))
        }
        DeploymentsCommand::List { json } => {
            let list = watch_list::watched(&settings, &store).await?;
            if json {
                #[derive(Serialize)]
                struct Row<'a> {
                    uuid: String,
                    label: Option<&'a str>,
                    platform: &'static str,
                    max_age_s: Option<f64>,
                    inside: Option<String>,
                    notes: Option<&'a str>,
                }
                let rows: Vec<Row<'_>> = list
                    .iter()
                    .map(|one| Row {
                        uuid: one.uuid.to_string(),
                        label: one.label.as_deref(),
                        platform: one.platform.name(),
                        max_age_s: one.limits.max_age_s,
                        inside: one.limits.circle.map(|circle| circle.to_string()),
                        notes: one.notes.as_deref(),
                    })
                    .collect();
                return Out::new().json(&rows);
            }
            let mut lines = String::new();
            for one in &list {
                let label = text::clean(one.label.as_deref().unwrap_or_default()).into_owned();
                let line = format!("{}  {:<8}  {label}", one.uuid, one.platform.name());
                lines.push_str(line.trim_end());
                lines.push('\n');
            }
            if list.is_empty() {
                note(
                    "The watch list is empty; `driftline deployments add UUID` adds a deployment.",
                );
            }
            Out::new().text(&lines)
        }
    }
}
