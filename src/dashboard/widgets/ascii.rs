//! Converts a frame for terminals that show only ASCII. This is the last step
//! of drawing, so that no other part has to handle such terminals.

use nucleo_matcher::chars::normalize;
use ratatui::buffer::Buffer;

/// Replaces every character beyond ASCII by a similar ASCII one. The degree
/// sign becomes a blank, as in `45 30'N`.
pub(crate) fn only_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let plain = plain(cell.symbol());
            cell.set_char(plain);
        }
    }
}

fn plain(symbol: &str) -> char {
    match symbol.chars().next().unwrap_or(' ') {
        '°' | '\u{a0}' | '\u{2009}' | '\u{202f}' => ' ',
        '′' | '’' | '‘' => '\'',
        '″' | '“' | '”' => '"',
        '…' | '·' | '•' => '.',
        '–' | '—' | '−' | '─' => '-',
        '│' => '|',
        // The frame with the focus differs without weight or colour.
        '━' | '≡' => '=',
        '┃' | '┏' | '┓' | '┛' | '┗' => '#',
        '╭' | '╮' | '╯' | '╰' | '┌' | '┐' | '└' | '┘' | '┬' => '+',
        '▀' => '"',
        '▄' => '_',
        '×' | '✗' => 'x',
        '»' => '>',
        '±' => '+',
        '≤' | '←' | '◀' => '<',
        '≥' | '→' | '▶' => '>',
        '↑' | '▲' | '▴' => '^',
        '↓' | '▼' | '▾' => 'v',
        'µ' => 'u',
        '█' | '▓' | '▒' | '░' => '#',
        // A letter without its accent, as the palette searches it.
        letter => Some(normalize(letter))
            .filter(char::is_ascii)
            .unwrap_or('?'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn every_cell_becomes_one_plain_character() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 24, 1));
        let style = ratatui::style::Style::default();
        buffer.set_string(0, 0, "45°30′N … Tromsø 北 e\u{301} 🇳🇴", style);
        only_ascii(&mut buffer);
        let line: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(line.trim_end(), "45 30'N . Tromso ?  e ?");
    }
}
