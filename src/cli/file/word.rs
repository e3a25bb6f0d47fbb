//! The words of a command that are files.

use std::path::{Path, PathBuf};

use crate::formats::read;

/// `true` for a word that is a file, whatever the watch list has: standard input, a path, or a
/// name with the extension of a format that is read.
pub(in crate::cli) fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    let is_read = |extension: String| read::EXTENSIONS.contains(&extension.as_str());
    word == "-" || word.contains(['/', std::path::MAIN_SEPARATOR]) || extension.is_some_and(is_read)
}

/// The paths of the words that are files whatever the watch list has.
pub(in crate::cli) fn paths(words: &[String]) -> Vec<PathBuf> {
    let files = words.iter().filter(|word| is_file(word) && *word != "-");
    files.map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_or_an_extension_makes_a_file_and_a_label_none() {
        for word in ["-", "a.csv", "A.GPX", "./buoy", "/x/y", "a b.geojson"] {
            assert!(is_file(word), "{word}");
        }
        for word in ["buoy 7", "buoy.7", "5b6ac2a0", "csv", "v1.2"] {
            assert!(!is_file(word), "{word}");
        }
    }
}
