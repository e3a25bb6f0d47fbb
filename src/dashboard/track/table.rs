//! The table of fixes.

use ratatui::style::Style;

use super::label::field_title;
use super::{TrackTab, waiting};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Parts;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::times::Times;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::table::{Cell, Column, Look, Table, chosen, explain};
use crate::geo::{CoordinateFormat, Units, units};
use crate::map::{ShownField, ShownFields};
use crate::text;
use crate::track::{Fix, Flag, Leg, Reason, Track, TrackSort, time};

/// The most cells of the heading of a field: those of speed and course, whose place it takes.
const WIDEST_FIELD: usize = 14;

/// The cells of a time without its year, to the minute and to the second.
const MINUTE: u16 = 11;
const SECOND: u16 = 14;

/// A row: a fix with values derived from it.
pub(crate) struct FixRow {
    fix: Fix,
    leg: Option<Leg>,
    /// If the leg begins before the time range that is shown.
    is_leg_outside: bool,
    is_included: bool,
    /// If the leg is over a data gap.
    is_gap: bool,
    /// The reason of the flag; empty without one.
    reason: String,
    /// A further note on the fix.
    note: String,
    /// The values of the fields that may have a column.
    values: Vec<String>,
}

/// The times, units and fields that the cells of a fix are written with.
pub(crate) struct FixLook {
    times: Times,
    /// The cells of a time in its short form and in its long one.
    time_cells: [u16; 2],
    coordinates: CoordinateFormat,
    units: Units,
    /// The fields that may have a column: that of the timeline, if it has one, and others.
    fields: Vec<Option<ShownField>>,
    /// `true` if all columns are shown in their usual order.
    are_columns_usual: bool,
}

impl FixLook {
    fn new(tab: &TrackTab, shared: &Shared, width: u16) -> Self {
        // A profile has no single value.
        let shown = tab.shown_field(shared);
        let field = shown.filter(|field| !field.field().is_profile());
        let all = tab.shown_fields(shared);
        let others: Vec<_> = (all.into_iter().flat_map(ShownFields::single))
            .filter(|other| field.as_ref() != Some(other))
            .take(FIELDS.len() - 1)
            .map(Some)
            .collect();
        Self {
            times: shared.times(),
            // In full it would take the room of the speed.
            time_cells: [time_cells(shared), if width < 61 { SECOND } else { 19 }],
            coordinates: shared.settings.coordinates,
            units: shared.settings.units,
            fields: [vec![field], others].concat(),
            are_columns_usual: shared.screen.columns.are_usual(TabId::Track),
        }
    }

    fn field(&self, index: usize) -> Option<&ShownField> {
        self.fields.get(index)?.as_ref()
    }
}

/// The columns of the fixes, in their usual order.
pub(crate) const COLUMNS: &[Column<FixRow, FixLook>] = &[
    Column {
        name: "flag",
        title: Some(|_| String::new()),
        cells: |_| [1, 1],
        rank: 10,
        sort: Heading::Fixes(TrackSort::Flag),
        cell: |row, look| {
            let (mark, style) = look.theme.flag(row.fix.flag);
            Cell::new(mark, style)
        },
        ..Column::LEFT
    },
    Column {
        name: "time",
        title: Some(|look| look.model.times.title()),
        cells: |visible| visible.look.model.time_cells,
        rank: 0,
        long_rank: 50,
        sort: Heading::Fixes(TrackSort::Time),
        cell: |row, look| {
            let times = &look.model.times;
            let at = row.fix.time_stamp;
            let [short, long] = look.model.time_cells.map(|cells| match cells {
                MINUTE => times.minute(at),
                SECOND => times.short_moment(at),
                _ => times.moment(at),
            });
            Cell::new(long, row.style(look.theme)).or(short)
        },
        ..Column::LEFT
    },
    // With fewer decimals if there is little room: a table without positions is none of a
    // track.
    coordinate::<0>("latitude", "lat", TrackSort::Latitude),
    coordinate::<1>("longitude", "lon", TrackSort::Longitude),
    Column {
        name: "SOG COG",
        heading: Some("SOG"),
        cells: |visible| [format::speed_cells(visible.look.model.units); 2],
        rank: 40,
        sort: Heading::Fixes(TrackSort::Speed),
        cell: |row, look| {
            row.of_leg(look, |leg, style| {
                let speed = leg.speed_m_s.map(|speed| look.model.units.speed(speed));
                format::number_cell(speed.unwrap_or_else(|| "–".to_owned()), style)
            })
        },
        ..Column::RIGHT
    },
    Column {
        name: "SOG COG",
        heading: Some("COG"),
        cells: |_| [format::COURSE_CELLS; 2],
        rank: 40,
        sort: Heading::Fixes(TrackSort::Course),
        cell: |row, look| {
            row.of_leg(look, |leg, style| {
                let course = leg.course_deg.map(units::course);
                Cell::new(course.as_deref().unwrap_or("–"), style)
            })
        },
        ..Column::RIGHT
    },
    Column {
        name: "leg",
        cells: |_| [9, 9],
        rank: 60,
        sort: Heading::Fixes(TrackSort::Distance),
        cell: |row, look| {
            row.of_leg(look, |leg, style| {
                format::number_cell(look.model.units.distance(leg.distance_m), style)
            })
        },
        ..Column::RIGHT
    },
    Column {
        name: "interval",
        cells: |_| [8, 11],
        rank: 70,
        long_rank: 75,
        sort: Heading::Fixes(TrackSort::Gap),
        cell: |row, look| {
            row.of_leg(look, |leg, style| {
                let gap = look.theme.warning();
                let style = if row.is_gap { gap } else { style };
                Cell::new(time::interval(leg.duration_s), style).or(in_one_unit(leg.duration_s))
            })
        },
        ..Column::RIGHT
    },
    Column {
        name: "reason",
        title: Some(|_| String::new()),
        cells: |_| [8, 24],
        fills: true,
        is_text: true,
        rank: 80,
        long_rank: 85,
        sort: Heading::Fixes(TrackSort::Flag),
        cell: |row, look| match row.reason(look.theme) {
            Some(reason) => reason,
            None => Cell::new(&row.note, look.theme.dim()),
        },
        ..Column::LEFT
    },
];

const fn coordinate<const N: usize>(
    heading: &'static str,
    short: &'static str,
    sort: TrackSort,
) -> Column<FixRow, FixLook> {
    Column {
        name: "position",
        heading: Some(heading),
        short_heading: Some(short),
        cells: |visible| {
            let coordinates = visible.look.model.coordinates;
            [coordinates.short_width(), coordinates.width()].map(of_pair::<N, _>)
        },
        rank: 5,
        long_rank: 45,
        sort: Heading::Fixes(sort),
        cell: |row, look| {
            let coordinates = look.model.coordinates;
            let position = row.fix.position;
            let pairs = [coordinates.short_pair(position), coordinates.pair(position)];
            let [short, long] = pairs.map(of_pair::<N, _>);
            Cell::new(long, row.style(look.theme)).or(short)
        },
        ..Column::RIGHT
    }
}

/// The latitude (0) or the longitude (1).
fn of_pair<const N: usize, T>((latitude, longitude): (T, T)) -> T {
    if N == 0 { latitude } else { longitude }
}

/// Right of the speed, the field that the timeline shows, and others as they fit.
static FIELDS: [Column<FixRow, FixLook>; 8] = [
    field::<0>("field", 42),
    field::<1>("fields", 91),
    field::<2>("fields", 92),
    field::<3>("fields", 93),
    field::<4>("fields", 94),
    field::<5>("fields", 95),
    field::<6>("fields", 96),
    field::<7>("fields", 97),
];

const fn field<const N: usize>(name: &'static str, rank: u8) -> Column<FixRow, FixLook> {
    Column {
        name,
        title: Some(|look| look.model.field(N).map_or_else(String::new, heading)),
        cells: |visible| [visible.look.model.field(N).map_or(0, field_width); 2],
        rank,
        sort: match N {
            0 => Heading::Fixes(TrackSort::Field),
            _ => Heading::Unsorted,
        },
        cell: |row, look| {
            let value = row.values.get(N).map_or("", String::as_str);
            Cell::new(value, row.style(look.theme))
        },
        ..Column::RIGHT
    }
}

impl FixRow {
    fn new(
        fix: Fix,
        track: &Track,
        tab: &TrackTab,
        shared: &Shared,
        fields: &[Option<ShownField>],
    ) -> Self {
        let value = |field: &ShownField| {
            let value = field.value(fix.index);
            let words = value.map(|value| format::number(value, field.field().decimals));
            words.unwrap_or_else(|| "–".to_owned())
        };

        let inside = track.leg(fix.index);
        let leg = inside.or_else(|| tab.leg_into_range(shared, fix.index));
        let is_flagged = fix.flag != Flag::Pass || !fix.reason.text().is_empty();
        let sent = track.times_sent(fix.index);
        Self {
            fix,
            leg,
            is_leg_outside: inside.is_none(),
            is_included: track.is_included(fix.index),
            is_gap: leg.is_some_and(|leg| track.is_gap(leg.duration_s)),
            reason: if is_flagged {
                format::reason(track, &fix, shared.settings.units).into_owned()
            } else {
                String::new()
            },
            note: match sent {
                _ if track.is_absent_from_latest(fix.index) => {
                    "absent from latest response".to_owned()
                }
                ..=1 => String::new(),
                _ => format!("sent {sent} times"),
            },
            values: fields
                .iter()
                .map(|field| field.as_ref().map_or_else(String::new, value))
                .collect(),
        }
    }

    fn style(&self, theme: Theme) -> Style {
        if self.is_included {
            theme.text()
        } else {
            theme.dim()
        }
    }

    /// The reason of its flag. The summary shows it in full for the selected fix.
    fn reason(&self, theme: Theme) -> Option<Cell> {
        let (_, style) = theme.flag(self.fix.flag);
        let reason = Some(&self.reason).filter(|reason| !reason.is_empty())?;
        let short = match self.fix.reason {
            Reason::Overridden => "by hand",
            reason => reason.short_text(),
        };
        Some(Cell::new(reason, style).or(short))
    }

    /// A cell of its leg. A fix without one leaves the cells of the leg to the reason of
    /// its flag; in another order other columns would be behind it.
    fn of_leg(&self, look: &Look<'_, FixLook>, cell: impl FnOnce(&Leg, Style) -> Cell) -> Cell {
        match &self.leg {
            Some(leg) if self.is_leg_outside => cell(leg, look.theme.dim()),
            Some(leg) => cell(leg, self.style(look.theme)),
            None if look.model.are_columns_usual => {
                let reason = self.reason(look.theme);
                reason.map_or_else(Cell::default, Cell::across)
            }
            None => Cell::default(),
        }
    }
}

/// Draws the table with its heading, or a message instead.
pub(crate) fn draw(tab: &TrackTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let area = canvas.layout.table;
    let theme = canvas.theme;
    if area.is_empty() {
        return;
    }
    let rows = area.split_top(1).1;
    let open = shared.open_deployment();
    if open.is_none() {
        let list = shared.key_of(Action::Show(TabId::Deployments));
        let add = shared.key_of(Action::AddDeployment);
        let how = format!("{list}: list deployments; {add}: add one.");
        let none = ("No deployment is open.", theme.text());
        return explain(canvas.buffer, rows, &[none, (&how, theme.dim())]);
    }
    let Some(track) = tab.shown_track(shared) else {
        return waiting::draw(canvas.buffer, rows, shared, theme);
    };
    let state = tab.table;
    let with = FixLook::new(tab, shared, area.width);
    let visible: Vec<FixRow> = (state.top..)
        .take(usize::from(rows.height))
        .map_while(|row| tab.fix_in_row(track, row))
        .map(|fix| FixRow::new(fix, track, tab, shared, &with.fields))
        .collect();
    let arrangement = &tab.arrangement;
    let mut table = Table {
        columns: chosen(COLUMNS, shared.screen.columns.shown(TabId::Track)),
        rows: visible.iter().collect(),
        cursor: state.cursor.checked_sub(state.top),
        sorted: Some((
            Heading::Fixes(arrangement.sort),
            theme.sort_arrow(arrangement.descending),
        )),
    };
    for column in &FIELDS {
        table.insert_after(&["position", "SOG COG", "field", "fields"], column);
    }
    let look = Look::new(&with, theme, area.width).searched(shared.searched());
    canvas.draw_table(&table.laid(&look));
    let buffer = &mut *canvas.buffer;
    if track.is_empty() {
        let why = match track.unusable_count() {
            _ if tab.time_range.is_some() => {
                "No fix in this time range; Esc shows the whole track.".to_owned()
            }
            0 => "The service has no transmission of this deployment.".to_owned(),
            count => format!("All {count} records are invalid; see below."),
        };
        explain(buffer, rows, &[(&why, theme.dim())]);
    } else if tab.rows(track) == 0 {
        let why = "No fix matches the filter; Esc clears it.";
        explain(buffer, rows, &[(why, theme.dim())]);
    }
}

/// The cells of a time without its year: with seconds where fixes are less than two minutes
/// apart, because two of one minute would look like duplicates.
pub(crate) fn time_cells(shared: &Shared) -> u16 {
    let interval = shared.full_track().and_then(|track| track.interval_s());
    match interval {
        Some(..120.0) => SECOND,
        _ => MINUTE,
    }
}

fn heading(shown: &ShownField) -> String {
    text::fit(&field_title(shown), WIDEST_FIELD)
}

/// The cells that the values and the heading of a field need.
pub(crate) fn field_width(shown: &ShownField) -> u16 {
    let field = shown.field();
    let number = |value| text::width(&format::number(value, field.decimals));
    let ends = field.ends();
    let values = number(ends.low).max(number(ends.high));
    let title = text::width(&heading(shown));
    u16::try_from(values.max(title)).unwrap_or(u16::MAX)
}

/// A span rounded to a single unit: `2.6 h`.
fn in_one_unit(seconds: f64) -> String {
    match seconds {
        ..86_370.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} d", seconds / 86_400.0),
    }
}
