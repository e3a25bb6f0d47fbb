//! The computation in progress for the open track, off the thread that draws.

use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;

/// Number of fixes from which the computation is named: a shorter one is done before the
/// user could read it.
const LONG: usize = 10_000;

impl Model {
    /// The computation in progress for the open track, in a word or two; `None` without
    /// one, and for a short track.
    pub(crate) fn computing(&self) -> Option<&'static str> {
        let one = self.deployments.get(self.track.open?)?;
        let shown = one.track.value.as_ref()?;
        if self.tab != Tab::Track || shown.track.len() < LONG {
            return None;
        }
        let range = self.track.time_range.as_ref();
        if !shown.options.same_choices(&one.options(self.now)) {
            return Some("computing flags");
        }
        if range.is_some_and(|range| range.parts.is_empty()) {
            return Some("cutting");
        }
        let arrangement = &self.track.arrangement;
        match (
            self.track.arranging.is_some(),
            arrangement.filter.is_empty(),
        ) {
            (false, _) => None,
            (true, true) => Some("sorting"),
            (true, false) => Some("filtering"),
        }
    }
}
