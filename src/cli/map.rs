//! The chart of one deployment as an image.

use std::collections::BTreeSet;

use super::args::{Global, MapArguments};
use super::output::{is_watched, note, waits};
use super::track::{Wanted, get};
use super::{alarms, connect, file};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::formats::Subject;
use crate::formats::image::{ImageFormat, SIDES, Style};
use crate::intake::archived::Fields;
use crate::intake::prepare;
use crate::ops::blocking::blocking;
use crate::ops::export;
use crate::ops::output::Destination;
use crate::text;

pub(super) async fn run(global: &Global, arguments: MapArguments) -> Result<u8, Failure> {
    connect::refuse_own(global, Some(&arguments.output))?;
    // Wrong arguments are reported before anything is fetched.
    let format = arguments
        .output
        .extension()
        .and_then(|extension| ImageFormat::from_extension(&extension.to_string_lossy()))
        .ok_or_else(|| {
            Failure::usage(format!(
                "--output {}: the file name must end in .svg or .png",
                text::excerpt(&arguments.output.display().to_string(), 80)
            ))
        })?;
    let size = size(&arguments.size)?;
    let settings = connect::settings(global)?;
    let notation = settings.notation();
    let colour_by = arguments.colour;
    let got = if file::is_file(&arguments.deployment) {
        file::track(&arguments.deployment, &arguments.file, &arguments.selection).await?
    } else {
        let store = connect::store(&settings);
        let wanted = Wanted {
            deployment: &arguments.deployment,
            selection: &arguments.selection,
            offline: arguments.offline,
            fields: Fields::Without,
        };
        let got = get(global, &settings, &store, wanted).await;
        if !arguments.offline {
            alarms::tell(&settings, &store).await;
        }
        got?
    };
    let style = Style {
        size,
        colour_by,
        units: notation.units,
        limits: got.limits,
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
        let target = Destination::that_waits(&arguments.output, &waits);
        let missing = export::image_file(&target, format, &subject, &track, &style)?;
        if !missing.is_empty() {
            note(&without_letters(&missing));
        }
        if is_watched() {
            note(&format!(
                "{} fixes in {}",
                track.len(),
                text::clean(&arguments.output.display().to_string())
            ));
        }
        Ok(0)
    });
    drawn.await?
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
