//! The dialog of settings: values that count at once, and are written into the file.

use super::*;
use crate::app::state::settings::{ModelSetting, Setting};
use crate::chart::FirstView;
use crate::geo::projection::{Projection, UsualProjection};
use crate::track::sort::{SortedBy, deployment_orders, track_orders};
use crate::track::time::ShownZone;
use crate::track::{DeploymentSort, TrackSort};
use strum::VariantArray;

/// The settings of a start without a file: what can be chosen, and the service.
fn settings() -> Vec<Setting> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let projections = "auto mercator polar globe equirectangular";
    let rows = [
        ("units", words("nautical metric si")),
        ("coordinates", words("dd ddm dms")),
        ("time_zone", words("utc local")),
        ("deployments_sort", deployment_orders().collect()),
        ("track_sort", track_orders().collect()),
        ("track_projection", words(projections)),
        ("world_projection", words(projections)),
        (
            "markers",
            words("auto octant sextant braille half-block ascii"),
        ),
        ("theme", words("auto dark light")),
        ("mouse", words("true false")),
    ];
    let setting = |(name, options): (&str, Vec<String>)| {
        let value = options[0].clone();
        Setting::new(name.to_owned(), value, "default".to_owned(), options)
    };
    let mut settings: Vec<Setting> = rows.into_iter().map(setting).collect();
    let (name, value) = ("base_url".to_owned(), "https://service.example".to_owned());
    settings.push(Setting::new(
        name,
        value,
        "config.toml:1".to_owned(),
        Vec::new(),
    ));
    settings
}

/// A dashboard with a track and the dialog on the row of a setting.
fn on(name: &str) -> Dashboard {
    let mut model = with_track(3);
    model.settings = settings().into();
    model.are_markers_auto = true;
    press(&mut model, KeyCode::F(2));
    let row = model.settings.iter().position(|one| one.name == name);
    for _ in 0..row.unwrap() {
        press(&mut model, KeyCode::Down);
    }
    model
}

fn value(model: &Dashboard, name: &str) -> String {
    let setting = model.settings.iter().find(|one| one.name == name);
    model.present_value(setting.unwrap())
}

#[test]
fn each_value_of_a_setting_is_reached_in_both_directions_and_counts_at_once() {
    for one in ModelSetting::VARIANTS {
        let name: &str = one.into();
        let mut model = on(name);
        let setting = model.settings.iter().find(|one| one.name == name).unwrap();
        let options = setting.options.clone();
        for option in options.iter().skip(1).chain(&options[..1]) {
            press(&mut model, KeyCode::Right);
            assert_eq!(value(&model, name), *option, "{name}");
        }
        for option in options.iter().rev() {
            press(&mut model, KeyCode::Char('h'));
            assert_eq!(value(&model, name), *option, "{name}");
        }
    }
}

#[test]
fn a_key_of_the_dashboard_changes_the_value_in_the_dialog() {
    let mut model = on("units");
    press(&mut model, KeyCode::Esc);
    type_text(&mut model, "utcMsS");
    let values = ["units", "time_zone", "coordinates", "markers", "track_sort"];
    let values = values.map(|name| value(&model, name));
    assert_eq!(
        values,
        ["metric", "local", "ddm", "half-block", "latitude reversed"]
    );
}

#[test]
fn a_setting_of_the_terminal_is_applied_by_the_loop() {
    let mut model = on("theme");
    let effects = press(&mut model, KeyCode::Right);
    let applied = Effect::ApplySetting {
        name: "theme".to_owned(),
        value: "dark".to_owned(),
    };
    assert_eq!(effects, [applied]);
    assert_eq!(value(&model, "theme"), "dark");
}

#[test]
fn the_value_of_now_is_written_into_the_file_in_toml() {
    for (name, toml) in [("units", "\"metric\""), ("mouse", "false")] {
        let mut model = on(name);
        press(&mut model, KeyCode::Right);
        let written = Effect::WriteSetting {
            table: None,
            name: name.to_owned(),
            value: toml.to_owned(),
        };
        assert_eq!(press(&mut model, KeyCode::Char('w')), [written]);
    }
    // What has no few values to choose from is for the file alone.
    let mut model = on("base_url");
    for code in [KeyCode::Char('w'), KeyCode::Right] {
        assert_eq!(press(&mut model, code), []);
        let notice = model.notice.as_ref().unwrap();
        assert_eq!(notice.text, "base_url cannot be changed here");
    }
    // The demo leaves the files of its user alone.
    let mut model = on("units");
    model.demo = true;
    assert_eq!(press(&mut model, KeyCode::Char('w')), []);
}

#[test]
fn the_columns_of_a_table_are_written_as_they_are_shown() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(','));
    type_text(&mut model, " jJ");
    let written = Effect::WriteSetting {
        table: Some("columns"),
        name: "track".to_owned(),
        value: r#"["position", "time", "leg", "SOG COG", "interval", "reason"]"#.to_owned(),
    };
    assert_eq!(press(&mut model, KeyCode::Char('w')), [written]);
}

#[test]
fn what_was_chosen_stays_when_the_settings_are_read_again() {
    let mut model = on("theme");
    press(&mut model, KeyCode::Right);
    // The file has another theme by now, and the units that were just written.
    let mut read = settings();
    for (name, value) in [("theme", "light"), ("units", "si"), ("mouse", "false")] {
        let setting = read.iter_mut().find(|one| one.name == name).unwrap();
        (setting.value, setting.source) = (value.to_owned(), "config.toml:2".to_owned());
    }
    let event = Event::SettingWritten {
        name: "units".to_owned(),
        outcome: Ok(read),
    };
    send(&mut model, event);
    assert_eq!(value(&model, "theme"), "dark");
    // What the terminal does is not what somebody else has written meanwhile.
    assert_eq!(value(&model, "mouse"), "true");
    let notice = model.notice.as_ref().unwrap();
    assert_eq!(notice.text, "units written into the settings file");
    let failure = Failure::new(FailureKind::Other, "writing config.toml failed", "");
    let event = Event::SettingWritten {
        name: "units".to_owned(),
        outcome: Err(failure),
    };
    send(&mut model, event);
    let notice = model.notice.as_ref().unwrap();
    assert!(notice.is_warning && notice.text == "writing config.toml failed");
}

#[test]
fn the_dashboard_begins_with_zone_orders_and_projections_of_the_settings() {
    let first_view = FirstView {
        zone: ShownZone::Local,
        deployments_sort: SortedBy {
            column: DeploymentSort::Name,
            is_reversed: true,
        },
        track_sort: SortedBy {
            column: TrackSort::Time,
            is_reversed: true,
        },
        track_projection: UsualProjection::Equirectangular,
        world_projection: UsualProjection::Polar,
    };
    let watched = (0..2).map(|number| Deployment {
        label: Some(format!("buoy {number}")),
        platform: Platform::Drifter,
        ..Deployment::new(uuid(number))
    });
    let mut model = Dashboard::new(Start {
        first_view,
        ..start(watched.collect(), NOW)
    });
    let size = Event::Resized {
        width: 160,
        height: 48,
        cell_aspect: 2.0,
    };
    send(&mut model, size);
    assert_eq!(model.shown_zone(), Some(&model.zone));
    // The order is that of the first frame, before anything has arrived.
    send(&mut model, Event::BeforeFrame);
    let names: Vec<String> = model.deployments.shown().map(|one| one.name()).collect();
    assert_eq!(names, ["buoy 1", "buoy 0"]);
    fetched_at_start(&mut model, |_| Ok(arrival(5)));
    send(&mut model, Event::BeforeFrame);
    assert_eq!(model.view().unwrap().projection, Projection::PolarNorth);
    // Every track that is opened begins so, whatever was chosen for the one before.
    for number in 0..2 {
        press(&mut model, KeyCode::Char('1'));
        model.deployments.select(uuid(number));
        press(&mut model, KeyCode::Enter);
        assert!(model.track.arrangement.descending);
        let view = model.view().unwrap();
        assert_eq!(view.projection, Projection::Equirectangular);
        type_text(&mut model, "Sm");
        assert!(!model.track.arrangement.descending);
        assert_ne!(
            model.view().unwrap().projection,
            Projection::Equirectangular
        );
    }
}
