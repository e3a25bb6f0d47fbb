//! An overview as bytes, as the archive stores it, and what it was made of.

use super::{HOURS, Overview};
use crate::hash::hash64;
use crate::track::TrackOptions;
use crate::track::quality::method::method_text;
use crate::track::recent::RECENT;

/// A number that differs where an overview is made of another revision of the stored
/// records, with other choices or other tests of quality, or by another version. The
/// time of the choices does not count.
pub(crate) fn basis(revision: i64, options: &TrackOptions) -> u64 {
    let TrackOptions {
        platform,
        now: _,
        max_speed_m_s,
        window,
        // The list has what is declared from the entry itself.
        declared: _,
        exclude_failed,
        overrules,
    } = options;
    let limit = max_speed_m_s.unwrap_or_else(|| platform.max_speed_m_s());
    let numbers =
        [*max_speed_m_s, window.from, window.until].map(|number| number.map(f64::to_bits));
    let basis = format!(
        "{} {} {} {revision} {numbers:?} {exclude_failed:?} {}",
        env!("CARGO_PKG_VERSION"),
        method_text(*platform, limit),
        platform.name(),
        overrules.digest(),
    );
    hash64(basis.bytes())
}

impl Overview {
    /// The overview as bytes; empty where it cannot be written.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// The overview of bytes; `None` where they are not what was written.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (overview, rest): (Self, _) = postcard::take_from_bytes(bytes).ok()?;
        let is_sound = rest.is_empty()
            && usize::from(overview.reports.count) <= RECENT
            && overview.speeds.len() <= HOURS;
        is_sound.then_some(overview)
    }
}
