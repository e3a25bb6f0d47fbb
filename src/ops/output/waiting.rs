//! Writing to what does not block.

use std::io::{self, Write};

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
