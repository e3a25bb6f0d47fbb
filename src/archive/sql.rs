//! The types that both engines exchange with the rules of the archive: values of columns,
//! rows, parameters of a statement, and errors.

/// Why a statement failed, as far as a caller decides on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorKind {
    /// The stored data are not what was written, or a row holds another type.
    Damaged,
    /// Another program has locked it for too long.
    Busy,
    /// It cannot be opened.
    Unopened,
    /// There is no room for it.
    Full,
    /// The system could not read or write it.
    Io,
    /// The query selects no row.
    NoRow,
    /// The server cannot be reached, or went away.
    #[cfg(feature = "postgres")]
    Unreached,
    /// The server refuses the user or the database.
    #[cfg(feature = "postgres")]
    Refused,
    /// The server has ended a statement that took too long.
    #[cfg(feature = "postgres")]
    Slow,
    /// There is no room for it on the server.
    #[cfg(feature = "postgres")]
    ServerFull,
    /// Anything else: no room, no permission.
    Other,
}

/// Why a statement failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(super) struct Error {
    pub(super) kind: ErrorKind,
    /// The message of the engine.
    pub(super) reason: String,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, Error>;

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

/// The value of a column, borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ValueRef<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

impl ValueRef<'_> {
    /// The whole number; none where it is another type.
    pub(super) fn as_i64(self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(number),
            _ => None,
        }
    }
}

/// A row of a query.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    values: Vec<Value>,
}

impl Row {
    /// Makes it empty, to be filled again.
    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// Adds the value of the next column.
    pub(super) fn push(&mut self, value: Value) {
        self.values.push(value);
    }

    /// The value of a column.
    ///
    /// # Errors
    /// When there is no such column.
    pub(super) fn get_ref(&self, column: usize) -> Result<ValueRef<'_>> {
        let value = self.values.get(column);
        let value = value.ok_or_else(|| wrong_type(column))?;
        Ok(match value {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        })
    }

    /// The value of a column as a type.
    ///
    /// # Errors
    /// When it is another type.
    pub(super) fn get<T: FromValue>(&self, column: usize) -> Result<T> {
        T::from_value(self.get_ref(column)?).ok_or_else(|| wrong_type(column))
    }
}

/// The text in a column, with bytes that are not UTF-8 replaced; none if there is no
/// text.
pub(super) fn text(row: &Row, column: usize) -> Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    })
}

/// `true` if a column holds text in UTF-8, or nothing.
pub(super) fn is_sound_text(row: &Row, column: usize) -> Result<bool> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => true,
        ValueRef::Text(text) => std::str::from_utf8(text).is_ok(),
        _ => false,
    })
}

/// The text in a column, if it is sound.
pub(super) fn sound_text(row: &Row, column: usize) -> Result<Option<String>> {
    if is_sound_text(row, column)? {
        text(row, column)
    } else {
        Ok(None)
    }
}

/// The number in a column; none where there is none.
pub(super) fn number(row: &Row, column: usize) -> Result<Option<f64>> {
    Ok(f64::from_value(row.get_ref(column)?))
}

fn wrong_type(column: usize) -> Error {
    let reason = format!("column {column} has a value of another type");
    Error::new(ErrorKind::Damaged, reason)
}

/// A type that a column can be read as.
pub(super) trait FromValue: Sized {
    /// `None` where the value is another type.
    fn from_value(value: ValueRef<'_>) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        value.as_i64()
    }
}

impl FromValue for u8 {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        value.as_i64()?.try_into().ok()
    }
}

impl FromValue for bool {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        Some(value.as_i64()? != 0)
    }
}

impl FromValue for f64 {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Real(number) => Some(number),
            #[allow(clippy::cast_precision_loss)] // a time or a position
            ValueRef::Integer(number) => Some(number as Self),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Text(text) => std::str::from_utf8(text).ok().map(str::to_owned),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Blob(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// A type that a parameter of a statement can have.
pub(super) trait ToValue {
    fn to_value(&self) -> Value;
}

impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
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

/// `[]`, for a statement without parameters.
impl Params for [Value; 0] {
    fn values(self) -> Vec<Value> {
        Vec::new()
    }
}

macro_rules! arrays {
    ($($length:literal)*) => {$(
        impl<T: ToValue> Params for [T; $length] {
            fn values(self) -> Vec<Value> {
                self.iter().map(ToValue::to_value).collect()
            }
        }
    )*};
}

arrays!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);

/// Parameters of several types.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        [$($crate::archive::sql::ToValue::to_value(&$value)),*]
    };
}
pub(super) use params;

/// A row or none: no row is not an error.
pub(super) trait OptionalExtension<T> {
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind == ErrorKind::NoRow => Ok(None),
            Err(error) => Err(error),
        }
    }
}
