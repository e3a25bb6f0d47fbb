//! Statements, parameters and values, as the server has them.

use std::borrow::Cow;

use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::archive::sql::{Error, ErrorKind, Result, Value};

/// A statement as the server reads it: parameters are `$1` for `?1`, and `fetch`
/// is a word of its own SQL, which a table of that name needs quotes for.
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

/// A parameter with its type.
pub(super) type Parameter<'a> = (Box<dyn ToSql + Sync + 'a>, Type);

/// The parameters of a statement. The server finds the type of one without a
/// value by itself.
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

/// The same as the client takes them.
pub(super) fn typed<'a>(parameters: &'a [Parameter<'_>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    let one = |(value, kind): &'a Parameter<'_>| (&**value as &(dyn ToSql + Sync), kind.clone());
    parameters.iter().map(one).collect()
}

/// A text as the server can store it, which is every text without NUL.
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
pub(super) fn value(row: &Row, column: usize) -> Result<Value> {
    let kind = row
        .columns()
        .get(column)
        .map(|column| column.type_().clone());
    let value = match kind {
        Some(Type::INT8) => row.try_get::<_, Option<i64>>(column)?.map(Value::Integer),
        Some(Type::INT4) => row
            .try_get::<_, Option<i32>>(column)?
            .map(|number| Value::Integer(number.into())),
        Some(Type::BOOL) => row
            .try_get::<_, Option<bool>>(column)?
            .map(|is| Value::Integer(is.into())),
        Some(Type::FLOAT8) => row.try_get::<_, Option<f64>>(column)?.map(Value::Real),
        Some(Type::TEXT | Type::NAME) => row
            .try_get::<_, Option<String>>(column)?
            .map(|text| Value::Text(text.into_bytes())),
        Some(Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(column)?.map(Value::Blob),
        _ => {
            let reason = format!("column {column} has a value of another type");
            return Err(Error::new(ErrorKind::Damaged, reason));
        }
    };
    Ok(value.unwrap_or(Value::Null))
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
