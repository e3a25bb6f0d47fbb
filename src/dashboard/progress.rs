//! How far a request is, in a sign and in words.

use super::theme::Theme;
use crate::exchange::Progress;
use crate::text;
use crate::track::time;

/// Seconds between two turns of the sign.
pub(crate) const TURN_S: f64 = 0.125;

/// The sign of a request in progress; it depends only on the time.
pub(crate) fn spinner(now: f64, theme: Theme) -> &'static str {
    let turns: &[&str] = if theme.can.unicode {
        &["⠷", "⠯", "⠟", "⠻", "⠽", "⠾"]
    } else {
        &["|", "/", "-", "\\"]
    };
    // Below 12.
    let turn = (now / TURN_S).rem_euclid(12.0) as usize;
    turns.get(turn % turns.len()).copied().unwrap_or_default()
}

/// The received bytes, and the total if known: "1.2 of 5.4 MB".
pub(crate) fn received(bytes: u64, total: Option<u64>) -> String {
    let came = text::bytes(bytes);
    let Some(total) = total.map(|total| text::bytes(total.max(bytes))) else {
        return came;
    };
    // One unit is enough.
    match (came.split_once(' '), total.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} of {total}"),
        _ => format!("{came} of {total}"),
    }
}

/// The progress of a transfer, `since` seconds after it began: "45.0 kB of 2.1 MB, 12.0
/// kB/s, 2 min left"; total and time left only if the size is known.
pub(crate) fn transfer(progress: &Progress, since: f64) -> String {
    if progress.bytes == 0 {
        return "no answer yet".to_owned();
    }
    let mut words = received(progress.bytes, progress.total);
    // Before that a rate says nothing.
    if since >= 1.0 {
        let rate = progress.bytes as f64 / since;
        // A rate of bytes.
        let per_second = text::bytes(rate as u64);
        words.push_str(&format!(", {per_second}/s"));
        let left = progress
            .total
            .map(|total| total.saturating_sub(progress.bytes) as f64 / rate);
        if let Some(left) = left {
            words.push_str(&format!(", {} left", time::duration(left)));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_says_how_far_it_is_how_fast_and_what_is_left() {
        let at = |bytes, total, since| {
            let progress = Progress {
                bytes,
                total,
                ..Progress::default()
            };
            transfer(&progress, since)
        };
        assert_eq!(at(0, None, 3.0), "no answer yet");
        assert_eq!(at(4_500, None, 0.2), "4.5 kB");
        assert_eq!(at(120_000, None, 10.0), "120.0 kB, 12.0 kB/s");
        assert_eq!(
            at(120_000, Some(2_100_000), 10.0),
            "120.0 kB of 2.1 MB, 12.0 kB/s, 2 min left"
        );
        assert_eq!(at(10, Some(5), 1.0), "10 of 10 B, 10 B/s, 0 s left");
        assert_eq!(received(1_200_000, Some(5_400_000)), "1.2 of 5.4 MB");
    }
}
