//! The watch list, by default the worst status first.

use super::DeploymentsTab;
use super::deployment::DeploymentState;
use super::row_words::{self, Widest};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Parts;
use crate::dashboard::shared::{Shared, TrackSource};
use crate::dashboard::track::small_charts;
use crate::dashboard::widgets::table::{Cell, Column, Look, Table, Visible, chosen, explain};

use super::cells::{has_room_for_word, letter_cells, status, status_cells, update};
use crate::dashboard::tab::TabId;
use crate::dashboard::targets::Heading;
use crate::geo::units;
use crate::text;
use crate::track::{DeploymentSort, State, time};

/// The columns of the list, in their usual order.
pub(crate) const COLUMNS: &[Column<DeploymentState, Shared>] = &[
    Column {
        name: "status",
        title: Some(|look| {
            if has_room_for_word(look) {
                "status"
            } else {
                ""
            }
            .to_owned()
        }),
        cells: |visible| status_cells(visible.look),
        rank: 10,
        long_rank: 48,
        sort: Heading::Deployments(DeploymentSort::State),
        cell: status,
        ..Column::LEFT
    },
    Column {
        name: "deployment",
        // A UUID instead of a name is cut before the position is dropped, and a name for the
        // letters of marked rows.
        cells: |visible| {
            let widest = widest(visible);
            let label = widest.label.min(WIDEST_NAME);
            [
                label.saturating_sub(letter_cells(visible.look)).max(10),
                widest.name,
            ]
        },
        is_text: true,
        rank: 0,
        long_rank: 55,
        sort: Heading::Deployments(DeploymentSort::Name),
        cut: text::fit_name,
        cell: |deployment, look| Cell::new(deployment.name(), look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "group",
        cells: |visible| match widest(visible).group {
            0 => [0, 0],
            // Its heading has room for the sort arrow.
            group => [group.clamp(6, 16); 2],
        },
        rank: 70,
        sort: Heading::Deployments(DeploymentSort::Group),
        cell: |deployment, look| {
            let group = deployment.deployment.group.as_deref();
            Cell::new(group.unwrap_or_default(), look.theme.dim())
        },
        ..Column::LEFT
    },
    Column {
        name: "last fix",
        cells: |visible| {
            if is_wide(visible.look) {
                [15, 15]
            } else {
                [11, 11]
            }
        },
        rank: 20,
        sort: Heading::Deployments(DeploymentSort::Age),
        cell: age,
        ..Column::RIGHT
    },
    Column {
        name: "position",
        cells: |visible| {
            let (latitude, longitude) = visible.look.model.settings.coordinates.width();
            [latitude + 1 + longitude; 2]
        },
        rank: 40,
        cell: |deployment, look| {
            let coordinates = look.model.settings.coordinates;
            let latest = deployment.latest().map(|fix| {
                let (latitude, longitude) = coordinates.pair(fix.position);
                let room = usize::from(coordinates.width().0);
                Cell::new(format!("{latitude:>room$} {longitude}"), look.theme.text())
            });
            latest.unwrap_or_default()
        },
        ..Column::LEFT
    },
    Column {
        name: "SOG COG",
        heading: Some("SOG"),
        cells: |visible| [format::speed_cells(visible.look.model.settings.units); 2],
        rank: 30,
        sort: Heading::Deployments(DeploymentSort::Speed),
        cell: |deployment, look| {
            let latest = deployment.latest().filter(|fix| fix.has_leg);
            let cell = latest.map(|fix| {
                let speed = fix
                    .speed_m_s
                    .map(|speed| look.model.settings.units.speed(speed))
                    .unwrap_or_else(|| "–".to_owned());
                format::number_cell(speed, look.theme.text())
            });
            cell.unwrap_or_default()
        },
        ..Column::RIGHT
    },
    Column {
        name: "SOG COG",
        heading: Some("COG"),
        cells: |_| [format::COURSE_CELLS; 2],
        rank: 30,
        cell: |deployment, look| {
            let latest = deployment.latest().filter(|fix| fix.has_leg);
            let cell = latest.map(|fix| {
                let course = fix.course_deg.map(units::course);
                Cell::new(course.as_deref().unwrap_or("–"), look.theme.text())
            });
            cell.unwrap_or_default()
        },
        ..Column::RIGHT
    },
    Column {
        name: "interval",
        cells: |visible| [widest(visible).interval.clamp(8, 11); 2],
        rank: 80,
        cell: |deployment, look| {
            let interval_s = deployment.health(look.model.now).interval_s;
            let interval = interval_s.filter(|_| deployment.overview().is_some());
            Cell::new(
                interval.map_or_else(String::new, time::interval),
                look.theme.text(),
            )
        },
        ..Column::RIGHT
    },
    Column {
        name: "reports",
        // A file reports nothing.
        cells: |visible| match visible.look.model.service.source {
            TrackSource::Files => [0, 0],
            _ => [small_charts::REPORTS; 2],
        },
        rank: 50,
        cell: |deployment, look| {
            let came = deployment.recent_reports(look.model.now);
            let missed = match deployment.health(look.model.now).state {
                State::Lost => look.theme.bad(),
                _ => look.theme.warning(),
            };
            let room = usize::from(small_charts::REPORTS).saturating_sub(came.len());
            let mut cell = Cell::new(" ".repeat(room), look.theme.text());
            for run in came.chunk_by(|report, next| report == next) {
                let is_missed = run.first() == Some(&false);
                let style = if is_missed { missed } else { look.theme.text() };
                cell = cell.then(small_charts::reports(run, look.theme), style);
            }
            cell
        },
        ..Column::LEFT
    },
    Column {
        name: "limits",
        // One limit with its number at least.
        cells: |visible| match widest(visible).limits {
            0 => [0, 0],
            limits => [limits.clamp(6, ONE_LIMIT), limits],
        },
        is_text: true,
        rank: 90,
        long_rank: 96,
        cell: |deployment, look| {
            let units = look.model.settings.units;
            let all = row_words::values(deployment, units);
            let short = row_words::shortly(deployment, units, ONE_LIMIT);
            Cell::new(all, look.theme.dim()).or(short)
        },
        ..Column::LEFT
    },
    Column {
        name: "data return",
        // With blanks between its heading and the next one.
        cells: |visible| [visible.longest().max(13); 2],
        rank: 110,
        cell: |deployment, look| {
            let share = format::data_return(deployment, look.model);
            Cell::new(share.unwrap_or_default(), look.theme.text())
        },
        ..Column::LEFT
    },
    Column {
        name: "fixes",
        cells: |_| [9, 9],
        rank: 120,
        sort: Heading::Deployments(DeploymentSort::Fixes),
        cell: |deployment, look| {
            let fixes = deployment
                .overview()
                .map(|overview| text::count(overview.fixes));
            Cell::new(fixes.unwrap_or_default(), look.theme.text())
        },
        ..Column::RIGHT
    },
    Column {
        name: "platform",
        cells: |_| [8, 8],
        rank: 130,
        cell: |deployment, look| Cell::new(deployment.deployment.platform.name(), look.theme.dim()),
        ..Column::LEFT
    },
    Column {
        name: "alarm, next",
        cells: |visible| [SHORT_UPDATE, trouble_cells(visible.look)],
        is_text: true,
        rank: 60,
        long_rank: 85,
        fills: true,
        cell: update,
        ..Column::LEFT
    },
];

/// Cells of an update that is no error, short and with its number: "next request in <1 min".
const SHORT_UPDATE: u16 = 17;
const UPDATE: u16 = 22;

/// Cells for an error, and for the numbers of an alarm, which other columns give way to.
const ERROR: u16 = 40;
const NUMBERS: u16 = 48;

/// Cells of a limit with its number.
const ONE_LIMIT: u16 = 12;

/// The widest name that the other columns give way to, cells.
const WIDEST_NAME: u16 = 36;

/// If there is room for the "ago" of ages.
pub(super) fn is_wide(look: &Look<'_, Shared>) -> bool {
    look.width >= 146
}

/// `true` if the rows have the word of the status: those of a narrow list have only its
/// sign.
pub(crate) fn has_word(look: &Look<'_, Shared>) -> bool {
    has_room_for_word(look) && look.model.screen.columns.has(TabId::Deployments, "status")
}

/// The cells that errors and numbers of alarms need, if any row has one.
fn trouble_cells(look: &Look<'_, Shared>) -> u16 {
    let tab = &look.model.deployments;
    if tab.list.iter().any(|row| row.track.failure.is_some()) {
        ERROR
    } else if tab.widest.has_numbers {
        NUMBERS
    } else {
        UPDATE
    }
}

/// The widest texts of all rows, not only of the visible ones: the columns do not move
/// while the list scrolls.
fn widest(visible: &Visible<'_, Shared>) -> Widest {
    visible.look.model.deployments.widest
}

/// The age of the last fix. Without data, the update takes this column and those after
/// it.
fn age(deployment: &DeploymentState, look: &Look<'_, Shared>) -> Cell {
    if !deployment.track.has_data() {
        return match &look.model.deployments.moment {
            Some(moment) => Cell::new(moment.unread_words(), look.theme.dim()).across(),
            None => update(deployment, look).across(),
        };
    }
    if deployment.overview().is_none() {
        return Cell::default();
    }
    let Some(fix) = deployment.latest() else {
        return Cell::new("no fix", look.theme.dim());
    };
    let (_, style) = look.theme.state(deployment.health(look.model.now).state);
    if is_wide(look) {
        Cell::new(deployment.age(fix.time_stamp, look.model.now), style)
    } else {
        let now = deployment.track.clock().later(look.model.now);
        Cell::new(time::short_age(fix.time_stamp, now), style)
    }
}

/// Draws the list with its heading.
pub(crate) fn draw(tab: &DeploymentsTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let area = canvas.layout.table;
    let theme = canvas.theme;
    let all = &shared.deployments;
    let rows = area.split_top(1).1;
    let visible = tab.shown(all).skip(tab.table.top);
    let table = Table {
        columns: chosen(COLUMNS, shared.screen.columns.shown(TabId::Deployments)),
        rows: visible.take(usize::from(rows.height)).collect(),
        cursor: tab.table.cursor.checked_sub(tab.table.top),
        sorted: Some((
            Heading::Deployments(tab.sort.column),
            theme.sort_arrow(tab.is_descending()),
        )),
    };
    let look = Look::new(shared, theme, area.width).searched(shared.searched());
    canvas.draw_table(&table.laid(&look));
    let buffer = &mut *canvas.buffer;
    let rows = rows.split_left(1).1;
    if let (true, Some(failure)) = (all.list.is_empty(), &all.unread) {
        let message = failure.message();
        let lines = [
            ("The watch list could not be read.", theme.text()),
            (message.as_str(), theme.bad()),
            (failure.hint.as_str(), theme.dim()),
        ];
        explain(buffer, rows, &lines);
    } else if all.list.is_empty() {
        let add = shared.key_of(Action::AddDeployment);
        let how = match &shared.service.remote {
            None => format!("Press {add} and paste a UUID, or a URL that contains one."),
            Some(_) => {
                let list = shared.key_of(Action::ListOfService);
                format!("Press {add} and type an id, or {list} for what the service lists.")
            }
        };
        let none = ("No deployment is watched yet.", theme.text());
        explain(buffer, rows, &[none, (&how, theme.dim())]);
    } else if tab.order.is_empty() {
        let none = "No deployment matches the filter; Esc clears it.";
        explain(buffer, rows, &[(none, theme.dim())]);
    }
}
