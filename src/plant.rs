//! Plants: what a create asks for and which identifiers a delete may name.

/// A plant to be created, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The identifier.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The tag.
    pub tag: String,
}
