//! Letters of an image as outlines, for a renderer without fonts.

use std::fmt::Write;

use resvg::usvg::roxmltree::{Document, Error, Node};
use ttf_parser::{Face, GlyphId, OutlineBuilder};
use unicode_segmentation::UnicodeSegmentation;

/// The same SVG document with each `text` element replaced by a `path` of its
/// letters in `face`, drawn from left to right without joining or reordering.
/// A character that the font lacks becomes its sign for a missing one.
///
/// # Errors
/// When `document` is not XML.
pub(super) fn outlined(document: &str, face: &Face<'_>) -> Result<String, Error> {
    let tree = Document::parse(document)?;
    let mut with_paths = String::with_capacity(document.len() * 2);
    let mut copied = 0;
    for node in tree.descendants().filter(|node| node.has_tag_name("text")) {
        with_paths.push_str(&document[copied..node.range().start]);
        copied = node.range().end;
        let fill = node.attribute("fill").unwrap_or("#000000");
        let words = node.text().unwrap_or_default().trim();
        let outline = outline(&node, words, face);
        // Writing to a String cannot fail.
        let _ = write!(with_paths, r#"<path fill="{fill}" d="{outline}"/>"#);
    }
    with_paths.push_str(&document[copied..]);
    Ok(with_paths)
}

/// A text cut to at most `room` pixels in a font of `size` pixels, never within a
/// grapheme; `…` marks the cut.
pub(super) fn fit(words: &str, face: &Face<'_>, size: f64, room: f64) -> String {
    let em = f64::from(face.units_per_em());
    // Another font may have the letters that this one lacks, each in a square.
    let letter_width = |letter: char| match face.glyph_index(letter) {
        Some(id) => f64::from(face.glyph_hor_advance(id).unwrap_or_default()) * size / em,
        None => size,
    };
    let width = |words: &str| words.chars().map(letter_width).sum::<f64>();
    if width(words) <= room {
        return words.to_owned();
    }
    let room = room - width("…");
    let mut used = 0.0;
    let kept = words.graphemes(true).take_while(|grapheme| {
        used += width(grapheme);
        used <= room
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

/// The path data of a `text` element with these words.
fn outline(node: &Node<'_, '_>, words: &str, face: &Face<'_>) -> String {
    let number = |name| {
        node.attribute(name)
            .and_then(|value| value.parse::<f32>().ok())
    };
    let scale = number("font-size").unwrap_or(12.0) / f32::from(face.units_per_em());
    // Number 0 is the sign for a missing letter.
    let ids = words
        .chars()
        .map(|letter| face.glyph_index(letter).unwrap_or(GlyphId(0)));
    let advance = |id| f32::from(face.glyph_hor_advance(id).unwrap_or_default()) * scale;
    let width = ids.clone().map(advance).sum::<f32>();
    let before = match node.attribute("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    let mut pen = Pen {
        path: String::new(),
        x: number("x").unwrap_or_default() - before,
        y: number("y").unwrap_or_default(),
        scale,
    };
    for id in ids {
        let _ = face.outline_glyph(id, &mut pen);
        pen.x += advance(id);
    }
    pen.path
}

/// Writes the outline of a glyph as path data. Fonts measure upwards, images
/// downwards.
struct Pen {
    path: String,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn command(&mut self, letter: char, points: &[(f32, f32)]) {
        self.path.push(letter);
        for (x, y) in points {
            let x = self.x + x * self.scale;
            let y = self.y - y * self.scale;
            let _ = write!(self.path, "{x:.2} {y:.2} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.command('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Face<'static> {
        Face::parse(dejavu::sans::regular(), 0).unwrap()
    }

    fn drawn(element: &str) -> Vec<(f32, f32)> {
        let document = format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{element}</svg>"#);
        let with_paths = outlined(&document, &face()).unwrap();
        assert!(!with_paths.contains("<text"), "{with_paths}");
        let path = with_paths.split(" d=\"").nth(1).unwrap();
        let numbers: Vec<f32> = path
            .split('"')
            .next()
            .unwrap()
            .split(|c: char| c.is_ascii_alphabetic() || c == ' ')
            .filter(|number| !number.is_empty())
            .map(|number| number.parse().unwrap())
            .collect();
        numbers.chunks(2).map(|at| (at[0], at[1])).collect()
    }

    fn span(points: &[(f32, f32)]) -> (f32, f32) {
        let across = points.iter().map(|point| point.0);
        (
            across.clone().fold(f32::MAX, f32::min),
            across.fold(f32::MIN, f32::max),
        )
    }

    #[test]
    fn a_text_begins_ends_or_stands_in_the_middle_of_its_place() {
        for (anchor, expected) in [("start", 100.0), ("middle", 85.0), ("end", 70.0)] {
            let points = drawn(&format!(
                r#"<text x="100" y="50" font-size="10" text-anchor="{anchor}">82° N</text>"#
            ));
            let (left, right) = span(&points);
            assert!((left - expected).abs() < 3.0, "{anchor}: {left}");
            assert!((25.0..35.0).contains(&(right - left)), "{left} {right}");
            // Above the line that they stand on.
            assert!(points.iter().all(|point| (40.0..=50.5).contains(&point.1)));
        }
    }

    #[test]
    fn a_text_is_cut_to_its_room_and_not_before() {
        let drawn_width = |words: &str| {
            let (left, right) = span(&drawn(&format!("<text font-size=\"17\">{words}</text>")));
            f64::from(right - left)
        };
        for words in ["W".repeat(400), "il".repeat(200), "buoy ".repeat(80)] {
            let cut = fit(&words, &face(), 17.0, 538.0);
            let width = drawn_width(&cut);
            assert!(
                cut.ends_with('…') && (510.0..538.0).contains(&width),
                "{cut} {width}"
            );
        }
        let short = "W".repeat(30);
        assert_eq!(fit(&short, &face(), 17.0, 538.0), short);
        assert_eq!(fit("北极浮标一号", &face(), 17.0, 60.0), "北极…");
        assert_eq!(fit("buoy", &face(), 17.0, 1.0), "…");
    }

    #[test]
    fn what_is_not_a_text_stays_and_a_letter_without_an_outline_is_none() {
        let document = r##"<svg xmlns="http://www.w3.org/2000/svg"><rect fill="#fff"/><text> </text><g><text fill="#123456">&lt;b&gt; 浮</text></g></svg>"##;
        let with_paths = outlined(document, &face()).unwrap();
        assert!(with_paths.contains(r##"<rect fill="#fff"/>"##));
        assert!(
            with_paths.contains(r##"<g><path fill="#123456" d="M"##),
            "{with_paths}"
        );
        Document::parse(&with_paths).unwrap();
    }
}
