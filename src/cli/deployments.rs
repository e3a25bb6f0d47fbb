//! Commands on the watch list.

mod find;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use strum::VariantArray;
use uuid::Uuid;

use super::args::Global;
use super::args::deployments::{DeploymentsCommand, MemberArguments};
use super::names;
use super::output::{Out, last, note, warn};
use super::run::Run;
use crate::app::alarms::judge::judge_archived;
use crate::app::session::connect;
use crate::app::watch_list;
use crate::app::watch_list::import::{import, read_file};
use crate::failure::Failure;
use crate::formats::Format;
use crate::geo::{Inside, Notation};
use crate::os::clock::unix_now;
use crate::settings::inside;
use crate::text;
use crate::text::json::{Object, object};
use crate::track::{FieldLimit, Side, time};
use crate::watch::DeploymentId;
use crate::watch::deployment::change::{EntryChange, Reading, Setting};
use crate::watch::{Deployment, Limits};

pub(super) async fn run(global: &Global, command: DeploymentsCommand) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let list = List { run: &run };
    match command {
        DeploymentsCommand::Add {
            deployment,
            members,
        } => list.add(&deployment, &members).await,
        DeploymentsCommand::Set {
            deployment,
            members,
        } => list.set(&deployment, &members).await,
        DeploymentsCommand::Find(arguments) => list.find(&arguments).await,
        DeploymentsCommand::Import { file } => list.import(&file).await,
        DeploymentsCommand::Export { file, output } => list.export(file.or(output)).await,
        DeploymentsCommand::Remove { deployments } => list.remove(&deployments).await,
        DeploymentsCommand::List {
            printed,
            all_services,
        } => {
            if all_services {
                return list.print_all(printed.form()).await;
            }
            let status = list.print(printed.form()).await?;
            run.note_elsewhere().await;
            Ok(status)
        }
    }
}

/// The columns of the watch list for people.
const HEADING: [&str; 4] = ["deployment", "platform", "label", "settings"];

/// The watch list of the settings and the archive.
struct List<'a> {
    run: &'a Run,
}

impl List<'_> {
    async fn add(&self, typed: &str, members: &MemberArguments) -> Result<u8, Failure> {
        let settings = &self.run.settings;
        let store = &self.run.store;
        let id = match (connect::service(settings)?, text::find_uuid(typed)) {
            (Some(service), _) => names::remote(&service, typed)?,
            (None, Some(uuid)) => names::plain(uuid, store).await,
            (None, None) if self.run.is_deployment(typed).await => {
                self.run.deployment(typed).await?
            }
            (None, None) => {
                let why = "a deployment is added by its whole UUID";
                return Err(names::no_uuid(typed, why));
            }
        };
        let uuid = id.uuid;
        let change = change(members)?;
        let fallback = match store.entry(uuid).await? {
            Some(entry) => entry,
            None => watch_list::configured(uuid, settings)
                .unwrap_or_else(|| Deployment::new(id.clone())),
        };
        change.check(&fallback).map_err(Failure::usage)?;
        self.note_on(&id, &change).await;
        let before = store.entry(uuid).await?;
        let is_judged = change.is_judged();
        // For a deployment on the list, values without a flag stay as they are.
        let edit = move |entry: &mut Deployment| change.apply(entry);
        let is_new = store.amend(fallback, edit).await?;
        let done = if is_new {
            "is added to the watch list"
        } else if before == store.entry(uuid).await? {
            "was on the watch list; its entry is unchanged"
        } else {
            "was on the watch list; its entry is changed"
        };
        note(&format!("{id} {done}{}", self.entry_words(uuid).await?));
        if is_new || is_judged {
            self.judge(uuid).await;
        }
        Ok(0)
    }

    async fn set(&self, typed: &str, members: &MemberArguments) -> Result<u8, Failure> {
        let settings = &self.run.settings;
        let store = &self.run.store;
        let id = self.run.deployment(typed).await?;
        let uuid = id.uuid;
        let change = change(members)?;
        if change.is_empty() {
            return Err(Failure::usage("nothing to change: give at least one flag"));
        }
        self.note_on(&id, &change).await;
        let is_judged = change.is_judged();
        let before = store.entry(uuid).await?;
        let taken = if watch_list::set(&id, change, settings, store).await? {
            "; it is now in the archive, which has precedence over the settings file"
        } else {
            ""
        };
        let entry = self.entry_words(uuid).await?;
        let done = if before == store.entry(uuid).await? {
            "unchanged"
        } else {
            "changed"
        };
        note(&format!("the entry of {id} is {done}{entry}{taken}"));
        if is_judged {
            self.judge(uuid).await;
        }
        Ok(0)
    }

    /// Judges the stored fixes of a deployment by its changed entry, and notifies.
    async fn judge(&self, uuid: Uuid) {
        if let Err(failure) = judge_archived(&self.run.store, uuid).await {
            // The entry is changed, and the next response is judged by it.
            warn(format_args!(
                "the stored fixes could not be judged by it: {failure}"
            ));
        }
        self.run.notify().await;
    }

    async fn import(&self, file: &Path) -> Result<u8, Failure> {
        let settings = &self.run.settings;
        let store = &self.run.store;
        let lines = read_file(file, settings).await?;
        let imported = import(lines, settings, store).await?;
        for (line, reason) in &imported.refused {
            warn(format_args!("line {line} is left out: {reason}"));
        }
        for (line, name, members) in &imported.changed {
            note(&format!(
                "line {line}: {}: {}",
                text::excerpt(name, 60),
                members.join(", ")
            ));
        }
        for (line, words) in &imported.unknown {
            warn(format_args!("line {line}: {}", text::excerpt(words, 400)));
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

    async fn export(&self, file: Option<PathBuf>) -> Result<u8, Failure> {
        let list = watch_list::watched(&self.run.settings, &self.run.store).await?;
        let table = watch_list::table::table(&list);
        if list.is_empty() && file.is_some() {
            // The file may be the list of an archive whose disk is not mounted.
            self.run.store.look_for_named().await?;
        }
        let counted = text::counted(list.len(), "deployment", "deployments");
        self.run.export(file, table, counted).await
    }

    async fn remove(&self, typed: &[String]) -> Result<u8, Failure> {
        // Each is known before the first is removed.
        let all = self.run.deployments(typed).await?;
        let mut failures = Vec::new();
        for id in all {
            let uuid = id.uuid;
            if !self
                .run
                .store
                .write(move |archive| archive.unwatch(uuid))
                .await?
            {
                failures.push(watch_list::not_listed(&id, &self.run.settings));
                continue;
            }
            note(&if watch_list::is_configured(uuid, &self.run.settings) {
                format!(
                    "{id} stays listed (named in the settings file); its local settings were removed"
                )
            } else {
                format!("{id} is off the watch list; its data stays in the archive")
            });
        }
        last(failures).map_or(Ok(0), Err)
    }

    async fn print(&self, form: Format) -> Result<u8, Failure> {
        let list = watch_list::watched(&self.run.settings, &self.run.store).await?;
        if form == Format::Json {
            return Out::new().json(&list.iter().map(row).collect::<Vec<_>>());
        }
        if list.is_empty() {
            warn(watch_list::empty(&self.run.settings, &self.run.store));
            return Ok(0);
        }
        let rows = list.iter().map(|entry| self.cells(entry));
        Out::new().text(&text::table(&HEADING, rows, &[]))
    }

    /// Prints the entries of every service, each with the service that it was added under.
    async fn print_all(&self, form: Format) -> Result<u8, Failure> {
        let read = watch_list::listed(&self.run.settings, &self.run.store_of_all()).await?;
        let entries = read.into_iter().filter_map(|read| {
            let service = read.origin.map(|origin| origin.service);
            Some((read.deployment?, service))
        });
        let all: Vec<(Deployment, Option<String>)> = entries.collect();
        if form == Format::Json {
            let of_service = |(entry, service): &(Deployment, Option<String>)| {
                let mut members = row(entry);
                members.0.extend(object! { service: service }.0);
                members
            };
            return Out::new().json(&all.iter().map(of_service).collect::<Vec<_>>());
        }
        if all.is_empty() {
            warn(watch_list::empty(&self.run.settings, &self.run.store));
            return Ok(0);
        }
        let heading = [&HEADING[..], &["service"]].concat();
        let rows = all.iter().map(|(entry, service)| {
            let mut cells = self.cells(entry);
            cells.push(text::excerpt(service.as_deref().unwrap_or("each"), 200));
            cells
        });
        Out::new().text(&text::table(&heading, rows, &[]))
    }

    /// The cells below [`HEADING`].
    fn cells(&self, entry: &Deployment) -> Vec<String> {
        vec![
            entry.id.to_string(),
            entry.platform.name().to_owned(),
            text::excerpt(entry.label.as_deref().unwrap_or_default(), 60),
            set_members(entry, self.run.settings.notation()),
        ]
    }

    /// Prints notes on likely mistakes: a circle or an area that is too small, fields that no
    /// record has, and a label that another deployment has.
    async fn note_on(&self, id: &DeploymentId, change: &EntryChange) {
        if let Some(why) = change.inside().and_then(Inside::too_small) {
            warn(why);
        }
        for words in
            watch_list::unknown_fields(id, change, &self.run.settings, &self.run.store).await
        {
            warn(text::excerpt(&words, 400));
        }
        let Some(label) = change.label() else { return };
        let list = watch_list::watched(&self.run.settings, &self.run.store).await;
        let is_same = |other: &str| other.trim().to_lowercase() == label.trim().to_lowercase();
        let same = (list.iter().flatten())
            .find(|entry| entry.id != *id && entry.label.as_deref().is_some_and(is_same));
        if let Some(other) = same {
            warn(format_args!(
                "{} has the label '{}' too: no command can name either by it",
                other.id,
                text::excerpt(label, 60)
            ));
        }
    }

    /// The stored entry of a deployment, for a confirmation: ": drifter, max age 12 s". It shows a
    /// value that was read in another unit than meant.
    async fn entry_words(&self, uuid: Uuid) -> Result<String, Failure> {
        let Some(entry) = self.run.store.entry(uuid).await? else {
            return Ok(String::new());
        };
        let label = entry.label.as_deref().map(|label| text::excerpt(label, 60));
        let members = set_members(&entry, self.run.settings.notation());
        let words = label
            .into_iter()
            .chain([entry.platform.name().to_owned(), members])
            .filter(|word| !word.is_empty());
        Ok(format!(": {}", words.collect::<Vec<_>>().join(", ")))
    }
}

/// An entry of the watch list as JSON.
fn row(entry: &Deployment) -> Object {
    // Without `..`, so that a new limit is shown.
    let Limits {
        max_age_s,
        inside,
        max_speed_m_s,
        fields,
    } = &entry.limits;
    object! {
        uuid: entry.id.to_string(),
        label: &entry.label,
        group: &entry.group,
        platform: entry.platform.name(),
        max_age_s: max_age_s,
        inside: inside.as_ref().map(|inside| match inside {
            Inside::Circle(circle) => circle.to_string(),
            Inside::Area(area) => area.name().to_owned(),
        }),
        area: inside.as_ref().and_then(area),
        below: by_field(fields, Side::Below, |limit| Some(limit.value)),
        below_units: by_field(fields, Side::Below, unit),
        above: by_field(fields, Side::Above, |limit| Some(limit.value)),
        above_units: by_field(fields, Side::Above, unit),
        max_speed_m_s: max_speed_m_s,
        from: entry.window.from.map(time::rfc3339),
        until: entry.window.until.map(time::rfc3339),
        state: entry.state.name(),
        notes: &entry.notes,
    }
}

/// An area as GeoJSON.
fn area(inside: &Inside) -> Option<&RawValue> {
    match inside {
        Inside::Area(area) => serde_json::from_str(area.text()).ok(),
        Inside::Circle(_) => None,
    }
}

/// A value of the limits on a side by their fields, of those that have it.
fn by_field<'a, T>(
    fields: &'a [FieldLimit],
    side: Side,
    value: impl Fn(&'a FieldLimit) -> Option<T>,
) -> BTreeMap<&'a str, T> {
    let limits = fields.iter().filter(|limit| limit.side == side);
    limits
        .filter_map(|limit| Some((limit.field.as_str(), value(limit)?)))
        .collect()
}

fn unit(limit: &FieldLimit) -> Option<&str> {
    Some(limit.unit.as_str()).filter(|unit| !unit.is_empty())
}

/// The change that the flags ask for.
fn change(members: &MemberArguments) -> Result<EntryChange, Failure> {
    let platform = members.platform.map(|platform| platform.name().to_owned());
    let state = members.state.map(|state| state.name().to_owned());
    let given = |setting: Setting| match setting {
        Setting::Label => members.label.as_slice(),
        Setting::Group => members.group.as_slice(),
        Setting::Platform => platform.as_slice(),
        Setting::MaxAge => members.max_age.as_slice(),
        Setting::Inside => members.inside.as_slice(),
        Setting::Below => members.below.as_slice(),
        Setting::Above => members.above.as_slice(),
        Setting::MaxSpeed => members.max_speed.as_slice(),
        Setting::From => members.from.as_slice(),
        Setting::Until => members.until.as_slice(),
        Setting::State => state.as_slice(),
        Setting::Notes => members.notes.as_slice(),
    };
    let reading = Reading {
        now: unix_now(),
        zone: None,
        inside: &|typed| inside::parse(typed, Path::new("")),
    };
    let mut change = EntryChange::default();
    for setting in Setting::VARIANTS {
        for typed in given(*setting) {
            let read = change.read(*setting, typed, &reading);
            read.map_err(|reason| Failure::usage(format!("{}: {reason}", setting.flag())))?;
        }
    }
    Ok(change)
}

/// The settings of a deployment except label and platform: "max age 6 h, max speed 10kn,
/// recovered".
fn set_members(one: &Deployment, notation: Notation) -> String {
    let Limits {
        max_age_s,
        inside,
        max_speed_m_s,
        fields,
    } = &one.limits;
    let window = one.window;
    let fields = fields.iter().map(FieldLimit::text);
    let set = [
        one.group
            .as_deref()
            .map(|group| format!("group {}", text::excerpt(group, 60))),
        (!one.state.is_active()).then(|| one.state.name().to_owned()),
        max_age_s.map(|age| format!("max age {}", time::whole_duration(age))),
        inside
            .as_ref()
            .map(|inside| format!("inside {}", inside.shown(notation))),
        max_speed_m_s.map(|limit| format!("max speed {}", notation.units.speed(limit))),
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
