//! XML, written element by element: a file of any length takes no memory.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// Writes XML to an output, each element on a line.
pub(super) struct XmlWriter<'a> {
    writer: Writer<BufWriter<&'a mut dyn Write>>,
    /// The elements that are open, the innermost last.
    open: Vec<&'static str>,
}

/// An attribute with its value.
pub(super) type Attribute<'a> = (&'static str, &'a dyn Display);

impl<'a> XmlWriter<'a> {
    /// Writes the XML declaration.
    pub(super) fn new(out: &'a mut dyn Write) -> io::Result<Self> {
        let mut writer = Writer::new_with_indent(BufWriter::new(out), b' ', 1);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let open = Vec::new();
        Ok(Self { writer, open })
    }

    /// Begins an element with attributes.
    pub(super) fn open(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
    ) -> io::Result<()> {
        let mut start = BytesStart::new(name);
        for (name, value) in attributes {
            start.push_attribute((*name, value.to_string().as_str()));
        }
        self.open.push(name);
        self.writer.write_event(Event::Start(start))
    }

    /// Adds an element with a text and no attributes.
    pub(super) fn element(&mut self, name: &'static str, text: &str) -> io::Result<()> {
        let element = self.writer.create_element(name);
        let text = text.replace(|character| !is_valid(character), "");
        element.write_text_content(BytesText::new(&text))?;
        Ok(())
    }

    /// Ends the innermost open element.
    pub(super) fn close(&mut self) -> io::Result<()> {
        match self.open.pop() {
            Some(name) => self.writer.write_event(Event::End(BytesEnd::new(name))),
            None => Ok(()),
        }
    }

    /// Ends all open elements and writes the rest.
    pub(super) fn finish(mut self) -> io::Result<()> {
        while !self.open.is_empty() {
            self.close()?;
        }
        self.writer.get_mut().flush()
    }
}

/// `false` for the characters that are invalid in XML, and for those that XML discourages (XML
/// 1.0, section 2.2): terminals act on them.
fn is_valid(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_in_each_other_and_texts_are_escaped() {
        let mut out = Vec::new();
        let mut xml = XmlWriter::new(&mut out).unwrap();
        xml.open("a", &[("n", &1.5), ("m", &"<\">")]).unwrap();
        xml.open("empty", &[]).unwrap();
        xml.close().unwrap();
        xml.element("b", "x<\u{7}'\u{9b}&å").unwrap();
        xml.open("c", &[]).unwrap();
        xml.element("d", "").unwrap();
        xml.finish().unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a n=\"1.5\" m=\"&lt;&quot;&gt;\">\n \
             <empty>\n </empty>\n <b>x&lt;&apos;&amp;å</b>\n <c>\n  <d></d>\n </c>\n</a>"
        );
    }
}
