//! The ends of lines, which are one character from here on: whatever they are, a line has its
//! number. Zeros are blanks: some loggers fill their cells up with them, and some disks a file
//! when the power was lost.

use std::borrow::Cow;

/// A text whose lines end with CR and LF, or with CR, as one whose lines end with LF. Some programs
/// write two CRs before the LF.
pub(super) fn with_line_feeds(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().any(|byte| matches!(byte, b'\r' | 0)) {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    // The CRs right before the next byte.
    let mut returns = 0;
    for byte in text {
        match byte {
            b'\r' => returns += 1,
            b'\n' => {
                returns = 0;
                plain.push(b'\n');
            }
            byte => {
                plain.extend(std::iter::repeat_n(b'\n', std::mem::take(&mut returns)));
                plain.push(if *byte == 0 { b' ' } else { *byte });
            }
        }
    }
    plain.extend(std::iter::repeat_n(b'\n', returns));
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_line_is_one_character() {
        for (text, expected) in [
            ("a\nb\n", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb\r", "a\nb\n"),
            ("a\r\r\nb\r\r\n", "a\nb\n"),
            ("a\r\n\r\nb", "a\n\nb"),
            ("a\r\rb", "a\n\nb"),
            ("\r\n", "\n"),
            ("", ""),
            ("a\0\0,b\0\r\n\0c", "a  ,b \n c"),
        ] {
            let plain = with_line_feeds(text.as_bytes()).into_owned();
            assert_eq!(String::from_utf8(plain).unwrap(), expected, "{text:?}");
        }
    }
}
