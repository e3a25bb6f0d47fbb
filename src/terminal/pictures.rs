//! Pictures of pixels below the text, by the graphics protocol of kitty
//! (<https://sw.kovidgoyal.net/kitty/graphics-protocol/>).

// Why not `ratatui-image`: it fills the cells of a picture with placeholders of its own, so that no
// text can stand over it; it sends a picture again when its protocol state is made anew, not when
// what is drawn differs; and it wants the `image` crate beside `png` and `resvg`.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use strum::VariantArray;

use crate::dashboard::draw::Placed;
use crate::dashboard::tab::Pane;
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
/// The number of the first pane's picture: a terminal keeps those of several programs.
const FIRST: u32 = 0xD21F_0000;

/// `true` if the terminal may have a picture of this program.
static ARE_SENT: AtomicBool = AtomicBool::new(false);

/// The number of the picture of a pane.
fn number(pane: Pane) -> u32 {
    FIRST + pane as u32
}

/// The pictures that the terminal has.
#[derive(Debug, Default)]
pub(super) struct Pictures(Vec<Placed>);

impl Pictures {
    /// Writes what changes from the pictures that the terminal has to those of a frame; returns
    /// `true` if anything was written. The place of the terminal's cursor is another one then.
    pub(super) fn change(&mut self, wanted: &[Placed], out: &mut impl Write) -> io::Result<bool> {
        if self.0 == wanted {
            return Ok(false);
        }
        for gone in &self.0 {
            if !wanted.iter().any(|placed| placed.pane == gone.pane) {
                delete(gone.pane, out)?;
            }
        }
        for placed in wanted.iter().filter(|placed| !self.0.contains(placed)) {
            if self.0.iter().any(|known| known.has_same_picture(placed)) {
                // Another part of it is seen.
                write!(out, "\x1b_Ga=d,d=i,i={},q=2\x1b\\", number(placed.pane))?;
            } else {
                ARE_SENT.store(true, Ordering::SeqCst);
                send(placed, out)?;
            }
            place(placed, out)?;
        }
        self.0 = wanted.to_vec();
        Ok(true)
    }
}

/// Deletes all pictures that this program may have sent.
pub(super) fn delete_all(out: &mut impl Write) -> io::Result<()> {
    if ARE_SENT.swap(false, Ordering::SeqCst) {
        for pane in Pane::VARIANTS {
            delete(*pane, out)?;
        }
    }
    Ok(())
}

/// Deletes the picture of a pane with its data.
fn delete(pane: Pane, out: &mut impl Write) -> io::Result<()> {
    write!(out, "\x1b_Ga=d,d=I,i={},q=2\x1b\\", number(pane))
}

/// Sends a picture in place of an earlier one of its pane. The terminal never answers: the answer
/// would come among the keys.
fn send(placed: &Placed, out: &mut impl Write) -> io::Result<()> {
    let (width, height) = placed.picture.size;
    let letters = base64(&placed.picture.packed()?);
    let last = letters.len().div_ceil(CHUNK).saturating_sub(1);
    for (index, chunk) in letters.as_bytes().chunks(CHUNK).enumerate() {
        write!(out, "\x1b_G")?;
        if index == 0 {
            let number = number(placed.pane);
            write!(out, "a=t,f=32,o=z,s={width},v={height},i={number},")?;
        }
        write!(out, "q=2,m={};", u8::from(index < last))?;
        out.write_all(chunk)?;
        out.write_all(b"\x1b\\")?;
    }
    Ok(())
}

/// Places the parts of a picture that are seen, each below its cells.
fn place(placed: &Placed, out: &mut impl Write) -> io::Result<()> {
    let (area, (width, height)) = (placed.area, placed.picture.size);
    let number = number(placed.pane);
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
