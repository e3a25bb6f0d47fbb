//! Who may import whom, who alone names which crate, and what the pure layers
//! never name: the table of the architecture.

/// A module and what it may name of the others.
pub(super) struct Row {
    pub module: &'static str,
    /// Modules; `a::b` allows only what starts so.
    pub may: &'static [&'static [&'static str]],
    /// What its tests may name besides.
    pub tests_may: &'static [&'static str],
}

impl Row {
    /// Whether the row allows the path `written`, which begins with the name of
    /// a module.
    pub(super) fn allows(&self, written: &str, test: bool) -> bool {
        let tests: [&[&str]; 2] = if test {
            [FOR_TESTS, self.tests_may]
        } else {
            [&[]; 2]
        };
        let own = [self.module];
        let lists = [&own, FOR_ALL]
            .into_iter()
            .chain(tests)
            .chain(self.may.iter().copied());
        lists.flatten().any(|may| {
            let rest = written.strip_prefix(may);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        })
    }
}

const fn row(module: &'static str, may: &'static [&'static [&'static str]]) -> Row {
    Row {
        module,
        may,
        tests_may: &[],
    }
}

/// What every module may name: the gate of text to the terminal, an HTTP
/// exchange as plain data, and stepping through the values of an enum.
const FOR_ALL: &[&str] = &["text", "exchange", "choice"];

/// What the tests of every module may name, and shipped code never.
const FOR_TESTS: &[&str] = &["testing"];

/// The records of a deployment, what is made of them, and the ground below.
const DOMAIN: &[&str] = &[
    "geo", "failure", "track", "plant", "alarm", "chart", "export",
];

/// The one place that reads the wall clock.
const CLOCK: &[&str] = &["clock"];

/// What names an archive.
const LOCATION: &[&str] = &["location"];

/// The one rule of what a loopback address is.
const LOOPBACK: &[&str] = &["loopback"];

/// A row for each module; `testing` is in [`FOR_TESTS`] and may name all.
pub(super) const ROWS: &[Row] = &[
    row("text", &[]),
    row("geo", &[]),
    row("failure", &[]),
    row("exchange", &[]),
    Row {
        module: "choice",
        may: &[],
        tests_may: &["geo", "track", "chart", "export"],
    },
    row("palette", &[]),
    row("loopback", &[]),
    row("clock", &[]),
    row("location", &[LOOPBACK]),
    row("track", &[&["geo", "failure"]]),
    row("plant", &[LOOPBACK]),
    row("alarm", &[&["geo", "track"]]),
    row("chart", &[&["geo", "track"]]),
    row("export", &[&["geo", "track", "plant", "chart"]]),
    row(
        "settings",
        &[
            CLOCK,
            LOCATION,
            &["failure", "geo", "track", "chart", "palette"],
        ],
    ),
    row("auth", &[CLOCK, &["failure"]]),
    Row {
        module: "api",
        may: &[DOMAIN, CLOCK, LOOPBACK, &["auth::Token", "auth::token"]],
        tests_may: &["demo"],
    },
    row("archive", &[DOMAIN, CLOCK, LOCATION]),
    row(
        "demo",
        &[CLOCK, LOOPBACK, &["geo", "track", "plant", "api::wire"]],
    ),
    row(
        "ops",
        &[
            DOMAIN,
            CLOCK,
            LOCATION,
            &["settings", "auth", "api", "archive"],
        ],
    ),
    row("app", &[DOMAIN]),
    row("ui", &[DOMAIN, &["app", "palette"]]),
    row(
        "runtime",
        &[DOMAIN, CLOCK, &["app", "ui", "ops", "settings", "palette"]],
    ),
    row(
        "cli",
        &[
            DOMAIN,
            CLOCK,
            &["runtime", "ops", "demo", "settings", "palette"],
        ],
    ),
    row("main", &[&["cli"]]),
    // What the benchmarks measure, compiled for them alone.
    row("bench", &[DOMAIN, &["api", "archive", "app", "ui"]]),
];

/// The modules that only tests compile. They may name every other.
pub(super) const TEST_MODULES: &[&str] = FOR_TESTS;

/// Crates that only some modules may name: a module, with what is below it.
pub(super) const OWNED_CRATES: &[(&str, &[&str])] = &[
    ("keyring", &["auth"]),
    ("rusqlite", &["archive::sqlite"]),
    ("tokio_postgres", &["archive::postgres"]),
    ("object_store", &["ops::table_export"]),
    ("reqwest", &["api"]),
    ("axum", &["demo"]),
    ("clap", &["cli"]),
    ("ratatui", &["ui", "runtime", "bench"]),
    ("color_eyre", &["main", "cli", "runtime"]),
];

/// The layers without clocks, files and handles.
pub(super) const PURE: &[&str] = &[
    "text", "geo", "failure", "exchange", "choice", "palette", "track", "plant", "alarm", "chart",
    "export", "app", "ui",
];

/// What the pure layers never name.
pub(super) const IMPURE: &[&str] = &[
    "tokio",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread::spawn",
    "std::thread::sleep",
];

/// Types of clocks, which the pure layers never name either.
pub(super) const CLOCK_TYPES: &[&str] = &["Instant", "SystemTime"];
