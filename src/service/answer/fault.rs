//! Why an answer has no records, in words for the user.

use serde::de::IgnoredAny;

use crate::formats::read::gathered::too_much;
use crate::formats::{each_member, json_kind};
use crate::service::wire::ErrorRead;
use crate::text;

/// Most characters of a body or record that a message quotes.
pub(super) const SHOWN: usize = 200;

/// Why a complete answer has no records.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerFault {
    #[error("the answer is empty where an array of records should be")]
    Empty,
    #[error("the answer is written in UTF-16, not UTF-8")]
    Utf16,
    /// A web page with this title.
    #[error("got a web page, not data{}", .0.as_ref().map_or_else(String::new, |title| format!(": its title is {title:?}")))]
    WebPage(Option<String>),
    #[error("the answer is an Error object")]
    Error(ErrorRead),
    /// The body, or its records, take more memory than those of an answer may.
    #[error("the records of the answer {}", too_much())]
    TooMuch,
    #[error("other large answers took the memory for its records, for five minutes")]
    Crowded,
    /// The body has no records for this reason, in words for the user.
    #[error("{0}")]
    Unlike(String),
    #[error("the answer ends in the middle of a record, after {}", text::counted(*whole, "whole one", "whole ones"))]
    Cut {
        /// Number of complete records before.
        whole: usize,
    },
}

impl AnswerFault {
    /// The service says so, in these words.
    pub(super) fn said(words: String) -> Self {
        Self::Error(ErrorRead {
            error: None,
            message: Some(words),
        })
    }
}

/// Describes a body that is empty, in UTF-16 or a web page.
pub(super) fn no_text(body: &[u8]) -> Option<AnswerFault> {
    let body = text::without_byte_order_mark(body);
    match (body, body.trim_ascii_start()) {
        ([0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..], _) => {
            Some(AnswerFault::Utf16)
        }
        (_, []) => Some(AnswerFault::Empty),
        (_, [b'<', ..]) => {
            let title = page_title(&String::from_utf8_lossy(body));
            Some(AnswerFault::WebPage(title))
        }
        _ => None,
    }
}

/// Describes a complete body that does not begin as an array of records.
pub(super) fn not_records(body: &[u8]) -> AnswerFault {
    if let Some(found) = no_text(body) {
        return found;
    }
    let text = String::from_utf8_lossy(text::without_byte_order_mark(body));
    let start = text.trim_start_matches([' ', '\t', '\n', '\r']);
    if start == "[" {
        return AnswerFault::Cut { whole: 0 };
    }
    match ErrorRead::from_body(text.as_bytes()) {
        Some(error) => AnswerFault::Error(error),
        None => AnswerFault::Unlike(format!(
            "the answer is {}, not an array of records: {}",
            described(start),
            text::excerpt(&text, SHOWN)
        )),
    }
}

/// The title of a web page, sanitized, at most 80 characters; `None` if the
/// text is not a page or has no title.
pub(crate) fn page_title(page: &str) -> Option<String> {
    let head: String = page.chars().take(20_000).collect();
    let lower = head.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower.get(open..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title = head.get(start..end)?;
    // Of names other than those of XML it stays as it is.
    let title = quick_xml::escape::unescape(title).unwrap_or(title.into());
    let title = title.split_whitespace().collect::<Vec<_>>();
    (!title.is_empty()).then(|| text::excerpt(&title.join(" "), 80))
}

/// Describes JSON that is not an array, for a message.
fn described(json: &str) -> String {
    let mut keys = Vec::new();
    let object = each_member(json, |key, _| {
        if keys.len() < 5 {
            keys.push(text::excerpt(key, 30));
        }
    });
    match object {
        Ok(()) => match keys.len() {
            0 => "an empty object".to_owned(),
            1 => format!("an object with the key {}", keys.join("")),
            _ => format!("an object with the keys {}", keys.join(", ")),
        },
        Err(_) if serde_json::from_str::<IgnoredAny>(json).is_ok() => json_kind(json).to_string(),
        Err(_) => "no JSON".to_owned(),
    }
}
