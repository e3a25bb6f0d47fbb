//! Writes values into the settings file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::failure::Failure;
use crate::os::blocking::blocking;
use crate::os::files::make_private_folder;
use crate::os::output::{Destination, FileKind, write_file};
use crate::settings::{NewSetting, Settings, with_setting};

/// Reads the settings of this run again, from the same flags and variables.
type ReadAgain = Arc<dyn Fn() -> Result<Settings, Failure> + Send + Sync>;

/// The settings file of this run.
#[derive(Clone)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    /// The profile in force.
    profile: String,
    read_again: ReadAgain,
}

impl SettingsFile {
    /// The settings file at `path`, in which `profile` is in force.
    pub(crate) fn new(path: PathBuf, profile: String, read_again: ReadAgain) -> Self {
        Self {
            path,
            profile,
            read_again,
        }
    }

    /// Writes a setting into the file, which is made if it is not there; the rest of it
    /// stays as it is. Returns the settings that are in force after the next start.
    ///
    /// # Errors
    /// `FailureKind::Usage` if the file or the value is refused, and
    /// `FailureKind::Other` if the file cannot be read or written. Then it is as it
    /// was.
    pub(crate) async fn write(&self, new: NewSetting) -> Result<Settings, Failure> {
        let file = self.clone();
        blocking(move || {
            rewrite(&file.path, "The setting stays for this session.", |text| {
                with_setting(&file.path, text, &file.profile, &new)
            })?;
            (file.read_again)()
        })
        .await?
    }
}

/// Replaces the text of a settings file by what `edit` makes of it. A new file, and new
/// folders above it, are their owner's only.
///
/// # Errors
/// The error of `edit`, and `FailureKind::Other` with the `hint` if the file cannot be
/// read or written.
pub(crate) fn rewrite(
    file: &Path,
    hint: &str,
    edit: impl FnOnce(&str) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let failed = |step: &str, path: &Path, error: &std::io::Error| {
        Failure::other(format!("{step} {} failed: {error}", path.display())).with_hint(hint)
    };
    if let Some(folder) = file.parent() {
        make_private_folder(folder).map_err(|e| failed("making", folder, &e))?;
    }
    // A pipe would hold up every later edit, and a device is no settings file.
    if std::fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
        let reason = std::io::Error::other("it is not a regular file");
        return Err(failed("reading", file, &reason));
    }
    let before = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed("reading", file, &error)),
    };
    let text = edit(&before)?;
    write_file(&Destination::new(file, FileKind::Private), |out| {
        Ok(out.write_all(text.as_bytes())?)
    })
    .map_err(Failure::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;
    use crate::settings::Flags;

    fn file(path: &Path, profile: &str) -> SettingsFile {
        let flags = Flags::from([("--config", path.into()), ("--profile", profile.into())]);
        let read_again = move || Settings::load(&flags, &|_| None);
        SettingsFile::new(path.to_owned(), profile.to_owned(), Arc::new(read_again))
    }

    fn units(value: &str) -> NewSetting {
        NewSetting {
            table: None,
            name: "units".to_owned(),
            value: value.to_owned(),
        }
    }

    #[tokio::test]
    async fn a_setting_is_in_force_after_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("config.toml");
        let settings = file(&path, "default").write(units("\"si\"")).await.unwrap();
        let rows = settings.rows();
        let row = rows.iter().find(|row| row.name == "units").unwrap();
        assert_eq!(row.value, "si");
        assert_eq!(row.source, format!("{}:1", path.display()));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "units = \"si\"\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
        }
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_used_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        // Someone edits it meanwhile, and has not finished.
        std::fs::write(&path, "units = \n").unwrap();
        let failure = file(&path, "default")
            .write(units("\"si\""))
            .await
            .unwrap_err();
        assert_eq!(failure.kind, FailureKind::Usage);
        assert!(failure.reason.contains("config.toml:1:"), "{failure}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "units = \n");
        // A pipe that nobody writes to, and a folder, are no files.
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            let failure = file(&pipe, "default").write(units("\"si\"")).await;
            assert!(failure.unwrap_err().reason.contains("not a regular file"));
        }
        let failure = file(folder.path(), "default")
            .write(units("\"si\""))
            .await
            .unwrap_err();
        assert_eq!(failure.kind, FailureKind::Other);
        assert_eq!(failure.hint, "The setting stays for this session.");
    }
}
