//! The field that the timeline shows.

pub(crate) mod update;

use std::sync::Arc;

use crate::dashboard::layout::{Area, Layout};
use crate::dashboard::model::Model;
use crate::dashboard::tab::Pane;
use crate::map::{ColourBy, FieldCharts, LineColour, ShownField, ShownFields};
use crate::text;
use crate::track::field::label;

/// Columns of a profile's values next to its picture: number and value.
pub(crate) const SIDE_COLUMN: u16 = 12;

/// Most characters of the name of a field in a message or a list.
const LABEL: usize = 40;

/// The name of a field on the screen, sanitized and cut.
pub(crate) fn field_label(name: &str) -> String {
    text::excerpt(&label(name), LABEL)
}

impl Model {
    /// The field that the timeline shows; `None` for speed.
    pub(crate) fn shown_field(&self) -> Option<ShownField> {
        self.field_named(self.track.field.as_deref()?)
    }

    /// The field with this name, if it varies in the open track.
    pub(crate) fn field_named(&self, name: &str) -> Option<ShownField> {
        self.shown_fields()?.named(name)
    }

    /// The fields of the shown fixes, once they are read.
    pub(crate) fn shown_fields(&self) -> Option<ShownFields> {
        let charts = self.track.fields.charts.as_ref()?;
        let whole = self.full_track()?;
        let range = self.track.time_range.as_ref();
        let open = self.track.open?;
        let part = range.filter(|range| range.parts.contains_key(&open));
        let offset = part.map_or(0, |part| whole.count_before(part.range.0));
        Some(ShownFields {
            charts: Arc::clone(charts),
            whole: Arc::clone(whole.track()),
            offset,
        })
    }

    /// `true` if the table has a column of a field: a profile has no single value.
    pub(crate) fn has_field_column(&self) -> bool {
        self.shown_field()
            .is_some_and(|field| !field.field().is_profile())
    }

    /// The quantity that colours the line of the track: speed if the timeline shows no
    /// field.
    pub(crate) fn line_colour(&self) -> LineColour {
        match self.track.colour_by {
            Some(by) => LineColour::By(by),
            None => match self.shown_field() {
                Some(field) => LineColour::Field(field),
                None => LineColour::By(ColourBy::Speed),
            },
        }
    }

    /// The columns of the timeline that have a time: those between its axis and the
    /// values of a profile.
    pub(crate) fn time_axis(&self, layout: &Layout) -> Area {
        let axis = layout.time_axis();
        let is_profile = self
            .shown_field()
            .is_some_and(|field| field.field().is_profile());
        if !is_profile {
            return axis;
        }
        let side = match layout.frame(Pane::Timeline).width {
            0..60 => 0,
            _ => SIDE_COLUMN,
        };
        axis.split_left(axis.width.saturating_sub(side)).0
    }

    /// The fields of the track, and the index of the cursor's fix in them; `None` if
    /// they lack it.
    pub(crate) fn cursor_fields(&self) -> Option<(&Arc<FieldCharts>, usize)> {
        let charts = self.track.fields.charts.as_ref()?;
        let fix = self.cursor_fix()?;
        let first = charts.track().count_before(fix.time_stamp);
        let same = (first..charts.track().len())
            .map_while(|index| charts.track().fix(index))
            .take_while(|known| known.time_stamp <= fix.time_stamp)
            .find(|known| known.position == fix.position)?;
        Some((charts, same.index))
    }
}
