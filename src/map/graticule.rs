//! Meridians and parallels at round intervals, and a scale bar of round length.

use super::view::View;
use crate::geo::Position;
use crate::geo::projection::wrap;
use crate::geo::units::{DistanceUnit, NAUTICAL_MILE_M, Units};

/// Round intervals between lines in seconds, largest first: whole degrees from 45 on, then
/// minutes, as on nautical charts, seconds and their tenths.
const STEPS_S: [f64; 22] = [
    162_000.0, 108_000.0, 72_000.0, 36_000.0, 18_000.0, 7200.0, 3600.0, 1800.0, 1200.0, 600.0,
    300.0, 120.0, 60.0, 30.0, 12.0, 6.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1,
];
/// A tenth of a second, degrees.
const TENTH: f64 = 1.0 / 36_000.0;

/// A line of the graticule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graticule {
    /// Its label, such as `30°E` or `81°30′N`.
    pub label: String,
    /// `true` if it is a meridian.
    pub meridian: bool,
    pub along: Vec<Position>,
}

/// The longitude from which a view's extent is counted: opposite the seam if
/// there is one, else that of the centre.
pub(super) fn middle(view: &View) -> f64 {
    if view.projection.has_seam() {
        view.meridian
    } else {
        view.centre.longitude
    }
}

/// The extent of a view in latitude and in longitude east of its [`middle`],
/// degrees, sampled all over it.
pub(super) fn extent(view: &View) -> Option<(f64, f64, f64, f64)> {
    const GRID: u16 = 24;
    let mut south = 90.0f64;
    let mut north = -90.0f64;
    let mut west = 180.0f64;
    let mut east = -180.0f64;
    let middle = middle(view);
    let mut seen = 0;
    for across in 0..=GRID {
        for down in 0..=GRID {
            let x = f64::from(view.columns) * f64::from(across) / f64::from(GRID);
            let y = f64::from(view.rows) * f64::from(down) / f64::from(GRID);
            if let Some(position) = view.position_at(x, y) {
                seen += 1;
                south = south.min(position.latitude);
                north = north.max(position.latitude);
                let from_middle = wrap(position.longitude - middle);
                west = west.min(from_middle);
                east = east.max(from_middle);
            }
        }
    }
    for (edge, latitude) in [(&mut north, 90.0), (&mut south, -90.0)] {
        let pole = Position {
            latitude,
            longitude: 0.0,
        };
        if !view.projection.has_seam() && view.shows(pole) {
            *edge = latitude;
            (west, east) = (-180.0, 180.0);
        }
    }
    (seen > 1).then_some((south, north, west, east))
}

/// The largest round step that gives at least `lines` lines over a span.
fn step(span: f64, lines: f64) -> f64 {
    let mut steps = STEPS_S.map(|seconds| seconds / 3600.0).into_iter();
    steps.find(|step| span / step >= lines).unwrap_or(TENTH)
}

/// The graticule of a view, with lines at least about `spacing` columns apart.
pub(crate) fn graticule(view: &View, spacing: f64) -> Vec<Graticule> {
    let Some((south, north, west, east)) = extent(view) else {
        return Vec::new();
    };
    let lines = |extent: f64| (extent / spacing).clamp(2.5, 7.0);
    let height = f64::from(view.rows) * view.cell_aspect;
    let parallels = step(north - south, lines(height));
    let meridians = step(east - west, lines(f64::from(view.columns)));
    let origin = middle(view);
    let parts = (0u8..=90).map(|sample| f64::from(sample) / 90.0);
    let parallel = |latitude: f64| Graticule {
        label: degrees(latitude, 'N', 'S'),
        meridian: false,
        along: (parts.clone().map(|part| Position {
            latitude,
            longitude: wrap(origin + west + (east - west) * part),
        }))
        .collect(),
    };
    let meridian = |longitude: f64| Graticule {
        label: degrees(wrap(longitude), 'E', 'W'),
        meridian: true,
        along: (parts.clone().map(|part| Position {
            latitude: south + (north - south) * part,
            longitude: wrap(longitude),
        }))
        .collect(),
    };
    let latitudes = multiples(south, north, parallels).filter(|latitude| latitude.abs() < 90.0);
    let longitudes = multiples(origin + west, origin + east, meridians);
    let mut lines: Vec<Graticule> = latitudes.map(parallel).collect();
    for line in longitudes.map(meridian) {
        // The first and the last one may be the same.
        if lines
            .iter()
            .all(|other| !other.meridian || other.label != line.label)
        {
            lines.push(line);
        }
    }
    lines
}

fn multiples(from: f64, to: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (from / step).ceil();
    let steps = ((to / step).floor() - first).clamp(-1.0, 400.0);
    (0..(steps + 1.0) as u32).map(move |n| (first + f64::from(n)) * step)
}

/// The latitude of a point of a map, rounded to less than the degrees of a row.
pub(crate) fn latitude_label(latitude: f64, row: f64) -> String {
    degrees(rounded(latitude, row), 'N', 'S')
}

/// The longitude of a point of a map, rounded to less than the degrees of a column.
pub(crate) fn longitude_label(longitude: f64, column: f64) -> String {
    degrees(rounded(longitude, column), 'E', 'W')
}

/// Degrees in the greatest unit of at most this many.
fn rounded(value: f64, most: f64) -> f64 {
    let mut units = [1.0, 1.0 / 60.0, 1.0 / 3600.0].into_iter();
    let unit = units.find(|unit| *unit <= most).unwrap_or(TENTH);
    (value / unit).round() * unit
}

/// Degrees, with minutes and seconds if they are not zero.
fn degrees(value: f64, positive: char, negative: char) -> String {
    // At most 180 degrees.
    let total = (value.abs() / TENTH).round() as u32;
    let side = match total {
        0 | 6_480_000 => String::new(),
        _ if value < 0.0 => negative.to_string(),
        _ => positive.to_string(),
    };
    let whole = total / 36_000;
    let minutes = total / 600 % 60;
    match (minutes, total / 10 % 60, total % 10) {
        (0, 0, 0) => format!("{whole}°{side}"),
        (_, 0, 0) => format!("{whole}°{minutes:02}′{side}"),
        (_, seconds, 0) => format!("{whole}°{minutes:02}′{seconds:02}″{side}"),
        (_, seconds, tenth) => format!("{whole}°{minutes:02}′{seconds:02}.{tenth}″{side}"),
    }
}

/// A length on a chart that is round in its unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RoundLength {
    /// The length in metres.
    pub metres: f64,
    /// The metres of its unit, and the unit's symbol.
    unit: (f64, &'static str),
}

impl RoundLength {
    /// The longest round length of at most this many metres, in the unit of such a distance.
    pub(crate) fn at_most(metres: f64, units: Units) -> Self {
        let unit = match units.unit_for(metres) {
            DistanceUnit::NauticalMiles => (NAUTICAL_MILE_M, "nm"),
            DistanceUnit::Metres if metres < 1000.0 => (1.0, "m"),
            DistanceUnit::Kilometres | DistanceUnit::Metres => (1000.0, "km"),
        };
        Self {
            metres: round_length(metres, unit.0),
            unit,
        }
    }

    /// This length times `count`.
    pub(crate) fn times(&self, count: u32) -> Self {
        Self {
            metres: self.metres * f64::from(count),
            unit: self.unit,
        }
    }
}

impl std::fmt::Display for RoundLength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (metres, symbol) = self.unit;
        // Removes the rounding error that a sum of tenths leaves.
        let number = (self.metres / metres * 1e6).round() / 1e6;
        write!(f, "{number} {symbol}")
    }
}

/// A length in metres that is round in a unit of `unit_m` metres, at most
/// `most` metres long: 1, 2 or 5 times a power of ten.
fn round_length(most: f64, unit_m: f64) -> f64 {
    let units = most / unit_m;
    let power = 10f64.powf(units.log10().floor());
    let mut digits = [5.0, 2.0, 1.0].into_iter();
    let digit = digits.find(|digit| digit * power <= units * (1.0 + 1e-9));
    digit.unwrap_or(1.0) * power * unit_m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::BoundingBox;

    #[test]
    fn labels_are_round_and_the_date_line_has_no_side() {
        assert_eq!(degrees(81.5, 'N', 'S'), "81°30′N");
        assert_eq!(degrees(-7.0, 'E', 'W'), "7°W");
        assert_eq!(degrees(-180.0, 'E', 'W'), "180°");
        assert_eq!(degrees(0.0, 'E', 'W'), "0°");
        assert_eq!(
            degrees(-5.0 - 43.0 / 60.0 - TENTH * 485.0, 'E', 'W'),
            "5°43′48.5″W"
        );
        let row = |seconds: f64| latitude_label(-15.9102, seconds / 3600.0);
        assert_eq!(
            [0.2, 1.0, 60.0].map(row),
            ["15°54′36.7″S", "15°54′37″S", "15°55′S"]
        );
    }

    #[test]
    fn every_view_has_a_few_lines_each_way_and_not_too_many() {
        for (west, south, east, north) in [
            (-180.0, -80.0, 179.0, 80.0),
            (118.7, 81.3, 124.9, 82.2),
            (172.0, 11.0, -97.0, 42.0),
            (5.0, 50.0, 5.01, 50.004),
            (5.0, 50.0, 5.000_1, 50.000_1),
        ] {
            let view = View::fit(
                Some(BoundingBox {
                    west,
                    south,
                    east,
                    north,
                }),
                &[],
                80,
                30,
                2.0,
            );
            let lines = graticule(&view, 40.0);
            for meridian in [false, true] {
                let count = lines
                    .iter()
                    .filter(|line| line.meridian == meridian)
                    .count();
                assert!(
                    (2..=40).contains(&count),
                    "{view:?}: {count} with meridian {meridian}"
                );
            }
        }
    }

    #[test]
    fn a_scale_bar_is_round_in_its_unit_and_fits() {
        assert_eq!(round_length(7300.0, 1000.0), 5000.0);
        assert_eq!(round_length(7300.0, 1852.0), 3704.0);
        assert_eq!(round_length(19_990.0, 1000.0), 10_000.0);
        let words = |metres, units| RoundLength::at_most(metres, units).to_string();
        assert_eq!(words(7300.0, Units::Nautical), "2 nm");
        assert_eq!(words(700.0, Units::Nautical), "0.2 nm");
        assert_eq!(words(370.0, Units::Nautical), "200 m");
        assert_eq!(words(70.0, Units::Nautical), "50 m");
        assert_eq!(words(7300.0, Units::Metric), "5 km");
        assert_eq!(words(7300.0, Units::Si), "5 km");
        assert_eq!(words(0.7, Units::Metric), "0.5 m");
        assert_eq!(
            RoundLength::at_most(700.0, Units::Metric)
                .times(3)
                .to_string(),
            "1500 m"
        );
    }
}
