//! What the names of fields tell plainly: standard names of the CF conventions
//! and units.

/// Names of fields with the standard name (CF Standard Name Table), where there
/// is one, and the unit in which instruments send them.
const KNOWN: &[(&[&str], Option<&str>, &str)] = &[
    (
        &["air_temp", "air_temperature"],
        Some("air_temperature"),
        "degree_Celsius",
    ),
    (
        &["air_pressure", "barometric_pressure"],
        Some("air_pressure"),
        "hPa",
    ),
    (&["battery_voltage", "battery_volt"], None, "V"),
    (
        &["sea_surface_temperature", "sea_surface_temp", "sst"],
        Some("sea_surface_temperature"),
        "degree_Celsius",
    ),
    (
        &["water_temp", "water_temperature", "sea_water_temperature"],
        Some("sea_water_temperature"),
        "degree_Celsius",
    ),
    (&["relative_humidity"], Some("relative_humidity"), "percent"),
    (
        &["sea_surface_salinity"],
        Some("sea_surface_salinity"),
        "1e-3",
    ),
];

/// The standard name, if there is one, and the unit of a field with this name.
pub(super) fn meaning(name: &str) -> Option<(Option<&'static str>, &'static str)> {
    KNOWN
        .iter()
        .find(|(names, ..)| names.contains(&name))
        .map(|(_, standard, unit)| (*standard, *unit))
}
