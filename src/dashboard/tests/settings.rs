//! The dialog of settings: values that count at once, and are written into the file.

use super::*;
use crate::palette::ThemeName;
use crate::settings::{NewSetting, SettingRow, Source};

/// A dashboard with a track and the dialog on the row of a setting.
fn on(name: &str) -> Dashboard {
    let mut model = with_track(3);
    press(&mut model, KeyCode::F(2));
    let rows = model.setting_rows();
    for _ in 0..rows.iter().position(|row| row.name == name).unwrap() {
        press(&mut model, KeyCode::Down);
    }
    model
}

fn row(model: &Dashboard, name: &str) -> SettingRow {
    let mut rows = model.setting_rows().into_iter();
    rows.find(|row| row.name == name).unwrap()
}

fn value(model: &Dashboard, name: &str) -> String {
    row(model, name).value
}

#[test]
fn each_value_of_a_setting_is_reached_in_both_directions_and_counts_at_once() {
    let rows = with_track(3).setting_rows().into_iter();
    let changeable: Vec<SettingRow> = rows.filter(|row| !row.options.is_empty()).collect();
    assert!(changeable.len() > 6);
    for SettingRow { name, options, .. } in &changeable {
        let mut model = on(name);
        let default = value(&model, name);
        let place = options.iter().position(|option| *option == default);
        let place = place.unwrap();
        let (before, after) = options.split_at(place + 1);
        for option in after.iter().chain(before) {
            press(&mut model, KeyCode::Right);
            assert_eq!(value(&model, name), *option, "{name}");
        }
        let (before, after) = options.split_at(place);
        for option in before.iter().rev().chain(after.iter().rev()) {
            press(&mut model, KeyCode::Char('h'));
            assert_eq!(value(&model, name), *option, "{name}");
        }
    }
}

#[test]
fn a_key_of_the_dashboard_changes_the_value_in_the_dialog() {
    let mut model = on("units");
    press(&mut model, KeyCode::Esc);
    type_text(&mut model, "utcM");
    let values = ["units", "time_zone", "coordinates", "markers"];
    let values = values.map(|name| value(&model, name));
    assert_eq!(values, ["metric", "local", "ddm", "half-block"]);
}

#[test]
fn a_setting_of_the_terminal_is_applied_by_the_loop() {
    let mut model = on("theme");
    let effects = press(&mut model, KeyCode::Right);
    assert_eq!(effects, [Effect::ApplySettings]);
    assert_eq!(model.settings.theme, ThemeName::Dark);
    assert_eq!(value(&model, "theme"), "dark");
}

#[test]
fn the_value_of_now_is_written_into_the_file_in_toml() {
    for (name, toml) in [("units", "\"metric\""), ("mouse", "false")] {
        let mut model = on(name);
        press(&mut model, KeyCode::Right);
        let written = Effect::WriteSetting(NewSetting {
            table: None,
            name: name.to_owned(),
            value: toml.to_owned(),
        });
        assert_eq!(press(&mut model, KeyCode::Char('w')), [written]);
    }
    // What has no few values to choose from is for the file alone.
    let mut model = on("base_url");
    for code in [KeyCode::Char('w'), KeyCode::Right] {
        assert_eq!(press(&mut model, code), []);
        let notice = model.messages.notice.as_ref().unwrap();
        assert_eq!(notice.text, "base_url cannot be changed here");
    }
    // The demo leaves the files of its user alone.
    let mut model = on("units");
    model.service.source = TrackSource::Demo;
    assert_eq!(press(&mut model, KeyCode::Char('w')), []);
}

#[test]
fn the_columns_of_a_table_are_written_as_they_are_shown() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(','));
    type_text(&mut model, " jJ");
    let written = Effect::WriteSetting(NewSetting {
        table: Some("columns"),
        name: "track".to_owned(),
        value: r#"["position", "time", "SOG COG", "leg", "interval", "reason"]"#.to_owned(),
    });
    assert_eq!(press(&mut model, KeyCode::Char('w')), [written]);
}

#[test]
fn what_was_chosen_stays_when_the_settings_are_read_again() {
    let mut model = on("theme");
    press(&mut model, KeyCode::Right);
    press(&mut model, KeyCode::Esc);
    type_text(&mut model, "u");
    // The file has another theme by now, and the units that were just written.
    let mut read = Settings::default();
    let source = Source::Flag("--file");
    for (name, value) in [("theme", "light"), ("units", "metric"), ("mouse", "false")] {
        read.put(name, value, source.clone()).unwrap();
    }
    let event = Event::SettingWritten {
        name: "units".to_owned(),
        outcome: Ok(Box::new(read)),
    };
    send(&mut model, event);
    assert_eq!(value(&model, "theme"), "dark");
    // What the terminal does is not what somebody else has written meanwhile.
    assert_eq!(value(&model, "mouse"), "true");
    let units = row(&model, "units");
    assert_eq!(
        (units.value, units.source),
        ("metric".to_owned(), source.to_string())
    );
    assert_eq!(row(&model, "theme").source, "this session");
    assert_eq!(row(&model, "coordinates").source, "default");
    let notice = model.messages.notice.as_ref().unwrap();
    assert_eq!(notice.text, "units written into the settings file");
    let failure = Failure::new(FailureKind::Other, "writing config.toml failed", "");
    let event = Event::SettingWritten {
        name: "units".to_owned(),
        outcome: Err(failure),
    };
    send(&mut model, event);
    let notice = model.messages.notice.as_ref().unwrap();
    assert!(notice.is_warning && notice.text == "writing config.toml failed");
}

#[test]
fn the_dashboard_begins_with_the_zone_of_the_settings() {
    let mut settings = Settings::default();
    settings.put("time_zone", "local", Source::Default).unwrap();
    let model = Dashboard::new(settings, watched(Vec::new()), host(NOW));
    assert_eq!(model.shown_zone(), Some(&model.screen.host.zone));
}
