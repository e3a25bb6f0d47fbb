//! Profiles: numbers of one record along a line, such as the temperatures of a
//! thermistor string.

use std::collections::HashMap;

/// The profiles among fields with these names: `prefix_0` to `prefix_n`, at
/// least two. Each has its prefix, in the order of first appearance.
pub(crate) fn profiles<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut found: HashMap<&str, (usize, Vec<usize>)> = HashMap::new();
    for (place, name) in names.enumerate() {
        if let Some((prefix, index)) = split(name) {
            let (_, indices) = found.entry(prefix).or_insert((place, Vec::new()));
            indices.push(index);
        }
    }
    let mut whole: Vec<(usize, &str, usize)> = found
        .into_iter()
        .filter_map(|(prefix, (place, mut indices))| {
            indices.sort_unstable();
            let is_whole = indices.len() > 1 && indices.iter().copied().eq(0..indices.len());
            is_whole.then_some((place, prefix, indices.len()))
        })
        .collect();
    whole.sort_unstable();
    whole
        .into_iter()
        .map(|(_, prefix, count)| (prefix, count))
        .collect()
}

/// The prefix and the index of a name that could be part of a profile.
fn split(name: &str) -> Option<(&str, usize)> {
    let (prefix, digits) = name.rsplit_once('_')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if prefix.is_empty() || !is_number {
        return None;
    }
    Some((prefix, digits.parse().ok()?))
}
