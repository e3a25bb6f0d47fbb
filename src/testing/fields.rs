//! Records with fields, as an ice buoy sends them.

use crate::track::Records;
use crate::track::field::{FieldRows, FieldTable, FieldValue};

use super::track::{Numbers, records};

/// Records with a field for each of `names`; `value` has the number of each by
/// its place and the number of the record.
pub(crate) fn with_fields(
    fixes: impl IntoIterator<Item = Numbers>,
    names: &[String],
    value: impl Fn(usize, usize) -> Option<f64>,
) -> Records {
    let records = records(fixes);
    let mut table = FieldTable::default();
    for (record, row) in (0..records.transmissions.len()).zip(0u32..) {
        table.begin();
        for (place, name) in names.iter().enumerate() {
            if let Some(number) = value(place, record) {
                table
                    .add(row, name, FieldValue::Number(number), |_| true)
                    .unwrap();
            }
        }
    }
    Records {
        fields: FieldRows::new(table),
        ..records
    }
}

/// Records with a text in the field `name`; `text` has that of each by its number.
pub(crate) fn with_texts(
    fixes: impl IntoIterator<Item = Numbers>,
    name: &str,
    text: impl Fn(u32) -> String,
) -> Records {
    let records = records(fixes);
    let mut table = FieldTable::default();
    for row in (0..records.transmissions.len())
        .zip(0u32..)
        .map(|(_, row)| row)
    {
        table.begin();
        let value = text(row);
        table
            .add(row, name, FieldValue::Text(&value), |_| true)
            .unwrap();
    }
    Records {
        fields: FieldRows::new(table),
        ..records
    }
}

/// The records of a buoy on the ice with hourly fixes from `start` (UNIX
/// seconds): air temperature with a gap of ten fixes, battery voltage, a
/// constant and a string of `sensors` thermistors, in which the cold goes down.
pub(crate) fn ice_buoy(start: f64, fixes: u32, sensors: usize) -> Records {
    let mut names = ["air_temp", "battery_voltage", "sensor_count"]
        .map(str::to_owned)
        .to_vec();
    names.extend((0..sensors).map(|number| format!("dtc_values_{number}")));
    let count = f64::from(fixes);
    with_fields(
        (0..fixes).map(|n| {
            let n = f64::from(n);
            let turn = n * 0.6;
            (
                start + 3600.0 * n,
                84.2 + 0.004 * n + 0.01 * turn.sin(),
                20.0 + 0.02 * n + 0.02 * turn.cos(),
            )
        }),
        &names,
        |place, record| {
            let n = f64::from(u32::try_from(record).unwrap_or(0));
            let air = -18.0 - 6.0 * (n * 0.26).sin() - 8.0 * n / count;
            let round = |value: f64| (value * 100.0).round() / 100.0;
            match place {
                0 => (!(20..30).contains(&record)).then(|| round(air)),
                1 => Some(round(14.2 - 0.9 * n / count)),
                2 => Some(80.0),
                _ => {
                    let depth = f64::from(u32::try_from(place - 3).unwrap_or(0));
                    let front = 10.0 + 40.0 * n / count;
                    Some(round((air * (1.0 - depth / front)).min(-1.8)))
                }
            }
        },
    )
}
