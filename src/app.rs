//! The dashboard without a terminal: Model, Event, Effect and update.
