//! A prepared statement of either engine, and the rows of a query.

use super::sql::{Params, Result, Row, Value};

/// A prepared statement of an engine.
pub(super) trait Prepared {
    /// Runs a query.
    fn query(&mut self, values: &[Value]) -> Result<Box<dyn EngineRows + '_>>;

    /// Runs a statement; returns the number of changed rows.
    fn execute(&mut self, values: &[Value]) -> Result<usize>;
}

/// The rows of a query of an engine, read one by one.
pub(super) trait EngineRows {
    /// Reads the next row into `row`; returns whether there is one.
    fn next(&mut self, row: &mut Row) -> Result<bool>;
}

/// A prepared statement.
pub(super) struct Statement<'c>(Box<dyn Prepared + 'c>);

impl<'c> Statement<'c> {
    pub(super) fn new(prepared: Box<dyn Prepared + 'c>) -> Self {
        Self(prepared)
    }

    /// Runs a query.
    pub(super) fn query(&mut self, values: impl Params) -> Result<Rows<'_>> {
        Ok(Rows {
            inner: self.0.query(&values.values())?,
            row: Row::default(),
        })
    }

    /// Runs a query, of whose rows each is read by `read`.
    pub(super) fn query_map<T, F: FnMut(&Row) -> Result<T>>(
        &mut self,
        values: impl Params,
        read: F,
    ) -> Result<MappedRows<'_, F>> {
        let rows = self.query(values)?;
        Ok(MappedRows { rows, read })
    }

    /// Runs a statement; returns the number of changed rows.
    pub(super) fn execute(&mut self, values: impl Params) -> Result<usize> {
        self.0.execute(&values.values())
    }
}

/// The rows of a query, read one by one.
pub(super) struct Rows<'s> {
    inner: Box<dyn EngineRows + 's>,
    row: Row,
}

impl Rows<'_> {
    /// The next row; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&Row>> {
        Ok(self.inner.next(&mut self.row)?.then_some(&self.row))
    }
}

/// The rows of a query, each as it is read.
pub(super) struct MappedRows<'s, F> {
    rows: Rows<'s>,
    read: F,
}

impl<T, F: FnMut(&Row) -> Result<T>> Iterator for MappedRows<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let row = self.rows.next().transpose()?;
        Some(row.and_then(&mut self.read))
    }
}
