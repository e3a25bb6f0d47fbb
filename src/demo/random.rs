//! Deterministic random numbers by key: the same key gives the same number.

/// Random numbers of an instrument for a seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance(u64);

impl Chance {
    /// The random numbers of the instrument `name` for `seed`.
    pub(super) fn new(seed: u64, name: &str) -> Self {
        Self(
            name.bytes()
                .fold(mixed(seed), |state, byte| mixed(state ^ u64::from(byte))),
        )
    }

    /// A uniform number in [0, 1), for the `number`-th case of purpose `about`.
    pub(super) fn unit(self, about: u64, number: i64) -> f64 {
        let bits = mixed(mixed(self.0 ^ about) ^ number.cast_unsigned()) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }

    /// A uniform number in [-1, 1).
    pub(super) fn signed(self, about: u64, number: i64) -> f64 {
        2.0 * self.unit(about, number) - 1.0
    }

    /// A standard normal number, cut at 2.5 (Box and Muller, Ann. Math.
    /// Statist. 29, 1958).
    pub(super) fn bell(self, about: u64, number: i64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit(about, number)).ln()).sqrt();
        let angle = std::f64::consts::TAU * self.unit(!about, number);
        (radius * angle.cos()).clamp(-2.5, 2.5)
    }
}

/// A step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mixed(state: u64) -> u64 {
    let next = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let once = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_splitmix64() {
        // Published with the generator, for seed 1234567.
        let seed: u64 = 1_234_567;
        assert_eq!(mixed(seed), 6_457_827_717_110_365_317);
        assert_eq!(
            mixed(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)),
            3_203_168_211_198_807_973
        );
    }

    #[test]
    fn a_bell_has_its_mean_and_its_width() {
        let chance = Chance::new(7, "bell");
        let all: Vec<f64> = (0..20_000).map(|n| chance.bell(3, n)).collect();
        let mean = all.iter().sum::<f64>() / 20_000.0;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(
            mean.abs() < 0.03 && (0.9..1.02).contains(&variance),
            "{mean} {variance}"
        );
    }
}
