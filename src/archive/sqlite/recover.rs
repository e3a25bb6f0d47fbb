//! Recovery of a damaged archive: it is renamed, never deleted, and its
//! readable rows are copied into a new one.

mod repair;

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::OpenFlags;

use super::{BUSY, Connection, explained, file, schema};
use crate::archive::Archive;
use crate::archive::connection::Engine;
use crate::archive::error::{ArchiveError, look_for_links, unopened};
use crate::archive::location::ArchiveLocation;
use crate::archive::remembered::{JUDGE_AGAIN, Remembered, Restored};
use crate::archive::sql::Value;
use crate::archive::tables::{TABLES, Table};
use crate::os::files::{identity, sync_folder, with_suffix};
use crate::track::time;

/// The sources from which a damaged archive may be recovered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Basis<'a> {
    /// All that can be read, as the user asked for it.
    Readable,
    /// All that can be read, if the watch list and the plant log can be read whole: nothing that a
    /// person entered may vanish behind another command.
    Whole,
    /// All that can be read, and of the rest what a running program remembers.
    Remembered(&'a Remembered),
}

/// The outcome of a recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recovered {
    /// The path of the renamed, damaged file.
    pub aside: PathBuf,
    /// The new archive.
    pub path: PathBuf,
    /// Number of recovered transmissions, watch list entries and plant log
    /// entries.
    pub rows: [(&'static str, usize); 3],
    /// The rows that could not be read and were remembered.
    pub remembered: Option<Restored>,
}

impl std::fmt::Display for Recovered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.rows.iter();
        let words: Vec<String> = rows
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        write!(
            f,
            "the archive was damaged: the damaged file is now {}; {} that could be read are in the new one at {}",
            self.aside.display(),
            words.join(", "),
            self.path.display()
        )?;
        if let Some(restored) = &self.remembered {
            write!(f, ", with {restored}")?;
        }
        f.write_str("; the rest is in the damaged file alone")
    }
}

impl Archive {
    /// Renames a damaged archive and creates a new one with its readable rows;
    /// `None` if another process has done so meanwhile, or the archive is not
    /// damaged. Waits up to `lock_timeout` for another process that has locked it.
    ///
    /// # Errors
    /// When the file cannot be renamed or the new one cannot be created, or too little can be
    /// read. The damaged file is never deleted nor written to.
    pub(crate) fn recover_within(
        path: &Path,
        basis: Basis<'_>,
        now: f64,
        lock_timeout: Duration,
    ) -> Result<Option<Recovered>, ArchiveError> {
        let file_path = file::resolved(path).map_err(|error| unopened(path, &error))?;
        // A pipe would keep the program waiting.
        if !file::is_there(&file_path).map_err(|error| unopened(path, &error))? {
            look_for_links(path)?;
            return Ok(None);
        }
        let damaged = File::open(&file_path).map_err(|error| unopened(&file_path, &error))?;
        let identity = damaged.metadata().ok().and_then(|there| identity(&there));
        // If two processes find the same damage, the second waits here and then finds the
        // new file.
        damaged
            .lock()
            .map_err(|error| unopened(&file_path, &error))?;
        if file::identity_at(&file_path) != identity || !is_damaged(&file_path, lock_timeout)? {
            return Ok(None);
        }
        // No process can write to the old file during the copy: a process that waits
        // for the lock finds afterwards that the file was renamed.
        let lock = write_lock(&file_path, lock_timeout)?;
        let stamp = time::rfc3339(now.floor()).replace(['-', ':'], "");
        let aside = (0..100)
            .map(|number| match number {
                0 => with_suffix(&file_path, &format!(".damaged-{stamp}")),
                _ => with_suffix(&file_path, &format!(".damaged-{stamp}-{number}")),
            })
            .find(|aside| !aside.exists())
            .unwrap_or_else(|| with_suffix(&file_path, ".damaged"));
        // All rows are copied before any file is renamed. The path always has
        // the damaged file or the complete new one, never an empty one without
        // the plant log.
        let parent = file_path.parent().unwrap_or(Path::new("/"));
        let folder = tempfile::Builder::new()
            .prefix(".recover.")
            .tempdir_in(parent)
            .map_err(|error| unopened(&file_path, &error))?;
        let new = folder.path().join("archive.db");
        let engine = Connection::open_within(&new, BUSY)?;
        let copied = engine.copy_readable(&damaged, &file_path, folder.path())?;
        if !was_archive(path, &file_path, &damaged, &copied.rows) {
            return Err(ArchiveError::NoArchive { path: file_path });
        }
        if matches!(basis, Basis::Whole) && !copied.is_whole {
            let reason = "its watch list or plant log cannot be read whole".to_owned();
            let path = file_path;
            return Err(ArchiveError::Damaged { path, reason });
        }
        let mut archive = Self::with(engine);
        let remembered = match basis {
            Basis::Remembered(known) => archive.restore(known, true)?,
            Basis::Readable | Basis::Whole => None,
        };
        archive.adopt_orphans()?;
        // After closing, the archive has no log of its own.
        drop(archive);
        rename_damaged(&damaged, &file_path, &aside)
            .and_then(|()| rename_new(&new, &file_path))
            .map_err(|error| unopened(&file_path, &error))?;
        drop(lock);
        let rows_of = |table: &str| {
            let of_table = copied.rows.iter().find(|(name, _)| *name == table);
            of_table.map_or(0, |(_, rows)| *rows)
        };
        let rows = [
            ("fixes", rows_of("transmission")),
            ("deployments", rows_of("deployment")),
            ("lines of the plant log", rows_of("plant_log")),
        ];
        Ok(Some(Recovered {
            aside,
            path: file_path,
            rows,
            remembered,
        }))
    }

    /// Adds a deployment without a label for rows whose deployment is lost, named by its row
    /// number, so that no readable row is discarded. Events of a lost alarm cannot be reported.
    fn adopt_orphans(&mut self) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            transaction.execute(
                "INSERT INTO deployment (id, uuid, label, added_at)
                 SELECT deployment, printf('00000000-0000-0000-0000-%012x', deployment),
                     'recovered without its name', 0
                 FROM (SELECT deployment FROM transmission UNION SELECT deployment FROM fetch
                     UNION SELECT deployment FROM override UNION SELECT deployment FROM absent
                     UNION SELECT deployment FROM field_batch
                     UNION SELECT deployment FROM alarm UNION SELECT deployment FROM alarm_rule)
                 WHERE deployment NOT NULL AND deployment NOT IN (SELECT id FROM deployment)
                 ON CONFLICT DO NOTHING",
                (),
            )?;
            let events = "DELETE FROM alarm_event WHERE alarm NOT IN (SELECT id FROM alarm)";
            for statement in [events].into_iter().chain(JUDGE_AGAIN) {
                transaction.execute(statement, ())?;
            }
            Ok(())
        })
    }
}

/// The rows copied from a damaged archive.
struct Copied {
    /// The number of rows that could be read, for each table.
    rows: Vec<(&'static str, usize)>,
    /// `true` if the watch list and the plant log could be read whole.
    is_whole: bool,
}

impl Connection {
    /// Copies the readable rows. A row may refer to a lost row, until the connection ends.
    fn copy_readable(
        &self,
        damaged: &File,
        file_path: &Path,
        folder: &Path,
    ) -> Result<Copied, ArchiveError> {
        // SQLite opens copies only, so that the damaged file is not changed.
        let copy = folder.join("copy.db");
        let failed = |error: std::io::Error| unopened(file_path, &error);
        copy_open(damaged, &copy).map_err(failed)?;
        copied(&with_suffix(file_path, "-wal"), &with_suffix(&copy, "-wal")).map_err(failed)?;
        let mut copied = Copied {
            rows: Vec::new(),
            is_whole: true,
        };
        let Ok(readable) = Self::opened(copy, BUSY) else {
            copied.is_whole = false;
            return Ok(copied);
        };
        // Without it SQLite reads nothing of a truncated file.
        let _ = readable.run("PRAGMA writable_schema = ON");
        self.run("PRAGMA foreign_keys = OFF; BEGIN")?;
        // Overviews are made again from the recovered rows.
        for table in TABLES.iter().filter(|table| table.name != "overview") {
            let insert = format!("{} ON CONFLICT DO NOTHING", table.insertion(1));
            let (rows, is_whole) = readable.readable_rows(table);
            // A row with a value of another type is skipped; the others are copied.
            let added = |row: &Option<Vec<Value>>| match row {
                Some(row) => self.execute(&insert, row).unwrap_or(0),
                None => 0,
            };
            let count = rows.iter().map(added).sum();
            if matches!(table.name, "deployment" | "plant_log") {
                copied.is_whole &= is_whole && count == rows.len();
            }
            copied.rows.push((table.name, count));
        }
        self.run("COMMIT")?;
        Ok(copied)
    }

    /// The rows of a table of a damaged archive, `None` for one that is not copied: forward up to
    /// the damage, and backward down to it. And `true` if these are all.
    fn readable_rows(&self, table: &Table) -> (Vec<Option<Vec<Value>>>, bool) {
        let mut rows = Vec::new();
        for direction in ["", " DESC"] {
            let order = table.order.replace(", ", &format!("{direction}, "));
            let select = format!(
                "SELECT {} FROM {} ORDER BY {order}{direction}",
                table.column_list(),
                table.name
            );
            let read = self.each_row(&select, &[], &mut |row| {
                rows.push(repair::readable(table, row));
                Ok(())
            });
            if read.is_ok() && direction.is_empty() {
                return (rows, true);
            }
        }
        (rows, false)
    }
}

/// Gives a damaged archive and its log a second name each, which survives a power cut.
fn rename_damaged(damaged: &File, file_path: &Path, aside: &Path) -> std::io::Result<()> {
    // With its log, which may have commits that the file lacks.
    let log = with_suffix(aside, "-wal");
    if copied(&with_suffix(file_path, "-wal"), &log)? {
        File::open(&log)?.sync_all()?;
    }
    if std::fs::hard_link(file_path, aside).is_ok() {
        damaged.sync_all()?;
    } else {
        // Some file systems have no hard links.
        copy_open(damaged, aside)?.sync_all()?;
    }
    sync_parent(file_path)
}

/// Gives the new archive the name of the damaged one, which survives a power cut.
fn rename_new(new: &Path, file_path: &Path) -> std::io::Result<()> {
    for log in ["-wal", "-shm"] {
        match std::fs::remove_file(with_suffix(file_path, log)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // Before the file: SQLite would read the old log as that of the new file.
    sync_parent(file_path)?;
    File::open(new)?.sync_all()?;
    std::fs::rename(new, file_path)?;
    sync_parent(file_path)
}

/// Writes the names in the folder of a file to the disk.
fn sync_parent(file_path: &Path) -> std::io::Result<()> {
    sync_folder(file_path.parent().unwrap_or(Path::new("/")))
}

/// Copies a damaged archive through its open file, and returns the copy, which only the user may
/// read.
// Opening and closing the archive once more would end the locks that SQLite has on it for this
// process (POSIX, fcntl).
fn copy_open(mut damaged: &File, to: &Path) -> std::io::Result<File> {
    file::make(to)?;
    let mut copy = OpenOptions::new().write(true).truncate(true).open(to)?;
    damaged.rewind()?;
    std::io::copy(&mut damaged, &mut copy)?;
    Ok(copy)
}

/// Copies a file, if it exists; returns whether it does.
fn copied(from: &Path, to: &Path) -> std::io::Result<bool> {
    match std::fs::copy(from, to) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        other => other.map(|_| true),
    }
}

/// The write lock of a damaged archive while it is copied and renamed: no other program
/// writes, and the log does not change. `None` where the damage prevents every process from
/// writing to it.
fn write_lock(
    file_path: &Path,
    lock_timeout: Duration,
) -> Result<Option<rusqlite::Connection>, ArchiveError> {
    use rusqlite::config::DbConfig;

    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = rusqlite::Connection::open_with_flags(file_path, flags);
    let locked = opened.and_then(|connection| {
        connection.busy_timeout(lock_timeout)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(connection)
    });
    match locked.map_err(|error| explained(file_path, &error)) {
        Err(ArchiveError::Busy) => Err(ArchiveError::Busy),
        locked => Ok(locked.ok()),
    }
}

/// `true` if a damaged file was an archive: rows were recovered, it is empty, it has the
/// application ID or the table names of driftline, or it is at a path used for archives
/// only. Any other file is not renamed.
fn was_archive(
    path: &Path,
    file_path: &Path,
    mut damaged: &File,
    copied: &[(&'static str, usize)],
) -> bool {
    /// Number of bytes that are searched.
    const LOOK: u64 = 1 << 20;
    if copied.iter().any(|(_, count)| *count > 0) {
        return true;
    }
    let mut start = Vec::new();
    let rewound = damaged.rewind();
    let read = rewound.and_then(|()| damaged.take(LOOK).read_to_end(&mut start));
    if read.is_err() {
        return false;
    }
    let table = b"CREATE TABLE transmission";
    let mark = schema::APPLICATION.to_be_bytes();
    if start.is_empty() {
        return true;
    }
    // A symbolic link counts as the file that it leads to.
    let home = [path, file_path]
        .iter()
        .any(|path| path.ends_with("driftline/archive.db"));
    // The application ID, four bytes at offset 68 of the file format.
    start.get(68..72) == mark.get(4..)
        || start.windows(table.len()).any(|window| window == table)
        || (home && start.contains(&0) && !start.starts_with(b"SQLite format 3\0"))
}

/// `true` if a file is damaged.
///
/// # Errors
/// When it is of a different program or another version of driftline, or locked by another process.
fn is_damaged(path: &Path, lock_timeout: Duration) -> Result<bool, ArchiveError> {
    let found =
        match Archive::open_existing_at(&ArchiveLocation::File(path.to_owned()), lock_timeout) {
            Ok(Some(archive)) => archive.check(),
            Ok(None) => return Ok(false),
            Err(error) => Err(error),
        };
    match found {
        Ok(found) => Ok(!found.is_empty()),
        Err(ArchiveError::Damaged { .. } | ArchiveError::Empty { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
