//! The words of a filter. A row must contain each of them; quotes keep a blank in
//! a word: `group:"Fram Strait" status:overdue buoy`.

/// The words of a filter in lower case, without the quotes around them. `group:` and
/// `status:` take the word behind them, also after a blank. A quote that is not
/// closed reaches to the end.
pub(in crate::dashboard) fn words(filter: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut is_quoted) = (String::new(), false);
    for letter in filter.to_lowercase().chars().chain([' ']) {
        match letter {
            '"' => is_quoted = !is_quoted,
            _ if letter.is_whitespace() && !is_quoted => {
                let word = std::mem::take(&mut word);
                match words.last_mut() {
                    Some(last) if !word.is_empty() && is_name_alone(last) => last.push_str(&word),
                    _ if !word.is_empty() => words.push(word),
                    _ => {}
                }
            }
            _ => word.push(letter),
        }
    }
    let rest = word.trim_end();
    if !rest.is_empty() {
        words.push(rest.to_owned());
    }
    words
}

/// `true` if it only says where the next word is looked for.
fn is_name_alone(word: &str) -> bool {
    matches!(word, "group:" | "status:")
}

#[cfg(test)]
mod tests {
    use crate::dashboard::track::filter::words;

    #[test]
    fn blanks_separate_words_and_quotes_keep_them_together() {
        let read = |filter: &str| words(filter).join("|");
        assert_eq!(read(""), "");
        assert_eq!(read("  "), "");
        assert_eq!(
            read("group:Ice status:overdue  buoy"),
            "group:ice|status:overdue|buoy"
        );
        assert_eq!(
            read("group:\"Fram Strait\" \"old buoy\""),
            "group:fram strait|old buoy"
        );
        // While it is typed.
        assert_eq!(read("group:\"Fram S"), "group:fram s");
        assert_eq!(read("group:"), "group:");
        assert_eq!(
            read("group: ice status: \"on time\""),
            "group:ice|status:on time"
        );
    }
}
