//! The real backend of such a service, which is built on Django, with what goes wrong with
//! it. It redirects to the path with a slash before it looks at the token, answers 403 to a
//! token that it does not know and to everybody while its database is away, has a page for
//! what it does not know, compares UUIDs as texts, and has no plants and no validators.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use super::clock::Clock;
use super::wire::{Act, Request, Responder};

/// An instrument whose fixes the backend has.
#[derive(Clone, Copy)]
pub(crate) struct Instrument {
    /// Seconds between two fixes.
    pub interval_s: f64,
    /// The time of the newest fix when the test begins, UNIX seconds.
    pub newest: f64,
    /// True if it goes on reporting.
    pub reports: bool,
    /// How long after its time a fix is there, seconds.
    pub delay_s: f64,
    /// The number of fixes when the test begins.
    pub fixes: usize,
    /// Members of a record besides its time and position.
    pub fields: usize,
}

/// The access to a deployment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Readable,
    /// 403, whatever the token is.
    Forbidden,
    /// 500, as where a record holds a NaN.
    Broken,
}

/// A request for a deployment, and how it was answered.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// When, UNIX seconds by the clock of the backend.
    pub at: f64,
    pub uuid: String,
    pub status: u16,
    /// The bytes of the body.
    pub bytes: usize,
}

struct State {
    deployments: Vec<(String, Instrument, Access)>,
    token: String,
    has_database: bool,
    asked: Vec<Asked>,
}

pub(crate) struct Backend {
    state: Arc<Mutex<State>>,
    responder: Responder,
}

impl Backend {
    pub(crate) fn start(clock: Clock, token: &str) -> Backend {
        let state = Arc::new(Mutex::new(State {
            deployments: Vec::new(),
            token: token.to_owned(),
            has_database: true,
            asked: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let responder = Responder::new(move |request, _| {
            let at = clock.now();
            let (uuid, answer) = answer(&shared, request, at);
            let asked = Asked {
                at,
                uuid,
                status: answer.status,
                bytes: answer.body.len(),
            };
            shared.lock().unwrap().asked.push(asked);
            answer.reply()
        });
        Backend { state, responder }
    }

    pub(crate) fn base_url(&self) -> String {
        self.responder.base_url()
    }

    pub(crate) fn put(&self, uuid: &str, instrument: Instrument) {
        let entry = (uuid.to_owned(), instrument, Access::Readable);
        self.state.lock().unwrap().deployments.push(entry);
    }

    pub(crate) fn set_access(&self, uuid: &str, access: Access) {
        let mut state = self.state.lock().unwrap();
        let mut all = state.deployments.iter_mut();
        all.find(|(known, ..)| known == uuid).unwrap().2 = access;
    }

    /// Takes the database away, or brings it back.
    pub(crate) fn set_database(&self, is_there: bool) {
        self.state.lock().unwrap().has_database = is_there;
    }

    /// The only token that it knows from now on.
    pub(crate) fn set_token(&self, token: &str) {
        self.state.lock().unwrap().token = token.to_owned();
    }

    /// The requests so far, redirects among them.
    pub(crate) fn all_asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// The requests for deployments so far, without the redirects to a slash.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let mut asked = self.all_asked();
        asked.retain(|one| one.status != 301);
        asked
    }
}

struct Answer {
    status: u16,
    header: &'static str,
    value: String,
    body: String,
}

impl Answer {
    fn json(status: u16, body: String) -> Answer {
        Answer {
            status,
            header: "Content-Type",
            value: "application/json".to_owned(),
            body,
        }
    }

    /// As bytes on a connection that is kept.
    fn reply(&self) -> Act {
        let (status, header, value) = (self.status, self.header, &self.value);
        let length = self.body.len();
        let head = format!(
            "HTTP/1.1 {status} Said\r\n{header}: {value}\r\nContent-Length: {length}\r\n\r\n"
        );
        Act::Keep([head.as_bytes(), self.body.as_bytes()].concat())
    }

    fn forbidden(words: &str) -> Answer {
        Answer::json(403, format!("{{\"detail\":\"{words}\"}}"))
    }

    fn page(status: u16, title: &str) -> Answer {
        Answer {
            value: "text/html; charset=utf-8".to_owned(),
            body: format!(
                "<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>{title}</title>\n</head>\n<body>\n  <h1>{title}</h1><p></p>\n</body>\n</html>\n"
            ),
            ..Answer::json(status, String::new())
        }
    }
}

/// The deployment that a request is for, and the answer at a time, UNIX seconds.
fn answer(state: &Mutex<State>, request: &Request, now: f64) -> (String, Answer) {
    let target = request.target.as_str();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let named = path
        .strip_prefix("/public/deployment/data/")
        .filter(|_| request.method == "GET");
    let uuid = named.unwrap_or_default().trim_end_matches('/').to_owned();
    let Some(named) = named else {
        return (uuid, Answer::page(404, "Page not found"));
    };
    let Some(named) = named.strip_suffix('/') else {
        let moved = Answer {
            header: "Location",
            value: target.replacen(path, &format!("{path}/"), 1),
            ..Answer::json(301, String::new())
        };
        return (uuid, moved);
    };
    let state = state.lock().unwrap();
    let bearer = format!("Bearer {}", state.token);
    if !state.has_database || request.header("authorization") != Some(&bearer) {
        return (uuid, Answer::forbidden("Invalid token."));
    }
    let mut all = state.deployments.iter();
    let known = all.find(|(known, ..)| known.eq_ignore_ascii_case(named));
    let Some((known, instrument, access)) = known.cloned() else {
        return (uuid, Answer::page(500, "Server Error (500)"));
    };
    drop(state);
    let answer = match access {
        // Written otherwise it is not found.
        Access::Readable if known != named => Answer::json(200, "[]".to_owned()),
        Access::Readable => Answer::json(200, instrument.records(query, now)),
        Access::Forbidden => {
            Answer::forbidden("You do not have permission to perform this action.")
        }
        Access::Broken => Answer::page(500, "Server Error (500)"),
    };
    (uuid, answer)
}

impl Instrument {
    /// One that had so many fixes at a time, UNIX seconds, and goes on reporting.
    pub(crate) fn reporting(interval_s: f64, fixes: usize, at: f64) -> Instrument {
        Instrument {
            interval_s,
            newest: (at - interval_s / 4.0).floor(),
            reports: true,
            delay_s: 0.0,
            fixes,
            fields: 0,
        }
    }

    /// The number of fixes since the test began, at a time, UNIX seconds.
    fn since(&self, now: f64) -> u32 {
        let since = ((now - self.delay_s - self.newest) / self.interval_s).floor();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few hundred
        match self.reports {
            true => since.max(0.0) as u32,
            false => 0,
        }
    }

    /// The time of the newest fix at a time, UNIX seconds.
    pub(crate) fn newest_at(&self, now: f64) -> f64 {
        self.newest + f64::from(self.since(now)) * self.interval_s
    }

    /// Its records at a time (UNIX seconds), with the fields of a query or all.
    fn records(&self, query: &str, now: f64) -> String {
        let wanted: Vec<&str> = query
            .split('&')
            .filter_map(|one| one.strip_prefix("field="))
            .collect();
        let fields: Vec<String> = (0..self.fields)
            .map(|number| format!("housekeeping_channel_{number:03}"))
            .filter(|name| wanted.is_empty() || wanted.contains(&name.as_str()))
            .collect();
        let newest = self.newest_at(now);
        let count = u32::try_from(self.fixes).unwrap() + self.since(now);
        let mut text = String::from("[");
        for number in 0..count {
            let time = newest - f64::from(count - 1 - number) * self.interval_s;
            let latitude = 60.0 + 0.3 * (f64::from(number) / 2000.0).sin();
            let comma = if number > 0 { "," } else { "" };
            write!(
                text,
                "{comma}{{\"time_stamp\":{time},\"latitude\":{latitude:.6},\"longitude\":5.25"
            )
            .unwrap();
            for (place, name) in (0..).zip(&fields) {
                write!(text, ",\"{name}\":{}.25", 1000 + (number + place) % 97).unwrap();
            }
            text.push('}');
        }
        text.push(']');
        text
    }
}
