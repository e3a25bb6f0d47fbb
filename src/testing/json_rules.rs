//! Valid and invalid JSON bodies by RFC 8259, from `tests/data/json.txt`.

use std::path::PathBuf;

/// How a parser must handle a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Read,
    Refuse,
    /// It may accept or reject it, but not crash or hang.
    Either,
}

/// A verdict, the rule or file of its origin, and the body.
pub(crate) type Case = (Verdict, String, Vec<u8>);

/// Contexts of a tested value: alone in an array, with neighbours, and in an
/// object.
const AROUND: [(&[u8], &[u8]); 3] = [(b"[", b"]"), (b"[ 1, ", b" ,2]"), (b"[{\"k\":", b"}]")];

/// Depth and length of the generated bodies.
const MANY: usize = 100_000;

/// All bodies of the table, and the generated long ones.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![(
        Verdict::Refuse,
        "2: a text holds a value".to_owned(),
        Vec::new(),
    )];
    let (mut are_values, mut rule) = (false, None);
    let table = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/json.txt"));
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some(body) = line.strip_prefix(' ') {
            let (verdict, rule) = rule.unwrap();
            take(&mut cases, verdict, rule, &bytes(body), are_values);
        } else if line.starts_with('=') {
            are_values = line.starts_with("= values");
        } else if let Some((verdict, words)) = line.split_once(": ") {
            rule = Some((verdict_of(verdict), words));
        }
    }
    for control in 0..0x20 {
        let rule = "7: a control character is escaped";
        take(
            &mut cases,
            Verdict::Refuse,
            rule,
            &[b'"', control, b'"'],
            true,
        );
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let (opened, closed) = (open.repeat(MANY), close.repeat(MANY));
        for (verdict, rule, value) in [
            (
                Verdict::Either,
                "9: depth may have a limit",
                format!("{opened}1{closed}"),
            ),
            (Verdict::Refuse, "2: brackets close", format!("{opened}1")),
            (Verdict::Refuse, "2: brackets close", opened),
        ] {
            take(&mut cases, verdict, rule, value.as_bytes(), true);
        }
    }
    let long = "1".repeat(MANY);
    let string = format!("\"{long}\"");
    take(
        &mut cases,
        Verdict::Either,
        "9: length may have a limit",
        long.as_bytes(),
        true,
    );
    take(
        &mut cases,
        Verdict::Read,
        "7: a long string",
        string.as_bytes(),
        true,
    );
    cases
}

fn take(cases: &mut Vec<Case>, verdict: Verdict, rule: &str, body: &[u8], is_value: bool) {
    if !is_value {
        cases.push((verdict, rule.to_owned(), body.to_vec()));
        return;
    }
    for (before, after) in AROUND {
        cases.push((verdict, rule.to_owned(), [before, body, after].concat()));
    }
}

fn verdict_of(word: &str) -> Verdict {
    match word {
        "read" => Verdict::Read,
        "refuse" => Verdict::Refuse,
        "either" => Verdict::Either,
        other => panic!("tests/data/json.txt has no verdict {other}"),
    }
}

/// The bytes of a line in which `%` and two hexadecimal digits are a byte.
fn bytes(line: &str) -> Vec<u8> {
    let mut parts = line.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

/// The cases of the JSONTestSuite, if it is stored next to the project.
pub(crate) fn test_suite() -> Vec<Case> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/json-parsing");
    let mut cases = Vec::new();
    let mut folders = vec![PathBuf::from(beside)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let verdict = match name.get(..2) {
                Some("y_") => Verdict::Read,
                Some("n_") => Verdict::Refuse,
                Some("i_") => Verdict::Either,
                _ => continue,
            };
            cases.push((verdict, name, std::fs::read(&path).unwrap()));
        }
    }
    cases.sort_by(|one, other| one.1.cmp(&other.1));
    cases
}
