//! Tables of cells, read row by row.

use super::fault::AnswerFault;
use super::record::Record;
use super::shaped::{Reader, Taker};
use crate::formats::read::ChosenColumns;
use crate::formats::read::delimited::{Head, Row, Rows, is_remark, shifted};

/// A table of cells that comes piece by piece.
#[derive(Debug)]
pub(super) struct Cells {
    delimiter: u8,
    rows: Rows,
    /// The names of the columns, once they are read.
    names: Option<Vec<String>>,
    /// The rows that were read, with those that cannot be used.
    pub(super) count: usize,
    /// The row that was cut last, and room for the next one.
    last: Row,
    cut: Row,
    last_byte: u8,
}

impl Cells {
    /// A table that begins like this; what is not read of it remains.
    pub(super) fn new(start: &mut &[u8]) -> Self {
        let head = Head::read(start, &ChosenColumns::default());
        Self {
            delimiter: head.delimiter,
            rows: Rows::new(head.delimiter),
            names: None,
            count: 0,
            last: Row::default(),
            cut: Row::default(),
            last_byte: b'\n',
        }
    }

    /// The bytes of the row that is being read.
    pub(super) fn held(&self) -> usize {
        self.rows.held()
    }

    /// `true` if the last row has no line end so far.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.last_byte, b'\n' | b'\r')
    }
}

impl<T: Taker> Reader<'_, T> {
    /// Reads a table of cells that commas, semicolons or tabs part.
    pub(super) fn cells(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let mut rest = body.as_bytes();
        let mut cells = Cells::new(&mut rest);
        self.take_cells(&mut cells, rest)?;
        self.end_cells(cells)?;
        Ok(None)
    }

    /// Reads the rows of a piece of a table, but for the last one: what is at the end of a
    /// table is judged otherwise.
    pub(super) fn take_cells(
        &mut self,
        cells: &mut Cells,
        mut piece: &[u8],
    ) -> Result<(), AnswerFault> {
        cells.last_byte = piece.last().copied().unwrap_or(cells.last_byte);
        while cells.rows.take(&mut piece, &mut cells.cut) {
            self.cells_row(cells, false)?;
            std::mem::swap(&mut cells.cut, &mut cells.last);
        }
        Ok(())
    }

    /// Reads the rest of a table.
    pub(super) fn end_cells(&mut self, mut cells: Cells) -> Result<(), AnswerFault> {
        while cells.rows.end(&mut cells.cut) {
            self.cells_row(&mut cells, false)?;
            std::mem::swap(&mut cells.cut, &mut cells.last);
        }
        self.cells_row(&mut cells, true)
    }

    /// Reads the row that was held; the last one of a table without a line end may be cut.
    fn cells_row(&mut self, cells: &mut Cells, is_last: bool) -> Result<(), AnswerFault> {
        let row = &cells.last;
        let is_blank = row.cells.iter().all(|cell| cell.trim().is_empty());
        let Some(names) = &cells.names else {
            if is_blank {
                return Ok(());
            }
            if let Some(why) = row.fault(row.cells.len(), cells.delimiter) {
                return Err(AnswerFault::Unlike(format!("in the line of names {why}")));
            }
            let names = self.columns(row.cells.iter().map(str::trim))?;
            self.look_for_columns(&names)?;
            cells.names = Some(names);
            return Ok(());
        };
        if is_remark(&row.cells, names.len()) {
            return Ok(());
        }
        let fault = row.fault(names.len(), cells.delimiter);
        let is_short = cells.is_open() && row.cells.len() < names.len();
        if is_last && (is_short || fault.is_some()) {
            return Err(AnswerFault::Cut { whole: cells.count });
        }
        if is_last {
            self.look_at_end(names, &row.cells.iter().collect::<Vec<_>>(), cells.count)?;
        }
        match fault.or_else(|| shifted(&row.cells, names.len())) {
            Some(why) => {
                let written = row.cells.iter().collect::<Vec<_>>().join(",");
                self.taker.record(&Record::unusable(why), &written);
            }
            None => self.row(names, row.cells.iter(), cells.count == 0),
        }
        cells.count += 1;
        Ok(())
    }
}
