//! The text of `track --help` below its options.

use crate::formats::columns_help;
use crate::track::quality::method;

/// The columns of the files, and the quality tests with their limits.
pub(super) fn text() -> String {
    format!(
        "Columns of csv and parquet, members of a fix in json, ndjson and geojson:\n{}Then every field of the records by its own name (csv and parquet: with the prefix field_ if it has a name of this list),\nin json, ndjson and geojson as members of `fields`. NetCDF has a variable for each\n(with the prefix field_ if the file has a variable or dimension of that name); gpx and kml have none.\n\n{}",
        columns_help(),
        method::help_text()
    )
}
