//! NetCDF classic by the CF conventions 1.11: a trajectory with QARTOD flags.

use std::cell::RefCell;
use std::io::{self, Cursor, Seek, SeekFrom, Write};

use std::rc::Rc;

use netcdf3::{DataSet, FileWriter, InvalidDataSet, Version, WriteError};

use super::error::ExportError;
use super::format::Format;
use super::row::{Row, rows};
use super::subject::Subject;
use crate::track::{Track, time};

/// The value for missing data (default fill value of the netCDF library for
/// doubles).
const FILL: f64 = 9.969_209_968_386_869e36;

/// The file in memory. The header of the classic format contains the offset of
/// each variable, so the file is written to the output only when complete.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Cursor<Vec<u8>>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Memory {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.borrow_mut().seek(to)
    }
}

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let unfit = |reason: String| ExportError::Unfit {
        format: Format::Netcdf,
        reason,
    };
    let data_set = define(subject, track).map_err(|error| unfit(format!("{error:?}")))?;
    let memory = Memory::default();
    fill(&data_set, subject, track, memory.clone()).map_err(|error| unfit(format!("{error:?}")))?;
    out.write_all(memory.0.borrow().get_ref())?;
    Ok(())
}

fn define(subject: &Subject<'_>, track: &Track) -> Result<DataSet, InvalidDataSet> {
    let mut set = DataSet::new();
    // A fixed dimension must not be empty: without fixes the dimension is
    // unlimited, with no records.
    if track.is_empty() {
        set.set_unlimited_dim("obs", 0)?;
    } else {
        set.add_fixed_dim("obs", track.len())?;
    }
    set.add_fixed_dim("trajectory_id_length", subject.deployment.len().max(1))?;
    let text = |set: &mut DataSet, name: &str, value: &str| set.add_global_attr_string(name, value);
    text(&mut set, "Conventions", "CF-1.11, ACDD-1.3")?;
    text(&mut set, "featureType", "trajectory")?;
    text(
        &mut set,
        "title",
        &format!("Track of {}", crate::text::clean(subject.name())),
    )?;
    text(&mut set, "id", subject.deployment)?;
    text(&mut set, "platform", track.platform().name())?;
    text(
        &mut set,
        "source",
        "positions transmitted by the instrument",
    )?;
    let history = format!(
        "{} fetched by driftline {}",
        time::rfc3339(subject.fetched_at),
        env!("CARGO_PKG_VERSION")
    );
    text(&mut set, "history", &history)?;
    let summary = track.summary();
    if let (Some(first), Some(last)) = (summary.first, summary.last) {
        text(&mut set, "time_coverage_start", &time::rfc3339(first))?;
        text(&mut set, "time_coverage_end", &time::rfc3339(last))?;
    }
    if let Some(bbox) = summary.bbox {
        set.add_global_attr_f64("geospatial_lon_min", vec![bbox.west])?;
        set.add_global_attr_f64("geospatial_lat_min", vec![bbox.south])?;
        set.add_global_attr_f64("geospatial_lon_max", vec![bbox.east])?;
        set.add_global_attr_f64("geospatial_lat_max", vec![bbox.north])?;
    }
    set.add_var_u8("trajectory", &["trajectory_id_length"])?;
    set.add_var_attr_string("trajectory", "cf_role", "trajectory_id")?;
    set.add_var_attr_string("trajectory", "long_name", "deployment")?;
    for (name, attributes) in DOUBLES {
        set.add_var_f64(name, &["obs"])?;
        for (attribute, value) in *attributes {
            set.add_var_attr_string(name, attribute, value)?;
        }
        if !matches!(*name, "time" | "lat" | "lon") {
            set.add_var_attr_f64(name, "_FillValue", vec![FILL])?;
            set.add_var_attr_string(name, "coordinates", "time lat lon")?;
        }
    }
    set.add_var_i8("qc_flag", &["obs"])?;
    set.add_var_attr_string("qc_flag", "long_name", "QARTOD flag of the position")?;
    set.add_var_attr_string("qc_flag", "standard_name", "quality_flag")?;
    set.add_var_attr_i8("qc_flag", "flag_values", vec![1, 2, 3, 4, 9])?;
    let meanings = "pass not_evaluated suspect fail missing";
    set.add_var_attr_string("qc_flag", "flag_meanings", meanings)?;
    set.add_var_attr_string("qc_flag", "coordinates", "time lat lon")?;
    Ok(set)
}

/// A variable of doubles with its attributes.
type Double = (&'static str, &'static [(&'static str, &'static str)]);

const DOUBLES: &[Double] = &[
    (
        "time",
        &[
            ("standard_name", "time"),
            ("long_name", "time of the transmission"),
            ("units", "seconds since 1970-01-01T00:00:00Z"),
            ("calendar", "standard"),
            ("axis", "T"),
        ],
    ),
    (
        "lat",
        &[
            ("standard_name", "latitude"),
            ("units", "degrees_north"),
            ("axis", "Y"),
            ("ancillary_variables", "qc_flag"),
        ],
    ),
    (
        "lon",
        &[
            ("standard_name", "longitude"),
            ("units", "degrees_east"),
            ("axis", "X"),
            ("ancillary_variables", "qc_flag"),
        ],
    ),
    (
        "distance",
        &[
            ("long_name", "geodesic from the previous fix, WGS84"),
            ("units", "m"),
        ],
    ),
    (
        "speed",
        &[
            ("standard_name", "platform_speed_wrt_ground"),
            ("long_name", "speed over ground"),
            ("units", "m s-1"),
        ],
    ),
    (
        "course",
        &[
            ("standard_name", "platform_course"),
            ("long_name", "course over ground, true"),
            ("units", "degree"),
        ],
    ),
    (
        "gap",
        &[("long_name", "time since the previous fix"), ("units", "s")],
    ),
];

fn fill(
    data_set: &DataSet,
    subject: &Subject<'_>,
    track: &Track,
    memory: Memory,
) -> Result<(), WriteError> {
    let mut file = FileWriter::open_seek_write("track.nc", Box::new(memory))?;
    // The classic format cannot hold a variable that starts beyond 2 GB.
    let version = if track.len() < 30_000_000 {
        Version::Classic
    } else {
        Version::Offset64Bit
    };
    file.set_def(data_set, version, 0)?;
    let mut name = subject.deployment.as_bytes().to_vec();
    name.resize(name.len().max(1), b' ');
    file.write_var_u8("trajectory", &name)?;
    if !track.is_empty() {
        file.write_var_f64("time", track.time_stamps())?;
        file.write_var_f64("lat", track.latitudes())?;
        file.write_var_f64("lon", track.longitudes())?;
        let rows: Vec<Row> = rows(track).collect();
        let column = |value: fn(&Row) -> Option<f64>| -> Vec<f64> {
            rows.iter().map(|row| value(row).unwrap_or(FILL)).collect()
        };
        file.write_var_f64("distance", &column(|row| row.distance_m))?;
        file.write_var_f64("speed", &column(|row| row.speed_m_s))?;
        file.write_var_f64("course", &column(|row| row.course_deg))?;
        file.write_var_f64("gap", &column(|row| row.gap_s))?;
        let flags: Vec<i8> = rows
            .iter()
            .map(|row| i8::try_from(row.flag.code()).unwrap_or(9))
            .collect();
        file.write_var_i8("qc_flag", &flags)?;
    }
    file.close()
}
