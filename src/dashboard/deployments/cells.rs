//! The first and the last cell of a row: its letter on the map of several with the signs of
//! its status, of an alarm and of a failed refresh; and the state of its request.

use ratatui::style::Modifier;

use super::deployment::DeploymentState;
use crate::alarm::Length;
use crate::dashboard::alarms::words;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::table::{Cell, Look};
use crate::dashboard::{format, progress};
use crate::failure::FailureKind;
use crate::palette::track_letters;
use crate::text;
use crate::track::{State, time};

/// If there is room for the word of the status: on a screen of 100 columns, of which the
/// frame has four.
pub(super) fn has_room_for_word(look: &Look<'_, Shared>) -> bool {
    look.width >= 96
}

/// The cells of the signs of a status, of an alarm and of a failed refresh: the columns behind
/// them do not move with the first alarm or failure.
const SIGNS: u16 = 3;

/// The cells of "not judged": the columns behind it do not move when a status changes. Where no
/// other column names the field of a limit, one more for "below batt…".
const WORD: u16 = 10;

/// If the status has the kind of an alarm next to it: a wider list has a column of alarms.
fn is_named_here(look: &Look<'_, Shared>) -> bool {
    look.width < 130
}

/// The cells of the status, and of the status with the kind of an alarm.
pub(super) fn status_cells(look: &Look<'_, Shared>) -> [u16; 2] {
    let signs = SIGNS + letter_cells(look);
    let widest = &look.model.deployments.widest;
    let (both, least) = if is_named_here(look) {
        (widest.both, WORD + 1)
    } else {
        (0, WORD)
    };
    if has_room_for_word(look) {
        [widest.status, widest.words.max(both)].map(|words| signs + 1 + words.max(least))
    } else {
        [signs; 2]
    }
}

/// The sign of the status, those of an alarm and of a failed refresh, and if they fit the words of
/// the status or of the alarm.
pub(super) fn status(deployment: &DeploymentState, look: &Look<'_, Shared>) -> Cell {
    let theme = look.theme;
    let now = look.model.now;
    let state = deployment.health(now).state;
    let (sign, style) = theme.state(state);
    let mut cell = Cell::default();
    if letter_cells(look) > 0 {
        let letter = deployment
            .mark
            .map_or_else(|| " ".to_owned(), track_letters);
        let style = deployment
            .mark
            .map_or(theme.text(), |mark| theme.track(mark))
            .add_modifier(Modifier::BOLD);
        cell = cell.then(letter, style).then(" ", theme.text());
    }
    cell = cell.then(sign, style);
    let mut missing = SIGNS - 1;
    let alarm = deployment.alarm(now);
    let alarm_sign = alarm.map(|(_, alarm)| words::sign(alarm, theme));
    let unjudged = (!deployment.unjudged.is_empty()).then(|| words::unjudged_sign(theme));
    let flagged = alarm_sign.or(unjudged);
    if let Some((flag, style)) = flagged {
        cell = cell.then(flag, style);
        missing -= 1;
    }
    // Of a deployment without data the error itself is in the row.
    if deployment.track.failure.is_some() && deployment.track.has_data() {
        let (failed, style) = theme.refresh_failed();
        cell = cell.then(failed, style);
        missing -= 1;
    }
    if !has_room_for_word(look) {
        return cell;
    }
    let words = deployment.status_or_trouble(now);
    let trouble = deployment.trouble(now);
    let flag_style = flagged.map_or(style, |(_, style)| style);
    let is_trouble = trouble.as_ref() == Some(&words);
    let words_style = if is_trouble { flag_style } else { style };
    let cell = cell.then(" ".repeat(usize::from(missing) + 1) + &words, words_style);
    match trouble.filter(|_| !is_trouble && is_named_here(look)) {
        Some(trouble) => cell.then(format!(" {trouble}"), flag_style),
        None => cell,
    }
}

/// The cells of the letters that marked rows have on the map of several, with a blank.
pub(super) fn letter_cells(look: &Look<'_, Shared>) -> u16 {
    let mut list = look.model.deployments.list.iter();
    2 * u16::from(list.any(|deployment| deployment.mark.is_some()))
}

/// The load in progress, its failure, the numbers of an alarm, the additions of the last
/// refresh, or the time of the next one.
pub(crate) fn update(deployment: &DeploymentState, look: &Look<'_, Shared>) -> Cell {
    let model = look.model;
    let theme = look.theme;
    if let Some(loading) = deployment.track.loading {
        let progress = loading.progress;
        let bytes = match progress.bytes {
            0 => String::new(),
            bytes => format!(" {}", progress::received(bytes, progress.total)),
        };
        let words = format!("{} loading{bytes}", progress::spinner(model.now, theme));
        return Cell::new(words, theme.text());
    }
    if let Some((failure, _)) = &deployment.track.failure {
        let style = format::failed_style(failure, theme);
        let (why, short) = match failure.kind {
            // The next step is what the user needs to know, and the same in each row.
            FailureKind::NotAuthenticated => {
                let key = model.key_of(Action::Login);
                (format!("{key} enters a token"), format!("{key} token"))
            }
            _ => (format::why_failed(failure), format::failed_shortly(failure)),
        };
        return Cell::new(why, style).or(short);
    }
    if let Some((alarm, state)) = deployment.alarm(model.now) {
        let (flag, style) = words::sign(state, theme);
        let words = words::text(alarm, Length::Line, model);
        let name = alarm.name();
        return Cell::new(format!("{flag} {words}"), style).or(format!("{flag} {name}"));
    }
    if let Some(why) = deployment.unjudged.first() {
        let (sign, style) = words::unjudged_sign(theme);
        // The sentence begins with the limit; a colon comes before the reason.
        let limit = why.split(": ").next().unwrap_or(why);
        return Cell::new(format!("{sign} {limit}"), style).or(format!("{sign} not judged"));
    }
    if let Some(delta) = deployment.delta.filter(|delta| delta.new > 0) {
        let backfilled = match delta.backfilled {
            0 => String::new(),
            count => format!(", {} backfilled", text::count(count)),
        };
        let new = crate::text::counted(delta.new, "fix", "fixes");
        return Cell::new(format!("+{new}{backfilled}"), theme.good());
    }
    let state = deployment.health(model.now).state;
    if matches!(state, State::Overdue | State::Lost)
        && let Some(limit) = words::allowed_age(deployment, model.now)
    {
        let words = format!("within its max age {}", time::whole_duration(limit));
        return Cell::new(words, theme.dim());
    }
    let next = format::next_fix(model, deployment).unwrap_or_default();
    Cell::new(&next.long, theme.dim()).or(next.shortest())
}
