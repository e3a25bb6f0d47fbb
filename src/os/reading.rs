//! Reads files that a user names, pipes among them, without keeping a signal
//! waiting.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::blocking::blocking;
use crate::failure::Failure;
use crate::text;

/// Opens a file, or standard input for `-`, and reads it by `read`, on a blocking thread: a pipe
/// opens only when a program writes into it. Dropping the future ends the wait.
///
/// # Errors
/// `FailureKind::Usage` for a missing file, `FailureKind::Other` when it cannot be opened;
/// any failure of `read`. All name the file.
pub(crate) async fn read_named<T: Send + 'static>(
    path: &Path,
    read: impl FnOnce(Box<dyn Read>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let name = if path.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        text::path(path)
    };
    let opened = path.to_owned();
    let done = blocking(move || {
        if opened.as_os_str() == "-" {
            return read(Box::new(std::io::stdin()));
        }
        let file = File::open(opened).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                Failure::usage("there is no such file").with_hint("Check the path.")
            }
            _ => Failure::other(error.to_string()),
        })?;
        read(Box::new(file))
    })
    .await;
    done.flatten().map_err(|failure| failure.context(name))
}
