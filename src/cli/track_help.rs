//! What `track --help` says below its options.

use crate::track::quality::method;

/// The columns of the files, and the quality tests with their limits.
pub(super) fn text() -> String {
    format!(
        "Columns of csv and parquet, members of a fix in json, ndjson and geojson:\n  time, time_stamp, latitude, longitude, distance_m, speed_m_s, course_deg, gap_s, qc_flag, qc_reason,\n  and absent_from_latest_response (true or false) only if the service no longer sends some fix of the track;\n  then every field of the records by its own name (csv and parquet: with the prefix field_ if it has a name of this list),\n  in json, ndjson and geojson as members of `fields`. NetCDF has a variable for each\n  (with the prefix field_ if the file has a variable or dimension of that name); gpx and kml have none.\n\n{}",
        method::help_text()
    )
}
