//! Rectangles of cells.

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// A rectangle.
    pub(crate) const fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// `true` if a cell is in it.
    pub(crate) fn contains(self, column: u16, row: u16) -> bool {
        column >= self.x
            && column - self.x < self.width
            && row >= self.y
            && row - self.y < self.height
    }

    /// `true` if it has no cells.
    pub(crate) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// The cells of a line from a column on; empty outside the area.
    pub(crate) fn at(self, x: u16, line: u16) -> Self {
        let is_inside = x < self.width && line < self.height;
        Self {
            x: self.x.saturating_add(x),
            y: self.y.saturating_add(line),
            width: if is_inside { self.width - x } else { 0 },
            height: u16::from(is_inside),
        }
    }

    /// Returns the upper `rows` rows and the rest.
    pub(crate) fn split_top(self, rows: u16) -> (Self, Self) {
        let rows = rows.min(self.height);
        (
            Self {
                height: rows,
                ..self
            },
            Self {
                y: self.y + rows,
                height: self.height - rows,
                ..self
            },
        )
    }

    /// Returns the rest and the lower `rows` rows.
    pub(crate) fn split_bottom(self, rows: u16) -> (Self, Self) {
        self.split_top(self.height.saturating_sub(rows))
    }

    /// Returns the left `columns` columns and the rest.
    pub(crate) fn split_left(self, columns: u16) -> (Self, Self) {
        let columns = columns.min(self.width);
        (
            Self {
                width: columns,
                ..self
            },
            Self {
                x: self.x + columns,
                width: self.width - columns,
                ..self
            },
        )
    }

    /// Returns it without the cells of a frame around it.
    pub(crate) fn within_frame(self) -> Self {
        Self {
            x: self.x + self.width.min(1),
            y: self.y + self.height.min(1),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }

    /// Returns it without its first and its last column.
    pub(super) fn within_margins(self) -> Self {
        Self {
            x: self.x + self.width.min(1),
            width: self.width.saturating_sub(2),
            ..self
        }
    }

    /// A rectangle of this size in its middle, cut to it.
    pub(crate) fn centred(self, width: u16, height: u16) -> Self {
        let (width, height) = (width.min(self.width), height.min(self.height));
        Self {
            x: self.x + (self.width - width) / 2,
            y: self.y + (self.height - height) / 2,
            width,
            height,
        }
    }
}
