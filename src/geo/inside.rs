//! The limit that an instrument should stay within: a watch circle, or an area.

use std::fmt;

use super::circle::WatchCircle;
use super::{Area, Notation, Position, Units};

/// The usual error of the positions of a satellite receiver in the field, metres: they do
/// not stay within a smaller circle.
pub(crate) const POSITIONS_GOOD_TO_M: f64 = 60.0;

/// The limit that an instrument should stay within.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Inside {
    Circle(WatchCircle),
    Area(Area),
}

impl Inside {
    /// How far a position is beyond its edge, metres: negative within it.
    pub(crate) fn over_m(&self, position: Position) -> f64 {
        match self {
            Self::Circle(circle) => circle.distance_m(position) - circle.radius_m,
            Self::Area(area) => area.over_m(position),
        }
    }

    /// The radius, metres; of an area that of a circle with the same ratio of area
    /// to circumference.
    pub(crate) fn radius_m(&self) -> f64 {
        match self {
            Self::Circle(circle) => circle.radius_m,
            Self::Area(area) => area.radius_m(),
        }
    }

    /// The name for the user: "watch circle", or "area north".
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Circle(_) => "watch circle".to_owned(),
            Self::Area(area) => match area.name() {
                "area" => "area".to_owned(),
                name => format!("area {}", crate::text::excerpt(name, 40)),
            },
        }
    }

    /// The text for people; that of a circle can be typed again.
    pub(crate) fn text(&self, notation: Notation) -> String {
        self.with_radius(notation, Units::typed_radius)
    }

    /// The same in the units of the settings, whatever was typed.
    pub(crate) fn shown(&self, notation: Notation) -> String {
        self.with_radius(notation, Units::own_radius)
    }

    fn with_radius(&self, notation: Notation, radius: fn(Units, f64) -> String) -> String {
        match self {
            Self::Circle(circle) => format!(
                "{}, {}",
                notation.position(circle.centre),
                radius(notation.units, circle.radius_m)
            ),
            Self::Area(_) => self.name(),
        }
    }

    /// The text that [`Inside::from_stored`] reads.
    pub(crate) fn stored_text(&self) -> String {
        match self {
            Self::Circle(circle) => circle.to_string(),
            Self::Area(area) => area.text().to_owned(),
        }
    }

    /// Reads a text that [`Inside::stored_text`] wrote; `None` for another text.
    pub(crate) fn from_stored(text: &str) -> Option<Self> {
        if text.starts_with('{') {
            Area::from_stored(text).map(Self::Area)
        } else {
            text.parse().ok().map(Self::Circle)
        }
    }

    /// Why positions with this error do not stay within it; `None` if it is large enough.
    pub(crate) fn too_small(&self) -> Option<String> {
        (self.radius_m() < POSITIONS_GOOD_TO_M).then(|| {
            let radius_m = self.radius_m();
            let what = match self {
                Self::Circle(_) => "the watch circle",
                Self::Area(_) => "the area",
            };
            format!(
                "{what} is smaller than the error of the positions: {radius_m:.0} m, error {POSITIONS_GOOD_TO_M} m"
            )
        })
    }
}

impl fmt::Display for Inside {
    /// A circle as it is typed, with the unit; of an area its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Circle(circle) => write!(f, "{circle} m"),
            Self::Area(_) => f.write_str(&self.name()),
        }
    }
}
