//! The tracks of deployments and files, headless.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use strum::VariantArray;

use super::args::{Global, TrackArguments};
use super::field_choice::{field_choice, missing_fields};
use super::file;
use super::output::{Out, last, note, warn, written};
use super::run::Run;
use super::subject::{Ask, Naming, OfFile, Range, Subject, Unread};

use crate::app::export;
use crate::app::update::prepare::Fields;
use crate::failure::Failure;
use crate::formats::{self, Format, cut_texts};
use crate::geo::Notation;
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::os::output::{Destination, FileKind};
use crate::text;
use crate::track::Track;
use crate::track::field::{FieldChoice, FieldColumn};

pub(super) async fn run(global: &Global, arguments: TrackArguments) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    run.then_notify(fetch(&run, arguments)).await
}

/// Fetches and writes the tracks.
async fn fetch(run: &Run, arguments: TrackArguments) -> Result<u8, Failure> {
    run.refuse_own(arguments.output.as_deref(), &arguments.deployments)?;
    let of_folder = folder(&arguments).map(|_| Format::Csv);
    let named = arguments.printed.named().or(of_folder);
    let format = chosen_format(named, arguments.output.as_deref(), Format::VARIANTS)?;
    export::can_write(format)?;
    let fields = field_choice(arguments.fields.as_deref())?;
    if arguments.deployments.len() > 1 && folder(&arguments).is_none() {
        return Err(
            Failure::usage("several deployments do not go into one file")
                .with_hint("Name a folder: --output DIR/ writes a file for each deployment."),
        );
    }
    let range = Range::new(&arguments.selection, unix_now())?;
    let naming = Naming {
        file: &arguments.file,
        speed: &arguments.selection.speed,
        unread: Unread::IsNoted,
        of_file: OfFile::Each,
    };
    let (mut subjects, mut failures) = run.all_named(&arguments.deployments, &naming).await;
    let ask = Ask::unless(arguments.offline);
    let archived = Fields::for_format(format.has_fields(), fields.as_ref());
    run.fetch(subjects.iter_mut().collect(), ask, archived, None)
        .await?;
    let writing = Writing {
        exclude_failed: arguments.exclude_failed,
        fields,
        format,
        notation: run.settings.notation(),
    };
    subjects.retain(|subject| match subject.got() {
        Ok(_) => true,
        Err(failure) => {
            failures.push(failure);
            false
        }
    });
    for subject in &mut subjects {
        subject.note_all();
        range.cut(subject);
    }
    let outputs = outputs(&arguments, format, &subjects)?;
    for output in &outputs {
        run.refuse_own(output.as_deref(), &arguments.deployments)?;
    }
    for (subject, output) in subjects.into_iter().zip(outputs) {
        writing.write(subject, output).await?;
    }
    last(failures).map_or(Ok(0), Err)
}

/// The format of the flag, else of the file's extension, which is that of one of `formats`, else
/// the table on a terminal and CSV otherwise.
pub(super) fn chosen_format(
    named: Option<Format>,
    output: Option<&Path>,
    formats: &[Format],
) -> Result<Format, Failure> {
    let file = output.filter(|path| path.as_os_str() != "-");
    let extension = file.and_then(Path::extension).map(OsStr::to_string_lossy);
    let to_terminal = file.is_none() && std::io::stdout().is_terminal();
    match (named, extension) {
        (Some(format), _) => Ok(format),
        (None, Some(extension)) => Format::from_extension(&extension)
            .filter(|format| formats.contains(format))
            .ok_or_else(|| {
                let shown = text::excerpt(&extension, 20);
                Failure::usage(format!("--output: no format has the extension .{shown}"))
                    .with_hint("Give the format with --format, or a name with its extension.")
            }),
        (None, None) if to_terminal => Ok(Format::Table),
        (None, None) => Ok(Format::Csv),
    }
}

/// The folder that gets a file for each deployment.
fn folder(arguments: &TrackArguments) -> Option<&Path> {
    arguments.output.as_deref().filter(|output| {
        let typed = output.as_os_str().to_string_lossy();
        output.is_dir() || typed.ends_with(std::path::is_separator)
    })
}

/// The output of each track: the output that was given, or a file each in a folder.
fn outputs(
    arguments: &TrackArguments,
    format: Format,
    subjects: &[Subject],
) -> Result<Vec<Option<PathBuf>>, Failure> {
    let Some(folder) = folder(arguments) else {
        if subjects.len() > 1 {
            return Err(file::several(&arguments.deployments.join(" "), subjects));
        }
        return Ok(vec![arguments.output.clone()]);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        let failure = format!(
            "--output {}: {error}",
            text::excerpt(&folder.to_string_lossy(), 200)
        );
        Failure::other(failure)
    })?;
    let names = file_names(
        subjects
            .iter()
            .map(|subject| (subject.id.as_str(), subject.file.as_deref())),
    );
    let file = |name| Some(folder.join(format!("{name}.{}", format.extension())));
    Ok(names.into_iter().map(file).collect())
}

/// The names of the files of tracks, each given by its id and the file that it was read from, if
/// any: the id, and where several have it, those of files the path of their file as well. Names
/// that differ in case alone are one on some systems.
fn file_names<'a>(tracks: impl Iterator<Item = (&'a str, Option<&'a str>)> + Clone) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (id, _) in tracks.clone() {
        *counts.entry(id.to_lowercase()).or_default() += 1;
    }
    let name = |(id, file): (&str, Option<&str>)| match file {
        Some(file) if counts[&id.to_lowercase()] > 1 => {
            export::safe_file_name(&format!("{file}/{id}"))
        }
        _ => export::safe_file_name(id),
    };
    tracks.map(name).collect()
}

/// How tracks are written.
struct Writing {
    exclude_failed: bool,
    fields: Option<FieldChoice>,
    format: Format,
    notation: Notation,
}

impl Writing {
    /// Writes the track of a subject to a file, or to standard output.
    async fn write(&self, subject: Subject, output: Option<PathBuf>) -> Result<u8, Failure> {
        let format = self.format;
        let notation = self.notation;
        let mut track = Arc::clone(&subject.got()?.track);
        if self.exclude_failed {
            track = Arc::new(track.without_failed());
        }
        if let Some(choice) = &self.fields {
            let names = || track.fields().columns().map(FieldColumn::name);
            let missing = missing_fields(names, choice).filter(|_| format.has_fields());
            if let Some(message) = missing {
                note(&message);
            }
            track = Arc::new(track.with_chosen_fields(choice));
        }
        if let Some(message) = cut_texts(format, &track) {
            warn(message);
        }
        // A write to a pipe that nobody reads blocks: it must not block the thread that
        // listens for Ctrl-C.
        blocking(move || {
            let about = subject.about(unix_now(), notation);
            write(format, &about, &track, output.as_deref())
        })
        .await?
    }
}

fn write(
    format: Format,
    about: &formats::Subject<'_>,
    track: &Track,
    output: Option<&Path>,
) -> Result<u8, Failure> {
    match output {
        Some(path) if path.as_os_str() != "-" => {
            // A file named by the user is replaced without a question.
            let target = Destination::new(path, FileKind::Named);
            export::export_file(&target, format, about, track)?;
            written(&text::counted(track.len(), "fix", "fixes"), path);
            Ok(0)
        }
        _ => Out::new().with(|out| formats::write(format, about, track, out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_of_one_name_get_that_of_their_file_in_whatever_order() {
        let mut tracks = [
            ("pos", Some("a/pos.csv")),
            ("pos", Some("b/pos.csv")),
            ("pos_", Some("a/pos_.csv")),
            ("Seal", Some("seals.csv")),
            ("seal", Some("seals.csv")),
            ("7", Some("7.csv")),
            ("7", None),
        ];
        let named = |tracks: &[(&'static str, Option<&'static str>)]| {
            let names = file_names(tracks.iter().copied());
            tracks.iter().copied().zip(names).collect::<HashMap<_, _>>()
        };
        let names = named(&tracks);
        assert_eq!(names[&tracks[2]], "pos_");
        assert_eq!(names[&tracks[6]], "7");
        for (at, of_path) in [
            (0, "a_pos.csv_pos-"),
            (1, "b_pos.csv_pos-"),
            (4, "seals.csv_seal-"),
        ] {
            assert!(names[&tracks[at]].starts_with(of_path), "{names:?}");
        }
        let different: std::collections::HashSet<&String> = names.values().collect();
        assert_eq!(different.len(), tracks.len());
        tracks.reverse();
        assert_eq!(named(&tracks), names);
    }
}
