//! What the terminal sends, as the dashboard's own events.

#[cfg(not(unix))]
mod console;
#[cfg(unix)]
mod line;

#[cfg(not(unix))]
pub(super) use console::Keys;
#[cfg(unix)]
pub(super) use line::Keys;
