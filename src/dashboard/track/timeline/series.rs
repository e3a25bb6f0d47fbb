//! The lines of the timeline: that of the open track, and those of the others on its map in
//! their colours.

use std::sync::Arc;

use super::bins::{Axis, Bin, Inputs, bins};
use super::curve::Curve;
use super::strip::Strip;
use crate::dashboard::map::content::Drawn;
use crate::dashboard::shared::Shared;
use crate::dashboard::track::TrackTab;
use crate::map::PreparedTrack;
use crate::palette::track_letters;
use crate::text;
use crate::track::{Fix, time};

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    /// The index of its letter and colour; `None` of the only one.
    pub mark: Option<usize>,
    /// The name of the deployment, and its track.
    name: String,
    track: Arc<PreparedTrack>,
    pub inputs: Inputs,
}

impl Series {
    /// The lines with the quantity that is shown, that of the open track last; of the distance
    /// to one, the distances to all. A profile has none but the columns of the open track.
    pub(super) fn all(tab: &TrackTab, shared: &Shared, axis: Axis) -> Vec<Self> {
        let shown = tab.shown_field(shared);
        let field = shown.as_ref();
        let is_profile = field.is_some_and(|shown| shown.field().is_profile());
        let distance = field.filter(|shown| tab.is_distance(shown));
        let drawn = tab.drawn(shared);
        let Some((open, others)) = drawn.split_last() else {
            return Vec::new();
        };
        let whole = |of: &Drawn<'_>| Arc::clone(of.deployment.track.get().unwrap_or(of.track));
        let line = |of: &Drawn<'_>, by: &Drawn<'_>, curve| Self {
            mark: by.mark,
            name: by.deployment.name(),
            track: Arc::clone(by.track),
            inputs: Inputs {
                track: Arc::clone(of.track),
                whole: whole(of),
                axis,
                curve,
            },
        };
        let curve = |drawn: &Drawn<'_>| match &shown {
            None => Some(Curve::Speed {
                track: Arc::clone(drawn.track),
                whole: whole(drawn),
                units: shared.settings.units,
            }),
            Some(shown) if std::ptr::eq(drawn, open) => Some(Curve::Field(shown.clone())),
            Some(shown) => {
                let uuid = drawn.deployment.uuid();
                let field = tab.field_beside(shared, uuid, shown.field().name())?;
                Some(Curve::Field(field))
            }
        };
        if is_profile {
            return vec![line(open, open, None)];
        }
        let Some(distance) = distance else {
            let own = |drawn: &Drawn<'_>| Some(line(drawn, drawn, Some(curve(drawn)?)));
            return drawn.iter().filter_map(own).collect();
        };
        // The line of the one that is shown is on top.
        let mut others: Vec<&Drawn<'_>> = others.iter().collect();
        let shown = distance.field().name();
        others.sort_by_key(|other| shared.distance_to(other.deployment) == shown);
        let line_to = |other: &Drawn<'_>| {
            let field = tab.field_named(shared, &shared.distance_to(other.deployment))?;
            Some(line(open, other, Some(Curve::Field(field))))
        };
        others.into_iter().filter_map(line_to).collect()
    }

    /// The columns of each.
    pub(super) fn bins(all: &[Self]) -> Vec<Vec<Bin>> {
        all.iter().map(|series| bins(&series.inputs)).collect()
    }

    /// Its letter, its name as far as `cells` go, and its value at the cursor of the open track,
    /// or that it has had no fix there, with its name for how long.
    pub(super) fn words(&self, strip: &Strip<'_>, cells: usize) -> String {
        let Inputs { track, curve, .. } = &self.inputs;
        let cursor = strip.tab.cursor;
        let time = strip.track.time_stamp(cursor);
        let last_fix = time.and_then(|time| self.track.latest_at(time));
        let is_last = last_fix.map(|fix| fix.index) == self.track.latest().map(|fix| fix.index);
        let without = |fix: &Fix| {
            let until = time.filter(|time| self.track.is_gap(time - fix.time_stamp))?;
            // As old as the legend says.
            let now = strip.tab.cursor_moment(strip.shared);
            let (word, until) = if is_last {
                ("silent", now.unwrap_or(strip.shared.now))
            } else {
                ("gap of", until)
            };
            Some(format!("{word} {}", time::duration(until - fix.time_stamp)))
        };
        let without = last_fix.as_ref().and_then(without);
        let is_open = Arc::ptr_eq(track, strip.track);
        let other = last_fix.map(|fix| fix.index);
        let fix = if is_open { Some(cursor) } else { other };
        let number = |curve: &Curve| {
            let value = curve.value(fix?)?;
            Some(curve.number(value, value))
        };
        let value = match without {
            Some(words) if cells > 0 => Some(words),
            Some(words) => words.split(' ').next().map(str::to_owned),
            None => curve.as_ref().and_then(number),
        };
        let mut words = vec![self.mark.map(track_letters).unwrap_or_default()];
        if cells > 0 {
            words.push(text::fit_name(&self.name, cells));
        }
        words.push(value.unwrap_or_else(|| "–".to_owned()));
        words.join(" ")
    }
}

/// A line with its columns.
pub(super) struct Line<'a> {
    pub series: &'a Series,
    pub bins: &'a [Bin],
    /// The columns of a picture in pixels, of which several are in one, else the same.
    pub parts: &'a [Bin],
}

impl<'a> Line<'a> {
    /// The parts, each with the columns to its middle.
    pub(super) fn parts(&self) -> impl Iterator<Item = (f64, &'a Bin)> + use<'a> {
        let in_one = (self.parts.len() / self.bins.len().max(1)).max(1) as f64;
        let middle = move |number: u16| (f64::from(number) + 0.5) / in_one;
        (0u16..).map(middle).zip(self.parts)
    }
}
