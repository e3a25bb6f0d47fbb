//! The chart of one deployment as an image.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{Global, MapArguments};
use super::output::{Out, note, waits, written};
use super::track::{Wanted, get};
use super::{alarms, connect, file};
use crate::choice;
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::formats::Subject;
use crate::formats::image::{ImageFormat, SIDES, Source, Style};
use crate::intake::archived::Fields;
use crate::intake::prepare;
use crate::map::{ColourBy, FieldCharts, LineColour, Overlay, ShownFields};
use crate::ops::blocking::blocking;
use crate::ops::export;
use crate::ops::output::Destination;
use crate::ops::overlay;
use crate::text;

pub(super) async fn run(global: &Global, arguments: MapArguments) -> Result<u8, Failure> {
    let output = Some(&arguments.output).filter(|path| path.as_os_str() != "-");
    connect::refuse_own(global, output.map(PathBuf::as_path))?;
    // Wrong arguments are reported before anything is fetched.
    let format = format(arguments.format, output.map(PathBuf::as_path))?;
    let size = size(&arguments.size)?;
    let settings = connect::settings(global)?;
    let files = [settings.overlays.clone(), arguments.overlay.clone()].concat();
    let overlays = blocking(move || overlays(&files)).await??;
    let notation = settings.notation();
    let attribute = arguments.colour.parse::<ColourBy>().ok();
    let store = connect::store(&settings);
    let source = match file::is_meant(&arguments.deployment, &settings, &store).await {
        true => Source::File,
        false => Source::Service,
    };
    let got = if source == Source::File {
        file::track(&arguments.deployment, &arguments.file, &arguments.selection).await?
    } else {
        let wanted = Wanted {
            deployment: &arguments.deployment,
            selection: &arguments.selection,
            offline: arguments.offline,
            fields: match attribute {
                Some(_) => Fields::Without,
                None => Fields::With,
            },
            overrides: &[],
        };
        let got = get(global, &settings, &store, wanted).await;
        if !arguments.offline {
            alarms::tell(&settings, &store).await;
        }
        got?
    };
    let colour = match attribute {
        Some(attribute) => LineColour::By(attribute),
        None => {
            let charts = prepare::charts(Arc::clone(&got.track)).await?;
            let fields = ShownFields {
                charts: Arc::clone(&charts),
                whole: Arc::clone(&got.track),
                offset: 0,
            };
            let field = fields.named(&arguments.colour);
            LineColour::Field(field.ok_or_else(|| no_colour(&arguments.colour, &charts))?)
        }
    };
    let style = Style {
        size,
        colour,
        units: notation.units,
        limits: got.limits,
        source,
        overlays,
    };
    let track = prepare::prepared(got.track).await?;
    let drawn = blocking(move || {
        let subject = Subject {
            deployment: &got.deployment,
            label: got.label.as_deref(),
            fetched_at: got.fetched_at,
            now: unix_now(),
            notation,
        };
        let output = &arguments.output;
        let mut missing = BTreeSet::new();
        if output.as_os_str() == "-" {
            Out::new().with(|out| {
                missing = export::write_image(format, &subject, &track, &style, out)?;
                Ok(())
            })?;
        } else {
            let target = Destination::that_waits(output, &waits);
            missing = export::image_file(&target, format, &subject, &track, &style)?;
        }
        if !missing.is_empty() {
            note(&without_letters(&missing));
        }
        written(&text::counted(track.len(), "fix", "fixes"), output);
        Ok(0)
    });
    drawn.await?
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
