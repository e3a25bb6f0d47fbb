//! The names of fields as people read them.

use std::borrow::Cow;

use crate::text;

/// The name of a field without what acts on a terminal; `(no name)` where it
/// would show nothing.
pub(crate) fn label(name: &str) -> Cow<'_, str> {
    if name.trim().is_empty() {
        Cow::Borrowed("(no name)")
    } else {
        text::clean(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_show_nothing_is_said() {
        assert_eq!(label("air_temp"), "air_temp");
        assert_eq!(label(" "), label(""));
        assert_eq!(label(""), "(no name)");
    }
}
