//! The types that both engines exchange with the rules of the archive: values of columns,
//! rows, and parameters of a statement.

use std::path::Path;

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
    /// The error of the archive with this name.
    pub(super) fn of(self, name: &Path) -> ArchiveError {
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

/// A row of a query.
#[derive(Debug, Default)]
pub(super) struct Row(pub(super) Vec<Value>);

impl Row {
    /// The value of a column.
    pub(super) fn value(&self, column: usize) -> &Value {
        self.0.get(column).unwrap_or(&Value::Null)
    }

    /// The value of a column as a type.
    ///
    /// # Errors
    /// When it is of a different type.
    pub(super) fn get<T: FromValue>(&self, column: usize) -> RowResult<T> {
        T::from_value(self.value(column)).ok_or(RowError::WrongType(column))
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
        String::from_value(self.value(column))
    }

    /// A UUID; `None` for a value that is none.
    pub(super) fn uuid(&self, column: usize) -> Option<Uuid> {
        self.text(column)?.parse().ok()
    }

    /// The number in a column.
    pub(super) fn number(&self, column: usize) -> Option<f64> {
        f64::from_value(self.value(column))
    }

    /// The bytes in a column.
    pub(super) fn blob(&self, column: usize) -> Option<&[u8]> {
        match self.value(column) {
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A type that a column can be read as.
pub(super) trait FromValue: Sized {
    /// `None` for a value of a different type.
    fn from_value(value: &Value) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }
}

impl FromValue for u8 {
    fn from_value(value: &Value) -> Option<Self> {
        i64::from_value(value)?.try_into().ok()
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Option<Self> {
        Some(i64::from_value(value)? != 0)
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Real(number) => Some(*number),
            #[allow(clippy::cast_precision_loss)] // a time or a position
            Value::Integer(number) => Some(*number as Self),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => std::str::from_utf8(text).ok().map(str::to_owned),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// A type that a parameter of a statement can have.
pub(super) trait ToValue {
    fn to_value(&self) -> Value;
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        Value::Text(self.as_bytes().to_vec())
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        self.as_str().to_value()
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value {
        Value::Blob(self.clone())
    }
}

impl ToValue for f64 {
    fn to_value(&self) -> Value {
        Value::Real(*self)
    }
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl ToValue for $type {
            fn to_value(&self) -> Value {
                Value::Integer(i64::from(*self))
            }
        }
    )*};
}

whole_numbers!(i64, i32, u32, u16, u8, bool);

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (*self).to_value()
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

impl<T: ToValue, const N: usize> Params for [T; N] {
    fn values(self) -> Vec<Value> {
        self.iter().map(ToValue::to_value).collect()
    }
}

/// Parameters of several types.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        Vec::from([$($crate::archive::sql::ToValue::to_value(&$value)),*])
    };
}
pub(super) use params;
