//! The quality tests and their limits as the manual lists them.

use strum::VariantArray;

use super::{part_is, table};
use crate::track::Platform;
use crate::track::quality::method::quality_tests;

#[test]
fn the_manual_lists_the_quality_tests_and_the_limits_of_each_platform() {
    // A drifter is the platform that every test judges.
    let tests = quality_tests(Platform::Drifter, Platform::Drifter.max_speed_m_s());
    let of = |platform: Platform| -> Vec<&str> {
        let judged = quality_tests(platform, platform.max_speed_m_s());
        judged.iter().map(|test| test.name).collect()
    };
    for platform in Platform::VARIANTS {
        assert!(of(*platform).len() <= tests.len(), "{platform}");
    }
    let rows: Vec<Vec<String>> = tests
        .iter()
        .map(|test| {
            let judged: Vec<&str> = Platform::VARIANTS
                .iter()
                .filter(|platform| of(**platform).contains(&test.name))
                .map(|platform| platform.name())
                .collect();
            let judged = if judged.len() == Platform::VARIANTS.len() {
                "all".to_owned()
            } else {
                judged.join(", ")
            };
            let flags: Vec<&str> = test.flags.iter().map(|flag| flag.word()).collect();
            vec![
                format!("`{}`", test.name),
                flags.join(", "),
                test.rule.clone(),
                judged,
                test.source.to_owned(),
            ]
        })
        .collect();
    let heading = [
        "test",
        "flag",
        "flags (limits of a drifter)",
        "platforms",
        "source",
    ];
    part_is("quality.md", "quality tests", &table(&heading, &rows));
    let limits: Vec<Vec<String>> = Platform::VARIANTS
        .iter()
        .map(|platform| {
            let speed = platform.max_speed_m_s();
            vec![
                format!("`{platform}`"),
                format!("{speed:.1} m/s ({:.0} km/h)", speed * 3.6),
                format!("{:.0} m", platform.spike_floor_m()),
            ]
        })
        .collect();
    let heading = ["platform", "speed limit", "smallest spike"];
    part_is("quality.md", "limits", &table(&heading, &limits));
}
