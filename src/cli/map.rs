//! One deployment's chart as a picture.

use super::args::{Global, MapArguments};
use super::connect;
use super::output::{is_watched, note};
use super::track::{Wanted, get};
use crate::ops::{
    self, Failure, FailureKind, PICTURE_SIDES, PictureFormat, PictureStyle, Subject, text,
};
use crate::runtime;

pub(super) async fn run(global: &Global, arguments: MapArguments) -> Result<u8, Failure> {
    let uuid = connect::deployment(&arguments.deployment)?;
    // What is wrong with the order is said before anything is fetched.
    let format = arguments
        .output
        .extension()
        .and_then(|extension| PictureFormat::from_extension(&extension.to_string_lossy()))
        .ok_or_else(|| {
            Failure::usage(format!(
                "--output {}: a picture's name ends in .svg or .png",
                text::excerpt(&arguments.output.display().to_string(), 80)
            ))
        })?;
    let size = size(&arguments.size)?;
    let units = connect::settings(global)?.units.value;
    let ramp = arguments.colour;
    let wanted = Wanted {
        deployment: &arguments.deployment,
        platform: arguments.platform,
        since: arguments.since.as_deref(),
        until: arguments.until.as_deref(),
        offline: arguments.offline,
    };
    let got = get(global, wanted).await?;
    let style = PictureStyle { size, ramp, units };
    let drawn = tokio::task::spawn_blocking(move || {
        let track = ops::make_ready(got.track);
        let deployment = uuid.to_string();
        let subject = Subject {
            deployment: &deployment,
            label: got.label.as_deref(),
            fetched_at: got.fetched_at,
            now: runtime::now(),
        };
        ops::picture_file(&arguments.output, format, &subject, &track, style)?;
        if is_watched() {
            note(&format!(
                "{} fixes in {}",
                track.len(),
                text::clean(&arguments.output.display().to_string())
            ));
        }
        Ok(0)
    });
    drawn.await.unwrap_or_else(|error| {
        Err(Failure::new(
            FailureKind::Other,
            format!("an internal fault while drawing: {error}"),
            "",
        ))
    })
}

/// Width and height in pixels, such as `1200x800`.
fn size(words: &str) -> Result<(u16, u16), Failure> {
    let parse = |side: &str| {
        side.parse::<u32>()
            .ok()
            .filter(|side| PICTURE_SIDES.contains(side))
            .and_then(|side| u16::try_from(side).ok())
    };
    words
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some((parse(width)?, parse(height)?)))
        .ok_or_else(|| {
            Failure::usage(format!(
                "--size {}: a size is WIDTHxHEIGHT in pixels, {} to {} each, such as 1200x800",
                text::excerpt(words, 40),
                PICTURE_SIDES.start(),
                PICTURE_SIDES.end()
            ))
        })
}
