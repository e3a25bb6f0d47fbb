//! The captions of the map as a whole: projection, scale bar, north, the cursor's fix, and the
//! colour scale.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::content::{Content, Of, OfTrack};
use super::labels::Labels;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::Pane;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::{Pieces, cells_of_pieces, put, put_pieces};
use crate::dashboard::widgets::sheet::cells;
use crate::dashboard::widgets::text::{Item, Text, line};
use crate::geo::Position;
use crate::geo::projection::Projection;
use crate::map::fields::{Scale, VaryingField};
use crate::map::{ColourBy, LineColour, RoundLength, View};
use crate::palette::track_letters;
use crate::text;
use crate::track::{Flag, time};

/// Cells of the colour scale, and of those in a narrow map.
const SCALE_CELLS: u32 = 8;
const NARROW_SCALE_CELLS: [u32; 3] = [4, 3, 2];

/// Draws scale, north and cursor into the upper line of the frame, and a legend that has
/// no place on the map: the line below the map is for degrees of longitude alone.
pub(super) fn draw(
    buffer: &mut Buffer,
    layout: &Layout,
    content: &Content<'_>,
    legend: &Legend,
    theme: Theme,
) {
    let frame = layout.frame(Pane::Map);
    let (name, words) = name_and_title(content, frame.width, theme);
    // Corners, strokes and blanks.
    let used = cells(&name) + name_gap(&name) + cells(&words) + 8;
    let all = frame.width.saturating_sub(used);
    let needed = cells_of_pieces(&legend.in_title, 0);
    let own = if needed + 2 <= all { needed } else { 0 };
    let room = all - if own > 0 { own + 2 } else { 0 };
    let fitted = |items: &[Item]| -> Pieces {
        let forms = line(items, room, 2).into_iter().zip(items);
        let shown = forms.filter(|(words, _)| !words.is_empty());
        shown
            .map(|(words, item)| (words.to_owned(), item.style))
            .collect()
    };
    let mut items = items(content, theme);
    let mut pieces = fitted(&items);
    if cells_of_pieces(&pieces, 2) > room {
        // Where the shortest bar is too long, north is still there.
        items.remove(0);
        pieces = fitted(&items);
    }
    right_aligned(buffer, frame, &pieces, 2);
    if own > 0 {
        let beside = cells_of_pieces(&pieces, 2) + 2;
        let (left, _) = frame.split_left(frame.width.saturating_sub(beside));
        right_aligned(buffer, left, &legend.in_title, 0);
    }
}

/// The captions of the tracks on a map.
#[derive(Default)]
pub(super) struct Legend {
    /// The lines that have cells of the map where they hide nothing, and these cells.
    pub on_map: Vec<(Area, Vec<Pieces>)>,
    /// The words that have none, for the upper line of the frame.
    in_title: Pieces,
}

/// How many failed fixes are not on the map, with the key that shows them.
fn beyond(content: &Content<'_>, of: &OfTrack<'_>, failed: usize, theme: Theme) -> Option<Pieces> {
    let action = if of.is_fitted {
        Action::FailedFixes
    } else {
        Action::Fit
    };
    let key = content.shared.key_of(action);
    let (sign, style) = theme.flag(Flag::Fail);
    let words = format!("{sign} {} beyond the view: {key}", text::count(failed));
    (failed > 0 && of.shows_flagged).then(|| vec![(words, style)])
}

/// The colour scale of the track, or a line for each of several tracks; and how many failed fixes
/// are not on the map.
pub(super) fn track_legend(
    content: &Content<'_>,
    failed_beyond: usize,
    theme: Theme,
    area: Area,
    labels: &mut Labels<'_>,
) -> Legend {
    let Some(of) = content.track() else {
        return Legend::default();
    };
    let together = content.shared.together();
    let are_several = together.len() > 1;
    let has_room = area.height >= 6 && area.width >= 24;
    let beyond = beyond(content, of, failed_beyond, theme);
    let lines = if !has_room {
        Vec::new()
    } else if are_several {
        names_of_several(&together, content, of, theme, area)
    } else {
        let fits = |pieces: &Pieces| cells_of_pieces(pieces, 0) + 1 < area.width;
        let widths = std::iter::once(SCALE_CELLS).chain(NARROW_SCALE_CELLS);
        let mut scales = widths.map(|cells| scale(content.shared, of, theme, cells));
        scales.find(fits).into_iter().collect()
    };
    let mut legend = Legend::default();
    let longest = lines.iter().map(|pieces| cells_of_pieces(pieces, 0)).max();
    let height = u16::try_from(lines.len()).unwrap_or(area.height);
    // Without colours it may be empty.
    let widest = longest.filter(|cells| *cells > 0);
    match widest.and_then(|widest| labels.clear(widest, height)) {
        Some(place) => legend.on_map.push((place, lines)),
        None if are_several => legend.in_title = letters_of_several(&together, area.width, theme),
        None => legend.in_title = lines.into_iter().flatten().collect(),
    }
    if let Some(beyond) = beyond {
        match labels.clear(cells_of_pieces(&beyond, 0), 1) {
            Some(place) => legend.on_map.push((place, vec![beyond])),
            None if legend.in_title.is_empty() => legend.in_title = beyond,
            None => {}
        }
    }
    legend
}

/// The letters of several tracks with as much of their names as half of a map of this width has
/// room for.
fn letters_of_several(together: &[&DeploymentState], width: u16, theme: Theme) -> Pieces {
    let each = usize::from(width / 2) / together.len().max(1);
    let letter = |deployment: &&DeploymentState| {
        let mark = deployment.mark.unwrap_or(0);
        let style = theme.track(mark).add_modifier(Modifier::BOLD);
        let letters = track_letters(mark);
        let room = each.saturating_sub(letters.len() + 3);
        let name = match room {
            0..4 => String::new(),
            room => format!("{} ", text::fit_name(&deployment.name(), room)),
        };
        [(format!("{letters} "), style), (name, theme.text())]
    };
    together.iter().flat_map(letter).collect()
}

/// The letter, the colour and the name of each of several tracks and the age of its last fix, as
/// many as half of the map has room for.
fn names_of_several(
    together: &[&DeploymentState],
    content: &Content<'_>,
    of: &OfTrack<'_>,
    theme: Theme,
    area: Area,
) -> Vec<Pieces> {
    let shared = content.shared;
    let room = usize::from(area.height / 2).max(3);
    let left = together.len().saturating_sub(room);
    // The last line counts the others.
    let shown = if left > 0 { room - 1 } else { room };
    let names = together.iter().map(|other| text::width(&other.name()));
    let width = names.max().unwrap_or(0).min(usize::from(area.width / 3));
    let moment = of.moment;
    let fix = |deployment: &DeploymentState| {
        let Some(moment) = moment else {
            // The track on the map may end with a time range.
            return deployment.track.get()?.latest();
        };
        let mut drawn = of.drawn.iter();
        let drawn = drawn.find(|drawn| drawn.deployment.uuid() == deployment.uuid())?;
        drawn.track.latest_at(moment)
    };
    let line = |deployment: &&DeploymentState| {
        let mark = deployment.mark.unwrap_or(0);
        let style = theme.track(mark);
        let is_open = Some(deployment.uuid()) == shared.deployments.open;
        // At the cursor, as its mark is.
        let age = fix(deployment).map_or_else(
            || "no fix".to_owned(),
            |fix| time::short_age(fix.time_stamp, moment.unwrap_or(shared.now)),
        );
        let name = text::fit_name(&deployment.name(), width);
        let blanks = " ".repeat(width.saturating_sub(text::width(&name)));
        let of_name = if is_open {
            theme.heading()
        } else {
            theme.text()
        };
        vec![
            (track_letters(mark), style.add_modifier(Modifier::BOLD)),
            (theme.glyph(" ━ ", " = ").to_owned(), style),
            (name, of_name),
            (format!("{blanks} {age:>4}"), theme.dim()),
        ]
    };
    let mut lines: Vec<Pieces> = together.iter().take(shown).map(line).collect();
    if left > 0 {
        let others = format!("and {} more", together.len() - shown);
        lines.push(vec![(others, theme.dim())]);
    }
    lines
}

/// Puts pieces of text, with blanks between them, at the right end of the upper line of
/// a frame.
pub(in crate::dashboard) fn right_aligned(
    buffer: &mut Buffer,
    frame: Area,
    pieces: &[(String, Style)],
    apart: u16,
) {
    if pieces.is_empty() {
        return;
    }
    // A blank before them; behind them a blank, a stroke and a corner.
    let width = cells_of_pieces(pieces, apart);
    let x = frame.width.saturating_sub(width + 4);
    let blanks = " ".repeat(usize::from(width) + 2);
    put(buffer, frame.at(x, 0), &blanks, Style::new());
    put_pieces(buffer, frame.at(x + 1, 0), pieces, apart);
}

/// The blanks and the stroke between a name and a title.
fn name_gap(name: &str) -> u16 {
    if name.is_empty() { 0 } else { 3 }
}

/// The name of the only track on the map, and the title after it, for a frame of this width: the
/// legend has the names of several.
pub(in crate::dashboard) fn name_and_title(
    content: &Content<'_>,
    width: u16,
    theme: Theme,
) -> (String, String) {
    let shared = content.shared;
    let deployment = shared.open_deployment();
    let open = deployment.filter(|_| content.track().is_some() && shared.together().len() < 2);
    let cut = |name: String| text::fit_name(&name, usize::from(width / 3));
    let name = open.map_or_else(String::new, |open| cut(open.name()));
    let room = width.saturating_sub(cells(&name) + name_gap(&name) + 6);
    let beside = items(content, theme);
    let fits = |title: &String| {
        let title = Text::from(title).or("Map");
        let mut all = vec![Item::new(title.clone(), theme.text(), TITLE)];
        all.extend(beside.iter().cloned());
        line(&all, room, 2).first() == Some(&title.long.as_str())
    };
    // The scale says how much of the world it is.
    let short = match content.view.projection {
        Projection::PolarNorth => "polar, north",
        Projection::PolarSouth => "polar, south",
        other => other.name(),
    };
    let titles = [content.view.projection.name(), short]
        .map(|projection| format!("Map {} {projection}", theme.glyph("·", "-")));
    let title = titles.into_iter().find(fits);
    (name, title.unwrap_or_else(|| "Map".to_owned()))
}

/// The rank of the projection in the title.
const TITLE: u8 = 4;

/// The texts after the title of the map: the scale, the direction of north, and on the Track tab
/// the fix under the cursor.
fn items(content: &Content<'_>, theme: Theme) -> Vec<Item> {
    let Content { shared, view, .. } = content;
    let bar = scale_bar(shared, view, theme);
    let mut items = vec![Item::new(bar, theme.text(), TITLE + 1)];
    let mut add = |words: String, style, rank| {
        items.push(Item::new(Text::from(words).or(""), style, rank));
    };
    if let Some(at) = view.scale_latitude() {
        add(format!("at {at}"), theme.text(), TITLE + 2);
    }
    if let Some(north) = north(view, theme) {
        add(format!("N {north}"), theme.dim(), 1);
    }
    let cursor = theme.glyph("◆", "#");
    if let Some(at) = shared.past_moment() {
        let at = shared.times().short_moment(at);
        add(format!("{cursor} {at}"), theme.cursor(), 2);
    }
    if let Of::List { order, .. } = &content.of
        && !order.is_empty()
    {
        let words = format!("{} last fix, line 7 d", theme.glyph("●", "+"));
        add(words, theme.dim(), 3);
    }
    if let Some(fix) = content.track().and_then(|track| track.cursor) {
        let time = shared.times().short_moment(fix.time_stamp);
        add(format!("{cursor} {time}"), theme.heading(), 7);
        add(format::position(shared, fix.position), theme.text(), 8);
    }
    items
}

/// The colour scale with its ends in this many cells. Empty if nothing needs a scale or
/// the terminal has no colours.
fn scale(shared: &Shared, of: &OfTrack<'_>, theme: Theme, scale_cells: u32) -> Pieces {
    let track = of.shown.filter(|track| !track.is_empty());
    let Some(track) = track.filter(|_| theme.can.colour) else {
        return Vec::new();
    };
    let summary = track.summary();
    let moment = |time: Option<f64>| shared.times().moment(time.unwrap_or(0.0));
    let speed = |speed: Option<f64>| shared.settings.units.speed(speed.unwrap_or(0.0));
    let by = &of.line_colour;
    let (from, to) = match by {
        LineColour::By(ColourBy::Time) => time_ends(moment(summary.first), moment(summary.last)),
        LineColour::By(ColourBy::Speed) => ("0".to_owned(), speed(summary.max_speed_m_s)),
        LineColour::By(ColourBy::Flag) => ("pass".to_owned(), "suspect".to_owned()),
        LineColour::Field(shown) => {
            let field = shown.field();
            let (from, to) = scale_ends(field, field.line_scale, theme);
            let mean = if field.is_profile() { "mean " } else { "" };
            (format!("{mean}{from}"), to)
        }
    };
    // A single time has no scale.
    if from == to {
        return Vec::new();
    }
    // Between two flags there is nothing.
    let is_flag = matches!(by, LineColour::By(ColourBy::Flag));
    let last = if is_flag { 1 } else { scale_cells - 1 };
    let step = |step: u32| {
        let share = f64::from(step) / f64::from(last);
        (theme.glyph("▬", "=").to_owned(), theme.line(share))
    };
    let mut pieces = vec![(format!("{from} "), theme.dim())];
    pieces.extend((0..=last).map(step));
    pieces.push((format!(" {to}"), theme.dim()));
    pieces
}

/// The ends of a colour scale over time, both as `Times::moment` writes them: the
/// dates, with the years if they differ, or the times of a single day, with seconds
/// within a minute.
fn time_ends(first: String, last: String) -> (String, String) {
    // 2026-11-20 22:46:05
    let part = |range: Range<usize>| {
        let of = |moment: &str| moment.get(range.clone()).unwrap_or(moment).to_owned();
        (of(&first), of(&last))
    };
    let differs = |range: Range<usize>| {
        let (first, last) = part(range);
        first != last
    };
    let range = if differs(0..4) {
        0..10
    } else if differs(5..10) {
        5..10
    } else if differs(11..16) {
        11..16
    } else {
        11..19
    };
    part(range)
}

/// The ends of the colour scale of a field with its unit. Where values are beyond
/// an end, a sign says so.
pub(in crate::dashboard) fn scale_ends(
    field: &VaryingField,
    scale: Scale,
    theme: Theme,
) -> (String, String) {
    let Scale { extent, low, high } = scale;
    // Few cells are left for it.
    let decimals = field.decimals.min(if high - low >= 10.0 { 1 } else { 2 });
    let number = |value| format::number(value, decimals);
    let less = theme.glyph("≤", "<");
    let more = theme.glyph("≥", ">");
    let below = if extent.low < low { less } else { "" };
    let above = if extent.high > high { more } else { "" };
    let unit = format::unit_of_field(field.name());
    let to = format!("{above}{} {unit}", number(high));
    (format!("{below}{}", number(low)), to.trim_end().to_owned())
}

/// A bar of a round length, correct at the centre of the map: at most a quarter of it, or a ninth.
fn scale_bar(shared: &Shared, view: &View, theme: Theme) -> Text {
    let across = view.metres_a_column * f64::from(view.columns);
    let [long, short] = [4.0, 9.0].map(|part| {
        let length = RoundLength::at_most(across / part, shared.settings.units);
        // A part of the map.
        let columns = ((length.metres / view.metres_a_column).round() as usize).max(2);
        let left = theme.glyph("├", "|");
        let right = theme.glyph("┤", "|");
        let strokes = theme.glyph("─", "-").repeat(columns.saturating_sub(2));
        format!("{left}{strokes}{right} {length}")
    });
    Text::from(long).or(short)
}

/// The direction of north in the middle of the map, to an eighth of a turn;
/// `None` at a pole.
fn north(view: &View, theme: Theme) -> Option<&'static str> {
    const ARROWS: [(&str, &str); 8] = [
        ("↑", "up"),
        ("↗", "up right"),
        ("→", "right"),
        ("↘", "down right"),
        ("↓", "down"),
        ("↙", "down left"),
        ("←", "left"),
        ("↖", "up left"),
    ];
    /// Nearer to a pole than this north changes within the map, degrees.
    const NEAR_A_POLE: f64 = 0.5;
    let centre = view.centre;
    if centre.latitude.abs() > 90.0 - NEAR_A_POLE {
        return None;
    }
    let (x0, y0) = view.cell(centre)?;
    let (x, y) = view.cell(Position {
        latitude: centre.latitude + NEAR_A_POLE / 10.0,
        ..centre
    })?;
    let angle = (x - x0).atan2((y0 - y) * view.cell_aspect).to_degrees();
    // 0 to 7.
    let eighth = (angle / 45.0).round().rem_euclid(8.0) as usize;
    let (arrow, words) = ARROWS.get(eighth)?;
    Some(theme.glyph(arrow, words))
}

#[cfg(test)]
mod tests {
    use crate::dashboard::map::caption::time_ends;

    #[test]
    fn the_ends_of_a_time_scale_are_never_the_same_words() {
        let first = "2026-11-20 22:46:05";
        for (last, from, to) in [
            ("2026-11-22 03:00:00", "11-20", "11-22"),
            ("2026-11-20 23:10:00", "22:46", "23:10"),
            ("2026-11-20 22:46:35", "22:46:05", "22:46:35"),
            ("2027-11-20 22:46:05", "2026-11-20", "2027-11-20"),
        ] {
            let ends = time_ends(first.to_owned(), last.to_owned());
            assert_eq!(ends, (from.to_owned(), to.to_owned()));
        }
    }
}
