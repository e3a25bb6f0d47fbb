//! The chart of deployments as an image.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{Global, MapArguments};
use super::latest::fetch_due;
use super::output::{Out, note, report, waits, written};
use super::track::{Got, Range, Wanted, get};
use super::{alarms, connect, file};
use crate::choice;
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::formats::Subject;
use crate::formats::image::{Charted, ImageFormat, SIDES, Source, Style};
use crate::intake::archived::Fields;
use crate::intake::prepare;
use crate::map::{ColourBy, FieldCharts, LineColour, Overlay, ShownFields};
use crate::ops::blocking::blocking;
use crate::ops::export;
use crate::ops::output::Destination;
use crate::ops::overlay;
use crate::ops::store::Store;
use crate::ops::watch_list;
use crate::settings::Settings;
use crate::text;
use crate::track::Track;
use crate::track::remote::Remote;

pub(super) async fn run(global: &Global, arguments: MapArguments) -> Result<u8, Failure> {
    let output = Some(&arguments.output).filter(|path| path.as_os_str() != "-");
    connect::refuse_own(global, output.map(PathBuf::as_path))?;
    // Wrong arguments are reported before anything is fetched.
    let format = format(arguments.format, output.map(PathBuf::as_path))?;
    let size = size(&arguments.size)?;
    let are_several = arguments.all || arguments.deployments.len() > 1;
    if are_several && arguments.colour.is_some() {
        return Err(Failure::new(
            FailureKind::Usage,
            "--colour is for one track",
            "Leave it out: each of several has a colour of its own.",
        ));
    }
    let settings = connect::settings(global)?;
    let files = settings.overlays.clone();
    let overlays = blocking(move || overlays(&files)).await??;
    let notation = settings.notation();
    let colour = arguments.colour.as_deref().unwrap_or("time");
    let attribute = colour.parse::<ColourBy>().ok();
    let fields = match attribute {
        Some(_) => Fields::Without,
        None => Fields::With,
    };
    let (all, failure) = tracks(global, &settings, &arguments, fields).await?;
    if let Some(failure) = failure.as_ref().filter(|_| all.is_empty()) {
        return Err(failure.clone());
    }
    let colour = match (attribute, all.first()) {
        (Some(attribute), _) => LineColour::By(attribute),
        (None, None) => LineColour::By(ColourBy::Time),
        (None, Some((got, _))) => field_colour(colour, &got.track).await?,
    };
    let style = Style {
        size,
        colour,
        units: notation.units,
        overlays,
    };
    let mut prepared = Vec::new();
    for (got, _) in &all {
        prepared.push(prepare::prepared(Arc::clone(&got.track)).await?);
    }
    let until = Range::of(&arguments.selection, unix_now())?.until();
    let drawn = blocking(move || {
        // As of then: who reported still is not overdue.
        let now = until.map_or_else(unix_now, |until| until.min(unix_now()));
        let with_track = all.iter().zip(&prepared);
        let charted = with_track.map(|((got, source), track)| Charted {
            subject: Subject {
                deployment: &got.deployment,
                label: got.label.as_deref(),
                fetched_at: got.fetched_at,
                now,
                notation,
            },
            track,
            limits: &got.limits,
            source: *source,
        });
        let charted: Vec<Charted<'_>> = charted.collect();
        write(format, &charted, &style, &arguments.output)
    });
    drawn.await??;
    failure.map_or(Ok(0), Err)
}

/// Writes the picture to a file, or to standard output.
fn write(
    format: ImageFormat,
    charted: &[Charted<'_>],
    style: &Style,
    output: &Path,
) -> Result<(), Failure> {
    let mut missing = BTreeSet::new();
    if output.as_os_str() == "-" {
        Out::new().with(|out| {
            missing = export::write_image(format, charted, style, out)?;
            Ok(())
        })?;
    } else {
        let target = Destination::that_waits(output, &waits);
        missing = export::image_file(&target, format, charted, style)?;
    }
    if !missing.is_empty() {
        note(&without_letters(&missing));
    }
    let fixes = charted.iter().map(|one| one.track.len()).sum();
    written(&text::counted(fixes, "fix", "fixes"), output);
    Ok(())
}

/// The tracks that are drawn, each once, and the last failure to get one; the others are
/// reported.
async fn tracks(
    global: &Global,
    settings: &Settings,
    arguments: &MapArguments,
    fields: Fields,
) -> Result<(Vec<(Got, Source)>, Option<Failure>), Failure> {
    let store = connect::store(settings);
    let wanted = match arguments.all {
        true => watched(global, settings, &store, arguments.offline).await?,
        false => AllWanted {
            words: arguments.deployments.clone(),
            offline: arguments.offline,
            failures: Vec::new(),
        },
    };
    let mut failures = wanted.failures;
    let mut all: Vec<(Got, Source)> = Vec::new();
    let mut asks_service = arguments.all;
    for word in &wanted.words {
        if !arguments.all && file::is_meant(word, settings, &store).await {
            let got = file::track(word, &arguments.file, &arguments.selection).await?;
            all.push((got, Source::File));
            continue;
        }
        asks_service = true;
        let wanted = Wanted {
            deployment: word,
            selection: &arguments.selection,
            offline: wanted.offline,
            fields,
            overrides: &[],
        };
        match get(global, settings, &store, wanted).await {
            Ok(got) if all.iter().any(|(one, _)| one.deployment == got.deployment) => {}
            Ok(got) => all.push((got, Source::Service)),
            Err(failure) => failures.push(failure),
        }
    }
    if asks_service && !arguments.offline {
        alarms::notify(settings, &store).await;
    }
    let last = failures.pop();
    for failure in failures {
        report(&failure, false);
    }
    Ok((all, last))
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

/// The deployments that are drawn.
struct AllWanted {
    words: Vec<String>,
    /// `true` if only the archive is read.
    offline: bool,
    /// Why some could not be fetched.
    failures: Vec<Failure>,
}

/// The watch list, after what is due of it was fetched into the archive.
async fn watched(
    global: &Global,
    settings: &Settings,
    store: &Store,
    offline: bool,
) -> Result<AllWanted, Failure> {
    let list = watch_list::watched(settings, store).await?;
    if list.is_empty() {
        return Err(Failure::new(
            FailureKind::Other,
            "the watch list is empty",
            "Add a deployment with `driftline deployments add UUID`.",
        ));
    }
    let failures = match offline {
        true => Vec::new(),
        false => fetch_due(global, settings, store, &list).await?,
    };
    Ok(AllWanted {
        words: list.iter().map(|entry| Remote::shown(entry.uuid)).collect(),
        offline: true,
        failures,
    })
}

/// The overlays of files; prints what was left out of them.
///
/// # Errors
/// [`FailureKind::Usage`] where one is not there, [`FailureKind::NotUnderstood`] where it
/// is no overlay.
fn overlays(files: &[PathBuf]) -> Result<Vec<Arc<Overlay>>, Failure> {
    let read = files.iter().map(|file| {
        let shown = text::excerpt(&file.display().to_string(), 80);
        let (overlay, left_out) = overlay::read(file)?;
        if let Some(left_out) = left_out {
            note(&format!("driftline: {shown}: {left_out}"));
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
            Failure::new(
                FailureKind::Usage,
                format!(
                    "--output {}: the name ends in neither .svg nor .png",
                    text::excerpt(&path.display().to_string(), 80)
                ),
                "Give such a name, or the format with --format.",
            )
        }),
    }
}

/// The failure for a field that cannot colour the line, with those that can.
fn no_colour(typed: &str, charts: &FieldCharts) -> Failure {
    /// So many are named.
    const NAMED: usize = 12;
    let mut known: Vec<&str> = choice::names::<ColourBy>().collect();
    known.extend(charts.varying().iter().map(|field| field.name()));
    if known.len() > NAMED {
        known.truncate(NAMED);
        known.push("…");
    }
    Failure::new(
        FailureKind::Usage,
        format!(
            "--colour {}: no field with this name varies in this track",
            text::excerpt(typed, 40)
        ),
        format!("There are {}.", text::excerpt(&known.join(", "), 300)),
    )
}

/// Says which characters the font of an image lacks.
fn without_letters(missing: &BTreeSet<char>) -> String {
    const NAMED: usize = 12;
    let named: Vec<String> = (missing.iter().take(NAMED))
        .map(|one| format!("{one} (U+{:04X})", u32::from(*one)))
        .collect();
    let more = match missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "driftline: the font of a PNG image lacks {}{more}; a box is drawn for each. An SVG image uses the fonts of its viewer.",
        named.join(", ")
    )
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
