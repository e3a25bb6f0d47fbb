//! Bytes as letters, by RFC 4648, section 4.

/// The letters of the bytes. They are written once in place: where the bytes are a secret, no
/// copy is left.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut letters = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |index: usize| usize::from(three.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let of_bits = LETTERS.get(bits >> shift & 63);
            let letter = of_bits.filter(|_| index <= three.len());
            letters.push(letter.map_or('=', |letter| char::from(*letter)));
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn letters_are_those_of_the_rfc() {
        for (bytes, letters) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\u{7ff}", "378="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), letters);
        }
    }
}
