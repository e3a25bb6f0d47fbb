//! Flags that a user set.

use std::collections::HashMap;

use crate::geo::Position;
use crate::text::hash::hash64;
use crate::track::field::{FixKey, fix_key};
use crate::track::quality::Flag;

/// Flags set by a user, by the fix they are for: its time and position, so
/// that they find it again in a later answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FlagOverrides {
    flags: HashMap<FixKey, Flag>,
}

impl FlagOverrides {
    /// Sets the flag of a fix.
    pub(crate) fn set(&mut self, time_stamp: f64, position: Position, flag: Flag) {
        self.flags.insert(fix_key(time_stamp, position), flag);
    }

    /// Sets the flag of a fix; `None` gives it back to the tests.
    pub(crate) fn put(&mut self, time_stamp: f64, position: Position, flag: Option<Flag>) {
        match flag {
            Some(flag) => self.set(time_stamp, position, flag),
            None => drop(self.flags.remove(&fix_key(time_stamp, position))),
        }
    }

    /// The flag that was set for a fix.
    pub(crate) fn get(&self, time_stamp: f64, position: Position) -> Option<Flag> {
        if self.flags.is_empty() {
            return None;
        }
        self.flags.get(&fix_key(time_stamp, position)).copied()
    }

    /// These flags and those of `later`, which count if both have a flag for a fix.
    #[must_use]
    pub(crate) fn merged_with(&self, later: &Self) -> Self {
        let mut merged = self.clone();
        merged.flags.extend(&later.flags);
        merged
    }

    /// A number that differs where other flags were set.
    pub(crate) fn digest(&self) -> u64 {
        let digests = self.flags.iter().map(|(key, flag)| {
            let numbers = [key.0, key.1, key.2].map(u64::to_le_bytes);
            hash64(numbers.concat().into_iter().chain([flag.code()]))
        });
        // A sum, so that the order does not count.
        digests.fold(0, u64::wrapping_add)
    }

    /// Number of fixes whose flag was set.
    pub(crate) fn len(&self) -> usize {
        self.flags.len()
    }

    /// `true` if no flag was set.
    pub(crate) fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }
}
