//! Charts as files.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::recorded;
use crate::driver::run::Run;
use crate::driver::service::Service;
use crate::driver::wire::Responder;
use crate::exit_status::{TOKEN, UUID};

/// Runs `driftline map` on a body of records.
fn map(home: &Home, body: &str, arguments: &[&str]) -> crate::driver::run::Answer {
    let service = Responder::json(200, body);
    Run::driftline(home, ["map", UUID].iter().chain(arguments))
        .at(service.base_url())
        .go()
}

const BODY: &str = r#"[{"time_stamp":1790000000,"latitude":82.1,"longitude":170.0},
 {"time_stamp":1790003600,"latitude":82.2,"longitude":-175.0}]"#;

#[test]
fn a_map_is_a_file_of_the_kind_and_size_that_its_name_and_flag_say() {
    needs!("xmllint");
    let home = Home::new();
    let (svg, png) = (home.file("track.svg"), home.file("track.png"));
    map(&home, BODY, &["--output", svg.to_str().unwrap()]).ends_with(0);
    map(
        &home,
        BODY,
        &["--output", png.to_str().unwrap(), "--size", "640x480"],
    )
    .ends_with(0);
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(
        text.starts_with("<svg") && text.contains("Natural Earth"),
        "{text}"
    );
    Run::program(&home, "xmllint", ["--noout", svg.to_str().unwrap()]).ends_with(0);
    let bytes = std::fs::read(&png).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (640, 480));
}

/// A title that is wider than the image ends with an ellipsis.
#[test]
fn a_long_label_is_cut_to_the_width_of_the_image() {
    let home = Home::new();
    let label = "W".repeat(400);
    Run::driftline(&home, ["deployments", "add", UUID, "--label", &label]).ends_with(0);
    let svg = home.file("track.svg");
    let arguments = ["--size", "640x480", "--output", svg.to_str().unwrap()];
    map(&home, BODY, &arguments).ends_with(0);
    let text = std::fs::read_to_string(&svg).unwrap();
    let title = text.lines().find(|line| line.contains("WW")).unwrap();
    // A W of this font at 17 pixels is 16.8 pixels wide, the room 538.
    let letters = title.matches('W').count();
    assert!((29..=31).contains(&letters), "{letters} {title}");
    assert!(title.contains("W…"), "{title}");
}

#[test]
fn what_is_wrong_with_the_order_is_said_before_anything_is_sent() {
    let home = Home::new();
    let service = Responder::json(200, BODY);
    for arguments in [
        &["--output", "track.jpg"][..],
        &["--output", "track"],
        &["--output", "track.svg", "--size", "10x10"],
        &["--output", "track.svg", "--size", "1200"],
        &["--output", "track.svg", "--size", "9000x900"],
    ] {
        let answer = Run::driftline(&home, ["map", UUID].iter().chain(arguments))
            .at(service.base_url())
            .ends_with(2);
        assert!(answer.stdout.is_empty(), "{answer:?}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn a_real_track_of_forty_thousand_fixes_is_a_picture_of_a_few_hundred_kilobytes() {
    let home = Home::new();
    let body = String::from_utf8(recorded::track("drifter_spitsbergen_2018")).unwrap();
    let service = Responder::json(200, &body);
    let file = home.file("track.svg");
    Run::driftline(&home, ["map", UUID, "--output", file.to_str().unwrap()])
        .at(service.base_url())
        .ends_with(0);
    let size = std::fs::metadata(&file).unwrap().len();
    assert!((20_000..800_000).contains(&size), "{size}");
}

#[test]
fn an_overlay_is_drawn_below_the_track_and_one_that_is_none_is_refused_before_a_request() {
    let home = Home::new();
    let (chart, ice) = (home.file("track.svg"), home.file("ice.geojson"));
    let kml = home.file("ship.kml");
    let geojson = r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"name":"Camp"},"geometry":{"type":"Point","coordinates":[170.5,82.1]}},
        {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[170,82.1],[-176,82.18]]}}]}"#;
    std::fs::write(&ice, geojson).unwrap();
    std::fs::write(
        &kml,
        "<kml><Document><Placemark><name>Quay</name><Point><coordinates>170.6,82.09</coordinates></Point></Placemark></Document></kml>",
    )
    .unwrap();
    let overlays = |first: &std::path::Path| {
        let names = [&chart, first, &kml].map(|path| path.to_str().unwrap().to_owned());
        let [chart, first, second] = names;
        [
            "--output".to_owned(),
            chart,
            "--overlay".to_owned(),
            first,
            "--overlay".to_owned(),
            second,
        ]
    };
    let arguments = overlays(&ice);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    map(&home, BODY, &arguments).ends_with(0);
    let text = std::fs::read_to_string(&chart).unwrap();
    assert!(text.contains("Camp") && text.contains("Quay"), "{text}");

    // The setting does the same, relative to the settings file.
    std::fs::remove_file(&chart).unwrap();
    home.write(
        ".config/driftline/config.toml",
        "overlays = [\"ice.geojson\"]\n",
    );
    home.write(".config/driftline/ice.geojson", geojson);
    map(&home, BODY, &["--output", chart.to_str().unwrap()]).ends_with(0);
    assert!(std::fs::read_to_string(&chart).unwrap().contains("Camp"));
    home.write(".config/driftline/config.toml", "");

    let service = Responder::json(200, BODY);
    for (content, status, why) in [
        (None, 2, "No such file or directory"),
        (Some("a,b\n1,2\n"), 6, "an overlay is GeoJSON, GPX or KML"),
        (
            Some(r#"{"type":"Point","coordinates":[1"#),
            6,
            "line 1: it is no GeoJSON",
        ),
    ] {
        let other = home.file("other.txt");
        if let Some(content) = content {
            std::fs::write(&other, content).unwrap();
        }
        Run::driftline(
            &home,
            [
                "map",
                UUID,
                "-o",
                "x.svg",
                "--overlay",
                other.to_str().unwrap(),
            ],
        )
        .at(service.base_url())
        .ends_with(status)
        .says(why);
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn the_dashboard_draws_overlays_and_reads_one_again_when_it_has_changed() {
    let home = Home::new();
    let camp = |name: &str| {
        format!(
            r#"{{"type":"Feature","properties":{{"name":"{name}"}},"geometry":{{"type":"Point","coordinates":[170.02,82.11]}}}}"#
        )
    };
    home.write(
        ".config/driftline/config.toml",
        "overlays = [\"camp.geojson\"]\n",
    );
    home.write(".config/driftline/camp.geojson", camp("Camp"));
    let service = Responder::json(
        200,
        r#"[{"time_stamp":1790000000,"latitude":82.1,"longitude":170.0},
            {"time_stamp":1790003600,"latitude":82.12,"longitude":170.05}]"#,
    );
    let terminal = Terminal::driftline(
        &home,
        &[UUID],
        Setting::size(120, 40).at(service.base_url()),
    );
    terminal.shows("\u{25ab}");
    terminal.shows("Camp");
    home.write(".config/driftline/camp.geojson", camp("Harbour"));
    terminal.shows("Harbour");
    home.write(".config/driftline/camp.geojson", "none");
    terminal.hides("Harbour");
}

#[test]
fn overlays_of_the_command_line_are_drawn_below_the_tracks_of_files() {
    let home = Home::new();
    let track = "time,latitude,longitude\n2026-01-01T00:00:00Z,82.1,170\n2026-01-01T01:00:00Z,82.12,170.05\n";
    home.write("cruise.csv", track);
    home.write(
        "camp.gpx",
        r#"<gpx><wpt lat="82.11" lon="170.02"><name>Camp</name></wpt></gpx>"#,
    );
    let [track, camp] = ["cruise.csv", "camp.gpx"].map(|name| home.file(name));
    let (track, camp) = (track.to_str().unwrap(), camp.to_str().unwrap());
    for arguments in [[track, "--overlay", camp], ["--overlay", camp, track]] {
        let terminal = Terminal::driftline(&home, &arguments, Setting::size(120, 40));
        terminal.shows("Camp");
    }
    for (arguments, why) in [
        (
            [track, "--overlay", "none.gpx"],
            "the overlay none.gpx cannot be read",
        ),
        (["latest", "--overlay", camp], "--overlay"),
    ] {
        let answer = Run::driftline(&home, arguments).go();
        assert_eq!(answer.status, 2, "{answer:#?}");
        answer.says(why);
    }
}

/// Three deployments, one of them silent for a day, and a file.
#[test]
fn several_tracks_are_one_picture_with_a_letter_and_a_name_each() {
    needs!("xmllint");
    let home = Home::new();
    let service = Service::start();
    let run = |arguments: &[&str]| {
        Run::driftline(&home, arguments)
            .env("DRIFTLINE_BASE_URL", &service.base_url)
            .env("DRIFTLINE_TOKEN", &service.token)
            .go()
    };
    for (uuid, label) in service.deployments.iter().take(3) {
        run(&["deployments", "add", uuid, "--label", label]).ends_with(0);
    }
    let labels: Vec<&str> = (service.deployments.iter().take(3))
        .map(|(_, label)| label.as_str())
        .collect();
    let (svg, png) = (home.file("all.svg"), home.file("all.png"));
    let (svg, png) = (svg.to_str().unwrap(), png.to_str().unwrap());
    let track = home.file("cruise.csv");
    std::fs::write(
        &track,
        "time,latitude,longitude\n2026-01-01T00:00:00Z,60,5\n2026-01-01T01:00:00Z,60.1,5.1\n",
    )
    .unwrap();
    let named = ["map", labels[0], track.to_str().unwrap(), "--output", svg];
    run(&named).ends_with(0);
    let text = std::fs::read_to_string(svg).unwrap();
    assert!(
        text.contains("2 tracks") && text.contains("cruise"),
        "{text}"
    );
    // All of the watch list, from the archive where nothing is due.
    run(&["map", "--all", "--output", svg]).ends_with(0);
    let text = std::fs::read_to_string(svg).unwrap();
    assert!(text.contains("3 tracks"), "{text}");
    for label in &labels {
        assert!(text.contains(label), "{label} is missing");
    }
    Run::program(&home, "xmllint", ["--noout", svg]).ends_with(0);
    run(&["map", "--all", "--offline", "--output", png]).ends_with(0);
    assert_eq!(&std::fs::read(png).unwrap()[..4], b"\x89PNG");
    // The colour of a field is for one, and a name twice is drawn once.
    run(&["map", "--all", "--colour", "speed", "--output", svg]).ends_with(2);
    run(&["map", labels[0], "--all", "--output", svg]).ends_with(2);
    run(&["map", "--output", svg]).ends_with(2);
    run(&["map", labels[0], labels[0], "--output", svg, "--offline"]).ends_with(0);
    assert!(
        std::fs::read_to_string(svg)
            .unwrap()
            .contains(">\nlatest fix\n<")
    );
    // One that cannot be had is named, and the others are drawn.
    std::fs::remove_file(svg).unwrap();
    let unknown = "00000000-0000-4000-8000-00000000dead";
    run(&["map", labels[0], labels[1], unknown, "--output", svg])
        .ends_with(4)
        .says("no such deployment");
    assert!(std::fs::read_to_string(svg).unwrap().contains("2 tracks"));
}

#[test]
fn a_map_of_an_empty_watch_list_says_what_to_do() {
    let home = Home::new();
    let arguments = ["map", "--all", "--output", "a.svg"];
    Run::driftline(&home, arguments)
        .env("DRIFTLINE_TOKEN", TOKEN)
        .ends_with(1)
        .says("the watch list is empty");
}
