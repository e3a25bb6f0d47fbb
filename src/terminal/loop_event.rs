//! The events of the loop.

use crate::dashboard::event::Event;
use crate::palette::Rgb;

/// An event of the loop.
pub(super) enum LoopEvent {
    /// An event for the Model.
    Event(Event),
    /// The terminal's ground has this colour.
    Ground(Rgb),
    /// A signal that ends the program with this status.
    Signal(u8),
    /// The terminal asked the program to stop.
    Stop,
    /// The terminal is gone.
    Hangup,
    /// Keys can no longer be read, for this reason.
    InputLost(String),
}
