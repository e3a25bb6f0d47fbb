//! The fields of records: what a record carries beside its time and position.

mod choice;
mod column;
mod decimal;
mod label;
mod profile;
mod rows;
mod table;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use choice::FieldChoice;
pub(crate) use column::FieldColumn;
pub(crate) use decimal::Decimal;
pub(crate) use label::label;
pub(crate) use profile::profiles;
pub(crate) use rows::{FieldRows, FixKey, KeyedFields, fix_key};
pub(crate) use table::{FieldTable, LONGEST_VALUE, MOST_FIELDS, SecondValue};
pub(crate) use value::FieldValue;
