//! A NetCDF file written variable by variable: none but the one that is written
//! is in memory.

use std::cell::RefCell;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

use netcdf3::{DataSet, FileWriter, Version, WriteError};

use crate::export::error::ExportError;
use crate::export::format::Format;

/// The part of the file that has not been passed on to the output. The writer of
/// the crate goes to the place of each variable; before that part it cannot go.
#[derive(Clone, Default)]
struct Window(Rc<RefCell<Bytes>>);

#[derive(Default)]
struct Bytes {
    /// So many bytes of the file were passed on.
    passed: u64,
    /// Where the next byte is written, from the start of the file.
    at: u64,
    bytes: Vec<u8>,
}

impl Window {
    fn pass_on(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut window = self.0.borrow_mut();
        out.write_all(&window.bytes)?;
        window.passed += window.bytes.len() as u64;
        window.bytes.clear();
        Ok(())
    }
}

impl Write for Window {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut window = self.0.borrow_mut();
        let from = window.at.checked_sub(window.passed);
        let Some(from) = from.and_then(|from| usize::try_from(from).ok()) else {
            return Err(io::Error::other(
                "a variable comes before one that is written",
            ));
        };
        let end = from + bytes.len();
        if window.bytes.len() < end {
            window.bytes.resize(end, 0);
        }
        if let Some(place) = window.bytes.get_mut(from..end) {
            place.copy_from_slice(bytes);
        }
        window.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Window {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut window = self.0.borrow_mut();
        let end = window.passed + window.bytes.len() as u64;
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => window.at.checked_add_signed(by),
            SeekFrom::End(by) => end.checked_add_signed(by),
        };
        window.at = at.ok_or_else(|| io::Error::other("a place before the file"))?;
        Ok(window.at)
    }
}

/// Writes the variables of a file in the order in which they are defined.
pub(super) struct NetcdfFile<'a> {
    file: FileWriter<'a>,
    window: Window,
    out: &'a mut dyn Write,
}

impl<'a> NetcdfFile<'a> {
    /// A file with this definition, whose head is written.
    pub(super) fn new(
        definition: &'a DataSet,
        version: Version,
        out: &'a mut dyn Write,
    ) -> Result<Self, ExportError> {
        let window = Window::default();
        let mut file =
            FileWriter::open_seek_write("track.nc", Box::new(window.clone())).map_err(unfit)?;
        file.set_def(definition, version, 0).map_err(unfit)?;
        Ok(Self { file, window, out })
    }

    pub(super) fn doubles(&mut self, name: &str, values: &[f64]) -> Result<(), ExportError> {
        self.file.write_var_f64(name, values).map_err(unfit)?;
        Ok(self.window.pass_on(self.out)?)
    }

    pub(super) fn numbers(&mut self, name: &str, values: &[i32]) -> Result<(), ExportError> {
        self.file.write_var_i32(name, values).map_err(unfit)?;
        Ok(self.window.pass_on(self.out)?)
    }

    pub(super) fn flags(&mut self, name: &str, values: &[i8]) -> Result<(), ExportError> {
        self.file.write_var_i8(name, values).map_err(unfit)?;
        Ok(self.window.pass_on(self.out)?)
    }

    pub(super) fn bytes(&mut self, name: &str, values: &[u8]) -> Result<(), ExportError> {
        self.file.write_var_u8(name, values).map_err(unfit)?;
        Ok(self.window.pass_on(self.out)?)
    }

    pub(super) fn close(self) -> Result<(), ExportError> {
        self.file.close().map_err(unfit)?;
        Ok(self.window.pass_on(self.out)?)
    }
}

fn unfit(error: WriteError) -> ExportError {
    ExportError::Unfit {
        format: Format::Netcdf,
        reason: format!("{error:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_zeros_and_what_was_passed_on_is_not_written_again() {
        let mut window = Window::default();
        let mut out = Vec::new();
        window.write_all(b"abcd").unwrap();
        window.seek(SeekFrom::Start(1)).unwrap();
        window.write_all(b"B").unwrap();
        window.pass_on(&mut out).unwrap();
        assert_eq!(out, b"aBcd");
        window.seek(SeekFrom::Start(6)).unwrap();
        window.write_all(b"gh").unwrap();
        window.pass_on(&mut out).unwrap();
        assert_eq!(out, b"aBcd\0\0gh");
        window.seek(SeekFrom::Start(3)).unwrap();
        assert!(window.write(b"x").is_err());
    }
}
