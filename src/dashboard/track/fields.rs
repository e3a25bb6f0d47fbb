//! The fields of the open track, read when it is shown, and the field on the timeline.

use std::sync::Arc;

use uuid::Uuid;

use super::label::{SIDE_COLUMN, field_label};
use super::nearest::exact_fix;
use super::timeline::Silence;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::Effect;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::{Pane, TabId};
use crate::dashboard::track::{ReadFields, TrackTab};
use crate::dashboard::widgets::text::Text;
use crate::failure::Failure;
use crate::map::{
    ColourBy, DistanceTo, FieldCharts, LineColour, PreparedTrack, ShownField, ShownFields,
};
use crate::track::TrackSort;

impl Shared {
    /// The others on the map of the open track: their distances are lines of its timeline.
    fn distances_to(&self) -> Vec<DistanceTo> {
        let together = self.together();
        let is_other =
            |deployment: &&DeploymentState| Some(deployment.uuid()) != self.deployments.open;
        let others = together.into_iter().filter(is_other);
        let (unit_m, _) = self.settings.units.long_distances();
        let distance = |deployment: &DeploymentState| {
            Some(DistanceTo {
                column: self.distance_to(deployment),
                unit_m,
                track: Arc::clone(deployment.track.get()?),
            })
        };
        others.filter_map(distance).collect()
    }

    /// The name of the field with the distance of the open track to a deployment.
    pub(super) fn distance_to(&self, deployment: &DeploymentState) -> String {
        let (_, symbol) = self.settings.units.long_distances();
        format!("{symbol} to {}", deployment.name())
    }
}

impl ReadFields {
    /// `true` if those of a track were requested last.
    fn is_for(&self, track: &PreparedTrack) -> bool {
        let of = self.of.as_ref();
        of.is_some_and(|of| Arc::ptr_eq(of, track.track()))
    }

    /// Requests those of a track, unless they were. What was read of an earlier response stays
    /// until then.
    fn read(
        &mut self,
        shared: &mut Shared,
        deployment: Uuid,
        track: &Arc<PreparedTrack>,
        others: Vec<DistanceTo>,
    ) {
        if self.is_for(track) && self.others == others {
            return;
        }
        self.of = Some(Arc::clone(track.track()));
        self.others.clone_from(&others);
        self.is_reading = true;
        shared.send(Effect::ReadFields {
            deployment,
            track: Arc::clone(track),
            others,
        });
    }
}

impl TrackTab {
    /// The field that the timeline shows; `None` for speed.
    pub(crate) fn shown_field(&self, shared: &Shared) -> Option<ShownField> {
        self.field_named(shared, self.field.as_deref()?)
    }

    /// The field with this name, if it varies in the open track.
    pub(crate) fn field_named(&self, shared: &Shared, name: &str) -> Option<ShownField> {
        self.shown_fields(shared)?.named(name)
    }

    /// The fields of the shown fixes, once they are read.
    pub(crate) fn shown_fields(&self, shared: &Shared) -> Option<ShownFields> {
        let charts = self.fields.charts.as_ref()?;
        self.seen_from(shared, shared.deployments.open?, charts)
    }

    /// The field with this name of another on the map, once it is read and if it varies.
    pub(super) fn field_beside(
        &self,
        shared: &Shared,
        uuid: Uuid,
        name: &str,
    ) -> Option<ShownField> {
        let charts = self.fields_beside.get(&uuid)?.charts.as_ref()?;
        self.seen_from(shared, uuid, charts)?.named(name)
    }

    /// Fields, seen from the fixes of a deployment that are shown.
    fn seen_from(
        &self,
        shared: &Shared,
        uuid: Uuid,
        charts: &Arc<FieldCharts>,
    ) -> Option<ShownFields> {
        let whole = shared.deployments.get(uuid)?.track.get()?;
        let range = self.time_range.as_ref();
        let part = range.filter(|range| range.parts.contains_key(&uuid));
        let offset = part.map_or(0, |part| whole.count_before(part.range.0));
        Some(ShownFields {
            charts: Arc::clone(charts),
            whole: Arc::clone(whole.track()),
            offset,
        })
    }

    /// `true` if a field is the distance to another on the map.
    pub(super) fn is_distance(&self, shown: &ShownField) -> bool {
        let mut others = self.fields.others.iter();
        others.any(|other| other.column == shown.field().name())
    }

    /// `true` if the table has a column of a field: a profile has no single value.
    pub(crate) fn has_field_column(&self, shared: &Shared) -> bool {
        self.shown_field(shared)
            .is_some_and(|field| !field.field().is_profile())
    }

    /// The quantity that colours the line of the track: speed if the timeline shows no
    /// field.
    pub(crate) fn line_colour(&self, shared: &Shared) -> LineColour {
        match self.colour_by {
            Some(by) => LineColour::By(by),
            None => match self.shown_field(shared) {
                Some(field) => LineColour::Field(field),
                None => LineColour::By(ColourBy::Speed),
            },
        }
    }

    /// The columns of the timeline that have a time: those between its axis and the
    /// values of a profile.
    pub(crate) fn columns_of_time(&self, shared: &Shared, layout: &Layout) -> Area {
        let axis = layout.time_axis();
        let field = self.shown_field(shared);
        let is_profile = field.is_some_and(|field| field.field().is_profile());
        match layout.frame(Pane::Timeline).width {
            60.. if is_profile => axis.split_left(axis.width.saturating_sub(SIDE_COLUMN)).0,
            _ => axis,
        }
    }

    /// The columns of the timeline up to the last fix.
    pub(crate) fn time_axis(&self, shared: &Shared, layout: &Layout) -> Area {
        let axis = self.columns_of_time(shared, layout);
        let silence = Silence::of_open(self, shared, axis.width);
        let silent = silence.map_or(0, |silence| silence.columns);
        axis.split_left(axis.width.saturating_sub(silent)).0
    }

    /// The fields of the track, and the index of the cursor's fix in them; `None` if
    /// they lack it.
    pub(crate) fn cursor_fields(&self, shared: &Shared) -> Option<(&Arc<FieldCharts>, usize)> {
        let charts = self.fields.charts.as_ref()?;
        let fix = self.cursor_fix(shared)?;
        let same = exact_fix(charts.track(), fix.time_stamp, fix.position)?;
        Some((charts, same))
    }

    /// Reads the fields of the others on the map, once the timeline shows one: it shows that of
    /// all.
    pub(crate) fn read_fields_beside(&mut self, shared: &mut Shared) {
        let field = self.shown_field(shared);
        let shown = field.filter(|shown| !shown.field().is_profile() && !self.is_distance(shown));
        for (uuid, track) in self.seen.iter().filter(|_| shown.is_some()) {
            if Some(*uuid) != self.deployment {
                let fields = self.fields_beside.entry(*uuid).or_default();
                fields.read(shared, *uuid, track, Vec::new());
            }
        }
    }

    /// Reads the fields of the open track unless they are read.
    pub(crate) fn read_fields(&mut self, shared: &mut Shared) {
        let track = shared
            .full_track()
            .filter(|_| shared.screen.tab == TabId::Track);
        if let (Some(deployment), Some(track)) = (shared.deployments.open, track.cloned()) {
            let others = shared.distances_to();
            self.fields.read(shared, deployment, &track, others);
        }
    }

    /// Shows the fields that were read, if they are of a track on the map.
    pub(crate) fn fields_read(
        &mut self,
        shared: &mut Shared,
        track: &PreparedTrack,
        outcome: Result<Arc<FieldCharts>, Failure>,
    ) {
        let is_of = |fields: &&mut ReadFields| fields.is_for(track);
        if !self.fields.is_for(track) {
            let beside = self.fields_beside.values_mut().find(is_of);
            if let (Some(fields), Ok(charts)) = (beside, outcome) {
                fields.charts = Some(charts);
            }
            return;
        }
        self.fields.is_reading = false;
        match outcome {
            Ok(charts) => {
                if !self.is_field_chosen {
                    let mut varying = charts.varying().iter();
                    let profile = varying.find(|field| field.is_profile());
                    // Of two on one map the distance is what they are compared for.
                    self.field = match self.fields.others.as_slice() {
                        [other] => Some(other.column.clone()),
                        _ => profile.map(|field| field.name().to_owned()),
                    };
                }
                self.fields.charts = Some(charts);
            }
            Err(failure) => shared.warn(shared.failure_text(&failure)),
        }
        if self.arrangement.sort == TrackSort::Field {
            self.sort_by_shown_field(shared);
        }
    }

    /// Shows the field after the shown one on the timeline, or for -1 that before it.
    /// Speed is before the first field and after the last one.
    pub(crate) fn step_field(&mut self, shared: &mut Shared, by: isize) {
        let charts = self.fields.charts.as_ref();
        let varying = charts.map(|charts| charts.varying()).unwrap_or_default();
        let shown = self.field.as_deref();
        let here = varying.iter().position(|field| Some(field.name()) == shown);
        let index = match here {
            Some(here) => here.checked_add_signed(by),
            None if by > 0 => Some(0),
            None => varying.len().checked_sub(1),
        };
        let field = index.and_then(|index| varying.get(index));
        let next = field.map(|field| field.name().to_owned());
        if varying.is_empty() {
            shared.notify(match self.unvarying_fields() {
                _ if self.fields.is_reading => "the fields are being read".into(),
                names if names.is_empty() => Text::from(
                    "this track has no fields; the details on the list name those of each",
                )
                .or("this track has no fields"),
                names => {
                    let details = shared.key_of(Action::Details);
                    Text::from(format!("no field varies: {names}; {details}: values"))
                        .or(format!("{details} values  no field varies"))
                }
            });
            return;
        }
        self.show_field(shared, next)
    }

    /// `true` once it is known that the timeline has nothing but speed.
    pub(super) fn no_field_varies(&self) -> bool {
        let charts = self.fields.charts.as_ref();
        !self.fields.is_reading && charts.is_some_and(|charts| charts.varying().is_empty())
    }

    /// The names of the fields of the open track, if none of them varies.
    pub(crate) fn unvarying_fields(&self) -> String {
        let charts = self.fields.charts.as_ref();
        let names = charts.into_iter().flat_map(|charts| charts.names());
        names.map(field_label).collect::<Vec<_>>().join(", ")
    }

    /// Shows a field on the timeline and as a column of the table; `None` for speed. The
    /// timeline gets the focus, so that the key of full size enlarges it.
    pub(crate) fn show_field(&mut self, shared: &mut Shared, name: Option<String>) {
        let shown = match &name {
            None => "speed".to_owned(),
            Some(name) => field_label(name),
        };
        let is_full = shared.screen.full;
        if !is_full {
            shared.screen.pane = Pane::Timeline;
        }
        let full = shared.key_of(Action::FullPane);
        let message = if !self.layout(shared).timeline.is_empty() || is_full {
            format!("timeline: {shown}")
        } else {
            format!("{full} timeline  field: {shown}")
        };
        shared.notify(message);
        self.is_field_chosen = true;
        self.field = name;
        if self.arrangement.sort == TrackSort::Field {
            self.sort_by_shown_field(shared);
        }
    }

    /// Sorts the rows by the shown field, or by time if no field has a column.
    pub(crate) fn sort_by_shown_field(&mut self, shared: &mut Shared) {
        match self.field.clone().filter(|_| self.has_field_column(shared)) {
            Some(name) => self.arrangement.field = name,
            None => {
                (self.arrangement.sort, self.arrangement.field) = Default::default();
            }
        }
        self.arrange_rows(shared)
    }
}
