//! Configuration: flags, environment, file, defaults, and where each value came
//! from.
//!
//! The file is TOML. Its top level is the profile `default`; each other profile
//! is a table of the same keys:
//!
//! ```toml
//! base_url = "https://service.example/api"
//! units = "nautical"
//!
//! [profile.ship]
//! base_url = "http://10.0.0.5:8080"
//! allow_insecure_http = true
//! timeout = "2m"
//!
//! [[deployment]]
//! uuid = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa"
//! label = "buoy 7"
//! platform = "drifter"
//! ```

mod file;
mod paths;

pub use file::{ConfigError, ConfiguredDeployment};
pub use paths::Places;

use std::ffi::OsString;
use std::path::PathBuf;

use file::ConfigFile;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A flag on the command line.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The configuration file, at this line.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// Nobody said anything else.
    Default,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Valued<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// What the flags say; what they leave out is looked for elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--sandbox-url`.
    pub sandbox_url: Option<String>,
    /// `--archive`.
    pub archive: Option<PathBuf>,
    /// `--timeout`.
    pub timeout: Option<String>,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Name of the profile.
    pub profile: Valued<String>,
    /// The configuration file and whether it is there.
    pub config: Valued<PathBuf>,
    /// Whether that file was read.
    pub config_read: bool,
    /// The service's base address, if one is set.
    pub base_url: Option<Valued<String>>,
    /// Where plants are created; none: the base address.
    pub sandbox_url: Option<Valued<String>>,
    /// Whether a token may travel over plain http.
    pub allow_insecure_http: Valued<bool>,
    /// Certificates to trust besides the system's, in PEM; a relative path
    /// counts from the configuration's folder.
    pub ca_file: Option<Valued<PathBuf>>,
    /// The archive.
    pub archive: Valued<PathBuf>,
    /// Silence after which a connection is given up, such as `30s`.
    pub timeout: Valued<String>,
    /// Time between refreshes, such as `60s`.
    pub refresh: Valued<String>,
    /// Bytes an answer may have, decompressed.
    pub max_response: Valued<u64>,
    /// Units: `nautical`, `metric` or `si`.
    pub units: Valued<String>,
    /// Coordinates: `dd`, `ddm` or `dms`.
    pub coordinates: Valued<String>,
    /// What maps are drawn in: `auto` or one of the markers.
    pub markers: Valued<String>,
    /// Deployments that the file names.
    pub deployments: Vec<ConfiguredDeployment>,
    /// What a person should know about the file.
    pub warnings: Vec<String>,
}

impl Settings {
    /// The settings from flags, environment, file and defaults, in this order.
    ///
    /// # Errors
    /// When the file cannot be read or understood, one that was named is not
    /// there, or a profile is named that is in no file.
    pub fn load(
        flags: &Flags,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let places = Places::new(environment);
        let variable = |name: &'static str| -> Result<Option<Valued<String>>, ConfigError> {
            match environment(name).filter(|value| !value.is_empty()) {
                None => Ok(None),
                Some(value) => match value.into_string() {
                    Ok(value) => Ok(Some(Valued {
                        value,
                        source: Source::Environment(name),
                    })),
                    Err(_) => Err(ConfigError::NotText(name)),
                },
            }
        };
        let flag = |value: &Option<String>, name| {
            value.clone().map(|value| Valued {
                value,
                source: Source::Flag(name),
            })
        };
        let config = flags
            .config
            .clone()
            .map(|value| Valued {
                value,
                source: Source::Flag("--config"),
            })
            .or_else(|| {
                let value = environment("DRIFTLINE_CONFIG").filter(|value| !value.is_empty())?;
                Some(Valued {
                    value: value.into(),
                    source: Source::Environment("DRIFTLINE_CONFIG"),
                })
            });
        let named = config.is_some();
        let config = config.unwrap_or_else(|| Valued {
            value: places.config(),
            source: Source::Default,
        });
        let file = ConfigFile::read(&config.value, named)?;
        let profile = flag(&flags.profile, "--profile")
            .or(variable("DRIFTLINE_PROFILE")?)
            .or_else(|| file.text(None, "profile"))
            .unwrap_or_else(|| Valued {
                value: "default".to_owned(),
                source: Source::Default,
            });
        if profile.value != "default" && !file.has_profile(&profile.value) {
            return Err(ConfigError::NoProfile {
                name: profile.value,
                path: config.value,
                known: file.profiles(),
            });
        }
        let name = Some(profile.value.as_str())
            .filter(|name| *name != "default" || file.has_profile("default"));
        let has_own_base = name.is_some() && file.own_text(name, "base_url").is_some();
        // A profile's own value, else the top level's.
        let text = |key: &str| file.text(name, key);
        let or = |value: Option<Valued<String>>, default: &str| {
            value.unwrap_or_else(|| Valued {
                value: default.to_owned(),
                source: Source::Default,
            })
        };
        let path =
            |flag: &Option<PathBuf>, name, variable: &'static str, key: &str, default: PathBuf| {
                flag.clone()
                    .map(|value| Valued {
                        value,
                        source: Source::Flag(name),
                    })
                    .or_else(|| {
                        let value = environment(variable).filter(|value| !value.is_empty())?;
                        Some(Valued {
                            value: value.into(),
                            source: Source::Environment(variable),
                        })
                    })
                    .or_else(|| {
                        text(key).map(|found| Valued {
                            value: found.value.into(),
                            source: found.source,
                        })
                    })
                    .unwrap_or(Valued {
                        value: default,
                        source: Source::Default,
                    })
            };
        Ok(Self {
            base_url: flag(&flags.base_url, "--base-url")
                .or(variable("DRIFTLINE_BASE_URL")?)
                .or_else(|| text("base_url")),
            sandbox_url: flag(&flags.sandbox_url, "--sandbox-url")
                .or(variable("DRIFTLINE_SANDBOX_URL")?)
                // A profile with an address of its own has its own sandbox, or
                // none: its token is not another service's.
                .or_else(|| match has_own_base {
                    true => file.own_text(name, "sandbox_url"),
                    false => text("sandbox_url"),
                }),
            allow_insecure_http: file.boolean(name, "allow_insecure_http").unwrap_or(Valued {
                value: false,
                source: Source::Default,
            }),
            ca_file: text("ca_file").map(|found| Valued {
                value: config.value.parent().map_or_else(
                    || PathBuf::from(&found.value),
                    |folder| folder.join(&found.value),
                ),
                source: found.source,
            }),
            archive: path(
                &flags.archive,
                "--archive",
                "DRIFTLINE_ARCHIVE",
                "archive",
                places.archive(),
            ),
            timeout: or(
                flag(&flags.timeout, "--timeout").or_else(|| text("timeout")),
                "30s",
            ),
            refresh: or(text("refresh"), "60s"),
            max_response: file.integer(name, "max_response").unwrap_or(Valued {
                value: 1 << 30,
                source: Source::Default,
            }),
            units: or(text("units"), "nautical"),
            coordinates: or(text("coordinates"), "dd"),
            markers: or(text("markers"), "auto"),
            deployments: file.deployments().to_vec(),
            warnings: file.warnings(),
            config_read: file.was_read(),
            profile,
            config,
        })
    }

    /// Every setting with its value and source, for people and scripts.
    pub fn rows(&self) -> Vec<(&'static str, String, String)> {
        let row = |name, value: String, source: &Source| (name, value, source.to_string());
        let text = |name, valued: &Valued<String>| row(name, valued.value.clone(), &valued.source);
        let optional = |name, valued: &Option<Valued<String>>, missing: &str| match valued {
            Some(valued) => row(name, valued.value.clone(), &valued.source),
            None => row(name, missing.to_owned(), &Source::Default),
        };
        vec![
            text("profile", &self.profile),
            row(
                "config",
                self.config.value.display().to_string(),
                &self.config.source,
            ),
            optional("base_url", &self.base_url, ""),
            optional(
                "sandbox_url",
                &self.sandbox_url,
                self.base_url.as_ref().map_or("", |base| &base.value),
            ),
            row(
                "allow_insecure_http",
                self.allow_insecure_http.value.to_string(),
                &self.allow_insecure_http.source,
            ),
            row(
                "ca_file",
                self.ca_file
                    .as_ref()
                    .map_or_else(String::new, |file| file.value.display().to_string()),
                self.ca_file
                    .as_ref()
                    .map_or(&Source::Default, |file| &file.source),
            ),
            row(
                "archive",
                self.archive.value.display().to_string(),
                &self.archive.source,
            ),
            text("timeout", &self.timeout),
            text("refresh", &self.refresh),
            row(
                "max_response",
                self.max_response.value.to_string(),
                &self.max_response.source,
            ),
            text("units", &self.units),
            text("coordinates", &self.coordinates),
            text("markers", &self.markers),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(
        config: &str,
        flags: Flags,
        environment: &[(&str, &str)],
    ) -> Result<Settings, ConfigError> {
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
        let base = |settings: Settings| settings.base_url.unwrap();
        let file = base(load(config, Flags::default(), &[]).unwrap());
        assert_eq!(file.value, "https://file.example");
        assert!(matches!(file.source, Source::File { line: 1, .. }));
        let variable = base(load(config, Flags::default(), &environment).unwrap());
        assert_eq!(variable.source, Source::Environment("DRIFTLINE_BASE_URL"));
        let flags = Flags {
            base_url: Some("https://flag.example".to_owned()),
            ..Flags::default()
        };
        let flag = base(load(config, flags, &environment).unwrap());
        assert_eq!(
            (flag.value.as_str(), flag.source),
            ("https://flag.example", Source::Flag("--base-url"))
        );
    }

    #[test]
    fn a_profile_has_its_own_values_and_the_top_levels_for_the_rest() {
        let config = "base_url = \"https://a.example\"\ntimeout = \"9s\"\n[profile.ship]\nbase_url = \"http://b.example\"\nallow_insecure_http = true\n";
        let flags = Flags {
            profile: Some("ship".to_owned()),
            ..Flags::default()
        };
        let ship = load(config, flags, &[]).unwrap();
        assert_eq!(ship.base_url.unwrap().value, "http://b.example");
        assert_eq!(
            (ship.timeout.value.as_str(), ship.allow_insecure_http.value),
            ("9s", true)
        );
        assert!(
            !load(config, Flags::default(), &[])
                .unwrap()
                .allow_insecure_http
                .value
        );
        let flags = Flags {
            profile: Some("shop".to_owned()),
            ..Flags::default()
        };
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
            let flags = Flags {
                profile: Some(profile.to_owned()),
                ..Flags::default()
            };
            let settings = load(config, flags, &[]).unwrap();
            let found = settings.sandbox_url.map(|found| found.value);
            assert_eq!(found.as_deref(), sandbox, "{profile}");
        }
        let settings = load(config, Flags::default(), &[]).unwrap();
        assert_eq!(settings.units.value, "si");
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
        ] {
            let error = load(config, Flags::default(), &[]).unwrap_err().to_string();
            assert!(error.contains(part), "{config}: {error}");
            assert!(!error.contains("s3cret"), "{config}: {error}");
        }
    }

    #[test]
    fn a_byte_order_mark_and_crlf_are_read_and_nothing_is_an_empty_file() {
        let settings = load("\u{feff}units = \"si\"\r\n", Flags::default(), &[]).unwrap();
        assert_eq!(settings.units.value, "si");
        assert_eq!(
            load("", Flags::default(), &[]).unwrap().timeout.value,
            "30s"
        );
    }
}
