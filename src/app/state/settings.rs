//! The present values of the settings.

use super::Model;
use super::dialog::settings::{ModelSetting, Setting};
use super::table::Direction;
use crate::geo::projection::UsualProjection;
use crate::track::TrackSort;
use crate::track::sort::SortedBy;

impl Model {
    /// The value of a setting now: it may differ from that of the start by what was
    /// chosen in the dialog or by a key.
    pub(crate) fn present_value(&self, setting: &Setting) -> String {
        match setting.name.parse() {
            Ok(of_model) => self.value_of(of_model),
            Err(_) => setting.chosen.as_ref().unwrap_or(&setting.value).clone(),
        }
    }

    fn value_of(&self, setting: ModelSetting) -> String {
        let projection = |chosen: Option<_>, usual| {
            let name: &str = chosen.map_or(usual, UsualProjection::of).into();
            name.to_owned()
        };
        let (track, deployments) = (&self.track, &self.deployments);
        match setting {
            ModelSetting::Units => self.units.name().to_owned(),
            ModelSetting::Coordinates => <&str>::from(self.coordinates).to_owned(),
            ModelSetting::TimeZone => <&str>::from(self.clock).to_owned(),
            ModelSetting::DeploymentsSort => {
                let order = SortedBy {
                    column: deployments.sort,
                    is_reversed: deployments.direction == Direction::Descending,
                };
                order.to_string()
            }
            ModelSetting::TrackSort => {
                let order = match track.arrangement.sort {
                    // Another track may not have the field.
                    TrackSort::Field => track.usual_sort,
                    column => SortedBy {
                        column,
                        is_reversed: track.arrangement.descending,
                    },
                };
                order.to_string()
            }
            ModelSetting::TrackProjection => projection(track.projection, track.usual_projection),
            ModelSetting::WorldProjection => {
                projection(deployments.projection, deployments.usual_projection)
            }
            ModelSetting::Markers if self.are_markers_auto => AUTO.to_owned(),
            ModelSetting::Markers => self.markers.name().to_owned(),
        }
    }
}

/// The name of glyphs that are chosen by the terminal.
pub(in crate::app) const AUTO: &str = "auto";
