//! Charts of one line: the reports that came and were missed, and a trend.

use crate::dashboard::theme::Theme;

/// Cells of a row of reports.
pub(crate) const REPORTS: u16 = crate::track::recent::RECENT as u16;

/// A row of reports, the latest at the right: a full mark for each that came, an
/// empty one for each that was missed.
pub(crate) fn reports(came: &[bool], theme: Theme) -> String {
    let (full, empty) = (theme.glyph("▮", "#"), theme.glyph("▯", "."));
    came.iter()
        .map(|came| if *came { full } else { empty })
        .collect()
}

/// Bars for values from 0 to their 95th percentile; a greater value has the
/// highest bar, and no value a blank.
pub(crate) fn trend(values: &[Option<f64>], theme: Theme) -> String {
    // Without a full block: the charts of two rows would touch.
    const BARS: [&str; 7] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];
    const ASCII: [&str; 7] = ["_", ".", "-", "-", "=", "*", "#"];
    let bars = if theme.can.unicode { BARS } else { ASCII };
    let full = percentile_95(values);
    let bar = |value: &Option<f64>| match value {
        Some(value) if full > 0.0 => {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 6
            let height = (value / full * 7.0).ceil().clamp(1.0, 7.0) as usize - 1;
            bars.get(height).copied().unwrap_or(" ")
        }
        Some(_) => bars.first().copied().unwrap_or(" "),
        None => " ",
    };
    values.iter().map(bar).collect()
}

/// The 95th percentile, between the nearest two values; 0 where there is none.
fn percentile_95(values: &[Option<f64>]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().flatten().collect();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    #[allow(clippy::cast_precision_loss)] // few cells
    let at = 0.95 * last as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let below = at.floor() as usize;
    let value = |index: usize| sorted.get(index.min(last)).copied().unwrap_or(0.0);
    value(below) + (at - at.floor()) * (value(below + 1) - value(below))
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

    #[test]
    fn one_value_far_off_does_not_flatten_the_others() {
        let mut values = vec![Some(1.0); 39];
        values.push(Some(100.0));
        assert_eq!(trend(&values, theme()), "▇".repeat(40));
        let ramp: Vec<Option<f64>> = (1..=8).map(|n| Some(f64::from(n))).collect();
        assert_eq!(trend(&ramp, theme()), "▁▂▃▄▅▆▇▇");
        assert_eq!(trend(&[None, Some(0.0), None], theme()), " ▁ ");
        assert_eq!(trend(&[], theme()), "");
    }
}
