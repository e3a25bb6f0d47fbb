//! Reads an answer in several pages, each of which names the next one:
//! `Link: <…>; rel="next"` (RFC 8288).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Url;
use reqwest::header::{HeaderMap, LINK};

use super::{Client, ReadRequest};
use crate::failure::{Failure, FailureKind};
use crate::service::body::BodyFault;
use crate::service::redirect::Target;
use crate::service::{redirect, transport};
use crate::watch::{Answer, Validators};

/// Longest time for all pages, as on a slow link: each page could name another for ever.
const LONGEST: Duration = Duration::from_secs(3600);
/// Most pages in a row that bring nothing.
const MOST_IDLE: usize = 50;

/// A page of an answer; most answers have one page.
pub(super) struct Page {
    pub(super) answer: Answer,
    /// Its URL, after redirects.
    pub(super) url: Url,
    /// The URL of the next page.
    pub(super) next: Option<Target>,
}

impl Client {
    /// Reads an answer with all its pages.
    // If a page fails, the answer fails: a part of a track must not be shown as the track.
    pub(super) async fn read(&self, read: &ReadRequest<'_>) -> Result<Answer, Failure> {
        let what = &read.what;
        let began = Instant::now();
        let first = self.read_page(read).await?;
        let mut answer = first.answer;
        let mut next = first.next;
        let mut seen = HashSet::from([first.url]);
        let mut number = 1;
        let mut idle = 0;
        while let Some(target) = next {
            number += 1;
            let url = match target {
                Target::Within(url) => url,
                Target::Secure(origin) | Target::Elsewhere(origin) => {
                    let why = format!("it is at {origin}, where the token may not go");
                    return Err(page_failed(number, &why).context(what));
                }
                Target::Nowhere => return Err(page_failed(number, "it has no URL").context(what)),
            };
            if !seen.insert(url.clone()) {
                break;
            }
            if began.elapsed() > LONGEST {
                return Err(page_failed(number, "the pages before took over an hour").context(what));
            }
            let request = ReadRequest {
                address: url,
                known: &Validators::default(),
                what: what.clone(),
                mapped: read.mapped.clone(),
                ..*read
            };
            let page = self
                .read_page(&request)
                .await
                .map_err(|failure| match failure.kind {
                    FailureKind::Interrupted => failure,
                    _ => page_failed(number, &failure.reason).context(what),
                })?;
            answer.bytes = answer.bytes.saturating_add(page.answer.bytes);
            let most = self.inner.connection.max_response;
            if answer.bytes > most {
                let timeout = self.inner.connection.timeout;
                let fault = BodyFault::TooLarge(most);
                return Err(transport::body_error(&fault, what, timeout));
            }
            let records = Arc::unwrap_or_clone(page.answer.records);
            let known = &answer.records.transmissions;
            let more = &records.transmissions;
            let others = page.answer.others + page.answer.unmet.count;
            // Empty, or what the page before had.
            let has_none = known.ends_with(more) && page.answer.listed.deployments.is_empty();
            idle = if has_none && others == 0 { idle + 1 } else { 0 };
            if idle > MOST_IDLE {
                let why = format!("the {MOST_IDLE} pages before brought nothing new");
                return Err(page_failed(number, &why).context(what));
            }
            Arc::make_mut(&mut answer.records).append(records);
            answer.listed.append(page.answer.listed);
            answer.others += page.answer.others;
            answer.unmet.count += page.answer.unmet.count;
            for note in page.answer.notes {
                if !answer.notes.contains(&note) {
                    answer.notes.push(note);
                }
            }
            // They belong to the first page only.
            answer.validators = Validators::default();
            seen.insert(page.url);
            next = page.next;
        }
        Ok(answer)
    }
}

fn page_failed(number: usize, why: &str) -> Failure {
    Failure::new(
        FailureKind::Unreachable,
        format!("page {number} of the answer could not be read: {why}"),
        "Try again; if it stays, report it to the service's operator.",
    )
}

/// The page that the headers of a response from `from` name as the next one.
pub(super) fn next(from: &Url, headers: &HeaderMap) -> Option<Target> {
    let values = headers.get_all(LINK).iter();
    let mut links = values.filter_map(|value| next_link(value.to_str().ok()?));
    let link = links.next()?;
    Some(redirect::target(from, Some(link.as_bytes())))
}

/// The URL of the first link of a header whose `rel` contains `next`.
fn next_link(header: &str) -> Option<&str> {
    let links = header.split('<').skip(1);
    let mut links = links.filter_map(|link| link.split_once('>'));
    let (url, _) = links.find(|(_, parameters)| parameters.split([';', ',']).any(is_next))?;
    Some(url)
}

fn is_next(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
    name.trim().eq_ignore_ascii_case("rel")
        && relations.any(|name| name.eq_ignore_ascii_case("next"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_other_links() {
        for (header, url) in [
            ("</x?page=2>; rel=\"next\"", Some("/x?page=2")),
            ("<a>;rel=next", Some("a")),
            (
                "<a>; rel=\"first\", <b,c>; title=\"x, y\"; REL=\"last Next\"",
                Some("b,c"),
            ),
            ("<a>; rel=\"prev\"", None),
            ("<a>; rel=\"nextish\"; title=next", None),
            ("<a", None),
            ("", None),
        ] {
            assert_eq!(next_link(header), url, "{header}");
        }
    }
}
