//! The rows of the last drawn table of fixes, as cells: a step of the cursor changes
//! two of them at most.

use std::sync::Arc;

use jiff::tz::TimeZone;
use ratatui::buffer::{Buffer, Cell};

use crate::app::Model;
use crate::app::columns::ShownColumn;
use crate::app::layout::Area;
use crate::chart::{PreparedTrack, ShownField};
use crate::geo::{CoordinateFormat, Units};
use crate::ui::columns::Fitted;
use crate::ui::paint::cells_of;
use crate::ui::theme::Theme;

/// The rows that were drawn last, with what they were made from.
#[derive(Debug, Default)]
pub(in crate::ui) struct KeptRows {
    inputs: Option<Inputs>,
    /// The index of each fix, with the cells of its row.
    rows: Vec<(usize, Vec<Cell>)>,
}

/// What the row of a fix is made from.
#[derive(Debug)]
pub(super) struct Inputs {
    track: Arc<PreparedTrack>,
    width: u16,
    fitted: Fitted,
    columns: Vec<ShownColumn>,
    field: Option<ShownField>,
    units: Units,
    coordinates: CoordinateFormat,
    zone: Option<TimeZone>,
    theme: Theme,
}

impl PartialEq for Inputs {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.track, &other.track)
            && self.width == other.width
            && self.fitted == other.fitted
            && self.columns == other.columns
            && self.field == other.field
            && self.units == other.units
            && self.coordinates == other.coordinates
            && self.zone == other.zone
            && self.theme == other.theme
    }
}

impl Inputs {
    /// What the rows of a track are made from, in columns and at a width.
    pub(super) fn of(
        model: &Model,
        track: &Arc<PreparedTrack>,
        (fitted, width): (&Fitted, u16),
        field: Option<&ShownField>,
        theme: Theme,
    ) -> Self {
        Self {
            track: Arc::clone(track),
            width,
            fitted: fitted.clone(),
            columns: model.columns.track.clone(),
            field: field.cloned(),
            units: model.units,
            coordinates: model.coordinates,
            zone: model.shown_zone().cloned(),
            theme,
        }
    }
}

impl KeptRows {
    /// The rows that were drawn last, if they were made from the same; the new ones
    /// are kept from now on.
    pub(super) fn begin(&mut self, inputs: Inputs) -> Vec<(usize, Vec<Cell>)> {
        let known = std::mem::take(&mut self.rows);
        let before = self.inputs.replace(inputs);
        match before == self.inputs {
            true => known,
            false => Vec::new(),
        }
    }

    /// Puts the row of a fix on a line of blank cells: the known one, or else what
    /// `draw` draws there.
    pub(super) fn put(
        &mut self,
        buffer: &mut Buffer,
        (area, line): (Area, u16),
        known: &mut Vec<(usize, Vec<Cell>)>,
        fix: usize,
        draw: impl FnOnce(&mut Buffer),
    ) {
        let place = known.iter().position(|(index, _)| *index == fix);
        let cells = match place {
            Some(place) => {
                let (_, cells) = known.swap_remove(place);
                let there = cells_of(buffer, area.at(0, line));
                for (there, cell) in there.iter_mut().zip(&cells) {
                    there.clone_from(cell);
                }
                cells
            }
            None => {
                draw(buffer);
                cells_of(buffer, area.at(0, line)).to_vec()
            }
        };
        self.rows.push((fix, cells));
    }
}
