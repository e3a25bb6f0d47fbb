//! The files that packagers take from the program: completions and manual pages.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::args::Arguments;
use super::output::{Out, note};
use crate::failure::Failure;
use crate::os::output::{Destination, FileKind, write_file};
use crate::settings::SETTINGS;

/// An addition to the script for bash, which completes files after flags only: where it has
/// nothing but flags for a word that is none, bash's own completion of names is used.
const BASH_FILES: &str = r#"
_driftline_with_files() {
    _driftline "$@"
    if [[ "$2" != -* && " ${COMPREPLY[*]}" != *" "[!-]* ]] ; then
        COMPREPLY=()
    fi
}

complete -F _driftline_with_files -o bashdefault -o default driftline
"#;

/// The completions of a shell.
pub(super) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "driftline", &mut script);
    if shell == Shell::Bash {
        script.extend_from_slice(BASH_FILES.as_bytes());
    }
    Out::new().bytes(&script)
}

/// The manual: the page of the program on standard output, or that of every
/// command in a folder.
pub(super) fn man(folder: Option<&Path>) -> Result<u8, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = folder else {
        return Out::new().bytes(&page(&command)?.1);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::other(format!(
            "the folder {} cannot be made: {error}",
            folder.display()
        ))
        .with_hint("Choose another folder, or free some disk space.")
    })?;
    let count = write_pages(&command, folder)?;
    note(&format!("{count} pages written to {}.", folder.display()));
    Ok(0)
}

/// Writes the page of a command and those below it; returns how many.
fn write_pages(command: &Command, folder: &Path) -> Result<usize, Failure> {
    let (name, page) = page(command)?;
    let path = folder.join(name);
    write_file(&Destination::new(&path, FileKind::Named), |out| {
        Ok(out.write_all(&page)?)
    })?;
    let mut count = 1;
    for below in command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        count += write_pages(below, folder)?;
    }
    Ok(count)
}

/// A command's page with the name of its file.
pub(super) fn page(command: &Command) -> Result<(String, Vec<u8>), Failure> {
    let man = clap_mangen::Man::new(command.clone())
        .source(concat!("driftline ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render(&mut page)
        .map_err(|error| Failure::other(error.to_string()))?;
    if command.get_name() == "driftline" {
        page.extend_from_slice(sections().as_bytes());
    }
    Ok((man.get_filename(), page))
}

/// The sections of the program's page besides its options, in roff. `check` has other exit
/// statuses: its page lists them.
fn sections() -> String {
    let variables = SETTINGS.iter().filter_map(|setting| {
        let variable = setting.variable?;
        let help = setting.help;
        Some(format!(".TP\n\\fB{variable}\\fR\n{help}\n"))
    });
    include_str!("../../assets/sections.roff")
        .replace("{settings}\n", &variables.collect::<String>())
}
