//! The Model as a frame: one file a pane, only what is visible is formatted.
