//! The tracks of a file, gathered row by row.

use super::beside::{refuse_minutes, turn_to_sides};
use super::cell::{Cell, id_text};
use super::deployments::{deployments, name_numbered};
use super::doubts::doubts;
use super::fault::ReadError;
use super::gathered::{Gathered, MOST_BYTES, SHOWN, too_much};
use super::ids::{self, IdColumn};
use super::marks;
use super::names::{ChosenColumns, IdChoice, IdRank, Role, no_column};
use super::parts;
use super::position::{both, degrees};
use super::readings::Settled;
use super::times::{Clock, Notation, Time, has_unit_of_day, is_zone, zoned};
use super::units::Units;
use crate::mapping::TimeFormat;
use crate::text;
use crate::track::field::FieldValue;
use crate::track::quality::MARKED_INVALID;
use crate::track::{Member, RecordFault, Records, Transmission, Unusable};

/// The field that has the class of Argos locations under whatever name a file has it.
const ARGOS_CLASS: &str = "argos_lc";

/// The most invalid records of a file.
const MOST_INVALID: usize = MOST_BYTES / size_of::<(usize, Option<f64>)>();

#[derive(Debug)]
pub(crate) struct FileTrack {
    /// The id of its deployment, if the file has a column of ids.
    pub(crate) id: Option<String>,
    pub(crate) records: Records,
}

/// The content of a file.
#[derive(Debug, Default)]
pub(crate) struct FileTracks {
    /// A track for each deployment, in the order of their first rows.
    pub(crate) tracks: Vec<FileTrack>,
    /// Sentences for a person: what was taken for granted, what was left out.
    pub(crate) notes: Vec<String>,
    /// How the file is to be read again, as its whole columns have shown; then there are no tracks.
    pub(super) again: Option<Settled>,
}

/// The rows so far.
#[derive(Debug)]
pub(super) struct Tracks {
    /// The records of all deployments, with whatever may be an id among their fields: which
    /// column has the ids shows at the end.
    all: Gathered,
    /// The invalid records, by their numbers among all, with their times.
    invalid: Vec<(usize, Option<f64>)>,
    id_columns: Vec<IdColumn>,
    id_choice: IdChoice,
    clock: Clock,
    /// The zone of times without one that is in no row, and the name of it.
    zone: Option<(String, String)>,
    units: Units,
    /// The first row that cannot be used, and why.
    first_fault: Option<(u64, String)>,
    /// Sentences on rows that are left out.
    notes: Vec<String>,
    /// Written by driftline: of one deployment, with times in seconds.
    pub(super) is_own: bool,
    /// Points without a time, which are left out.
    pub(super) untimed: usize,
    /// Points with a time next to a track, which are waypoints and not fixes.
    pub(super) waypoints: usize,
    /// Points of routes, which are plans.
    pub(super) planned: usize,
    /// Shapes that are neither points nor lines.
    pub(super) shapes: usize,
    /// Vertices of lines without times: if there are points with times, the line is their sum.
    pub(super) untimed_vertices: usize,
}

impl Tracks {
    /// No rows yet.
    pub(super) fn new(chosen: &ChosenColumns) -> Self {
        Self {
            all: Gathered::default(),
            invalid: Vec::new(),
            id_columns: Vec::new(),
            id_choice: chosen.id.clone(),
            clock: Clock::new(
                (chosen.time_format.clone()).map_or(Notation::Any, Notation::Format),
                chosen.settled.clone(),
            ),
            zone: None,
            units: Units::new(&chosen.settled),
            first_fault: None,
            notes: Vec::new(),
            is_own: false,
            untimed: 0,
            waypoints: 0,
            planned: 0,
            shapes: 0,
            untimed_vertices: 0,
        }
    }

    /// Adds a row; `line` is its line in the file, 0 where a format has none, and `written` the
    /// row as it is there.
    pub(super) fn add(&mut self, line: u64, cells: &[Cell<'_>], written: impl FnOnce() -> String) {
        let record = self.all.count();
        for cell in cells {
            if let Role::Id(rank) = cell.role
                && self.id_choice != IdChoice::None
                && let Some(text) = id_text(cell.value)
            {
                self.id_column(cell.name, rank).set(record, text);
            }
        }
        self.clock.is_own = self.is_own;
        let zone = cells.iter().find(|cell| cell.role == Role::Offset);
        let above = self.zone.as_ref();
        self.clock.set_zone(match zone {
            Some(zone) => Some((id_text(zone.value).unwrap_or_default(), zone.name)),
            None => above.map(|(zone, name)| (zone.clone(), name.as_str())),
        });
        let fields = cells
            .iter()
            .filter(|cell| cell.role.is_field())
            .map(|cell| (cell.name, cell.value));
        let mark = cells
            .iter()
            .any(|cell| marks::is_invalid(cell.role, cell.value))
            .then_some((MARKED_INVALID, FieldValue::Truth(true)));
        let fields = fields.chain(mark);
        let transmission = transmission(cells, &mut self.clock, &mut self.units);
        let Some(unusable) = self.all.add(transmission, fields, |_| true, written) else {
            return;
        };
        self.add_invalid(record, unusable.time_stamp);
        if line > 0 {
            self.all.records.set_line(line);
        }
        let hint = match unusable.fault {
            RecordFault::OutOfRange(Member::Latitude | Member::Longitude, number)
                if number.abs() < 36_060.0 && number.abs() % 100.0 < 60.0 =>
            {
                "; NMEA's DDMM.mmm is read below a name with '(ddmm.mmm)' behind it"
            }
            _ => "",
        };
        let why = || (line, format!("{}{hint}", unusable.fault));
        self.first_fault.get_or_insert_with(why);
    }

    /// `true` if what is lost of a row may be a part of its id: no row has it, or another one's
    /// begins with it at the end of the row.
    pub(super) fn may_lack_id(&self, cells: &[Cell<'_>]) -> bool {
        let last = cells.last().map_or("", |cell| cell.name);
        ids::chosen(&self.id_columns).first().is_some_and(|column| {
            let mut ids = cells
                .iter()
                .filter(|cell| cell.role == Role::Id(column.rank));
            let id = ids.find_map(|cell| id_text(cell.value));
            id.is_some_and(|id| column.may_be_cut(&id, column.name == last))
        })
    }

    /// Reads the times by this pattern if the user names none, and notes that.
    pub(super) fn read_times(&mut self, pattern: &str) {
        if self.clock.notation == Notation::Any {
            self.clock.notation = Notation::Format(TimeFormat::Pattern(pattern.to_owned()));
            self.note(format!("times are taken as '{pattern}' in UTC"));
        }
    }

    /// Takes the zone of times without one, and where it is: one that is not known is noted.
    pub(super) fn set_zone(&mut self, name: String, zone: String) {
        match is_zone(&zone) {
            true => self.zone = Some((zone, name)),
            false => self.note(format!(
                "the zone '{}' above the names of the columns is not known: write the offset, such as UTC+2",
                text::excerpt(&zone, 60)
            )),
        }
    }

    /// Adds a sentence for a person.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn id_column(&mut self, name: &str, rank: IdRank) -> &mut IdColumn {
        let known = |column: &IdColumn| column.rank == rank && column.name == name;
        let place = self.id_columns.iter().position(known).unwrap_or_else(|| {
            self.id_columns.push(IdColumn::new(name, rank));
            self.id_columns.len() - 1
        });
        &mut self.id_columns[place]
    }

    /// Adds what is no row, and whose deployment is therefore not known.
    pub(super) fn fault(&mut self, line: u64, why: String, written: impl FnOnce() -> String) {
        self.add_invalid(self.all.count(), None);
        self.all
            .add_unusable(RecordFault::Other(why.clone().into()).into(), written);
        self.all.records.set_line(line);
        self.first_fault.get_or_insert((line, why));
    }

    /// Leaves out a row of which it is not known if it is whole.
    pub(super) fn leave_out(&mut self, line: u64, why: &str) {
        self.notes.push(format!("line {line} is left out: {why}"));
        self.first_fault.get_or_insert((line, why.to_owned()));
    }

    /// Adds an invalid record that a file of driftline lists, with its index among all records.
    pub(super) fn unusable(&mut self, index: Option<usize>, why: &str, written: &str) {
        let index = index.unwrap_or(self.all.count());
        let fault = RecordFault::Other(why.into());
        let excerpt = || text::excerpt(written, SHOWN);
        self.add_invalid(self.all.count(), None);
        self.all.records.add_unusable(index, fault.into(), excerpt);
    }

    fn add_invalid(&mut self, record: usize, time: Option<f64>) {
        if self.invalid.len() <= MOST_INVALID {
            self.invalid.push((record, time));
        }
    }

    /// Counts invalid records of which no more is known.
    pub(super) fn unkept(&mut self, count: usize) {
        self.all.records.unkept += count;
    }

    /// Reads the texts of fields as the numbers that they are.
    pub(super) fn read_texts(&mut self, number: impl Fn(&str) -> Option<f64>) {
        self.all.fields.read_texts(&number);
    }

    /// The tracks of the whole file.
    ///
    /// # Errors
    /// If no row can be used, or the chosen column of ids is not there.
    pub(super) fn finish(mut self) -> Result<FileTracks, ReadError> {
        if self.all.is_full || self.invalid.len() > MOST_INVALID {
            return Err(ReadError::Nothing(format!("its records {}", too_much())));
        }
        if self.all.records.transmissions.is_empty() {
            return Err(self.nothing());
        }
        if let Some(why) = self.clock.unsettled() {
            return Err(ReadError::Nothing(why));
        }
        if let Some(why) = self.units.unsettled() {
            return Err(ReadError::Nothing(why));
        }
        let (times, are_times_to_change) = self.clock.settled();
        let (positions, are_to_change) = self.units.settled();
        if are_times_to_change || are_to_change {
            let positions = Some(positions);
            return Ok(FileTracks {
                again: Some(Settled { positions, ..times }),
                ..FileTracks::default()
            });
        }
        let mut notes = self.notes;
        notes.extend(self.clock.note());
        notes.extend(self.units.notes());
        for (count, single, several, why) in [
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
                let counted = text::counted(count, single, several);
                notes.push(format!("{counted} {why} left out"));
            }
        }
        notes.extend(self.all.fields.note());
        let mut records = self.all.records();
        if !self.is_own {
            refuse_minutes(&records)?;
            notes.extend(turn_to_sides(&mut records));
        }
        let fixes = records.transmissions.len();
        let class = marks::class_column(&records.fields, fixes).filter(|_| !self.is_own);
        if let Some(name) = class.map(|class| class.name().to_owned()) {
            records.fields.copy(&name, ARGOS_CLASS);
            let name = text::excerpt(&name, 60);
            notes.push(format!("'{name}' is taken as the class of Argos locations"));
        }
        let record = |record: usize| match fix_of(&self.invalid, record) {
            Ok(fix) => {
                let fix = records.transmissions.get(fix);
                (fix.map(|fix| fix.time_stamp), fix.map(|fix| fix.position))
            }
            Err(invalid) => (self.invalid[invalid].1, None),
        };
        for column in &mut self.id_columns {
            column.count_repeats(record);
        }
        let columns = ids::chosen(&self.id_columns);
        if let IdChoice::Column(name) = &self.id_choice
            && columns
                .first()
                .is_none_or(|column| column.rank != IdRank::Chosen)
        {
            let names = records.fields.columns().map(|column| column.name());
            return Err(no_column(&[name], &names.collect::<Vec<_>>()));
        }
        let mut tracks = deployments(records, &self.invalid, &columns);
        if tracks.len() > 1 {
            tracks.retain(|track| {
                let is_kept = track.id.is_some() || !track.records.transmissions.is_empty();
                if !is_kept {
                    let count = text::counted(track.records.count(), "record", "records");
                    notes.push(format!("{count} of no known deployment cannot be used"));
                }
                is_kept
            });
        }
        name_numbered(&mut tracks);
        if !self.is_own && self.id_choice == IdChoice::ByName {
            notes.extend(doubts(&tracks, &self.id_columns));
        }
        Ok(FileTracks {
            tracks,
            notes,
            again: None,
        })
    }

    /// Why no row of the file can be used.
    fn nothing(self) -> ReadError {
        let untimed = self.untimed + self.untimed_vertices;
        ReadError::Nothing(match self.first_fault {
            Some((line @ 1.., why)) => return ReadError::Line { line, why },
            Some((_, why)) => why,
            None if untimed > 0 => format!(
                "none of {} has a time: a track needs one for each",
                text::counted(untimed, "point", "points")
            ),
            None if self.planned > 0 => format!(
                "it has only a route, of {}: a route is a plan, and a track (trk) has times",
                text::counted(self.planned, "point", "points")
            ),
            None if self.shapes > 0 => format!(
                "none of {} is a point or a line",
                text::counted(self.shapes, "shape", "shapes")
            ),
            None => "there is no fix in it".to_owned(),
        })
    }
}

/// The index of the fix of a record, which is that after as many others as are not `invalid`; of an
/// invalid one the error is its index among these.
fn fix_of(invalid: &[(usize, Option<f64>)], record: usize) -> Result<usize, usize> {
    match invalid.binary_search_by_key(&record, |(number, _)| *number) {
        Ok(at) => Err(at),
        Err(before) => Ok(record - before),
    }
}

/// The time and the position of a row.
fn transmission(
    cells: &[Cell<'_>],
    clock: &mut Clock,
    units: &mut Units,
) -> Result<Transmission, Unusable> {
    let cell = |role: Role| cells.iter().find(|cell| cell.role == role);
    let of = |role: Role| cell(role).map(|cell| cell.value);
    let time = match (cell(Role::Time), cell(Role::Date), cell(Role::TimeOfDay)) {
        (Some(time), _, _) => clock.time(Time::Whole(time.value), time.name)?,
        (None, Some(date), Some(time)) => {
            let zones = [time.name, date.name].into_iter();
            let heading = zoned(zones.filter(|name| !has_unit_of_day(name)));
            clock.time(Time::Parts(date.value, time.value, time.name), heading)?
        }
        _ => parts::time(clock, cells)?,
    } + parts::half_of_day_s(cells);
    let mut read = || {
        let position = cell(Role::Position).map(|cell| (cell.value, cell.name));
        let (latitude, longitude) = match position {
            Some((FieldValue::Text(written), heading)) => both(written, heading, &mut units.order)?,
            _ => {
                let mut read = |member: Member, role: Role, side: Role| {
                    let heading = cell(role).map_or("", |cell| cell.name);
                    degrees(member, of(role), units.read(member, heading)?, of(side))
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
