//! What a test needs besides Rust and a C compiler.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

/// Ends the test, and says what it needs, if one of these programs is missing. They are named
/// as in `tests/packages.txt` and `tests/servers.txt`.
macro_rules! needs {
    ($($program:literal),+) => {
        if $crate::needs::one_is_missing(&[$($program),+]) {
            return;
        }
    };
}

/// Which programs are there, of those that were looked for.
static FOUND: LazyLock<Mutex<BTreeMap<&str, bool>>> = LazyLock::new(Mutex::default);

/// Whether one of the programs is missing, which it says past the harness, which keeps what a
/// passing test prints to itself.
pub(crate) fn one_is_missing(programs: &[&'static str]) -> bool {
    let mut found = FOUND.lock().unwrap();
    let missing = programs
        .iter()
        .find(|program| !*found.entry(program).or_insert_with(|| is_there(program)));
    if let Some(program) = missing {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or_default();
        let line = format!("skipped: {test} needs {program}: run tests/run\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    missing.is_some()
}

/// Whether the command of the program's row succeeds.
fn is_there(program: &str) -> bool {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tables = ["tests/packages.txt", "tests/servers.txt"];
    let tables = tables.map(|table| std::fs::read_to_string(top.join(table)).unwrap());
    let row = tables.iter().flat_map(|table| table.lines());
    let mut row = row.filter_map(|line| line.strip_prefix(program)?.strip_prefix(" | "));
    let row = row.next().unwrap_or_else(|| panic!("no row {program}"));
    let (_, check) = row.split_once(" | ").unwrap();
    let mut shell = Command::new("bash");
    let shell = shell.args(["-c", check]).current_dir(top);
    let quiet = shell
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
