//! Charts on a single line: the reports that came and were missed, and a trend.

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

/// The fewest values that make a trend.
const LEAST_VALUES: usize = 4;
/// Values whose spread is less than this share of the greatest are steady.
const STEADY: f64 = 0.05;

/// Bars for values from the least to their 95th percentile; a greater value has the
/// highest bar, and a missing value a blank. Steady values have the lowest bar, too few
/// values none.
pub(crate) fn trend(values: &[Option<f64>], theme: Theme) -> String {
    // Without a full block: the charts of two rows would touch.
    const BARS: [&str; 7] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];
    const ASCII: [&str; 7] = ["_", ".", "-", "-", "=", "*", "#"];
    let bars = if theme.can.unicode { BARS } else { ASCII };
    let mut sorted: Vec<f64> = values.iter().copied().flatten().collect();
    sorted.sort_by(f64::total_cmp);
    let Some(&least) = sorted.first().filter(|_| sorted.len() >= LEAST_VALUES) else {
        return " ".repeat(values.len());
    };
    let greatest = percentile_95(&sorted);
    let spread = greatest - least;
    let bar = |value: &Option<f64>| match value {
        Some(value) if spread > STEADY * greatest => {
            // 0 to 6.
            let height = ((value - least) / spread * 7.0).clamp(0.0, 6.0) as usize;
            bars.get(height).copied().unwrap_or(" ")
        }
        Some(_) => bars.first().copied().unwrap_or(" "),
        None => " ",
    };
    values.iter().map(bar).collect()
}

/// The 95th percentile of sorted values, interpolated; 0 without values.
fn percentile_95(sorted: &[f64]) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let at = 0.95 * last as f64;
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
        let mut values: Vec<Option<f64>> = (0..39).map(|n| Some(f64::from(1 + n % 2))).collect();
        values.push(Some(100.0));
        let bars = trend(&values, theme());
        assert_eq!(bars, format!("{}▁▇", "▁▇".repeat(19)));
        let ramp: Vec<Option<f64>> = (1..=8).map(|n| Some(f64::from(n))).collect();
        assert_eq!(trend(&ramp, theme()), "▁▂▃▄▅▆▇▇");
        assert_eq!(trend(&[], theme()), "");
    }

    #[test]
    fn few_values_have_no_bars_and_steady_ones_low_bars() {
        let few = [None, Some(0.5), Some(9.0), None, Some(1.0)];
        assert_eq!(trend(&few, theme()), "     ");
        let steady: Vec<Option<f64>> = (0..6).map(|n| Some(0.5 + 0.001 * f64::from(n))).collect();
        assert_eq!(trend(&steady, theme()), "▁▁▁▁▁▁");
        // From its own least value on: a small change of a fast instrument is seen.
        let fast: Vec<Option<f64>> = (0..8).map(|n| Some(5.0 + 0.1 * f64::from(n))).collect();
        assert_eq!(trend(&fast, theme()), "▁▂▃▄▅▆▇▇");
    }
}
