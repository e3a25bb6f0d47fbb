//! Paths that name an open file of this process: `/dev/stdout`, `/dev/fd/N`,
//! `/proc/self/fd/N`. Opened by such a path, a file would be written from its
//! start, even if the shell appends (`>>`).

// `File::create("/dev/stdout")` does open something, which is why this is not left out: on Linux it
// opens the file behind the descriptor again, at its start and truncated, so that
// `driftline track A --output /dev/stdout >> all.csv` would lose what `all.csv` had. `pidfd_getfd` is the
// one way to a descriptor by its number without unsafe code.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The number of the open file that `path` names, through links too.
#[cfg(target_os = "linux")]
pub(super) fn named_by(path: &Path) -> Option<i32> {
    let own =
        ["/proc/self/fd", "/proc/thread-self/fd"].map(|folder| std::fs::canonicalize(folder).ok());
    let mut path = path.to_owned();
    // As many links as the system follows itself.
    for _ in 0..40 {
        let folder = path.parent()?;
        let here = std::fs::canonicalize(folder).ok();
        if here.is_some() && own.contains(&here) {
            return path.file_name()?.to_str()?.parse().ok();
        }
        let link = std::fs::read_link(&path).ok()?;
        path = folder.join(link);
    }
    None
}

/// Elsewhere such a path is a device for the open file itself.
#[cfg(not(target_os = "linux"))]
pub(super) fn named_by(_path: &Path) -> Option<i32> {
    None
}

/// The open file itself, with its offset and its flags.
#[cfg(target_os = "linux")]
pub(super) fn open(number: i32) -> io::Result<File> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    use std::os::fd::AsFd;
    let file = match number {
        0 => io::stdin().as_fd().try_clone_to_owned()?,
        1 => io::stdout().as_fd().try_clone_to_owned()?,
        2 => io::stderr().as_fd().try_clone_to_owned()?,
        _ => {
            let own = pidfd_open(getpid(), PidfdFlags::empty())?;
            pidfd_getfd(own, number, PidfdGetfdFlags::empty())?
        }
    };
    Ok(File::from(file))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_number: i32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A writer that waits until its file accepts more, if that file does not block
/// (`O_NONBLOCK`): a shell, or the program that started this one, may have opened it so.
#[derive(Debug)]
pub(crate) struct Waiting<W>(pub(crate) W);

#[cfg(unix)]
impl<W: Write + std::os::fd::AsFd> Waiting<W> {
    fn until_done<T>(&mut self, mut act: impl FnMut(&mut W) -> io::Result<T>) -> io::Result<T> {
        use rustix::event::{PollFd, PollFlags, poll};
        loop {
            match act(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
            match poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(unix)]
impl<W: Write + std::os::fd::AsFd> Write for Waiting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until_done(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.until_done(Write::flush)
    }
}

#[cfg(not(unix))]
impl<W: Write> Write for Waiting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
