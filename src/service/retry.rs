//! When and after which wait a read is retried.

use std::{
    hash::{BuildHasher, RandomState},
    time::{Duration, SystemTime},
};

use crate::failure::Failure;

/// Most attempts of a read, the first included.
pub(super) const TRIES: u32 = 3;

/// The longest wait before the second attempt; that before each later one is twice as long, up to
/// two seconds.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Attempts for a response with `status`; 1 means no retry.
pub(super) fn tries_for_status(status: u16) -> u32 {
    match status {
        408 | 429 | 502 | 503 | 504 => TRIES,
        // A fault of the service may be temporary, but more requests do not
        // help it.
        500 => 2,
        _ => 1,
    }
}

/// The wait after `attempt` attempts: random up to the longest, so that many
/// clients do not retry at the same time (full jitter).
pub(super) fn backoff(attempt: u32) -> Duration {
    let longest = FIRST_WAIT * (1 << attempt.saturating_sub(1).min(2));
    // Every `RandomState` has new keys, which is random enough here.
    let chance = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
    longest.mul_f64(chance.clamp(0.0, 1.0))
}

/// Parses a `Retry-After` header, in whole seconds or as an HTTP date; `None`
/// if it is invalid. A number too large for a duration becomes the largest
/// duration; a date in the past means no wait.
pub(super) fn retry_after(value: &[u8], now: SystemTime) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let moment = httpdate::parse_http_date(text).ok()?;
    Some(moment.duration_since(now).unwrap_or(Duration::ZERO))
}

/// The error of a service that requests a wait, with its end as the next step.
pub(super) fn asks_to_wait(error: Failure, wait: Duration) -> Failure {
    // Of a wait of seconds the minute that has begun would be over already.
    let whole_minutes = wait.saturating_add(Duration::from_secs(59));
    let when = jiff::SignedDuration::try_from(whole_minutes)
        .ok()
        .and_then(|wait| jiff::Timestamp::now().checked_add(wait).ok())
        .map_or_else(
            || "for longer than a calendar holds".to_owned(),
            |moment| format!("until {}", moment.strftime("%Y-%m-%d %H:%MZ")),
        );
    error.with_hint(format!("The service asks to wait {when}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn seconds_and_dates_are_understood_and_nothing_else() {
        // RFC 9110 uses this date as an example; it is 784,111,777 s after the
        // epoch.
        let now = at(784_111_777 - 30);
        for (value, wait) in [
            ("0", Some(0)),
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30)),
            ("Sun Nov  6 08:49:37 1994", Some(30)),
            ("Sat, 06 Nov 1993 08:49:37 GMT", Some(0)),
            ("99999999999999999999", Some(u64::MAX)),
            ("1000000000", Some(1_000_000_000)),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            let got = retry_after(value.as_bytes(), now).map(|wait| wait.as_secs());
            assert_eq!(got, wait, "{value}");
        }
    }

    #[test]
    fn waits_are_random_and_bounded() {
        let waits: Vec<_> = (0..200).map(|_| backoff(2)).collect();
        assert!(waits.iter().all(|wait| *wait <= Duration::from_secs(1)));
        assert!(waits.iter().any(|wait| *wait != waits[0]));
        assert!(
            backoff(u32::MAX) <= Duration::from_secs(2) && backoff(0) <= Duration::from_secs(2)
        );
    }

    proptest::proptest! {
        #[test]
        fn any_header_bytes_are_answered(value: Vec<u8>, seconds in 0u64..4_000_000_000) {
            let _ = retry_after(&value, at(seconds));
        }

        #[test]
        fn any_number_is_answered(value in "[0-9]{1,40}") {
            proptest::prop_assert!(retry_after(value.as_bytes(), at(0)).is_some());
        }
    }
}
