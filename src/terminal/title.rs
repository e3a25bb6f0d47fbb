//! The title of the window.

use super::{capabilities, raw};
use crate::dashboard::draw;
use crate::dashboard::model::Model;

/// The title that the terminal shows.
#[derive(Debug, Default)]
pub(super) struct Title {
    shown: String,
    /// When it was last computed, UNIX seconds.
    at: f64,
    /// `true` if a frame was drawn since.
    is_old: bool,
}

impl Title {
    /// Sets the window's title if it has changed. It is computed at most once a
    /// second: it depends on all deployments.
    pub(super) fn update(&mut self, model: &Model) -> std::io::Result<()> {
        if !capabilities::takes_more_sequences() {
            return Ok(());
        }
        self.is_old = (model.now - self.at).abs() < 1.0;
        if self.is_old {
            return Ok(());
        }
        self.at = model.now;
        let title = draw::title(model);
        if title != self.shown {
            raw::set_title(&title)?;
            self.shown = title;
        }
        Ok(())
    }

    /// When it must be computed, UNIX seconds; `None` if it is up to date.
    pub(super) fn due(&self) -> Option<f64> {
        self.is_old.then_some(self.at + 1.0)
    }
}
