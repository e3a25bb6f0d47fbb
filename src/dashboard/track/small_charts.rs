//! The reports that came and were missed, on a single line.

use crate::dashboard::theme::Theme;

/// Cells of a row of reports.
pub(crate) const REPORTS: u16 = crate::track::recent::RECENT as u16;

/// A row of reports, the latest at the right: a full mark for each received report, an
/// empty one for each missed report.
pub(crate) fn reports(came: &[bool], theme: Theme) -> String {
    let full = theme.glyph("▮", "#");
    let empty = theme.glyph("▯", ".");
    came.iter()
        .map(|came| if *came { full } else { empty })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::theme::Capabilities;

    fn theme() -> Theme {
        Theme::new(Capabilities {
            unicode: true,
            ..Capabilities::default()
        })
    }

    #[test]
    fn reports_are_marks_in_the_order_of_time() {
        assert_eq!(reports(&[true, false, true], theme()), "▮▯▮");
    }
}
