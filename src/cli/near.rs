//! The commands that are like a mistyped word.

// Not clap's suggestions, for the reasons at the head of `usage`; `strsim` is the crate that clap
// itself compares words with.

use super::args::help;

/// The similarity (Jaro-Winkler, 0 to 1) from which a word is near another.
const LIKE: f64 = 0.84;

/// The commands that are like a word, as they are typed, the most similar first; if the word is
/// the name of some, only those.
pub(super) fn near(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(&help::command(), "driftline", word, &mut found);
    nearest(found)
}

/// The words near another, the most similar first; the same word alone.
fn nearest(mut found: Vec<(f64, String)>) -> Vec<String> {
    let has_same = found.iter().any(|(likeness, _)| is_same(*likeness));
    found.retain(|(likeness, _)| *likeness >= LIKE && (!has_same || is_same(*likeness)));
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut typed: Vec<String> = found.into_iter().map(|(_, typed)| typed).collect();
    typed.dedup();
    typed
}

/// The flag of a command that is most like a typed flag. clap's own suggestion for
/// `--lat-column` is `--time-column`.
pub(super) fn near_flag(command: &clap::Command, typed: &str) -> Option<String> {
    let typed = typed.strip_prefix("--")?;
    let flags = command.get_arguments().filter_map(clap::Arg::get_long);
    let near = flags.map(|flag| (likeness(typed, flag), flag));
    let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (nearest.0 >= LIKE).then(|| format!("--{}", nearest.1))
}

/// The commands of a group, such as `deployments`, that are like a word.
pub(super) fn near_in_group(group: &[String], word: &str) -> Vec<String> {
    let path = format!("driftline {}", group.join(" "));
    let mut found = Vec::new();
    collect(&named(group), &path, word, &mut found);
    nearest(found)
}

/// The command of these words.
pub(super) fn named(words: &[String]) -> clap::Command {
    words.iter().fold(help::command(), |command, word| {
        command.find_subcommand(word).cloned().unwrap_or(command)
    })
}

/// The commands below one, each with its likeness to a word.
fn collect(command: &clap::Command, path: &str, word: &str, found: &mut Vec<(f64, String)>) {
    for below in command.get_subcommands() {
        if below.get_name() == "help" || below.is_hide_set() {
            continue;
        }
        let typed = format!("{path} {}", below.get_name());
        let names = std::iter::once(below.get_name()).chain(below.get_visible_aliases());
        let nearest = names.map(|name| likeness(word, name)).fold(0.0, f64::max);
        collect(below, &typed, word, found);
        found.push((nearest, typed));
    }
}

/// The similarity by Jaro and Winkler. It is low for `akc`, so a name at an edit distance of 1
/// is near, too.
fn likeness(word: &str, name: &str) -> f64 {
    let word = word.to_lowercase();
    let likeness = strsim::jaro_winkler(&word, name);
    if name.len() > 2 && strsim::osa_distance(&word, name) == 1 {
        likeness.max(LIKE)
    } else {
        likeness
    }
}

fn is_same(likeness: f64) -> bool {
    likeness > 1.0 - f64::EPSILON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_command_of_a_group_gets_those_of_the_group() {
        for (group, word, all) in [
            ("alarms", "snoze", &["driftline alarms snooze"][..]),
            ("deployments", "lst", &["driftline deployments list"]),
            ("config", "set", &[]),
        ] {
            let found = near_in_group(&[group.to_owned()], word);
            assert_eq!(found, all, "{group} {word}");
        }
    }

    #[test]
    fn a_mistyped_command_gets_those_that_are_near_all_of_them() {
        for (word, all) in [
            (
                "list",
                &["driftline deployments list", "driftline plants list"][..],
            ),
            (
                "ls",
                &["driftline deployments list", "driftline plants list"],
            ),
            ("traks", &["driftline track"]),
            ("Deployment", &["driftline deployments"]),
            ("colect", &["driftline collect"]),
            ("akc", &["driftline alarms ack"]),
            ("buoy", &[]),
        ] {
            assert_eq!(near(word), all, "{word}");
        }
    }
}
