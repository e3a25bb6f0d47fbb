//! The source of records: a file, which is read again when it has changed, or a pipe, whose
//! writer may continue.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::failure::{Failure, FailureKind};
use crate::formats::read::{self, ChosenColumns, FileTracks, ReadError};
use crate::text;

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

/// The time between two looks at a pipe until it can be read.
const LOOK: Duration = Duration::from_millis(50);
/// The number of looks without new bytes after which a writer pauses.
const PAUSE: u32 = 6;

/// A table that has changed and does not end with a line is read without its last line for
/// this time: the row may be half written, and a number in it cut.
const SETTLES: Duration = Duration::from_secs(3);

/// A file or a pipe.
#[derive(Debug)]
pub(crate) struct Input {
    word: String,
    /// Of a pipe, whatever has come so far.
    came: Option<Arc<Mutex<Came>>>,
}

/// The lines that have come of a pipe.
#[derive(Debug, Default)]
struct Came {
    bytes: Vec<u8>,
    has_ended: bool,
}

/// When a file was changed, and how many bytes there are; `None` for no file.
pub(super) type Stamp = Option<(SystemTime, u64)>;

impl Input {
    /// Opens a file, or begins to read a pipe.
    pub(crate) fn open(word: &str) -> Result<Self, Failure> {
        let is_file = |word| std::fs::metadata(word).map_or(true, |it| it.is_file() || it.is_dir());
        let came = match word {
            // What is typed ends before the first key is pressed.
            "-" if io::stdin().is_terminal() => None,
            "-" => Some(follow(
                standard_input().map_err(|error| unreadable(word, &error))?,
            )),
            word if is_file(word) => None,
            word => Some(follow(reader(word)?)),
        };
        let word = word.to_owned();
        Ok(Self { word, came })
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// The tracks so far. Of a pipe they are first those that have come when its writer
    /// pauses or ends.
    pub(super) fn begin(&self) -> Result<FileTracks, Failure> {
        let mut silent = 0;
        let mut last = None;
        while let Some(came) = &self.came {
            let (count, has_ended) = {
                let came = locked(came);
                (came.bytes.len(), came.has_ended)
            };
            silent = if last == Some(count) { silent + 1 } else { 0 };
            last = Some(count);
            if has_ended {
                break;
            }
            if silent == PAUSE
                && let Ok(found) = self.read()
                && !found.tracks.is_empty()
            {
                return Ok(found);
            }
            std::thread::sleep(LOOK);
        }
        self.read()
    }

    /// The tracks so far.
    fn read(&self) -> Result<FileTracks, Failure> {
        self.read_up_to(u64::MAX)
    }

    /// The tracks of so many bytes from its start.
    pub(super) fn read_up_to(&self, bytes: u64) -> Result<FileTracks, Failure> {
        let columns = ChosenColumns::default();
        match &self.came {
            Some(came) => read_from(&self.word, locked(came).bytes.take(bytes), &columns),
            None => read_from(&self.word, opened(&self.word)?.take(bytes), &columns),
        }
    }

    /// A value that differs once there is more to read.
    pub(super) fn stamp(&self) -> Stamp {
        if let Some(came) = &self.came {
            return Some((SystemTime::UNIX_EPOCH, locked(came).bytes.len() as u64));
        }
        let metadata = std::fs::metadata(&self.word)
            .ok()
            .filter(|it| it.is_file())?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    /// The same without the last row of a table that is being written.
    pub(super) fn settled(&self) -> Stamp {
        let (changed, bytes) = self.stamp()?;
        let is_written = self.came.is_none() && changed.elapsed().is_ok_and(|it| it < SETTLES);
        let whole = || whole_lines(&self.word, bytes).unwrap_or(bytes);
        Some((changed, if is_written { whole() } else { bytes }))
    }
}

fn locked(came: &Mutex<Came>) -> MutexGuard<'_, Came> {
    came.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stores the complete lines of a pipe as they arrive.
fn follow(from: Box<dyn Read + Send>) -> Arc<Mutex<Came>> {
    let kept = Arc::new(Mutex::new(Came::default()));
    let came = Arc::clone(&kept);
    std::thread::spawn(move || {
        let mut from = BufReader::with_capacity(PIECE, from);
        let mut line = Vec::new();
        // What cannot be read any more has ended.
        while let Ok(piece @ [_, ..]) = from.fill_buf() {
            let count = piece.len();
            let whole = piece.iter().rposition(|byte| *byte == b'\n');
            let (whole, rest) = piece.split_at(whole.map_or(0, |end| end + 1));
            if !whole.is_empty() {
                let mut came = locked(&came);
                came.bytes.append(&mut line);
                came.bytes.extend_from_slice(whole);
            }
            line.extend_from_slice(rest);
            from.consume(count);
        }
        let mut came = locked(&came);
        came.bytes.append(&mut line);
        came.has_ended = true;
    });
    kept
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
            ReadError::NoColumn { .. } | ReadError::Unused { .. } => FailureKind::Usage,
            ReadError::Io(_) => FailureKind::Other,
            _ => FailureKind::NotUnderstood,
        };
        Failure::new(kind, format!("{} cannot be read: {error}", shown(word)), "")
    })
}
