//! The chart of deployments and files as an image.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{Global, MapArguments};
use super::output::{Out, last, warn, written};
use super::run::Run;
use super::subject::{Ask, Naming, OfFile, Range, Subject, Unread};
use crate::app::update::prepare;
use crate::app::update::prepare::Fields;
use crate::app::{export, overlay, watch_list};
use crate::failure::Failure;
use crate::formats;
use crate::formats::image::{Charted, ImageFormat, SIDES, Style};
use crate::map::{ColourBy, FieldCharts, LineColour, Overlay, ShownFields};
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::os::output::{Destination, FileKind};
use crate::text;
use crate::text::choice;
use crate::track::Track;

pub(super) async fn run(global: &Global, arguments: MapArguments) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    run.then_notify(draw(&run, arguments)).await
}

/// Fetches the tracks, and draws them.
async fn draw(run: &Run, arguments: MapArguments) -> Result<u8, Failure> {
    let output = Some(&arguments.output).filter(|path| path.as_os_str() != "-");
    run.refuse_own(output.map(PathBuf::as_path), &arguments.deployments)?;
    // Wrong arguments are reported before anything is fetched.
    let format = format(arguments.format, output.map(PathBuf::as_path))?;
    let size = size(&arguments.size)?;
    let are_several = arguments.all || arguments.deployments.len() > 1;
    if are_several && arguments.colour.is_some() {
        return Err(Failure::usage("--colour is for one track")
            .with_hint("Leave it out: each of several has a colour of its own."));
    }
    let range = Range::new(&arguments.selection, unix_now())?;
    let files = run.settings.overlays.clone();
    let overlays = blocking(move || overlays(&files)).await??;
    let colour = arguments.colour.as_deref().unwrap_or("time");
    let attribute = colour.parse::<ColourBy>().ok();
    let fields = match attribute {
        Some(_) => Fields::Without,
        None => Fields::With,
    };
    let (mut subjects, failure) = subjects(run, &arguments, fields).await?;
    if let Some(failure) = failure.as_ref().filter(|_| subjects.is_empty()) {
        return Err(failure.clone());
    }
    for subject in &mut subjects {
        subject.note_all();
        range.cut(subject);
    }
    let tracks: Vec<&Arc<Track>> = subjects.iter().filter_map(Subject::track).collect();
    let colour = match (attribute, tracks.first()) {
        (Some(attribute), _) => LineColour::By(attribute),
        (None, None) => LineColour::By(ColourBy::Time),
        (None, Some(track)) => field_colour(colour, track).await?,
    };
    let notation = run.settings.notation();
    let style = Style {
        size,
        colour,
        units: notation.units,
        overlays,
    };
    let mut prepared = Vec::new();
    for track in tracks {
        prepared.push(prepare::prepared(Arc::clone(track)).await?);
    }
    let drawn = blocking(move || {
        // The status at the end of the range: later silence does not count.
        let now = (range.until()).map_or_else(unix_now, |until| until.min(unix_now()));
        let with_track = subjects.iter().zip(&prepared);
        let charted: Vec<Charted<'_>> = with_track
            .map(|(subject, track)| Charted {
                subject: subject.about(now, notation),
                track,
                limits: &subject.entry.limits,
                source: subject.source(),
            })
            .collect();
        write(format, &charted, &style, &arguments.output)
    });
    drawn.await??;
    failure.map_or(Ok(0), Err)
}

/// The deployments and files that are drawn, each with its track, and the last failure to get
/// one; the other failures are reported.
async fn subjects(
    run: &Run,
    arguments: &MapArguments,
    fields: Fields,
) -> Result<(Vec<Subject>, Option<Failure>), Failure> {
    let (mut subjects, mut failures) = if arguments.all {
        (watched(run).await?, Vec::new())
    } else {
        let naming = Naming {
            file: &arguments.file,
            speed: &arguments.selection.speed,
            unread: Unread::IsNoted,
            of_file: OfFile::Only,
        };
        run.all_named(&arguments.deployments, &naming).await
    };
    let ask = if arguments.offline {
        Ask::Nothing
    } else if arguments.all {
        Ask::Due
    } else {
        Ask::All
    };
    run.fetch(subjects.iter_mut().collect(), ask, fields, None)
        .await?;
    if ask == Ask::Due {
        run.read_instead(subjects.iter_mut().collect(), fields)
            .await;
    }
    for subject in &subjects {
        failures.extend(subject.failure.clone());
    }
    subjects.retain(|subject| match subject.got() {
        Ok(_) => true,
        Err(failure) if subject.failure.is_none() => {
            failures.push(failure);
            false
        }
        Err(_) => false,
    });
    Ok((subjects, last(failures)))
}

/// The watch list.
async fn watched(run: &Run) -> Result<Vec<Subject>, Failure> {
    let list = watch_list::watched(&run.settings, &run.store).await?;
    if list.is_empty() {
        return Err(Failure::other(watch_list::empty(&run.settings, &run.store)));
    }
    Ok(list.into_iter().map(Subject::new).collect())
}

/// Writes the picture to a file, or to standard output.
fn write(
    format: ImageFormat,
    charted: &[Charted<'_>],
    style: &Style,
    output: &Path,
) -> Result<(), Failure> {
    if output.as_os_str() == "-" {
        Out::new().with(|out| formats::image::write(format, charted, style, out))?;
    } else {
        let target = Destination::new(output, FileKind::Named);
        export::image_file(&target, format, charted, style)?;
    }
    let fixes = charted.iter().map(|charted| charted.track.len()).sum();
    written(&text::counted(fixes, "fix", "fixes"), output);
    Ok(())
}

/// The colours of a field of the records.
async fn field_colour(typed: &str, track: &Arc<Track>) -> Result<LineColour, Failure> {
    let charts = prepare::charts(Arc::clone(track)).await?;
    let fields = ShownFields {
        charts: Arc::clone(&charts),
        whole: Arc::clone(track),
        offset: 0,
    };
    let field = fields.named(typed);
    Ok(LineColour::Field(
        field.ok_or_else(|| no_colour(typed, &charts))?,
    ))
}

/// The overlays of files; prints what was left out of them.
///
/// # Errors
/// `FailureKind::Usage` for a missing file, `FailureKind::NotUnderstood` for a file that is no
/// overlay.
fn overlays(files: &[PathBuf]) -> Result<Vec<Arc<Overlay>>, Failure> {
    let read = files.iter().map(|file| {
        let shown = text::excerpt(&file.display().to_string(), 80);
        let (overlay, left_out) = overlay::read(file)?;
        if let Some(left_out) = left_out {
            warn(format_args!("{shown}: {left_out}"));
        }
        Ok(Arc::new(overlay))
    });
    read.collect()
}

/// The format of the image: that of the flag, else that of the name of the file.
fn format(named: Option<ImageFormat>, output: Option<&Path>) -> Result<ImageFormat, Failure> {
    let by_name = |path: &Path| {
        let extension = path.extension()?.to_string_lossy();
        ImageFormat::from_extension(&extension)
    };
    match (named, output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ImageFormat::Svg),
        (None, Some(path)) => by_name(path).ok_or_else(|| {
            Failure::usage(format!(
                "--output {}: the name ends in neither .svg nor .png",
                text::excerpt(&path.display().to_string(), 80)
            ))
            .with_hint("Give such a name, or the format with --format.")
        }),
    }
}

/// The failure for a field that cannot colour the line, with those that can.
fn no_colour(typed: &str, charts: &FieldCharts) -> Failure {
    /// The most that are named.
    const NAMED: usize = 12;
    let fields = charts.varying().iter().map(|field| field.name().to_owned());
    let names = choice::names::<ColourBy>().map(str::to_owned).chain(fields);
    let known = text::first_of(names, NAMED);
    Failure::usage(format!(
        "--colour {}: no field with this name varies in this track",
        text::excerpt(typed, 40)
    ))
    .with_hint(format!("There are {}.", text::excerpt(&known, 300)))
}

/// Parses width and height in pixels, such as `1200x800`.
fn size(typed: &str) -> Result<(u16, u16), Failure> {
    let parse = |side: &str| {
        side.parse::<u32>()
            .ok()
            .filter(|side| SIDES.contains(side))
            .and_then(|side| u16::try_from(side).ok())
    };
    typed
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some((parse(width)?, parse(height)?)))
        .ok_or_else(|| {
            Failure::usage(format!(
                "--size {}: a size is WIDTHxHEIGHT in pixels, {} to {} each, such as 1200x800",
                text::excerpt(typed, 40),
                SIDES.start(),
                SIDES.end()
            ))
        })
}
