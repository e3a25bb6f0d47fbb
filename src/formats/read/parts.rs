//! Times whose parts are in columns of their own: year, month, day, hour, minute and second.

use super::cell::{Cell, id_text};
use super::dates::Moment;
use super::fault::ReadError;
use super::marks::is_afternoon;
use super::names::{Role, ambiguous, first, is_same, only};
use super::times::{Clock, Time, bracketed, has_offset, offset_s};
use crate::track::field::FieldValue;
use crate::track::{Member, RecordFault};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Month,
    Day,
    DayOfYear,
    Hour,
    Minute,
    Second,
}

/// Names that are a date where another column has the time of day.
pub(super) const DATES: [&str; 9] = [
    "date", "utc_d", "utc_date", "date_utc", "gps_date", "gmt_date", "datum", "fecha", "yyyymmdd",
];

/// Names that are a time of day where another column has the date.
pub(super) const TIMES_OF_DAY: [&str; 11] = [
    "time", "utc_t", "utc_time", "time_utc", "gps_time", "gmt_time", "heure", "uhrzeit", "hora",
    "hhmm", "hhmmss",
];

/// Names of a local date, a local time of day, and their offset from UTC: all or none count.
#[rustfmt::skip]
const LOCAL: [(&[&str], Role); 3] = [
    (&["lcl date", "local date", "date local"], Role::Date),
    (&["lcl time", "local time", "time local"], Role::TimeOfDay),
    (&ZONES, Role::Offset),
];

/// Names of the zone, or of the offset from UTC, of the time in the same row.
#[rustfmt::skip]
const ZONES: [&str; 10] = [
    "time zone", "tz", "tzid", "time zone name", "time zone id", "utc offset", "utcofst",
    "offset utc", "gmt offset", "tz offset",
];

/// The names of the parts, with commas between them.
#[rustfmt::skip]
const PARTS: [(Part, &str); 7] = [
    (Part::Year, "year,yyyy,yy,yr,utc year"),
    (Part::Month, "month,mm,mo,mon,utc month"),
    (Part::Day, "day,dd,dy,day of month,utc day"),
    (Part::DayOfYear, "day of year,doy,yday,year day,julian day,jday"),
    (Part::Hour, HOURS),
    (Part::Minute, "minute,mn,min,mi,minutes,utc minute"),
    (Part::Second, "second,ss,sec,seconds,utc second"),
];
const HOURS: &str = "hour,hh,hr,hours,utc hour";

/// The columns of the times, with those of their parts where what is `found` is no whole: without a
/// time, where only a time of day is next to the parts of a date, and where only a date is next to
/// an hour. `plain` are the names in lower case.
///
/// # Errors
/// Where two columns could be one part.
pub(super) fn with_parts(
    found: Vec<(usize, Role)>,
    names: &[&str],
    plain: &[String],
) -> Result<Vec<(usize, Role)>, ReadError> {
    let is_any = |place: usize, known: &[&str]| {
        let name = plain.get(place);
        name.is_some_and(|name| known.iter().any(|known| is_same(known, name)))
    };
    let mut all = found.clone();
    if all.is_empty() {
        all.extend(first(plain, &TIMES_OF_DAY).map(|place| (place, Role::Time)));
    }
    let role = match all[..] {
        [] => Role::Time,
        [(place, Role::Time)] if is_any(place, &TIMES_OF_DAY) => Role::TimeOfDay,
        [(place, Role::Time)] if is_any(place, &DATES) => Role::Date,
        _ => return Ok(found),
    };
    let hours: Vec<&str> = HOURS.split(',').collect();
    let spelled = plain.iter().enumerate().map(|(place, name)| {
        // In `YY MM DD hh mm` months and minutes have one name.
        let before = plain.get(..place).unwrap_or_default();
        let is_second = || before.contains(name) || is_any(place.wrapping_sub(1), &hours);
        let is_minute = name == "mm" && is_second();
        if is_minute { "minute" } else { name }.to_owned()
    });
    let spelled: Vec<String> = spelled.collect();
    let find =
        |known: &'static str| only(names, &spelled, known.split(','), "time", "--time-column");
    let is_there = |part: Part| {
        let mut parts = PARTS.iter();
        parts.any(|(known, names)| *known == part && !matches!(find(names), Ok(None)))
    };
    let date: &[Part] = match is_there(Part::Month) && is_there(Part::Day) {
        true => &[Part::Year, Part::Month, Part::Day],
        false => &[Part::Year, Part::DayOfYear],
    };
    let of_day = [Part::Hour, Part::Minute, Part::Second];
    let is_date = date.iter().all(|part| is_there(*part));
    let used = match role {
        Role::Date if is_there(Part::Hour) => of_day.to_vec(),
        Role::TimeOfDay if is_date && !is_there(Part::Hour) => date.to_vec(),
        Role::Time if is_date => [date, &of_day].concat(),
        _ => return Ok(found),
    };
    all.iter_mut().for_each(|(_, known)| *known = role);
    let count = all.len() + used.iter().filter(|part| is_there(**part)).count();
    for (part, known) in PARTS.iter().filter(|(part, _)| used.contains(part)) {
        all.extend(find(known)?.map(|place| (place, Role::Part(*part, count))));
    }
    Ok(all)
}

/// The only time with an offset in its heading where others have the same name without one, as
/// in `Date & Time [GMT]` and `Date & Time [Local]`.
pub(super) fn only_zoned(names: &[&str], plain: &[String]) -> Option<usize> {
    let is_time = |name: &str| {
        ["time", "timestamp", "date time"]
            .iter()
            .any(|time| is_same(time, name))
    };
    let columns = || (0..names.len()).filter(|place| is_time(&plain[*place]));
    let mut zoned = columns().filter(|place| has_offset(names[*place]));
    let place = zoned.next().filter(|_| zoned.next().is_none())?;
    let are_same = columns().all(|other| is_same(&plain[other], &plain[place]));
    are_same.then_some(place)
}

/// The columns of the times by UTC next to those `found`, if no heading of these says how far
/// they are from it: they may be local.
///
/// # Errors
/// Where what is by UTC may be a part of a time.
pub(super) fn in_utc(
    found: Vec<(usize, Role)>,
    names: &[&str],
    plain: &[String],
) -> Result<Vec<(usize, Role)>, ReadError> {
    let is_found = |place: &usize| found.iter().any(|(known, _)| known == place);
    let mut headings = found.iter().filter_map(|(place, _)| names.get(*place));
    if found.is_empty() || headings.any(|heading| has_offset(heading)) {
        return Ok(found);
    }
    let is_whole = matches!(found[..], [(place, _)] if plain.get(place).is_some_and(|name| name == "timestamp"));
    let columns = plain.iter().enumerate();
    let others = columns.filter(|(place, _)| !is_found(place));
    let by_utc: Vec<(usize, Role)> = others
        .filter_map(|(place, name)| Some((place, role_in_utc(name, is_whole)?)))
        .collect();
    let place_of = |role: Role| by_utc.iter().find(|(_, known)| *known == role);
    if let Some(whole) = place_of(Role::Time) {
        return Ok(vec![*whole]);
    }
    if let (Some(date), Some(time)) = (place_of(Role::Date), place_of(Role::TimeOfDay)) {
        return Ok(vec![*date, *time]);
    }
    match (found.first(), by_utc.first()) {
        (Some((first, _)), Some((second, _))) => {
            let places = [*first, *second];
            Err(ambiguous("time", names, places, "--time-column"))
        }
        _ => Ok(found),
    }
}

/// The role of a column whose name says that it is a time by UTC, and nothing else.
fn role_in_utc(name: &str, is_beside_whole: bool) -> Option<Role> {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let is_known =
        |word: &&str| ["utc", "gmt", "date", "time", "datetime", "timestamp"].contains(word);
    if !has(&["utc", "gmt"]) || !words.iter().all(is_known) {
        return None;
    }
    let is_whole = is_beside_whole && words.len() == 1;
    Some(match (has(&["date"]), has(&["time"])) {
        _ if is_whole || has(&["datetime", "timestamp"]) => Role::Time,
        (true, true) => Role::Time,
        (true, false) => Role::Date,
        (false, _) => Role::TimeOfDay,
    })
}

/// The columns of a local time with its offset.
pub(super) fn local(plain: &[String]) -> Vec<(usize, Role)> {
    let places = LOCAL.into_iter();
    let all = places.map(|(names, role)| Some((first(plain, names)?, role)));
    all.collect::<Option<_>>().unwrap_or_default()
}

/// `true` for a name of the zone or the offset of a time.
pub(super) fn is_zone(name: &str) -> bool {
    ZONES.iter().any(|known| is_same(known, name))
}

/// `true` if a heading of a time says its zone, or a column is one.
pub(super) fn have_zone(roles: &[Role], names: &[impl AsRef<str>]) -> bool {
    let mut times = roles.iter().zip(names).filter(|(role, _)| role.is_time());
    times.any(|(role, name)| *role == Role::Offset || has_offset(name.as_ref()))
}

/// The column of the zone or the offset of a time, if no heading of this says one.
pub(super) fn find_zone(roles: &mut [Role], names: &[&str]) {
    if !roles.iter().any(|role| role.is_time()) || have_zone(roles, names) {
        return;
    }
    let plain: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    if let Some(role) = first(&plain, &ZONES).and_then(|place| roles.get_mut(place))
        && *role == Role::Field
    {
        *role = Role::Offset;
    }
}

/// Finds the times by the cells of the first row where the names do not show it: what a column without
/// a name has next to a date or a time of day, and, where no name is that of a time, the only column
/// with a date and a time of day, whose place it returns.
pub(super) fn find_by_cells(roles: &mut [Role], names: &[&str], cells: &[&str]) -> Option<usize> {
    let read = |place: usize, before: &str| {
        let cell = (cells.get(place)).filter(|cell| cell.trim().parse::<f64>().is_err())?;
        let has_time = Moment::read(&format!("{before}{cell}"))?.time.is_some();
        Some((has_time, cell.contains(':')))
    };
    let is_date = |place: usize| read(place, "").is_some_and(|(has_time, _)| !has_time);
    let is_of_day = |place: usize| read(place, "2000-01-01 ") == Some((true, true));
    let Some(place) = roles.iter().position(|role| role.is_time()) else {
        let is_moment = |place: &usize| read(*place, "") == Some((true, true));
        let fields = (0..roles.len())
            .filter(|place| roles[*place] == Role::Field || roles[*place].is_mark());
        let mut found = fields.filter(is_moment);
        let place = found.next().filter(|_| found.next().is_none())?;
        roles[place] = Role::Time;
        find_zone(roles, names);
        return Some(place);
    };
    let is_nameless = |place: &usize| names.get(*place).is_some_and(|name| name.trim().is_empty());
    let beside = [place.wrapping_sub(1), place + 1].into_iter();
    let mut pairs = (beside.filter(is_nameless)).flat_map(|at| [[at, place], [place, at]]);
    if roles[place] == Role::Time
        && let Some([date, time]) = pairs.find(|[date, time]| is_date(*date) && is_of_day(*time))
    {
        roles[date] = Role::Date;
        roles[time] = Role::TimeOfDay;
    }
    None
}

/// The seconds that the half of the day in a column of its own adds to a time of twelve hours.
pub(super) fn half_of_day_s(cells: &[Cell<'_>]) -> f64 {
    let text = |is: &dyn Fn(Role) -> bool| {
        let mut cells = cells.iter().filter(|cell| is(cell.role));
        cells.find_map(|cell| id_text(cell.value))
    };
    let half = text(&|role| role == Role::HalfOfDay).and_then(|half| is_afternoon(&half));
    let Some(is_afternoon) = half else {
        return 0.0;
    };
    let hour = text(&|role| matches!(role, Role::Part(Part::Hour, _))).or_else(|| {
        let time = text(&|role| matches!(role, Role::TimeOfDay | Role::Time))?;
        let (hour, _) = time.split_once(':')?;
        let digits = hour.len()
            - hour
                .trim_end_matches(|letter: char| letter.is_ascii_digit())
                .len();
        Some(hour[hour.len() - digits..].to_owned())
    });
    match (is_afternoon, hour.and_then(|hour| hour.parse::<f64>().ok())) {
        (true, Some(0.0..12.0)) => 43_200.0,
        (false, Some(12.0)) => -43_200.0,
        _ => 0.0,
    }
}

/// The time of a row whose time is in other columns than one of dates and one of times of day.
pub(super) fn time(clock: &mut Clock, cells: &[Cell<'_>]) -> Result<f64, RecordFault> {
    let is_of_time = |role: Role| role.is_time() && role != Role::Offset;
    let of_time = cells.iter().filter(|cell| is_of_time(cell.role));
    let texts = of_time.clone();
    let texts = texts.filter_map(|cell| Some((cell.role, id_text(cell.value)?)));
    let texts: Vec<(Role, String)> = texts.collect();
    let find = |is: &dyn Fn(Role) -> bool| {
        let mut texts = texts.iter();
        texts.find_map(|(role, text)| is(*role).then_some(text))
    };
    // What is no number is in the words about the time.
    let number = |part: Part| {
        let text = find(&|role| matches!(role, Role::Part(known, _) if known == part))?;
        Some(text.parse::<f64>().unwrap_or(f64::NAN))
    };
    let has_zone = |heading: &&str| bracketed(heading).is_some_and(|zone| offset_s(zone).is_some());
    let heading = of_time.map(|cell| cell.name).find(has_zone);
    let heading = heading.unwrap_or_default();
    let date = find(&|role| role == Role::Date);
    let time = find(&|role| role == Role::TimeOfDay);
    // A time of day is such as `12:30`, `930` or `093000`.
    let is_whole = |time: &&String| match time.contains(':') {
        true => time.contains(['-', '/']),
        false => time.len() > 6,
    };
    let columns = texts.iter().find_map(|(role, _)| match role {
        Role::Part(_, columns) => Some(*columns),
        _ => None,
    });
    let whole = time
        .filter(is_whole)
        .or(date.filter(|date| date.contains(':')));
    match whole {
        Some(whole) if columns.is_some() => {
            return clock.time(Time::Whole(FieldValue::Text(whole)), heading);
        }
        _ if columns == Some(texts.len()) => {}
        _ => return Err(RecordFault::Missing(Member::TimeStamp)),
    }
    let hour = number(Part::Hour);
    let day = number(Part::Day).or(number(Part::DayOfYear));
    let day = day.unwrap_or_default();
    let is_of_day = hour.is_some() || time.is_some();
    let of_day = if is_of_day { 0.0 } else { day.fract() };
    let mut rest_s = of_day * 86_400.0;
    for (number, end, unit_s) in [
        // The end of a day is an hour, too.
        (hour, 24.001, 3600.0),
        (number(Part::Minute), 60.0, 60.0),
        (number(Part::Second), 61.0, 1.0),
    ] {
        let number = number.unwrap_or_default();
        if !(0.0..end).contains(&number) {
            let why = format!("{number} is no part of a time of day");
            return Err(RecordFault::Other(why.into()));
        }
        rest_s += number * unit_s;
    }
    let date = date.cloned().unwrap_or_else(|| {
        let year = number(Part::Year).unwrap_or_default();
        let century = match year {
            ..70.0 => 2000.0,
            ..100.0 => 1900.0,
            _ => 0.0,
        };
        let (year, day) = (year + century, day.trunc());
        match number(Part::Month) {
            Some(month) => format!("{year:04}-{month:02}-{day:02}"),
            None => format!("{year:04}-{day:03}"),
        }
    });
    let whole = match time {
        Some(time) => {
            let mut of_day = cells.iter().filter(|cell| cell.role == Role::TimeOfDay);
            let name = of_day.next().map_or("", |cell| cell.name);
            let parts = Time::Parts(FieldValue::Text(&date), FieldValue::Text(time), name);
            return clock.time(parts, heading);
        }
        None if is_of_day || rest_s > 0.0 => format!("{date} 00:00"),
        None => date,
    };
    let time = clock.time(Time::Whole(FieldValue::Text(&whole)), heading)? + rest_s;
    Ok((time * 1e3).round() / 1e3)
}
