//! The spellings of the name of a column.

/// `true` for two spellings of one name: case, blanks, hyphens, underscores and dots do not count.
pub(super) fn is_same(name: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase)
    }
    letters(name).eq(letters(other))
}
