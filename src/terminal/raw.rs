//! Takes over the terminal and restores it, also after a panic or an error.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::layout::Size;

use super::input::Keys;
use super::{capabilities, pictures, screen};
use crate::dashboard::event::Event;
use crate::dashboard::theme::Capabilities;
use crate::failure::Failure;
use crate::os::output::Waiting;
use crate::palette::ThemeName;

/// `true` while driftline has taken over the terminal, so that it is restored once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The screen on the terminal.
pub(super) type Screen = screen::Screen<Waiting<io::Stdout>>;

/// Queries the colour of the background (xterm's control sequences, OSC 11).
const QUERY_BACKGROUND: &str = "\x1b]11;?\x1b\\";

/// The failure of a terminal that cannot be drawn on, written to or taken.
pub(super) fn unusable(error: io::Error) -> Failure {
    Failure::other(format!("the terminal cannot be used: {error}")).with_hint(RESTART)
}

/// The failure of a terminal whose keys can no longer be read, for this reason.
pub(super) fn unreadable(reason: &str) -> Failure {
    Failure::other(format!("the terminal can no longer be read: {reason}")).with_hint(RESTART)
}

const RESTART: &str = "Resize or restart the terminal and try again.";

/// Queries the colour of the background if the theme depends on it, and before that, where the
/// terminal may draw them, pictures; returns when, or `None` without a query. The replies come
/// among the keys, who are told before: a reply may be quick. Nothing waits for them.
// Not followed by a query of the terminal's attributes (DA1), which shows the end of the replies
// if there is none about pictures: that for the background is as good an end, and one less.
pub(super) fn query(
    can: Capabilities,
    theme: ThemeName,
    keys: Option<&Keys>,
) -> io::Result<Option<Instant>> {
    let depends = can.colour && theme == ThemeName::Auto;
    let may_draw = capabilities::may_draw_pictures(can, &capabilities::variable);
    let pictures = may_draw && cell_in_pixels().is_some();
    let is_wanted = (depends || pictures) && capabilities::takes_more_sequences();
    if cfg!(not(unix)) || !is_wanted {
        return Ok(None);
    }
    if let Some(keys) = keys {
        keys.expect_reply();
    }
    let first = if pictures { pictures::QUERY } else { "" };
    write(&format!("{first}{QUERY_BACKGROUND}"))?;
    Ok(Some(Instant::now()))
}

/// Width and height of a cell in pixels, if the terminal reports them.
pub(super) fn cell_in_pixels() -> Option<(u16, u16)> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        let width = size.ws_xpixel.checked_div(size.ws_col)?;
        let height = size.ws_ypixel.checked_div(size.ws_row)?;
        (width > 0 && height > 0).then_some((width, height))
    }
    #[cfg(not(unix))]
    None
}

/// Writes a control sequence.
pub(super) fn write(sequence: &str) -> io::Result<()> {
    let mut out = Waiting(io::stdout());
    out.write_all(sequence.as_bytes())?;
    out.flush()
}

/// Takes over the terminal; dropping it restores the terminal.
pub(super) struct Guard(());

impl Guard {
    /// Takes over the terminal, without a query: nothing waits for a reply of
    /// the terminal.
    pub(super) fn take() -> io::Result<Self> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let guard = Self(());
        execute!(
            Waiting(io::stdout()),
            EnterAlternateScreen,
            EnableBracketedPaste
        )?;
        Ok(guard)
    }
}

/// Captures the mouse, or leaves it to the terminal.
pub(super) fn take_mouse(is_taken: bool) -> io::Result<()> {
    let mut out = Waiting(io::stdout());
    if is_taken {
        execute!(out, EnableMouseCapture)
    } else {
        execute!(out, DisableMouseCapture)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal, if driftline has taken it over. Errors are ignored:
/// the terminal may be gone.
pub(super) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = Waiting(io::stdout());
        let _ = pictures::delete_all(&mut out);
        let _ = queue!(
            out,
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        );
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal's modes without writing to it: this also works on a terminal
/// that no longer reads output.
#[cfg(unix)]
pub(super) fn give_back_modes() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal before a panic is reported, so that the report is
/// readable. Called once, at the start.
pub(super) fn give_back_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A panic of a background task is shown on the screen: the dashboard
        // continues and keeps its terminal.
        if std::thread::current().name() == Some(MAIN_THREAD) {
            give_back();
            report(panic);
        }
    }));
}

/// The name of the thread that draws.
const MAIN_THREAD: &str = "main";

/// Clears the terminal and returns a new screen. ratatui's own `clear` queries
/// the terminal for its cursor and waits.
pub(super) fn fresh_screen() -> io::Result<Screen> {
    let mut out = Waiting(io::stdout());
    pictures::delete_all(&mut out)?;
    execute!(out, Clear(ClearType::All))?;
    let is_synchronized = capabilities::takes_more_sequences();
    let size = Size::from(crossterm::terminal::size()?);
    Ok(screen::Screen::new(out, is_synchronized, size))
}

/// The event with the size of the terminal.
pub(super) fn resized() -> Event {
    let (width, height) = crossterm::terminal::size().unwrap_or((80, 24));
    // An implausible shape of a cell is ignored.
    let shape = |(width, height)| (f64::from(height) / f64::from(width)).clamp(1.0, 4.0);
    Event::Resized {
        width,
        height,
        cell_aspect: cell_in_pixels().map_or(2.0, shape),
    }
}

/// `true` if standard input and output are terminals that can be drawn on.
pub(crate) fn is_usable() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    io::stdin().is_terminal() && io::stdout().is_terminal() && (cfg!(windows) || !dumb)
}

/// Puts text on the terminal's clipboard (OSC 52), cut to the size that
/// terminals accept.
pub(super) fn copy(text: &str) -> io::Result<()> {
    // Base64 makes 74 kB of it; several terminals drop longer sequences.
    const MOST: usize = 55_000;
    let cut = text
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .take_while(|&end| end <= MOST)
        .last();
    let text = text.get(..cut.unwrap_or(0)).unwrap_or_default();
    execute!(
        Waiting(io::stdout()),
        crossterm::clipboard::CopyToClipboard::to_clipboard_from(text)
    )
}
