//! The hash of driftline, for data that is compared and never trusted: it is easy to find other
//! bytes with the same hash.

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo) of bytes: the same on every machine and
/// in every version, so it may be stored.
pub(crate) fn hash64(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_its_authors() {
        // http://www.isthe.com/chongo/tech/comp/fnv/#testvectors
        assert_eq!(hash64(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash64(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash64(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}
