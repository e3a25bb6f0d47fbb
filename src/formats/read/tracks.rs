//! The tracks of a file, gathered row by row.

use std::collections::HashMap;

use super::fault::ReadError;
use super::names::Role;
use super::position::{degrees, point};
use super::times::{Clock, Time, zoned};
use crate::text;
use crate::track::field::{FieldRows, FieldTable, FieldValue, SecondValue};
use crate::track::{Member, RecordFault, Records, Transmission, Unusable};

/// The first character of the id of a deployment that has only a number.
pub(super) const NUMBERED: char = '\u{1}';

/// The characters of a row that cannot be used, in the list of such rows.
const SHOWN: usize = 200;

/// A track of a file.
#[derive(Debug)]
pub(crate) struct FileTrack {
    /// The id of its deployment, if the file has a column of ids.
    pub(crate) id: Option<String>,
    pub(crate) records: Records,
}

/// The content of a file.
#[derive(Debug)]
pub(crate) struct FileTracks {
    /// A track for each deployment, in the order of their first rows.
    pub(crate) tracks: Vec<FileTrack>,
    /// Sentences for a person: what was taken for granted, what was left out.
    pub(crate) notes: Vec<String>,
}

/// A value with what its column is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) name: &'a str,
    pub(super) role: Role,
    pub(super) value: FieldValue<'a>,
}

/// The rows so far.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    tracks: Vec<Gathered>,
    places: HashMap<String, usize>,
    clock: Clock,
    /// The first row that cannot be used, and why.
    first_fault: Option<(u64, String)>,
    /// Points without a time, which are left out.
    pub(super) untimed: usize,
    /// Points with a time next to a track, which are waypoints and not fixes.
    pub(super) waypoints: usize,
    /// Points of routes, which are plans.
    pub(super) planned: usize,
    /// Shapes that are neither points nor lines.
    pub(super) shapes: usize,
    /// Vertices of lines without times: beside points with times the line is their sum.
    pub(super) untimed_vertices: usize,
}

/// The records of a deployment so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    id: Option<String>,
    records: Records,
    fields: FieldTable,
}

impl Tracks {
    /// Adds a row; `line` is its line in the file, and `written` the row as it is there.
    pub(super) fn add(&mut self, line: u64, cells: &[Cell<'_>], written: impl FnOnce() -> String) {
        let id = cells.iter().find(|cell| cell.role == Role::Id);
        let id = id.and_then(|cell| id_text(cell.value)).unwrap_or_default();
        let clock = &mut self.clock;
        let track = gathered(&mut self.tracks, &mut self.places, id);
        let fields = cells.iter().filter(|cell| cell.role.is_field());
        let fields = fields.map(|cell| (cell.name, cell.value));
        let transmission = transmission(cells, clock);
        if let Some(fault) = track.add(transmission, fields, |_| true, written) {
            let why = || (line, fault.to_string());
            self.first_fault.get_or_insert_with(why);
        }
    }

    /// Adds what is no row, and whose deployment is therefore not known.
    pub(super) fn fault(&mut self, line: u64, why: String, written: impl FnOnce() -> String) {
        let track = gathered(&mut self.tracks, &mut self.places, String::new());
        track.add_unusable(RecordFault::Other(why.clone().into()).into(), written);
        self.first_fault.get_or_insert((line, why));
    }

    /// Adds an invalid record that a file of driftline lists, with its index among all records.
    pub(super) fn unusable(&mut self, index: Option<usize>, why: &str, written: &str) {
        let track = gathered(&mut self.tracks, &mut self.places, String::new());
        let index = index.unwrap_or(track.records.count());
        let fault = RecordFault::from_words(why);
        let excerpt = || text::excerpt(written, SHOWN);
        track.records.add_unusable(index, fault.into(), excerpt);
    }

    /// Counts invalid records of which no more is known.
    pub(super) fn unkept(&mut self, count: usize) {
        gathered(&mut self.tracks, &mut self.places, String::new())
            .records
            .unkept += count;
    }

    /// Names the deployments that have a number only, none as another is named.
    pub(super) fn name_numbered(&mut self) {
        for place in 0..self.tracks.len() {
            let id = self.tracks.get(place).and_then(|track| track.id.as_deref());
            let Some(name) = id.and_then(|id| id.strip_prefix(NUMBERED)) else {
                continue;
            };
            let mut name = name.to_owned();
            while self
                .tracks
                .iter()
                .any(|track| track.id.as_ref() == Some(&name))
            {
                name.push_str(" without a name");
            }
            if let Some(track) = self.tracks.get_mut(place) {
                track.id = Some(name);
            }
        }
    }

    /// Lets the deployment of a file with a single one have no id.
    pub(super) fn drop_single_id(&mut self) {
        if let [track] = self.tracks.as_mut_slice() {
            track.id = None;
        }
    }

    /// Reads the texts of fields as the numbers that they are.
    pub(super) fn read_texts(&mut self, number: impl Fn(&str) -> Option<f64>) {
        for track in &mut self.tracks {
            track.fields.read_texts(&number);
        }
    }

    /// The tracks of the whole file.
    ///
    /// # Errors
    /// If no row can be used.
    pub(super) fn finish(self) -> Result<FileTracks, ReadError> {
        let usable = |track: &Gathered| !track.records.transmissions.is_empty();
        if !self.tracks.iter().any(usable) {
            return Err(match self.first_fault {
                Some((line, why)) => ReadError::Line { line, why },
                None if self.untimed + self.untimed_vertices > 0 => ReadError::Nothing(format!(
                    "none of {} has a time: a track needs one for each",
                    text::counted(self.untimed + self.untimed_vertices, "point", "points")
                )),
                None if self.planned > 0 => ReadError::Nothing(format!(
                    "it has only a route, of {}: a route is a plan, and a track (trk) has times",
                    text::counted(self.planned, "point", "points")
                )),
                None if self.shapes > 0 => ReadError::Nothing(format!(
                    "none of {} is a point or a line",
                    text::counted(self.shapes, "shape", "shapes")
                )),
                None => ReadError::Nothing("there is no fix in it".to_owned()),
            });
        }
        let mut notes = Vec::new();
        notes.extend(self.clock.note());
        for (count, one, many, why) in [
            (self.untimed, "point", "points", "without a time"),
            (self.waypoints, "point", "points", "next to the track"),
            (self.planned, "point", "points", "of a route"),
            (
                self.shapes,
                "shape",
                "shapes",
                "other than points and lines",
            ),
        ] {
            if count > 0 {
                let counted = text::counted(count, one, many);
                notes.push(format!("{counted} {why} left out"));
            }
        }
        let mut tracks = self.tracks;
        if tracks.len() > 1 {
            tracks.retain(|track| {
                let is_kept = track.id.is_some() || usable(track);
                if !is_kept {
                    let count = text::counted(track.records.count(), "record", "records");
                    notes.push(format!("{count} of no known deployment cannot be used"));
                }
                is_kept
            });
        }
        let tracks = tracks.into_iter().map(|track| FileTrack {
            id: track.id.clone(),
            records: track.records(),
        });
        Ok(FileTracks {
            tracks: tracks.collect(),
            notes,
        })
    }
}

/// The track of an id; an empty one is that of a file without ids.
fn gathered<'a>(
    tracks: &'a mut Vec<Gathered>,
    places: &mut HashMap<String, usize>,
    id: String,
) -> &'a mut Gathered {
    let next = tracks.len();
    let place = *places.entry(id.clone()).or_insert(next);
    if place == next {
        tracks.push(Gathered {
            id: (!id.is_empty()).then_some(id),
            ..Gathered::default()
        });
    }
    &mut tracks[place]
}

impl Gathered {
    /// Adds a record with those of its fields that are wanted; returns why if it is invalid.
    pub(super) fn add<'a>(
        &mut self,
        transmission: Result<Transmission, Unusable>,
        fields: impl Iterator<Item = (&'a str, FieldValue<'a>)>,
        is_wanted: impl Fn(&str) -> bool,
        written: impl FnOnce() -> String,
    ) -> Option<RecordFault> {
        let added = transmission.and_then(|one| {
            let added = self.add_usable(one, fields, is_wanted);
            added.map_err(|fault| fault.at(one.time_stamp))
        });
        let unusable = added.err()?;
        let fault = unusable.fault.clone();
        self.add_unusable(unusable, written);
        Some(fault)
    }

    /// No records yet; the fields with these names are stored however many others there are.
    pub(super) fn keeping(limited: &[String]) -> Self {
        Self {
            fields: FieldTable::default().keeping(limited),
            ..Self::default()
        }
    }

    /// The number of records so far.
    pub(super) fn count(&self) -> usize {
        self.records.count()
    }

    /// The records.
    pub(super) fn records(self) -> Records {
        Records {
            fields: FieldRows::new(self.fields),
            ..self.records
        }
    }

    /// Adds an invalid record.
    pub(super) fn add_unusable(&mut self, unusable: Unusable, written: impl FnOnce() -> String) {
        let excerpt = || text::excerpt(&written(), SHOWN);
        let index = self.records.count();
        self.records.add_unusable(index, unusable, excerpt);
    }

    fn add_usable<'a>(
        &mut self,
        transmission: Transmission,
        fields: impl Iterator<Item = (&'a str, FieldValue<'a>)>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), RecordFault> {
        self.begin();
        for (name, value) in fields {
            if let Err(SecondValue) = self.add_field(name, value, &is_wanted) {
                self.end(None);
                return Err(RecordFault::twice(name));
            }
        }
        self.end(Some(transmission));
        Ok(())
    }

    /// Begins a record.
    pub(super) fn begin(&mut self) {
        self.fields.begin();
    }

    /// Adds a field of the record begun, if it is wanted.
    ///
    /// # Errors
    /// [`SecondValue`] if the record has it already.
    pub(super) fn add_field(
        &mut self,
        name: &str,
        value: FieldValue<'_>,
        is_wanted: impl FnOnce(&str) -> bool,
    ) -> Result<(), SecondValue> {
        let row = u32::try_from(self.records.transmissions.len()).unwrap_or(u32::MAX);
        self.fields.add(row, name, value, is_wanted)
    }

    /// Ends the record begun with its time and position; without them nothing of it is kept.
    pub(super) fn end(&mut self, transmission: Option<Transmission>) {
        match transmission {
            Some(transmission) => self.records.transmissions.push(transmission),
            None => self.fields.undo(),
        }
    }
}

/// The id that a value is: an empty one is none.
fn id_text(value: FieldValue<'_>) -> Option<String> {
    let text = match value {
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Digits(text) | FieldValue::Text(text) => text.trim().to_owned(),
        FieldValue::Null | FieldValue::Truth(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The time and the position of a row.
fn transmission(cells: &[Cell<'_>], clock: &mut Clock) -> Result<Transmission, Unusable> {
    let cell = |role: Role| cells.iter().find(|cell| cell.role == role);
    let of = |role: Role| cell(role).map(|cell| cell.value);
    let missing = RecordFault::Missing;
    let time = match (cell(Role::Time), cell(Role::Date), cell(Role::TimeOfDay)) {
        (Some(time), _, _) => clock.time(Time::Whole(time.value), time.name)?,
        (None, Some(date), Some(time)) => {
            let heading = zoned([time.name, date.name]);
            clock.time(Time::Parts(date.value, time.value), heading)?
        }
        _ => return Err(missing(Member::TimeStamp).into()),
    };
    let read = || {
        let (latitude, longitude) = match of(Role::Position) {
            Some(FieldValue::Text(written)) => point(written).ok_or_else(|| {
                let written = text::excerpt(written, 60);
                RecordFault::Other(format!("'{written}' is no POINT (longitude latitude)").into())
            })?,
            _ => {
                let read = |member: Member, role: Role, side: Role| {
                    let heading = cell(role).map_or("", |cell| cell.name);
                    degrees(member, of(role), heading, of(side))
                };
                let latitude = read(Member::Latitude, Role::Latitude, Role::NorthSouth)?;
                let longitude = read(Member::Longitude, Role::Longitude, Role::EastWest)?;
                (latitude, longitude)
            }
        };
        Transmission::new(time, latitude, longitude)
    };
    read().map_err(|fault| fault.at(time))
}
