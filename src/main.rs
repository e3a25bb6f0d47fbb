//! The thin top: everything is in the library.
fn main() {}
