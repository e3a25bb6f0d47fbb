//! Care of the archive.

use super::args::{ArchiveCommand, Global};
use super::connect;
use super::output::{Out, note};
use crate::ops::{Failure, FailureKind, text};

pub(super) async fn run(global: &Global, command: ArchiveCommand) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let path = settings.archive.value.display().to_string();
    match command {
        ArchiveCommand::Info => {
            let mut lines = format!("archive        {}\n", text::clean(&path));
            match store.counts().await? {
                None => lines.push_str("               not made yet\n"),
                Some(counts) => {
                    let size =
                        std::fs::metadata(&settings.archive.value).map_or(0, |file| file.len());
                    lines.push_str(&format!("{:<14} {size} bytes\n", "size"));
                    for (name, count) in counts {
                        lines.push_str(&format!("{name:<14} {count}\n"));
                    }
                }
            }
            Out::new().text(&lines)
        }
        ArchiveCommand::Check => {
            let found = store.check().await?;
            if found.is_empty() {
                return Out::new().text("ok\n");
            }
            Err(Failure::new(
                FailureKind::Other,
                format!(
                    "the archive {path} is damaged: {}",
                    text::excerpt(&found.join("; "), 300)
                ),
                "It was left as it is; `--archive OTHER` works meanwhile.",
            ))
        }
        ArchiveCommand::Vacuum => {
            if store.counts().await?.is_some() {
                store.vacuum().await?;
            }
            note("done");
            Ok(0)
        }
    }
}
