//! The picture as dots and lines, in no particular medium: drawn by `ui` in cells and by `export` as a file.
