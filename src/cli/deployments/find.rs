//! The deployments that the service lists.

use std::collections::HashSet;

use super::List;
use crate::app::watch_list;
use crate::cli::args::deployments::FindArguments;
use crate::cli::output::{Out, note, warn};
use crate::failure::Failure;
use crate::formats::Format;
use crate::geo::Notation;
use crate::os::clock::unix_now;
use crate::text;
use crate::text::json::{Object, object};
use crate::track::time;
use crate::watch::DeploymentId;
use crate::watch::listed::{ListedDeployment, found};

/// A deployment that the service lists, and if it is on the watch list.
struct Found {
    listed: ListedDeployment,
    is_watched: bool,
}

impl List<'_> {
    pub(super) async fn find(&self, arguments: &FindArguments) -> Result<u8, Failure> {
        let now = unix_now();
        let session = self.run.session()?;
        let service = session.service_name();
        let list = session.listed().await?;
        if let Some(words) = list.note() {
            warn(words);
        }
        let listed = list.deployments;
        let count = listed.len();
        let watched = watch_list::watched(&self.run.settings, &self.run.store).await?;
        let watched: HashSet<_> = watched.into_iter().map(|entry| entry.id.uuid).collect();
        let found: Vec<Found> = (found(&listed, arguments.text.as_deref().unwrap_or_default())
            .into_iter())
        .map(|place| {
            let listed = listed[place].clone();
            let uuid = DeploymentId::new(&service, &listed.id).uuid;
            Found {
                is_watched: watched.contains(&uuid),
                listed,
            }
        })
        .collect();
        if arguments.printed.form() == Format::Json {
            let rows: Vec<Object> = found.iter().map(row).collect();
            return Out::new().json(&rows);
        }
        if found.is_empty() {
            let listed = text::counted(count, "deployment", "deployments");
            note(&format!("The service lists {listed}, and none of these."));
            return Ok(0);
        }
        Out::new().text(&lines(&found, self.run.settings.notation(), now))
    }
}

/// The deployments as lines.
fn lines(found: &[Found], notation: Notation, now: f64) -> String {
    let mut heading = vec!["id", "last fix", "position", "label"];
    let mut rows = Vec::new();
    for Found { listed, is_watched } in found {
        let position = listed.position;
        let mut label = text::excerpt(listed.label.as_deref().unwrap_or_default(), 60);
        if *is_watched {
            let separator = if label.is_empty() { "" } else { ", " };
            label.push_str(separator);
            label.push_str("on the watch list");
        }
        rows.push(vec![
            text::excerpt(&listed.id, 60),
            listed
                .time_stamp
                .map_or_else(String::new, |at| time::age(at, now)),
            position.map_or_else(String::new, |at| notation.position(at)),
            label,
        ]);
    }
    // A column without a value is left out.
    for column in (0..heading.len()).rev() {
        if rows.iter().all(|row: &Vec<String>| row[column].is_empty()) {
            heading.remove(column);
            for row in &mut rows {
                row.remove(column);
            }
        }
    }
    text::table(&heading, rows, &[])
}

/// A deployment that is found, as JSON.
fn row(found: &Found) -> Object {
    let listed = &found.listed;
    object! {
        deployment: &listed.id,
        label: &listed.label,
        time: listed.time_stamp.map(time::rfc3339),
        latitude: listed.position.map(|position| position.latitude),
        longitude: listed.position.map(|position| position.longitude),
        watched: found.is_watched,
    }
}
