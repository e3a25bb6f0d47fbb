//! Keys, mouse and pasted text from the terminal as events of the loop.

use crate::dashboard::event::Event;
use crate::palette::Rgb;

/// An event of the loop.
pub(super) enum LoopEvent {
    /// An event for the Shell.
    Event(Event),
    /// The terminal's background has this colour.
    Background(Rgb),
    /// The terminal draws pictures.
    DrawsPictures,
    /// A signal that ends the program with this status, or the terminal is gone.
    Signal(u8),
    /// The terminal asked the program to stop.
    Stop,
    /// Keys can no longer be read, for this reason.
    InputLost(String),
}

/// Defines `translate_key` and `translate_mouse` for the events of a library. termina and
/// crossterm have the same ones, but for the names of two keys and of the modifiers.
macro_rules! translators {
    ($escape:ident, $function:ident, $modifiers:ident) => {
        fn translate_key(key: KeyEvent) -> Option<Key> {
            if key.kind == KeyEventKind::Release {
                return None;
            }
            let code = match key.code {
                Code::Char(character) => KeyCode::Char(character),
                Code::Enter => KeyCode::Enter,
                Code::$escape => KeyCode::Esc,
                Code::Tab if key.modifiers.contains($modifiers::SHIFT) => KeyCode::BackTab,
                Code::Tab => KeyCode::Tab,
                Code::BackTab => KeyCode::BackTab,
                Code::Backspace => KeyCode::Backspace,
                Code::Delete => KeyCode::Delete,
                Code::Insert => KeyCode::Insert,
                Code::Up => KeyCode::Up,
                Code::Down => KeyCode::Down,
                Code::Left => KeyCode::Left,
                Code::Right => KeyCode::Right,
                Code::Home => KeyCode::Home,
                Code::End => KeyCode::End,
                Code::PageUp => KeyCode::PageUp,
                Code::PageDown => KeyCode::PageDown,
                Code::$function(number) => KeyCode::F(number),
                _ => return None,
            };
            Some(Key {
                code,
                ctrl: key.modifiers.contains($modifiers::CONTROL),
                alt: key.modifiers.contains($modifiers::ALT),
            })
        }

        fn translate_mouse(mouse: MouseEvent) -> Option<Mouse> {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                MouseEventKind::Moved => MouseKind::Move,
                _ => return None,
            };
            Some(Mouse {
                kind,
                column: mouse.column,
                row: mouse.row,
            })
        }
    };
}

#[cfg(not(unix))]
mod console;
#[cfg(unix)]
mod line;

#[cfg(not(unix))]
pub(super) use console::Keys;
#[cfg(unix)]
pub(super) use line::Keys;
