//! Texts of export files on the method and on the records that are not in them.

use crate::text;
use crate::track::Track;
use crate::track::quality::method;

/// The quality tests with the limits in force.
pub(super) fn tests(track: &Track) -> String {
    method::method_text(track.platform(), track.speed_limit_m_s())
}

/// Position in the response and reason of the first unusable record, if there
/// is one.
pub(super) fn first_unusable(track: &Track) -> Option<String> {
    let record = track.unusable().first()?;
    let reason = format!("record {}: {}", record.index, record.fault);
    Some(text::clean(&reason).into_owned())
}

/// The method and the count of unusable records, for formats with one place for
/// text.
pub(super) fn description(track: &Track) -> String {
    let summary = track.summary();
    let unusable = match first_unusable(track) {
        Some(first) => format!(
            "{} {} not in this file, the first: {first}",
            summary.unusable,
            match summary.unusable {
                1 => "record is invalid and",
                _ => "records are invalid and",
            }
        ),
        None => "No record was invalid".to_owned(),
    };
    format!(
        "{} fixes, {} suspect, {} failed. {unusable}. {}",
        summary.fixes,
        summary.suspect,
        summary.fail,
        tests(track)
    )
}
