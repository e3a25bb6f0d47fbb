//! A chart as an image outside the terminal: SVG, and PNG rendered from it.

mod legend;
mod letters;
mod lines;
mod pen;
mod pixels;
mod sheet;
mod title;

use std::io::Write;
use std::sync::Arc;

use resvg::{tiny_skia, usvg};
use strum::{EnumString, IntoStaticStr, VariantArray};
use ttf_parser::Face;

pub(crate) use pixels::{LinePen, Patch, Picture};

use super::Subject;
use super::format::ExportError;
use crate::geo::Units;
use crate::map::{LineColour, Overlay, PreparedTrack};
use crate::text;
use crate::watch::Limits;
use sheet::document;

/// Permitted widths and heights of an image, in pixels.
pub(crate) const SIDES: std::ops::RangeInclusive<u32> = 200..=8000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub(crate) enum ImageFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics.
    Png,
}

impl ImageFormat {
    /// The format of a file name extension.
    pub(crate) fn from_extension(extension: &str) -> Option<Self> {
        extension.parse().ok()
    }
}

/// How a track was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Source {
    /// Fetched from a service.
    #[default]
    Service,
    /// Read from a file, whose name is that of the deployment.
    File,
}

/// The options of an image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Style {
    /// Width and height in pixels.
    pub size: (u16, u16),
    /// The attribute or field that colours the line of a track alone; each of several has
    /// a colour of its own.
    pub colour: LineColour,
    /// Units of the scale bar and of lengths.
    pub units: Units,
    /// The overlays below the tracks.
    pub overlays: Vec<Arc<Overlay>>,
}

/// A track of an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charted<'a> {
    /// Its deployment.
    pub subject: Subject<'a>,
    pub track: &'a PreparedTrack,
    /// The alarm limits of the deployment: its watch circle or area is drawn, the maximum
    /// age of a track alone is written.
    pub limits: &'a Limits,
    /// How the track was received.
    pub source: Source,
}

impl Charted<'_> {
    /// The name of its deployment, without control characters.
    fn name(&self) -> String {
        text::clean(self.subject.name()).into_owned()
    }
}

/// Writes the chart of tracks. An SVG is drawn with the fonts of the viewer; in a PNG, a
/// letter that the built-in font lacks is a box.
///
/// # Errors
/// When writing to `out` fails, or the image cannot be rendered.
pub(crate) fn write(
    format: ImageFormat,
    tracks: &[Charted<'_>],
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let failed = |error: &dyn std::fmt::Display| ExportError::Image(error.to_string());
    // The font is built in, because a server may have none.
    let face = Face::parse(dejavu::sans::regular(), 0).map_err(|error| failed(&error))?;
    let document = document(tracks, style, &face);
    match format {
        ImageFormat::Svg => Ok(out.write_all(document.as_bytes())?),
        ImageFormat::Png => {
            let outlined = letters::outlined(&document, &face).map_err(|error| failed(&error))?;
            let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default())
                .map_err(|error| failed(&error))?;
            let (width, height) = style.size;
            let mut pixels = tiny_skia::Pixmap::new(width.into(), height.into())
                .ok_or_else(|| ExportError::Image("it has no size".to_owned()))?;
            resvg::render(
                &tree,
                tiny_skia::Transform::identity(),
                &mut pixels.as_mut(),
            );
            let png = pixels.encode_png().map_err(|error| failed(&error))?;
            Ok(out.write_all(&png)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::Subject;
    use crate::geo::{Inside, Units};
    use crate::map::{ColourBy, LineColour, PreparedTrack};
    use crate::testing;
    use crate::track::Platform;
    use crate::watch::Limits;

    fn track(places: &[(f64, f64)]) -> PreparedTrack {
        let hourly = |n| 1_790_000_000.0 + 3600.0 * f64::from(n);
        let fixes = (0u32..)
            .zip(places)
            .map(|(n, &(latitude, longitude))| (hourly(n), latitude, longitude));
        let track = testing::track::track(Platform::Drifter, 1.9e9, fixes);
        PreparedTrack::new(Arc::new(track))
    }

    const STYLE: Style = Style {
        size: (640, 480),
        colour: LineColour::By(ColourBy::Time),
        units: Units::Nautical,
        overlays: Vec::new(),
    };

    static NO_LIMITS: Limits = Limits {
        max_age_s: None,
        inside: None,
        max_speed_m_s: None,
        fields: Vec::new(),
    };

    fn charted<'a>(label: &'a str, track: &'a PreparedTrack) -> Charted<'a> {
        Charted {
            subject: subject(label),
            track,
            limits: &NO_LIMITS,
            source: Source::Service,
        }
    }

    fn svg_of(tracks: &[Charted<'_>], style: &Style) -> String {
        let mut bytes = Vec::new();
        write(ImageFormat::Svg, tracks, style, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn subject(label: &str) -> Subject<'_> {
        Subject {
            deployment: "00000000-0000-4000-8000-000000000001",
            label: Some(label),
            fetched_at: 1_790_100_000.0,
            now: 1_790_100_000.0,
            notation: Default::default(),
        }
    }

    fn svg(track: &PreparedTrack, label: &str) -> String {
        svg_of(&[charted(label, track)], &STYLE)
    }

    #[test]
    fn a_name_stands_in_it_as_text_and_never_as_markup() {
        let picture = svg(
            &track(&[(60.0, 5.0), (60.1, 5.1)]),
            "<b>&\u{1b}[31m\u{202e}",
        );
        assert!(picture.contains("&lt;b&gt;&amp;"), "{picture}");
        assert!(!picture.contains('\u{1b}') && !picture.contains('\u{202e}'));
        let document = usvg::roxmltree::Document::parse(&picture).unwrap();
        assert_eq!(document.root_element().tag_name().name(), "svg");
    }

    #[test]
    fn the_watch_circle_is_drawn_whole_and_the_limits_are_named() {
        let track = track(&[(60.0, 5.0), (60.001, 5.001), (60.0, 5.002)]);
        let limits = Limits {
            inside: Inside::from_stored("60,5,40000"),
            max_age_s: Some(172_800.0),
            ..Limits::default()
        };
        let limited = Charted {
            limits: &limits,
            ..charted("buoy", &track)
        };
        let picture = svg_of(&[limited], &STYLE);
        for words in ["watch circle 21.60 nm", "maximum age 2 d"] {
            assert!(picture.contains(words), "{words}: {picture}");
        }
        let circle = picture.split("<path").find(|path| path.contains("#8a3ea8"));
        let path = circle.and_then(|path| path.split(" d=\"").nth(1)?.split('"').next());
        let path = path.unwrap_or_else(|| panic!("no circle: {picture}"));
        let places: Vec<f64> = path
            .split(['M', 'L', ' '])
            .filter_map(|number| number.parse().ok())
            .collect();
        assert!(places.len() > 40, "{path}");
        // It lies within the chart, of 640 to 480 pixels with its margins.
        assert!(
            places
                .chunks(2)
                .all(|at| (0.0..538.0).contains(&at[0]) && (0.0..356.0).contains(&at[1])),
            "{path}"
        );
    }

    #[test]
    fn flags_have_a_colour_each_and_no_scale() {
        let mut places: Vec<(f64, f64)> = (0..60)
            .map(|n| (60.0 + 0.004 * f64::from(n), 5.0 + 0.003 * f64::from(n)))
            .collect();
        places[30] = (60.235, 5.36);
        let style = Style {
            colour: LineColour::By(ColourBy::Flag),
            ..STYLE
        };
        let picture = svg_of(&[charted("buoy", &track(&places))], &style);
        assert!(picture.contains("line: pass"), "{picture}");
        assert!(!picture.contains("pass to suspect"));
        // The first colour of the scale.
        assert!(!picture.contains("#483c8c"));
    }

    #[test]
    fn none_one_and_many_fixes_make_a_picture_of_the_size_asked_for() {
        let many: Vec<(f64, f64)> = (0..400)
            .map(|n| (82.0 + 0.01 * f64::from(n), f64::from(n) - 190.0))
            .map(|(latitude, longitude)| (latitude, crate::geo::projection::wrap(longitude)))
            .collect();
        for places in [&[][..], &[(60.0, 5.0)], &many] {
            let mut bytes = Vec::new();
            let track = track(places);
            let tracks = [charted("ice 7", &track)];
            write(ImageFormat::Png, &tracks, &STYLE, &mut bytes).unwrap();
            let pixels = tiny_skia::Pixmap::decode_png(&bytes).unwrap();
            assert_eq!((pixels.width(), pixels.height()), (640, 480));
            // Dark pixels of letters, lines and frame: the image is not blank.
            let inked = pixels.pixels().iter().filter(|p| p.red() < 128).count();
            assert!(inked > 500, "{inked}");
        }
    }

    #[test]
    fn land_and_a_jump_are_drawn_and_the_scale_names_its_latitude() {
        // A lasting move from the Skagerrak to the Kattegat within an hour.
        let places: Vec<(f64, f64)> = (0..60)
            .map(|n| {
                let longitude = if n < 30 { 8.0 } else { 11.2 };
                (57.8 + 0.003 * f64::from(n), longitude)
            })
            .collect();
        let track = track(&places);
        assert!(track.is_jump(30), "the data do not jump");
        let picture = svg(&track, "buoy");
        for words in [
            "jump",
            "crispEdges",
            "#e5e2d8",
            "at 58°N",
            "2026-09-21 to 2026-09-24",
        ] {
            assert!(picture.contains(words), "{words} is missing");
        }
        assert!(!picture.contains(">gap<"));
    }

    #[test]
    fn what_is_in_the_legend_is_on_the_map() {
        let mut places: Vec<(f64, f64)> = (0..60)
            .map(|n| (60.0 + 0.004 * f64::from(n), 5.0 + 0.003 * f64::from(n)))
            .collect();
        // Off by twenty kilometres, within an hour.
        places[30] = (60.235, 5.36);
        let picture = svg(&track(&places), "buoy");
        for words in ["first fix", "latest fix", "failed", "Natural Earth", "nm"] {
            assert!(picture.contains(words), "{words} is missing");
        }
        assert!(!picture.contains("suspect"));
    }

    /// On 2026-09-25 at noon, when one has been silent for a day.
    #[test]
    fn several_have_a_colour_a_letter_and_a_name_each_and_a_silent_one_a_cross() {
        let hourly = |n: u32| 1_790_000_000.0 + 3600.0 * f64::from(n);
        let of = |fixes: u32, east: f64| {
            let fixes = (0..fixes).map(|n| (hourly(n), 60.0 + 0.01 * f64::from(n), east));
            let track = testing::track::track(Platform::Drifter, 1.9e9, fixes);
            PreparedTrack::new(Arc::new(track))
        };
        let (first, silent, third) = (of(100, 5.0), of(70, 5.3), of(100, 5.6));
        let now = hourly(99) + 600.0;
        let at = |label, track| {
            let mut charted = charted(label, track);
            charted.subject.now = now;
            charted
        };
        let all = [
            at("ice 1", &first),
            at("ice 2", &silent),
            at("ice 3", &third),
        ];
        let picture = svg_of(&all, &STYLE);
        for words in [
            ">ice 1 · ice 2 · ice 3<",
            ">ice 1<",
            ">ice 2 (overdue)<",
            "3 tracks, 270 fixes",
        ] {
            let found = picture.split_whitespace().collect::<Vec<_>>().join(" ");
            let found = found.replace("> ", ">").replace(" <", "<");
            assert!(found.contains(words), "{words} is missing: {found}");
        }
        // The colours and letters of the screen on a light ground.
        for colour in ["#3c46ff", "#c2185b", "#006b4f"] {
            assert!(picture.contains(colour), "{colour}");
        }
        assert!(!picture.contains("#483c8c"), "a colour of the time scale");
        // A file ends where it ends.
        let filed = all.map(|charted| Charted {
            source: Source::File,
            ..charted
        });
        assert!(!svg_of(&filed, &STYLE).contains("overdue"));
    }

    #[test]
    fn forty_names_take_rows_of_the_legend_and_what_has_no_room_is_counted() {
        let track = track(&[(60.0, 5.0), (60.1, 5.1)]);
        let name = |n: usize| format!("drifter of the eastern array {n}");
        let names: Vec<String> = (0..40).map(name).collect();
        let all: Vec<Charted<'_>> = names.iter().map(|one| charted(one, &track)).collect();
        let wide = Style {
            size: (1200, 800),
            ..STYLE
        };
        let picture = svg_of(&all, &wide);
        assert_eq!(
            picture.matches("drifter of the eastern array 39").count(),
            1
        );
        assert!(picture.contains("AN"), "the letters of the fortieth");
        let small = Style {
            size: (320, 200),
            ..STYLE
        };
        let picture = svg_of(&all, &small);
        assert!(picture.contains(" more"), "{picture}");
    }
}
