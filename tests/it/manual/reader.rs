//! A reader who types every example of the manual, page by page, in a shell, against the
//! service of `demo --serve`.
//!
//! The pages say what does not work there: a comment `not in the demo` behind a command, or on
//! a line of its own for the rest of its block. `with the feature parquet` is for a build that
//! has it, and `until Ctrl-C` is ended so.

use crate::driver::code_blocks::{blocks, folder, pages};
use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::pty::{CTRL_C, ENTER, Setting, Terminal};
use crate::driver::service::Service;

/// What a reader types at a time: a command, with the lines of its here-document.
struct Typed {
    place: String,
    text: String,
    /// The comment behind the command.
    comment: String,
}

/// The commands of a page in order.
fn commands(name: &str, page: &str) -> Vec<Typed> {
    let mut found: Vec<Typed> = Vec::new();
    for block in blocks(name, page) {
        if block.language != "sh" {
            continue;
        }
        let lines = block.text.replace("\\\n", " ");
        let mut lines = lines.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let comment = line
                .find("# ")
                .filter(|&at| at == 0 || line[..at].ends_with(' '));
            let (command, comment) = line.split_at(comment.unwrap_or(line.len()));
            let comment = comment.trim_start_matches("# ");
            let mut text = command.trim().to_owned();
            if text.is_empty() && is_left_out(comment) {
                break;
            }
            if text.contains("<<END") {
                for line in lines.by_ref() {
                    text.push_str(&format!("{ENTER}{line}"));
                    if line == "END" {
                        break;
                    }
                }
            }
            if !text.is_empty() {
                found.push(Typed {
                    place: block.place.clone(),
                    text,
                    comment: comment.to_owned(),
                });
            }
        }
    }
    found
}

/// Whether a comment says that its command needs what the demo, or this build, has not.
fn is_left_out(comment: &str) -> bool {
    comment.starts_with("not in the demo")
        || comment.starts_with("with the feature parquet") && !cfg!(feature = "parquet")
}

/// A shell in a terminal, and the service in another.
struct Reader {
    home: Home,
    service: Service,
    shell: Terminal,
    typed: usize,
}

impl Reader {
    fn new() -> Reader {
        let (home, service) = (Home::new(), Service::start());
        let bin = home.file("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(DRIFTLINE, bin.join("driftline")).unwrap();
        let path = std::env::var("PATH").unwrap();
        let setting = Setting::default()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("PS1", r"[\#:$?] ");
        let options = ["--norc", "--noprofile", "--noediting"];
        let shell = Terminal::program(&home, "bash", &options, setting);
        shell.shows("[1:0]");
        Reader {
            home,
            service,
            shell,
            typed: 0,
        }
    }

    /// Types the examples of a page; each has to end with 0.
    fn types(&mut self, name: &str, page: &str) {
        for command in commands(name, page) {
            if is_left_out(&command.comment) {
                continue;
            }
            if command.text.starts_with("driftline demo --serve") {
                // It runs in another terminal, at a port that was free.
                let token = &self.service.token;
                self.home
                    .write("demo.json", format!("{{\"token\":\"{token}\"}}\n"));
                continue;
            }
            self.does(&command);
        }
    }

    fn does(&mut self, command: &Typed) {
        let url = format!("http://{}", self.service.address());
        let text = command.text.replace("http://127.0.0.1:8080", &url);
        self.typed += 1;
        self.shell
            .keys(&format!("printf '\\033[H\\033[2J'; {text}{ENTER}"));
        let prompt = format!("[{}:", self.typed + 1);
        let status = |screen: &str| {
            let (_, rest) = screen.rsplit_once(&prompt)?;
            let (status, _) = rest.split_once(']')?;
            status.parse::<i32>().ok()
        };
        let until_ctrl_c = command.comment.starts_with("until Ctrl-C");
        let what = format!("the end of: {text} ({})", command.place);
        let has_left = std::cell::Cell::new(false);
        let screen = self.shell.wait(&what, |screen| {
            let is_dashboard = self.shell.alternate() && screen.contains("UTC");
            let is_cleared = !screen.contains(&format!("[{}:", self.typed));
            let has_begun = until_ctrl_c && is_cleared && !screen.trim().is_empty();
            if !has_left.get() && (is_dashboard || has_begun) {
                has_left.set(true);
                self.shell.keys(if is_dashboard { "q" } else { CTRL_C });
            }
            status(screen).is_some()
        });
        let status = status(&screen);
        let is_ended = until_ctrl_c && status == Some(130);
        assert!(is_ended || status == Some(0), "{what}\n{screen}");
    }
}

/// The pages in the order of the book.
fn in_order() -> Vec<(String, String)> {
    let summary = std::fs::read_to_string(folder().join("SUMMARY.md")).unwrap();
    let mut found: Vec<(String, String)> = pages();
    found.retain(|(name, _)| name != "SUMMARY.md");
    found.sort_by_key(|(name, _)| summary.find(&format!("({name})")));
    found
}

#[test]
fn every_example_of_the_manual_works_in_the_order_of_the_pages() {
    let mut reader = Reader::new();
    for (name, page) in in_order() {
        reader.types(&name, &page);
    }
    assert!(reader.typed > 70, "{} commands", reader.typed);
    for file in [
        "week.csv",
        "buoy.nc",
        "fleet.geojson",
        "list.csv",
        "copy.db",
    ] {
        assert!(reader.home.file(file).exists(), "{file}");
    }
}

#[test]
fn every_example_of_the_readme_works() {
    let mut reader = Reader::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    reader.types("README.md", &std::fs::read_to_string(path).unwrap());
    assert!(reader.typed >= 8, "{} commands", reader.typed);
    assert!(reader.home.file("week.geojson").exists());
}

#[test]
fn a_command_has_its_here_document_and_a_comment_leaves_out_what_it_says() {
    let page = "```sh\nls a \\\n  b   # until Ctrl-C\ncat > x <<END\n1\nEND\nid \"a#b\"\n```\n\
        ```sh\nid # not in the demo: x\nls\n# not in the demo\nrm\n```\n```console\nno\n```\n";
    let found = commands("p.md", page);
    let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "ls a    b",
            "cat > x <<END\r1\rEND",
            "id \"a#b\"",
            "id",
            "ls"
        ]
    );
    assert!(is_left_out(&found[3].comment) && !is_left_out(&found[0].comment));
}
