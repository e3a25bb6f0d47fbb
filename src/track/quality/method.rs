//! The quality tests in words, with the limits in force: what files and help
//! say of the method.

use serde::{Serialize, Serializer};
use strum::VariantArray;

use super::{CARRIED_M_S, LOST_CLOCK_S, REPEATS, START_S, TWICE_M, UNDER_WAY_M_S};
use crate::track::platform::Platform;
use crate::track::quality::Flag;

/// The convention of the flags.
pub(crate) const FLAGS: &str =
    "QARTOD (U.S. IOOS): 1 pass, 2 not evaluated, 3 suspect, 4 fail, 9 missing";

const DRIFTLINE: &str = "driftline";
const IQUAM: &str = "track check of Xu and Ignatov (2013), iQuam";

/// A quality test with the limits in force.
#[derive(Debug, Serialize)]
pub(crate) struct QualityTest {
    /// A name of words joined by underscores.
    pub name: &'static str,
    /// The flags that it sets.
    #[serde(serialize_with = "codes")]
    pub flags: &'static [Flag],
    /// The rule by which it flags, with the limits.
    pub rule: String,
    /// Who described it.
    pub source: &'static str,
    /// `true` if it judges a platform.
    #[serde(skip)]
    judges: fn(Platform) -> bool,
}

fn codes<S: Serializer>(flags: &&[Flag], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(flags.iter().map(|flag| flag.code()))
}

/// All tests in their order. The limits are given as text: "4.2 m/s", "200 m".
fn all(speed_limit: &str, spike_floor: &str) -> Vec<QualityTest> {
    let test = |name, flags, rule: String| QualityTest {
        name,
        flags,
        rule,
        source: DRIFTLINE,
        judges: |_| true,
    };
    vec![
        test(
            "gross",
            &[Flag::NotEvaluated, Flag::Fail],
            format!(
                "a position that its source marks as invalid (a field marked_invalid_by_source); a time more than 1 d ahead, and not evaluated while it is ahead by less; position exactly 0, 0; a lost clock: fixes more than 1 year from all others and up to {:.0} d after 1970-01-01, 1980-01-06, 1999-08-22 or 2000-01-01, or where others go on once they are moved by whole multiples of 1024 weeks (GPS week rollover), or more than {:.0} years from all others, if those are more; not those of the last 30 d before the answer",
                START_S / 86_400.0,
                LOST_CLOCK_S / (365.25 * 86_400.0)
            ),
        ),
        test(
            "location_class",
            &[Flag::Fail],
            "an Argos location of class Z (a field lc, argos_lc or location_class); for the other classes speed and spike allow for errors of 0.1 km (G), 0.25 km (3), 0.5 km (2), 1.5 km (1), 10 km (0, A, B), and of two positions at one time the better class passes"
                .to_owned(),
        ),
        test(
            "same_time",
            &[Flag::Suspect, Flag::Fail],
            format!(
                "two positions at one time, unless they are one fix reported twice: within {TWICE_M:.0} m (of Argos the error of the class; where times are whole minutes, hours or days and more than a tenth of the fixes share theirs, the way at the speed limit in that step), of three and more from their median position; if the track shows which is right, only the other fails; an archived position that the service has corrected fails"
            ),
        ),
        QualityTest {
            source: IQUAM,
            ..test(
                "speed",
                &[Flag::Fail],
                format!(
                    "over {speed_limit} to the 15 fixes before and after, with a slack of 36 s and 1.11 km (0.1 km if the median interval is under 60 s)"
                ),
            )
        },
        test(
            "jump",
            &[Flag::Suspect],
            format!("a lasting move over {speed_limit}; that leg does not count"),
        ),
        QualityTest {
            judges: Platform::is_passive,
            ..test(
                "under_way",
                &[Flag::Suspect],
                format!(
                    "between two legs over {} and up to {} that turn by less than 60 degrees: a ship carries it, so that it does not fail",
                    speed(UNDER_WAY_M_S),
                    speed(CARRIED_M_S)
                ),
            )
        },
        test(
            "spike",
            &[Flag::Suspect],
            format!(
                "off the track and back, turning by more than 120 degrees, by more than {spike_floor} and 8 x 1.4826 x the median of the 30 fixes around it"
            ),
        ),
        QualityTest {
            judges: Platform::is_always_moving,
            ..test(
                "stuck",
                &[Flag::Suspect],
                format!(
                    "one position {REPEATS} times and more, over 3 usual intervals of records or of positions"
                ),
            )
        },
        test(
            "single",
            &[Flag::NotEvaluated],
            "no other fix to compare it with, or outside the time window of the deployment"
                .to_owned(),
        ),
    ]
}

/// The tests that judge a platform, in their order. Each judges the fixes that
/// no earlier one failed. The speed limit is in m/s.
pub(crate) fn quality_tests(platform: Platform, speed_limit_m_s: f64) -> Vec<QualityTest> {
    let floor = format!("{:.0} m", platform.spike_floor_m());
    all(&speed(speed_limit_m_s), &floor)
        .into_iter()
        .filter(|test| (test.judges)(platform))
        .collect()
}

/// The tests of all platforms, a line each, and the limits of each platform.
pub(crate) fn help_text() -> String {
    let platforms = |test: &QualityTest| -> String {
        let judged: Vec<&str> = Platform::VARIANTS
            .iter()
            .filter(|platform| (test.judges)(**platform))
            .map(|platform| platform.name())
            .collect();
        match judged.len() {
            all if all == Platform::VARIANTS.len() => String::new(),
            _ => format!("; {} only", judged.join(", ")),
        }
    };
    let tests: Vec<String> = all("the speed limit", "the spike floor")
        .iter()
        .map(|test| format!("  {}{}", line(test), platforms(test)))
        .collect();
    let limits: Vec<String> = Platform::VARIANTS
        .iter()
        .map(|platform| {
            format!(
                "  {:<8} {:>9}  {:>6.0} m",
                platform.name(),
                speed(platform.max_speed_m_s()),
                platform.spike_floor_m()
            )
        })
        .collect();
    format!(
        "Quality tests, in this order, each on the fixes that no earlier test failed:\n{}\nFixes outside the time window of a deployment are not evaluated. A user can override a flag.\n\nFlags: {FLAGS}\n\nSpeed limits and spike floors:\n{}",
        tests.join("\n"),
        limits.join("\n")
    )
}

/// "speed (fail): over 4.2 m/s to …".
fn line(test: &QualityTest) -> String {
    let flags: Vec<&str> = test.flags.iter().map(|flag| flag.word()).collect();
    let source = match test.source {
        DRIFTLINE => String::new(),
        other => format!(" ({other})"),
    };
    format!(
        "{} ({}): {}{source}",
        test.name.replace('_', " "),
        flags.join(", "),
        test.rule
    )
}

/// The source of the speed limit in force, m/s: the platform, or the user.
pub(crate) fn limit_source(platform: Platform, speed_limit_m_s: f64) -> &'static str {
    // The platform's own limit, or another.
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
        .map(line)
        .collect();
    format!(
        "Flags: {FLAGS}. Speed limit: {} ({}). Tests by driftline, in this order, each on the fixes that no earlier test failed: {}. Fixes outside the time window of the deployment are not evaluated. A user can override a flag.",
        speed(speed_limit_m_s),
        limit_source(platform, speed_limit_m_s),
        tests.join("; ")
    )
}

/// Formats a speed with one decimal, or none if that is 0.
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
            "under way (suspect): between two legs over 2.1 m/s and up to 30.9 m/s",
            "more than 200 m",
            "stuck (suspect): one position 5 times",
        ] {
            assert!(drifter.contains(part), "{part}: {drifter}");
        }
        let vessel = method_text(Platform::Vessel, 3.0);
        assert!(vessel.contains("Speed limit: 3 m/s (set by the user)"));
        assert!(!vessel.contains("stuck") && !vessel.contains("under way"));
        assert!(vessel.is_ascii());
    }

    #[test]
    fn the_help_has_every_test_and_the_limits_of_every_platform() {
        let help = help_text();
        for part in [
            "speed (fail): over the speed limit to the 15 fixes",
            "(track check of Xu and Ignatov (2013), iQuam)",
            "so that it does not fail; drifter, float, mooring only",
            "or of positions; drifter, float, glider, tag only",
            "  generic   16.7 m/s    1000 m",
            "  drifter    4.2 m/s     200 m",
        ] {
            assert!(help.contains(part), "{part}: {help}");
        }
        // In the order in which they run.
        let place = |name: &str| help.find(&format!("\n  {name} (")).unwrap();
        let names = ["gross", "location class", "same time", "speed", "jump"]
            .into_iter()
            .chain(["under way", "spike", "stuck", "single"]);
        assert!(names.map(place).is_sorted(), "{help}");
    }
}
