//! One file a format, each written to a `Write`: no paths, no clocks.
