//! Copies an archive whole, from one engine to another too.

use std::path::Path;

use crate::archive::location::{ArchiveLocation, Password};
use crate::archive::{Archive, BUSY};
use crate::failure::Failure;
use crate::os::blocking::blocking;

/// Copies the archive at `from` into an empty or missing one at `to`, and checks the
/// copy. Returns the numbers of its rows.
///
/// # Errors
/// When there is none at `from` or it is damaged, the other is not empty or cannot
/// be written, or a name is neither a file nor a URL without a password.
pub(crate) async fn copy(from: &Path, to: &Path) -> Result<[(&'static str, u64); 6], Failure> {
    let place = |name: &'static str, given: &Path| {
        ArchiveLocation::parse(given, Password::Refused)
            .map_err(|error| Failure::usage(format!("{name}: {error}")))
    };
    let from = place("FROM", from)?;
    let to = place("TO", to)?;
    if from == to {
        return Err(Failure::usage("FROM and TO are one archive"));
    }
    blocking(move || copy_now(&from, &to)).await?
}

fn copy_now(
    from: &ArchiveLocation,
    to: &ArchiveLocation,
) -> Result<[(&'static str, u64); 6], Failure> {
    let failed = |reason: String, hint: &'static str| Failure::other(reason).with_hint(hint);
    let Some(source) = Archive::open_existing_at(from, BUSY)? else {
        return Err(failed(
            format!("there is no archive at {from}"),
            "Name an archive that exists.",
        ));
    };
    let damage = source.check()?;
    if !damage.is_empty() {
        return Err(failed(
            format!("the archive {from} is damaged: {}", damage.join("; ")),
            "Run `driftline archive check` on it first.",
        ));
    }
    let mut copy = Archive::open_at(to, BUSY)?;
    let Some(copied) = source.copy_into(&mut copy)? else {
        return Err(failed(
            format!("the archive {to} is not empty"),
            "Name a file that does not exist yet, or an empty database.",
        ));
    };
    let counts = copy.counts()?;
    let damage = copy.check()?;
    if !damage.is_empty() || counts != copied {
        return Err(failed(
            format!("the copy at {to} differs from what was copied"),
            "Another program wrote to the copy meanwhile: empty the new one and try again.",
        ));
    }
    Ok(counts)
}
