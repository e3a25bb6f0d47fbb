//! Words in two forms.

use super::sheet::cells;

/// Words with a shorter form for where they have no room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text {
    pub long: String,
    pub short: Option<String>,
}

impl<S: Into<String>> From<S> for Text {
    fn from(words: S) -> Self {
        Self {
            long: words.into(),
            short: None,
        }
    }
}

impl Text {
    /// With a shorter form.
    #[must_use]
    pub(crate) fn or(mut self, short: impl Into<String>) -> Self {
        self.short = Some(short.into());
        self
    }

    /// The shortest form.
    pub(crate) fn shortest(&self) -> &str {
        self.short.as_ref().unwrap_or(&self.long)
    }

    /// The form for so many cells, which the short one may be longer than.
    pub(crate) fn fit(&self, room: u16) -> &str {
        match cells(&self.long) <= room {
            true => &self.long,
            false => self.shortest(),
        }
    }
}
