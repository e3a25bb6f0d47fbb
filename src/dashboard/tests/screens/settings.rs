//! The dialog of settings at every size.

use super::frames::{can, words};
use crate::dashboard::tests::screens::*;
use crate::settings::{Flags, Settings};

const SIZES: [(u16, u16); 4] = [(160, 48), (100, 30), (80, 24), (60, 16)];

/// A dashboard whose settings have a long address, and the keys of thirty actions.
fn with_settings() -> Dashboard {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let keys = (0..30).map(|number| format!("\"action.{number:02}\" = [\"x\"]\n"));
    let keys = String::from_iter(keys);
    let address = format!("https://service.example/{}", "api/".repeat(20));
    std::fs::write(&path, format!("base_url = \"{address}\"\n[keys]\n{keys}")).unwrap();
    let flags = Flags::from([("--config", path.into())]);
    let settings = Settings::load(&flags, &|_| None).unwrap();
    let mut model = model();
    model.settings = settings;
    model.settings.config = Some("/home/user/config.toml".into());
    model
}

#[test]
fn the_settings_in_force_are_listed_with_their_values_and_sources() {
    let mut model = with_settings();
    for (width, height) in SIZES {
        keys(&mut model, ":settings");
        press(&mut model, KeyCode::Enter);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("file /home/user/config.toml"), "{shown}");
        let rows = model.setting_rows();
        for _ in 0..rows.iter().position(|row| row.name == "base_url").unwrap() {
            press(&mut model, KeyCode::Down);
        }
        let shown = words(&screen(&mut model, width, height, can()));
        for part in ["base_url =", "https://service.example/api/api/"] {
            assert!(shown.contains(part), "{part} at {width}: {shown}");
        }
        // The whole value is below the list, where the list has no room for it.
        press(&mut model, KeyCode::Down);
        press(&mut model, KeyCode::End);
        let shown = words(&screen(&mut model, width, height, can()));
        assert!(shown.contains("keys action.29 = x"), "{width}: {shown}");
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
            outcome: Ok(Box::new(model.settings.clone())),
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
