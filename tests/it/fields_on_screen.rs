//! The fields of a track in the dashboard, in a real terminal: timeline, list,
//! profile, and what the archive holds.

use crate::driver::home::Home;
use crate::driver::pty::{ENTER, ESC, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::UUID;

fn leave(mut terminal: Terminal) {
    terminal.quits();
}

#[test]
fn v_shows_a_field_and_the_list_the_profile_of_the_ice_buoy() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &["demo"], Setting::default());
    terminal.shows("Ice buoy");
    terminal.keys("/Ice buoy");
    terminal.keys(ENTER);
    terminal.shows("match 1 of 1");
    terminal.keys(ENTER);
    // The fields are read after the track is shown; the profile stands there at once.
    terminal.shows("dtc_values 0 to 79");
    terminal.keys("v");
    terminal.shows("Speed over ground");
    terminal.shows("air_temp -");
    terminal.keys("l");
    for line in [
        "profile of 80",
        "speed over ground",
        "air_temp",
        "battery_voltage",
    ] {
        terminal.shows(line);
    }
    terminal.keys(ESC);
    terminal.hides("profile of 80");
    terminal.keys("v");
    terminal.shows("air_temp \u{b0}C \u{2501}");
    terminal.shows("\u{2524}");
    terminal.keys("l");
    terminal.shows("profile of 80");
    terminal.keys("dtc");
    terminal.hides("battery_voltage  ");
    terminal.keys(ENTER);
    terminal.shows("dtc_values 0 to 79");
    // A frame comes in pieces, the title before the image.
    terminal.shows("\u{2580}\u{2580}\u{2580}\u{2580}");
    // All of it at full size, with the value of each sensor.
    terminal.keys("z");
    terminal.shows(" 79 ");
    leave(terminal);
}

#[test]
fn the_fields_of_an_archived_track_are_read_where_the_service_is_gone() {
    const BODY: &str = r#"[
{"time_stamp":0,"latitude":80,"longitude":10,"air_temp":-12.5,"note":"a","dtc_values_0":-1.25,"dtc_values_1":-1.5},
{"time_stamp":3600,"latitude":80.001,"longitude":10,"air_temp":null,"note":5,"dtc_values_0":-1,"dtc_values_1":-1.75},
{"time_stamp":7200,"latitude":80.002,"longitude":10,"air_temp":-14.25,"note":true,"dtc_values_0":0,"dtc_values_1":0}]"#;
    let service = Responder::json(200, BODY);
    let base = service.base_url();
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    Run::driftline(&home, ["track", UUID, "--format", "csv"])
        .at(base.clone())
        .ends_with(0);
    drop(service);
    let terminal = Terminal::driftline(&home, &[UUID], Setting::default().at(base));
    // The summary names them as soon as they are read.
    terminal.shows("dtc_values 0 to 1");
    terminal.keys("vv");
    terminal.shows("-14.25 to -12.50, mean");
    terminal.keys("k");
    terminal.shows("no value");
    leave(terminal);
}
