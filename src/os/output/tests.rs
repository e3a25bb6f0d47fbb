//! Files that are written whole or not at all, links, pipes and devices.

use super::*;
use crate::failure::FailureKind;

fn write(
    path: &Path,
    replace: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<(), ContentError>,
) -> Result<(), WriteError> {
    let kind = if replace {
        FileKind::Named
    } else {
        FileKind::New
    };
    write_file(&Destination::new(path, kind), content)
}

fn content(text: &'static str) -> impl FnOnce(&mut dyn Write) -> Result<(), ContentError> {
    move |out| Ok(out.write_all(text.as_bytes())?)
}

#[test]
fn a_failure_leaves_what_was_there_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("track.csv");
    write(&path, false, content("old")).unwrap();
    let broken = |out: &mut dyn Write| {
        out.write_all(b"half").unwrap();
        let broken = Failure::new(FailureKind::Other, "it broke", "");
        Err(ContentError::Failed(broken))
    };
    assert_eq!(
        Failure::from(write(&path, true, broken).unwrap_err()).reason,
        "it broke"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_missing_folder_is_named_and_no_room_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for (path, told) in [
        (
            "exports/2026/track.csv",
            "the folder ~/exports does not exist",
        ),
        ("gone/track.csv", "the folder ~/gone does not exist"),
        ("file/track.csv", "~/file is not a folder"),
        ("file/2026/track.csv", "~/file is not a folder"),
    ] {
        let path = folder.path().join(path);
        let failure = Failure::from(write(&path, true, content("x")).unwrap_err());
        let told = told.replace('~', &folder.path().display().to_string());
        assert_eq!(failure.kind, FailureKind::Other);
        assert!(failure.reason.ends_with(&told), "{failure:?}");
        assert!(!failure.hint.contains("room"), "{failure:?}");
    }
    let full = io::Error::from(io::ErrorKind::StorageFull);
    let failure = failed("writing", &folder.path().join("track.csv"), &full);
    assert!(failure.hint.ends_with("or make room."), "{failure:?}");
}

#[test]
fn a_file_is_replaced_only_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("track.csv");
    write(&path, false, content("one")).unwrap();
    assert_eq!(
        Failure::from(write(&path, false, content("two")).unwrap_err()).kind,
        FailureKind::Usage
    );
    write(&path, true, content("two")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    assert_eq!(
        Failure::from(write(folder.path(), true, content("x")).unwrap_err()).kind,
        FailureKind::Usage
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::write(&real, "old").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real", &link).unwrap();
    write(&link, true, content("new")).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(
        std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let dangling = folder.path().join("dangling");
    symlink("later", &dangling).unwrap();
    write(&dangling, false, content("there")).unwrap();
    assert_eq!(
        std::fs::read_to_string(folder.path().join("later")).unwrap(),
        "there"
    );
}

#[cfg(unix)]
#[test]
fn a_chain_of_links_is_followed_to_its_end_and_a_loop_is_told() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("deep")).unwrap();
    symlink("deep/second", at("first")).unwrap();
    symlink("../third", at("deep/second")).unwrap();
    symlink("end", at("third")).unwrap();
    write(&at("first"), false, content("there")).unwrap();
    assert_eq!(std::fs::read_to_string(at("end")).unwrap(), "there");
    for link in ["first", "deep/second", "third"] {
        assert!(std::fs::symlink_metadata(at(link)).unwrap().is_symlink());
    }
    symlink("round", at("round")).unwrap();
    let told = write(&at("round"), true, content("x")).unwrap_err();
    assert_eq!(Failure::from(told).kind, FailureKind::Other);
    assert!(std::fs::symlink_metadata(at("round")).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_mode_of_any_new_file_and_nothing_is_beside_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str| {
        let there = std::fs::metadata(folder.path().join(name)).unwrap();
        there.permissions().mode() & 0o7777
    };
    std::fs::write(folder.path().join("plain"), "x").unwrap();
    write(&folder.path().join("ours"), false, content("x")).unwrap();
    assert_eq!(mode("ours"), mode("plain"));
    // The longest possible name.
    let long = "\u{e9}".repeat(127) + "x";
    write(&folder.path().join(&long), false, content("x")).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[cfg(unix)]
#[cfg(unix)]
#[test]
fn a_pipe_is_written_into() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
    };
    write(&pipe, true, content("through")).unwrap();
    assert_eq!(reader.join().unwrap(), "through");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_device_is_written_into_and_stays_a_device() {
    use std::os::unix::fs::FileTypeExt;
    write(Path::new("/dev/null"), true, content("gone")).unwrap();
    assert!(
        std::fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    let full = write(Path::new("/dev/full"), true, content("no room"));
    let told = Failure::from(full.unwrap_err());
    assert_eq!(told.kind, FailureKind::Other);
    let words = "writing /dev/full failed: the disk is full";
    assert!(told.reason.starts_with(words), "{told}");
}
