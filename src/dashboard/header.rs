//! The first line: profile, connection and address, and whether all is well.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::alarms::words;
use super::attention::Attention;
use super::connection::{self, Connection};
use super::format;
use super::layout::{Area, Parts};
use super::shared::TrackSource;
use super::shell::Shell;
use super::targets::Sum;
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::sheet::cells;
use crate::alarm::AlarmState;
use crate::dashboard::shared::Shared;
use crate::plant::state::State as Existence;
use crate::text;
use crate::track::State;

/// The narrowest screens with "on time" after its number, and with the date before the
/// time.
const IN_WORDS: u16 = 80;
const WITH_DATE: u16 = 120;

/// The name of the program.
const NAME: &str = "driftline";

/// A label of the connection in fewer cells than this says nothing.
const LEAST_LABEL: usize = 8;

/// A count of the header, in words and as short as it may be.
struct Piece {
    words: [String; 2],
    style: Style,
    sum: Sum,
}

/// Draws the header: profile, connection and base URL on the left, on the right how many
/// deployments are lost, overdue, late and on time, the alarms, and the time. Returns the
/// counts, which can be clicked.
pub(crate) fn draw(
    buffer: &mut Buffer,
    area: Area,
    shell: &Shell,
    theme: Theme,
) -> Vec<(Area, Sum)> {
    let clock = clock(&shell.shared, area.width);
    let (before_clock, right) = area.split_left(area.width.saturating_sub(cells(&clock) + 1));
    put(buffer, right.at(1, 0), &clock, theme.dim());
    let pieces = pieces(shell, theme);
    let (left, targets) = sum(buffer, before_clock, &pieces, &shell.shared, theme);
    connection(buffer, left, &shell.shared, theme);
    targets
}

/// The time with its zone. Minutes are enough: seconds would cost a redraw each second.
/// Over a list of the past it says that the counts are of now.
fn clock(shared: &Shared, width: u16) -> String {
    let moment = format::moment(shared, shared.now.floor());
    let minutes = moment.rsplit_once(':').map_or("", |(minutes, _)| minutes);
    let shown = if width < WITH_DATE {
        minutes.rsplit_once(' ').map_or(minutes, |(_, time)| time)
    } else {
        minutes
    };
    let now = shared.past_moment().map_or("", |_| "now ");
    format!("{now}{shown} {}", format::zone(shared))
}

/// The counts that are not 0, each with the sign that the rows have for it.
fn pieces(shell: &Shell, theme: Theme) -> Vec<Piece> {
    let attention = Attention::new(&shell.shared);
    let of_state = |(state, count): (State, usize)| {
        // None on time is not good, whether they are late or nothing is known of them.
        let is_none = state == State::OnTime && count == 0;
        let (sign, style) = theme.state(if is_none { State::Unknown } else { state });
        let number = text::count(count);
        let words = format!("{sign} {number} {}", state.word());
        let words = match state {
            State::Lost | State::Overdue => [words.clone(), words],
            State::OnTime => {
                let of = format!("{sign} {number} of {}", text::count(attention.all));
                [format!("{of} {}", state.word()), of]
            }
            _ => [words, format!("{sign}{number}")],
        };
        // "All on time" is shown too.
        let is_said = count > 0 || state == State::OnTime && attention.all > 0;
        let sum = Sum::Status(state);
        is_said.then_some(Piece { words, style, sum })
    };
    let mut pieces: Vec<Piece> = attention.counts().filter_map(of_state).collect();
    let counted = |(sign, style): (&str, Style), count: usize, said: &str, sum| Piece {
        words: [
            format!("{sign} {said}"),
            format!("{sign}{}", text::count(count)),
        ],
        style,
        sum,
    };
    let alarms = attention.alarms;
    if alarms.raised > 0 {
        let sign = words::sign(AlarmState::Raised, theme);
        let said = text::counted(alarms.raised, "alarm", "alarms");
        pieces.push(counted(sign, alarms.raised, &said, Sum::Alarms));
    }
    let known = alarms.acknowledged + alarms.snoozed;
    if known > 0 {
        let sign = words::sign(AlarmState::Acknowledged, theme);
        let counts = [
            (alarms.acknowledged, "acknowledged"),
            (alarms.snoozed, "snoozed"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        pieces.push(counted(sign, known, &counts.join(", "), Sum::Alarms));
    }
    let unjudged = attention.unjudged;
    if unjudged > 0 {
        let sign = words::unjudged_sign(theme);
        let said = format!("{} not judged", text::count(unjudged));
        pieces.push(counted(sign, unjudged, &said, Sum::Unjudged));
    }
    let unknown = shell.tabs.plants.count(Existence::Unknown);
    if unknown > 0 {
        let said = text::counted(unknown, "plant unknown", "plants unknown");
        let sign = ("?", theme.warning());
        pieces.push(counted(sign, unknown, &said, Sum::Plants));
    }
    pieces
}

/// Draws the counts at the end of a line; returns the rest of the line, and where each
/// count is. Counts that do not fit are shortened from the end; lost and overdue never
/// are.
fn sum(
    buffer: &mut Buffer,
    line: Area,
    pieces: &[Piece],
    shared: &Shared,
    theme: Theme,
) -> (Area, Vec<(Area, Sum)>) {
    let is_wide = shared.screen.width >= IN_WORDS;
    let apart = if is_wide { 2 } else { 1 };
    // Leaves room for the profile and the connection.
    let (_, labels, _) = connection::sign::sign(shared, theme);
    let label = if shared.screen.width < WITH_DATE {
        labels.last()
    } else {
        labels.first()
    };
    let profile = cells(&shared.settings.profile).min(24);
    let beside = if is_wide {
        5 + profile + label.map_or(0, |label| cells(label)).min(36)
    } else {
        0
    };
    let width = |lengths: &[usize]| -> u16 {
        let words = pieces.iter().zip(lengths);
        let words = words.filter_map(|(piece, length)| piece.words.get(*length));
        words.map(|words| cells(words) + apart).sum()
    };
    let mut lengths = vec![usize::from(!is_wide); pieces.len()];
    for index in (0..pieces.len()).rev() {
        if width(&lengths) + beside > line.width
            && let Some(length) = lengths.get_mut(index)
        {
            *length = 1;
        }
    }
    let (left, mut rest) = line.split_left(line.width.saturating_sub(width(&lengths)));
    let mut targets = Vec::with_capacity(pieces.len());
    for (piece, length) in pieces.iter().zip(&lengths) {
        let words = piece.words.get(*length).map_or("", String::as_str);
        let (place, behind) = rest.split_left(cells(words) + apart);
        put(buffer, place, words, piece.style);
        targets.push((place, piece.sum));
        rest = behind;
    }
    (left, targets)
}

/// Draws the name of the program, the profile, the connection and the address, as far as
/// there is room.
fn connection(buffer: &mut Buffer, line: Area, shared: &Shared, theme: Theme) {
    let mut x = 0;
    let profile = text::fit(&shared.settings.profile, 24);
    let (mark, labels, sign_style) = connection::sign::sign(shared, theme);
    // The name of the program gives way to the words of the connection.
    let longest = labels.first().map_or(0, |label| cells(label));
    let named = cells(NAME) + 1 + cells(&profile) + 5 + longest;
    if shared.screen.width >= IN_WORDS && named <= line.width {
        x = 1 + put(buffer, line, NAME, theme.text());
    }
    let style = if shared.service.source == TrackSource::Demo {
        theme.warning()
    } else {
        theme.text()
    };
    x += put(buffer, line.at(x, 0), &profile, style);
    x += 2 + put(buffer, line.at(x + 2, 0), mark, sign_style);
    let room = |x: u16| usize::from(line.width.saturating_sub(x));
    // The first that fits, else the shortest, cut at its end if that leaves words.
    let label = labels
        .iter()
        .find(|label| text::width(label) <= room(x + 2));
    let shortest = labels.last().filter(|_| room(x + 2) >= LEAST_LABEL);
    // A sign alone would not say what is wrong.
    let is_failing = matches!(shared.service.connection, Connection::Failing(..));
    let least = if is_failing { "fails" } else { "" };
    let label = label.or(shortest).map_or(least, String::as_str);
    x += 1 + put(
        buffer,
        line.at(x + 1, 0),
        &text::fit(label, room(x + 2)),
        sign_style,
    );
    if shared.deployments.paused {
        x += 2 + put(buffer, line.at(x + 2, 0), "paused", theme.warning());
    }
    if let Some(warning) = &shared.service.warning {
        x += 2 + put(
            buffer,
            line.at(x + 2, 0),
            &text::fit(warning, 60),
            theme.bad(),
        );
    }
    // The base URL comes last: it is cut first if there is no room.
    let room = room(x + 4);
    if !shared.service.source.is_embedded() && room > 12 {
        let address = text::fit(&shared.service.address, room);
        put(buffer, line.at(x + 2, 0), &address, theme.dim());
    }
}
