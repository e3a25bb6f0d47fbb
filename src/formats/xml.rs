//! XML, written element by element: a file of any length takes no memory.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

/// So many bytes are collected before they are written.
const ROOM: usize = 16 << 10;

/// How elements follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each on a line of its own, indented.
    Indented,
    /// Elements directly after each other, quotes in texts escaped too.
    Packed,
}

/// The content of the element begun last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Nothing: its start tag has no end yet.
    Nothing,
    Elements,
}

/// Writes XML to `out`.
pub(super) struct XmlWriter<'a> {
    out: &'a mut dyn Write,
    layout: Layout,
    text: Vec<u8>,
    /// The elements that are open, the innermost last.
    open: Vec<&'static str>,
    inside: Inside,
}

/// An attribute with its value.
pub(super) type Attribute<'a> = (&'static str, &'a dyn Display);

impl<'a> XmlWriter<'a> {
    /// A writer whose text begins with the XML declaration.
    pub(super) fn new(out: &'a mut dyn Write, layout: Layout) -> Self {
        let mut text = Vec::with_capacity(ROOM + (ROOM >> 2));
        text.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        if layout == Layout::Packed {
            text.push(b'\n');
        }
        Self {
            out,
            layout,
            text,
            open: Vec::new(),
            inside: Inside::Elements,
        }
    }

    /// Begins an element with attributes.
    pub(super) fn open(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
    ) -> io::Result<()> {
        self.end_start_tag();
        self.new_line();
        self.text.push(b'<');
        self.text.extend_from_slice(name.as_bytes());
        for (name, value) in attributes {
            self.text.push(b' ');
            self.text.extend_from_slice(name.as_bytes());
            self.text.extend_from_slice(b"=\"");
            escape(&mut self.text, &value.to_string(), true);
            self.text.push(b'"');
        }
        self.open.push(name);
        self.inside = Inside::Nothing;
        self.pass_on(ROOM)
    }

    /// Adds an element with a text and no attributes.
    pub(super) fn element(&mut self, name: &'static str, text: &str) -> io::Result<()> {
        self.end_start_tag();
        self.new_line();
        for piece in [b"<".as_slice(), name.as_bytes(), b">"] {
            self.text.extend_from_slice(piece);
        }
        let quotes = self.layout == Layout::Packed;
        escape(&mut self.text, &valid(text), quotes);
        self.end_tag(name);
        self.pass_on(ROOM)
    }

    /// Ends the element that is open.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let Some(name) = self.open.pop() else {
            return Ok(());
        };
        if self.inside == Inside::Nothing && self.layout == Layout::Indented {
            self.text.extend_from_slice(b" />");
        } else {
            if self.inside == Inside::Nothing {
                self.text.push(b'>');
            } else {
                self.new_line();
            }
            self.end_tag(name);
        }
        self.inside = Inside::Elements;
        self.pass_on(ROOM)
    }

    /// Ends all open elements and writes what is left.
    pub(super) fn finish(mut self) -> io::Result<()> {
        while !self.open.is_empty() {
            self.close()?;
        }
        self.pass_on(0)
    }

    fn end_start_tag(&mut self) {
        if self.inside == Inside::Nothing {
            self.text.push(b'>');
            self.inside = Inside::Elements;
        }
    }

    fn end_tag(&mut self, name: &str) {
        for piece in [b"</".as_slice(), name.as_bytes(), b">"] {
            self.text.extend_from_slice(piece);
        }
    }

    fn new_line(&mut self) {
        if self.layout == Layout::Indented {
            self.text.push(b'\n');
            for _ in &self.open {
                self.text.extend_from_slice(b"  ");
            }
        }
    }

    /// Writes what was collected if it is longer than `room` bytes.
    fn pass_on(&mut self, room: usize) -> io::Result<()> {
        if self.text.len() > room {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}

/// Adds a text with the characters escaped that XML gives a meaning, the quotes
/// too where `quotes` is set.
fn escape(to: &mut Vec<u8>, text: &str, quotes: bool) {
    for byte in text.bytes() {
        match byte {
            b'<' => to.extend_from_slice(b"&lt;"),
            b'>' => to.extend_from_slice(b"&gt;"),
            b'&' => to.extend_from_slice(b"&amp;"),
            b'"' if quotes => to.extend_from_slice(b"&quot;"),
            b'\'' if quotes => to.extend_from_slice(b"&apos;"),
            _ => to.push(byte),
        }
    }
}

/// Text without the characters that are invalid in XML, and without those that
/// XML discourages (XML 1.0, section 2.2): terminals act on them.
fn valid(text: &str) -> Cow<'_, str> {
    let is_valid = |one: &char| matches!(one, '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if text.chars().all(|one| is_valid(&one)) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().filter(is_valid).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(layout: Layout) -> String {
        let mut out = Vec::new();
        let mut xml = XmlWriter::new(&mut out, layout);
        xml.open("a", &[("n", &1.5), ("m", &"<\">")]).unwrap();
        xml.open("empty", &[]).unwrap();
        xml.close().unwrap();
        xml.element("b", "x<\u{7}'\u{9b}&å").unwrap();
        xml.open("c", &[]).unwrap();
        xml.element("d", "").unwrap();
        xml.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn elements_stand_in_each_other_and_texts_are_escaped() {
        assert_eq!(
            written(Layout::Packed),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a n=\"1.5\" m=\"&lt;&quot;&gt;\">\
             <empty></empty><b>x&lt;&apos;&amp;å</b><c><d></d></c></a>"
        );
        assert_eq!(
            written(Layout::Indented),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a n=\"1.5\" m=\"&lt;&quot;&gt;\">\n  \
             <empty />\n  <b>x&lt;'&amp;å</b>\n  <c>\n    <d></d>\n  </c>\n</a>"
        );
    }

    #[test]
    fn a_long_file_is_written_in_pieces() {
        struct Pieces(usize, usize);
        impl Write for Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 += 1;
                self.1 = self.1.max(bytes.len());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut out = Pieces(0, 0);
        let mut xml = XmlWriter::new(&mut out, Layout::Packed);
        for _ in 0..10_000 {
            xml.element("when", "2026-11-22T03:59:29Z").unwrap();
        }
        xml.finish().unwrap();
        assert!(out.0 > 10 && out.1 < 2 * ROOM, "{} {}", out.0, out.1);
    }
}
