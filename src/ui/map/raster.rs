//! Lines as dots: eight to a cell in braille, one in ASCII.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::layout::Area;

/// Which of two lines gives a cell its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    /// Gives way to everything.
    Graticule,
    /// The coast.
    Coast,
    /// A leg over a gap.
    Gap,
    /// The track.
    Track,
    /// A measurement.
    Measure,
}

/// Dots across and down a cell.
const ACROSS: u16 = 2;
const DOWN: u16 = 4;

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    dots: u8,
    style: Style,
    priority: Option<Priority>,
}

/// The dots of an area.
pub(super) struct Raster {
    width: u16,
    height: u16,
    cells: Vec<Cell>,
}

impl Raster {
    /// An area of so many cells, empty.
    pub(super) fn new(width: u16, height: u16) -> Self {
        let cells = vec![Cell::default(); usize::from(width) * usize::from(height)];
        Self {
            width,
            height,
            cells,
        }
    }

    /// Draws a line through points in cells. One point is a dot.
    pub(super) fn line(&mut self, points: &[(f64, f64)], style: Style, priority: Priority) {
        // Dots of the graticule stand apart, so that it stays behind the track.
        let every = match priority {
            Priority::Graticule => 4,
            Priority::Gap => 3,
            Priority::Coast | Priority::Track | Priority::Measure => 1,
        };
        let mut count: u32 = 0;
        let mut last = None;
        for (from, to) in points
            .iter()
            .zip(points.iter().skip(1).chain(points.last()))
        {
            let Some((from, to)) = clip(*from, *to, f64::from(self.width), f64::from(self.height))
            else {
                continue;
            };
            let (x0, y0) = (from.0 * f64::from(ACROSS), from.1 * f64::from(DOWN));
            let (x1, y1) = (to.0 * f64::from(ACROSS), to.1 * f64::from(DOWN));
            let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the area
            for step in 0..=(steps as u32) {
                let part = f64::from(step) / steps;
                let (x, y) = (x0 + (x1 - x0) * part, y0 + (y1 - y0) * part);
                let dot = (x.floor() as u16, y.floor() as u16);
                if last == Some(dot) {
                    continue;
                }
                last = Some(dot);
                count += 1;
                if count.is_multiple_of(every) || every == 1 {
                    self.dot(dot, style, priority);
                }
            }
        }
    }

    fn dot(&mut self, (x, y): (u16, u16), style: Style, priority: Priority) {
        // Braille numbers its dots down the left column, then the right one,
        // the lowest row last.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let (column, row) = (x / ACROSS, y / DOWN);
        if column >= self.width || row >= self.height {
            return;
        }
        let bits = BITS
            .get(usize::from(y % DOWN))
            .and_then(|row| row.get(usize::from(x % ACROSS)));
        let index = usize::from(row) * usize::from(self.width) + usize::from(column);
        if let (Some(bits), Some(cell)) = (bits, self.cells.get_mut(index)) {
            // A cell has one colour: a line of less weight leaves no dots in
            // the cell of a heavier one.
            if cell.priority < Some(priority) {
                cell.dots = 0;
            }
            if cell.priority <= Some(priority) {
                *cell = Cell {
                    dots: cell.dots | bits,
                    style,
                    priority: Some(priority),
                };
            }
        }
    }

    /// Puts the dots into the buffer.
    pub(super) fn draw(&self, buffer: &mut Buffer, area: Area, unicode: bool) {
        for (index, cell) in self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.dots != 0)
        {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let column = u16::try_from(index % u32::from(self.width)).unwrap_or(0);
            let row = u16::try_from(index / u32::from(self.width)).unwrap_or(0);
            let symbol = if unicode {
                char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or(' ')
            } else if cell.priority == Some(Priority::Graticule) {
                '.'
            } else if cell.priority == Some(Priority::Coast) {
                '~'
            } else {
                '*'
            };
            if let Some(target) = buffer.cell_mut((area.x + column, area.y + row)) {
                target.set_char(symbol).set_style(cell.style);
            }
        }
    }
}

/// The part of a line from `from` to `to` within the area (Liang and Barsky,
/// ACM Transactions on Graphics 3, 1984); none where it misses it.
fn clip(
    from: (f64, f64),
    to: (f64, f64),
    width: f64,
    height: f64,
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    // A hair inside, so that the last dot of the area is still in it.
    let (right, bottom) = (width - 1e-6, height - 1e-6);
    for (toward, room) in [
        (-dx, from.0),
        (dx, right - from.0),
        (-dy, from.1),
        (dy, bottom - from.1),
    ] {
        if toward == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else {
            let at = room / toward;
            if toward < 0.0 {
                enter = enter.max(at);
            } else {
                leave = leave.min(at);
            }
        }
    }
    let at = |part: f64| (from.0 + dx * part, from.1 + dy * part);
    (enter <= leave).then(|| (at(enter), at(leave)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(points: &[(f64, f64)]) -> Vec<u8> {
        let mut raster = Raster::new(3, 2);
        raster.line(points, Style::new(), Priority::Track);
        raster.cells.iter().map(|cell| cell.dots).collect()
    }

    #[test]
    fn a_line_is_made_of_the_dots_it_touches() {
        // Along the upper edge of the first row: both upper dots of each cell.
        assert_eq!(dots(&[(0.0, 0.0), (3.0, 0.0)]), [0x09, 0x09, 0x09, 0, 0, 0]);
        assert_eq!(dots(&[(0.0, 0.0), (0.0, 2.0)]), [0x47, 0, 0, 0x47, 0, 0]);
        assert_eq!(dots(&[(1.6, 1.9)]), [0, 0, 0, 0, 0x80, 0]);
    }

    #[test]
    fn what_lies_outside_leaves_no_dot_and_what_crosses_is_cut() {
        assert_eq!(dots(&[(-5.0, -5.0), (-1.0, 3.0)]), [0; 6]);
        assert_eq!(
            dots(&[(-1e9, 0.0), (1e9, 0.0)]),
            [0x09, 0x09, 0x09, 0, 0, 0]
        );
    }

    proptest::proptest! {
        #[test]
        fn no_line_leaves_the_area(a in -1e6f64..1e6, b in -1e6f64..1e6, c in -1e6f64..1e6, d in -1e6f64..1e6) {
            dots(&[(a, b), (c, d)]);
        }
    }
}
