//! NetCDF classic by the CF conventions 1.8: a single trajectory with QARTOD
//! flags, as GDAL and QGIS open it. The fixes are records of the unlimited dimension,
//! so a file is written fix by fix, and the head has the offset of the first value of each
//! variable only: the file may grow beyond 2 GiB.

mod attributes;
mod variables;

use std::cell::RefCell;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::rc::Rc;

use netcdf3::{DataSet, FileWriter, InvalidDataSet, Version};

use super::columns::rows;
use super::format::{ExportError, Format};
use super::subject::Subject;
use crate::track::Track;
use variables::{Variable, variables};

pub(super) use variables::cut_texts;

/// The dimension of the fixes.
const FIXES: &str = "obs";

fn unfit(reason: String) -> ExportError {
    ExportError::Unfit {
        format: Format::Netcdf,
        reason,
    }
}

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let variables = variables(track);
    if let Some(reason) = variables::too_long(&variables, track.len()) {
        return Err(unfit(reason));
    }
    let definition =
        define(subject, track, &variables).map_err(|error| unfit(format!("{error:?}")))?;
    out.write_all(&head(&definition)?)?;
    // The values of what is not of a fix, in the order of the definition: the number of
    // the trajectory, the reference system, the height.
    out.write_all(&1i32.to_be_bytes())?;
    out.write_all(&0i32.to_be_bytes())?;
    out.write_all(&0f64.to_be_bytes())?;
    let mut record = Vec::new();
    for row in rows(track) {
        record.clear();
        for variable in &variables {
            variable.put(&row, &mut record);
        }
        out.write_all(&record)?;
    }
    Ok(())
}

fn define(
    subject: &Subject<'_>,
    track: &Track,
    variables: &[Variable<'_>],
) -> Result<DataSet, InvalidDataSet> {
    let mut set = DataSet::new();
    set.set_unlimited_dim(FIXES, track.len())?;
    attributes::add(&mut set, subject, track)?;
    set.add_var_i32::<&str>("trajectory", &[])?;
    attributes::add_to(&mut set, "trajectory", subject)?;
    set.add_var_i32::<&str>("crs", &[])?;
    attributes::add_to(&mut set, "crs", subject)?;
    set.add_var_attr_f64("crs", "longitude_of_prime_meridian", vec![0.0])?;
    set.add_var_attr_f64("crs", "semi_major_axis", vec![6_378_137.0])?;
    set.add_var_attr_f64("crs", "inverse_flattening", vec![298.257_223_563])?;
    set.add_var_f64::<&str>("height", &[])?;
    attributes::add_to(&mut set, "height", subject)?;
    for variable in variables {
        variable.define(&mut set, subject)?;
    }
    Ok(set)
}

/// The buffer that the NetCDF writer takes as its own; clones share it.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Cursor<Vec<u8>>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.borrow_mut().seek(to)
    }
}

/// The head of a file with this definition. Its values follow at once.
fn head(definition: &DataSet) -> Result<Vec<u8>, ExportError> {
    let shared = Shared::default();
    let failed = |error: netcdf3::WriteError| unfit(format!("{error:?}"));
    let mut writer =
        FileWriter::open_seek_write("track.nc", Box::new(shared.clone())).map_err(failed)?;
    writer
        .set_def(definition, Version::Classic, 0)
        .map_err(failed)?;
    drop(writer);
    Ok(shared.0.take().into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::subject;
    use crate::testing::fields::{ice_buoy, with_texts};
    use crate::track::{Platform, TrackOptions};

    /// Counts the bytes that are written, and the most that are written at once.
    #[derive(Default)]
    struct Counter {
        bytes: usize,
        most: usize,
    }

    impl Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.bytes += bytes.len();
            self.most = self.most.max(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn one_long_text_among_short_ones_takes_neither_memory_nor_disk() {
        let fixes = (0..17_000u32).map(|n| (f64::from(n) * 60.0, 1.0, 2.0));
        let records = with_texts(fixes, "note", |record| match record {
            5 => "\u{e4}".repeat(30_000),
            _ => "ok".to_owned(),
        });
        let track = Track::new(&records, &TrackOptions::new(Platform::Tag, 1e10));
        let mut counter = Counter::default();
        write(&subject(), &track, &mut counter).unwrap();
        assert!(counter.most < 16_384, "{} bytes at once", counter.most);
        assert!(counter.bytes < 17_000 * 1200, "{} bytes", counter.bytes);
        assert_eq!(cut_texts(&track), ["note"]);
        let mut file = Vec::new();
        write(&subject(), &track, &mut file).unwrap();
        let said = b"texts longer than 1024 bytes are cut";
        assert!(file.windows(said.len()).any(|part| part == said));
        let short = with_texts([(0.0, 1.0, 2.0)], "note", |_| "x".repeat(1024));
        let short = Track::new(&short, &TrackOptions::new(Platform::Tag, 1e10));
        assert!(cut_texts(&short).is_empty());
    }

    #[test]
    fn no_unit_of_a_field_is_stated_that_the_service_does_not_state() {
        let records = ice_buoy(0.0, 30, 2);
        let track = Track::new(&records, &TrackOptions::new(Platform::Generic, 2e9));
        let mut file = Vec::new();
        write(&subject(), &track, &mut file).unwrap();
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("air_temp"));
        for unit in [
            "degree_Celsius",
            "air_temperature",
            "units\0\0\0\0\0\0\x02\0\0\0\x01V",
        ] {
            assert!(!text.contains(unit), "{unit}");
        }
    }
}
