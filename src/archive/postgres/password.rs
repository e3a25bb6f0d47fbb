//! The password of the server: from the URL, `PGPASSWORD`, or of a password file
//! by the rules of libpq (PostgreSQL documentation, section 34.16).

use std::fs;
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::archive::location::ServerUrl;

/// The result of the search for the password of a server.
pub(super) enum Found {
    Password(Zeroizing<String>),
    /// No password is set.
    Nothing,
    /// No password but perhaps in this file, which is ignored because others may read it.
    Ignored(PathBuf),
}

/// The password for a server.
pub(super) fn find(url: &ServerUrl) -> Found {
    if let Some(password) = url.password() {
        return Found::Password(Zeroizing::new(password.to_owned()));
    }
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(password) = variable("PGPASSWORD") {
        return Found::Password(Zeroizing::new(password));
    }
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"));
    let path = variable("PGPASSFILE").map(PathBuf::from).or_else(home);
    path.map_or(Found::Nothing, |path| of_file(path, url))
}

/// The password for a server by a password file.
fn of_file(path: PathBuf, url: &ServerUrl) -> Found {
    match fs::metadata(&path) {
        Ok(found) if found.is_file() && is_private(&found) => {}
        Ok(found) if found.is_file() => return Found::Ignored(path),
        _ => return Found::Nothing,
    }
    let text = fs::read_to_string(&path).map(Zeroizing::new);
    let password = text.ok().and_then(|text| in_file(&text, url));
    password.map_or(Found::Nothing, |password| {
        Found::Password(Zeroizing::new(password))
    })
}

/// `true` if no other user may read a file; libpq ignores a file that others may read.
#[cfg(unix)]
fn is_private(file: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o077 == 0
}

#[cfg(not(unix))]
fn is_private(_file: &fs::Metadata) -> bool {
    true
}

/// The password of the first line that matches a server. A line is
/// `host:port:database:user:password`; `*` matches all, and `\` escapes the next
/// letter.
fn in_file(text: &str, url: &ServerUrl) -> Option<String> {
    let port = url.port.to_string();
    let is_default_socket = ["/var/run/postgresql", "/run/postgresql", "/tmp"];
    let is_host = |host: &str| {
        host == url.host || (host == "localhost" && is_default_socket.contains(&url.host.as_str()))
    };
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let mut parts = parts(line).into_iter();
            let mut next = || parts.next();
            let host = next()?;
            let at = next()?;
            let database = next()?;
            let user = next()?;
            let matches = |part: &str, value: &str| part == "*" || part == value;
            let is_it = (host == "*" || is_host(&host))
                && matches(&at, &port)
                && matches(&database, &url.database)
                && matches(&user, &url.user);
            if is_it { next() } else { None }
        })
        .filter(|password| !password.is_empty())
}

/// The five parts of a line; the last is all that is left.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            ':' if parts.len() < 5 => {
                parts.push(String::new());
                continue;
            }
            '\\' => letters.next().unwrap_or('\\'),
            letter => letter,
        };
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::archive::location::{ArchiveLocation, Password};

    #[test]
    fn the_first_line_of_a_password_file_that_holds_is_taken() {
        let file = "# db:5432:*:*:no\nother:*:*:*:no\ndb:1:*:*:no\ndb:*:buoys:an\\:a:s\\\\e:cret\n*:*:*:*:last\nlocalhost:*:*:*:here";
        for (url, password) in [
            ("postgres://an%3Aa@db/buoys", Some("s\\e:cret")),
            ("postgres://bob@db/buoys", Some("last")),
        ] {
            let Ok(ArchiveLocation::Server(url)) =
                ArchiveLocation::parse(Path::new(url), Password::Refused)
            else {
                panic!("{url}");
            };
            assert_eq!(in_file(file, &url).as_deref(), password);
            assert_eq!(in_file("", &url), None);
        }
    }
}
