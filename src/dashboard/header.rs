//! The first line: profile, connection and address, and whether all is well.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::alarms::words;
use super::connection::{self, Connection};
use super::deployments::deployment::NOT_KNOWN;
use super::layout::{Area, Parts};
use super::shared::TrackSource;
use super::shell::Shell;
use super::targets::Sum;
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::sheet::cells;
use super::widgets::text::{Item, Text, line};
use crate::alarm::AlarmState;
use crate::dashboard::shared::Shared;
use crate::plant::state::State as Existence;
use crate::text;
use crate::track::{Health, State};

/// The narrowest screens with the name of the program, "on time" after its number and two blanks
/// between two words; and with the date before the time.
const IN_WORDS: u16 = 80;
const WITH_DATE: u16 = 120;

/// The cells of a label of the connection that the counts give way to.
const LABEL_CELLS: usize = 36;

/// The name of the program.
const NAME: &str = "driftline";

/// The cells of a label of the connection that say something where its end is cut, and of an
/// address.
const LEAST_LABEL: usize = 8;
const LEAST_ADDRESS: u16 = 12;

/// The ranks of what gives way first: the date, the name of the program, the words of the
/// connection; then the counts from the end.
const DATE: u8 = 102;
const PROGRAM: u8 = 101;
const LABEL: u8 = 100;

/// Draws the header: profile, connection and base URL on the left, on the right how many
/// deployments are lost, overdue, late and on time, the alarms, and the time. Returns the
/// counts, which can be clicked.
pub(crate) fn draw(
    buffer: &mut Buffer,
    header: Area,
    shell: &Shell,
    theme: Theme,
) -> Vec<(Area, Sum)> {
    let shared = &shell.shared;
    let is_wide = header.width >= IN_WORDS;
    let apart = if is_wide { 2 } else { 1 };
    let mut items = connection(shared, is_wide, theme);
    let left = items.len();
    let mut sums = Vec::new();
    for (rank, (sum, text, style)) in (1..LABEL).zip(counts(shell, theme, is_wide)) {
        sums.push(sum);
        items.push(Item::new(text, style, rank));
    }
    items.push(Item::new(clock(shared, header.width), theme.dim(), DATE));
    let forms = line(&items, header.width, apart);
    let mut words = forms.into_iter().zip(items.iter().map(|item| item.style));
    let left: Vec<(&str, Style)> = words.by_ref().take(left).collect();
    let right: Vec<(&str, Style)> = words.collect();
    let cells_of_right: u16 = right.iter().map(|(words, _)| cells(words) + apart).sum();
    let (line, mut rest) = header.split_left((header.width + apart).saturating_sub(cells_of_right));
    let mut targets = Vec::with_capacity(sums.len());
    for (index, (words, style)) in right.into_iter().enumerate() {
        put(buffer, rest, words, style);
        let (place, behind) = rest.split_left(cells(words) + apart);
        targets.extend(sums.get(index).map(|sum| (place, *sum)));
        rest = behind;
    }
    let mut x = 0;
    let mut room = line.width;
    for (words, style) in left {
        // A sign alone would not say what is wrong.
        let is_failing = matches!(shared.service.connection, Connection::Failing(..));
        let words = match usize::from(room.saturating_sub(apart)) {
            room if text::width(words) <= room => words.to_owned(),
            ..LEAST_LABEL if is_failing => words.chars().take(2).chain("fails".chars()).collect(),
            room => text::fit(words, room),
        };
        x += apart + put(buffer, line.at(x, 0), &words, style);
        room = line.width.saturating_sub(x);
    }
    // The base URL has what is left.
    if !shared.service.source.is_embedded() && room > LEAST_ADDRESS + apart {
        let address = text::fit(&shared.service.address, usize::from(room - apart));
        put(buffer, line.at(x, 0), &address, theme.dim());
    }
    targets
}

/// The time with its zone. Minutes are enough: seconds would cost a redraw each second.
/// Over a list of the past it says that the counts are of now.
fn clock(shared: &Shared, width: u16) -> Text {
    let moment = shared.times().moment(shared.now.floor());
    let minutes = moment.rsplit_once(':').map_or("", |(minutes, _)| minutes);
    let time = minutes.rsplit_once(' ').map_or(minutes, |(_, time)| time);
    let now = shared.past_moment().map_or("", |_| "now ");
    let [long, short] =
        [minutes, time].map(|at| format!("{now}{at} {}", shared.times().zone_name()));
    match width {
        ..WITH_DATE => short.into(),
        _ => Text::from(long).or(short),
    }
}

/// The statuses that are counted, the worst first.
const COUNTED: [State; 5] = [
    State::Lost,
    State::Overdue,
    State::Late,
    State::Unknown,
    State::OnTime,
];

/// The counts that are not 0, each with the sign that the rows have for it.
fn counts(shell: &Shell, theme: Theme, is_wide: bool) -> Vec<(Sum, Text, Style)> {
    let shared = &shell.shared;
    let list = &shared.deployments.list;
    let health: Vec<Health> = list.iter().map(|row| row.health(shared.now)).collect();
    let is_over = |health: &&Health| {
        matches!(
            health.state,
            State::Recovered | State::DeclaredLost | State::Ended | State::Read
        )
    };
    // Those that are expected to report, and those of unknown status.
    let all = health.len() - health.iter().filter(is_over).count();
    let of_state = |state: State| {
        // Unknown only where a report was due.
        let is_counted = |health: &&Health| {
            health.state == state && (state != State::Unknown || health.is_missed())
        };
        let count = health.iter().filter(is_counted).count();
        // None on time is not good, whether they are late or nothing is known of them.
        let is_none = state == State::OnTime && count == 0;
        let (sign, style) = theme.state(if is_none { State::Unknown } else { state });
        let number = text::count(count);
        let word = match state {
            State::Unknown => NOT_KNOWN,
            state => state.word(),
        };
        let words = format!("{sign} {number} {word}");
        let text = match state {
            State::Lost | State::Overdue => words.into(),
            State::OnTime => {
                let of = format!("{sign} {number} of {}", text::count(all));
                let word = if is_wide { state.word() } else { "" };
                Text::from(format!("{of} {word}").trim_end()).or(of)
            }
            _ => Text::from(words).or(format!("{sign}{number}")),
        };
        // "All on time" is shown too.
        let is_said = count > 0 || state == State::OnTime && all > 0;
        is_said.then_some((Sum::Status(state), text, style))
    };
    let mut counts: Vec<(Sum, Text, Style)> = COUNTED.into_iter().filter_map(of_state).collect();
    let mut count = |sum, (sign, style): (&str, Style), count: usize, said: &str| {
        let short = format!("{sign}{}", text::count(count));
        counts.push((sum, Text::from(format!("{sign} {said}")).or(short), style));
    };
    let [raised, acknowledged, snoozed] = [
        AlarmState::Raised,
        AlarmState::Acknowledged,
        AlarmState::Snoozed,
    ]
    .map(|state| shared.alarms.count(state, shared.now));
    if raised > 0 {
        let sign = words::sign(AlarmState::Raised, theme);
        let said = text::counted(raised, "alarm", "alarms");
        count(Sum::Alarms, sign, raised, &said);
    }
    if acknowledged + snoozed > 0 {
        let sign = words::sign(AlarmState::Acknowledged, theme);
        let said = text::counts(&[(acknowledged, "acknowledged"), (snoozed, "snoozed")]);
        count(Sum::Alarms, sign, acknowledged + snoozed, &said);
    }
    let unjudged = list.iter().filter(|row| !row.unjudged.is_empty()).count();
    if unjudged > 0 {
        let sign = words::unjudged_sign(theme);
        let said = format!("{} not judged", text::count(unjudged));
        count(Sum::Unjudged, sign, unjudged, &said);
    }
    let unknown = shell.tabs.plants.count(Existence::Unknown);
    if unknown > 0 {
        let said = text::counted(unknown, "plant unknown", "plants unknown");
        count(Sum::Plants, ("?", theme.warning()), unknown, &said);
    }
    counts
}

/// The name of the program, the profile, the connection, and what is unusual about it.
fn connection(shared: &Shared, is_wide: bool, theme: Theme) -> Vec<Item> {
    let name = text::fit(&shared.settings.profile, 24);
    let profile = if is_wide {
        Text::from(format!("{NAME} {name}")).or(name)
    } else {
        name.into()
    };
    let style = match shared.service.source {
        TrackSource::Demo => theme.warning(),
        _ => theme.text(),
    };
    let (mark, label, sign_style) = connection::sign::sign(shared, theme);
    let short = text::fit(&format!("{mark} {}", label.shortest()), LABEL_CELLS);
    let label = Text::from(format!("{mark} {}", label.long)).or(short);
    let mut items = vec![
        Item::new(profile, style, PROGRAM),
        Item::new(label, sign_style, LABEL),
    ];
    if shared.deployments.paused {
        items.push(Item::new("paused", theme.warning(), 0));
    }
    let warning = shared.service.warning.iter();
    items.extend(warning.map(|warning| Item::new(text::fit(warning, 60), theme.bad(), 0)));
    items
}
