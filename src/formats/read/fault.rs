//! Why a file cannot be read.

use std::io;

use crate::text;

/// Why bytes are no text.
pub(super) const NO_UTF8: &str = "it is not UTF-8: save the file as UTF-8";

/// Why a line of so many times and positions cannot be read.
pub(super) fn unpaired(times: usize, positions: usize) -> String {
    let times = text::counted(times, "time", "times");
    let positions = text::counted(positions, "position", "positions");
    format!("a track has {times} and {positions}: it is not known which belong together")
}

/// Counts the lines of a text up to places of it, one after the other.
pub(super) struct Lines<'a> {
    text: &'a [u8],
    place: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            place: 0,
            line: 1,
        }
    }

    /// The line of a place, from 1 on.
    pub(super) fn at(&mut self, place: usize) -> u64 {
        let passed = self.text.get(self.place..place).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.place = self.place.max(place);
        self.line
    }
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// It cannot be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A flag names a column that is not there, or that its format has no use for.
    #[error("{0}")]
    Flag(String),
    /// Its text breaks the rules of its format.
    #[error("line {line}: {why}")]
    Line { line: u64, why: String },
    /// It is of another kind, or lacks what a track is made of.
    #[error("{0}")]
    Nothing(String),
}

impl ReadError {
    /// The fault of a file of another kind.
    pub(super) fn of_kind(kind: &str, remedy: &str) -> Self {
        let why = format!("this is {kind}, which driftline does not read; {remedy}");
        Self::Nothing(why)
    }
}
