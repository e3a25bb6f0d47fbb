//! Damaged rows as they are copied: what the type of a column does not say of its values.

use crate::archive::fields::is_batch;
use crate::archive::sql::{Row, Value};
use crate::archive::tables::Table;
use crate::geo::Inside;
use crate::track::{DeclaredState, Platform, Transmission, field_limit};

/// The values of a row, their text in UTF-8; of an entry of the watch list the usual value, where
/// one cannot be read. `None` for a row that is not copied.
pub(super) fn readable(table: &Table, row: &Row) -> Option<Vec<Value>> {
    let columns = table.columns().enumerate();
    is_sound(table, row).then(|| {
        let value = |(index, column)| value(table.name, column, row, index);
        columns.map(value).collect()
    })
}

fn value(table: &str, column: &str, row: &Row, index: usize) -> Value {
    let text = row.text(index);
    let is_text = |read: fn(&str) -> bool| text.as_deref().is_some_and(read);
    let is_read = match (table, column) {
        ("deployment", "platform") => is_text(|name| name.parse::<Platform>().is_ok()),
        ("deployment", "inside") => is_text(|typed| Inside::from_stored(typed).is_some()),
        ("deployment", "state") => is_text(|name| name.parse::<DeclaredState>().is_ok()),
        ("deployment", "field_limits") => is_text(|typed| field_limit::read(typed).is_some()),
        ("deployment", "max_age" | "max_speed" | "valid_from" | "valid_until") => {
            row.number(index).is_some()
        }
        _ => true,
    };
    match (column, &text) {
        (_, Some(text)) if is_read => Value::new(text),
        (_, None) if is_read => row.value(index).clone(),
        ("platform", _) => Value::new(Platform::default().name()),
        _ => Value::Null,
    }
}

/// `true` if a row is copied, if its values have the types of their columns.
fn is_sound(table: &Table, row: &Row) -> bool {
    match table.name {
        "deployment" => row.uuid(1).is_some(),
        "transmission" | "absent" | "override" => {
            let [time, latitude, longitude] = [1, 2, 3].map(|column| row.number(column));
            let fix = time.zip(latitude).zip(longitude);
            fix.is_some_and(|((time, latitude), longitude)| {
                Transmission::new(time, latitude, longitude).is_ok()
            })
        }
        "field_batch" => row.blob(table.width() - 1).is_some_and(is_batch),
        _ => true,
    }
}
