//! The layers of the two maps: tracks, instruments, and the circles around fixes.

use super::clusters::{Cluster, Placed, placed};
use super::content::{Content, Drawn, OfTrack};
use super::signs::is_silent;
use crate::dashboard::shared::Shared;
use crate::geo::Position;
use crate::map::{Class, LayerTrack, Layers, PreparedTrack, RoundLength, SearchArea, View};
use crate::palette::track_letters;
use crate::text;
use crate::track::quality::LocationClass;

/// Longest name of an instrument on a map of this many columns, in cells: a quarter
/// of it, from 20 to 32. That of the selected one is whole.
fn name_cells(columns: u16) -> usize {
    usize::from(columns / 4).clamp(20, 32)
}

/// The narrowest map of a search with the time at which the ship is there: the card has it, too.
const WITH_TIME: u16 = 60;
/// Length of the line that an instrument draws on the world map, seconds: seven
/// days.
const TAIL_S: f64 = 7.0 * 86_400.0;
/// Most points of all these lines together, so that the time of a frame does
/// not depend on the number of fixes.
const TAIL_POINTS: usize = 4096;

/// The open track, those on its map, and the other deployments.
pub(super) fn track_layers<'a>(
    content: &'a Content<'a>,
    of: &'a OfTrack<'a>,
) -> (Layers<'a>, Vec<Cluster>) {
    let Content { shared, view, .. } = content;
    let drawn = &of.drawn;
    let cursor = of.cursor;
    let here = cursor.map(|fix| fix.position);
    let measure = match of.marks {
        (Some(from), Some(to)) => Some((from.position, to.position)),
        (Some(from), None) => here.map(|here| (from.position, here)),
        _ => None,
    };
    let listed = shared.deployments.list.iter().enumerate();
    let is_drawn = |uuid| drawn.iter().any(|drawn| drawn.deployment.uuid() == uuid);
    let not_drawn = listed.filter(|(_, deployment)| {
        let uuid = deployment.uuid();
        Some(uuid) != shared.deployments.open && !is_drawn(uuid)
    });
    let others = not_drawn.filter_map(|(index, deployment)| {
        let latest = deployment.latest()?;
        Some((index, latest.position, deployment.harm(shared.now)))
    });
    let Placed { single, clusters } = placed(view, others, here);
    let instruments = single.into_iter().filter_map(|(index, position)| {
        let whole = shared.deployments.list.get(index)?.name();
        let name = text::fit_name(&whole, name_cells(view.columns));
        Some((index, position, name))
    });
    let mut cursor_label = cursor.map_or_else(String::new, |fix| match shared.map.sought.picture {
        Some(_) => "last fix".to_owned(),
        None => shared.times().short_moment(fix.time_stamp),
    });
    let mut search = search_area(shared, view);
    if let (Some(area), Some(here)) = (&mut search, here) {
        let mut all = vec![(Class::Cursor, here, cursor_label)];
        all.append(&mut area.marks);
        let mut apart = joined(view, all).into_iter();
        cursor_label = apart.next().map(|(_, _, label)| label).unwrap_or_default();
        area.marks = apart.collect();
    }
    let layers = Layers {
        tracks: drawn
            .iter()
            .map(|drawn| layer_track(drawn, content, of.moment))
            .collect(),
        cursor: here,
        cursor_label,
        rings: rings(content, of),
        search,
        inside: shared.inside().into_iter().collect(),
        measure,
        instruments: instruments.collect(),
        overlays: (&shared.map.overlays, of.moment.unwrap_or(shared.now)),
        ..Layers::default()
    };
    (layers, clusters)
}

/// The track of a deployment as it is drawn. Among several it has its name, after its
/// letter if a cross replaces that, and its position at the moment of the cursor.
fn layer_track<'a>(
    drawn: &Drawn<'a>,
    content: &Content<'_>,
    moment: Option<f64>,
) -> LayerTrack<'a> {
    let shared = content.shared;
    let track = drawn.track.as_ref();
    let Some(mark) = drawn.mark else {
        return LayerTrack::alone(track);
    };
    let name = text::fit_name(&drawn.deployment.name(), name_cells(content.view.columns));
    let is_open = Some(drawn.deployment.uuid()) == shared.deployments.open;
    let moment = moment.filter(|_| !is_open);
    let fix_then = moment.and_then(|moment| track.latest_at(moment));
    let latest = track.latest().map(|fix| fix.index);
    let then = fix_then.filter(|fix| Some(fix.index) != latest);
    LayerTrack {
        track,
        name: if is_silent(drawn, shared) {
            format!("{} {name}", track_letters(mark))
        } else {
            name
        },
        moment: then.map(|fix| fix.position),
    }
}

/// The deployments that pass the filter, the selected one last and so on top, with their
/// tracks of the last days; and those that meet.
pub(super) fn world_layers<'a>(
    content: &'a Content<'a>,
    order: &[usize],
) -> (Layers<'a>, Vec<Cluster>) {
    let Content { shared, view, .. } = content;
    let tab = &shared.deployments;
    let chosen = content.selected();
    // The first row is the most important one: it is drawn late.
    let lowest_first = order.iter().rev().copied();
    let not_chosen = lowest_first.filter(|index| Some(*index) != chosen);
    let with_fix = |index: usize| {
        let deployment = tab.list.get(index)?;
        Some((deployment, deployment.latest()?))
    };
    let others = not_chosen.filter_map(|index| {
        let (deployment, latest) = with_fix(index)?;
        Some((index, latest.position, deployment.harm(shared.now)))
    });
    let selected = chosen.and_then(|index| Some((index, with_fix(index)?.1.position)));
    let over = selected.map(|(_, position)| position);
    let Placed { single, clusters } = placed(view, others, over);
    let room = TAIL_POINTS / (single.len() + 2);
    let mut layers = Layers {
        fix_dots: shared.map.fix_dots,
        // On a map of the past its moment is the time of all.
        overlays: (&shared.map.overlays, shared.now),
        ..Layers::default()
    };
    for (index, position) in single.into_iter().chain(selected) {
        let Some((deployment, latest)) = with_fix(index) else {
            continue;
        };
        let name = if Some(index) == chosen {
            deployment.name()
        } else {
            text::fit_name(&deployment.name(), name_cells(view.columns))
        };
        layers.instruments.push((index, position, name));
        let tail = match (deployment.track.get(), deployment.overview()) {
            (Some(track), _) => tail(track, latest.time_stamp, room),
            (None, Some(overview)) => overview.line().collect(),
            (None, None) => Vec::new(),
        };
        layers.tails.push((index, tail));
    }
    (layers, clusters)
}

/// The included positions of the last days before the latest fix: all, or about
/// `most` of them, evenly spread.
fn tail(track: &PreparedTrack, latest: f64, most: usize) -> Vec<Position> {
    let from = track.count_before(latest - TAIL_S);
    let stride = (track.len() - from).div_ceil(most.max(2)).max(1);
    // Counted from the end, so that the latest fix is one of them.
    let fixes = (from..track.len()).rev().step_by(stride);
    let included = fixes.filter(|fix| track.is_included(*fix));
    let mut positions: Vec<Position> = included.map(|fix| track.position(fix)).collect();
    positions.reverse();
    positions
}

/// The picture of a search, once it was answered: circles that are wider than a cell, and the
/// way of the own ship to where it meets the instrument, else to where that is now.
fn search_area(shared: &Shared, view: &View) -> Option<SearchArea> {
    let sought = &shared.map.sought;
    let open = shared.deployments.open.filter(|_| sought.picture.is_some());
    let known = shared.whereabouts(open?)?;
    let found = known.found.as_ref().ok();
    let position = found.map(|found| found.position);
    let target = position.or(known.fix.map(|fix| fix.position));
    let course = sought.course(shared.now);
    let meeting = course.and_then(|course| course.intercept);
    let ship = sought.ship(shared.now).map(|ship| ship.position);
    let circle = |radius_m: f64, share: &str| {
        let length = shared.settings.units.estimate(radius_m);
        (radius_m, format!("{share} {length}"))
    };
    let both = found.map(|found| [circle(found.r50_m, "50 %"), circle(found.r90_m, "90 %")]);
    let circles = both.into_iter().flatten();
    let is_wide = |(radius_m, _): &(f64, String)| *radius_m > view.metres_a_column;
    let now = match sought.past {
        Some(past) => shared.times().minute(past),
        None => "now".to_owned(),
    };
    let meets = |at| match view.columns {
        0..WITH_TIME => "meets".to_owned(),
        _ => format!("meets {}", shared.times().minute(at)),
    };
    let marks = [
        position.map(|position| (Class::Measure, position, now)),
        meeting.map(|meeting| (Class::Meeting, meeting.position, meets(meeting.at))),
        ship.map(|ship| (Class::OwnShip, ship, "own ship".to_owned())),
    ];
    Some(SearchArea {
        way: known.way(),
        circles: circles.filter(is_wide).collect(),
        course: ship.zip(meeting.map(|meeting| meeting.position).or(target)),
        marks: marks.into_iter().flatten().collect(),
    })
}

/// Marks of a search, of which one that lies within two cells of one before it gives that its
/// label: next to its own sign it would be at the other's. Its sign stays.
fn joined(view: &View, marks: Vec<(Class, Position, String)>) -> Vec<(Class, Position, String)> {
    /// Columns and rows from one to the other.
    const NEAR: (f64, f64) = (2.0, 1.0);
    let are_near = |position: Position, other: Position| {
        let cells = view.cell(position).zip(view.cell(other));
        cells.is_some_and(|(a, b)| (a.0 - b.0).abs() <= NEAR.0 && (a.1 - b.1).abs() <= NEAR.1)
    };
    let mut all: Vec<(Class, Position, String)> = Vec::new();
    for (class, position, label) in marks {
        let mut known = all.iter_mut();
        let label = match known.find(|(_, other, _)| are_near(*other, position)) {
            Some((_, _, words)) => {
                *words = format!("{words} · {label}");
                String::new()
            }
            None => label,
        };
        all.push((class, position, label));
    }
    all
}

/// The rings around the cursor: the error of an Argos position, if wider than a cell,
/// and three range rings at round distances that fit on the map.
fn rings(content: &Content<'_>, of: &OfTrack<'_>) -> Vec<(f64, String)> {
    let Content { shared, view, .. } = content;
    let across = f64::from(view.columns).min(f64::from(view.rows) * view.cell_aspect);
    let step = RoundLength::at_most(view.metres_a_column * across / 6.5, shared.settings.units);
    let radii = (1..=3).filter(|_| of.rings).map(|ring| step.times(ring));
    let round = radii.map(|radius| (radius.metres, radius.to_string()));
    let at_cursor = of.shown.zip(of.cursor);
    let class = at_cursor.and_then(|(track, fix)| track.location_class(fix.index));
    let radius_m = class.map(LocationClass::error_m);
    let error_m = radius_m.filter(|error_m| *error_m > view.metres_a_column);
    let error = error_m.map(|metres| {
        let words = format!("error {}", shared.settings.units.distance(metres));
        (metres, words)
    });
    error.into_iter().chain(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_a_search_that_is_hidden_by_another_gives_that_its_label() {
        let view = View::world(160, 40, 2.0);
        let at = |x: f64, y: f64| view.position_at(x, y).unwrap();
        let mark = |class, x, y, label: &str| (class, at(x, y), label.to_owned());
        let marks = vec![
            mark(Class::Cursor, 80.5, 20.5, "last fix"),
            mark(Class::Measure, 81.5, 20.5, "now"),
            mark(Class::Meeting, 82.0, 21.0, "meets 01:10"),
            mark(Class::OwnShip, 90.5, 20.5, "own ship"),
        ];
        let joined: Vec<(Class, String)> = joined(&view, marks)
            .into_iter()
            .map(|(class, _, label)| (class, label))
            .collect();
        let expected = [
            (Class::Cursor, "last fix · now · meets 01:10".to_owned()),
            (Class::Measure, String::new()),
            (Class::Meeting, String::new()),
            (Class::OwnShip, "own ship".to_owned()),
        ];
        assert_eq!(joined, expected);
    }
}
