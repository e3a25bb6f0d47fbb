//! Reads a table of deployments into the watch list: cells that commas, semicolons or tabs
//! separate, with a header that names `uuid` and any settings of a deployment, in any order.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use csv::StringRecord;
use strum::VariantArray;
use uuid::Uuid;

use super::table::read_cell;
use super::{configured, unknown_fields};
use crate::app::rows::sheet;
use crate::app::session::connect;
use crate::app::store::Store;
use crate::archive::Archive;
use crate::failure::Failure;
use crate::formats::csv::without_apostrophe;
use crate::mapping::Service;
use crate::os::clock::unix_now;
use crate::os::reading::read_named;
use crate::settings::{Settings, inside};
use crate::text;
use crate::watch::Deployment;
use crate::watch::DeploymentId;
use crate::watch::deployment::change::{EntryChange, Reading, Setting, differences};

/// The name of the column that says which deployment a line is about.
const UUID: &str = "uuid";

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its number, counted from 1.
    pub number: usize,
    /// The deployment and its change, or why the line is rejected.
    pub read: Result<(DeploymentId, EntryChange), String>,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Imported {
    /// Lines with a deployment that was not on the watch list.
    pub new: usize,
    /// Lines with a deployment that was, and that the line changes: number, name, and the
    /// settings with their new values.
    pub changed: Vec<(usize, String, Vec<String>)>,
    /// Lines with a deployment that was, and that change nothing.
    pub unchanged: usize,
    /// Lines that were rejected: number and reason.
    pub refused: Vec<(usize, String)>,
    /// Limits for fields that no record has: number of the line, and the words.
    pub unknown: Vec<(usize, String)>,
}

/// The lines of a file. Times such as `7d` are relative to now, area files to the folder of the
/// file.
///
/// # Errors
/// `FailureKind::Usage` for a header that is not one, `FailureKind::Other` when the file cannot be
/// read.
pub(crate) async fn read_file(file: &Path, settings: &Settings) -> Result<Vec<Line>, Failure> {
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let service = connect::service(settings)?;
    read_named(file, move |opened| {
        let base = Base {
            now: unix_now(),
            folder: Some(&folder),
            service: service.as_ref(),
        };
        read(std::io::BufReader::new(opened), base)
    })
    .await
}

/// Puts the deployments of the lines on the watch list, or changes their entries:
/// an empty cell changes nothing. A line with a fault is left out.
///
/// # Errors
/// When the archive cannot be written: nothing is changed then.
pub(crate) async fn import(
    lines: Vec<Line>,
    settings: &Settings,
    store: &Store,
) -> Result<Imported, Failure> {
    let list = store.watched().await?;
    let namesakes = store.read(Archive::namesakes).await?;
    let listed: HashMap<Uuid, &Deployment> =
        list.iter().map(|entry| (entry.id.uuid, entry)).collect();
    let mut imported = Imported::default();
    let mut edits = Vec::new();
    let mut effects = Vec::new();
    // After the lines before: a deployment may occur twice.
    let mut entries: HashMap<Uuid, Deployment> = HashMap::new();
    for line in lines {
        let taken = line.read.and_then(|(typed, change)| {
            let id = namesakes.get(&typed.uuid).cloned().unwrap_or(typed);
            let uuid = id.uuid;
            let stored = || listed.get(&uuid).map(|entry| (*entry).clone());
            let known = entries.get(&uuid).cloned().or_else(stored);
            let before = known
                .or_else(|| configured(uuid, settings))
                .unwrap_or_else(|| Deployment::new(id));
            change.check(&before)?;
            Ok((before, change))
        });
        match taken {
            Ok((before, change)) => {
                let mut after = before.clone();
                change.apply(&mut after);
                effects.push((line.number, after.name(), differences(&before, &after)));
                for words in unknown_fields(&after.id, &change, settings, store).await {
                    imported.unknown.push((line.number, words));
                }
                entries.insert(after.id.uuid, after);
                let edit = move |entry: &mut Deployment| change.apply(entry);
                edits.push((before, edit));
            }
            Err(reason) => imported.refused.push((line.number, reason)),
        }
    }
    let amended = store.edit_list(move |archive| archive.amend_all(&edits, unix_now()));
    for (new, effect) in amended.await?.into_iter().zip(effects) {
        if new {
            imported.new += 1;
        } else if effect.2.is_empty() {
            imported.unchanged += 1;
        } else {
            imported.changed.push(effect);
        }
    }
    Ok(imported)
}

/// The base that the cells of a table are relative to.
#[derive(Debug, Clone, Copy, Default)]
struct Base<'a> {
    /// UNIX seconds.
    now: f64,
    /// The folder of files.
    folder: Option<&'a Path>,
    /// The service to which these ids belong, if it has a different interface.
    service: Option<&'a Service>,
}

fn read(table: impl Read, base: Base<'_>) -> Result<Vec<Line>, Failure> {
    let table = sheet(table)?;
    let headers = table
        .heading
        .iter()
        .map(column)
        .collect::<Result<Vec<Option<Setting>>, Failure>>()?;
    for (place, header) in headers.iter().enumerate() {
        if headers.iter().take(place).any(|other| other == header) {
            let name = header.map_or_else(|| UUID.to_owned(), |setting| setting.to_string());
            return Err(Failure::usage(format!("the header has '{name}' twice")));
        }
    }
    if !headers.contains(&None) {
        return Err(Failure::usage(format!(
            "the header has no column '{UUID}': it names {UUID} and any of {}",
            settings()
        )));
    }
    let line = |(number, cells): (usize, Result<StringRecord, String>)| Line {
        number,
        read: cells.and_then(|cells| row(&cells, &headers, base)),
    };
    Ok(table.rows.into_iter().map(line).collect())
}

/// The setting that a column has; `None` for the UUID.
fn column(header: &str) -> Result<Option<Setting>, Failure> {
    let name = header.trim().to_ascii_lowercase();
    if name == UUID {
        return Ok(None);
    }
    name.parse().map(Some).map_err(|_| {
        Failure::usage(format!(
            "the header has an unknown column '{}': it names {UUID} and any of {}",
            text::excerpt(header, 40),
            settings()
        ))
    })
}

/// The names of the settings of a deployment.
fn settings() -> String {
    let names: Vec<String> = Setting::VARIANTS.iter().map(Setting::to_string).collect();
    names.join(", ")
}

fn row(
    record: &StringRecord,
    headers: &[Option<Setting>],
    base: Base<'_>,
) -> Result<(DeploymentId, EntryChange), String> {
    let folder = base.folder.unwrap_or(Path::new(""));
    let reading = Reading {
        now: base.now,
        zone: None,
        inside: &|typed| inside::parse(typed, folder),
    };
    let mut id = None;
    let mut change = EntryChange::default();
    for (cell, header) in record.iter().zip(headers) {
        match header {
            None => {
                let name = read_cell(without_apostrophe(cell.trim()));
                let typed = text::excerpt(&name, 60);
                id = Some(match base.service {
                    Some(service) => (service.deployment(&name))
                        .map_err(|why| format!("'{typed}' cannot be an id: {why}"))?,
                    None => Uuid::parse_str(&name)
                        .map(DeploymentId::from)
                        .map_err(|_| format!("'{typed}' is not a UUID"))?,
                });
            }
            // An empty cell sets nothing.
            Some(_) if cell.trim().is_empty() => {}
            Some(setting) => change
                .read(
                    *setting,
                    &read_cell(without_apostrophe(cell.trim())),
                    &reading,
                )
                .map_err(|reason| format!("{setting}: {reason}"))?,
        }
    }
    id.map(|id| (id, change))
        .ok_or_else(|| "it has no UUID".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;
    use crate::failure::FailureKind;
    use crate::mapping::Mapping;
    use crate::track::{FieldLimitChange, Side};

    const A: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
    const B: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1ab";

    #[test]
    fn a_table_without_an_end_is_refused() {
        let table = std::io::repeat(b'\n');
        let failure = read(table, Base::default()).unwrap_err();
        assert!(failure.reason.contains("larger than"), "{failure}");
    }

    #[test]
    fn a_bad_line_is_named_and_costs_no_other() {
        let table = format!(
            "\u{feff}label,UUID, max_age ,inside,state,until\r\n\
             \"buoy 7, north\",{A},6h,\"57.92,2.11,2km\",active,none\r\n\
             \r\n\
             b,not-a-uuid,,,,\r\n\
             c,{B},,,gone,\r\n\
             d,{B}\r\n\
             \"open,{B},,,lost,\r\n\
             two,{B},,,lost,2026-11-20\r\n"
        );
        let lines = read(table.as_bytes(), Base::default()).unwrap();
        let numbers: Vec<(usize, bool)> = lines
            .iter()
            .map(|line| (line.number, line.read.is_ok()))
            .collect();
        assert_eq!(
            numbers,
            [
                (2, true),
                (4, false),
                (5, false),
                (6, false),
                (7, false),
                (8, true)
            ]
        );
        let unix = read(table.replace('\r', "").as_bytes(), Base::default()).unwrap();
        assert_eq!(unix, lines);
        let (uuid, change) = lines[0].read.clone().unwrap();
        let mut entry = Deployment::new(uuid);
        change.apply(&mut entry);
        assert_eq!(entry.id.uuid.to_string(), A);
        assert_eq!(entry.label.as_deref(), Some("buoy 7, north"));
        assert_eq!(entry.limits.max_age_s, Some(21_600.0));
        assert_eq!(entry.limits.inside.unwrap().radius_m(), 2000.0);
        let reason = |line: usize| lines[line].read.clone().unwrap_err();
        assert_eq!(reason(1), "'not-a-uuid' is not a UUID");
        assert_eq!(
            reason(2),
            "state: 'gone' is not one of active, recovered, lost"
        );
        assert_eq!(reason(3), "it has 2 cells, the header 6");
        assert_eq!(reason(4), "a quote is not closed on this line");
    }

    #[test]
    fn a_header_that_is_none_is_refused() {
        for (header, named) in [
            ("label,platform", "uuid"),
            ("uuid,lable", "lable"),
            ("uuid,label,LABEL", "label"),
            ("uuid,label,uuid", "uuid"),
            ("", "uuid"),
        ] {
            let failure =
                read(format!("{header}\n{A},b,c\n").as_bytes(), Base::default()).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Usage, "{header}");
            assert!(failure.message().contains(named), "{}", failure.message());
        }
    }

    #[test]
    fn a_list_that_is_exported_is_imported_as_it_was() {
        let texts = [
            "'=1+1",
            "it's",
            "=1+1",
            "two\r\nlines\t",
            " a\u{1b}[31m ",
            r"C:\u0041\u001b",
        ];
        for text in texts {
            let mut entry = Deployment {
                label: Some(text.to_owned()),
                group: Some(text.trim().to_owned()),
                notes: Some(text.to_owned()),
                ..Deployment::new(Uuid::parse_str(A).unwrap())
            };
            let fields = ["=f=3 V", "it's=-1"];
            let limits = fields.map(|typed| FieldLimitChange::parse(Side::Below, typed).unwrap());
            limits
                .iter()
                .for_each(|one| one.apply(&mut entry.limits.fields));
            let table = table::table(std::slice::from_ref(&entry));
            let cells = String::from_utf8(table.clone()).unwrap();
            assert!(!cells.contains(",="), "{cells}");
            let line = read(table.as_slice(), Base::default()).unwrap().remove(0);
            let (uuid, change) = line.read.unwrap();
            let mut read = Deployment::new(uuid);
            change.apply(&mut read);
            assert_eq!(read, entry, "{cells}");
        }
    }

    #[test]
    fn an_id_of_a_service_is_one_cell_that_starts_no_formula() {
        let service = Service {
            name: "https://service.example".to_owned(),
            mapping: Mapping::default(),
        };
        for id in ["=1+1", "-5", "'7'", "a,b", "a\"b", "SPOT-0222"] {
            let listed = Deployment::new(service.deployment(id).unwrap());
            let table = table::table(&[listed]);
            let cells = String::from_utf8(table.clone()).unwrap();
            assert!(!cells.contains("\n=") && !cells.contains("\n-"), "{cells}");
            let base = Base {
                service: Some(&service),
                ..Base::default()
            };
            let line = read(table.as_slice(), base).unwrap().remove(0);
            assert_eq!(line.read.unwrap().0.to_string(), id, "{cells}");
        }
    }
}
