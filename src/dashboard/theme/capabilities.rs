//! The capabilities of the terminal.

/// The capabilities of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// `true` if colour may be used at all (`NO_COLOR`).
    pub colour: bool,
    /// `true` if 24-bit colour is shown.
    pub true_colour: bool,
    /// `true` if 256 colours are shown.
    pub indexed: bool,
    /// `true` if more than ASCII is shown.
    pub unicode: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            colour: true,
            true_colour: true,
            indexed: true,
            unicode: true,
        }
    }
}
