//! Numbers with few decimals, which most instruments send.

/// A number with few decimals: a whole number divided by a power of ten. It is
/// never negative zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    whole: i32,
    decimals: u8,
}

/// Powers of ten; their number bounds the decimals.
const POWERS: [i32; 10] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

impl Decimal {
    /// The stored number in a column whose numbers have this many decimals.
    pub(super) fn stored(whole: i32, decimals: u8) -> Self {
        Self { whole, decimals }
    }

    /// A number that is one exactly, with `least` decimals or more.
    pub(crate) fn of(number: f64, least: u8) -> Option<Self> {
        (least..)
            .zip(POWERS.get(usize::from(least)..)?)
            .find_map(|(decimals, power)| {
                let power = f64::from(*power);
                let scaled = number * power;
                #[allow(clippy::cast_possible_truncation)] // `as` saturates
                let whole = (scaled + 0.5f64.copysign(scaled)) as i32;
                let is_same = (f64::from(whole) / power).to_bits() == number.to_bits();
                is_same.then_some(Self { whole, decimals })
            })
    }

    /// The same number with this many decimals.
    pub(super) fn with_decimals(self, decimals: u8) -> Option<Self> {
        POWERS.get(usize::from(decimals))?;
        let more = POWERS.get(usize::from(decimals.checked_sub(self.decimals)?))?;
        let whole = self.whole.checked_mul(*more)?;
        Some(Self { whole, decimals })
    }

    /// The whole number, before it is divided.
    pub(crate) fn whole(self) -> i32 {
        self.whole
    }

    /// The power of ten by which it is divided, at most 9.
    pub(crate) fn decimals(self) -> u8 {
        self.decimals
    }

    /// The number.
    pub(crate) fn number(self) -> f64 {
        let power = POWERS.get(usize::from(self.decimals)).copied();
        // Both are exact, so their quotient is rounded once.
        f64::from(self.whole) / f64::from(power.unwrap_or(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_decimal_is_what_the_standard_library_reads(
            whole in proptest::num::i32::ANY, decimals in 0u32..12, least in 0u8..12
        ) {
            let text = format!("{whole}e-{decimals}");
            let number: f64 = text.parse().unwrap();
            if decimals < 10 && whole != i32::MIN {
                let made = Decimal::stored(whole, decimals as u8);
                proptest::prop_assert_eq!(made.number().to_bits(), number.to_bits());
                proptest::prop_assert!(Decimal::of(number, 0).is_some());
            }
            if let Some(found) = Decimal::of(number, least) {
                proptest::prop_assert_eq!(found.number().to_bits(), number.to_bits());
                proptest::prop_assert!(found.decimals() >= least);
                if let Some(more) = found.with_decimals(found.decimals() + 2) {
                    proptest::prop_assert_eq!(more.number().to_bits(), number.to_bits());
                }
            }
        }

        #[test]
        fn any_number_that_is_taken_is_the_same(bits in proptest::num::u64::ANY) {
            let number = f64::from_bits(bits);
            if let Some(found) = Decimal::of(number, 0) {
                proptest::prop_assert_eq!(found.number().to_bits(), bits);
            }
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for number in [-0.0, 1e-10, 3e9, -3e9, f64::NAN, f64::INFINITY, 0.1 + 0.2] {
            assert_eq!(Decimal::of(number, 0), None, "{number}");
        }
    }
}
