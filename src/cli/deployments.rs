//! Commands on the watch list.

mod judged;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::args::Global;
use super::args::deployments::{DeploymentsCommand, MemberArguments};
use super::connect;
use super::output::{Out, note, report, waits, waits_to_read};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::geo::{Inside, Notation};
use crate::ops::blocking::blocking;
use crate::ops::output::{Destination, what_to_do, why, write_file};
use crate::ops::own_files::OwnFiles;
use crate::ops::store::Store;
use crate::ops::watch_list;
use crate::ops::watch_list::change::{EntryChange, Member};
use crate::ops::watch_list::import::import;
use crate::settings::Settings;
use crate::text;
use crate::track::{Deployment, FieldLimit, Side, time};

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
                None => connect::deployment(&deployment, &settings, &store).await?,
            };
            let change = change(&members)?;
            let fallback = match store.entry(uuid).await? {
                Some(entry) => entry,
                None => {
                    watch_list::configured(uuid, &settings).unwrap_or_else(|| Deployment::new(uuid))
                }
            };
            change.check(&fallback).map_err(Failure::usage)?;
            note_if_small(&change);
            note_unknown_fields(uuid, &change, &settings, &store).await;
            // For a deployment on the list, values without a flag stay as they
            // are.
            let edit = move |entry: &mut Deployment| change.apply(entry);
            let new = store.amend(fallback, edit).await?;
            let entry = entry_words(uuid, &settings, &store).await?;
            note(&format!(
                "{uuid} {}{entry}",
                if new {
                    "is added to the watch list"
                } else {
                    "was on the watch list; its entry is changed"
                }
            ));
            judged::say_what_it_raises(uuid, &settings, &store).await;
            Ok(0)
        }
        DeploymentsCommand::Set {
            deployment,
            members,
        } => {
            let uuid = connect::deployment(&deployment, &settings, &store).await?;
            let change = change(&members)?;
            if change == EntryChange::default() {
                return Err(Failure::usage("nothing to change: give at least one flag"));
            }
            note_if_small(&change);
            note_unknown_fields(uuid, &change, &settings, &store).await;
            let is_taken = watch_list::set(uuid, change, &settings, &store).await?;
            let entry = entry_words(uuid, &settings, &store).await?;
            note(&match is_taken {
                true => format!(
                    "the entry of {uuid} is changed{entry}; it is now in the archive, which has precedence over the settings file"
                ),
                false => format!("the entry of {uuid} is changed{entry}"),
            });
            judged::say_what_it_raises(uuid, &settings, &store).await;
            Ok(0)
        }
        DeploymentsCommand::Import { file } => {
            let imported = import(&file, &waits_to_read, &settings, &store, unix_now()).await?;
            for (line, reason) in &imported.refused {
                note(&format!("driftline: line {line} is left out: {reason}"));
            }
            for (line, name, members) in &imported.changed {
                note(&format!(
                    "line {line}: {}: {}",
                    text::excerpt(name, 60),
                    members.join(", ")
                ));
            }
            note(&format!(
                "{} added, {} changed, {} unchanged, {} left out",
                imported.new,
                imported.changed.len(),
                imported.unchanged,
                imported.refused.len()
            ));
            Ok(u8::from(!imported.refused.is_empty()))
        }
        DeploymentsCommand::Export { file } => {
            let list = watch_list::watched(&settings, &store).await?;
            let table = watch_list::export::table(&list);
            let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
                return Out::new().bytes(&table);
            };
            OwnFiles::of(&settings).refuse(&file)?;
            let count = list.len();
            blocking(move || {
                let destination = Destination::that_waits(&file, &waits);
                write_file(&destination, |out| {
                    out.write_all(&table).map_err(|error| {
                        Failure::new(FailureKind::Other, why(&error), what_to_do(&error))
                    })
                })?;
                let counted = text::counted(count, "deployment", "deployments");
                note(&format!("{counted} to {}", file.display()));
                Ok(0)
            })
            .await?
        }
        DeploymentsCommand::Remove { deployments } => {
            // Each is known before the first is removed.
            let mut uuids = Vec::new();
            for typed in &deployments {
                uuids.push(connect::deployment(typed, &settings, &store).await?);
            }
            let mut failure = None;
            for uuid in uuids {
                let configured = watch_list::is_configured(uuid, &settings);
                if store.write(move |archive| archive.unwatch(uuid)).await? {
                    note(&if configured {
                        format!(
                            "{uuid} stays listed (named in the configuration file); its local settings were removed"
                        )
                    } else {
                        format!("{uuid} is off the watch list; its data stays in the archive")
                    });
                } else if let Some(before) =
                    failure.replace(watch_list::not_listed(uuid, &settings))
                {
                    report(&before, false);
                }
            }
            failure.map_or(Ok(0), Err)
        }
        DeploymentsCommand::List { json } => {
            let list = watch_list::watched(&settings, &store).await?;
            if json {
                #[derive(Serialize)]
                struct Row<'a> {
                    uuid: String,
                    label: Option<&'a str>,
                    group: Option<&'a str>,
                    platform: &'static str,
                    max_age_s: Option<f64>,
                    inside: Option<String>,
                    area: Option<&'a RawValue>,
                    below: BTreeMap<&'a str, f64>,
                    above: BTreeMap<&'a str, f64>,
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
                        group: one.group.as_deref(),
                        platform: one.platform.name(),
                        max_age_s: one.limits.max_age_s,
                        inside: one.limits.inside.as_ref().map(|inside| match inside {
                            Inside::Circle(circle) => circle.to_string(),
                            Inside::Area(area) => area.name().to_owned(),
                        }),
                        area: area(one),
                        below: fields(one, Side::Below),
                        above: fields(one, Side::Above),
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
                    set_members(one, settings.notation())
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

/// The area of a deployment as GeoJSON.
fn area(one: &Deployment) -> Option<&RawValue> {
    match one.limits.inside.as_ref()? {
        Inside::Area(area) => serde_json::from_str(area.text()).ok(),
        Inside::Circle(_) => None,
    }
}

/// The limits of fields on one side.
fn fields(one: &Deployment, side: Side) -> BTreeMap<&str, f64> {
    let limits = one.limits.fields.iter().filter(|limit| limit.side == side);
    limits
        .map(|limit| (limit.field.as_str(), limit.value))
        .collect()
}

/// Says that a circle or an area is too small to be stayed in.
fn note_if_small(change: &EntryChange) {
    if let Some(why) = change.inside().and_then(Inside::too_small) {
        note(&format!("driftline: --inside: {why}"));
    }
}

async fn note_unknown_fields(uuid: Uuid, change: &EntryChange, settings: &Settings, store: &Store) {
    for words in watch_list::unknown_fields(uuid, change, settings, store).await {
        note(&format!("driftline: {}", crate::text::excerpt(&words, 400)));
    }
}

/// The change that the flags ask for.
fn change(members: &MemberArguments) -> Result<EntryChange, Failure> {
    let now = unix_now();
    let platform = members.platform.map(|platform| platform.name().to_owned());
    let state = members.state.map(|state| state.name().to_owned());
    let given = [
        (Member::Label, &members.label),
        (Member::Group, &members.group),
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
            take(&mut change, member, typed, now)?;
        }
    }
    for (member, all) in [
        (Member::Below, &members.below),
        (Member::Above, &members.above),
    ] {
        for typed in all {
            take(&mut change, member, typed, now)?;
        }
    }
    Ok(change)
}

fn take(change: &mut EntryChange, member: Member, typed: &str, now: f64) -> Result<(), Failure> {
    change
        .take(member, typed, now, Path::new(""))
        .map_err(|reason| Failure::usage(format!("{}: {reason}", member.flag())))
}

/// The entry of a deployment as it is stored, to follow what was done to it:
/// ": drifter, max age 12 s". A value that was understood in another unit than meant
/// is seen at once.
async fn entry_words(uuid: Uuid, settings: &Settings, store: &Store) -> Result<String, Failure> {
    let Some(entry) = store.entry(uuid).await? else {
        return Ok(String::new());
    };
    let label = entry.label.as_deref().map(|label| text::excerpt(label, 60));
    let words = [
        entry.platform.name().to_owned(),
        set_members(&entry, settings.notation()),
    ];
    let words = label
        .into_iter()
        .chain(words)
        .filter(|word| !word.is_empty());
    Ok(format!(": {}", words.collect::<Vec<_>>().join(", ")))
}

/// The settings of a deployment besides label and platform: "max age 6 h, max speed 10kn,
/// recovered".
fn set_members(one: &Deployment, notation: Notation) -> String {
    let (limits, window) = (&one.limits, one.window);
    let fields = limits.fields.iter().map(FieldLimit::text);
    let set = [
        one.group
            .as_deref()
            .map(|group| format!("group {}", text::excerpt(group, 60))),
        (!one.state.is_active()).then(|| one.state.name().to_owned()),
        limits
            .max_age_s
            .map(|age| format!("max age {}", time::duration(age))),
        limits
            .inside
            .as_ref()
            .map(|inside| format!("inside {}", inside.text(notation))),
        limits
            .max_speed_m_s
            .map(|limit| format!("max speed {}", notation.units.speed(limit))),
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
    set.into_iter()
        .flatten()
        .chain(fields)
        .collect::<Vec<_>>()
        .join(", ")
}
