//! The dialog of settings at every size.

use super::frames::{can, words};
use super::*;
use crate::app::state::settings::Setting;

const SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

/// A dashboard with a setting to choose, two that are not, and thirty more.
fn with_settings() -> Dashboard {
    let mut model = model();
    let setting = |name: &str, value: &str, source: &str, options: &str| {
        let options = options.split_whitespace().map(str::to_owned).collect();
        Setting::new(
            name.to_owned(),
            value.to_owned(),
            source.to_owned(),
            options,
        )
    };
    let address = format!("https://service.example/{}", "api/".repeat(20));
    let mut settings = vec![
        setting("units", "nautical", "default", "nautical metric si"),
        setting("config", "/home/user/config.toml", "default", ""),
        setting("base_url", &address, "option", ""),
    ];
    settings.extend((0..30).map(|n| setting(&format!("number {n}"), "x", "file", "")));
    model.settings = settings.into();
    model
}

#[test]
fn the_settings_in_force_are_listed_with_their_values_and_sources() {
    let mut model = with_settings();
    for (width, height) in SIZES {
        keys(&mut model, ":settings");
        press(&mut model, KeyCode::Enter);
        let shown = words(&screen(&mut model, width, height, can()));
        for part in ["file /home/user/config.toml", "base_url", "option"] {
            assert!(shown.contains(part), "{part} at {width}: {shown}");
        }
        // The whole value is below the list, where the list has no room for it.
        press(&mut model, KeyCode::Down);
        press(&mut model, KeyCode::End);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("number 29 = x (file)"), "{width}: {shown}");
        assert!(shown.contains("cannot be changed here"), "{shown}");
        press(&mut model, KeyCode::Esc);
        assert!(model.dialogs.is_empty());
    }
}

#[test]
fn a_value_chosen_since_the_start_is_told_with_what_it_can_be_and_the_keys() {
    for (width, height) in SIZES {
        let mut model = with_settings();
        press(&mut model, KeyCode::F(2));
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("units = nautical (default)"), "{shown}");
        press(&mut model, KeyCode::Right);
        let shown = words(&screen(&mut model, width, height, can()));
        for part in [
            "units = metric (this session)",
            "one of nautical, metric, si",
            "Left Right change",
            "w write",
            "Esc close",
        ] {
            assert!(shown.contains(part), "{part} at {width}: {shown}");
        }
    }
}

#[test]
fn what_became_of_writing_is_told_in_the_dialog_at_every_size() {
    use crate::failure::{Failure, FailureKind};
    for (width, height) in SIZES {
        let mut model = with_settings();
        press(&mut model, KeyCode::F(2));
        let _ = screen(&mut model, width, height, can());
        let written = Event::SettingWritten {
            name: "units".to_owned(),
            outcome: Ok(model.settings.to_vec()),
        };
        update(&mut model, written);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(
            shown.contains("units written into the settings file"),
            "{shown}"
        );
        let refused = Failure::new(
            FailureKind::Other,
            "writing /home/user/config.toml failed: No space left on device",
            "The setting stays for this session.",
        );
        let refused = Event::SettingWritten {
            name: "units".to_owned(),
            outcome: Err(refused),
        };
        update(&mut model, refused);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("No space left"), "{shown}");
    }
}
