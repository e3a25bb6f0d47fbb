//! Colours of the screen by purpose, and how well one can be read on another.

mod indexed;
mod rgb;
mod scale;
mod tracks;

use strum::{EnumString, IntoStaticStr, VariantArray};

#[cfg(test)]
pub(crate) use indexed::of_index;
pub(crate) use indexed::{distinct_indexed, nearest_indexed};
pub(crate) use rgb::{READABLE, Rgb};
pub(crate) use scale::{least_contrast, line_colour, thermal, viridis_on};
pub(crate) use tracks::{track_colours, track_letters};

/// The purpose of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub(crate) enum Tone {
    /// Titles, keys, the pane with the focus.
    Accent,
    /// Secondary text, the graticule.
    Dim,
    /// A good state.
    Good,
    /// A deployment that is late, and warnings.
    Late,
    /// A deployment that is overdue.
    Overdue,
    /// A deployment that is lost, and failures.
    Lost,
    /// A fix that failed.
    Failed,
    /// A suspect fix.
    Suspect,
    Coast,
    /// The ground of land.
    Land,
    WatchCircle,
    /// Range rings.
    Ring,
    /// The line of a measurement.
    Measure,
    /// The fix under the cursor on the map.
    Cursor,
}

/// The themes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum ThemeName {
    /// Dark or light, by the terminal's ground.
    #[default]
    Auto,
    /// For a dark ground.
    Dark,
    /// For a light ground.
    Light,
}
