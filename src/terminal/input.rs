//! Reads keys, mouse and pasted text from the terminal as events of the
//! dashboard.

#[cfg(not(unix))]
mod console;
#[cfg(unix)]
mod line;

#[cfg(not(unix))]
pub(super) use console::Keys;
#[cfg(unix)]
pub(super) use line::Keys;
