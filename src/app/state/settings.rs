//! The settings: those of the start, and their present values.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Model;
use super::table::Direction;
use crate::geo::projection::UsualProjection;
use crate::track::TrackSort;
use crate::track::sort::SortedBy;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its name in the settings file.
    pub name: String,
    /// Its value at the start, or as it was last written into the file.
    pub value: String,
    /// Where that value is from: the default, the file, the environment, an option.
    pub source: String,
    /// The values to choose from; empty where it can be set in the file alone.
    pub options: Vec<String>,
    /// The value that was chosen in this session, where the model does not know it.
    pub(crate) chosen: Option<String>,
}

impl Setting {
    /// A setting in force.
    pub(crate) fn new(name: String, value: String, source: String, options: Vec<String>) -> Self {
        Self {
            name,
            value,
            source,
            options,
            chosen: None,
        }
    }
}

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
pub(crate) const AUTO: &str = "auto";
