//! The deployments that the service lists.

use std::collections::HashSet;

use serde::Serialize;

use super::{List, MemberArguments};
use crate::cli::args::Global;
use crate::cli::args::deployments::FindArguments;
use crate::cli::args::printed::Form;
use crate::cli::connect;
use crate::cli::output::{Out, note};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::geo::Notation;
use crate::geo::circle::WatchCircle;
use crate::ops::watch_list;
use crate::text;
use crate::track::remote::{ListedDeployment, Remote};
use crate::track::time;

/// A deployment that the service lists, beside the watch list.
struct Found {
    listed: ListedDeployment,
    is_watched: bool,
}

/// What is looked for.
struct Wanted {
    text: String,
    near: Option<WatchCircle>,
    /// The time that the last fix is after, UNIX seconds.
    since: Option<f64>,
}

impl Wanted {
    fn of(arguments: &FindArguments, now: f64) -> Result<Self, Failure> {
        let circle = |typed: &String| {
            typed.parse().map_err(|_| {
                let shown = text::excerpt(typed, 80);
                Failure::usage(format!("--near: '{shown}' is not LAT,LON,RADIUS"))
            })
        };
        let since = |typed: &String| connect::duration("--max-age", typed).map(|age| now - age);
        Ok(Self {
            text: arguments.text.as_deref().unwrap_or_default().to_lowercase(),
            near: arguments.near.as_ref().map(circle).transpose()?,
            since: arguments.max_age.as_ref().map(since).transpose()?,
        })
    }

    fn has(&self, listed: &ListedDeployment) -> bool {
        let names = [Some(&listed.id), listed.label.as_ref()];
        let mut names = names.into_iter().flatten();
        let near = self.near.as_ref();
        names.any(|name| name.to_lowercase().contains(&self.text))
            && near.is_none_or(|circle| {
                listed
                    .position
                    .is_some_and(|position| circle.distance_m(position) <= circle.radius_m)
            })
            && self
                .since
                .is_none_or(|since| listed.time_stamp.is_some_and(|time| time >= since))
    }

    /// Sorts by distance where that counts, else by name.
    fn sort(&self, found: &mut [Found]) {
        let name = |listed: &ListedDeployment| {
            let name = listed.label.as_ref().unwrap_or(&listed.id);
            text::natural_key(&name.to_lowercase())
        };
        found.sort_by_cached_key(|one| name(&one.listed));
        if let Some(circle) = &self.near {
            let distance = |one: &Found| {
                let position = one.listed.position;
                position.map_or(f64::INFINITY, |position| circle.distance_m(position))
            };
            found.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        }
    }
}

impl List<'_> {
    pub(super) async fn find(
        &self,
        global: &Global,
        arguments: &FindArguments,
    ) -> Result<u8, Failure> {
        let now = unix_now();
        let wanted = Wanted::of(arguments, now)?;
        let session = connect::session(global, self.settings)?;
        let service = session.service_name();
        let listed = session.listed().await?;
        let count = listed.len();
        let watched = watch_list::watched(self.settings, self.store).await?;
        let watched: HashSet<_> = watched.into_iter().map(|entry| entry.uuid).collect();
        let listed = listed.into_iter().filter(|listed| wanted.has(listed));
        let mut found: Vec<Found> = listed
            .map(|listed| Found {
                is_watched: watched.contains(&Remote::uuid(&service, &listed.id)),
                listed,
            })
            .collect();
        wanted.sort(&mut found);
        if !arguments.add.is_empty() {
            return self.add_found(&found, &arguments.add).await;
        }
        if arguments.printed.form() == Form::Json {
            let rows: Vec<Row<'_>> = found.iter().map(Row::of).collect();
            return Out::new().json(&rows);
        }
        if found.is_empty() {
            let listed = text::counted(count, "deployment", "deployments");
            note(&format!("The service lists {listed}, and none of these."));
            return Ok(0);
        }
        Out::new().text(&table(&found, self.settings.notation(), now))
    }

    /// Adds deployments of a list, each named by its id or its number.
    async fn add_found(&self, found: &[Found], named: &[String]) -> Result<u8, Failure> {
        // All are looked for before any is added.
        let chosen: Vec<&Found> = named
            .iter()
            .map(|name| named_in(found, name))
            .collect::<Result<_, Failure>>()?;
        for Found { listed, is_watched } in chosen {
            let members = MemberArguments {
                label: listed.label.clone().filter(|_| !is_watched),
                ..MemberArguments::default()
            };
            self.add(&listed.id, &members).await?;
        }
        Ok(0)
    }
}

/// The deployment of a list with this id, else the one with this number.
fn named_in<'a>(found: &'a [Found], name: &str) -> Result<&'a Found, Failure> {
    let by_id = found.iter().find(|one| one.listed.id == name.trim());
    let by_number = || found.get(name.trim().parse::<usize>().ok()?.checked_sub(1)?);
    by_id.or_else(by_number).ok_or_else(|| {
        Failure::new(
            FailureKind::Usage,
            format!(
                "'{}' is neither an id nor a number of what is found",
                text::excerpt(name, 80)
            ),
            "The same command without --add prints ids and numbers.",
        )
    })
}

/// The deployments as lines with a number each.
fn table(found: &[Found], notation: Notation, now: f64) -> String {
    let mut rows = vec![["", "id", "last fix", "position", "label"].map(str::to_owned)];
    for (Found { listed, is_watched }, number) in found.iter().zip(1_usize..) {
        let position = listed.position;
        let mut label = text::excerpt(listed.label.as_deref().unwrap_or_default(), 60);
        if *is_watched {
            let separator = if label.is_empty() { "" } else { ", " };
            label.push_str(separator);
            label.push_str("on the watch list");
        }
        rows.push([
            number.to_string(),
            text::excerpt(&listed.id, 60),
            listed
                .time_stamp
                .map_or_else(String::new, |at| time::age(at, now)),
            position.map_or_else(String::new, |at| notation.position(at)),
            label,
        ]);
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| text::width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..5).map(width).collect();
    // A column that nothing is known for is left out.
    let is_filled = |column: usize| rows.iter().skip(1).any(|row| !row[column].is_empty());
    let filled: Vec<usize> = (0..5).filter(|column| is_filled(*column)).collect();
    let mut lines = String::new();
    for row in &rows {
        let mut line = String::new();
        for column in &filled {
            let cell = &row[*column];
            let pad = " ".repeat(widths[*column].saturating_sub(text::width(cell)));
            line.push_str(cell);
            line.push_str(&pad);
            line.push_str("  ");
        }
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}

/// A deployment that is found, as JSON.
#[derive(Serialize)]
struct Row<'a> {
    deployment: &'a str,
    label: Option<&'a str>,
    time: Option<String>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    watched: bool,
}

impl<'a> Row<'a> {
    fn of(found: &'a Found) -> Self {
        let listed = &found.listed;
        Self {
            deployment: &listed.id,
            label: listed.label.as_deref(),
            time: listed.time_stamp.map(time::rfc3339),
            latitude: listed.position.map(|position| position.latitude),
            longitude: listed.position.map(|position| position.longitude),
            watched: found.is_watched,
        }
    }
}
