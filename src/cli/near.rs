//! The commands that a mistyped one is near to.

use super::args::help;

/// From this likeness on (Jaro-Winkler, 0 to 1) a word is near to another.
const LIKE: f64 = 0.84;

/// The commands and flags that a word was likely meant to be, as they are typed, the
/// nearest first; those that have it as their last word, if there are any.
pub(super) fn near(word: &str) -> Vec<String> {
    let command = help::command();
    let mut found = Vec::new();
    let flags = command.get_arguments().filter_map(|flag| flag.get_long());
    for flag in flags.filter(|flag| matches!(*flag, "help" | "version")) {
        found.push((likeness(word, flag), format!("driftline --{flag}")));
    }
    collect(&command, "driftline", word, &mut found);
    found.retain(|(likeness, _)| *likeness >= LIKE);
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if found.iter().any(|(likeness, _)| is_same(*likeness)) {
        found.retain(|(likeness, _)| is_same(*likeness));
    }
    found.into_iter().map(|(_, typed)| typed).collect()
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

fn likeness(word: &str, name: &str) -> f64 {
    strsim::jaro_winkler(&word.to_lowercase(), name)
}

fn is_same(likeness: f64) -> bool {
    likeness > 1.0 - f64::EPSILON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_command_gets_those_that_are_near_all_of_them() {
        for (word, all) in [
            (
                "list",
                &["driftline deployments list", "driftline plants list"][..],
            ),
            ("ls", &["driftline deployments list"]),
            ("traks", &["driftline track"]),
            ("version", &["driftline --version"]),
            ("Deployment", &["driftline deployments"]),
            ("colect", &["driftline collect"]),
            ("buoy", &[]),
        ] {
            assert_eq!(near(word), all, "{word}");
        }
    }
}
