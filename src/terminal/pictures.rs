//! Pictures of pixels below the text, by the graphics protocol of kitty
//! (<https://sw.kovidgoyal.net/kitty/graphics-protocol/>).

// Why not `ratatui-image`: it fills the cells of a picture with placeholders of its own, so that no
// text can stand over it; it sends a picture again when its protocol state is made again, not when
// what is drawn differs; and it wants the `image` crate besides `png` and `resvg`.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::dashboard::draw::Placed;
use crate::formats::image::Picture;
use crate::text::base64;

/// Queries whether the terminal draws pictures: one of a single pixel, which is not shown.
pub(super) const QUERY: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";
/// The begin of the terminal's reply, after its escape character, and the reply if it does.
pub(super) const REPLY: &[u8] = b"_Gi=31;";
pub(super) const YES: &[u8] = b"\x1b_Gi=31;OK";
/// Most bytes of a picture in one sequence.
const CHUNK: usize = 4096;
/// Layers this low are below cells with a background.
const BELOW: i32 = i32::MIN / 2 - 1;
/// The number of the first picture: a terminal keeps those of several programs.
const FIRST: u32 = 0xD21F_0000;
/// Most pictures that the terminal has: those of two tabs, and as many as were seen before.
const KEPT: u32 = 6;

/// `true` if the terminal may have a picture of this program.
static ARE_SENT: AtomicBool = AtomicBool::new(false);

/// The pictures that the terminal has.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// Each with its number, the one that was wanted last at the end: a tab that is left and
    /// comes again sends none.
    kept: Vec<(u32, Placed)>,
    /// Those that are seen.
    placed: Vec<(u32, Placed)>,
}

impl Pictures {
    /// Writes what changes from the pictures that the terminal shows to those of a frame; returns
    /// `true` if anything was written. The place of the terminal's cursor is another one then.
    pub(super) fn change(&mut self, wanted: &[Placed], out: &mut impl Write) -> io::Result<bool> {
        if self.placed.iter().map(|(_, placed)| placed).eq(wanted) {
            return Ok(false);
        }
        let before = std::mem::take(&mut self.placed);
        for placed in wanted {
            let number = self.number(placed, out)?;
            self.placed.push((number, placed.clone()));
        }
        for (number, _) in before.iter().filter(|shown| !self.placed.contains(shown)) {
            write!(out, "\x1b_Ga=d,d=i,i={number},q=2\x1b\\")?;
        }
        for (number, placed) in self.placed.iter().filter(|shown| !before.contains(shown)) {
            place(*number, placed, out)?;
        }
        Ok(true)
    }

    /// The number of a picture, which is sent unless the terminal has it, in place of the one
    /// that was not wanted for the longest time.
    fn number(&mut self, wanted: &Placed, out: &mut impl Write) -> io::Result<u32> {
        let mut kept = self.kept.iter();
        let known = kept.position(|(_, placed)| placed.has_same_picture(wanted));
        let number = match known {
            Some(index) => self.kept.remove(index).0,
            None => {
                let free = (FIRST..FIRST + KEPT).nth(self.kept.len());
                let number = free.unwrap_or_else(|| self.kept.remove(0).0);
                ARE_SENT.store(true, Ordering::SeqCst);
                send(number, &wanted.picture, out)?;
                number
            }
        };
        self.kept.push((number, wanted.clone()));
        Ok(number)
    }
}

/// Deletes all pictures that this program may have sent.
pub(super) fn delete_all(out: &mut impl Write) -> io::Result<()> {
    if ARE_SENT.swap(false, Ordering::SeqCst) {
        for number in FIRST..FIRST + KEPT {
            write!(out, "\x1b_Ga=d,d=I,i={number},q=2\x1b\\")?;
        }
    }
    Ok(())
}

/// Sends a picture in place of an earlier one of its number. The terminal never answers: the
/// answer would come among the keys.
fn send(number: u32, picture: &Picture, out: &mut impl Write) -> io::Result<()> {
    let (width, height) = picture.size;
    let letters = base64(&picture.packed()?);
    let last = letters.len().div_ceil(CHUNK).saturating_sub(1);
    for (index, chunk) in letters.as_bytes().chunks(CHUNK).enumerate() {
        write!(out, "\x1b_G")?;
        if index == 0 {
            write!(out, "a=t,f=32,o=z,s={width},v={height},i={number},")?;
        }
        write!(out, "q=2,m={};", u8::from(index < last))?;
        out.write_all(chunk)?;
        out.write_all(b"\x1b\\")?;
    }
    Ok(())
}

/// Places the parts of a picture that are seen, each below its cells.
fn place(number: u32, placed: &Placed, out: &mut impl Write) -> io::Result<()> {
    let (area, (width, height)) = (placed.area, placed.picture.size);
    let scaled = |cells: u16, size: u16, of: u16| u32::from(cells) * u32::from(size / of.max(1));
    for (part, seen) in (1u32..).zip(&placed.seen) {
        let [x, w] = [seen.x - area.x, seen.width].map(|cells| scaled(cells, width, area.width));
        let [y, h] = [seen.y - area.y, seen.height].map(|cells| scaled(cells, height, area.height));
        write!(
            out,
            "\x1b[{};{}H\x1b_Ga=p,i={number},p={part},x={x},y={y},w={w},h={h},\
             c={},r={},z={BELOW},C=1,q=2\x1b\\",
            seen.y + 1,
            seen.x + 1,
            seen.width,
            seen.height
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
