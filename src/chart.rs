//! The picture as dots and lines, in no particular medium: drawn by `ui` in
//! cells and by `export` as a file.

pub mod coastline;
pub mod graticule;
pub mod scene;
pub mod view;

pub use scene::{Class, Layers, Line, Mark, Picture, Ramp, picture};
pub use view::View;
