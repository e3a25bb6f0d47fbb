//! The screen: it writes the cells that differ from those that the terminal shows,
//! and nothing for a frame in which nothing has changed.

use std::io::{self, Write};

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};

use super::pictures::Pictures;
use crate::dashboard::draw::Placed;
use crate::text;

/// Bracket what a terminal that knows synchronized output (mode 2026) shows at once.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// The screen of a terminal that reads what is written to `W`.
// Why not `ratatui::Terminal`, which compares the same buffers (0.30, release build, 160x48): it
// writes 25 bytes (colours, cursor) for a frame in which nothing has changed, which on a slow link
// is one packet each; it takes 0.66 ms for what a plain comparison takes 0.35 ms, since it looks up
// the width of every cell; and where a wide character comes or goes it writes the cells that
// differ, of which terminals that count the character otherwise show remains (`whole` below).
pub(super) struct Screen<W> {
    out: W,
    /// If frames are bracketed.
    is_synchronized: bool,
    /// The frame that the terminal shows.
    shown: Buffer,
    /// The frame that is drawn next; blank until then.
    next: Buffer,
    /// The cell of the cursor, if it is shown; `None` where drawing may have moved it.
    cursor: Option<Option<Position>>,
    pictures: Pictures,
}

impl<W: Write> Screen<W> {
    /// A screen on a blank terminal of this size.
    pub(super) fn new(out: W, is_synchronized: bool, size: Size) -> Self {
        let area = Rect::from((Position::ORIGIN, size));
        Self {
            out,
            is_synchronized,
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            cursor: None,
            pictures: Pictures::default(),
        }
    }

    /// Draws a frame on a blank buffer and writes the changes at once. `frame` adds the pictures
    /// below it and returns the cell of the cursor, `None` if it is hidden.
    pub(super) fn draw(
        &mut self,
        frame: impl FnOnce(&mut Buffer, &mut Vec<Placed>) -> Option<Position>,
    ) -> io::Result<()> {
        let mut bytes = if self.is_synchronized { BEGIN } else { &[] }.to_vec();
        let start = bytes.len();
        let mut backend = CrosstermBackend::new(&mut bytes);
        let mut pictures = Vec::new();
        let cursor = frame(&mut self.next, &mut pictures);
        let changes = changes(&self.shown, &self.next);
        let has_pictures = self.pictures.change(&pictures, &mut backend)?;
        if has_pictures || !changes.is_empty() {
            self.cursor = None;
            backend.draw(changes.into_iter())?;
        }
        if self.cursor != Some(cursor) {
            match cursor {
                None => backend.hide_cursor()?,
                Some(position) => {
                    backend.show_cursor()?;
                    backend.set_cursor_position(position)?;
                }
            }
            self.cursor = Some(cursor);
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        self.next.reset();
        if bytes.len() == start {
            return Ok(());
        }
        if self.is_synchronized {
            bytes.extend(END);
        }
        self.out.write_all(&bytes)?;
        self.out.flush()
    }
}

/// Column, row and content of each cell of a frame that must be written, row by row,
/// where the terminal shows another one of the same size.
fn changes<'a>(shown: &Buffer, next: &'a Buffer) -> Vec<(u16, u16, &'a Cell)> {
    let width = usize::from(next.area.width).max(1);
    let rows = shown.content.chunks(width).zip(next.content.chunks(width));
    let mut changes = Vec::new();
    for (row, (before, after)) in (0u16..).zip(rows) {
        let start = changes.len();
        let mut touches_wide = false;
        let mut left = None;
        for (column, (before, after)) in (0u16..).zip(before.iter().zip(after)) {
            if before != after {
                touches_wide |= is_wide(before) || is_wide(after) || left.is_some_and(is_wide);
                changes.push((column, row, after));
            }
            left = Some(after);
        }
        // When a wide character comes or goes, terminals differ in what remains of the
        // next cell: such a row is written whole.
        if touches_wide {
            changes.truncate(start);
            whole(row, after, &mut changes);
        }
    }
    changes
}

/// `true` if a cell has a character that takes two cells.
fn is_wide(cell: &Cell) -> bool {
    text::width(cell.symbol()) > 1
}

/// Adds the cells of a row. The cell that a wide character covers comes before it, as a
/// blank: a terminal that counts the character as narrow shows the blank, not older
/// content.
fn whole<'a>(row: u16, cells: &'a [Cell], changes: &mut Vec<(u16, u16, &'a Cell)>) {
    let mut rest = (0u16..).zip(cells);
    while let Some((column, cell)) = rest.next() {
        if is_wide(cell)
            && let Some((column, covered)) = rest.next()
        {
            changes.push((column, row, covered));
        }
        changes.push((column, row, cell));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier, Style};

    use crate::terminal::screen::{Buffer, Placed, Position, Screen, Write, io};

    const SIZE: (u16, u16) = (20, 2);

    /// The bytes that were written, shared with the test.
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

    /// A screen with what it writes.
    fn screen(is_synchronized: bool) -> (Screen<Written>, Written) {
        let written = Written::default();
        let screen = Screen::new(written.clone(), is_synchronized, SIZE.into());
        (screen, written)
    }

    #[test]
    fn a_frame_is_bracketed_from_its_first_byte_to_its_last() {
        let (mut screen, written) = screen(true);
        let mut frame = |words: &'static str| {
            let draw = |buffer: &mut Buffer, _: &mut Vec<Placed>| {
                buffer.set_string(0, 0, words, Style::new());
                None
            };
            screen.draw(draw).unwrap();
            String::from_utf8(std::mem::take(&mut *written.0.borrow_mut())).unwrap()
        };
        let one = frame("one");
        let inside = one.strip_prefix("\x1b[?2026h");
        let inside = inside.and_then(|rest| rest.strip_suffix("\x1b[?2026l"));
        let inside = inside.unwrap_or_else(|| panic!("not bracketed: {one:?}"));
        assert!(
            inside.contains("one") && !inside.contains("2026"),
            "{one:?}"
        );
        assert_eq!(frame("one"), "");
    }

    #[test]
    fn a_frame_in_which_nothing_has_changed_writes_nothing() {
        let (mut screen, written) = screen(false);
        let mut frame = |words: &'static str, cursor: Option<(u16, u16)>| {
            let draw = |buffer: &mut Buffer, _: &mut Vec<Placed>| {
                buffer.set_string(0, 0, words, Style::new());
                cursor.map(Position::from)
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
        assert_eq!(frame("ten", Some((4, 0))), "\u{1b}[?25h\u{1b}[1;5H");
        assert_eq!(frame("ten", None), "\u{1b}[?25l");
        // Only what differs is written.
        assert!(!frame("tin", None).contains('t'));
        // What a wide character covers is blank before it is written: this terminal may
        // count it as narrow.
        frame("12 is", None);
        let keycap = frame("1\u{fe0f}\u{20e3} is", None);
        let blank = keycap
            .find("\u{1b}[1;2H ")
            .expect("a blank in the second column");
        assert!(blank < keycap.find('\u{20e3}').unwrap(), "{keycap:?}");
    }

    /// A frame of words with their places and styles.
    fn frames() -> impl Strategy<Value = Vec<Vec<(u16, u16, String, u8)>>> {
        let words = prop_oneof!["[a-c ]{1,12}", "[海冰a ]{1,6}", Just("浮👩x".to_owned())];
        let word = (0..SIZE.0, 0..SIZE.1, words, 0u8..4);
        proptest::collection::vec(proptest::collection::vec(word, 0..5), 1..6)
    }

    fn styled(style: u8) -> Style {
        match style {
            0 => Style::new(),
            1 => Style::new().fg(Color::Red),
            2 => Style::new().bg(Color::Indexed(24)),
            _ => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    fn paint(buffer: &mut Buffer, words: &[(u16, u16, String, u8)]) -> Option<Position> {
        for (x, y, word, style) in words {
            buffer.set_string(*x, *y, word, styled(*style));
        }
        None
    }

    /// The visible content of each cell: a blank has no colour of its own.
    fn shown_cells(
        screen: &vt100::Screen,
    ) -> Vec<(String, Option<vt100::Color>, vt100::Color, bool)> {
        let places = (0..SIZE.1).flat_map(|row| (0..SIZE.0).map(move |column| (row, column)));
        places
            .filter_map(|(row, column)| screen.cell(row, column))
            .map(|cell| {
                let words = cell.contents().trim().to_owned();
                let colour = (!words.is_empty()).then(|| cell.fgcolor());
                (words, colour, cell.bgcolor(), cell.inverse())
            })
            .collect()
    }

    proptest! {
        /// A terminal shows after many frames what it shows after the last one alone.
        #[test]
        fn what_stands_after_changes_is_the_last_frame(frames in frames()) {
            let shown = |frames: &[Vec<(u16, u16, String, u8)>]| {
                let (mut screen, written) = screen(false);
                for frame in frames {
                    screen.draw(|buffer, _| paint(buffer, frame)).unwrap();
                }
                let cells = |count| std::num::NonZero::new(count).unwrap();
                let mut terminal = vt100::Parser::new(cells(SIZE.1), cells(SIZE.0), 0);
                terminal.process(&written.0.borrow());
                shown_cells(terminal.screen())
            };
            prop_assert_eq!(shown(&frames), shown(&frames[frames.len() - 1..]));
        }
    }
}
