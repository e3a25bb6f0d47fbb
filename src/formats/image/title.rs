//! The words of an image: its title, and the sources below.

use ttf_parser::Face;

use super::pen::{INK, Lettering};
use super::sheet::{LEFT, RIGHT};
use super::{Charted, Source, Style, letters};
use crate::map::View;
use crate::track::time;

/// Pixels of the letters of the title.
const TITLE: f64 = 17.0;

/// The title above the chart and the sources below.
pub(super) fn words(tracks: &[Charted<'_>], view: &View, style: &Style, face: &Face<'_>) -> String {
    let width = f64::from(style.size.0);
    let height = f64::from(style.size.1);
    let names: Vec<String> = tracks.iter().map(Charted::name).collect();
    let whole = names.join(" · ");
    let mut name = letters::fit(&whole, face, TITLE, width - LEFT - RIGHT);
    if name != whole && names.len() > 1 {
        // The legend names them, and a cut list looks like all of them.
        name = format!("{} tracks", names.len());
    }
    let sources = format!(
        "{} UTC · coast: Natural Earth, public domain · driftline {}",
        received(tracks),
        env!("CARGO_PKG_VERSION")
    );
    let title = Lettering {
        size: TITLE,
        colour: INK,
        anchor: "start",
    };
    let sums = sums(tracks, view, style);
    [
        title.at(LEFT, 26.0, &name),
        Lettering::quiet(11.0, "start").at(LEFT, 46.0, &sums),
        Lettering::quiet(9.5, "start").at(LEFT, height - 10.0, &sources),
    ]
    .concat()
}

/// The line below the title: the span, the counts and the projection.
fn sums(tracks: &[Charted<'_>], view: &View, style: &Style) -> String {
    let summaries = || tracks.iter().map(|charted| charted.track.summary());
    let first = summaries()
        .filter_map(|summary| summary.first)
        .min_by(f64::total_cmp);
    let last = summaries()
        .filter_map(|summary| summary.last)
        .max_by(f64::total_cmp);
    let span = match first.zip(last) {
        Some((first, last)) => format!(
            "{} to {} UTC",
            time::table(first, None),
            time::table(last, None)
        ),
        None => "no fixes".to_owned(),
    };
    let fixes: usize = summaries().map(|summary| summary.fixes).sum();
    let mut sums = match tracks {
        [alone] => {
            let (unit_m, symbol) = style.units.long_distances();
            let length = alone.track.summary().length_m / unit_m;
            format!("{span} · {fixes} fixes, {length:.1} {symbol}")
        }
        several => format!("{span} · {} tracks, {fixes} fixes", several.len()),
    };
    sums.push_str(&format!(" · {}", view.projection.name()));
    let failed = summaries().map(|summary| summary.fail).sum();
    let invalid = summaries().map(|summary| summary.unusable).sum();
    for (count, what) in [(failed, "failed"), (invalid, "invalid")] {
        let count: usize = count;
        if count > 0 {
            sums.push_str(&format!(" · {count} {what}"));
        }
    }
    if let [alone] = tracks
        && let Some(age) = alone.limits.max_age_s
    {
        sums.push_str(&format!(" · maximum age {}", time::whole_duration(age)));
    }
    sums
}

/// How and when the tracks were received; of several the oldest time.
fn received(tracks: &[Charted<'_>]) -> String {
    let oldest = |source: Source| {
        let of_source = tracks.iter().filter(|charted| charted.source == source);
        let times = of_source.map(|charted| charted.subject.fetched_at);
        times.min_by(f64::total_cmp).map(|at| time::table(at, None))
    };
    match (tracks, oldest(Source::Service), oldest(Source::File)) {
        ([alone], Some(at), _) => format!("{} · fetched {at}", alone.subject.deployment),
        (_, Some(at), _) => format!("fetched {at} or later"),
        (_, None, Some(at)) => {
            let files = if tracks.len() == 1 { "a file" } else { "files" };
            format!("read from {files} {at}")
        }
        (_, None, None) => String::new(),
    }
}
