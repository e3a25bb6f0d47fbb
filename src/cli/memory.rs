//! Memory that is freed goes back to the system.
//!
//! The allocator of glibc takes large blocks from the system one by one, and gives them
//! back. But with each that is freed it raises the size from which it does so, up to
//! 32 MB. The columns of a long track are then cut out of a heap that does not shrink: a
//! dashboard with a million fixes held 385 MB after twenty keys with two refreshes, and 135
//! with a size that is set, which does not move. Without `unsafe` it can only be set by the
//! environment, which is read before the program begins: so the program starts again with
//! it, which takes some 1.5 ms.

/// The variable that the allocator reads (mallopt(3), `M_MMAP_THRESHOLD`).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const VARIABLE: &str = "MALLOC_MMAP_THRESHOLD_";
/// The size from which a block is taken from the system and given back, bytes: a
/// column of 8-byte numbers of 131,072 fixes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const BLOCK: &str = "1048576";

/// Starts the program again with [`VARIABLE`] set, where the allocator reads it and
/// nobody has set it. Returns where there is nothing to do, and where that fails: the
/// program then runs on and takes more memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back_what_is_freed() {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    if env::var_os(VARIABLE).is_some() || env::var_os("GLIBC_TUNABLES").is_some() {
        return;
    }
    let mut arguments = env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), env::current_exe()) else {
        return;
    };
    // A loader that was told to run the program is the program that runs.
    if std::path::Path::new(&name).file_name() != program.file_name() {
        return;
    }
    let _ = Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(VARIABLE, BLOCK)
        .exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back_what_is_freed() {}
