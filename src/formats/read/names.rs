//! The roles of the columns of a file, by their names.

use super::fault::ReadError;
pub(super) use super::given::Given;
pub(crate) use super::given::{IdChoice, UnendedRow};
use super::parts::{self, DATES, Part, TIMES_OF_DAY};
use super::readings::Settled;
pub(super) use super::spelling::is_same;
use super::{marks, position};
use crate::formats::columns::COLUMNS;
use crate::mapping::TimeFormat;
use crate::text;

/// The names of columns with the deployment of each row, in any spelling: the first that does
/// not number the rows counts. Movebank's `event-id` numbers them by definition, and is none.
#[rustfmt::skip]
const IDS: [&str; 27] = [
    "id", "deployment", "uuid", "platform_code", "trajectory", "individual-local-identifier",
    "tag-local-identifier", "mmsi", "ptt", "deployid", "imei", "wmo", "device", "device_id",
    "instrument", "buoy", "buoy_id", "drifter", "drifter_id", "tag_id", "animal_id", "spotterid",
    "tracker", "tracker_id", "ssvid", "vessel_id", "icao24",
];
/// Names of a position in one column, as a point of WKT.
#[rustfmt::skip]
const POINTS: [&str; 7] = ["wkt", "geometry", "geom", "the_geom", "wkt_geom", "point", "shape"];
/// Names of the time at single vendors, for tables that have none of the usual ones.
#[rustfmt::skip]
const TIMES: [&str; 27] = [
    "utc_datetime", "datetime_utc", "timestamp_utc", "time_utc", "utc_time", "eventdate", "fixtime",
    "loc date", "loctime", "tst", "basedatetime", "m_present_time", "utc", "gmt",
    "date_time_utc", "date_time_gmt", "date_utc", "utc_date", "date_gmt", "gmt_date", "gmt_time",
    "gps_time", "devicedatetime", "tracked_at", "datecollectedutc", "gps fix time",
    "acquisition time",
];
/// The same of the latitude, and those that say the least last.
#[rustfmt::skip]
const LATITUDES: [&str; 8] = [
    "decimallatitude", "latitude n/s", "lat n/s", "gps latitude", "gps lat", "m_gps_lat", "m_lat",
    "y",
];
/// The same of the longitude.
#[rustfmt::skip]
const LONGITUDES: [&str; 9] = [
    "decimallongitude", "longitude e/w", "lon e/w", "long e/w", "gps longitude", "gps lon",
    "m_gps_lon", "m_lon", "x",
];
/// What is needed of both: column, role, names at single vendors, and flag.
#[rustfmt::skip]
const DEGREES: [(&str, Role, &[&str], &str); 2] = [
    ("latitude", Role::Latitude, &LATITUDES, "--latitude-column"),
    ("longitude", Role::Longitude, &LONGITUDES, "--longitude-column"),
];

/// The first columns of driftline's own tables, which no other program has in this order.
const OWN: [&str; 5] = ["time", "time_stamp", "latitude", "longitude", "distance_m"];

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Date,
    TimeOfDay,
    /// A part of a time that is in so many columns.
    Part(Part, usize),
    /// The zone or the offset from UTC of a time, and a field, too.
    Offset,
    Latitude,
    Longitude,
    /// A position: a point of WKT, or both degrees.
    Position,
    /// Perhaps the id of the deployment; a field if it is not.
    Id(IdRank),
    /// A column of driftline that is computed again.
    Derived,
    Field,
    /// A field of a record of driftline, whatever its name.
    OwnField,
    /// The half of the day of a time of twelve hours, and a field, too.
    HalfOfDay,
    /// A field that says if a latitude is north or south.
    NorthSouth,
    /// A field that says if a longitude is east or west.
    EastWest,
    /// A field, too, that is false where the position is invalid.
    Valid,
    /// The same, and true there.
    Outlier,
    /// The same, and 4 there.
    Quality,
}

/// Which ids of a record count: those of the lowest rank that number no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum IdRank {
    /// The column that the user names.
    Chosen,
    /// A column by its name, and the place of that in [`IDS`].
    Named(usize),
    /// The name of a track or a line of the file.
    OfTrack,
    /// The id of a feature with a point, which may be a number of its own.
    OfFeature,
}

impl Role {
    /// `true` for a time or a part of one.
    pub(super) fn is_time(self) -> bool {
        matches!(
            self,
            Self::Time | Self::Date | Self::TimeOfDay | Self::Part(..) | Self::Offset
        )
    }

    /// `true` for a time, or for a part of one with the day.
    pub(super) fn has_date(&self) -> bool {
        self.is_time() && !matches!(self, Self::TimeOfDay | Self::Offset)
    }

    /// `true` for a latitude or a longitude.
    pub(super) fn is_degrees(self) -> bool {
        matches!(self, Self::Latitude | Self::Longitude)
    }

    /// The roles of a cell of this column: an id is a field, too, until it is known to be one, and
    /// a mark and a zone always.
    pub(super) fn with_field(self) -> impl Iterator<Item = Self> {
        let is_both =
            self.is_mark() || matches!(self, Self::Id(_) | Self::Offset | Self::HalfOfDay);
        let field = is_both.then_some(Self::OwnField);
        [self].into_iter().chain(field)
    }

    /// `true` for what says if a position is valid.
    pub(super) fn is_mark(self) -> bool {
        matches!(self, Self::Valid | Self::Outlier | Self::Quality)
    }

    /// `true` for a column that is kept as a field.
    pub(super) fn is_field(self) -> bool {
        matches!(
            self,
            Self::Field | Self::OwnField | Self::NorthSouth | Self::EastWest
        )
    }
}

/// The columns of a file as the user names them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChosenColumns {
    pub(crate) time: Option<String>,
    pub(crate) latitude: Option<String>,
    pub(crate) longitude: Option<String>,
    pub(crate) id: IdChoice,
    pub(crate) time_format: Option<TimeFormat>,
    pub(crate) unended: UnendedRow,
    /// How cells with several readings are read, once that is known.
    pub(crate) settled: Settled,
}

impl ChosenColumns {
    /// The columns that are named, with their flags.
    fn named(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let id = match &self.id {
            IdChoice::Column(name) => Some(name),
            IdChoice::ByName | IdChoice::None => None,
        };
        let all = [
            ("--time-column", self.time.as_ref()),
            ("--latitude-column", self.latitude.as_ref()),
            ("--longitude-column", self.longitude.as_ref()),
            ("--id-column", id),
        ];
        all.into_iter()
            .filter_map(|(flag, name)| Some((flag, name?)))
    }

    /// Refuses the flags that a file of this kind has no use for.
    ///
    /// # Errors
    /// [`ReadError::Flag`] for the first of them.
    pub(super) fn refuse(&self, flags: &[&str], kind: &'static str) -> Result<(), ReadError> {
        let format = self.time_format.is_some().then_some("--time-format");
        let named = self.named().map(|(flag, _)| flag);
        match named.chain(format).find(|flag| flags.contains(flag)) {
            Some(flag) => Err(ReadError::Flag(format!("{flag} has no use for {kind}"))),
            None => Ok(()),
        }
    }
}

/// A name in lower case without the unit or zone in brackets after it, or a type of dBase:
/// `LATITUDE,N,12,7`.
fn plain(name: &str) -> String {
    let name = name.trim();
    let is_type = |(at, _): &(usize, &str)| matches!(name.get(at + 2..at + 3), None | Some(","));
    let dbase = name.match_indices(',').find(is_type).map(|(at, _)| at);
    let end = name.find(['(', '[']).or(dbase).unwrap_or(name.len());
    let before = name.get(..end).unwrap_or(name).trim();
    let kept = if before.is_empty() { name } else { before };
    kept.to_lowercase()
}

/// `true` if a database calls the number of a row so; `place` is that in [`IDS`].
pub(super) fn may_number_rows(place: usize) -> bool {
    IDS.get(place)
        .is_some_and(|name| matches!(*name, "id" | "uuid"))
}

/// The place in [`IDS`] of the name of a column. One that begins with an underscore is what a
/// database calls its row.
pub(super) fn id_place(name: &str) -> Option<usize> {
    let name = plain(name);
    let is_own = name.starts_with('_');
    IDS.iter()
        .position(|known| !is_own && is_same(known, &name))
}

/// `true` for the columns of a table of driftline.
pub(super) fn are_own(names: &[&str]) -> bool {
    names.starts_with(&OWN)
}

/// The number of columns before the fields in a table of driftline, whose fields may have any
/// name; that of all columns in another table. Versions of driftline may have other columns
/// behind the first ones.
fn own_columns(names: &[&str]) -> usize {
    if !are_own(names) {
        return names.len();
    }
    let mut columns = COLUMNS.iter();
    let own = names
        .iter()
        .take_while(|name| columns.any(|column| column.name == **name));
    own.count()
}

/// The names of a role, driftline's own first, those that say the least last.
fn known_names(column: &str) -> impl Iterator<Item = &'static str> {
    let column = COLUMNS.iter().find(|known| known.name == column);
    column
        .into_iter()
        .flat_map(|column| std::iter::once(column.name).chain(column.aliases.iter().copied()))
}

/// The role of each of the named columns.
///
/// # Errors
/// Where two columns could be one thing, and [`ReadError::Flag`] where a chosen column is not
/// there.
pub(super) fn roles(names: &[&str], chosen: &ChosenColumns) -> Result<Vec<Role>, ReadError> {
    roles_beside(Given::Nothing, names, chosen)
}

/// The same of columns besides what is given.
///
/// # Errors
/// As of [`roles`]; none besides a whole fix.
pub(super) fn roles_beside(
    given: Given,
    names: &[&str],
    chosen: &ChosenColumns,
) -> Result<Vec<Role>, ReadError> {
    given.needed(chosen_are_there(names, chosen))?;
    let own = own_columns(names);
    if own < names.len() && chosen.named().next().is_none() {
        let mut all = roles(names.get(..own).unwrap_or_default(), chosen)?;
        all.resize(names.len(), Role::OwnField);
        return Ok(all);
    }
    let plain: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let is_derived = |name: &String| {
        let column = COLUMNS.iter().find(|column| column.name == name.as_str());
        column.is_some_and(|column| column.aliases.is_empty() && column.name != "time_stamp")
            && !matches!(name.as_str(), "latitude" | "longitude" | "time")
    };
    let mut roles = vec![Role::Field; plain.len()];
    for (role, _) in (roles.iter_mut().zip(&plain)).filter(|(_, name)| is_derived(name)) {
        *role = Role::Derived;
    }
    let mut set = |place: usize, role: Role| {
        if let Some(known) = roles.get_mut(place) {
            *known = role;
        }
    };
    for (place, role) in given.needed(times(names, &plain, chosen))? {
        set(place, role);
    }
    let choices = [&chosen.latitude, &chosen.longitude];
    for ((column, role, weak, flag), choice) in DEGREES.into_iter().zip(choices) {
        let strong = known_names(column).filter(|name| !weak.contains(name));
        let place = match choice {
            _ if given == Given::Position => None,
            Some(name) => place_chosen(names, name),
            None => given
                .needed(only(names, &plain, strong, column, flag))?
                .or_else(|| first(&plain, weak)),
        };
        if let Some(place) = place {
            set(place, role);
        }
    }
    match &chosen.id {
        IdChoice::Column(name) => {
            if let Some(place) = place_chosen(names, name) {
                roles[place] = Role::Id(IdRank::Chosen);
            }
        }
        IdChoice::ByName => {
            // One that begins with an underscore is what a database calls its row.
            let ids = plain.iter().map(|name| match name.starts_with('_') {
                true => String::new(),
                false => name.clone(),
            });
            let ids: Vec<String> = ids.collect();
            for (rank, known) in IDS.iter().enumerate() {
                let known = std::iter::once(*known);
                let place = only(names, &ids, known, "deployment", "--id-column");
                let place = given.needed(place)?;
                if let Some(place) = place.filter(|place| roles[*place] == Role::Field) {
                    roles[place] = Role::Id(IdRank::Named(rank));
                }
            }
        }
        IdChoice::None => {}
    }
    if given == Given::Nothing
        && !roles.contains(&Role::Latitude)
        && let Some(place) = first(&plain, &POINTS)
            .or_else(|| (names.iter()).position(|name| position::first(name).is_some()))
            .or_else(|| first(&plain, &position::ANY_ORDER))
        && let Some(known) = roles.get_mut(place)
    {
        *known = Role::Position;
    }
    parts::find_zone(&mut roles, names);
    let fields = roles.iter_mut().zip(&plain);
    for (role, name) in fields.filter(|(role, _)| **role == Role::Field) {
        *role = marks::role(name);
    }
    Ok(roles)
}

/// The columns of the times: one, or a date and a time of day; of driftline's own two the exact
/// one. `plain` are the names in lower case.
fn times(
    names: &[&str],
    plain: &[String],
    chosen: &ChosenColumns,
) -> Result<Vec<(usize, Role)>, ReadError> {
    let place_of = |name: &str| plain.iter().position(|known| known == name);
    if let Some(name) = &chosen.time {
        return Ok(match (place_chosen(names, name), two_chosen(names, name)) {
            (Some(place), _) => vec![(place, Role::Time)],
            (None, Some([date, time])) => vec![(date, Role::Date), (time, Role::TimeOfDay)],
            (None, None) => Vec::new(),
        });
    }
    let date = first(plain, &DATES);
    let time_of_day = first(plain, &TIMES_OF_DAY);
    let has_other = ["timestamp", "datetime", "date_time"]
        .iter()
        .any(|name| place_of(name).is_some());
    let found = match (place_of("time_stamp"), date, time_of_day) {
        (Some(exact), None, own) if !has_other => {
            let own = own.map(|own| (own, Role::Derived));
            std::iter::once((exact, Role::Time)).chain(own).collect()
        }
        (None, Some(date), Some(time)) => vec![(date, Role::Date), (time, Role::TimeOfDay)],
        _ => {
            let all = known_names("time").chain(["time_stamp"]);
            let usual = match only(names, plain, all, "time", "--time-column") {
                Err(error) => Some(parts::only_zoned(names, plain).ok_or(error)?),
                Ok(usual) => usual,
            };
            match usual.or_else(|| first(plain, &TIMES)) {
                Some(place) => vec![(place, Role::Time)],
                None => parts::local(plain),
            }
        }
    };
    parts::with_parts(parts::in_utc(found, names, plain)?, names, plain)
}

/// `true` if one of the columns is the time, or if several could be it: those are named once the
/// record is read.
pub(super) fn have_time(names: &[&str], chosen: &ChosenColumns) -> bool {
    roles(names, chosen).map_or(true, |roles| roles.iter().any(Role::has_date))
}

/// The fault of columns without a time or a position; `None` if they have both.
pub(super) fn lacking(names: &[&str], roles: &[Role]) -> Option<ReadError> {
    let has_both = roles.contains(&Role::Position);
    let time = ("time", "--time-column", roles.iter().any(Role::has_date));
    let degrees =
        DEGREES.map(|(column, role, _, flag)| (column, flag, has_both || roles.contains(&role)));
    let needed = std::iter::once(time).chain(degrees);
    let lacking = needed.filter(|(_, _, is_there)| !is_there);
    let (lacking, flags): (Vec<_>, Vec<_>) =
        lacking.map(|(column, flag, _)| (column, flag)).unzip();
    (!lacking.is_empty()).then(|| {
        ReadError::Nothing(format!(
            "no column is the {}: the columns are {}; choose with {}",
            lacking.join(", the "),
            text::excerpt(&names.join(", "), 200),
            flags.join(", ")
        ))
    })
}

/// The index of the only column with one of the `known` names.
pub(super) fn only(
    names: &[&str],
    plain: &[String],
    known: impl Iterator<Item = &'static str>,
    column: &'static str,
    flag: &'static str,
) -> Result<Option<usize>, ReadError> {
    let known: Vec<&str> = known.collect();
    let is_known = |(_, name): &(usize, &String)| known.iter().any(|known| is_same(known, name));
    let mut found = plain
        .iter()
        .enumerate()
        .filter(is_known)
        .map(|(place, _)| place);
    let first = found.next();
    let second = found.next();
    match (first, second) {
        (Some(first), Some(second)) => Err(ambiguous(column, names, [first, second], flag)),
        (first, _) => Ok(first),
    }
}

/// The fault of two columns that could be one thing, by their places.
pub(super) fn ambiguous(
    column: &'static str,
    names: &[&str],
    places: [usize; 2],
    flag: &'static str,
) -> ReadError {
    let [first, second] = places.map(|place| text::excerpt(names.get(place).unwrap_or(&""), 40));
    ReadError::Nothing(format!(
        "the columns '{first}' and '{second}' could both be the {column}: choose one with {flag}"
    ))
}

/// The index of the column with the first of these names that there is.
pub(super) fn first(plain: &[String], known: &[&str]) -> Option<usize> {
    let place = |known: &&str| plain.iter().position(|name| is_same(name, known));
    known.iter().find_map(place)
}

/// The indices of a date and a time of day that the user named with a comma between them.
fn two_chosen(names: &[&str], chosen: &str) -> Option<[usize; 2]> {
    chosen.match_indices(',').find_map(|(at, _)| {
        let date = chosen.get(..at)?;
        let time = chosen.get(at + 1..)?;
        Some([place_chosen(names, date)?, place_chosen(names, time)?])
    })
}

/// The index of a column that the user named.
fn place_chosen(names: &[&str], chosen: &str) -> Option<usize> {
    let exact = names.iter().position(|name| *name == chosen);
    let same = |name: &&str| name.trim().eq_ignore_ascii_case(chosen.trim());
    exact.or_else(|| names.iter().position(same))
}

/// Checks that all chosen columns are there.
fn chosen_are_there(names: &[&str], chosen: &ChosenColumns) -> Result<(), ReadError> {
    let missing: Vec<&str> = chosen
        .named()
        .filter(|(flag, name)| {
            let is_pair = *flag == "--time-column" && two_chosen(names, name).is_some();
            place_chosen(names, name).is_none() && !is_pair
        })
        .map(|(_, name)| name.as_str())
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(no_column(&missing, names))
    }
}

/// The fault of chosen columns that are not among the `names`.
pub(super) fn no_column(missing: &[&str], names: &[&str]) -> ReadError {
    let missing = missing.iter().map(|name| text::excerpt(name, 40));
    let missing: Vec<String> = missing.map(|name| format!("'{name}'")).collect();
    ReadError::Flag(format!(
        "there is no column {}; the columns are {}",
        missing.join(", "),
        text::excerpt(&names.join(", "), 200)
    ))
}

#[cfg(test)]
mod tests {
    use super::Role::*;
    use super::*;

    fn of(names: &[&str]) -> Vec<Role> {
        roles(names, &ChosenColumns::default()).unwrap()
    }

    #[test]
    fn names_of_other_programs_are_known_whatever_their_case_and_unit() {
        assert_eq!(
            of(&["Time (UTC)", "LAT", "Lon [deg]", "sst"]),
            [Time, Latitude, Longitude, Field]
        );
        assert_eq!(
            of(&[
                "event-id",
                "timestamp",
                "location-long",
                "location-lat",
                "individual-local-identifier"
            ]),
            [Field, Time, Longitude, Latitude, Id(IdRank::Named(5))]
        );
        assert_eq!(
            of(&["X", "Y", "time", "ele"]),
            [Longitude, Latitude, Time, Field]
        );
        assert_eq!(of(&["WKT", "time"]), [Position, Time]);
        assert_eq!(
            of(&["No", "Latitude", "Longitude", "Date", "Time"]),
            [Field, Latitude, Longitude, Date, TimeOfDay]
        );
        // Where a better name is there, x and y are fields.
        assert_eq!(
            of(&["time", "lat", "lon", "x", "y"]),
            [Time, Latitude, Longitude, Field, Field]
        );
        assert_eq!(of(&["date", "lat", "lon"]), [Time, Latitude, Longitude]);
    }

    #[test]
    fn of_own_files_the_exact_time_counts_and_what_is_computed_does_not() {
        let own: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        let roles = of(&own);
        assert_eq!(roles[..4], [Derived, Time, Latitude, Longitude]);
        assert!(roles[4..].iter().all(|role| *role == Derived));
        // Of other versions: a column less, or more; behind them is a field named like a time.
        let less: Vec<&str> = [&own[..9], &["timestamp"]].concat();
        let more: Vec<&str> = [&own[..10], &["later_column", "timestamp"]].concat();
        for (names, fields) in [(&less, 1), (&more, 2)] {
            let roles = of(names);
            let (columns, behind) = roles.split_at(names.len() - fields);
            assert_eq!(columns[..4], [Derived, Time, Latitude, Longitude]);
            assert!(columns[4..].iter().all(|role| *role == Derived));
            assert!(behind.iter().all(|role| *role == OwnField), "{names:?}");
        }
    }

    #[test]
    fn two_columns_for_one_thing_are_named() {
        let error = roles(
            &["time", "lat", "latitude", "lon"],
            &ChosenColumns::default(),
        );
        let words = error.unwrap_err().to_string();
        assert!(
            words.contains("'lat' and 'latitude'") && words.contains("--latitude-column"),
            "{words}"
        );
        assert!(
            roles(
                &["timestamp", "time", "lat", "lon"],
                &ChosenColumns::default()
            )
            .is_err()
        );
        let chosen = ChosenColumns {
            latitude: Some("LAT".to_owned()),
            ..ChosenColumns::default()
        };
        assert_eq!(
            roles(&["time", "lat", "latitude", "lon"], &chosen).unwrap()[1..3],
            [Latitude, Field]
        );
        let chosen = ChosenColumns {
            time: Some("when".to_owned()),
            ..ChosenColumns::default()
        };
        let words = roles(&["time", "lat"], &chosen).unwrap_err().to_string();
        assert!(
            words.contains("'when'") && words.contains("time, lat"),
            "{words}"
        );
    }
}
