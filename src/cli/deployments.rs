//! Commands on the watch list.

use serde::Serialize;

use super::args::Global;
use super::args::deployments::{DeploymentsCommand, MemberArguments};
use super::connect;
use super::output::{Out, note};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::speed;
use crate::ops::watch_list;
use crate::ops::watch_list::change::{EntryChange, Member};
use crate::ops::watch_list::import::import;
use crate::text;
use crate::track::{Deployment, time};

pub(super) async fn run(global: &Global, command: DeploymentsCommand) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    match command {
        DeploymentsCommand::Add {
            deployment,
            members,
        } => {
            let uuid = match text::find_uuid(&deployment) {
                Some(uuid) => uuid,
                None => connect::deployment(&deployment)?,
            };
            let change = change(&members)?;
            let fallback = match store.entry(uuid).await? {
                Some(entry) => entry,
                None => {
                    watch_list::configured(uuid, &settings).unwrap_or_else(|| Deployment::new(uuid))
                }
            };
            change.check(&fallback).map_err(Failure::usage)?;
            // For a deployment on the list, values without a flag stay as they
            // are.
            let edit = move |entry: &mut Deployment| change.apply(entry);
            let new = store.amend(fallback, edit).await?;
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
        DeploymentsCommand::Set {
            deployment,
            members,
        } => {
            let uuid = connect::deployment(&deployment)?;
            let change = change(&members)?;
            if change == EntryChange::default() {
                return Err(Failure::usage("nothing to set: give at least one flag"));
            }
            watch_list::set(uuid, change, &settings, &store).await?;
            note(&format!("the entry of {uuid} is changed"));
            Ok(0)
        }
        DeploymentsCommand::Import { file } => {
            let imported = import(&file, &settings, &store, unix_now()).await?;
            for (line, reason) in &imported.refused {
                note(&format!("driftline: line {line} is not taken: {reason}"));
            }
            note(&format!(
                "{} added, {} on the list before, {} not taken",
                imported.new,
                imported.listed,
                imported.refused.len()
            ));
            Ok(u8::from(!imported.refused.is_empty()))
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
            Err(watch_list::not_listed(uuid, &settings))
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
                    max_speed_m_s: Option<f64>,
                    from: Option<String>,
                    until: Option<String>,
                    state: &'static str,
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
                        max_speed_m_s: one.limits.max_speed_m_s,
                        from: one.window.from.map(time::rfc3339),
                        until: one.window.until.map(time::rfc3339),
                        state: one.state.name(),
                        notes: one.notes.as_deref(),
                    })
                    .collect();
                return Out::new().json(&rows);
            }
            let mut lines = String::new();
            for one in &list {
                let label = text::clean(one.label.as_deref().unwrap_or_default()).into_owned();
                let line = format!(
                    "{}  {:<8}  {label}  {}",
                    one.uuid,
                    one.platform.name(),
                    set_members(one)
                );
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

/// The change that the flags ask for.
fn change(members: &MemberArguments) -> Result<EntryChange, Failure> {
    let now = unix_now();
    let platform = members.platform.map(|platform| platform.name().to_owned());
    let state = members.state.map(|state| state.name().to_owned());
    let given = [
        (Member::Label, &members.label),
        (Member::Platform, &platform),
        (Member::MaxAge, &members.max_age),
        (Member::Inside, &members.inside),
        (Member::MaxSpeed, &members.max_speed),
        (Member::From, &members.from),
        (Member::Until, &members.until),
        (Member::State, &state),
        (Member::Notes, &members.notes),
    ];
    let mut change = EntryChange::default();
    for (member, typed) in given {
        if let Some(typed) = typed {
            change
                .take(member, typed, now)
                .map_err(|reason| Failure::usage(format!("{}: {reason}", member.flag())))?;
        }
    }
    Ok(change)
}

/// What is set for a deployment besides label and platform: "max age 6 h, max
/// speed 10kn, recovered".
fn set_members(one: &Deployment) -> String {
    let (limits, window) = (one.limits, one.window);
    let set = [
        (!one.state.is_active()).then(|| one.state.name().to_owned()),
        limits
            .max_age_s
            .map(|age| format!("max age {}", time::duration(age))),
        limits.circle.map(|circle| format!("inside {circle}")),
        limits
            .max_speed_m_s
            .map(|limit| format!("max speed {}", speed::text(limit))),
        window
            .from
            .map(|from| format!("from {}", time::rfc3339(from))),
        window
            .until
            .map(|until| format!("until {}", time::rfc3339(until))),
        one.notes
            .as_deref()
            .map(|notes| format!("notes: {}", text::excerpt(notes, 60))),
    ];
    set.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
