//! The watch list, by default the worst status first.

use ratatui::buffer::Buffer;

use super::DeploymentsTab;
use super::deployment::{DeploymentState, Part};
use super::limit_words;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::small_charts;
use crate::dashboard::widgets::table::{
    Cell, Column, Drawn, Look, Table, Take, Visible, Wider, chosen, explain,
};

use super::cells::{
    has_room_for_word, has_unrefreshed, named_status_cells, status, status_cells, update,
};
use crate::dashboard::deployments::widest::{CUT_UUID, Widest};
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
        width: |visible| status_cells(visible.look),
        wider: &[Wider {
            rank: 48,
            cells: |visible| named_status_cells(visible.look),
            take: Take::Whole,
        }],
        rank: 10,
        sort: Heading::Deployments(DeploymentSort::State),
        cell: status,
        ..Column::LEFT
    },
    Column {
        name: "deployment",
        // A UUID instead of a name is cut before the position is dropped.
        width: |visible| cells(widest(visible).label).clamp(10, WIDEST_NAME),
        wider: &[
            Wider {
                rank: 45,
                cells: |visible| cells(widest(visible).name).min(WIDEST_NAME),
                take: Take::Whole,
            },
            Wider {
                cells: |visible| cells(widest(visible).name),
                ..Wider::REST
            },
        ],
        is_text: true,
        rank: 0,
        sort: Heading::Deployments(DeploymentSort::Name),
        cut: text::fit_name,
        cell: |deployment, look| {
            let name = deployment.name();
            let cut = text::fit_name(&name, CUT_UUID);
            let cell = Cell::new(name, look.theme.text());
            match deployment.deployment.label {
                Some(_) => cell,
                None => cell.or(cut),
            }
        },
        ..Column::LEFT
    },
    Column {
        name: "group",
        width: |visible| match widest(visible).group {
            0 => 0,
            // Its heading has room for the sort arrow.
            group => cells(group).clamp(6, 16),
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
        // The sign of a failed refresh takes its cell from here and not from the names.
        width: |visible| {
            if is_wide(visible.look) {
                15
            } else {
                12 - u16::from(has_unrefreshed(visible.look))
            }
        },
        rank: 20,
        sort: Heading::Deployments(DeploymentSort::Age),
        cell: age,
        ..Column::RIGHT
    },
    Column {
        name: "position",
        width: |visible| {
            let (latitude, longitude) = visible.look.model.settings.coordinates.width();
            latitude + 1 + longitude
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
        width: |visible| format::speed_cells(visible.look.model.settings.units),
        rank: 30,
        sort: Heading::Deployments(DeploymentSort::Speed),
        cell: |deployment, look| {
            let latest = deployment.latest().filter(|fix| fix.has_leg);
            let latest = latest.map(|fix| {
                let speed = fix
                    .speed_m_s
                    .map(|speed| look.model.settings.units.speed(speed));
                let speed = speed.unwrap_or_else(|| "–".to_owned());
                format::number_cell(speed, look.theme.text())
            });
            latest.unwrap_or_default()
        },
        ..Column::RIGHT
    },
    Column {
        name: "SOG COG",
        heading: Some("COG"),
        width: |_| format::COURSE_CELLS,
        rank: 30,
        cell: |deployment, look| {
            let latest = deployment.latest().filter(|fix| fix.has_leg);
            let latest = latest.map(|fix| {
                let course = fix.course_deg.map(units::course);
                Cell::new(course.as_deref().unwrap_or("–"), look.theme.text())
            });
            latest.unwrap_or_default()
        },
        ..Column::RIGHT
    },
    Column {
        name: "interval",
        width: |visible| cells(widest(visible).interval).clamp(8, 11),
        rank: 80,
        cell: |deployment, look| {
            let interval = deployment.health(look.model.now).interval_s;
            let interval = interval.filter(|_| deployment.overview().is_some());
            Cell::new(
                interval.map_or_else(String::new, time::interval),
                look.theme.text(),
            )
        },
        ..Column::RIGHT
    },
    Column {
        name: "reports",
        width: |_| small_charts::REPORTS,
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
        name: "SOG 7 days",
        heading: Some("SOG 7d to fix"),
        // With blanks between its heading and the next one.
        width: |_| TREND + 2,
        rank: 100,
        cell: |deployment, look| {
            let trend = deployment
                .overview()
                .map(|overview| overview.speed_trend(TREND));
            let trend = trend.map(|trend| small_charts::trend(&trend, look.theme));
            Cell::new(trend.unwrap_or_default(), look.theme.dim())
        },
        ..Column::LEFT
    },
    Column {
        name: "limits",
        // One limit with its number at least.
        width: |visible| match widest(visible).limits {
            0 => 0,
            limits => cells(limits).clamp(6, ONE_LIMIT),
        },
        wider: &[Wider {
            rank: 96,
            cells: |visible| cells(widest(visible).limits),
            take: Take::Whole,
        }],
        is_text: true,
        rank: 90,
        cell: |deployment, look| {
            let [all, numbers, first] = limit_words::forms(deployment, look.model.settings.units);
            Cell::new(all, look.theme.dim()).or(numbers).or(first)
        },
        ..Column::LEFT
    },
    Column {
        name: "data return",
        // With blanks between its heading and the next one.
        width: |visible| visible.longest().max(13),
        rank: 110,
        cell: |deployment, look| {
            let share = format::data_return(deployment, look.model);
            Cell::new(share.unwrap_or_default(), look.theme.text())
        },
        ..Column::LEFT
    },
    Column {
        name: "fixes",
        width: |_| 9,
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
        width: |_| 8,
        rank: 130,
        cell: |deployment, look| Cell::new(deployment.deployment.platform.name(), look.theme.dim()),
        ..Column::LEFT
    },
    Column {
        name: "alarm, next",
        width: |_| SHORT_UPDATE,
        wider: &[
            Wider {
                rank: 85,
                cells: |visible| trouble_cells(visible.look),
                take: Take::Part,
            },
            Wider::REST,
        ],
        is_text: true,
        rank: 60,
        cell: update,
        ..Column::LEFT
    },
];

/// After the name: the part of a row that the filter or the search has found, if no
/// other column shows it.
const FOUND: &Column<DeploymentState, Shared> = &Column {
    name: "found in",
    width: |visible| match visible.longest() {
        0 => 0,
        // As long as its heading at least.
        longest => longest.clamp(8, WIDEST_FOUND),
    },
    rank: 10,
    cut: text::fit_name,
    cell: |deployment, look| Cell::new(found_in(deployment, look), look.theme.dim()),
    ..Column::LEFT
};

/// The widest text of a match, cells.
const WIDEST_FOUND: u16 = 20;

/// Cells of the chart of speeds.
const TREND: u16 = 13;

/// Cells of an update that is no error.
const SHORT_UPDATE: u16 = 17;

/// Cells for an error, and for the numbers of an alarm, which other columns give way to.
const ERROR: u16 = 44;
const NUMBERS: u16 = 48;

/// Cells of a limit with its number.
const ONE_LIMIT: u16 = 12;

/// The widest name that the other columns give way to, cells.
const WIDEST_NAME: u16 = 36;

/// If there is room for the "ago" of ages.
pub(super) fn is_wide(look: &Look<'_, Shared>) -> bool {
    look.width >= 112
}

/// `true` if the rows have the word of the status: those of a narrow list have only its
/// sign.
pub(crate) fn has_word(look: &Look<'_, Shared>) -> bool {
    has_room_for_word(look) && look.model.screen.columns.has(TabId::Deployments, "status")
}

/// The cells that errors and numbers of alarms need, if any row has one.
fn trouble_cells(look: &Look<'_, Shared>) -> u16 {
    let tab = &look.model.deployments;
    match tab.list.iter().any(|row| row.track.failure.is_some()) {
        true => ERROR,
        false if tab.widest.has_numbers => NUMBERS,
        false => 0,
    }
}

/// The widest texts of all rows, not only of the visible ones: the columns do not move
/// while the list scrolls.
fn widest(visible: &Visible<'_, Shared>) -> Widest {
    visible.look.model.deployments.widest
}

fn cells(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
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
pub(crate) fn draw(
    tab: &DeploymentsTab,
    buffer: &mut Buffer,
    area: Area,
    shared: &Shared,
    theme: Theme,
) -> Drawn {
    let all = &shared.deployments;
    let rows = area.split_top(1).1;
    let visible = tab.shown(all).skip(tab.table.top);
    let mut table = Table {
        columns: chosen(COLUMNS, shared.screen.columns.of(TabId::Deployments)),
        rows: visible.take(usize::from(rows.height)).collect(),
        cursor: tab.table.cursor.checked_sub(tab.table.top),
        sorted: Some((
            Heading::Deployments(tab.sort.column),
            theme.sort_arrow(tab.is_descending()),
        )),
    };
    let mut look = Look::new(shared, theme, area.width).searched(shared.searched());
    let finds = shared.screen.search.is_some() || !tab.filter.text().trim().is_empty();
    if finds || all.widest.both > 0 {
        look.shown = table.laid(&look).shown();
    }
    look.filter = Some(&tab.filter);
    if finds {
        table.insert_after("deployment", FOUND);
        look.shown = table.laid(&look).shown();
    }
    let laid = table.laid(&look);
    let drawn = laid.draw(buffer, area);
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
    drawn
}

/// The part of a row that the filter or the search has found, with its text: "platform
/// mooring". Empty if a column shows it.
fn found_in(deployment: &DeploymentState, look: &Look<'_, Shared>) -> String {
    let is_shown = |name| look.shown.contains(&name);
    let mut words: Vec<String> = Vec::new();
    let queries = look.filter.iter().chain(&look.search);
    let sought = queries.flat_map(|query| query.words());
    for part in sought.filter_map(|word| deployment.part_with(word, look.model.now)) {
        let word = match part {
            Part::Name => continue,
            // A status without a word needs one, and the kind of an alarm has no column.
            Part::Status if has_word(look) && deployment.alarms.is_empty() => continue,
            Part::Group if is_shown("group") => continue,
            Part::Platform if is_shown("platform") => continue,
            Part::Status => {
                let status = deployment.health(look.model.now).state.word();
                let alarms = deployment.alarms.iter().map(|alarm| alarm.kind.word());
                let all: Vec<_> = [status].into_iter().chain(alarms).collect();
                format!("status {}", all.join(", "))
            }
            Part::Group => {
                let group = deployment.deployment.group.as_deref();
                format!("group {}", group.unwrap_or_default())
            }
            Part::Platform => format!("platform {}", deployment.deployment.platform.name()),
            Part::Notes => "notes".to_owned(),
            Part::Uuid => "UUID".to_owned(),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}
