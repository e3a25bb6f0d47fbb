//! The settings as the dialog lists them, with their present values.

mod update;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::model::Model;
use crate::geo::projection::UsualProjection;
use crate::settings::{SettingRow, Source};
use crate::text::clean;
use crate::track::TrackSort;
use crate::track::sort::SortedBy;

/// A setting whose value is part of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)] // each variant is the setting it names
pub(crate) enum ModelSetting {
    Units,
    Coordinates,
    TimeZone,
    DeploymentsSort,
    TrackSort,
    TrackProjection,
    WorldProjection,
    Markers,
}

impl Model {
    /// The settings as the dialog lists them: changeable ones first, with the present
    /// value, which a key or the dialog may have changed since the start.
    pub(crate) fn setting_rows(&self) -> Vec<SettingRow> {
        let mut rows = self.settings.rows();
        // The others say nothing of the demo.
        rows.retain(|row| !self.demo || !row.options.is_empty());
        rows.sort_by_key(|row| row.options.is_empty());
        for row in &mut rows {
            if let Ok(of_model) = row.name.parse() {
                let present = self.value_of(of_model);
                if present != row.value {
                    (row.value, row.source) = (present, Source::Session.to_string());
                }
            }
            for text in [&mut row.name, &mut row.value, &mut row.source] {
                *text = clean(text).into_owned();
            }
        }
        rows
    }

    /// The present value of a setting, as it is written in the file.
    pub(in crate::dashboard) fn value_of(&self, setting: ModelSetting) -> String {
        let projection = |chosen: Option<_>, usual| {
            let name: &str = chosen.map_or(usual, UsualProjection::of).into();
            name.to_owned()
        };
        let (track, deployments) = (&self.track, &self.deployments);
        match setting {
            ModelSetting::Units => self.units.name().to_owned(),
            ModelSetting::Coordinates => <&str>::from(self.coordinates).to_owned(),
            ModelSetting::TimeZone => <&str>::from(self.clock).to_owned(),
            ModelSetting::DeploymentsSort => deployments.sort.to_string(),
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
pub(crate) const AUTO: &str = "auto";
