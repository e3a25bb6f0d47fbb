//! The terminal: taken, given back, and given back whatever happens.

use std::io::{self, IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, window_size,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::ops::output::Waiting;

/// Whether the terminal is ours at the moment, so that it is given back once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The screen, drawn through a buffer so that a frame is few writes. It is never
/// dropped: ratatui's own farewell prints where it fails, and panics where the
/// terminal is gone. [`give_back`] shows the cursor.
pub(super) type Screen =
    ManuallyDrop<Terminal<CrosstermBackend<io::BufWriter<Waiting<io::Stdout>>>>>;

/// Holds the terminal; dropping it gives it back.
pub(super) struct Guard(());

impl Guard {
    /// Takes the terminal. Nothing is asked of it, so nothing waits for its
    /// answer.
    pub(super) fn take() -> io::Result<Self> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let guard = Self(());
        execute!(
            Waiting(io::stdout()),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableMouseCapture
        )?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, if it is ours. Errors have nowhere to go: the
/// terminal may be gone.
pub(super) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = Waiting(io::stdout());
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

/// Puts the terminal's modes right without writing to it: what can still be
/// done when it has stopped taking output.
pub(super) fn give_back_modes() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
    }
}

/// Gives the terminal back before a panic is reported, so that the report is
/// readable. Called once, at the start.
pub(super) fn give_back_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A panic of a background task is told on the screen: the dashboard
        // goes on and keeps its terminal.
        if std::thread::current().name() == Some(MAIN_THREAD) {
            give_back();
            report(panic);
        }
    }));
}

/// The name of the thread that draws.
const MAIN_THREAD: &str = "main";

/// A screen over the taken terminal.
pub(super) fn screen() -> io::Result<Screen> {
    let out = io::BufWriter::with_capacity(1 << 16, Waiting(io::stdout()));
    Terminal::new(CrosstermBackend::new(out)).map(ManuallyDrop::new)
}

/// A screen that knows nothing of what stands on the terminal, which is wiped.
/// ratatui's own way to clear asks the terminal for its cursor and waits.
pub(super) fn fresh_screen() -> io::Result<Screen> {
    execute!(Waiting(io::stdout()), Clear(ClearType::All))?;
    screen()
}

/// Columns, rows and the shape of a cell (height over width; 2 where the
/// terminal does not tell).
pub(super) fn size() -> (u16, u16, f64) {
    match window_size() {
        Ok(size) if size.width > 0 && size.height > 0 && size.columns > 0 && size.rows > 0 => {
            let cell_width = f64::from(size.width) / f64::from(size.columns);
            let cell_height = f64::from(size.height) / f64::from(size.rows);
            // A terminal that tells nonsense is not believed.
            (
                size.columns,
                size.rows,
                (cell_height / cell_width).clamp(1.0, 4.0),
            )
        }
        Ok(size) => (size.columns, size.rows, 2.0),
        Err(_) => {
            let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
            (columns, rows, 2.0)
        }
    }
}

/// Whether standard input and output are terminals that can be drawn on.
pub(crate) fn is_usable() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    io::stdin().is_terminal() && io::stdout().is_terminal() && (cfg!(windows) || !dumb)
}

/// Puts text on the terminal's clipboard (OSC 52), cut to what terminals take.
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
