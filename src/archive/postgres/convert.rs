//! Statements, parameters and values in the form of the server.

use std::borrow::Cow;

use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};

use crate::archive::sql::{RowError, RowResult, Value};

/// A statement in the server's SQL: parameters are `$1` for `?1`, and the table `fetch` is
/// quoted, because the word is a keyword.
pub(super) fn statement(sql: &str) -> String {
    let mut written = String::with_capacity(sql.len() + 16);
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length.max(first.len_utf8()));
        match word {
            "?" => written.push('$'),
            "fetch" => written.push_str("\"fetch\""),
            word => written.push_str(word),
        }
        rest = after;
    }
    written
}

pub(super) type Parameter<'a> = (Box<dyn ToSql + Sync + 'a>, Type);

/// The parameters of a statement. The server derives the type of a missing value.
pub(super) fn parameters(values: &[Value]) -> Vec<Parameter<'_>> {
    let parameter = |value| -> Parameter<'_> {
        match value {
            &Value::Null => (Box::new(None::<&str>), Type::UNKNOWN),
            &Value::Integer(number) => (Box::new(number), Type::INT8),
            &Value::Real(number) => (Box::new(number), Type::FLOAT8),
            Value::Text(text) => (Box::new(storable(text)), Type::TEXT),
            Value::Blob(bytes) => (Box::new(bytes.as_slice()), Type::BYTEA),
        }
    };
    values.iter().map(parameter).collect()
}

/// The parameters as the client accepts them.
pub(super) fn typed<'a>(parameters: &'a [Parameter<'_>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    let typed = |(value, kind): &'a Parameter<'_>| (&**value as &(dyn ToSql + Sync), kind.clone());
    parameters.iter().map(typed).collect()
}

/// A text that the server can store, which is any text without NUL.
fn storable(text: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(text) {
        text if text.contains('\0') => Cow::Owned(text.replace('\0', "\u{fffd}")),
        text => text,
    }
}

/// The value of a column.
///
/// # Errors
/// When it is of a type that driftline never stores.
pub(super) fn value(row: &Row, column: usize) -> RowResult<Value> {
    let kind = row.columns().get(column).map(|column| column.type_());
    match kind {
        Some(&Type::INT8) => read(row, column, Value::Integer),
        Some(&Type::INT4) => read(row, column, |number: i32| Value::Integer(number.into())),
        Some(&Type::BOOL) => read(row, column, |is: bool| Value::Integer(is.into())),
        Some(&Type::FLOAT8) => read(row, column, Value::Real),
        Some(&Type::TEXT | &Type::NAME) => {
            read(row, column, |text: String| Value::Text(text.into_bytes()))
        }
        Some(&Type::BYTEA) => read(row, column, Value::Blob),
        _ => Err(RowError::WrongType(column)),
    }
}

fn read<'r, T: FromSql<'r>>(
    row: &'r Row,
    column: usize,
    to_value: impl Fn(T) -> Value,
) -> RowResult<Value> {
    let value: Option<T> = row
        .try_get(column)
        .map_err(|_| RowError::WrongType(column))?;
    Ok(value.map_or(Value::Null, to_value))
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn a_statement_is_written_as_the_server_reads_it() {
        assert_eq!(
            statement("SELECT f.at, 'ä' FROM fetch f WHERE fetches = ?12 AND id=?1"),
            "SELECT f.at, 'ä' FROM \"fetch\" f WHERE fetches = $12 AND id=$1"
        );
    }
}
