//! A cursor over table rows and the viewport of visible rows.

/// The positions of cursor and viewport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TableState {
    /// The row under the cursor.
    pub cursor: usize,
    /// The first visible row.
    pub top: usize,
}

/// A move of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// By N rows, down positive.
    Rows(isize),
    /// By half a viewport, down positive.
    Half(isize),
    /// By a viewport, down positive.
    Page(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

/// The index `by` after another among `count`, cyclic; 0 without any.
pub(crate) fn cyclic(index: usize, by: isize, count: usize) -> usize {
    let count = count.max(1).cast_signed();
    let next = index.cast_signed().saturating_add(by);
    next.rem_euclid(count).cast_unsigned()
}

impl TableState {
    /// Moves the cursor among `rows` rows, `height` of them visible.
    pub(crate) fn step(&mut self, step: Step, rows: usize, height: usize) {
        let height = height.max(1);
        let by = match step {
            Step::Rows(by) => by,
            Step::Half(by) => by * (height / 2).max(1).cast_signed(),
            Step::Page(by) => by * height.cast_signed(),
            Step::First => isize::MIN,
            Step::Last => isize::MAX,
        };
        self.cursor = self.cursor.saturating_add_signed(by);
        self.settle(rows, height);
    }

    /// Puts the cursor on a row.
    pub(crate) fn go(&mut self, row: usize, rows: usize, height: usize) {
        self.cursor = row;
        self.settle(rows, height);
    }

    /// Limits cursor and viewport to `rows` rows, with the cursor visible. A table that is
    /// not on the screen comes back as it was.
    pub(crate) fn settle(&mut self, rows: usize, height: usize) {
        self.cursor = self.cursor.min(rows.saturating_sub(1));
        if height == 0 {
            self.top = self.top.min(self.cursor);
            return;
        }
        let least = (self.cursor + 1).saturating_sub(height);
        let top = self.top.min(self.cursor).max(least);
        self.top = top.min(rows.saturating_sub(height));
    }

    /// Scrolls the viewport; the cursor stays inside it.
    pub(crate) fn scroll(&mut self, by: isize, rows: usize, height: usize) {
        let height = height.max(1);
        let top = self.top.saturating_add_signed(by);
        self.top = top.min(rows.saturating_sub(height));
        self.cursor = self.cursor.clamp(self.top, self.top + height - 1);
        self.settle(rows, height);
    }

    /// The row shown on line `line` of the viewport, if there is one.
    pub(crate) fn row_at(&self, line: u16, rows: usize) -> Option<usize> {
        let row = self.top + usize::from(line);
        (row < rows).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_was_hidden_comes_back_at_the_same_rows() {
        let mut state = TableState::default();
        state.go(7, 100, 10);
        state.settle(100, 0);
        state.settle(100, 10);
        assert_eq!((state.cursor, state.top), (7, 0));
    }

    #[test]
    fn the_cursor_stays_among_the_rows_and_in_sight() {
        let mut state = TableState::default();
        state.step(Step::Last, 100, 10);
        assert_eq!(
            state,
            TableState {
                cursor: 99,
                top: 90
            }
        );
        state.step(Step::Half(-1), 100, 10);
        assert_eq!(
            state,
            TableState {
                cursor: 94,
                top: 90
            }
        );
        state.step(Step::Page(-1), 100, 10);
        assert_eq!(
            state,
            TableState {
                cursor: 84,
                top: 84
            }
        );
        state.settle(3, 10);
        assert_eq!(state, TableState { cursor: 2, top: 0 });
        state.settle(0, 10);
        assert_eq!(state, TableState::default());
    }

    proptest::proptest! {
        #[test]
        fn any_walk_keeps_the_cursor_in_sight(steps in proptest::collection::vec((0u8..5, -3isize..4), 0..40), rows in 0usize..50, height in 0usize..12) {
            let mut state = TableState::default();
            for (kind, by) in steps {
                match kind {
                    0 => state.step(Step::Rows(by), rows, height),
                    1 => state.step(Step::Half(by), rows, height),
                    2 => state.step(Step::Page(by), rows, height),
                    3 => state.scroll(by, rows, height),
                    _ => state.step(if by > 0 { Step::Last } else { Step::First }, rows, height),
                }
                assert!(state.cursor < rows.max(1));
                assert!(state.top <= state.cursor && state.cursor < state.top + height.max(1));
            }
        }
    }
}
