//! A screen that writes nothing for a frame in which nothing has changed. ratatui's
//! own resets colours and hides the cursor with each frame.

use std::io;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// What of the cursor is known on the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Unknown,
    Hidden,
    /// Where it is shown; none where it was moved by what was drawn.
    Shown(Option<Position>),
}

/// A backend that passes on what changes the terminal.
#[derive(Debug)]
pub(super) struct ChangesOnly<B> {
    backend: B,
    cursor: Cursor,
    /// Whether anything was written since the last flush.
    is_written: bool,
}

impl<B> ChangesOnly<B> {
    pub(super) fn new(backend: B) -> Self {
        Self {
            backend,
            cursor: Cursor::Unknown,
            is_written: false,
        }
    }

    /// Notes that something is written which moves the cursor.
    fn written(&mut self) -> &mut B {
        self.is_written = true;
        if let Cursor::Shown(at) = &mut self.cursor {
            *at = None;
        }
        &mut self.backend
    }
}

impl<B: Backend<Error = io::Error>> Backend for ChangesOnly<B> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        match content.peek() {
            Some(_) => self.written().draw(content),
            None => Ok(()),
        }
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.written().append_lines(count)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor == Cursor::Hidden {
            return Ok(());
        }
        self.written().hide_cursor()?;
        self.cursor = Cursor::Hidden;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if matches!(self.cursor, Cursor::Shown(_)) {
            return Ok(());
        }
        self.written().show_cursor()?;
        self.cursor = Cursor::Shown(None);
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.backend.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor == Cursor::Shown(Some(position)) {
            return Ok(());
        }
        self.written().set_cursor_position(position)?;
        if let Cursor::Shown(at) = &mut self.cursor {
            *at = Some(position);
        }
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.written().clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.written().clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.backend.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.backend.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.is_written) {
            true => self.backend.flush(),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::Write;
    use std::rc::Rc;

    use ratatui::Terminal;
    use ratatui::backend::CrosstermBackend;
    use ratatui::layout::Rect;
    use ratatui::{TerminalOptions, Viewport};

    use super::*;

    /// What is written, shared with the test.
    #[derive(Clone, Default)]
    struct Written(Rc<RefCell<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_frame_in_which_nothing_has_changed_writes_nothing() {
        let written = Written::default();
        let backend = ChangesOnly::new(CrosstermBackend::new(written.clone()));
        let viewport = Viewport::Fixed(Rect::new(0, 0, 20, 2));
        let mut screen = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        let mut frame = |words: &'static str, cursor: Option<(u16, u16)>| {
            let draw = |frame: &mut ratatui::Frame<'_>| {
                frame.render_widget(words, frame.area());
                if let Some(at) = cursor {
                    frame.set_cursor_position(at);
                }
            };
            screen.draw(draw).unwrap();
            String::from_utf8(std::mem::take(&mut *written.0.borrow_mut())).unwrap()
        };
        assert!(frame("one", None).contains("one"));
        assert_eq!(frame("one", None), "");
        assert!(frame("two", None).contains("two"));
        // A cursor that appears, that what is drawn has moved, that goes elsewhere,
        // and that disappears.
        assert_eq!(frame("two", Some((3, 0))), "\u{1b}[?25h\u{1b}[1;4H");
        assert_eq!(frame("two", Some((3, 0))), "");
        assert!(frame("ten", Some((3, 0))).ends_with("\u{1b}[1;4H"));
        assert_eq!(frame("ten", Some((4, 0))), "\u{1b}[1;5H");
        assert_eq!(frame("ten", None), "\u{1b}[?25l");
    }
}
