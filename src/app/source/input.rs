//! The source of records: a file, which is read again when it has changed, or a pipe.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::time::{Duration, SystemTime};

use crate::failure::{Failure, FailureKind};
use crate::formats::read::{self, ChosenColumns, FileTracks, ReadError, UnendedRow};
use crate::text;

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

/// A table that has changed and does not end with a line is read without its last line for
/// this time: the row may be half written, and a number in it cut.
const SETTLES: Duration = Duration::from_secs(3);

/// A file or a pipe.
#[derive(Debug)]
pub(super) struct Input {
    word: String,
    /// All of a pipe.
    piped: Option<Vec<u8>>,
    columns: ChosenColumns,
}

/// When a file was changed, and how many bytes there are; `None` for no file.
pub(super) type Stamp = Option<(SystemTime, u64)>;

impl Input {
    /// Opens a file, or reads a pipe to its end.
    pub(super) fn open(word: String, columns: ChosenColumns) -> Result<Self, Failure> {
        let is_file = std::fs::metadata(&word).map_or(true, |it| it.is_file() || it.is_dir());
        let whole = |mut pipe: Box<dyn Read + Send>| {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let piped = match word.as_str() {
            "-" => Some(standard_input().and_then(whole)),
            _ if is_file => None,
            word => Some(whole(reader(word)?)),
        };
        let piped = piped
            .transpose()
            .map_err(|error: io::Error| unreadable(&word, &error))?;
        let columns = ChosenColumns {
            unended: UnendedRow::OfKnownDeployment,
            ..columns
        };
        Ok(Self {
            word,
            piped,
            columns,
        })
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    pub(super) fn read(&self) -> Result<FileTracks, Failure> {
        self.read_up_to(u64::MAX)
    }

    /// The tracks of so many bytes from its start.
    pub(super) fn read_up_to(&self, bytes: u64) -> Result<FileTracks, Failure> {
        match &self.piped {
            Some(all) => read_from(&self.word, all.take(bytes), &self.columns),
            None => read_from(&self.word, opened(&self.word)?.take(bytes), &self.columns),
        }
    }

    /// A value that differs once there is more to read.
    pub(super) fn stamp(&self) -> Stamp {
        if let Some(all) = &self.piped {
            return Some((SystemTime::UNIX_EPOCH, all.len() as u64));
        }
        let metadata = std::fs::metadata(&self.word)
            .ok()
            .filter(|it| it.is_file())?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    /// The same without the last row of a table that is being written.
    pub(super) fn settled(&self) -> Stamp {
        let (changed, bytes) = self.stamp()?;
        let is_written = changed.elapsed().is_ok_and(|it| it < SETTLES);
        let whole = || whole_lines(&self.word, bytes).unwrap_or(bytes);
        Some((changed, if is_written { whole() } else { bytes }))
    }
}

/// Standard input. Keys are those of the terminal of standard output from now on.
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::ffi::OsStrExt;

        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if let Ok(name) = rustix::termios::ttyname(io::stdout(), Vec::new()) {
            let terminal = File::open(std::ffi::OsStr::from_bytes(name.as_bytes()))?;
            rustix::stdio::dup2_stdin(&terminal)?;
        }
        Ok(Box::new(input))
    }
    #[cfg(not(unix))]
    Ok(Box::new(io::stdin()))
}

/// A file as it is named in messages.
pub(crate) fn shown(word: &str) -> String {
    match word {
        "-" => "standard input".to_owned(),
        word => format!("'{}'", text::excerpt(word, 200)),
    }
}

fn unreadable(word: &str, error: &io::Error) -> Failure {
    let failure = format!("{} cannot be read: {error}", shown(word));
    Failure::usage(failure).with_hint("Check the path.")
}

fn reader(word: &str) -> Result<Box<dyn Read + Send>, Failure> {
    if word == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(word).map_err(|error| unreadable(word, &error))?;
    if file.metadata().is_ok_and(|it| it.is_dir()) {
        return Err(unreadable(word, &io::ErrorKind::IsADirectory.into()));
    }
    Ok(Box::new(file))
}

/// The bytes of the whole lines of a file of so many bytes, if it is a table.
fn whole_lines(word: &str, bytes: u64) -> io::Result<u64> {
    let mut file = File::open(word)?;
    let mut piece = Vec::new();
    (&file).take(PIECE as u64).read_to_end(&mut piece)?;
    if !matches!(read::kind(&piece), Ok(read::Kind::Table)) {
        return Ok(bytes);
    }
    piece.clear();
    let from = bytes.saturating_sub(PIECE as u64);
    file.seek(SeekFrom::Start(from))?;
    file.take(bytes - from).read_to_end(&mut piece)?;
    let end = piece.iter().rposition(|byte| *byte == b'\n');
    Ok(end.map_or(bytes, |end| from + end as u64 + 1))
}

fn opened(word: &str) -> Result<BufReader<Box<dyn Read + Send>>, Failure> {
    Ok(BufReader::with_capacity(PIECE, reader(word)?))
}

/// Reads all of a file or a pipe.
pub(crate) fn read_file(word: &str, columns: &ChosenColumns) -> Result<FileTracks, Failure> {
    read_from(word, opened(word)?, columns)
}

fn read_from(
    word: &str,
    from: impl BufRead,
    columns: &ChosenColumns,
) -> Result<FileTracks, Failure> {
    read::read(from, columns).map_err(|error| {
        let kind = match &error {
            ReadError::Flag(_) => FailureKind::Usage,
            ReadError::Io(_) => FailureKind::Other,
            _ => FailureKind::NotUnderstood,
        };
        Failure::new(kind, format!("{} cannot be read: {error}", shown(word)), "")
    })
}
