use super::table::Kind;
use super::*;
use std::time::Duration;

use crate::archive::location::ArchiveLocation;
use crate::failure::Failure;
use crate::geo::{CoordinateFormat, Units};
use crate::map::GlyphSet;

fn load(config: &str, flags: Flags, environment: &[(&str, &str)]) -> Result<Settings, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, config).unwrap();
    let environment: Vec<(String, OsString)> = environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), OsString::from(*value)))
        .chain([("DRIFTLINE_CONFIG".to_owned(), path.into_os_string())])
        .collect();
    Settings::load(&flags, &|name| {
        environment
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    })
}

#[test]
fn a_flag_counts_more_than_the_environment_and_that_more_than_the_file() {
    let config = "base_url = \"https://file.example\"\n";
    let environment = [("DRIFTLINE_BASE_URL", "https://environment.example")];
    let base = |flags: &Flags, environment: &[(&str, &str)]| {
        let settings = load(config, flags.clone(), environment).unwrap();
        let source = settings.source("base_url").clone();
        (settings.base_url.clone().unwrap(), source)
    };
    let (value, source) = base(&Flags::default(), &[]);
    assert_eq!(value, "https://file.example");
    assert!(matches!(source, Source::File { line: 1, .. }));
    let variable = base(&Flags::default(), &environment).1;
    assert_eq!(variable, Source::Environment("DRIFTLINE_BASE_URL"));
    let flags = Flags::from([("--base-url", "https://flag.example".into())]);
    let (value, source) = base(&flags, &environment);
    assert_eq!(value, "https://flag.example");
    assert_eq!(source, Source::Flag("--base-url"));
}

#[test]
fn a_profile_has_its_own_values_and_the_top_levels_for_the_rest() {
    let config = "base_url = \"https://a.example\"\ntimeout = \"9s\"\n[profile.ship]\nbase_url = \"http://b.example\"\nallow_insecure_http = true\n";
    let flags = Flags::from([("--profile", "ship".into())]);
    let ship = load(config, flags, &[]).unwrap();
    assert_eq!(ship.base_url.as_deref().unwrap(), "http://b.example");
    assert_eq!(
        (ship.timeout, ship.allow_insecure_http),
        (Duration::from_secs(9), true)
    );
    assert!(
        !load(config, Flags::default(), &[])
            .unwrap()
            .allow_insecure_http
    );
    let flags = Flags::from([("--profile", "shop".into())]);
    let error = load(config, flags, &[]).unwrap_err().to_string();
    assert!(error.contains("shop") && error.contains("ship"), "{error}");
}

#[test]
fn a_profile_with_its_own_address_creates_plants_nowhere_else() {
    let config = "base_url = \"https://a.example\"\nsandbox_url = \"https://s.example\"\n\
        [profile.ship]\nbase_url = \"https://b.example\"\n\
        [profile.test]\nbase_url = \"https://c.example\"\nsandbox_url = \"https://t.example\"\n\
        [profile.slow]\ntimeout = \"90s\"\n[profile.default]\nunits = \"si\"\n";
    for (profile, sandbox) in [
        ("ship", None),
        ("test", Some("https://t.example")),
        ("slow", Some("https://s.example")),
        ("default", Some("https://s.example")),
    ] {
        let flags = Flags::from([("--profile", profile.into())]);
        let settings = load(config, flags, &[]).unwrap();
        let found = settings.sandbox_url.as_deref();
        assert_eq!(found, sandbox, "{profile}");
    }
    let settings = load(config, Flags::default(), &[]).unwrap();
    assert_eq!(settings.units, Units::Si);
}

#[test]
fn a_profile_of_a_program_is_no_part_of_the_service_of_the_top_level() {
    let config = "base_url = \"https://a.example\"\nsandbox_url = \"https://s.example\"\n\
        [profile.argos]\nservice = { command = [\"~/bin/argos\", \"~/{id}\"] }\n\
        [profile.both]\nbase_url = \"https://b.example\"\nservice = { command = [\"argos\"] }\n\
        [profile.http]\nservice = { url = \"{base_url}/{id}\" }\n";
    let base = |profile: &str, environment: &[(&str, &str)]| {
        let flags = Flags::from([("--profile", profile.into())]);
        let settings = load(config, flags, environment).unwrap();
        let sandbox = settings.sandbox_url.is_some();
        (settings.base_url.clone(), sandbox)
    };
    let url = |name: &str| Some(format!("https://{name}.example"));
    assert_eq!(base("argos", &[]), (None, false));
    assert_eq!(base("both", &[]), (url("b"), false));
    assert_eq!(base("http", &[]), (url("a"), true));
    let given = [("DRIFTLINE_BASE_URL", "https://e.example")];
    assert_eq!(base("argos", &given), (url("e"), false));
    let flags = Flags::from([("--profile", "argos".into())]);
    let argos = load(config, flags, &[("HOME", "/home/ann")]).unwrap();
    let command = &argos.service.as_ref().unwrap().command;
    assert_eq!(*command, ["/home/ann/bin/argos", "~/{id}"]);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_never_with_its_value() {
    for (config, part) in [
        ("\nbase_urll = \"s3cret\"", "base_url"),
        ("base_url = 7", ":1:"),
        ("a = = s3cret", ":1:"),
        ("token = \"s3cret\"", "token"),
        ("[profile.x]\ntoken = \"s3cret\"", "token"),
        ("[[deployment]]\nuuid = \"s3cret\"", "uuid"),
        ("allow_insecure_http = \"s3cret\"", "true or false"),
        ("units = \"s3cret\"", "nautical, metric, si"),
        (
            "\n\nmarkers = \"s3cret\"",
            ":3:1: markers must be one of auto, pixels, octant",
        ),
        (
            "[profile.x]\ntimeout = \"s3cret\"",
            ":2:1: timeout must be a duration",
        ),
        ("refresh = \"0s\"", "at least 1s"),
        ("refresh = \"1ns\"", "at least 1s"),
        ("refresh = \"0.9s\"", "15min or 1d12h"),
        ("max_response = 0", "over 0"),
        (
            "[[deployment]]\nuuid = \"5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa\"\nplatform = \"s3cret\"",
            ":3:1: platform must be one of generic, drifter",
        ),
    ] {
        let error = load(config, Flags::default(), &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{config}: {error}");
        assert!(!error.contains("s3cret"), "{config}: {error}");
    }
}

#[test]
fn a_byte_order_mark_and_crlf_are_read_and_nothing_is_an_empty_file() {
    let settings = load("\u{feff}units = \"si\"\r\n", Flags::default(), &[]).unwrap();
    assert_eq!(settings.units, Units::Si);
    let settings = load("", Flags::default(), &[]).unwrap();
    assert_eq!(settings.timeout, Duration::from_secs(30));
}

#[test]
fn every_value_has_its_type_its_words_and_its_source() {
    let config = "timeout = \"1m30s\"\nrefresh = \"2s\"\nunits = \"metric\"\nmarkers = \"half-block\"\nmax_response = 1_000\n";
    let settings = load(config, Flags::default(), &[]).unwrap();
    assert_eq!(settings.timeout, Duration::from_secs(90));
    assert_eq!(settings.refresh, Duration::from_secs(2));
    assert_eq!(settings.units, Units::Metric);
    assert_eq!(settings.coordinates, CoordinateFormat::Dd);
    assert_eq!(settings.markers, Some(GlyphSet::HalfBlock));
    let rows = settings.rows();
    for (name, shown, source) in [
        ("timeout", "1m30s", ":1"),
        ("refresh", "2s", ":2"),
        ("units", "metric", ":3"),
        ("coordinates", "dd", "default"),
        ("markers", "half-block", ":4"),
        ("max_response", "1000", ":5"),
        ("allow_insecure_http", "false", "default"),
    ] {
        let row = rows.iter().find(|row| row.name == name).unwrap();
        assert_eq!(row.value, shown, "{name}");
        assert!(row.source.ends_with(source), "{row:?}");
    }
    let flags = Flags::from([("--timeout", "2h".into())]);
    let settings = load(config, flags, &[]).unwrap();
    assert_eq!(settings.timeout, Duration::from_secs(7200));
    assert_eq!(*settings.source("timeout"), Source::Flag("--timeout"));
    let flags = Flags::from([("--timeout", "-1s".into())]);
    let error = load(config, flags, &[]).unwrap_err().to_string();
    assert!(
        error.starts_with("--timeout must be a duration such as 90s"),
        "{error}"
    );
}

#[test]
fn fields_are_a_list_of_the_file_or_names_of_the_environment() {
    let fields = |config: &str, environment: &[(&str, &str)]| {
        let settings = load(config, Flags::default(), environment)?;
        Ok::<_, Failure>(settings.fields.clone())
    };
    let list = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect());
    assert_eq!(fields("", &[]), Ok(None));
    assert_eq!(fields("fields = []", &[]), Ok(list(&[])));
    let both = "fields = [\"sst\", \"battery v\"]";
    assert_eq!(fields(both, &[]), Ok(list(&["sst", "battery v"])));
    let environment = [("DRIFTLINE_FIELDS", "a, b,,a b")];
    assert_eq!(fields(both, &environment), Ok(list(&["a", "b", "a b"])));
    for none in ["none", " none ", ","] {
        assert_eq!(fields(both, &[("DRIFTLINE_FIELDS", none)]), Ok(list(&[])));
    }
    assert_eq!(
        fields(both, &[("DRIFTLINE_FIELDS", "")]),
        Ok(list(&["sst", "battery v"]))
    );
    for wrong in ["\"sst\"", "[1]", "[\"\"]", "[\"a\\nb\"]", "true"] {
        let error = fields(&format!("\nfields = {wrong}"), &[]).unwrap_err();
        assert!(error.to_string().contains(":2:"), "{error}");
    }
}

#[test]
fn a_theme_is_one_of_three_names() {
    use crate::palette::ThemeName;
    let theme = |text: &str| load(text, Flags::default(), &[]).map(|settings| settings.theme);
    assert_eq!(theme("").unwrap(), ThemeName::Auto);
    assert_eq!(theme("theme = \"light\"\n").unwrap(), ThemeName::Light);
    let error = theme("theme = \"sepia\"\n").unwrap_err().to_string();
    assert!(
        error.contains("theme must be one of auto, dark, light"),
        "{error}"
    );
}

#[test]
fn what_an_earlier_version_wrote_is_named_and_stops_nothing() {
    for (text, what) in [
        (
            "marked = [\"5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa\"]\n",
            "marked",
        ),
        (
            "[profile.sea]\ncolour_scale = \"cividis\"\n",
            "colour_scale",
        ),
        ("theme = \"solarized\"\n", "this theme"),
        ("[theme]\nname = \"dark\"\n", "theme"),
    ] {
        let settings = load(text, Flags::default(), &[]).unwrap();
        let line = text.lines().count() - usize::from(text.starts_with("[theme"));
        let told = format!("config.toml:{line}: {what} is of an earlier version");
        let found = settings
            .warnings
            .iter()
            .any(|warning| warning.contains(&told));
        assert!(found, "{told}: {:?}", settings.warnings);
    }
}

#[test]
fn keys_and_columns_of_the_file_are_rows_of_the_settings() {
    let config = "[keys]\n\"track.measure\" = [\"space\", \"M\"]\n[columns]\ntrack = [\"time\", \"position\"]\nactivity = [\"outcome\"]\n";
    let rows = load(config, Flags::default(), &[]).unwrap().rows();
    for (name, value, line) in [
        ("keys track.measure", "space, M", 2),
        ("columns track", "time, position", 4),
        ("columns activity", "outcome", 5),
    ] {
        let row = rows.iter().find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("{name} is not in {rows:?}"));
        assert_eq!(row.value, value);
        assert!(
            row.source.ends_with(&format!("config.toml:{line}")),
            "{row:?}"
        );
    }
    let wrong = "[columns]\nplant = [\"id\"]\n";
    let error = load(wrong, Flags::default(), &[]).unwrap_err().to_string();
    assert!(error.contains(":2:1: unknown setting 'plant': did you mean 'plants'?"));
}

#[test]
fn keys_are_read_with_their_place_and_the_mouse_can_be_left_to_the_terminal() {
    let config =
        "mouse = false\n\n[keys]\n\"track.measure\" = [\"space\", \"M\"]\n\"all.units\" = []\n";
    let settings = load(config, Flags::default(), &[]).unwrap();
    assert!(!settings.mouse);
    let mut keys = settings.keys.clone();
    keys.sort_by_key(|one| one.source().to_string());
    let [measure, units] = keys.as_slice() else {
        panic!("{keys:?}");
    };
    assert_eq!(measure.name, "track.measure");
    assert_eq!(measure.entries, ["space", "M"]);
    assert!(units.entries.is_empty());
    let Failure { reason, .. } = measure.error("no");
    assert!(reason.ends_with("config.toml:4:1: no"), "{reason}");
    for wrong in ["\"track.measure\" = \"M\"", "\"track.measure\" = [1]"] {
        let config = format!("[keys]\n{wrong}\n");
        let error = load(&config, Flags::default(), &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains("config.toml:2:1: a list of keys"), "{error}");
    }
}

#[test]
fn every_option_of_a_row_is_read_as_the_value_of_its_setting() {
    let rows = load("", Flags::default(), &[]).unwrap().rows();
    let with_options = rows.iter().filter(|row| !row.options.is_empty());
    assert!(with_options.clone().count() > 6);
    for row in with_options {
        assert!(row.options.contains(&row.value), "{row:?}");
        for option in &row.options {
            let toml = Setting::named(&row.name).unwrap().toml(option);
            let config = format!("{} = {toml}\n", row.name);
            let rows = load(&config, Flags::default(), &[]).unwrap().rows();
            let read = rows.iter().find(|one| one.name == row.name).unwrap();
            assert_eq!(read.value, *option, "{}", row.name);
        }
    }
}

#[test]
fn each_default_is_taken_by_its_setting_and_nothing_else_has_a_value() {
    let settings = Settings::default();
    let rows = settings.rows();
    for setting in SETTINGS {
        let row = rows.iter().find(|row| row.name == setting.name).unwrap();
        let default = setting.default.unwrap_or(setting.unset);
        assert_eq!(
            (row.value.as_str(), row.source.as_str()),
            (default, "default")
        );
        assert!(!setting.help.is_empty() && !setting.takes().is_empty());
    }
    assert_eq!(
        load("", Flags::default(), &[]).unwrap().values,
        settings.values
    );
}

#[test]
fn every_setting_refuses_what_it_does_not_take_with_what_it_takes() {
    for setting in SETTINGS {
        for wrong in ["nan", "2001-01-01", "[[1]]"] {
            let config = format!("\n{} = {wrong}\n", setting.name);
            let error = load(&config, Flags::default(), &[]).unwrap_err();
            let wanted = format!(":2:1: {} must be {}", setting.name, setting.takes());
            assert!(error.to_string().ends_with(&wanted), "{error}");
        }
        // Nothing is said of a variable that is empty, and a wrong one is refused.
        let Some(variable) = setting.variable else {
            continue;
        };
        assert!(load("", Flags::default(), &[(variable, "")]).is_ok());
        if let Kind::OneOf(..) = setting.kind {
            let error = load("", Flags::default(), &[(variable, "nosuch")]).unwrap_err();
            let wanted = format!("{variable} must be {}", setting.takes());
            assert_eq!(error.to_string(), wanted);
        }
    }
}

#[test]
fn a_syntax_error_is_told_by_the_parser_without_a_part_of_the_text() {
    for (config, part) in [
        (
            "units = s3cret",
            ":1:9: this is not TOML: string values must be quoted",
        ),
        (
            "units = \"si\"\nunits = \"s3cret\"",
            ":2:1: this is not TOML: duplicate key",
        ),
        ("s3cret", "this is not TOML: "),
        ("units = \"s3cret", "this is not TOML: "),
        ("[s3cret", "this is not TOML: "),
        ("units.s3cret = 1\nunits = 2", "this is not TOML: "),
        ("timeout = 09s3cret", "this is not TOML: "),
    ] {
        let error = load(config, Flags::default(), &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{config}: {error}");
        assert!(!error.contains("s3cret"), "{config}: {error}");
    }
}

#[test]
fn a_home_is_meant_before_the_program_of_on_alarm_and_before_files() {
    let config = "on_alarm = [\"~/bin/tell\", \"~/sea\"]\narchive = \"~/a.db\"\n";
    let home = load(config, Flags::default(), &[("HOME", "/home/ann")]).unwrap();
    assert_eq!(home.on_alarm, ["/home/ann/bin/tell", "~/sea"]);
    let archive = home.archive.as_ref().and_then(ArchiveLocation::file);
    assert_eq!(archive, Some(Path::new("/home/ann/a.db")));
    // Without a home no file of the present folder stands in.
    let homeless = load(config, Flags::default(), &[]).unwrap();
    assert_eq!(homeless.archive, None);
    assert!(homeless.warnings.iter().any(|one| one == NO_ARCHIVE));
}
