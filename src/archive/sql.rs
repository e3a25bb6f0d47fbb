//! The types that both engines exchange with the rules of the archive: values of columns,
//! rows, and parameters of a statement.

use std::path::Path;

use rusqlite::types::{FromSql, ToSql, ToSqlOutput, ValueRef};
use uuid::Uuid;

use super::ArchiveError;

/// Why a row was not read.
#[derive(Debug)]
pub(super) enum RowError {
    /// This column has a value of the wrong type.
    WrongType(usize),
    /// An operation of the archive on what was read failed.
    Archive(ArchiveError),
}

impl RowError {
    pub(super) fn into_archive_error(self, name: &Path) -> ArchiveError {
        match self {
            Self::WrongType(column) => ArchiveError::Damaged {
                path: name.to_owned(),
                reason: format!("column {column} has a value of another type"),
            },
            Self::Archive(error) => error,
        }
    }
}

impl From<ArchiveError> for RowError {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

/// The result of an operation on the archive.
pub(super) type Result<T> = std::result::Result<T, ArchiveError>;
/// The result of reading a row.
pub(super) type RowResult<T> = std::result::Result<T, RowError>;

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    /// Text, in UTF-8 unless it is damaged.
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Value {
    fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }
    }

    /// The value of a parameter.
    pub(super) fn new(given: &(impl ToSql + ?Sized)) -> Self {
        match given.to_sql() {
            Ok(ToSqlOutput::Borrowed(value)) => value.into(),
            Ok(ToSqlOutput::Owned(value)) => ValueRef::from(&value).into(),
            // No type of a column is another one, or fails.
            _ => Self::Null,
        }
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(text.to_vec()),
            ValueRef::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.as_ref()))
    }
}

/// A row of a query.
#[derive(Debug, Default)]
pub(super) struct Row(pub(super) Vec<Value>);

impl Row {
    pub(super) fn value(&self, column: usize) -> &Value {
        self.0.get(column).unwrap_or(&Value::Null)
    }

    /// The value of a column as a type.
    ///
    /// # Errors
    /// When it is of a different type.
    pub(super) fn get<T: FromSql>(&self, column: usize) -> RowResult<T> {
        T::column_result(self.value(column).as_ref()).map_err(|_| RowError::WrongType(column))
    }

    /// The text in a column, with bytes that are not UTF-8 replaced.
    pub(super) fn text(&self, column: usize) -> Option<String> {
        match self.value(column) {
            Value::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        }
    }

    /// `true` if a column holds text in UTF-8, or nothing.
    pub(super) fn is_sound_text(&self, column: usize) -> bool {
        match self.value(column) {
            Value::Null => true,
            Value::Text(text) => std::str::from_utf8(text).is_ok(),
            _ => false,
        }
    }

    /// The text in a column, if it is UTF-8.
    pub(super) fn sound_text(&self, column: usize) -> Option<String> {
        self.get(column).ok()
    }

    /// A UUID; `None` for a value that is none.
    pub(super) fn uuid(&self, column: usize) -> Option<Uuid> {
        self.text(column)?.parse().ok()
    }

    pub(super) fn number(&self, column: usize) -> Option<f64> {
        self.get(column).ok()
    }

    /// The bytes in a column.
    pub(super) fn blob(&self, column: usize) -> Option<&[u8]> {
        match self.value(column) {
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// The parameters of a statement.
pub(super) trait Params {
    fn values(self) -> Vec<Value>;
}

impl Params for () {
    fn values(self) -> Vec<Value> {
        Vec::new()
    }
}

impl Params for Vec<Value> {
    fn values(self) -> Vec<Value> {
        self
    }
}

impl<T: ToSql, const N: usize> Params for [T; N] {
    fn values(self) -> Vec<Value> {
        self.iter().map(Value::new).collect()
    }
}

/// Parameters of several types.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        Vec::from([$($crate::archive::sql::Value::new(&$value)),*])
    };
}
pub(super) use params;
