//! The kind of object that a line or a symbol of a map shows, and the layer that it is drawn in.

/// The kind of object that a line or symbol shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Class {
    /// A meridian or parallel.
    Graticule,
    Coast,
    /// The edge of the globe.
    Limb,
    /// A range ring.
    Ring,
    WatchCircle,
    /// The first fix of the track with this index among those of the map.
    First(usize),
    /// Its latest fix.
    Latest(usize),
    /// Its last fix before the moment that the map shows.
    Moment(usize),
    /// The fix under the cursor.
    Cursor,
    /// An end of a measurement.
    Measure,
    /// Another instrument, with the number that the caller assigned.
    Instrument(usize),
    /// The track of that instrument over the last days.
    Tail(usize),
    /// A named point of an overlay.
    Place,
    /// A ship of an overlay, at the moment that the map shows.
    Ship,
    OwnShip,
    /// The point at which the own ship meets the instrument that is looked for.
    Meeting,
}

/// Layers in drawing order: the last one in a cell gives the cell its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    /// Meridians and parallels.
    Graticule,
    /// The edge of the globe.
    Limb,
    Coast,
    /// Lines of the user's files.
    Overlay,
    /// Range rings.
    Ring,
    WatchCircle,
    /// The way of an instrument over the last days, on the world map.
    Tail,
    /// A leg over a data gap.
    Gap,
    Jump,
    Track,
    /// A measurement.
    Measure,
}

/// The layer, the track and the order of a dot. Within a layer the later track
/// wins, and within a track the higher `order`. That is the index of the fix at the end of a
/// leg, so that newer legs are on top, whatever the drawing
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ink {
    pub layer: Layer,
    /// The index of the track among those of the map.
    pub track: u16,
    /// The order within the layer.
    pub order: u32,
}

impl Ink {
    /// The line that a cell has the colour of: its layer and its track.
    pub(super) fn line(self) -> (Layer, u16) {
        (self.layer, self.track)
    }

    /// The layer of a line of a scene.
    pub(crate) fn new(class: Class) -> Self {
        let layer = match class {
            Class::Tail(_) => Layer::Tail,
            Class::Measure => Layer::Measure,
            Class::Ring => Layer::Ring,
            Class::WatchCircle => Layer::WatchCircle,
            Class::Coast => Layer::Coast,
            Class::Limb => Layer::Limb,
            _ => Layer::Graticule,
        };
        let number = match class {
            Class::Tail(number) => number,
            _ => 0,
        };
        Self {
            layer,
            track: u16::try_from(number).unwrap_or(u16::MAX),
            order: u32::try_from(number).unwrap_or(u32::MAX),
        }
    }
}
