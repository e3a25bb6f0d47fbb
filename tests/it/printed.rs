//! What commands print: words in the units of a person, figures and JSON for programs,
//! and what was done on standard error.

use crate::driver::home::Home;
use crate::exit_status::UUID;
use crate::typed::{run, service};

#[test]
fn words_follow_units_and_coordinates_and_figures_stay_si() {
    let (home, service) = (Home::new(), service());
    let add = [
        "deployments",
        "add",
        UUID,
        "--inside",
        "54°10.8′N 7°53.4′W, 1nm",
    ];
    let told = run(&home, &service, &add).ends_with(0).stderr;
    assert!(
        told.contains("inside 54.18000°N 007.89000°W, 1.000 nm"),
        "{told}"
    );
    let settings = home.write("si.toml", "units = \"si\"\ncoordinates = \"ddm\"\n");
    let of = |line: &[&str]| {
        let config = ["--config", settings.to_str().unwrap()];
        run(&home, &service, &[line, &config].concat())
    };
    let listed = of(&["deployments", "list"]).ends_with(0).stdout;
    assert!(
        listed.contains("54°10.800′N 007°53.400′W, 1852 m"),
        "{listed}"
    );
    let nautical = run(&home, &service, &["check", UUID]).ends_with(2).stdout;
    let si = of(&["check", UUID]).ends_with(2).stdout;
    assert!(nautical.contains(" nm from the centre"), "{nautical}");
    assert!(
        si.contains(" m from the centre") && si.contains("′N"),
        "{si}"
    );
    let figures = |line: &str| {
        let of_place = line.split(" distance=").nth(1).unwrap();
        of_place.split(';').next().unwrap().to_owned()
    };
    assert_eq!(figures(&si), figures(&nautical));
    let metres = figures(&si);
    assert!(
        si.contains(&format!(", {metres} m from the centre")),
        "{si}"
    );
    for (table, unit) in [(&["latest"], " m/s"), (&["track"], " m/s")] {
        let line = [table, &["--format", "table"][..]].concat();
        let line = match table[0] {
            "track" => [&line[..], &[UUID]].concat(),
            _ => line,
        };
        let shown = of(&line).ends_with(0).stdout;
        assert!(shown.contains("′N") && shown.contains(unit), "{shown}");
        assert!(!shown.contains(" kn"), "{shown}");
    }
}
