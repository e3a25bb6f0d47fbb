//! Times of day that are digits, whose first zeros may be lost.

/// The seconds since midnight that digits are, read as hours and minutes, and with seconds; `None`
/// of another text. A table of numbers may have `.0` behind them.
pub(super) fn readings(written: &str) -> Option<[Option<f64>; 2]> {
    let digits = written.strip_suffix(".0").unwrap_or(written);
    let is_number = digits.len() < 7 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = digits.parse().ok().filter(|_| is_number)?;
    let of_day = |[hours, minutes, seconds]: [u32; 3]| {
        let is_end = [hours, minutes, seconds] == [24, 0, 0];
        let is_sound = hours < 24 && minutes < 60 && seconds < 60 || is_end;
        is_sound.then(|| f64::from(hours * 3600 + minutes * 60 + seconds))
    };
    let short = of_day([number / 100, number % 100, 0]).filter(|_| digits.len() < 5);
    let long = of_day([number / 10_000, number / 100 % 100, number % 100]);
    let may_be_long = digits.len() > 4 || !digits.starts_with('0') || number == 0;
    Some([short, long.filter(|_| may_be_long)])
}

/// A time of day as `12:30:00`.
pub(super) fn clock(seconds: f64) -> String {
    // Whole, and at most a day.
    let seconds = seconds as u32;
    let [hours, minutes] = [seconds / 3600, seconds / 60 % 60];
    format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}
