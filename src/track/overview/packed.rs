//! An overview as bytes, as the archive stores it, and what it was made of.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{HOURS, Overview};
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
    let mut hash = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hash);
    method_text(*platform, limit).hash(&mut hash);
    platform.name().hash(&mut hash);
    revision.hash(&mut hash);
    for number in [*max_speed_m_s, window.from, window.until] {
        number.map(f64::to_bits).hash(&mut hash);
    }
    exclude_failed.hash(&mut hash);
    overrules.digest().hash(&mut hash);
    hash.finish()
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
