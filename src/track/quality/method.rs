//! The quality tests in words, with the limits in force: what files and help
//! say of the method.

use super::constants::{REPEATS, UNDER_WAY_M_S};
use crate::track::flag::Flag;
use crate::track::platform::Platform;

/// The convention of the flags.
pub(crate) const FLAGS: &str =
    "QARTOD (U.S. IOOS): 1 pass, 2 not evaluated, 3 suspect, 4 fail, 9 missing";

const OURS: &str = "driftline";
const IQUAM: &str = "track check of Xu and Ignatov (2013), iQuam";

/// A quality test with the limits in force.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QualityTest {
    /// A name of words joined by underscores.
    pub name: &'static str,
    /// The flags that it sets.
    pub flags: &'static [Flag],
    /// What it flags, with the limits.
    pub rule: String,
    /// Who described it.
    pub source: &'static str,
}

/// The tests that a platform is held to, in their order. Each judges the fixes
/// that no earlier one failed. The speed limit is in m/s.
pub(crate) fn quality_tests(platform: Platform, speed_limit_m_s: f64) -> Vec<QualityTest> {
    let limit = speed(speed_limit_m_s);
    let mut tests = vec![
        QualityTest {
            name: "gross",
            flags: &[Flag::Fail],
            rule: "time more than 1 d ahead, or position exactly 0, 0".to_owned(),
            source: OURS,
        },
        QualityTest {
            name: "same_time",
            flags: &[Flag::Suspect, Flag::Fail],
            rule: "two positions at one time; where the track tells which one belongs, only the other fails"
                .to_owned(),
            source: OURS,
        },
        QualityTest {
            name: "speed",
            flags: &[Flag::Fail],
            rule: format!(
                "over {limit} to the 15 fixes before and after, with a slack of 36 s and 1.11 km (0.1 km if the median interval is under 60 s)"
            ),
            source: IQUAM,
        },
        QualityTest {
            name: "jump",
            flags: &[Flag::Suspect],
            rule: format!("a lasting move over {limit}; that leg does not count"),
            source: OURS,
        },
    ];
    if platform == Platform::Drifter {
        tests.push(QualityTest {
            name: "under_way",
            flags: &[Flag::Suspect],
            rule: format!(
                "between two legs over {} that turn by less than 60 degrees",
                speed(UNDER_WAY_M_S)
            ),
            source: OURS,
        });
    }
    tests.push(QualityTest {
        name: "spike",
        flags: &[Flag::Suspect],
        rule: format!(
            "off the track and back, turning by more than 120 degrees, by more than {:.0} m and 8 x 1.4826 x the median of the 30 fixes around it",
            platform.spike_floor_m()
        ),
        source: OURS,
    });
    if platform.is_always_moving() {
        tests.push(QualityTest {
            name: "stuck",
            flags: &[Flag::Suspect],
            rule: format!(
                "the same position {REPEATS} times and more, over at least 3 median intervals"
            ),
            source: OURS,
        });
    }
    tests.push(QualityTest {
        name: "single",
        flags: &[Flag::NotEvaluated],
        rule: "no other fix to compare it with".to_owned(),
        source: OURS,
    });
    tests
}

/// The source of the speed limit in force, m/s: the platform, or the user.
pub(crate) fn limit_source(platform: Platform, speed_limit_m_s: f64) -> &'static str {
    #[allow(clippy::float_cmp)] // the platform's own limit, or another
    if speed_limit_m_s == platform.max_speed_m_s() {
        platform.name()
    } else {
        "set by the user"
    }
}

/// The method in one paragraph.
pub(crate) fn method_text(platform: Platform, speed_limit_m_s: f64) -> String {
    let tests: Vec<String> = quality_tests(platform, speed_limit_m_s)
        .iter()
        .map(|test| {
            let flags: Vec<&str> = test.flags.iter().map(|flag| flag.word()).collect();
            let source = match test.source {
                OURS => String::new(),
                other => format!(" ({other})"),
            };
            format!(
                "{} ({}): {}{source}",
                test.name.replace('_', " "),
                flags.join(", "),
                test.rule
            )
        })
        .collect();
    format!(
        "Flags: {FLAGS}. Speed limit: {} ({}). Tests by driftline, in this order, each on the fixes that no earlier test failed: {}. A user can override a flag.",
        speed(speed_limit_m_s),
        limit_source(platform, speed_limit_m_s),
        tests.join("; ")
    )
}

/// One decimal, none where it is nought.
fn speed(m_s: f64) -> String {
    let text = format!("{m_s:.1}");
    format!("{} m/s", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_names_the_tests_of_the_platform_the_limit_in_force_and_its_source() {
        let drifter = method_text(Platform::Drifter, Platform::Drifter.max_speed_m_s());
        for part in [
            "Speed limit: 4.2 m/s (drifter)",
            "speed (fail): over 4.2 m/s",
            "Xu and Ignatov (2013)",
            "under way (suspect): between two legs over 2.1 m/s",
            "more than 200 m",
            "stuck (suspect): the same position 5 times",
        ] {
            assert!(drifter.contains(part), "{part}: {drifter}");
        }
        let vessel = method_text(Platform::Vessel, 3.0);
        assert!(vessel.contains("Speed limit: 3 m/s (set by the user)"));
        assert!(!vessel.contains("stuck") && !vessel.contains("under way"));
        assert!(vessel.is_ascii());
    }
}
